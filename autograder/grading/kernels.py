"""The kernels that submissions run in: sandboxed, or ordinary ones without a sandbox.

What a sandbox needs is imported only where it is used, since Windows cannot import it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from autograder.grading.kernel_user import UserKernelManager
from autograder.grading.limits import Limits

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager

    from autograder.sandbox.isolation import SandboxLimits


def kernel_manager(limits: Limits) -> type[AsyncKernelManager]:
    """The class that starts kernels; a sandboxed one needs `sandbox_limits` before."""
    if not limits.sandbox:
        return UserKernelManager
    from autograder.sandbox.provisioner import SandboxedKernelManager

    return SandboxedKernelManager


def sandbox_limits(limits: Limits) -> SandboxLimits:
    """What a sandbox enforces of a submission's limits."""
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
