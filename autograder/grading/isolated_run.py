"""Runs a submission in a sandbox and reads its output in a separate, resource-limited process.

A kernel can send anything. The process that reads it, the reader, has limited memory and time; when
it dies, only this submission is affected, and the answers that it had received before still count.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.errors import CourseError
from autograder.grading.answers import Answers, Outcomes, Questions, without_expected
from autograder.grading.limits import Limits
from autograder.grading.notes import Usage
from autograder.grading.run import execute
from autograder.sandbox.launch import has_server, start_server
from autograder.sandbox.messages import Connection

_GRACE_SECONDS = 300  # for a kernel that is slow to start or to end
#: Tools that install packages end at once: without a network, each would try again for long.
_NO_DOWNLOADS = {
    "PIP_NO_INDEX": "1",
    "PIP_RETRIES": "0",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_OFFLINE": "1",
    "CONDA_OFFLINE": "1",
}
_LOST = "the output of its kernel was too large to read"


def run_notebook(
    notebook: NotebookNode, questions: Questions, limits: Limits | None = None
) -> Answers:
    """Run the notebook and collect the answers to the questions at its check cells.

    Parameters
    ----------
    notebook : the submission, already sanitized. Its outputs are filled in.
    questions : exercise -> its cases.
    limits : what the submission is allowed; the defaults if None.

    Returns
    -------
    The answers. Every exercise in `questions` is in `outcomes`; those without an answer are in
    `ends`, with the reason.

    Raises
    ------
    CourseError
        No kernel could be started, which is not the submission's fault.
    """
    limits, questions = limits or Limits(), without_expected(questions)
    if not limits.sandbox:
        with tempfile.TemporaryDirectory(prefix="run-") as folder:
            return execute(notebook, questions, limits, folder, _environment(folder, limits))
    for _ in range(2):  # a reader may also die through no fault of the submission
        answers = _run_in_sandbox(notebook, questions, limits)
        if answers.usage is not None and answers.usage.end != _LOST:
            break
        if not has_server():
            raise CourseError("grading was interrupted; run the command again.")
    return answers


def _run_in_sandbox(notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
    address = start_server()
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
                notebook=notebook,
                questions=questions,
                limits=asdict(limits),
                folder=folder,
                environment=_environment(folder, limits),
            )
        _receive(connection, notebook, answers)
    if answers.usage is None:
        answers.usage = Usage(round(time.monotonic() - begun, 2), end=_LOST)
    answers.complete(questions, answers.usage.end)
    return answers


def _receive(connection: Connection, notebook: NotebookNode, answers: Answers) -> None:
    """Store what the reader sends: outcomes as they arrive, cell outputs and usage at the end."""
    for message in connection:
        if "failed" in message:
            raise CourseError(message["failed"])
        if "exercise" in message:
            answers.note(message["exercise"], message["outcomes"], message["end"])
            continue
        for index, outputs, count in message["cells"]:
            cell = notebook.cells[index]
            cell.outputs, cell.execution_count = nbformat.from_dict(outputs), count
        answers.usage = Usage(**message["usage"])


def run_request(connection: Connection, request: dict[str, Any]) -> None:
    """Run the notebook of a request and send its answers; what the reader does.

    Parameters
    ----------
    connection : to the process that called `run_notebook`.
    request : what `_run_in_sandbox` sends.
    """
    limits = Limits(**request["limits"])
    _limit_reader(round(limits.notebook_seconds) + _GRACE_SECONDS, limits.reader_bytes)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    notebook: Any = nbformat.from_dict(request["notebook"])

    def answered(exercise: str, outcomes: Outcomes | None, end: str) -> None:
        connection.send(exercise=exercise, outcomes=outcomes, end=end)

    folder, environment = request["folder"], request["environment"]
    try:
        answers = execute(notebook, request["questions"], limits, folder, environment, answered)
    except CourseError as error:
        connection.send(failed=str(error))
        return
    cells = [
        (index, cell.outputs, cell.execution_count)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
    ]
    connection.send(cells=cells, usage=asdict(answers.usage))


def _limit_reader(seconds: int, memory_bytes: int) -> None:
    """End this process after `seconds`, and let it allocate at most `memory_bytes` more."""
    signal.alarm(seconds)
    status = Path("/proc/self/status").read_text()
    allocated = 1024 * int(status.partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (allocated + memory_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with(connection: Connection) -> None:
    """End this process, and with it its sandbox, when the connection is closed."""
    with contextlib.suppress(EOFError):
        connection.receive()
    os._exit(1)


def _environment(folder: str, limits: Limits) -> dict[str, str]:
    """Return the kernel's environment: of the instructor's, only what Python and the data need."""
    kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "COURSEKIT_MIRROR", "COURSEKIT_CACHE")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    for name in ("COURSEKIT_MIRROR", "COURSEKIT_CACHE"):
        if env.get(name) and "://" not in env[name]:
            env[name] = os.path.abspath(env[name])  # the kernel runs in another folder
    if "COURSEKIT_CACHE" not in env:
        import pooch

        env["COURSEKIT_CACHE"] = str(pooch.os_cache("coursekit"))
    env |= dict.fromkeys(("HOME", "IPYTHONDIR", "MPLCONFIGDIR"), folder)
    env["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    env |= _NO_DOWNLOADS
    env |= {"NBGRADER_EXECUTION": "autograde", "PYTHONHASHSEED": "0"}
    if limits.training_steps:
        env["COURSEKIT_MAX_STEPS"] = str(limits.training_steps)
    if limits.data_rows:
        env["COURSEKIT_MAX_ROWS"] = str(limits.data_rows)
    return env
