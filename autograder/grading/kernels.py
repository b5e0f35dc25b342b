"""The kernels that submissions run in: sandboxed, or ordinary ones without a sandbox.

The sandbox's modules are imported only where they are used, since Windows cannot import them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jupyter_client.manager import AsyncKernelManager

from autograder.grading.limits import Limits

if TYPE_CHECKING:
    from autograder.grading.kernel_user import KernelRoom
    from autograder.sandbox.isolation import SandboxLimits


class UserKernelManager(AsyncKernelManager):
    """A manager of kernels without a sandbox, run by another user after `make_room`."""

    room: KernelRoom | None = None

    def make_room(self, user: str, parent: str) -> str:
        """Make the folders of a kernel that another user runs; return the path of its home.

        Raises
        ------
        MachineError
            No process can be run as that user.
        """
        from autograder.grading.kernel_user import KernelRoom

        self.room = KernelRoom(user, parent)
        self.connection_file = self.room.connection_file
        return self.room.home

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kw: Any) -> None:
        if self.room is not None:
            self.room.share_connection_file()
            entry = self.room.entry
            kw |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        await super()._async_launch_kernel(kernel_cmd, **kw)

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart=restart)
        room, self.room = self.room, None
        if room is not None:
            room.close()

    cleanup_resources = _async_cleanup_resources


def kernel_manager(limits: Limits) -> type[AsyncKernelManager]:
    """Return the class that starts kernels; a sandboxed one needs `sandbox_limits` before."""
    if not limits.sandbox:
        return UserKernelManager
    from autograder.sandbox.provisioner import SandboxedKernelManager

    return SandboxedKernelManager


def sandbox_limits(limits: Limits) -> SandboxLimits:
    """Return the limits that a sandbox enforces."""
    from autograder.sandbox.isolation import SandboxLimits

    return SandboxLimits(
        memory_bytes=limits.memory_bytes,
        disk_bytes=limits.disk_bytes,
        processes=limits.processes,
        cpu_seconds=2 * math.ceil(limits.notebook_seconds),
        # a little less than is counted outside, so that `print` itself fails first
        output_bytes=round(0.9 * limits.output_bytes),
        hidden=tuple(limits.hidden),
        visible=tuple(limits.visible),
    )
