"""The run stage: the execution of a submission in its own kernel, up to answers as plain data.

It is a pure function from a notebook and questions to answers, without access to the gradebook, the
references or expected outputs. At a check cell the cell itself is not run: the inputs of the cases
are sent to the kernel, and the outputs come back. They are untrusted.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import functools
import json
import time
from collections.abc import Collection, Iterable
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from autograder.course.cells import (
    MAX_CELL_CHARACTERS,
    NOT_PYTHON,
    asked_exercise,
    kept_definitions,
)
from autograder.errors import CourseError, is_own
from autograder.grading.cell_client import CellClient
from autograder.grading.cell_skipping import LEFT_OUT, LIMITED
from autograder.grading.grading_log import Usage
from autograder.grading.limits import Limits
from autograder.grading.outputs import TOO_LARGE, error_output, read_outcomes
from autograder.grading.questions import (
    Answers,
    Outcomes,
    Questions,
    for_kernel,
    most_bytes,
    within_room,
)
from autograder.grading.reference_rpc import Carried
from autograder.grading.reused_solutions import pasted_names
from autograder.grading.run_progress import Listener, Progress
from coursekit.checking import rejudging
from coursekit.checking.kernel_side import CASES
from coursekit.checking.recording_format import Question

#: Reason of a run that ended the process that read its output.
LOST = "the output of its kernel was too large to read"
NOT_RUN = (
    "Not run while grading: this cell only displays something."
    " Its output is in the submitted notebook.\n"
)


def execute(
    notebook: NotebookNode,
    questions: Questions,
    limits: Limits,
    folder: str,
    environment: dict[str, str],
    listener: Listener | None = None,
    skipped: Collection[int] = (),
    carried: Carried | None = None,
) -> Answers:
    """Run the notebook in this process and collect the answers, as `run_notebook` does.

    Parameters
    ----------
    notebook : NotebookNode
        As in `run_notebook`.
    questions : Questions
        Exercise -> its cases, without the expected outputs.
    limits : Limits
        As in `run_notebook`.
    folder : str
        A folder that nobody else can write to. Each kernel gets a new one in it, for its sockets
        and, without a sandbox, for its files.
    environment : dict[str, str]
        The kernel's environment variables.
    listener : Listener or None
        Callbacks for each cell and answer.
    skipped : collection of int
        Cells that ended the process of an earlier run; only their definitions run.
    carried : Carried or None
        The data to judge exercises again with right helpers; None to judge them as they are.

    Raises
    ------
    CourseError
        No kernel could be started, which is not the submission's fault.
    """
    answers = Answers()
    start = time.monotonic()
    for _ in range(2):  # when memory is short, the second attempt may succeed
        progress = Progress(skipped)
        client = _Client(
            notebook,
            questions,
            limits,
            answers,
            environment,
            listener or Listener(),
            progress,
            carried,
        )
        try:
            run_sync(client.run)(folder)
        except KeyboardInterrupt:
            # the interrupted coroutine may be ending the kernel too; one of them succeeds
            with contextlib.suppress(AttributeError):
                run_sync(client._async_cleanup_kernel)()
            raise
        if progress.started:
            break
    else:
        raise CourseError(f"no kernel could be started on this machine: {progress.end}")
    seconds = round(time.monotonic() - start, 2)
    answers.usage = Usage(seconds, **progress.used, sandboxed=limits.sandbox, end=progress.end)
    answers.complete(questions, progress.end)
    return answers


class _Client(CellClient):
    """A client that runs the cells in order and asks questions in place of check cells."""

    def __init__(
        self,
        notebook: NotebookNode,
        questions: Questions,
        limits: Limits,
        answers: Answers,
        environment: dict[str, str],
        listener: Listener,
        progress: Progress,
        carried: Carried | None,
    ) -> None:
        super().__init__(notebook, limits, environment)
        self.carried = carried
        self.questions, self.answers = questions, answers
        self.listener, self.progress = listener, progress

    async def run(self, folder: str) -> None:
        """Run the cells, in a new kernel after one that a cell or an answer ended.

        Answers do not count against the limit: each is asked once, and several may call one helper.
        """
        ended = 0
        while ended < self.limits.kernels:
            before = self.progress.at
            self.progress.end = ""
            culprit = await self._run_in_kernel(folder, before)
            if not culprit or self.allowance.seconds() <= 0:
                return
            ended += not self._note_end()

    async def _run_in_kernel(self, folder: str, before: int) -> bool:
        """Run the cells in one kernel; those up to index `before` ran in another already.

        Returns
        -------
        bool
            Whether a cell ended the kernel.
        """
        progress, ran = self.progress, False
        self.reset_execution_trackers()
        try:
            await self.start(folder)
            progress.started = True
            await self.run_for_effect(_preparation(self.nb, self.limits), 0, store_history=False)
            await self._call_kernel("begin", self.carried and self.carried.kinds)
            await self._call_kernel("replace", self.carried and self.carried.pasted)
            ran = True
            # the cells after the last graded one cannot change a score
            for index, cell in enumerate(self.nb.cells[: _last_graded(self.nb) + 1]):
                if self.allowance.seconds() <= 0:
                    seconds = self.limits.notebook_seconds
                    progress.end = f"the notebook was stopped after {seconds:g} seconds"
                    return False
                if index > before:
                    progress.at = index
                    self.listener.begun(index)
                if cell.cell_type == "code":
                    await self._step(cell, index, again=index <= before)
                    if self.carried and (name := asked_exercise(cell)) in self.carried.kinds:
                        await self._call_kernel("replace", [name])
            pasted = self.carried.pasted if self.carried else ()
            await self._ask_pasted(pasted, len(self.nb.cells) - 1)
            return False
        except CellTimeoutError:
            self.allowance.shorten()
            progress.end = (
                "the notebook was stopped: a cell did not end and could not be interrupted"
            )
        except DeadKernelError:
            reason = getattr(self.km, "reason", "") or "out of memory, or it exited by itself"
            progress.end = f"the notebook's kernel died ({reason})"
        except Exception as error:
            if is_own(error):
                raise  # not of a kernel: its messages are well-formed, see `sandbox.client`
            how = "failed" if progress.started else "did not start"
            progress.end = f"the notebook's kernel {how}: {error}"[:300]
        finally:
            if self.km is not None:
                manager = self.km  # the cleanup sets it to None
                await self._async_cleanup_kernel()
                progress.add_use(getattr(manager, "used", {}))
        return ran

    async def _step(self, cell: NotebookNode, index: int, again: bool) -> None:
        """Run a cell or ask its questions; `again` only for its effects, in another kernel."""
        if cell.metadata.get(LEFT_OUT) and not self.limits.all_cells:
            if not again:
                cell.outputs.append(new_output("stream", text=NOT_RUN))
        elif again:
            times = self.progress.ended.count(index)
            if asked_exercise(cell) is None and times <= 1:
                await self.run_for_effect(
                    _definitions(cell.source) if times else cell.source, index
                )
        elif index in self.progress.skipped:
            asked, self.progress.end = self._question(cell) is not None, LOST
            self._note_end()
            self.progress.end = ""
            if not asked:
                await self.run_for_effect(_definitions(cell.source), index)
        elif (name := self._question(cell)) is not None:
            await self._ask(name, index)
        else:
            await self.run_cell(cell, index)
            if not self.carried:
                await self._ask_pasted(pasted_names(cell), index)

    async def _call_kernel(self, function: str, value: Any) -> None:
        """Call a function of `rejudging` in the kernel, if exercises are judged again."""
        if self.carried:
            source = _call(function, "", value)
            await self.run_for_effect(source, max(0, self.progress.at), store_history=False)

    async def _ask_pasted(self, names: Iterable[str], index: int) -> None:
        """Ask the questions of pasted helpers, to find out whether they are right."""
        for name in names:
            if name in self.questions and name not in self.answers.outcomes:
                self.answers.note(name, None, "it ended the kernel")  # once is enough
                await self._ask(name, index)

    def _question(self, cell: NotebookNode) -> str | None:
        """Return the exercise to ask in place of a cell, if it has not been asked."""
        name = asked_exercise(cell)
        return name if name in self.questions and name not in self.answers.outcomes else None

    def _note_end(self) -> bool:
        """Note that the current cell has ended its kernel; tell whether that was an answer."""
        at, end = self.progress.at, self.progress.end
        cell = self.nb.cells[at]
        name = self._question(cell)
        self.progress.ended.append(at)
        if name is not None:
            self.answers.note(name, None, end)
            self.listener.answered(name, None, end)
        else:
            cell.outputs.append(error_output("KernelEnded", end))
            self.stopped.note_end(cell, at, end)
        return name is not None

    async def _ask(self, name: str, index: int) -> None:
        """Ask an exercise's cases in place of the check cell, and store the outcomes."""
        sent = self.questions[name]
        outcomes: Outcomes | None = []
        end = ""
        for part in self._parts(sent):
            some, end = await self._request(name, part, index)
            if some is not None and len(part) < len(sent) and within_room(some, part) != some:
                some, end = None, TOO_LARGE
            outcomes = None if some is None else [*(outcomes or ()), *some]
            if outcomes is None:
                break
        self.allowance.oversized |= end == TOO_LARGE
        if name in self.stopped.why and outcomes and outcomes[0].get("status") == "unwritten":
            outcomes, end = None, self.stopped.why[name]
        if outcomes is not None:
            outcomes = within_room(outcomes, sent)
        if outcomes:
            outcomes = self.stopped.explain(outcomes)
        self.answers.note(name, outcomes, end)
        self.listener.answered(name, outcomes, end)

    def _parts(self, sent: list[Question]) -> list[list[Question]]:
        """Return the cases to ask together: the first alone, once an answer was too large."""
        if self.allowance.oversized and len(sent) > 1:
            return [sent[:1], sent[1:]]
        return [sent]

    async def _request(
        self, name: str, sent: list[Question], index: int
    ) -> tuple[Outcomes | None, str]:
        """Send cases to the kernel; return their outcomes, or None and the reason why."""
        original = self.nb.cells[index]
        request = new_code_cell(
            f"__import__('coursekit.checking.kernel_side', fromlist=['answer']).answer({name!r})"
        )
        self.allowance.new_answer(most_bytes(sent))
        client: Any = self.kc
        client.shell_channel.attached = {CASES: json.dumps(for_kernel(sent))}
        try:
            if self.carried:
                request.source = _call("answer_again", name, self.carried.helpers[name])
                called = functools.partial(self.listener.called, name)
                await asyncio.to_thread(called, "")  # until there is someone to answer
                await self.run_answering(request, index, called)
            else:
                await self.async_execute_cell(request, index, store_history=False)
        finally:
            self.nb.cells[index] = original
        outcomes, end = read_outcomes(request.outputs, len(sent))
        stopped = any(o.get("ename") in ("TimeLimit", "KeyboardInterrupt") for o in request.outputs)
        if stopped and end != TOO_LARGE:
            end = f"it did not end within {self.limits.cell_seconds:g} seconds"
        return outcomes, end


