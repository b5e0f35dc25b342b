"""Forks kernels: a process that has imported what notebooks need, and starts boxes on request.

It knows nothing of the course but the package `coursekit`. One request per connection on a Unix
socket, in a line of JSON: for a box, or for a reader, which runs a notebook in a box and reads what
comes out (`autograder.grading.isolated_run` says what it answers). A box's connection lives as long as the box;
after the request come lines such as ``{"signal": 2}``, any number of times; back come ``{"started": true}`` or ``{"failed": "..."}``, and
``{"ended": code, "reason": "...", "cpu_seconds": 1.5, "memory_bytes": 400000000}``. When the
connection breaks, the box is killed.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import zmq

from autograder.grading.isolated_run import read
from autograder.sandbox import isolation, linux
from autograder.sandbox.provisioner import use_server

_IMPORTED = (
    *("numpy", "torch", "torch.nn", "torch.utils.data", "matplotlib.pyplot", "seaborn"),
    *("sklearn.linear_model", "sklearn.naive_bayes", "sklearn.metrics", "scipy.stats", "tqdm.auto"),
    *("IPython.core.interactiveshell", "ipykernel.kernelapp", "ipykernel.ipkernel"),
    *("IPython.core.completerlib", "IPython.core.debugger", "IPython.extensions.storemagic"),
    "IPython.core.oinspect",
    *("ipykernel.debugger", "sqlite3", "tornado.platform.asyncio", "encodings.latin_1"),
    *(
        "matplotlib_inline.backend_inline",
        "coursekit.checking.kernel_side",
        "coursekit.checking.check",
    ),
    *("coursekit.data", "coursekit.text", "coursekit.training", "coursekit.evaluation"),
    *("coursekit.figures", "coursekit.vectors", "coursekit.sparse", "sympy"),
    *("coursekit.pretrained", "safetensors.torch", "tokenizers"),
)
_LOOK_EVERY = 0.2  # seconds


def main(path: str, *imported: str) -> None:
    """Serve on the Unix socket `path` until standard input closes (the grader has ended).

    The socket's folder is for this server and the runs of its boxes alone; it goes with it.
    """
    try:
        _serve_all(path, imported)
    except BrokenPipeError:
        pass  # the grader has ended before this was ready
    finally:
        shutil.rmtree(Path(path).parent, ignore_errors=True)


def _serve_all(path: str, imported: tuple[str, ...]) -> None:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the grader
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # half of a kernel's start otherwise
    for name in (*_IMPORTED, *imported):
        __import__(name)
    import nbformat
    import torch

    torch.set_num_threads(1)
    nbformat.validate(nbformat.v4.new_notebook())  # it compiles the schema, once
    gc.collect()
    gc.freeze()  # pages that the collector never touches stay shared with the boxes
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    children: set[int] = set()
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [], 1.0)
        for child in list(children):
            if os.waitpid(child, os.WNOHANG)[0]:
                children.discard(child)
        if sys.stdin in readable:  # the boxes end with this process
            return
        if listener in readable:
            connection, _ = listener.accept()
            child = os.fork()
            if child == 0:
                listener.close()
                _serve(connection, path)
            connection.close()
            children.add(child)


def _serve(connection: socket.socket, path: str) -> NoReturn:
    """Do what a request asks for, in a process forked for it."""
    try:
        linux.die_with_parent()
        os.setsid()
        with connection.makefile("r", encoding="utf-8") as lines:
            request = json.loads(lines.readline())
        if "notebook" in request:
            use_server(path)
            read(connection, request)
            os._exit(0)
        _keep(connection, request)
    finally:
        os._exit(1)


def _keep(connection: socket.socket, request: dict[str, Any]) -> NoReturn:
    """The keeper of one box: starts it, passes on signals, watches its memory, reports its end."""
    code = 1
    try:
        bounds = isolation.Bounds(**request["bounds"])
        ready, report = os.pipe()
        isolation.lend(request["sockets"])
        isolation.leave_namespaces()
        linux.die_with_parent()  # new privileges have made the kernel forget it
        inside = os.fork()
        if inside == 0:
            os.close(ready)
            _enter(request, bounds, report, connection)
        os.close(report)
        failed = os.read(ready, 4096).decode()  # "" when the pipe was closed: its sockets are there
        if not failed:
            linux.make_read_only(
                isolation.SOCKETS
            )  # it is a folder of the host: no place for files
        _send(connection, {"failed": failed} if failed else {"started": True})
        code, reason = _watch(connection, inside, bounds)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        usage = {
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "memory_bytes": 1024 * used.ru_maxrss,
        }
        _send(connection, {"ended": code, "reason": reason, **usage})
    except BaseException as error:
        _send(connection, {"failed": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(code if 0 <= code < 256 else 1)


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")


def _enter(
    request: dict[str, Any], bounds: isolation.Bounds, report: int, connection: socket.socket
) -> NoReturn:
    """The first process in the box: closes it behind itself and becomes the kernel."""
    try:
        linux.die_with_parent()
        os.setsid()  # its signals to "the whole group" stay inside
        isolation.close_box(request["root"], request["sockets"], request["read_only"], bounds)
        connection_file = Path("/run/kernel.json")
        connection_file.write_text(json.dumps(request["connection"]))
        connection.close()
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.closerange(3, report)
        os.closerange(report + 1, 1024)
        os.environ.clear()
        os.environ.update(request["env"])
        sys.path[:] = [p for p in sys.path if os.path.isdir(p)]
        for name in [n for n in sys.modules if n.partition(".")[0] == "autograder"]:
            del sys.modules[name]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        isolation.limit(bounds)
        _limit_output(request["output_bytes"])
        kernel = _kernel(str(connection_file))
    except BaseException as error:
        os.write(report, f"{type(error).__name__}: {error}".encode()[:4000] or b"unknown")
        os._exit(1)
    os.close(report)
    code = 1
    try:
        kernel.start()
        code = 0
    finally:
        os._exit(code)


class OutputLimit(Exception):
    """A cell printed more than it may."""


def _limit_output(allowed: int) -> None:
    """Have `print` fail in a cell that has printed `allowed` bytes, and send no larger message.

    A courtesy to floods by accident: the grader outside counts what arrives, but a loop prints
    faster than anyone can read, and a queue of gigabytes would have to be emptied first.
    """
    from ipykernel.iostream import OutStream
    from jupyter_client.session import Session

    cut = f"the output was cut: a cell may print {allowed / 2**20:g} MiB"
    serialize = Session.serialize

    def serialize_small(self: Any, message: dict[str, Any], *more: Any) -> list[bytes]:
        parts = serialize(self, message, *more)
        if max(map(len, parts)) <= allowed:
            return parts
        content = {"ename": "OutputLimit", "evalue": cut, "traceback": [f"OutputLimit: {cut}"]}
        error = self.msg("error", content, parent=message["parent_header"])
        return serialize(self, error, *more)

    Session.serialize = serialize_small

    write, set_parent = OutStream.write, OutStream.set_parent
    printed: dict[int, int] = {}

    def counted_write(self: Any, string: str) -> int | None:
        printed[id(self)] = printed.get(id(self), 0) + len(string)
        if printed[id(self)] > allowed:
            raise OutputLimit(cut)
        return write(self, string)

    def set_parent_anew(self: Any, parent: Any) -> Any:
        printed.pop(id(self), None)
        return set_parent(self, parent)

    OutStream.write, OutStream.set_parent = counted_write, set_parent_anew


def _kernel(connection_file: str) -> Any:
    """The kernel with its sockets bound; nothing runs in it before it is started."""
    from ipykernel.kernelapp import IPKernelApp

    class Kernel(IPKernelApp):
        def init_iopub(self, context: Any) -> None:
            context.setsockopt(zmq.SNDHWM, 0)  # what the grader has not read yet is not lost
            super().init_iopub(context)

    sys.argv = ["kernel"]
    kernel = Kernel.instance()
    kernel.initialize(["-f", connection_file, "--HistoryManager.hist_file=:memory:"])
    return kernel


def _watch(connection: socket.socket, inside: int, bounds: isolation.Bounds) -> tuple[int, str]:
    """Wait for the end of the box's first process; (its status, the reason if it was killed)."""
    handle = os.pidfd_open(inside)
    before = _memory()
    reason = ""
    rest = b""
    while True:
        readable, _, _ = select.select([handle, connection], [], [], _LOOK_EVERY)
        if handle in readable:
            _, status = os.waitpid(inside, 0)
            return os.waitstatus_to_exitcode(status), reason
        if connection in readable:
            received = connection.recv(4096)
            if not received:
                os.kill(inside, signal.SIGKILL)
                os.waitpid(inside, 0)
                return -9, "the grader let go of it"
            *lines, rest = (rest + received).split(b"\n")
            for line in lines:
                os.kill(inside, json.loads(line)["signal"])
        elif not reason and _above(bounds.memory_bytes, before):
            reason = f"it used more than {bounds.memory_bytes / 2**30:g} GiB of memory"
            os.kill(inside, signal.SIGKILL)


def _above(allowed: int, before: int) -> bool:
    return _memory() - before > allowed and _memory(shared=False) > allowed


def _memory(shared: bool = True) -> int:
    """Bytes in memory of all processes in the box, whose /proc shows no others.

    With `shared`, pages that several processes share count for each: quick, and never too low.
    """
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            if shared:
                pages = int((entry / "statm").read_text().split()[1])
                total += pages * os.sysconf("SC_PAGE_SIZE")
            else:
                rollup = (entry / "smaps_rollup").read_text()
                total += 1024 * int(rollup.partition("Pss:")[2].split()[0])
    return total


if __name__ == "__main__":
    time.tzset()
    main(*sys.argv[1:])
