"""Kernels without a sandbox that run as another system user, where the grader is root.

That is what containers without user namespaces allow, such as Gradescope's: the submission can read
and change only what that user can. The user must be one that runs nothing else, since all of its
processes are killed after each kernel.

Root follows no path that the submission could have made. Each kernel gets a folder with a name drawn
at random, whose owner stays root, and in it a home, whose owner changes before the kernel starts.
Root connects to the kernel over the loopback network, not over sockets in a folder, and when all
processes of the user are dead, that user deletes the home.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.errors import MachineError

_KILL_SECONDS, _LOOK_EVERY = 20.0, 0.02
_EMPTY = "chmod -R u+rwX .; find . -mindepth 1 -delete"


class KernelRoom:
    """A kernel's folder: the connection file, which its user can read, and a home, which it owns.

    Parameters
    ----------
    user : str
        The system user that runs the kernel.
    parent : str
        A folder that root owns, in which the kernel's folder is made.

    Raises
    ------
    MachineError
        There is no such user, it is root, or the grader is not.
    """

    def __init__(self, user: str, parent: str) -> None:
        self.entry = user_entry(user)
        os.chmod(parent, 0o711)  # root's own; others can pass through, and list nothing
        self.folder = tempfile.mkdtemp(prefix="k-", dir=parent)
        os.chmod(self.folder, 0o711)
        self.home = f"{self.folder}/home"
        self.connection_file = f"{self.folder}/kernel.json"
        os.mkdir(self.home, 0o700)
        with _opened(self.home, os.O_DIRECTORY) as home:
            os.fchown(home, self.entry.pw_uid, self.entry.pw_gid)

    def share_connection_file(self) -> None:
        """Let the user's group read the connection file, which stays root's."""
        with _opened(self.connection_file) as file:
            os.fchown(file, -1, self.entry.pw_gid)
            os.fchmod(file, 0o640)

    def close(self) -> None:
        """Kill all processes of the user, and delete the folder.

        Raises
        ------
        MachineError
            Some process could not be killed.
        """
        end_processes(self.entry)
        with suppress(OSError):
            run_as(self.entry, ["/bin/sh", "-c", _EMPTY], cwd=self.home)
        with suppress(RecursionError):  # what its own user could not delete, if anything
            shutil.rmtree(self.folder, ignore_errors=True)


class _opened:
    """A context manager that opens one of our files or folders, unless it is a link."""

    def __init__(self, path: str, flags: int = 0) -> None:
        self._number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | flags)

    def __enter__(self) -> int:
        """Return the file descriptor."""
        return self._number

    def __exit__(self, *error: object) -> None:
        """Close the file descriptor."""
        os.close(self._number)


def user_entry(user: str) -> pwd.struct_passwd:
    """Return the password entry of the system user that runs submissions.

    Raises
    ------
    MachineError
        There is no such user, the user is root, or the grader is not root.
    """
    if os.geteuid() != 0:
        raise MachineError(f"only root can run a submission as the user {user}.")
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise MachineError(f"there is no user {user}: run `useradd {user}`.") from None
    if entry.pw_uid == 0:
        raise MachineError(f"{user} is root: choose a user that owns nothing else.")
    return entry


def require_out_of_reach(user: str, paths: Sequence[Path]) -> None:
    """Refuse to run a submission as a user who can read, write or enter one of these paths.

    Raises
    ------
    MachineError
        The user can; the message names the path.
    """
    entry = user_entry(user)
    for path in paths:
        asked = ["test", "-r", str(path), "-o", "-w", str(path), "-o", "-x", str(path)]
        if run_as(entry, asked) != 1:
            raise MachineError(
                f"{path} is open to {user}, the user who runs submissions: run `chmod go= {path}`."
            )


def run_as(entry: pwd.struct_passwd, command: Sequence[str], cwd: str = "/") -> int:
    """Run a system program as a user; return its exit status."""
    return subprocess.run(
        command,
        user=entry.pw_uid,
        group=entry.pw_gid,
        extra_groups=[],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode


def end_processes(entry: pwd.struct_passwd) -> None:
    """Kill every process of a user, however fast it makes new ones.

    Raises
    ------
    MachineError
        A process is still alive after `_KILL_SECONDS`.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while list(_kill_each(entry.pw_uid)):
        if time.monotonic() > deadline:
            raise MachineError(
                f"processes of {entry.pw_name}, the user who runs submissions, do not end: restart"
                " the container."
            )
        # all at once, which leaves a process that forks no time; it may be killed itself, by them
        with suppress(OSError):
            run_as(entry, ["/bin/sh", "-c", "kill -KILL -1"])
        time.sleep(_LOOK_EVERY)


def _kill_each(uid: int) -> Iterator[int]:
    """Kill the living processes of a user, one by one; yield the id of each."""
    for name in os.listdir("/proc"):
        if not name.isdigit() or not _is_alive(name, uid):
            continue
        with suppress(OSError):
            handle = os.pidfd_open(int(name))
            try:
                if _is_alive(name, uid):  # not another process that got the same number
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)
        yield int(name)


def _is_alive(number: str, uid: int) -> bool:
    """Tell whether a process belongs to the user and is no zombie."""
    try:
        fields = Path("/proc", number, "status").read_text()
    except OSError:
        return False
    state = fields.partition("State:\t")[2][:1]
    uids = fields.partition("Uid:\t")[2].partition("\n")[0].split()
    return str(uid) in uids and state not in ("Z", "X")
