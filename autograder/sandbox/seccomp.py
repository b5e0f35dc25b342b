"""The system call filter of a sandbox: a seccomp program in BPF (see seccomp(2)).

It refuses what no course needs and what other layers do not cover: new namespaces, mounts,
debugging other processes, memory that no limit counts, and sockets of the host such as vsock.
"""

from __future__ import annotations

import ctypes
import platform
import struct

from autograder.sandbox import linux

_MACHINES = ("x86_64", "aarch64")  # the columns of the tables below
_ARCHITECTURE = (0xC000003E, 0xC00000B7)
_CLONE, _CLONE3 = (56, 220), (435, 435)
_MMAP, _SHARED, _ANONYMOUS = (9, 222), 0x01, 0x20
_SETSOCKOPT, _SOL_SOCKET, _SO_SNDBUF, _SO_RCVBUF = (54, 208), 1, 7, 8
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)

#: System calls that are refused whatever their arguments: name -> number per machine.
_REFUSED = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "finit_module": (313, 273),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),  # memory that belongs to no process, so no limit counts it
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "shmget": (29, 194),
    "swapon": (167, 224),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
_NAMESPACES = (
    linux.CLONE_NEWNS
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUSER
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWCGROUP
)
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16

# BPF instructions and the verdicts that a filter can return
_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | 1, 0x00050000 | 38
# offsets in the data that a filter is given
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_SECOND_ARGUMENT, _THIRD_ARGUMENT, _FOURTH_ARGUMENT = 24, 32, 40

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2


def filter_system_calls() -> None:
    """Install the filter in this process and its descendants.

    A refused call fails with EPERM.

    Raises
    ------
    OSError
        The machine is neither x86_64 nor aarch64, or its kernel has no seccomp.
    """
    machine = platform.machine()
    if machine not in _MACHINES:
        raise OSError(f"a sandbox needs x86_64 or aarch64, not {machine}")
    program = _program(_MACHINES.index(machine))
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    linux.check(linux.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header), "seccomp")


def _program(column: int) -> list[tuple[int, int, int, int]]:
    """Return the instructions: (operation, jump if true, jump if false, operand)."""
    program = [
        (_LOAD, 0, 0, _ARCH),
        (_IF_EQUAL, 1, 0, _ARCHITECTURE[column]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if _MACHINES[column] == "x86_64":  # the x32 calls, which have other numbers
        program += [(_IF_ANY_BIT, 0, 1, 0x40000000), (_RETURN, 0, 0, _ENOSYS)]
    for numbers in _REFUSED.values():
        program += [(_IF_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _EPERM)]
    # the flags of clone3 are in memory, where no filter can see them; libc falls back on clone
    program += [(_IF_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ENOSYS)]
    program += [
        (_IF_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_ANY_BIT, 0, 1, _NAMESPACES),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    # anonymous shared maps: their pages can stay when no process has them mapped any more, and then
    # no limit counts them; files in /dev/shm, which torch shares tensors in, are limited as files
    program += [
        (_IF_EQUAL, 0, 5, _MMAP[column]),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT),
        (_IF_ANY_BIT, 0, 2, _SHARED),
        (_IF_ANY_BIT, 0, 1, _ANONYMOUS),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    # sockets keep their default buffers, which the supervisor counts
    program += [
        (_IF_EQUAL, 0, 7, _SETSOCKOPT[column]),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_IF_EQUAL, 0, 4, _SOL_SOCKET),
        (_LOAD, 0, 0, _THIRD_ARGUMENT),
        (_IF_EQUAL, 1, 0, _SO_SNDBUF),
        (_IF_EQUAL, 0, 1, _SO_RCVBUF),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    for numbers in (_SOCKET, _SOCKETPAIR):
        program += [
            (_IF_EQUAL, 0, 7, numbers[column]),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_IF_EQUAL, 3, 0, _AF_UNIX),
            (_IF_EQUAL, 2, 0, _AF_INET),
            (_IF_EQUAL, 1, 0, _AF_INET6),
            (_IF_EQUAL, 0, 1, _AF_NETLINK),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _EPERM),
        ]
    program.append((_RETURN, 0, 0, _ALLOW))
    return program
