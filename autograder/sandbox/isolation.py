"""The isolation of a sandbox: namespaces, file system, resource limits and system call filter.

Inside are the system's libraries, Python, the `coursekit` package and its data, all read-only, and
a small home folder in memory. Outside are the solutions, `autograder`, the gradebook, other
submissions, and the host's files, processes and network: also where a folder of these lies below
one that is inside (a course in a container's /usr).

The calls in order: `give_ownership` and `unshare_namespaces` in the supervisor, then, in the child
that it forks, `enter_sandbox` and `restrict`.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox import linux
from autograder.sandbox.seccomp import filter_system_calls

#: Paths in the sandbox: the home folder, and the folder of the kernel's sockets.
HOME, SOCKETS = "/home/student", "/run/kernel"
_SYSTEM = (
    *("/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/fonts"),
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec"),
    *("/usr/include", "/usr/share", "/usr/local/lib", "/usr/local/share"),
)
#: Parts of its installation folder that Python needs; the folder may contain other things.
_PYTHON = (
    "bin",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "share",
    "etc",
    "ssl",
    "pyvenv.cfg",
)
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types")
_DEVICES = ("null", "full", "random", "urandom")  # zero has shared maps, see `seccomp`
_TERMINALS = "newinstance,ptmxmode=0666,mode=620,max=32"
_TCP_BUFFER = "4096 131072 262144"  # bytes: at least, at first, at most
_USER = 1000
_HOST_USER = 65534  # the host account of that user if root starts the sandbox: nobody
_UNUSED_ADDRESSES = 2**30  # threads reserve addresses that they never use
_NAMESPACES = (
    linux.CLONE_NEWUSER
    | linux.CLONE_NEWNS
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUTS
)


@dataclass(frozen=True)
class SandboxLimits:
    """The limits that the operating system enforces in one sandbox.

    The limits of a submission are set in `autograder.grading.limits.Limits`;
    `autograder.grading.kernels` derives these from it.

    Attributes
    ----------
    memory_bytes : int
        Memory of all processes together, beyond what the fork server has imported.
    disk_bytes : int
        Files in the home and temporary folders, which are kept in memory.
    processes : int
        Processes and threads at a time.
    cpu_seconds : int
        Processor time of each process.
    output_bytes : int
        Output of one cell; enforced by the kernel itself (`autograder.sandbox.kernel`).
    hidden : tuple of str
        Folders of the host that are empty in the sandbox, even if a folder around them is mounted.
    visible : tuple of str
        Folders of the host that are mounted read-only besides Python and `coursekit`.
    """

    memory_bytes: int
    disk_bytes: int
    processes: int
    cpu_seconds: int
    output_bytes: int
    hidden: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()


def give_ownership(folder: str) -> None:
    """Let the sandbox's user write to a folder of the host; needed and done only as root."""
    if os.getuid() == 0:
        os.chown(folder, _HOST_USER, _HOST_USER, follow_symlinks=False)


def unshare_namespaces() -> None:
    """Move the caller to new namespaces for users, mounts, network, IPC and host name.

    The new process namespace starts with the caller's next child. As root, map the sandbox's user
    to an ordinary user of the host too, because the process limit does not apply to root.
    """
    user, group = os.getuid(), os.getgid()
    maps = {"uid_map": f"{_USER} {user} 1", "gid_map": f"{_USER} {group} 1"}
    if user:
        linux.unshare(_NAMESPACES)
        Path("/proc/self/setgroups").write_text("deny")
        for name, text in maps.items():
            Path(f"/proc/self/{name}").write_text(text)
        return
    me = os.getpid()
    ready, left = os.pipe()
    helper = os.fork()
    if helper == 0:  # only a process of the old namespace may map a second user
        os.close(left)
        os.read(ready, 1)
        for name in maps:
            Path(f"/proc/{me}/{name}").write_text(f"0 0 1\n{_USER} {_HOST_USER} 1")
        os._exit(0)
    linux.unshare(_NAMESPACES)
    os.close(left)
    _, status = os.waitpid(helper, 0)
    os.close(ready)
    if status:
        raise OSError("could not map the sandbox's user ids")