def _call(function: str, name: str, *given: Any) -> str:
    """Return the code that calls a function of `rejudging` with a name and values as JSON."""
    texts = [repr(name)] * bool(name) + [repr(json.dumps(one)) for one in given]
    module = f"__import__({rejudging.__name__!r}, fromlist=[{function!r}])"
    return f"{module}.{function}({', '.join(texts)})"


def _preparation(notebook: NotebookNode, limits: Limits) -> str:
    """Return the code to run first in every kernel."""
    limited: list[str] = []
    if limits.shown_seconds is not None:
        limited = [cell.source for cell in notebook.cells if cell.metadata.get(LIMITED)]
    code = (
        "__import__('coursekit.checking.kernel_setup', fromlist=['prepare'])"
        f".prepare({limited!r}, {limits.shown_seconds!r})"
    )
    return (
        code
        if limits.figures
        else f"{code}\nimport matplotlib; matplotlib.use('agg'); del matplotlib"
    )


def _last_graded(notebook: NotebookNode) -> int:
    """Return the index of the last cell graded by hand or automatically; -1 if there is none."""
    graded = [
        i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade")
    ]
    return max(graded, default=-1)


def _definitions(source: str) -> str:
    """Return the source of a cell's imports, definitions and constants."""
    try:
        return ast.unparse(kept_definitions(source[:MAX_CELL_CHARACTERS]))
    except (CourseError, *NOT_PYTHON):
        return ""
