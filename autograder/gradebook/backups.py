"""Backups of the gradebook, kept before every command on a class, and its integrity check.

`backups/`, in the folder of the class, holds the latest three that differ, the first of each of the last
days, and the first of a day before each kind of change: a slip is often noticed some commands later. A
file is named by its time and the kinds of change before which it was kept. A gradebook is replaced only by
`restore`, which puts the replaced one among the backups, so that restoring is undone by restoring.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sqlite3
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import nbgrader
from nbgrader.api import Base

from autograder.errors import ClassError
from autograder.gradebook.backup_files import (
    FOLDER,
    HOT,
    backup_files,
    backups_folder,
    changes_after,
    file_name,
    is_set_aside,
    note_change,
    prune,
)
from autograder.gradebook.class_lock import sole_grader
from autograder.gradebook.own_tables import OWN_TABLES, ask_points_by_hand
from autograder.gradebook.retry import is_of_this_machine

NAME = "gradebook.db"
_MAGIC = b"SQLite format 3\x00"
#: SQLITE_BUSY and SQLITE_LOCKED, which Python 3.10 does not name.
_LOCKED = (5, 6)
_LOCKED_SECONDS = 2.0
#: Names that synchronization programs give to a second version: "gradebook (conflicted copy).db".
_CONFLICT = re.compile(
    r"gradebook[^/]*(?:conflict|\(\d+\)| \d+)[^/]*\.db|gradebook\.db[^/]*conflict.*", re.I
)


@dataclass(frozen=True)
class Backup:
    """A gradebook in `backups/`.

    Attributes
    ----------
    path : Path
        The file.
    problem : str
        The reason why it cannot be restored, or "".
    """

    path: Path
    problem: str

    @property
    def words(self) -> str:
        """The time when the gradebook was last written, and a summary of its content."""
        written = datetime.fromtimestamp(self.path.stat().st_mtime, timezone.utc).astimezone()
        kinds = changes_after(self.path)
        before = f", before {', '.join(kinds)}" if kinds else ""
        what = self.problem or _content(self.path)
        return f"{written:%Y-%m-%d %H:%M:%S}{before}, {what}"


def require_whole(folder: Path) -> None:
    """Raise a `ClassError` with the remedy if the gradebook of a class cannot be used."""
    path = folder / NAME
    if not path.exists() and not path.is_symlink():
        if any(not one.problem for one in backups(folder)):
            raise ClassError(
                f"{path} is missing, though there are backups of it: `autograder restore 1` takes the"
                f" latest back; to begin anew, delete {folder / FOLDER}."
            )
        return
    if not (problem := gradebook_problem(path)):
        return
    if problem == _EMPTY and not backups(folder) and not any(folder.glob("autograded/*/*")):
        return  # nbgrader fills it
    raise ClassError(f"{path} {problem}: {remedy(folder, problem)}.")


def remedy(folder: Path, problem: str) -> str:
    """Return what to do about a problem of the gradebook."""
    path = folder / NAME
    if problem == _OLD:
        return f"run `{_upgrade(path)}`, which keeps a copy of it"
    if problem == _NEWER:
        return "install the version of nbgrader that has written it, or `autograder restore`"
    if not path.is_file():
        return "put the gradebook itself there"
    if any(not one.problem for one in backups(folder)):
        return (
            "`autograder restore 1` takes back the latest backup, and `autograder restore` lists all;"
            " nothing is deleted"
        )
    return (
        f"take it from a backup of yours, or, as there is none in {FOLDER}/, move it away (`mv {path}"
        f" {path}.damaged`); `autograder grade` then grades again all that is in submitted/, and what"
        " was given by hand is to be given again"
    )


def _upgrade(path: Path) -> str:
    """Return the command that upgrades a gradebook; nbgrader finds `alembic` on PATH alone."""
    command = f"nbgrader db upgrade {shlex.quote(f'--db=sqlite:///{path}')}"
    here = str(Path(sys.executable).parent)
    if here in os.environ.get("PATH", "").split(os.pathsep):
        return command
    return f"PATH={shlex.quote(here)}:$PATH {command}"


def keep_backup(folder: Path, change: str = "") -> bool:
    """Copy the gradebook of a class to `backups/`, unless the latest backup is the same.

    Nothing happens where there is no gradebook, or where the folder cannot be written.

    Parameters
    ----------
    change : str
        The command that is about to change the gradebook; "" if none is.

    Returns
    -------
    bool
        True if there is a backup of the gradebook as it is now.

    Raises
    ------
    OSError, sqlite3.OperationalError
        The disk is full, or another program locks the gradebook.
    """
    path = folder / NAME
    if not path.exists() or not path.stat().st_size or not os.access(folder, os.W_OK):
        return False
    whole = [one for one in backup_files(folder) if not is_set_aside(one)]
    if whole and _is_same(path, whole[0]):
        note_change(whole[0], change)
        return True
    place = backups_folder(folder)
    new = place / f".new-{os.getpid()}"
    try:
        _create(new)
        _copy(path, new)
        if whole and new.read_bytes() == whole[0].read_bytes():
            new.unlink()
            _take_time(path, whole[0])
            note_change(whole[0], change)
            return True
        _take_time(path, new)
        kept = place / file_name(place)
        new.rename(kept)
        note_change(kept, change)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
            Path(f"{new}-journal").unlink(missing_ok=True)
    prune(folder)
    return True


def backups(folder: Path) -> list[Backup]:
    """Return the backups of a class's gradebook, the latest first."""
    return [Backup(path, gradebook_problem(path)) for path in backup_files(folder)]


