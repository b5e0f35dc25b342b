"""Linux system calls that Python does not offer: namespaces, mounts and privileges."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_NEWCGROUP = 0x02000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MNT_DETACH, _AT_RECURSIVE, _AT_FDCWD = 2, 0x8000, -100
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38

_MOUNT_SETATTR = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


def check(result: int, call: str) -> None:
    """Raise an `OSError` if a C function has returned a negative result."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def prctl(option: int, *arguments: int | bytes) -> int:
    """Call prctl(2), with zeros for the arguments left out."""
    given = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    result: int = _libc.prctl(option, *given, *[ctypes.c_ulong(0)] * (4 - len(given)))
    return result


def unshare(flags: int) -> None:
    """Call unshare(2)."""
    check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Call mount(2)."""
    arguments = [text.encode() or None for text in (source, target, kind)]
    result = _libc.mount(*arguments, ctypes.c_ulong(flags), options.encode() or None)
    check(result, f"mount {source or kind} on {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all below it read-only, and ignore set-user-id bits and devices on it."""
    attributes = struct.pack("QQQQ", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    result = _libc.syscall(
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        target.encode(),
        ctypes.c_uint(_AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    check(result, f"mount_setattr {target}")


def make_root(folder: str) -> None:
    """Make `folder` the root and detach the old one."""
    machine = platform.machine()
    if machine not in _PIVOT_ROOT:
        raise OSError(f"a sandbox needs x86_64 or aarch64, not {machine}")
    os.chdir(folder)
    check(_libc.syscall(ctypes.c_long(_PIVOT_ROOT[machine]), b".", b"."), "pivot_root")
    check(_libc.umount2(b".", _MNT_DETACH), "umount2")
    os.chdir("/")


def loopback_up() -> None:
    """Bring up 127.0.0.1 in this network namespace."""
    interface, up, set_flags = b"lo", 1, 0x8914
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", interface, up))


def die_with_parent() -> None:
    """Let this process be killed when its parent ends."""
    check(prctl(_PR_SET_PDEATHSIG, 9), "prctl")


def drop_capability_bounding_set() -> None:
    """Ensure that no program started from here can gain a capability."""
    for capability in range(64):
        prctl(_PR_CAPBSET_DROP, capability)  # numbers above the last capability fail, harmlessly


def drop_privileges() -> None:
    """Drop every capability permanently, in this process and its descendants."""
    header = struct.pack("Ii", 0x20080522, 0)
    check(_libc.capset(header, struct.pack("6I", *[0] * 6)), "capset")
    check(prctl(_PR_SET_DUMPABLE, 1), "prctl")  # the supervisor reads its memory use in /proc
    check(prctl(_PR_SET_NO_NEW_PRIVS, 1), "prctl")
