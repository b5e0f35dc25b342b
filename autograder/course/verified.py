"""Results of verification that are stored with the course, one file per assignment.

`exercises/NN_topic/verified.json` holds, each with a digest of what it depends on, the digest of the
last release and the results of measurements that take minutes: the audit of the checks, the typed
answers judged with many class seeds, the points that wrong helpers cost other exercises. A result is
stale, and not read, when its digest differs.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from autograder.course.layout import Course
from autograder.errors import CourseError
from coursekit.data.paths import write_atomically

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module

#: The file's name, in the folder of the assignment's exercises.
FILE = "verified.json"
#: The order of the sections in the file.
SECTIONS = ("released", "answers", "error_carried_forward", "audit", "owed")


def read(course: Course, assignment: str) -> dict[str, Any]:
    """Return the stored results of an assignment; an empty dictionary if there are none.

    A file that is missing or damaged, as after a merge conflict, counts as no results: everything in
    it can be measured again.
    """
    try:
        found = json.loads((course.cases(assignment) / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def update(course: Course, assignment: str, change: Callable[[dict[str, Any]], None]) -> bool:
    """Change the stored results of an assignment in place; return whether the file is another one.

    The file is read again under a lock, so that two processes which store different results lose
    none of them.

    Raises
    ------
    CourseError
        The file cannot be written.
    """
    path = course.cases(assignment) / FILE
    try:
        with _lock(course, assignment, wait=True):
            stored = read(course, assignment)
            change(stored)
            text = as_text(stored)
            if path.exists() and path.read_text("utf-8") == text:
                return False
            write_atomically(path, text.encode())
            return True
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from error


def owed(course: Course, assignment: str) -> list[str]:
    """Return the rules whose measurement an author has put off, the list "owed" of the file."""
    found = read(course, assignment).get("owed", [])
    return found if isinstance(found, list) else []


def pay(course: Course, assignment: str, rule: str) -> None:
    """Take a rule that was measured out of the list "owed"."""

    def change(results: dict[str, Any]) -> None:
        results["owed"] = [name for name in results.get("owed", []) if name != rule]
        if not results["owed"]:
            del results["owed"]

    update(course, assignment, change)


def as_text(results: dict[str, Any]) -> str:
    """Return the file's text, its sections in a fixed order."""
    known = {name: results[name] for name in SECTIONS if name in results}
    return json.dumps(known, indent=1, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def sole_measurement(course: Course, assignment: str) -> Iterator[None]:
    """Let no other process measure this assignment during the block.

    Raises
    ------
    CourseError
        Another process measures it.
    """
    try:
        with _lock(course, f"{assignment}.measured", wait=False):
            yield
    except BlockingIOError as error:
        raise CourseError(
            f"{assignment} is being measured by another `autograder verify`:"
            " wait until it has ended, and run the command again."
        ) from error


@contextlib.contextmanager
def _lock(course: Course, name: str, wait: bool) -> Iterator[None]:
    """Hold a lock that ends with this process, however that ends; none where there are no locks."""
    if fcntl is None:
        yield
        return
    folder = course.root / ".audit"
    folder.mkdir(exist_ok=True)
    held = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(held)