def enter_sandbox(root: str, sockets: str, read_only: list[str], limits: SandboxLimits) -> None:
    """Build the sandbox's file system and make it the root, which puts the host's out of reach.

    The first process of the new process namespace calls it.

    Parameters
    ----------
    root : str
        An empty folder of the host, used as a mount point; nothing is written to it.
    sockets : str
        The host's folder for the kernel's sockets.
    read_only : list of str
        Files and folders of the host to mount read-only, besides the system's.
    limits : SandboxLimits
        Of these, `disk_bytes` and `hidden` are applied here.
    """
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    size = f"size={limits.disk_bytes},nr_inodes=20000,mode=755"
    safe = linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("tmpfs", root, "tmpfs", safe, size)
    masks = []
    for path, visible in plan_mounts([*_SYSTEM, *_SYSTEM_FILES, *read_only], limits.hidden):
        if visible:
            _mount_read_only(path, root)
        elif os.path.isdir(root + path):
            linux.mount("tmpfs", root + path, "tmpfs", safe, "size=1m,mode=755")
            masks.append(root + path)
    for mask in masks:  # now that what is visible in them has been mounted
        linux.make_read_only(mask)
    Path(root, "etc").mkdir(exist_ok=True)
    Path(root, "etc/passwd").write_text(f"student:x:{_USER}:{_USER}::{HOME}:/bin/sh\n")
    Path(root, "etc/group").write_text(f"student:x:{_USER}:\n")
    for name in _DEVICES:
        target = Path(root, "dev", name)
        target.parent.mkdir(exist_ok=True)
        target.touch()
        linux.mount(f"/dev/{name}", str(target), flags=linux.MS_BIND)
    for folder in ("proc", "tmp", "dev/shm", "dev/pts", HOME, SOCKETS):
        Path(f"{root}/{folder}").mkdir(parents=True, exist_ok=True)
    # terminals of its own: IPython runs `!command` in one
    linux.mount(
        "devpts", f"{root}/dev/pts", "devpts", linux.MS_NOSUID | linux.MS_NOEXEC, _TERMINALS
    )
    Path(root, "dev/ptmx").symlink_to("pts/ptmx")
    linux.mount(sockets, root + SOCKETS, flags=linux.MS_BIND)
    linux.mount("proc", f"{root}/proc", "proc", safe | linux.MS_NOEXEC)
    linux.loopback_up()
    for name in ("tcp_rmem", "tcp_wmem"):  # of this network alone
        Path(f"{root}/proc/sys/net/ipv4/{name}").write_text(_TCP_BUFFER)
    linux.make_root(root)
    for folder in ("/tmp", "/dev/shm", HOME):
        os.chown(folder, _USER, _USER, follow_symlinks=False)
    os.chdir(HOME)


def plan_mounts(visible: Iterable[str], hidden: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the paths to mount and to cover, in order, each with whether it is visible.

    The innermost folder decides: a hidden folder in a visible one is covered, and a visible folder
    in it is mounted on the cover. A folder that is both is hidden.
    """
    rules = dict.fromkeys(visible, True)
    for path in list(rules):
        real = os.path.realpath(path)
        for folder in map(os.path.realpath, hidden):
            # a link leads to a folder that is hidden by itself
            if not os.path.islink(path) and os.path.commonpath([real, folder]) == real:
                rules[os.path.normpath(os.path.join(path, os.path.relpath(folder, real)))] = False
    plan: list[tuple[str, bool]] = []
    for path in sorted(rules, key=lambda path: Path(path).parts):
        around = [rules[str(parent)] for parent in Path(path).parents if str(parent) in rules]
        if rules[path] != (around[0] if around else False):
            plan.append((path, rules[path]))
    return plan


def _mount_read_only(path: str, root: str) -> None:
    """Mount a file or folder of the host below `root`; copy a symbolic link."""
    target = Path(root + path)
    if not os.path.lexists(path) or os.path.lexists(target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if os.path.islink(path):
        target.symlink_to(os.readlink(path))
        return
    target.mkdir() if os.path.isdir(path) else target.touch()
    linux.mount(path, str(target), flags=linux.MS_BIND | linux.MS_REC)
    linux.make_read_only(str(target))


def restrict(limits: SandboxLimits) -> None:
    """Set resource limits, drop all privileges and filter system calls.

    All of it applies to this process and its descendants, and cannot be undone.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    # per process, and generous; the supervisor watches what all of them really use
    memory = pages * os.sysconf("SC_PAGE_SIZE") + limits.memory_bytes + _UNUSED_ADDRESSES
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_FSIZE, limits.disk_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (value, value))
    linux.drop_capability_bounding_set()
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(_USER, _USER, _USER)
        os.setresuid(_USER, _USER, _USER)
    linux.drop_privileges()
    linux.die_with_parent()  # a change of user has reset it
    filter_system_calls()


def python_paths() -> list[str]:
    """Return the folders that notebooks need: Python, its packages, `coursekit` and its data."""
    import coursekit

    package = Path(coursekit.__file__).resolve().parent
    data = package.parent / "data"
    paths = {f"{prefix}/{part}" for prefix in (sys.prefix, sys.base_prefix) for part in _PYTHON}
    paths.add(str(package))
    if data.is_dir():  # a checkout; an installed coursekit carries its data inside
        paths |= {str(p) for p in data.iterdir() if p.is_dir() and p.name != "results"}
        paths |= {str(p) for p in data.glob("results/*.json")}
    return sorted(str(Path(path)) for path in paths)
