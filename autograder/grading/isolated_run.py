"""Runs a submission at a distance: in a box, and what the box sends is read by a process of its own.

A box can send what it likes. The process that reads it has a limit for its memory and its time;
when it ends, only this submission ends with it, and the answers that came before count.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
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
from autograder.sandbox.provisioner import has_server, start_server

_GRACE_SECONDS = 300  # for a kernel that starts slowly, or ends so
_LOST = "what its kernel sent could not be read: it was too much"


def run_notebook(
    notebook: NotebookNode, questions: Questions, limits: Limits | None = None
) -> Answers:
    """Run the notebook (its outputs are filled in place) and ask the questions at its check cells.

    Parameters
    ----------
    notebook : the submission, already sanitized.
    questions : exercise -> its cases.

    Returns
    -------
    The answers. Every exercise asked for is in `outcomes`; those without an answer are in `ends`.

    Raises
    ------
    CourseError
        No kernel starts, which is not the submission's fault.
    """
    limits, questions = limits or Limits(), without_expected(questions)
    if not limits.sandbox:
        with tempfile.TemporaryDirectory(prefix="run-") as folder:
            return execute(notebook, questions, limits, folder, _environment(folder, limits))
    for _ in range(2):  # a reader may also be lost by no fault of the submission's
        answers = _run_boxed(notebook, questions, limits)
        if answers.usage is not None and answers.usage.end != _LOST:
            break
        if not has_server():
            raise CourseError("the run was stopped; run the command again.")
    return answers


def _run_boxed(notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
    address = start_server()
    # below the server's folder, which the server removes even if this process is killed
    with (
        tempfile.TemporaryDirectory(
            prefix="r-", dir=os.path.dirname(address), ignore_cleanup_errors=True
        ) as folder,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        request = {
            "notebook": notebook,
            "questions": questions,
            "limits": asdict(limits),
            "folder": folder,
            "environment": _environment(folder, limits),
        }
        with contextlib.suppress(OSError):  # the server may end at any time
            connection.connect(address)
            connection.sendall(json.dumps(request).encode() + b"\n")
        return _receive(connection, notebook, questions)


def _receive(connection: socket.socket, notebook: NotebookNode, questions: Questions) -> Answers:
    """What the reader sends: each exercise's outcomes when they are there, the rest at the end."""
    answers = Answers()
    begun = time.monotonic()
    end = _LOST
    with connection.makefile("r", encoding="utf-8") as lines, contextlib.suppress(OSError):
        for line in lines:
            if not line.endswith("\n"):
                break  # the reader ended while it wrote
            message = json.loads(line)
            if "failed" in message:
                raise CourseError(message["failed"])
            if "exercise" in message:
                answers.note(message["exercise"], message["outcomes"], message["end"])
                continue
            for index, outputs, count in message["shown"]:
                cell = notebook.cells[index]
                cell.outputs, cell.execution_count = nbformat.from_dict(outputs), count
            answers.usage = Usage(**message["usage"])
            end = answers.usage.end
    if answers.usage is None:
        answers.usage = Usage(round(time.monotonic() - begun, 2), end=_LOST)
    answers.complete(questions, end)
    return answers


def read(connection: socket.socket, request: dict[str, Any]) -> None:
    """What the process at the other end does: run the notebook of a request, send its answers."""
    limits = Limits(**request["limits"])
    _limit_reader(round(limits.notebook_seconds) + _GRACE_SECONDS, limits.reader_bytes)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    notebook: Any = nbformat.from_dict(request["notebook"])

    def send(**message: Any) -> None:
        connection.sendall(json.dumps(message).encode() + b"\n")

    def answered(exercise: str, outcomes: Outcomes | None, end: str) -> None:
        send(exercise=exercise, outcomes=outcomes, end=end)

    folder, environment = request["folder"], request["environment"]
    try:
        answers = execute(notebook, request["questions"], limits, folder, environment, answered)
    except CourseError as error:
        send(failed=str(error))
        return
    shown = [
        (index, cell.outputs, cell.execution_count)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
    ]
    send(shown=shown, usage=asdict(answers.usage))


def _limit_reader(seconds: int, more: int) -> None:
    """End this process after `seconds`, and let it take no more than `more` bytes of memory."""
    signal.alarm(seconds)
    status = Path("/proc/self/status").read_text()
    taken = 1024 * int(status.partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (taken + more,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with(connection: socket.socket) -> None:
    """End this process when nobody waits for it any more; its box ends with it."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(1)


def _environment(folder: str, limits: Limits) -> dict[str, str]:
    """A small environment: nothing of the instructor's but what Python and the data need."""
    kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "COURSEKIT_MIRROR", "COURSEKIT_CACHE")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    for name in ("COURSEKIT_MIRROR", "COURSEKIT_CACHE"):
        if env.get(name) and "://" not in env[name]:
            env[name] = os.path.abspath(env[name])  # the kernel runs in a folder of its own
    if "COURSEKIT_CACHE" not in env:
        import pooch

        env["COURSEKIT_CACHE"] = str(pooch.os_cache("coursekit"))
    return (
        env
        | {
            "HOME": folder,
            "IPYTHONDIR": folder,
            "MPLCONFIGDIR": folder,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "NBGRADER_EXECUTION": "autograde",
            "PYTHONHASHSEED": "0",
        }
        | ({"COURSEKIT_MAX_STEPS": str(limits.training_steps)} if limits.training_steps else {})
    )
