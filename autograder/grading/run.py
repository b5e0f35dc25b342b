"""The run stage: executes a submission in its own kernel and returns the answers as plain data.

A pure function from a notebook and questions to answers, without access to the gradebook, the
references or expected outputs. At a check cell the cell itself is not run: the inputs of the cases
are sent to the kernel, and the outputs come back. They are untrusted.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import Callable, Collection
from typing import Any

from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from autograder.course.cells import (
    LONGEST_CELL,
    NOT_PYTHON,
    checked_exercise,
    defined_names,
    kept_definitions,
)
from autograder.errors import CourseError, is_own
from autograder.grading.kernels import kernel_manager, sandbox_limits
from autograder.grading.left_out import LEFT_OUT
from autograder.grading.limits import Limits, slowdown
from autograder.grading.notes import Usage
from autograder.grading.outputs import (
    error_output,
    flood,
    read_outcomes,
    time_limit_error,
    too_much,
)
from autograder.grading.questions import Answers, Outcomes, Questions
from autograder.sandbox.client import GuardedClient
from coursekit.checking.codec import MAX_BYTES

_MERGE = CoalesceStreamsPreprocessor()
_OUTPUTS = {"stream", "display_data", "execute_result", "error", "update_display_data"}
#: Run in every kernel first.
_PREPARE = "__import__('coursekit.checking.kernel_setup', fromlist=['prepare']).prepare()"
#: Run in the kernel where figures are not rendered.
_NO_FIGURES = "import matplotlib; matplotlib.use('agg'); del matplotlib"
#: Why a run ended that ended the process which read its output.
LOST = "the output of its kernel was too large to read"
_NOT_RUN = (
    "Not run while grading: this cell only displays something."
    " Its output is in the submitted notebook.\n"
)


def execute(
    notebook: NotebookNode,
    questions: Questions,
    limits: Limits,
    folder: str,
    environment: dict[str, str],
    answered: Callable[[str, Outcomes | None, str], None] = lambda exercise, outcomes, end: None,
    begun: Callable[[int], None] = lambda cell: None,
    skipped: Collection[int] = (),
) -> Answers:
    """Do what `autograder.grading.isolated_run.run_notebook` does, in this process.

    Parameters
    ----------
    notebook, limits : as in `run_notebook`.
    questions : exercise -> its cases, without the expected outputs.
    folder : an empty folder for the kernel's sockets and, without a sandbox, for its files.
    environment : the kernel's environment variables.
    answered : called with an exercise, its outcomes, and why there are none, as soon as known.
    begun : called with the index of each cell before it runs.
    skipped : cells that ended the process of an earlier run; only what they define runs.

    Raises
    ------
    CourseError
        No kernel could be started, which is not the submission's fault.
    """
    answers = Answers()
    start = time.monotonic()
    for attempt in range(2):  # when memory is short, the second attempt may succeed
        client = _Client(notebook, questions, limits, answers, environment, answered)
        client.begun, client.skipped = begun, skipped
        try:
            run_sync(client.run)(f"{folder}/{attempt}")
        except KeyboardInterrupt:
            # the interrupted coroutine may be ending the kernel too; one of them succeeds
            with contextlib.suppress(AttributeError):
                run_sync(client._async_cleanup_kernel)()
            raise
        if client.started:
            break
    else:
        raise CourseError(f"no kernel could be started on this machine: {client.end}")
    seconds = round(time.monotonic() - start, 2)
    answers.usage = Usage(seconds, **client.used, sandboxed=limits.sandbox, end=client.end)
    answers.complete(questions, client.end)
    return answers


class _Client(NotebookClient):
    """Runs the cells in order; in place of a check cell, it asks the exercise's questions."""

    def __init__(
        self,
        notebook: NotebookNode,
        questions: Questions,
        limits: Limits,
        answers: Answers,
        environment: dict[str, str],
        answered: Callable[[str, Outcomes | None, str], None],
    ) -> None:
        super().__init__(
            notebook,
            kernel_name="python3",
            kernel_manager_class=kernel_manager(limits),
            allow_errors=True,
            timeout_func=lambda cell: max(
                1, round(min(self._cell_seconds * slowdown(), self._left()))
            ),
            interrupt_on_timeout=True,
            error_on_timeout=time_limit_error(limits.cell_seconds),
            raise_on_iopub_timeout=True,
            skip_cells_with_tag="",  # a tag in a submission must not skip anything
            on_cell_executed=self._note_error,
            shutdown_kernel="immediate",
            store_widget_state=False,
            record_timing=False,
            iopub_timeout=10,  # much output may be waiting to be read
        )
        self.log = logging.getLogger("autograder.grading.run")
        self.log.addHandler(logging.NullHandler())
        self.log.propagate = False
        self.questions = questions
        self.limits = limits
        self.answers = answers
        self.environment = environment
        self.answered = answered
        self.end = ""
        self.started = False
        self.used: dict[str, Any] = {}
        self.stopped: dict[str, str] = {}
        self.first_stop = ""
        self._at = -1  # the cell that runs, or ran last
        self._ended: list[int] = []  # the cells that ended a kernel
        self._cell_seconds = limits.cell_seconds
        self._begun, self._slowdown = time.monotonic(), 1.0
        self._bytes, self._allowed = 0, limits.output_bytes
        self._room = limits.notebook_output_bytes
        self._interrupted = 0.0

    def _left(self) -> float:
        """The seconds that are left for the notebook."""
        return self.limits.notebook_seconds * self._slowest() - (time.monotonic() - self._begun)

    def _slowest(self) -> float:
        """The highest slowdown so far: a notebook that has waited is not stopped for it later."""
        self._slowdown = max(self._slowdown, slowdown())
        return self._slowdown

    async def run(self, folder: str) -> None:
        """Run the cells, in a new kernel after one that a cell ended."""
        for number in range(self.limits.kernels):
            before = self._at
            self.end = ""
            culprit = await self._run_in_kernel(f"{folder}/{number}", before)
            if not culprit or self._left() <= 0:
                return
            self._note_end()

    async def _run_in_kernel(self, folder: str, before: int) -> bool:
        """Run the cells in one kernel; those up to the index `before` ran in another already.

        Returns
        -------
        Whether a cell ended the kernel.
        """
        self.reset_execution_trackers()
        ran = False
        try:
            self.create_kernel_manager()
            self.km.client_factory = GuardedClient
            os.makedirs(f"{folder}/s")  # short: a Unix socket's path has at most 107 bytes
            if os.name == "posix":  # Windows has no Unix sockets for a kernel
                self.km.transport, self.km.ip = "ipc", f"{folder}/s/k"
            self.km.connection_file = f"{folder}/kernel.json"
            if self.limits.sandbox:
                self.km.limits = sandbox_limits(self.limits)
            else:
                self.km.user = self.limits.user
            # not async_setup_kernel: its signal handlers would swallow the instructor's ctrl-C
            await self.async_start_new_kernel(cwd=folder, env=self.environment)
            await self.async_start_new_kernel_client()
            self.started = True
            prepare = _PREPARE if self.limits.figures else f"{_PREPARE}\n{_NO_FIGURES}"
            first = self.nb.cells[0]
            await self.async_execute_cell(new_code_cell(prepare), 0, store_history=False)
            self.nb.cells[0] = first  # which nbclient has replaced
            ran = True
            # the cells after the last graded one cannot change a score
            for index, cell in enumerate(self.nb.cells[: _last_graded(self.nb) + 1]):
                if self._left() <= 0:
                    seconds = self.limits.notebook_seconds
                    self.end = f"the notebook was stopped after {seconds:g} seconds"
                    return False
                if index <= before:
                    await self._step_again(cell, index)
                else:
                    self._at = index
                    self.begun(index)
                    await (self._skip if index in self.skipped else self._step)(cell, index)
            return False
        except CellTimeoutError:
            self.end = "the notebook was stopped: a cell did not end and could not be interrupted"
        except DeadKernelError:
            reason = getattr(self.km, "reason", "") or "out of memory, or it exited by itself"
            self.end = f"the notebook's kernel died ({reason})"
        except Exception as error:
            if is_own(error):
                raise  # not of a kernel: its messages are well-formed, see `sandbox.client`
            how = "failed" if self.started else "did not start"
            self.end = f"the notebook's kernel {how}: {error}"[:300]
        finally:
            if self.km is not None:
                manager = self.km  # the cleanup sets it to None
                await self._async_cleanup_kernel()
                self._add_use(getattr(manager, "used", {}))
        return ran

    def _add_use(self, used: dict[str, Any]) -> None:
        """Add what a kernel used: the sum of processor times, the highest memory."""
        for name, together in (("cpu_seconds", sum), ("memory_bytes", max)):
            if name in used:
                self.used[name] = together((used[name], self.used.get(name, 0)))

    def _note_end(self) -> None:
        """Note that the cell which runs has ended its kernel, and what that costs."""
        cell = self.nb.cells[self._at]
        name = self._question(cell)
        self._ended.append(self._at)
        if name is not None:
            self.answers.note(name, None, self.end)
            self.answered(name, None, self.end)
            return
        cell.outputs.append(error_output("KernelEnded", self.end))
        self.stopped |= dict.fromkeys(defined_names(cell.source), f"in its cell {self.end}")
        self.first_stop = self.first_stop or f"in cell {self._at + 1} {self.end}"

    def _question(self, cell: NotebookNode) -> str | None:
        """The exercise to ask in place of a cell, if it has not been asked."""
        name = checked_exercise(cell.source) if cell.cell_type == "code" else None
        graded = cell.metadata.get("nbgrader", {}).get("grade")
        asked = name in self.answers.outcomes
        return name if graded and name in self.questions and not asked else None

    async def _step(self, cell: NotebookNode, index: int) -> None:
        if cell.cell_type != "code":
            return
        if self._is_left_out(cell):
            cell.outputs.append(new_output("stream", text=_NOT_RUN))
            return
        name = self._question(cell)
        if name is not None:
            await self._ask(name, index)
        else:
            await self._run_cell(cell, index)

    async def _skip(self, cell: NotebookNode, index: int) -> None:
        """Run only what a cell defines, which ended the process of an earlier run."""
        self.end, asked = LOST, self._question(cell) is not None
        self._note_end()
        self.end = ""
        if not asked:
            await self._run_cell(new_code_cell(_definitions(cell.source)), index)
            self.nb.cells[index] = cell

    async def _step_again(self, cell: NotebookNode, index: int) -> None:
        """Run a cell for its effects, in a new kernel; its outputs are those of the first time."""
        if cell.cell_type != "code" or self._is_left_out(cell):
            return
        if cell.metadata.get("nbgrader", {}).get("locked") and checked_exercise(cell.source):
            return  # asked already
        times = self._ended.count(index)
        if times > 1:
            return
        source = _definitions(cell.source) if times else cell.source
        await self._run_cell(new_code_cell(source), index)
        self.nb.cells[index] = cell

    async def _run_cell(self, cell: NotebookNode, index: int) -> None:
        self._bytes, self._allowed = 0, self.limits.output_bytes
        await self.async_execute_cell(cell, index)
        _MERGE.preprocess_cell(cell, {}, index)  # once, at the end: nbclient's way is quadratic
        self.clear_display_id_mapping(index)  # the outputs have moved: ignore later updates

    def _is_left_out(self, cell: NotebookNode) -> bool:
        return bool(cell.metadata.get(LEFT_OUT)) and not self.limits.all_cells

    async def _ask(self, name: str, index: int) -> None:
        """Send the cases to the kernel in place of the check cell, and store the outcomes."""
        original = self.nb.cells[index]
        sent = self.questions[name]
        source = (
            "__import__('coursekit.checking.kernel_side', fromlist=['answer'])"
            f".answer({name!r}, {json.dumps(sent)!r})"
        )
        request = new_code_cell(source)
        self._bytes = 0
        # each answer has its own limit
        self._allowed = self.limits.output_bytes + 2 * MAX_BYTES * len(sent)
        try:
            await self.async_execute_cell(request, index, store_history=False)
        finally:
            self.nb.cells[index] = original
        outcomes, end = read_outcomes(request.outputs, len(sent))
        if any(o.get("ename") in ("TimeLimit", "KeyboardInterrupt") for o in request.outputs):
            end = f"it did not end within {self.limits.cell_seconds:g} seconds"
        if name in self.stopped and outcomes and outcomes[0].get("status") == "unwritten":
            outcomes, end = None, self.stopped[name]
        self.answers.note(name, outcomes, end)
        self.answered(name, outcomes, end)

    def _note_error(
        self, cell: NotebookNode, cell_index: int, execute_reply: dict[str, Any]
    ) -> None:
        """Note which definitions a failing cell did not reach, and store its error if missing."""
        names = set(defined_names(cell.source))
        content = execute_reply["content"]
        if content.get("ename") == "TimeLimit":  # what hangs once is often called again
            self._cell_seconds = max(min(5.0, self._cell_seconds), self._cell_seconds / 2)
            self.error_on_timeout = time_limit_error(self._cell_seconds)
        if content["status"] != "error":
            for name in names:
                self.stopped.pop(name, None)
            return
        if not any(output.output_type == "error" for output in cell.outputs):
            cell.outputs.append(error_output(content["ename"], content["evalue"]))
        what = f"{content['ename']}: {content['evalue']}".partition("\n")[0][:200]
        text = f"its cell stopped with {what}"
        if content["ename"] == "NameError" and self.first_stop:
            text += f" ({self.first_stop})"
        self.stopped |= dict.fromkeys(names, text)
        if content["ename"] != "NotImplementedError":
            self.first_stop = self.first_stop or f"cell {cell_index + 1} had stopped with {what}"

    async def _async_check_alive(self) -> None:
        if self.kc is None:  # called by a leftover task, after the cleanup
            raise DeadKernelError("the kernel was shut down")
        await super()._async_check_alive()

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        """Count output as it arrives; past the limit, drop it and interrupt the cell."""
        if msg["msg_type"] in _OUTPUTS:
            before, self._bytes = self._bytes, self._bytes + len(repr(msg["content"]))
            if self._bytes > self._allowed:
                if before <= self._allowed:
                    cell.outputs.append(flood(self._allowed))
                # repeatedly, since code may swallow an interrupt
                if time.monotonic() - self._interrupted > 1.0:
                    self._interrupted = time.monotonic()
                    self._interrupting = asyncio.ensure_future(self.km.interrupt_kernel())
                return None
            if cell is self.nb.cells[cell_index] and not self._has_room(cell, self._bytes - before):
                return None
        return super().process_message(msg, cell, cell_index)

    def _has_room(self, cell: NotebookNode, size: int) -> bool:
        """Whether the notebook can keep another output of a cell; if not, say so in the cell."""
        before, self._room = self._room, self._room - size
        if before >= 0 > self._room:
            cell.outputs.append(too_much(self.limits.notebook_output_bytes))
        return self._room >= 0


def _last_graded(notebook: NotebookNode) -> int:
    """Return the index of the last cell graded by hand or automatically; -1 if there is none."""
    graded = [
        i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade")
    ]
    return max(graded, default=-1)


def _definitions(source: str) -> str:
    """The imports, definitions and constants of a cell, as source."""
    try:
        return ast.unparse(kept_definitions(source[:LONGEST_CELL]))
    except (CourseError, *NOT_PYTHON):
        return ""
