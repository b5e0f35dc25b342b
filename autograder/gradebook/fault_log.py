"""Tracebacks of the grader's own faults, in `grader-errors/` in the folder of a class.

Only the owner of the class can read them: they quote what students wrote, and the grader. A later run
that succeeds removes the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import traceback
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from autograder.errors import CourseError
from autograder.escaping import for_terminal
from autograder.gradebook.retry import is_of_this_machine, patiently
from coursekit.data.paths import write_atomically

FOLDER = "grader-errors"
#: Length of a student's name in the name of a file; a longer name is cut.
_MAX_BYTES = 200
_MAX_LISTED = 10


def fault_file(folder: Path, assignment: str, student: str, page: bool = False) -> Path:
    """Return the path of the file for the traceback of a fault.

    Parameters
    ----------
    folder : Path
        The folder of the class.
    page : bool
        Whether the fault is one of writing the feedback page, not of grading.
    """
    raw = student.encode("utf-8", "surrogateescape")
    if len(raw) > _MAX_BYTES:
        cut = raw[:_MAX_BYTES].decode("utf-8", "ignore")
        student = f"{cut}-{hashlib.sha256(raw).hexdigest()[:8]}"
    home = folder / FOLDER / assignment
    return (home / "feedback" if page else home) / f"{student}.txt"


def is_of_the_grader(error: BaseException) -> bool:
    """Tell whether an exception is a fault of this tool, which the user cannot fix."""
    return (
        isinstance(error, Exception)
        and not isinstance(error, CourseError)
        and not is_of_this_machine(error)
    )


def keep_fault(path: Path, what: str, error: BaseException) -> None:
    """Write the traceback of an exception, so that only the owner can read it.

    Parameters
    ----------
    path : Path
        The file, from `fault_file`.
    what : str
        The step that failed, such as "grading 05_topic of ada".
    """
    when = datetime.now().astimezone().isoformat(timespec="seconds")
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    text = for_terminal(f"{when}, {what}:\n\n{''.join(lines)}")
    home = next(parent for parent in path.parents if parent.name == FOLDER)

    def write() -> None:
        for folder in (home, *reversed(path.relative_to(home).parents[:-1])):
            folder = home / folder
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        write_atomically(path, text.encode("utf-8", "replace"), private=True)

    patiently(write)


def forget_fault(path: Path) -> None:
    """Remove the file of an earlier fault, if there is one, and the folders that are then empty."""
    with contextlib.suppress(OSError):
        path.unlink()
        while path.name != FOLDER:
            path = path.parent
            path.rmdir()


def listed(what: Iterable[tuple[str, Path]]) -> str:
    """Return a line for each fault: a sentence on it, and the file with the traceback."""
    found = list(what)
    lines = [f"{sentence}; {path} has the traceback." for sentence, path in found[:_MAX_LISTED]]
    if len(found) > _MAX_LISTED:
        more = len(found) - _MAX_LISTED
        lines.append(f"{more} more like these; their tracebacks are beside the others.")
    return "\n  ".join(lines)
