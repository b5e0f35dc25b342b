"""How Jupyter starts a kernel in a box: a kernel provisioner that asks the server for one."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jupyter_client import AsyncKernelManager
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerBase

from autograder.errors import CourseError
from autograder.sandbox import isolation
from coursekit.data import load

_START_SECONDS = 120
#: Bytes of a folder in which a socket's name, 107 at the most, still has room for the rest.
_LONGEST = 85


class BoxManager(AsyncKernelManager):
    """A kernel manager whose kernels live in boxes."""

    bounds = isolation.Bounds()
    output_bytes = 10 * 2**20

    async def _async_pre_start_kernel(self, **kwargs: Any) -> tuple[list[str], dict[str, Any]]:
        self.shutting_down = False
        self.kernel_id = self.kernel_id or uuid.uuid4().hex
        self.provisioner = BoxProvisioner(
            kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
        )
        kwargs = await self.provisioner.pre_launch(**kwargs)
        return kwargs.pop("cmd"), kwargs

    pre_start_kernel = _async_pre_start_kernel

    @property
    def reason(self) -> str:
        """Why the kernel was killed by its keeper, or ""."""
        return self.provisioner.reason if self.provisioner else ""

    @property
    def used(self) -> dict[str, Any]:
        """Processor time and memory of a kernel that has ended, as its keeper saw them."""
        return self.provisioner.used if self.provisioner else {}


class _Server:
    """The process that forks boxes for this one; it ends when this one does."""

    def __init__(self, imported: tuple[str, ...]) -> None:
        self.owner = os.getpid()
        self.folder = tempfile.mkdtemp(prefix="kernels-")
        if len(os.fsencode(self.folder)) > _LONGEST:
            os.rmdir(self.folder)
            self.folder = tempfile.mkdtemp(prefix="kernels-", dir="/tmp")
        self.address = f"{self.folder}/server"
        kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "TZ")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= dict.fromkeys(("HOME", "MPLCONFIGDIR", "IPYTHONDIR"), self.folder)
        environment |= {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        environment["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder.sandbox.fork_server", self.address, *imported],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=environment,
            start_new_session=True,
        )
        atexit.register(self.stop)
        load("almanac")  # a box can read the cache, but not fill it
        if self.process.stdout.readline() != b"ready\n":  # type: ignore[union-attr]
            said = self.process.communicate()[1].decode(errors="replace").strip().splitlines()
            raise CourseError(f"the server of boxes did not start: {said[-1] if said else ''}")

    def stop(self) -> None:
        """End the server and every box; a forked child of the owner leaves it alone."""
        if os.getpid() != self.owner:
            return
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.close()  # type: ignore[union-attr]
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.stop)


_server: _Server | None = None
_given: str | None = None
_starting = threading.Lock()


def start_server(*imported: str) -> str:
    """Start this process's server of boxes, if there is none; its address.

    Parameters
    ----------
    imported : modules that its kernels have imported when they start, beside those of every server.

    Raises
    ------
    CourseError
        It did not start; its last words are in the sentence.
    """
    global _server
    if _given is not None:
        return _given
    with _starting:
        if _server is None or _server.owner != os.getpid() or _server.process.poll() is not None:
            _server = _Server(imported)
        return _server.address


def has_server() -> bool:
    """Whether there is a server, alive or not, that nobody has stopped."""
    with _starting:
        return _server is not None


def use_server(address: str) -> None:
    """Have this process, which a server forked, ask that server for boxes."""
    global _given
    _given = address


def start_server_in_background(*imported: str) -> None:
    """Begin to start the server: its imports take seconds. `start_server` waits, or says what failed."""

    def start() -> None:
        with contextlib.suppress(Exception):
            start_server(*imported)

    threading.Thread(target=start, daemon=True).start()


def stop_server() -> None:
    """End this process's server of boxes, and all boxes with it."""
    global _server
    with _starting:
        if _server is not None:
            _server.stop()
            _server = None


class BoxProvisioner(KernelProvisionerBase):
    """Starts the kernel in a box.

    The kernel manager's `ip` is the path prefix of its sockets, in a folder `sockets` beside
    which an empty folder `root` can be made.
    """

    _connection: socket.socket | None = None
    _ended: int | None = None
    reason = ""
    _rest = b""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.used: dict[str, Any] = {}

    @property
    def has_process(self) -> bool:
        return self._connection is not None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        manager = self.parent
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        sockets = Path(self.parent.ip).parent
        root = sockets.parent / "root"
        root.mkdir()
        inside = dict(self.connection_info)
        inside["ip"] = f"{isolation.SOCKETS}/{Path(self.parent.ip).name}"
        inside["key"] = inside["key"].decode()
        environment = dict(kwargs["env"])
        read_only = isolation.python_paths()
        for name in ("COURSEKIT_MIRROR", "COURSEKIT_CACHE"):
            if os.path.isdir(environment.get(name, "")):
                read_only.append(environment[name])
        for name in ("HOME", "IPYTHONDIR", "MPLCONFIGDIR"):
            environment[name] = isolation.HOME
        request = {
            "root": str(root),
            "sockets": str(sockets),
            "read_only": read_only,
            "bounds": asdict(self.parent.bounds),
            "output_bytes": self.parent.output_bytes,
            "connection": inside,
            "env": environment,
        }
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(start_server())
        self._connection.sendall(json.dumps(request).encode() + b"\n")
        self._connection.setblocking(False)
        try:
            first = await asyncio.wait_for(self._next(), _START_SECONDS)
        except asyncio.TimeoutError:
            raise RuntimeError(f"no sign of life within {_START_SECONDS} seconds") from None
        if "failed" in first or "ended" in first:
            raise RuntimeError(first.get("failed") or "it ended at once")
        return self.connection_info

    async def _next(self) -> dict[str, Any]:
        while True:
            message = self._read()
            if message is not None:
                return message
            await asyncio.sleep(0.005)

    def _read(self) -> dict[str, Any] | None:
        """The next message, or None if there is none yet."""
        if self._connection is None:
            return {"ended": -9}
        if b"\n" not in self._rest:
            try:
                received = self._connection.recv(65536)
            except BlockingIOError:
                return None
            except OSError:
                received = b""
            if not received:
                return {"ended": -9, "reason": ""}
            self._rest += received
            if b"\n" not in self._rest:
                return None
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    async def poll(self) -> int | None:
        if self._ended is None:
            message = self._read()
            if message is not None and "ended" in message:
                self._ended = message["ended"]
                self.reason = message.get("reason", "")
                kept = ("cpu_seconds", "memory_bytes")
                self.used = {name: message[name] for name in kept if name in message}
        return self._ended

    async def wait(self) -> int | None:
        while await self.poll() is None:
            await asyncio.sleep(0.005)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return self._ended

    async def send_signal(self, signum: int) -> None:
        if self._connection is not None and self._ended is None:
            with contextlib.suppress(OSError):
                self._connection.sendall(json.dumps({"signal": int(signum)}).encode() + b"\n")

    async def kill(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def cleanup(self, restart: bool = False) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
