"""Who can read a class: its folders and files are closed to other users of the machine.

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

#: No permission for group and others: of what a command writes.
UMASK = 0o077
_FOLDERS = (
    *("submitted", "autograded", "feedback", "earlier", "exports", "reports"),
    *("grader-errors", "backups"),
)
_FILES = (
    *("gradebook.db", "class_seed", "graded.json"),
    *("students.json", "collected.json", "extensions.json"),
)
#: In the course's folder: they hold the solutions.
_SECRETS = ("solutions", "exercises")
#: folders/STUDENT/ASSIGNMENT are looked at, what is below only where one of them was open.
_LOOKED_AT, _MAX_DEPTH = 2, 40
_MAX_LISTED = 6


def close_class(folder: Path) -> None:
    """Take group's and others' permissions from everything in a class's folder that is about students.

    What belongs to another user stays as it is; `open_to_others` tells of it.
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
    """Something that other users of this machine can do.

    Attributes
    ----------
    what : str
        One sentence without a full stop.
    remedy : str
        The command, or the step, that mends it.
    """

    what: str
    remedy: str


def open_to_others(course: Course | None, folder: Path) -> list[Opening]:
    """What other users of this machine can read or change of a class and its course.

    Parameters
    ----------
    course : Course or None
        Its solutions are looked at, too.
    folder : Path
        The class's.
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
    """Whether others may do anything with a file, or enter or list a folder."""
    try:
        found = path.lstat()
    except OSError:
        return False
    forbidden = 0o007 if _is_own_group(found) else UMASK
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & forbidden)


def _is_reachable(path: Path) -> bool:
    """Whether others may pass through a folder and all those around it."""
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
    """Whether a file's group is its owner's alone, as most Linux distributions make one per user."""
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
    """What belongs in `submitted/` to another user than the class's folder does, or than who grades."""
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
