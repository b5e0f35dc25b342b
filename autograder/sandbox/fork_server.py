"""The fork server: a program that imports what notebooks need, then forks a process per request.

`autograder.sandbox.launch` starts it. It listens on a Unix socket, one connection per request:

- a request with ``run``, a function's name such as ``package.module:function``, gets a process that
  calls it with the connection and the request;
- any other gets the supervisor of a new sandbox (`autograder.sandbox.supervisor.supervise`).

Both end when their connection is closed, and when this process ends.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import NoReturn

from autograder.sandbox import linux
from autograder.sandbox.launch import use_server
from autograder.sandbox.messages import Connection
from autograder.sandbox.supervisor import supervise

#: Modules that every kernel needs. A course names those that its notebooks need besides (`imports`
#: in its configuration).
_IMPORTED = (
    *("numpy", "tqdm.auto", "sqlite3", "tornado.platform.asyncio", "encodings.latin_1"),
    *("IPython.core.interactiveshell", "IPython.core.completerlib", "IPython.core.debugger"),
    *("IPython.core.oinspect", "IPython.extensions.storemagic"),
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.debugger"),
    *("coursekit.checking.kernel_side", "coursekit.checking.kernel_setup"),
    "coursekit.checking.check",
)


def main(address: str, *imported: str) -> None:
    """Serve until standard input is closed, that is, until the grader has ended.

    Parameters
    ----------
    address : str
        The Unix socket to create. Its folder belongs to this server and is deleted with it.
    imported : str
        Import statements to run besides, which may fail: then the cell that needs it says so.
    """
    try:
        _serve(address, imported)
    except BrokenPipeError:
        pass  # the grader ended before this was ready
    finally:
        _delete(Path(address).parent)


def _delete(folder: Path) -> None:
    """Delete a folder in which a process that has just been killed may still be making files."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)


def _serve(address: str, imported: tuple[str, ...]) -> None:
    """Import the modules, then fork a process for each connection."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the grader
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.umask(0o022)  # of the sandbox's folders; the grader may just be creating private files
    for name in _IMPORTED:
        __import__(name)
    for statement in imported:
        with contextlib.suppress(Exception):
            exec(statement, {})
    import nbformat

    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)
        torch.optim.SGD([torch.zeros(1)], lr=0.1)  # the first one imports a lot: seconds, once
    nbformat.validate(nbformat.v4.new_notebook())  # compiles the schema, once
    gc.collect()
    gc.freeze()  # pages that the collector never touches stay shared with the children
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    print("ready", flush=True)
    children: set[int] = set()
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [], 1.0)
        for child in list(children):
            if os.waitpid(child, os.WNOHANG)[0]:
                children.discard(child)
        if sys.stdin in readable:
            for child in children:
                os.kill(child, signal.SIGKILL)  # not reaped yet, so the number is still its own
            return
        if listener in readable:
            connected, _ = listener.accept()
            child = os.fork()
            if child == 0:
                listener.close()
                _answer(Connection(connected), address)
            connected.close()
            children.add(child)


def _answer(connection: Connection, address: str) -> NoReturn:
    """Handle a request, in the process forked for it."""
    try:
        linux.die_with_parent()
        os.setsid()
        request = connection.receive()
        if "run" in request:
            use_server(address)
            pkgutil.resolve_name(request["run"])(connection, request)
            os._exit(0)
        supervise(connection, request)
    finally:
        os._exit(1)


if __name__ == "__main__":
    time.tzset()
    main(*sys.argv[1:])
