"""The kernel provisioner, Jupyter's extension point for starting kernels, for a sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import signal
import uuid
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase

from autograder.sandbox import isolation
from autograder.sandbox.launch import start_server
from autograder.sandbox.messages import Connection

_START_SECONDS = 120
_POLL_SECONDS = 0.005


class SandboxedKernelManager(AsyncKernelManager):
    """A kernel manager that starts its kernel in a sandbox; `limits` must be set before."""

    limits: isolation.SandboxLimits

    async def _async_pre_start_kernel(self, **kwargs: Any) -> tuple[list[str], dict[str, Any]]:
        self.shutting_down = False
        self.kernel_id = self.kernel_id or uuid.uuid4().hex
        self.provisioner = SandboxProvisioner(
            kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
        )
        kwargs = await self.provisioner.pre_launch(**kwargs)
        return kwargs.pop("cmd"), kwargs

    pre_start_kernel = _async_pre_start_kernel

    @property
    def reason(self) -> str:
        """The reason why the supervisor killed the kernel, or ""."""
        return self.provisioner.reason if isinstance(self.provisioner, SandboxProvisioner) else ""

    @property
    def used(self) -> dict[str, Any]:
        """The kernel's ``cpu_seconds`` and ``memory_bytes``, known when it has ended."""
        return self.provisioner.used if isinstance(self.provisioner, SandboxProvisioner) else {}


class SandboxProvisioner(KernelProvisionerBase):
    """A provisioner that starts the kernel in a sandbox.

    The kernel manager's `ip` is the path prefix of the kernel's sockets. Their folder contains
    nothing else, and an empty folder `root` can be made beside it.
    """

    _connection: Connection | None = None
    _exit_code: int | None = None
    reason = ""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.used: dict[str, Any] = {}

    @property
    def has_process(self) -> bool:
        """True if there is a connection to a supervisor."""
        return self._connection is not None

    @property
    def _manager(self) -> SandboxedKernelManager:
        """The kernel manager."""
        assert isinstance(self.parent, SandboxedKernelManager)
        return self.parent

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Write the connection file."""
        self._manager.write_connection_file()
        self.connection_info = self._manager.get_connection_info()
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Ask the fork server for a sandbox with the kernel, and wait for its start."""
        sockets = Path(self._manager.ip).parent
        root = sockets.parent / "root"
        root.mkdir()
        inside: dict[str, Any] = dict(self.connection_info)
        inside["ip"] = f"{isolation.SOCKETS}/{Path(self._manager.ip).name}"
        inside["key"] = inside["key"].decode()
        environment = dict(kwargs["env"])
        read_only = [*isolation.python_paths(), *self._manager.limits.visible]
        for name in ("COURSEKIT_MIRROR", "COURSEKIT_CACHE"):
            if os.path.isdir(environment.get(name, "")):
                read_only.append(environment[name])
        for name in ("HOME", "IPYTHONDIR", "MPLCONFIGDIR"):
            environment[name] = isolation.HOME
        limits = self._manager.limits
        with contextlib.suppress(KeyError):  # a container's user may have no entry
            limits = replace(limits, hidden=(*limits.hidden, pwd.getpwuid(os.getuid()).pw_dir))
        self._connection = Connection.open(start_server())
        self._connection.send(
            root=str(root),
            sockets=str(sockets),
            read_only=read_only,
            limits=asdict(limits),
            connection=inside,
            env=environment,
        )
        try:
            first = await asyncio.wait_for(self._receive(), _START_SECONDS)
        except asyncio.TimeoutError:
            raise RuntimeError(f"no answer within {_START_SECONDS} seconds") from None
        if "failed" in first or "ended" in first:
            raise RuntimeError(first.get("failed") or "it exited immediately")
        return self.connection_info

    async def _receive(self) -> dict[str, Any]:
        """Wait for the supervisor's next message."""
        while (message := self._poll()) is None:
            await asyncio.sleep(_POLL_SECONDS)
        return message

    def _poll(self) -> dict[str, Any] | None:
        """Return the supervisor's next message, or None if there is none yet."""
        if self._connection is not None:
            with contextlib.suppress(EOFError):
                return self._connection.poll()
        return {"ended": -9}

    async def poll(self) -> int | None:
        """Return the kernel's exit code; None while it runs."""
        if self._exit_code is None:
            message = self._poll()
            if message is not None and "ended" in message:
                self._exit_code = message["ended"]
                self.reason = message.get("reason", "")
                kept = ("cpu_seconds", "memory_bytes")
                self.used = {name: message[name] for name in kept if name in message}
        return self._exit_code

    async def wait(self) -> int | None:
        """Wait for the kernel's end; return its exit code."""
        while await self.poll() is None:
            await asyncio.sleep(_POLL_SECONDS)
        await self.cleanup()
        return self._exit_code

    async def send_signal(self, signum: int) -> None:
        """Send a signal to the kernel, if it still runs."""
        if self._connection is not None and self._exit_code is None:
            with contextlib.suppress(OSError):
                self._connection.send(signal=int(signum))

    async def kill(self, restart: bool = False) -> None:
        """Kill the kernel."""
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        """Kill the kernel."""
        await self.send_signal(signal.SIGKILL)

    async def cleanup(self, restart: bool = False) -> None:
        """Close the connection to the supervisor, which ends the sandbox."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
