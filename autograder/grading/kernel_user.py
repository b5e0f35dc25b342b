"""Runs a kernel without a sandbox as another system user, where the grader is root.

That is what containers without user namespaces allow, such as Gradescope's: the submission can read
and change only what that user can.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from traitlets import Unicode

#: The user that runs submissions in Gradescope's containers.
USER = "submission"


class UserKernelManager(AsyncKernelManager):
    """Starts the kernel as `user`; as the grader's own user if that is ""."""

    user = Unicode("", help="the system user that runs the kernel")

    async def _async_launch_kernel(self, kernel_cmd: list[str], **kw: Any) -> None:
        if self.user:
            import pwd

            entry = pwd.getpwnam(self.user)
            for path in _own(Path(self.connection_file).parent):
                os.chown(path, entry.pw_uid, entry.pw_gid)
            kw |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        await super()._async_launch_kernel(kernel_cmd, **kw)


def _own(folder: Path) -> list[Path]:
    """The kernel's folder with all in it, and the two around it, the outer of which is its home."""
    return [folder.parent.parent, folder.parent, folder, *folder.rglob("*")]
