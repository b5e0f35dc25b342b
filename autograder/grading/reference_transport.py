"""Connections to a process with the references: forked by the fork server, or started anew."""

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

#: Variables of the grader's environment that the process needs.
_KEPT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "SYSTEMROOT", "COURSEKIT_CACHE", "HOME")
_END_SECONDS = 60.0


class Link(Protocol):
    """A connection that sends texts to the process and receives texts from it."""

    def send(self, text: str) -> None:
        """Send a call; raise an `OSError` if the process has ended."""

    def receive(self, seconds: float) -> str:
        """Return the next text; "" if none comes within `seconds` of wall time."""

    def close(self) -> None:
        """End the process."""


class Forked:
    """A process forked by the fork server, in milliseconds, as everything is imported.

    Parameters
    ----------
    address : str
        The fork server's address.
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
        """Send a call."""
        self._connection.send(call=text)

    def receive(self, seconds: float) -> str:
        """Return the next text; "" if the process has ended."""
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
        """Close the connection, which ends the process."""
        self._connection.close()


class Started:
    """A new process, for where there is no fork server.

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
        """Send a call."""
        assert self._process.stdin is not None  # it is a pipe
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def receive(self, seconds: float) -> str:
        """Return the next text; "" if none comes in time, or the process has ended."""
        with contextlib.suppress(queue.Empty):
            return self._answers.get(timeout=seconds)
        return ""

    def close(self) -> None:
        """Kill the process."""
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
