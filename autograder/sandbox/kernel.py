"""The IPython kernel of a sandbox: as installed, with upper limits for its output.

The limits stop accidental floods at the source: a cell that prints too much gets an error, and one
that prints or displays too often goes on, with less of it shown. A submission can get around them,
so `autograder.grading.cell_client` counts the output that arrives. Without them a loop would print
faster than the grader can read, and queue gigabytes before the interrupt comes.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.session import Session
from traitlets import Integer, default

_FREQUENT = 1000  # flushes or displays of one cell, after which they count as frequent
_PAUSE_SECONDS = 0.1  # between frequent flushes


class OutputLimit(Exception):
    """A cell printed more than it may."""


def start_kernel(connection_file: str, output_bytes: int) -> IPKernelApp:
    """Return a kernel with its sockets bound, which runs nothing before its `start` is called.

    Parameters
    ----------
    connection_file : str
        The kernel's connection file.
    output_bytes : int
        Limit on the output of one cell, and on the size of a message.
    """
    sys.argv = ["kernel"]
    app = SandboxedKernelApp.instance(output_bytes=output_bytes)
    app.initialize(["-f", connection_file, "--HistoryManager.hist_file=:memory:"])
    return app


class LimitedSession(Session):
    """A session that replaces messages above `output_bytes` by an error, and drops many displays.

    A reply is replaced by a reply, since the client waits for it.
    """

    output_bytes = Integer()
    _displayed, _request = 0, ""

    @property
    def truncated(self) -> str:
        """The message of the error."""
        return f"output truncated: a cell may print {self.output_bytes / 2**20:g} MiB"

    def send(self, stream: Any, msg_or_type: Any, *args: Any, **kwargs: Any) -> Any:
        """Send a message, unless the cell has displayed too often."""
        if isinstance(msg_or_type, dict) and self._is_frequent(msg_or_type):
            return msg_or_type
        return super().send(stream, msg_or_type, *args, **kwargs)

    def _is_frequent(self, msg: dict[str, Any]) -> bool:
        """Count a display; tell whether the cell has displayed too often."""
        if msg["msg_type"] not in ("display_data", "update_display_data", "clear_output"):
            return False
        request = msg["parent_header"].get("msg_id", "")
        self._displayed = self._displayed + 1 if request == self._request else 1
        self._request = request
        return self._displayed > _FREQUENT

    def serialize(self, msg: dict[str, Any], ident: Any = None) -> list[bytes]:
        """Serialize a message, or an error in its place if it is too large."""
        parts = super().serialize(msg, ident)
        if max(map(len, parts)) <= self.output_bytes:
            return parts
        content: dict[str, Any] = {"ename": "OutputLimit", "evalue": self.truncated}
        content["traceback"] = [f"OutputLimit: {self.truncated}"]
        kind = "error"
        if msg["msg_type"].endswith("_reply"):
            kind, content["status"] = msg["msg_type"], "error"
        error = self.msg(kind, content, parent=msg["parent_header"])
        return super().serialize(error, ident)


class LimitedOutStream(OutStream):
    """A stream that makes `print` fail in a cell that has printed more than `output_bytes`.

    Frequent calls of `flush` are delayed, and those without anything to send do nothing: a kernel
    flushes both streams several times in each cell, and waits for another thread each time. The
    kernel sets `ends` for the last flush of a cell.
    """

    _printed, _flushes, _flushed = 0, 0, 0.0
    _is_waiting = False  # whether something was written after the last flush
    ends = False

    def write(self, string: str) -> int | None:  # type: ignore[override]  # as in ipykernel
        """Write text; raise an `OutputLimit` past the limit."""
        self._printed += len(string)
        if self._printed > self.session.output_bytes:
            raise OutputLimit(self.session.truncated)
        try:
            return super().write(string)
        finally:
            self._is_waiting = True

    def flush(self) -> None:
        """Flush the stream if something is waiting, but not too often."""
        if not self._is_waiting:
            return
        self._flushes += 1
        now = time.monotonic()
        if self.ends or self._flushes <= _FREQUENT or now - self._flushed > _PAUSE_SECONDS:
            self._flushed, self._is_waiting = now, False
            super().flush()

    def set_parent(self, parent: Any) -> None:  # a new cell
        """Reset the counts for a new cell."""
        self._printed = self._flushes = 0
        self.ends = False
        super().set_parent(parent)


class SandboxedKernel(IPythonKernel):
    """An `IPythonKernel` that tells its streams when a cell ends."""

    async def do_execute(self, *args: Any, **kwargs: Any) -> Any:
        """Run a cell, then mark its end on the streams."""
        streams: tuple[Any, ...] = sys.stdout, sys.stderr  # a `LimitedOutStream` each
        try:
            return await super().do_execute(*args, **kwargs)
        finally:
            for stream in streams:
                stream.ends = True


class SandboxedKernelApp(IPKernelApp):
    """An `IPKernelApp` with limited output."""

    output_bytes = Integer()

    @default("kernel_class")
    def _sandboxed_kernel(self) -> type[IPythonKernel]:
        return SandboxedKernel

    @default("outstream_class")
    def _limited_outstream(self) -> str:
        return f"{__name__}.LimitedOutStream"

    def _session_default(self) -> Session:
        return LimitedSession(parent=self, output_bytes=self.output_bytes)

    def init_iopub(self, context: Any) -> None:
        """Set up the output channel, which drops no output that is not read yet."""
        context.sndhwm = 0  # never drop output that the grader has not read yet
        super().init_iopub(context)
