"""Messages between the grader, the fork server and its children: one JSON object per line."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import threading
from collections.abc import Iterator
from typing import Any

#: Bytes to receive at once: room for more would cost more time than most messages.
_AT_ONCE = 2**16


class Connection:
    """A Unix socket that carries messages both ways."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._received = bytearray()

    @classmethod
    def open(cls, address: str) -> Connection:
        """Connect to the Unix socket `address`.

        Raises
        ------
        OSError
            Nothing listens there.
        """
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.connect(address)
        except OSError:
            connected.close()
            raise
        return cls(connected)

    def fileno(self) -> int:
        """Return the socket's file descriptor."""
        return self.socket.fileno()

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def send(self, **message: Any) -> None:
        """Send a message.

        Raises
        ------
        OSError
            The other end has closed the connection.
        """
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        """Wait for the next message and return it.

        Raises
        ------
        EOFError
            The connection is closed. A message that had not arrived in full is dropped.
        """
        return self._next(0)

    def poll(self) -> dict[str, Any] | None:
        """Return the next message, or None if none has arrived in full.

        Raises
        ------
        EOFError
            The connection is closed.
        """
        try:
            return self._next(socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield messages until the connection is closed."""
        with contextlib.suppress(EOFError):
            while True:
                yield self.receive()

    def received(self) -> queue.Queue[dict[str, Any]]:
        """Return a queue of messages as they arrive; end this process if the connection closes."""
        messages: queue.Queue[dict[str, Any]] = queue.Queue()

        def receive() -> None:
            for message in self:
                messages.put(message)
            os._exit(1)

        threading.Thread(target=receive, daemon=True).start()
        return messages

    def _next(self, flags: int) -> dict[str, Any]:
        """Return the next message, which is read from the socket with `flags` if needed."""
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            try:
                received = self.socket.recv(_AT_ONCE, flags)
            except BlockingIOError:
                raise
            except OSError:  # reset, or closed at this end
                received = b""
            if not received:
                raise EOFError("the connection is closed")
            self._received += received
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        message: dict[str, Any] = json.loads(line)
        return message
