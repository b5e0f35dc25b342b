"""Which isolation this machine offers: closes a box for real and looks around in it.

Run as a program (`python -m autograder.sandbox.doctor`) it is the one that goes into the box.
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
    """One thing that a sandbox needs: whether it is there, what is wrong, and how to get it."""

    what: str
    works: bool
    problem: str = ""
    remedy: str = ""


@lru_cache(maxsize=1)
def examine() -> tuple[Finding, ...]:
    """Close a box and look around in it."""
    if platform.system() != "Linux":
        remedy = "grade on Linux: a virtual machine or WSL 2 will do"
        return (Finding("Linux", False, f"this is {platform.system()}", remedy),)
    folder = tempfile.mkdtemp(prefix="doctor-")
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__, folder], capture_output=True, text=True, timeout=60
        )
        found = [json.loads(line) for line in done.stdout.splitlines()]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        found = [["a box", False, str(error)]]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not found:
        found = [["a box", False, done.stderr.strip().splitlines()[-1] if done.stderr else ""]]
    return tuple(
        Finding(what, works, problem, "" if works else _remedy()) for what, works, problem in found
    )


def missing() -> str:
    """The first thing that a box needs and is not there; "" if submissions can be boxed here."""
    return next((finding.what for finding in examine() if not finding.works), "")


def is_available() -> bool:
    """Whether submissions can be boxed here."""
    return not missing()


def _remedy() -> str:
    for name, (closed, command) in _SETTINGS.items():
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == closed:
                return command
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "start the container with --security-opt seccomp=unconfined"
            " --security-opt systempaths=unconfined"
        )
    return "ask who runs this machine for unprivileged user namespaces, or grade on another one"


def _say(what: str, works: bool, problem: str = "") -> None:
    print(json.dumps([what, works, problem]), flush=True)


def _look(folder: str) -> None:
    """Close a box step by step, then look around; stop at the first step that fails."""
    from autograder.sandbox import isolation

    sockets, root = f"{folder}/sockets", f"{folder}/root"
    for path in (sockets, root):
        os.mkdir(path)
    outside = os.environ.get("HOME", "/root")
    step = "namespaces of its own (users, processes, network, files)"
    try:
        isolation.lend(sockets)
        isolation.leave_namespaces()
        _say(step, True)
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        step = "a file system of its own, read-only but for a small home"
        bounds = isolation.Bounds()
        isolation.close_box(root, sockets, isolation.python_paths(), bounds)
        _say(step, True)
        step = "limits, no privileges, a filter for system calls"
        isolation.limit(bounds)
        _say(step, True)
    except OSError as error:
        _say(step, False, str(error))
        return
    _say("the host's processes are out of sight", os.listdir("/proc").count("1") == os.getpid())
    others = set(os.listdir("/sys/class/net") if os.path.isdir("/sys/class/net") else [])
    _say("the network is out of reach", not (others - {"lo"}) and not _reaches())
    shown = [p for p in isolation.python_paths() if p.startswith(f"{outside}/")]
    hidden = not os.path.isdir(outside) or bool(shown)
    _say("the home folder is out of sight", hidden, "" if hidden else f"{outside} can be seen")


def _reaches() -> bool:
    """Whether a datagram to an address outside would find a route."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return any_socket.connect_ex(("192.0.2.1", 9)) == 0


if __name__ == "__main__":
    _look(sys.argv[1])
