"""The few Linux calls that Python does not offer: namespaces, mounts, capabilities, seccomp."""

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
_PR_SET_DUMPABLE = 4
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP, _PR_SET_SECCOMP = 1, 38, 24, 22

#: Numbers of system calls, and the architecture's name for seccomp, per machine.
_MACHINES = {
    "x86_64": {
        "arch": 0xC000003E,
        "pivot_root": 155,
        "mount_setattr": 442,
        "socket": 41,
        "socketpair": 53,
        "clone": 56,
        "clone3": 435,
        "refused": {
            "ptrace": 101,
            "mount": 165,
            "umount2": 166,
            "swapon": 167,
            "reboot": 169,
            "sethostname": 170,
            "init_module": 175,
            "quotactl": 179,
            "unshare": 272,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "kexec_load": 246,
            "perf_event_open": 298,
            "setns": 308,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "finit_module": 313,
            "bpf": 321,
            "userfaultfd": 323,
            "io_uring_setup": 425,
            "io_uring_enter": 426,
            "open_tree": 428,
            "fsopen": 430,
            "move_mount": 429,
            "pidfd_getfd": 438,
            "chroot": 161,
            "pivot_root": 155,
            "name_to_handle_at": 303,
            "open_by_handle_at": 304,
            "mount_setattr": 442,
            "memfd_create": 319,  # memory that belongs to no process, so that nobody counts it
            "memfd_secret": 447,
            "shmget": 29,
        },
    },
    "aarch64": {
        "arch": 0xC00000B7,
        "pivot_root": 41,
        "mount_setattr": 442,
        "socket": 198,
        "socketpair": 199,
        "clone": 220,
        "clone3": 435,
        "refused": {
            "ptrace": 117,
            "mount": 40,
            "umount2": 39,
            "swapon": 224,
            "reboot": 142,
            "sethostname": 161,
            "init_module": 105,
            "quotactl": 60,
            "unshare": 97,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "kexec_load": 104,
            "perf_event_open": 241,
            "setns": 268,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "finit_module": 273,
            "bpf": 280,
            "userfaultfd": 282,
            "io_uring_setup": 425,
            "io_uring_enter": 426,
            "open_tree": 428,
            "fsopen": 430,
            "move_mount": 429,
            "pidfd_getfd": 438,
            "chroot": 51,
            "pivot_root": 41,
            "name_to_handle_at": 264,
            "open_by_handle_at": 265,
            "mount_setattr": 442,
            "memfd_create": 279,
            "memfd_secret": 447,
            "shmget": 194,
        },
    },
}


def machine() -> dict:
    """The numbers for this machine.

    Raises
    ------
    OSError
        The machine is neither x86_64 nor aarch64.
    """
    name = platform.machine()
    if name not in _MACHINES:
        raise OSError(f"a sandbox needs x86_64 or aarch64, not {name}")
    return _MACHINES[name]


def _checked(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    arguments = [text.encode() or None for text in (source, target, kind)]
    result = _libc.mount(*arguments, ctypes.c_ulong(flags), options.encode() or None)
    _checked(result, f"mount {source or kind} on {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all below it read-only, without set-user-id programs and devices."""
    attributes = struct.pack("QQQQ", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    result = _libc.syscall(
        ctypes.c_long(machine()["mount_setattr"]),
        ctypes.c_int(_AT_FDCWD),
        target.encode(),
        ctypes.c_uint(_AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _checked(result, f"mount_setattr {target}")


def make_root(folder: str) -> None:
    """Make `folder` the root; nothing of the old root can be reached any more."""
    os.chdir(folder)
    _checked(_libc.syscall(ctypes.c_long(machine()["pivot_root"]), b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", _MNT_DETACH), "umount2")
    os.chdir("/")


def loopback_up() -> None:
    """Let the processes of this network namespace talk to each other over 127.0.0.1."""
    interface, up, set_flags = b"lo", 1, 0x8914
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", interface, up))


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl")


def drop_capability_bounds() -> None:
    """See to it that no program started from here can gain a capability."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # beyond the last one: an error, fine


def drop_privileges() -> None:
    """Give up every capability, for good, in this process and all it starts."""
    header = struct.pack("Ii", 0x20080522, 0)
    _checked(_libc.capset(header, struct.pack("6I", *[0] * 6)), "capset")
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")  # its keeper reads its memory use
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def filter_calls() -> None:
    """Refuse (EPERM) system calls that no course needs: namespaces, mounts, debugging other
    processes, raw and host sockets. Inherited by all that is started."""
    numbers = machine()
    load, equal, bits, give = 0x20, 0x15, 0x45, 0x06  # BPF: load word, jump if ==, if &, return
    allow, refuse, no_call = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38  # EPERM, ENOSYS
    program = [(load, 0, 0, 4), (equal, 1, 0, numbers["arch"]), (give, 0, 0, 0x80000000)]
    program.append((load, 0, 0, 0))
    if numbers["arch"] == 0xC000003E:
        program += [(bits, 0, 1, 0x40000000), (give, 0, 0, no_call)]  # the x32 numbers
    for number in sorted(set(numbers["refused"].values())):
        program += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    # clone3 hides its flags in memory; without it the C library falls back on clone
    program += [(equal, 0, 1, numbers["clone3"]), (give, 0, 0, no_call)]
    spaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID
    spaces |= CLONE_NEWNET | CLONE_NEWCGROUP
    program += [
        *((equal, 0, 4, numbers["clone"]), (load, 0, 0, 16), (bits, 0, 1, spaces)),
        *((give, 0, 0, refuse), (give, 0, 0, allow)),
    ]
    for call in ("socket", "socketpair"):  # Unix, and of the box's own network: IP, its settings
        program += [
            *((equal, 0, 7, numbers[call]), (load, 0, 0, 16)),
            *((equal, 3, 0, 1), (equal, 2, 0, 2), (equal, 1, 0, 10), (equal, 0, 1, 16)),
            *((give, 0, 0, allow), (give, 0, 0, refuse)),
        ]
    program.append((give, 0, 0, allow))
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0), "seccomp")