def conflicts(folder: Path) -> list[Path]:
    """Return the versions of the gradebook that a synchronization program has put beside it."""
    with contextlib.suppress(OSError):
        return sorted(path for path in folder.iterdir() if _CONFLICT.fullmatch(path.name))
    return []


def restore(folder: Path, which: str) -> Path:
    """Make a backup the gradebook; the gradebook that it replaces becomes the latest backup.

    Parameters
    ----------
    folder : Path
        The folder of the class.
    which : str
        The number of a backup that can be restored, from 1 for the latest, or the path of a
        gradebook.

    Returns
    -------
    Path
        The path of the replaced gradebook; of the gradebook itself if there was none.

    Raises
    ------
    ClassError
        There is no such backup, it is damaged, or a grader is at work in the folder.
    """
    with sole_grader(folder):
        chosen = _chosen(folder, which)
        if problem := gradebook_problem(chosen):
            raise ClassError(f"{chosen} {problem}; `autograder restore` lists others.")
        return _replace(folder, chosen)


def _chosen(folder: Path, which: str) -> Path:
    """Return the file of a backup by its number or path; raise a `ClassError` if there is none."""
    if which.isascii() and which.isdecimal():
        found = [one.path for one in backups(folder) if not one.problem]
        if not 1 <= int(which) <= len(found):
            there = f"the last is {len(found)}" if found else "there is none yet"
            raise ClassError(f"there is no backup {which} in {folder / FOLDER}: {there}.")
        return found[int(which) - 1]
    chosen = Path(which)
    if not chosen.is_file():
        raise ClassError(f"{which} is neither the number of a backup nor a file.")
    if chosen.resolve() == (folder / NAME).resolve():
        raise ClassError(f"{which} is the gradebook already.")
    return chosen


def _replace(folder: Path, chosen: Path) -> Path:
    """Put a copy of a backup in the gradebook's place; return where the old gradebook is."""
    path, place = folder / NAME, backups_folder(folder)
    new = place / f".restored-{os.getpid()}"
    kept = path
    try:
        _create(new)
        _copy(chosen, new)
        usable = path.exists() and not gradebook_problem(path)
        if usable:
            keep_backup(folder, "restore")
            kept = next(one for one in backup_files(folder) if not is_set_aside(one))
            _copy(new, path)  # in place: formgrader may have it open
        else:
            if path.exists() or path.is_symlink():
                kept = place / file_name(place, "damaged")
                path.rename(kept)
                for end in HOT:
                    with contextlib.suppress(FileNotFoundError):
                        Path(f"{path}{end}").rename(f"{kept}{end}")
            new.rename(path)
    finally:
        new.unlink(missing_ok=True)
        Path(f"{new}-journal").unlink(missing_ok=True)
    # what it says is older than what is graded: nothing counts as unchanged
    (folder / "graded.json").unlink(missing_ok=True)
    prune(folder)
    return kept


_EMPTY = "is empty"
_OLD = "is of an older nbgrader, whose tables lack what this one reads"
_NEWER = "is of a newer nbgrader than the one installed here"


