"""The run of a submission in a sandbox, whose output a separate, limited process reads.

A kernel can send anything. The process that reads it, the reader, has limited memory and time; when
it dies, only this submission is affected, and the answers that it had received before still count.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
import traceback
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.errors import CourseError, GraderFault, MachineError
from autograder.grading.grading_log import Usage
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers, Outcomes, Questions, without_expected
from autograder.grading.reference_rpc import Carried, ReferenceDesk
from autograder.grading.run import LOST, execute
from autograder.grading.run_progress import Listener
from autograder.sandbox.launch import has_server, make_socket_folder, start_server
from autograder.sandbox.messages import Connection
from autograder.sandbox.scratch import delete_scratch
from coursekit.data.paths import cache_folder

_GRACE_SECONDS = 300  # for a kernel that is slow to start or to end
#: Tools that install packages end at once: without a network, each would try again for long.
_NO_DOWNLOADS = {
    "PIP_NO_INDEX": "1",
    "PIP_RETRIES": "0",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_OFFLINE": "1",
    "CONDA_OFFLINE": "1",
}
_READERS = 3
#: Run by the fork server once, so that no reader and no judge has to import what it runs.
PRELOAD = f"import {__name__}, autograder.grading.judge_pool"


def run_notebook(
    notebook: NotebookNode,
    questions: Questions,
    limits: Limits | None = None,
    carried: Carried | None = None,
) -> Answers:
    """Run the notebook and collect the answers to the questions at its check cells.

    Parameters
    ----------
    notebook : NotebookNode
        The submission, already sanitized. Its outputs are filled in.
    questions : Questions
        Exercise -> its cases.
    limits : Limits, optional
        The limits of the submission; None for the defaults.
    carried : Carried, optional
        The data to judge exercises again with right helpers.

    Returns
    -------
    Answers
        The answers. Every exercise in `questions` is in `outcomes`; those without an answer are in
        `ends`, with the reason.

    Raises
    ------
    CourseError
        No kernel could be started, which is not the submission's fault.
    GraderFault
        The grader has failed in the process that reads what the kernel sends.
    """
    limits, questions = limits or Limits(), without_expected(questions)
    if carried is None:
        return _run(notebook, questions, limits, None)
    address = start_server(PRELOAD, *limits.preload) if limits.sandbox else ""
    with ReferenceDesk(carried, address) as desk:
        desk.start()
        answers = _run(notebook, questions, limits, desk)
        answers.called = desk.called
        return answers


def _run(
    notebook: NotebookNode, questions: Questions, limits: Limits, desk: ReferenceDesk | None
) -> Answers:
    if not limits.sandbox:
        folder = make_socket_folder()
        try:
            return _run_here(notebook, questions, limits, folder, desk)
        finally:
            delete_scratch(folder)
    ended: list[int] = []  # the cells at which readers died
    for _ in range(_READERS):
        # the first time it may have been no fault of the cell's
        skipped = [cell for cell in ended if ended.count(cell) > 1]
        answers = _run_in_sandbox(notebook, questions, limits, skipped, ended, desk)
        if answers.usage is not None and answers.usage.end != LOST:
            break
        if not has_server():
            raise MachineError("grading was interrupted; run the command again.")
    return answers


def _run_here(
    notebook: NotebookNode,
    questions: Questions,
    limits: Limits,
    folder: str,
    desk: ReferenceDesk | None,
) -> Answers:
    """Run the notebook without a sandbox, in this process."""
    environment = _environment(limits)
    if desk is None:
        return execute(notebook, questions, limits, folder, environment)
    fixed: set[str] = set()
    listener = Listener(
        answered=lambda exercise, *_: fixed.add(exercise),
        called=lambda exercise, call: desk.answer(exercise, call, fixed),
    )
    return execute(notebook, questions, limits, folder, environment, listener, carried=desk.carried)


def _run_in_sandbox(
    notebook: NotebookNode,
    questions: Questions,
    limits: Limits,
    skipped: list[int],
    ended: list[int],
    desk: ReferenceDesk | None,
) -> Answers:
    """Run the notebook with one reader; if that dies, add the cell at which it did to `ended`."""
    address = start_server(PRELOAD, *limits.preload)
    answers = Answers()
    begun = time.monotonic()
    with (
        # in the server's folder, which the server deletes even if this process is killed
        tempfile.TemporaryDirectory(
            prefix="r-", dir=os.path.dirname(address), ignore_cleanup_errors=True
        ) as folder,
        contextlib.suppress(OSError),  # the server may die at any time
        contextlib.closing(Connection.open(address)) as connection,
    ):
        with contextlib.suppress(OSError):
            connection.send(
                run=f"{__name__}:{run_request.__name__}",
                notebook=notebook,
                questions=questions,
                limits=asdict(limits),
                folder=folder,
                environment=_environment(limits),
                skipped=skipped,
                # without the solution, which only the desk has
                carried=desk and asdict(replace(desk.carried, cells=())),
            )
        cell = _receive(connection, notebook, answers, desk)
        if answers.usage is None:
            ended.append(cell)
    if answers.usage is None:
        answers.usage = Usage(round(time.monotonic() - begun, 2), end=LOST)
    answers.complete(questions, answers.usage.end)
    return answers


def _receive(
    connection: Connection, notebook: NotebookNode, answers: Answers, desk: ReferenceDesk | None
) -> int:
    """Store outcomes as the reader sends them, and cell outputs and usage at the end.

    Calls of right helpers are answered.

    Returns
    -------
    int
        The index of the cell that ran last.
    """
    last = -1
    for message in connection:
        last = message.get("begun", last)
        if "failed" in message:
            raise MachineError(message["failed"])
        if "fault" in message:
            raise GraderFault(f"the reader of a submission failed:\n\n{message['fault']}")
        if "call" in message and desk is not None:
            found = desk.answer(message["judged"], message["call"], answers.outcomes)
            connection.send(answer=found)
        if "exercise" in message:
            answers.note(message["exercise"], message["outcomes"], message["end"])
        for index, outputs, count in message.get("cells", ()):
            cell = notebook.cells[index]
            cell.outputs, cell.execution_count = nbformat.from_dict(outputs), count
        if "usage" in message:
            answers.usage = Usage(**message["usage"])
    return last


def run_request(connection: Connection, request: dict[str, Any]) -> None:
    """Run as the reader: execute the notebook of a request and send its answers.

    Parameters
    ----------
    connection : Connection
        The connection to the process that called `run_notebook`.
    request : dict of str to object
        The message of `_run_in_sandbox`.
    """
    try:
        _answer_request(connection, request)
    except (MemoryError, RecursionError):
        raise  # of what the kernel has sent: the reader ends
    except Exception:
        connection.send(fault=traceback.format_exc())


def _answer_request(connection: Connection, request: dict[str, Any]) -> None:
    limits = Limits(**request["limits"])
    _limit_reader(round(limits.notebook_seconds) + _GRACE_SECONDS, limits.reader_bytes)
    received = connection.received()
    notebook: Any = nbformat.from_dict(request["notebook"])

    def answered(exercise: str, outcomes: Outcomes | None, end: str) -> None:
        connection.send(exercise=exercise, outcomes=outcomes, end=end)

    def begun(cell: int) -> None:
        connection.send(begun=cell)

    def called(exercise: str, call: str) -> str:
        connection.send(judged=exercise, call=call)
        answer: str = received.get()["answer"]
        return answer

    carried = request["carried"]
    try:
        answers = execute(
            notebook,
            request["questions"],
            limits,
            request["folder"],
            request["environment"],
            Listener(answered, begun, called),
            request["skipped"],
            Carried(**carried) if carried else None,
        )
    except CourseError as error:
        connection.send(failed=str(error))
        return
    cells = [
        (index, cell.outputs, cell.execution_count)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
    ]
    assert answers.usage is not None  # it has run
    connection.send(cells=cells, usage=asdict(answers.usage))


def _limit_reader(seconds: int, memory_bytes: int) -> None:
    """End this process after `seconds`, and let it allocate at most `memory_bytes` more."""
    import resource  # only where it is used: Windows has no such module

    signal.alarm(seconds)
    status = Path("/proc/self/status").read_text()
    allocated = 1024 * int(status.partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (allocated + memory_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def make_paths_absolute() -> None:
    """Make the data folders in the environment absolute, so that every folder finds them."""
    for name in ("COURSEKIT_MIRROR", "COURSEKIT_CACHE"):
        if os.environ.get(name) and "://" not in os.environ[name]:
            os.environ[name] = os.path.abspath(os.environ[name])


def _environment(limits: Limits) -> dict[str, str]:
    """Return the kernel's environment: only what Python and the data need of the instructor's.

    It has no home folders, since each kernel has its own.
    """
    kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "COURSEKIT_MIRROR", "COURSEKIT_CACHE")
    make_paths_absolute()  # the kernel runs in another folder
    env = {name: os.environ[name] for name in kept if name in os.environ}
    if find_spec("pooch"):  # without it nothing is fetched, so that there is no cache
        env["COURSEKIT_CACHE"] = str(cache_folder())
    env["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    env |= _NO_DOWNLOADS
    if limits.sandbox:  # without one there may be a network, and models from there
        env["HF_HUB_OFFLINE"] = "1"
    env |= {"NBGRADER_EXECUTION": "autograde", "PYTHONHASHSEED": "0"}
    if limits.training_steps:
        env["COURSEKIT_MAX_STEPS"] = str(limits.training_steps)
    if limits.data_rows:
        env["COURSEKIT_MAX_ROWS"] = str(limits.data_rows)
    if not limits.figures:
        env["COURSEKIT_NO_FIGURES"] = "1"
    return env
