"""The IPython kernel of a sandbox: as installed, with an upper limit for its output.

The limit stops accidental floods at the source. A submission can get around it; that is why
`autograder.grading.run` counts the output that arrives. Without it a loop would print faster than
the grader can read, and queue gigabytes before the interrupt comes.
"""

from __future__ import annotations

import sys
from typing import Any

import zmq
from ipykernel.iostream import OutStream
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.session import Session
from traitlets import Integer, default


class OutputLimit(Exception):
    """A cell printed more than it may."""


def start_kernel(connection_file: str, output_bytes: int) -> IPKernelApp:
    """Return a kernel with its sockets bound. It runs nothing before its `start` is called.

    Parameters
    ----------
    connection_file : the kernel's connection file.
    output_bytes : what one cell may print, and the size of the largest message.
    """
    sys.argv = ["kernel"]
    app = SandboxedKernelApp.instance(output_bytes=output_bytes)
    app.initialize(["-f", connection_file, "--HistoryManager.hist_file=:memory:"])
    return app


class LimitedSession(Session):
    """Replaces a message with parts above `output_bytes` by an error."""

    output_bytes = Integer()

    @property
    def truncated(self) -> str:
        return f"output truncated: a cell may print {self.output_bytes / 2**20:g} MiB"

    def serialize(self, msg: dict[str, Any], ident: Any = None) -> list[bytes]:
        parts = super().serialize(msg, ident)
        if max(map(len, parts)) <= self.output_bytes:
            return parts
        content = {"ename": "OutputLimit", "evalue": self.truncated}
        content["traceback"] = [f"OutputLimit: {self.truncated}"]
        error = self.msg("error", content, parent=msg["parent_header"])
        return super().serialize(error, ident)


class LimitedOutStream(OutStream):
    """Lets `print` fail in a cell that has printed more than the session's `output_bytes`."""

    _printed = 0

    def write(self, string: str) -> int | None:
        self._printed += len(string)
        if self._printed > self.session.output_bytes:
            raise OutputLimit(self.session.truncated)
        return super().write(string)

    def set_parent(self, parent: Any) -> None:  # a new cell
        self._printed = 0
        super().set_parent(parent)


class SandboxedKernelApp(IPKernelApp):
    """An `IPKernelApp` with limited output."""

    output_bytes = Integer()

    @default("outstream_class")
    def _limited_outstream(self) -> str:
        return f"{__name__}.LimitedOutStream"

    def _session_default(self) -> Session:
        return LimitedSession(parent=self, output_bytes=self.output_bytes)

    def init_iopub(self, context: Any) -> None:
        context.setsockopt(zmq.SNDHWM, 0)  # never drop output that the grader has not read yet
        super().init_iopub(context)