def gradebook_problem(path: Path) -> str:
    """Return why a file cannot be used as a gradebook: the rest of a sentence, or "".

    A gradebook that another program locks at the moment has no problem.
    """
    if path.is_dir():
        return "is a folder and no gradebook"
    if not path.exists():
        return "is a link that leads nowhere" if path.is_symlink() else "is missing"
    try:
        with path.open("rb") as opened:
            head = opened.read(100)
        size = path.stat().st_size
    except PermissionError:
        return "cannot be read by you"
    if not size:
        return _EMPTY
    if not head.startswith(_MAGIC):
        return "is damaged (it is no SQLite database)"
    if len(head) < 100 or _pages(head) * _page_size(head) > size:
        return "is incomplete (it is cut off, as by an unfinished synchronization or copy)"
    try:
        return _database_problem(path)
    except sqlite3.DatabaseError as error:
        return "" if is_of_this_machine(error) else f"is damaged ({error})"


def _page_size(head: bytes) -> int:
    """Return the page size in a SQLite file's header."""
    size = int.from_bytes(head[16:18], "big")
    return 65536 if size == 1 else size


def _pages(head: bytes) -> int:
    """Return the number of pages in a SQLite file's header; 0 if the header is not current."""
    return int.from_bytes(head[28:32], "big") if head[24:28] == head[92:96] else 0


def _database_problem(path: Path) -> str:
    """Return the problem of a SQLite file's content and tables, or ""."""
    with _open(path) as database:
        found = database.execute("PRAGMA quick_check(1)").fetchone()
        if found != ("ok",):
            return f"is damaged ({' '.join(str(found[0]).split())})"
        rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
        if not tables:
            return _EMPTY
        expected = {n: t for n, t in Base.metadata.tables.items() if n not in OWN_TABLES - tables}
        if not tables & expected.keys() - OWN_TABLES - {"comment", "course"}:
            return "is a database of another program and no gradebook"
        if "alembic_version" in tables:
            revisions = [row[0] for row in database.execute("SELECT * FROM alembic_version")]
            if any(not _knows(revision) for revision in revisions):
                return _NEWER
        for name, table in expected.items():
            columns = {row[1] for row in database.execute(f'PRAGMA table_info("{name}")')}
            if not columns >= {column.name for column in table.columns}:
                return _OLD
    return ""


def _knows(revision: str) -> bool:
    """Tell whether the installed nbgrader knows a version of its tables."""
    versions = Path(str(nbgrader.__file__)).parent / "alembic" / "versions"
    return not versions.is_dir() or any(versions.glob(f"{revision}_*.py"))


def _content(path: Path) -> str:
    """Return a summary of a gradebook's content, such as "students: 2, submissions: 3"."""
    with _open(path) as database:
        questions = {
            "students": "SELECT count(*) FROM student",
            "submissions": "SELECT count(*) FROM submitted_assignment",
            "points given by hand": ask_points_by_hand(database),
            "comments": "SELECT count(*) FROM comment WHERE manual_comment IS NOT NULL",
        }
        numbers = {what: database.execute(ask).fetchone()[0] for what, ask in questions.items()}
    return ", ".join(f"{what}: {number}" for what, number in numbers.items())


@contextlib.contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for the block."""
    database = sqlite3.connect(path, timeout=_LOCKED_SECONDS)
    try:
        yield database
    finally:
        database.close()


def _create(path: Path) -> None:
    """Create an empty file that only its owner can read."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))


def _copy(source: Path, target: Path) -> None:
    """Copy a database; raise an `OperationalError` if it is locked for too long."""
    end = time.monotonic() + _LOCKED_SECONDS

    def give_up(status: int, remaining: int, total: int) -> None:
        """Raise at the end of the time limit, as Python's own loop would wait forever."""
        if status in _LOCKED and time.monotonic() > end:
            raise sqlite3.OperationalError("database is locked")

    with _open(source) as read, _open(target) as written:
        read.backup(written, progress=give_up)


def _is_same(path: Path, backup: Path) -> bool:
    """Tell whether a gradebook has not been written since its backup."""
    with contextlib.suppress(FileNotFoundError):
        if any(Path(f"{path}{end}").exists() for end in HOT):
            return False
        now, then = path.stat(), backup.stat()
        return (now.st_mtime_ns, now.st_size) == (then.st_mtime_ns, then.st_size)
    return False


def _take_time(path: Path, backup: Path) -> None:
    """Give a backup the modification time of the gradebook."""
    written = path.stat().st_mtime_ns
    os.utime(backup, ns=(written, written))
