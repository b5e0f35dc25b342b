"""The process that holds the references and answers calls of them; `ReferenceDesk` starts it.

It gets the solution's cells, the names that may be called and the processor time of one call; then
calls, JSON texts. It says when it is ready, then returns for each call a line that begins with the
processor time it took. It ends with its connection, and at its limits.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.reference import Solution
from autograder.grading.reference_calls import References
from autograder.grading.reference_rpc import READY
from autograder.sandbox.messages import Connection
from coursekit.checking.time_limit import TimeUp, time_limit

#: Processor time of all calls, and memory beyond what the libraries take.
_PROCESS_SECONDS = 300
_MEMORY_BYTES = 2**30


def answer_request(connection: Connection, request: dict[str, Any]) -> None:
    """Run as a process of the fork server: answer calls that come as messages.

    Parameters
    ----------
    connection : Connection
        The connection to the desk.
    request : dict of str to object
        ``task`` as in `answer_calls`, and ``environment``, the variables to add.
    """
    os.environ.update(request["environment"])
    received = connection.received()

    def send(text: str) -> None:
        connection.send(answer=text)

    answer_calls(request["task"], (one["call"] for one in iter(received.get, None)), send)


def answer_calls(task: dict[str, Any], calls: Iterable[str], send: Callable[[str], None]) -> None:
    """Answer calls until there are no more.

    Parameters
    ----------
    task : dict of str to object
        ``cells``, the solution's; ``names`` that may be called; ``seconds``, the processor time of
        one call.
    calls : iterable of str
        The calls, each a JSON text.
    send : callable
        Called with `READY`, then with the answer to each call.
    """
    solution = Solution(Path("reference.ipynb"))
    solution.notebook = new_notebook(cells=[new_code_cell(source) for source in task["cells"]])
    references = References({name: solution.definitions[name] for name in task["names"]})
    import torch

    torch.set_num_threads(1)
    _limit()
    send(READY)
    for call in calls:
        begun = time.process_time()
        try:
            with time_limit(task["seconds"]), contextlib.redirect_stdout(sys.stderr):
                text = json.dumps(references.answer(json.loads(call)))
        except (TimeUp, MemoryError, RecursionError) as error:
            message = str(error) or "it takes too much memory"
            text = json.dumps({"error": "RuntimeError", "message": message})
        send(f"{time.process_time() - begun:.3f} {text}")


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows has none
        return
    status = Path("/proc/self/status")
    if status.exists():
        allocated = 1024 * int(status.read_text().partition("VmData:")[2].split()[0])
        resource.setrlimit(resource.RLIMIT_DATA, (allocated + _MEMORY_BYTES,) * 2)
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + _PROCESS_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _write(text: str) -> None:
    _answers.write(f"{text}\n")
    _answers.flush()


if __name__ == "__main__":
    _answers = sys.stdout
    answer_calls(json.loads(sys.stdin.readline()), sys.stdin, _write)
