"""Checks that this machine can sandbox submissions, made by entering a sandbox and probing it.

Run as a program (`python -m autograder.sandbox.doctor FOLDER`), this module is the process that
enters.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_SETTINGS = {
    "user/max_user_namespaces": ("0", "sudo sysctl user.max_user_namespaces=15000"),
    "kernel/unprivileged_userns_clone": ("0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    what : str
        The property that was checked.
    works : bool
        Whether it holds.
    problem : str
        The error message, or "".
    remedy : str
        The way to fix it, or "" if it works.
    """

    what: str
    works: bool
    problem: str = ""
    remedy: str = ""


@lru_cache(maxsize=1)
def examine() -> tuple[Finding, ...]:
    """Enter a sandbox, probe it, and return the results in order, up to the first failed step."""
    if platform.system() != "Linux":
        remedy = "grade on Linux, for example in a virtual machine or WSL 2"
        return (Finding("Linux", False, f"this is {platform.system()}", remedy),)
    folder = tempfile.mkdtemp(prefix="doctor-")
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__, folder], capture_output=True, text=True, timeout=60
        )
        found = [json.loads(line) for line in done.stdout.splitlines()]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        found = [["a sandbox", False, str(error)]]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not found:
        found = [["a sandbox", False, done.stderr.strip().splitlines()[-1] if done.stderr else ""]]
    return tuple(
        Finding(what, works, problem, "" if works else _remedy()) for what, works, problem in found
    )


def missing() -> str:
    """Return the first check that fails, or "" if submissions can be sandboxed here."""
    return next((f"failed check: {f.what}" for f in examine() if not f.works), "")


def is_available() -> bool:
    """Tell whether submissions can be sandboxed on this machine."""
    return not missing()


def _remedy() -> str:
    """Return the most likely way to make sandboxes work on this machine."""
    for name, (forbids, command) in _SETTINGS.items():
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == forbids:
                return command
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "start the container with --security-opt seccomp=unconfined"
            " --security-opt systempaths=unconfined"
        )
    return "ask the administrator for unprivileged user namespaces, or grade on another machine"


def _report(what: str, works: bool, problem: str = "") -> None:
    """Print a result as JSON."""
    print(json.dumps([what, works, problem]), flush=True)


def _probe(folder: str) -> None:
    """Enter a sandbox step by step and probe it from inside; stop at the first step that fails."""
    from autograder.sandbox import isolation

    sockets, root = f"{folder}/sockets", f"{folder}/root"
    for path in (sockets, root):
        os.mkdir(path)
    host_home = os.environ.get("HOME", "/root")
    limits = isolation.SandboxLimits(
        memory_bytes=2**30,
        disk_bytes=2**24,
        processes=128,
        cpu_seconds=60,
        output_bytes=2**20,
        hidden=(host_home,),
    )
    step = "separate namespaces (users, processes, network, mounts)"
    try:
        isolation.give_ownership(sockets)
        isolation.unshare_namespaces()
        _report(step, True)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        step = "a read-only file system with a small private home folder"
        isolation.enter_sandbox(root, sockets, isolation.python_paths(), limits)
        _report(step, True)
        step = "resource limits, dropped privileges and a system call filter"
        isolation.restrict(limits)
        _report(step, True)
    except OSError as error:
        _report(step, False, str(error))
        return
    _report("memory and processor use are counted by the supervisor (cgroups are not needed)", True)
    _report("the host's processes are hidden", os.listdir("/proc").count("1") == os.getpid())
    interfaces = set(os.listdir("/sys/class/net") if os.path.isdir("/sys/class/net") else [])
    _report("the network is blocked", interfaces <= {"lo"} and not _has_route())
    mounted = [p for p in isolation.python_paths() if p.startswith(f"{host_home}/")]
    hidden = not os.path.isdir(host_home) or bool(mounted) or not os.listdir(host_home)
    _report("the home folder is hidden", hidden, "" if hidden else f"{host_home} is visible")


def _has_route() -> bool:
    """Tell whether a datagram to an address outside would find a route."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return any_socket.connect_ex(("192.0.2.1", 9)) == 0


if __name__ == "__main__":
    _probe(sys.argv[1])
