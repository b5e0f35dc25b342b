"""Two ways to a process that has the references: forked where submissions are, or started anew."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from typing import Any, Protocol

from autograder.sandbox.messages import Connection

#: What the process needs of the grader's environment.
_KEPT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "SYSTEMROOT", "COURSEKIT_CACHE", "HOME")
_END_SECONDS = 60.0


class Link(Protocol):
    """Texts to and from the process."""

    def send(self, text: str) -> None:
        """Send a call; OSError if the process has ended."""

    def receive(self, seconds: float) -> str:
        """The next text; "" if none comes within so many seconds on the wall."""

    def close(self) -> None:
        """End the process."""


class Forked:
    """A process of the fork server: it starts in milliseconds, since all is imported.

    Parameters
    ----------
    address : str
        The fork server's.
    task : dict of str to object
        What `reference_process.answer_calls` takes.

    Raises
    ------
    OSError
        The server has ended.
    """

    def __init__(self, address: str, task: dict[str, Any]) -> None:
        self._connection = Connection.open(address)
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._connection.send(
            run="autograder.grading.reference_process:answer_request",
            task=task,
            environment=environment,
        )

    def send(self, text: str) -> None:
        self._connection.send(call=text)

    def receive(self, seconds: float) -> str:
        self._connection.socket.settimeout(seconds)
        try:
            answer: str = self._connection.receive()["answer"]
        except EOFError:
            return ""
        finally:
            with contextlib.suppress(OSError):
                self._connection.socket.settimeout(None)
        return answer

    def close(self) -> None:
        self._connection.close()


class Started:
    """A process of its own, where there is no fork server.

    Parameters
    ----------
    task : dict of str to object
        What `reference_process.answer_calls` takes.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "autograder.grading.reference_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        with contextlib.suppress(OSError):  # `receive` tells that it has ended
            self.send(json.dumps(task))

    def send(self, text: str) -> None:
        assert self._process.stdin is not None  # it is a pipe
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def receive(self, seconds: float) -> str:
        with contextlib.suppress(queue.Empty):
            return self._answers.get(timeout=seconds)
        return ""

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reading.join(_END_SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None  # it is a pipe
        for line in self._process.stdout:
            self._answers.put(line.rstrip("\n"))
        self._answers.put("")  # it has ended
