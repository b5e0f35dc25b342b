"""The permissions of a class's folders and files, which are closed to other users of the machine.

What `autograder` writes is for its owner from the start (`autograder.cli` sets the umask); nbgrader's
own commands, and versions before, write for everyone. Links are followed nowhere: a student may have
made them.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from autograder.course.layout import Course

#: The umask of every command: no permission for group and others.
UMASK = 0o077
_FOLDERS = (
    *("submitted", "autograded", "feedback", "earlier", "exports", "reports"),
    *("grader-errors", "backups"),
)
_FILES = (
    *("gradebook.db", "class_seed", "graded.json"),
    *("students.json", "collected.json", "extensions.json"),
)
#: Folders of the course that hold the solutions.
_SECRETS = ("solutions", "exercises")
#: Depth to which folders are closed, down to STUDENT/ASSIGNMENT, and below a folder that was open.
_LOOKED_AT, _MAX_DEPTH = 2, 40
_MAX_LISTED = 6


def close_class(folder: Path) -> None:
    """Remove group's and others' permissions from all files about students in a class's folder.

    Files of another user are not changed; `open_to_others` reports them.
    """
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in (*_FOLDERS, *_FILES):
                _close(name, inside)
        finally:
            os.close(inside)


def _close(name: str, parent: int, depth: int = 0) -> None:
    """Close a file or folder, and the folders in it, without following links."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        opened = os.open(name, flags, dir_fd=parent)
    except OSError:
        return
    try:
        found = os.fstat(opened)
        is_open = found.st_mode & UMASK
        if is_open:
            with contextlib.suppress(OSError):
                os.fchmod(opened, stat.S_IMODE(found.st_mode) & ~UMASK)
        if stat.S_ISDIR(found.st_mode) and depth < (_MAX_DEPTH if is_open else _LOOKED_AT):
            for inner in os.listdir(opened):
                _close(inner, opened, depth + 1)
    finally:
        os.close(opened)


@dataclass(frozen=True)
class Opening:
    """A thing that other users of this machine can do, or a problem of its configuration.

    Attributes
    ----------
    what : str
        A sentence on it, without a full stop.
    remedy : str
        The command or step that fixes it.
    """

    what: str
    remedy: str


def open_to_others(course: Course | None, folder: Path) -> list[Opening]:
    """Return what other users of this machine can read or change of a class and its course.

    Parameters
    ----------
    course : Course or None
        The course, whose solutions are checked, too.
    folder : Path
        The folder of the class.
    """
    if os.name == "nt":
        return []
    wanted = {folder.resolve(): [*_FOLDERS, *_FILES]}
    if course is not None:
        wanted.setdefault(course.root.resolve(), []).extend(_SECRETS)
    found = []
    for root, names in wanted.items():
        opened = [name for name in names if _is_open(root / name)]
        if opened and _is_reachable(root):
            found.append(
                Opening(
                    f"other users of this machine can read {_listed(opened)} in {root}",
                    f"chmod go= {shlex.quote(str(root))}",
                )
            )
    if strange := _of_somebody_else(folder):
        found.append(
            Opening(
                f"in {folder.resolve()}, {_listed(strange)} belong to another user, who can change them",
                "look at them, remove them and collect them again",
            )
        )
    return found


def _is_open(path: Path) -> bool:
    """Tell whether others may do anything with a file, or enter or list a folder."""
    try:
        found = path.lstat()
    except OSError:
        return False
    forbidden = 0o007 if _is_own_group(found) else UMASK
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & forbidden)


def _is_reachable(path: Path) -> bool:
    """Tell whether others may pass through a folder and all folders around it."""
    for one in (path, *path.parents):
        try:
            found = one.stat()
        except OSError:
            return False
        forbidden = 0o001 if _is_own_group(found) else 0o011
        if not found.st_mode & forbidden:
            return False
    return True


def _is_own_group(found: os.stat_result) -> bool:
    """Tell whether a file's group has no member but its owner, as on most Linux distributions."""
    try:
        import grp  # only where it is used: Windows has no such modules
        import pwd
    except ImportError:
        return False
    try:
        owner, group = pwd.getpwuid(found.st_uid).pw_name, grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    return group.gr_name == owner and set(group.gr_mem) <= {owner}


def _of_somebody_else(folder: Path) -> list[str]:
    """Return the files in `submitted/` that belong to neither the class's owner nor the grader."""
    try:
        own = {folder.stat().st_uid, os.geteuid()}
    except OSError:
        return []
    found = []
    for assignment in sorted(folder.glob("submitted/*/*")):
        with contextlib.suppress(OSError):
            for path in (assignment.parent, assignment, *assignment.iterdir()):
                name = str(path.relative_to(folder))
                if path.lstat().st_uid not in own and name not in found:
                    found.append(name)
    return found


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MAX_LISTED])
    more = len(names) - _MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown
