"""The start and stop of this process's fork server."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import autograder
from autograder.errors import CourseError
from autograder.sandbox.scratch import delete_scratch, make_scratch

#: Limit on the folder's path: a Unix socket's has at most 107 bytes, and two folders of 11
#: characters are made in this one.
_MAX_FOLDER_BYTES = 79


class _Server:
    """A running fork server; it ends when this process does."""

    def __init__(self, imported: tuple[str, ...]) -> None:
        self.owner = os.getpid()
        self.folder = make_socket_folder()
        self.address = f"{self.folder}/server"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder.sandbox.fork_server", self.address, *imported],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=server_environment(self.folder),
            start_new_session=True,
        )
        atexit.register(self.stop)
        assert self.process.stdout is not None  # it is a pipe
        if self.process.stdout.readline() != b"ready\n":
            errors = self.process.communicate()[1].decode(errors="replace").strip().splitlines()
            raise CourseError(f"the fork server did not start: {errors[-1] if errors else ''}")

    def stop(self) -> None:
        """End the server and all its sandboxes. Does nothing in a forked child of the owner."""
        if os.getpid() != self.owner:
            return
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        delete_scratch(self.folder)
        atexit.unregister(self.stop)


_server: _Server | None = None
_parent_server: str | None = None  # in a process forked by a fork server: that server's address
_lock = threading.Lock()


def make_socket_folder() -> str:
    """Make a temporary folder whose path is short enough for the sockets in it."""
    folder = make_scratch()
    if len(os.fsencode(folder)) > _MAX_FOLDER_BYTES:
        delete_scratch(folder)
        folder = make_scratch("/tmp")
    return folder


def server_environment(folder: str) -> dict[str, str]:
    """Return the fork server's environment variables: few, so that no secret reaches it.

    Parameters
    ----------
    folder : str
        The server's home folder.
    """
    kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "TZ", "ATEN_CPU_CAPABILITY")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= dict.fromkeys(("HOME", "MPLCONFIGDIR", "IPYTHONDIR"), folder)
    # the checkout that runs now, which need not be the installed one
    environment["PYTHONPATH"] = str(Path(autograder.__file__).resolve().parent.parent)
    environment |= {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    environment["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    return environment


def start_server(*imported: str) -> str:
    """Start this process's fork server unless it runs already, and return its address.

    Parameters
    ----------
    imported : str
        Import statements to run in the server besides its own.

    Raises
    ------
    CourseError
        The server did not start; the message has the last line of its errors.
    """
    global _server
    if _parent_server is not None:
        return _parent_server
    with _lock:
        if _server is None or _server.owner != os.getpid() or _server.process.poll() is not None:
            _server = _Server(imported)
        return _server.address


def start_server_in_background(*imported: str) -> None:
    """Start the fork server in a thread, as its imports take seconds.

    `start_server` waits for it.
    """

    def start() -> None:
        with contextlib.suppress(Exception):  # `start_server` raises it again
            start_server(*imported)

    threading.Thread(target=start, daemon=True).start()


def has_server() -> bool:
    """Tell whether a fork server was started and not stopped, even if it has died since."""
    with _lock:
        return _server is not None


def use_server(address: str) -> None:
    """Use the fork server at `address`; called in a process that it forked."""
    global _parent_server
    _parent_server = address


def stop_server() -> None:
    """Stop this process's fork server and all its sandboxes."""
    global _server
    with _lock:
        if _server is not None:
            _server.stop()
            _server = None
