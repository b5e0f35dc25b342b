"""The box: a forked process with its own users, processes, network, files and limits.

What is in it: the system's libraries, Python, the `coursekit` package and its data, all read-only,
and a small home in memory. What is not: the course's solutions, `autograder`, the gradebook, other
submissions, the host's files, processes and network.
"""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox import linux

#: The home of a submission, and where its kernel's sockets are, inside the box.
HOME, SOCKETS = "/home/student", "/run/kernel"
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/fonts")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_USER = 1000
_RESERVED = 2**30
_OUTSIDE = 65534  # what the box's user is outside when root starts it: nobody
_NAMESPACES = (
    linux.CLONE_NEWUSER
    | linux.CLONE_NEWNS
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUTS
)


@dataclass(frozen=True)
class Bounds:
    """What one box may use.

    Attributes
    ----------
    memory_bytes : beyond what the forking process has; of all its processes together.
    disk_bytes : files in its home and temporary folder, kept in memory.
    processes : processes and threads at a time.
    cpu_seconds : processor time of any one process.
    """

    memory_bytes: int = 3 * 2**30
    disk_bytes: int = 256 * 2**20
    processes: int = 128
    cpu_seconds: int = 600


def leave_namespaces() -> None:
    """Leave the host's users, mounts, processes, network, and so on.

    Only the *children* of the caller get the new process numbers: fork next. Started by root, the
    box belongs to a user of its own outside too (root's processes cannot be counted).
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
    if helper == 0:  # only a process that is still outside may map a second user
        os.close(left)
        os.read(ready, 1)
        for name in maps:
            Path(f"/proc/{me}/{name}").write_text(f"0 0 1\n{_USER} {_OUTSIDE} 1")
        os._exit(0)
    linux.unshare(_NAMESPACES)
    os.close(left)
    _, status = os.waitpid(helper, 0)
    os.close(ready)
    if status:
        raise OSError("the users of the box could not be mapped")


def close_box(root: str, sockets: str, read_only: list[str], bounds: Bounds) -> None:
    """Build the box's file system in the empty folder `root` and move in, for good.

    Called by the first process of the new process namespace.

    Parameters
    ----------
    root : an empty folder outside; only the mount point, nothing is written to it.
    sockets : the folder outside that holds the kernel's sockets.
    read_only : further files and folders to show, read-only.
    """
    linux.mount("", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    size = f"size={bounds.disk_bytes},nr_inodes=20000,mode=755"
    safe = linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("tmpfs", root, "tmpfs", safe, size)
    for path in [*_SYSTEM, *_SYSTEM_FILES, *read_only]:
        _show(path, root)
    Path(root, "etc").mkdir(exist_ok=True)
    Path(root, "etc/passwd").write_text(f"student:x:{_USER}:{_USER}::{HOME}:/bin/sh\n")
    Path(root, "etc/group").write_text(f"student:x:{_USER}:\n")
    for name in _DEVICES:
        target = Path(root, "dev", name)
        target.parent.mkdir(exist_ok=True)
        target.touch()
        linux.mount(f"/dev/{name}", str(target), flags=linux.MS_BIND)
    for folder in ("proc", "tmp", "dev/shm", HOME, SOCKETS):
        Path(f"{root}/{folder}").mkdir(parents=True, exist_ok=True)
    linux.mount(sockets, root + SOCKETS, flags=linux.MS_BIND)
    linux.mount("proc", f"{root}/proc", "proc", safe | linux.MS_NOEXEC)
    linux.loopback_up()
    linux.make_root(root)
    for folder in ("/tmp", "/dev/shm", HOME):
        os.chown(folder, _USER, _USER)
    os.chdir(HOME)


def _show(path: str, root: str) -> None:
    """Show a file or folder of the host in the box, read-only; symbolic links as such."""
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


def lend(folder: str) -> None:
    """Let the box's user write to a folder outside (when root starts it: nobody)."""
    if os.getuid() == 0:
        os.chown(folder, _OUTSIDE, _OUTSIDE)


def limit(bounds: Bounds) -> None:
    """Set the limits of this process and all it starts, and give up every privilege."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    # threads reserve addresses that they never use; the keeper watches what is really used
    memory = pages * os.sysconf("SC_PAGE_SIZE") + bounds.memory_bytes + _RESERVED
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NPROC, bounds.processes),
        (resource.RLIMIT_FSIZE, bounds.disk_bytes),
        (resource.RLIMIT_CPU, bounds.cpu_seconds),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(kind, (value, value))
    linux.drop_capability_bounds()
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(_USER, _USER, _USER)
        os.setresuid(_USER, _USER, _USER)
    linux.drop_privileges()
    linux.die_with_parent()  # a change of user has made the kernel forget it
    linux.filter_calls()


def python_paths() -> list[str]:
    """What Python and the course need to run: the interpreter, the packages, `coursekit`, its data."""
    import coursekit

    package = Path(coursekit.__file__).resolve().parent
    data = package.parent / "data"
    paths = {sys.prefix, sys.base_prefix, str(package)}
    if data.is_dir():  # a checkout; an installed coursekit carries its data inside
        paths |= {str(p) for p in data.iterdir() if p.is_dir() and p.name != "results"}
    shown = sorted(str(Path(path)) for path in paths)
    return [p for p in shown if not any(p.startswith(f"{system}/") for system in _SYSTEM)]
