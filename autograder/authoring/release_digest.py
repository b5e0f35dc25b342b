"""A digest of what a release reads and writes of an assignment: unchanged ones are left alone.

The digest of the last release that passed every proof is stored in the assignment's
`verified.json`. It holds for the tool as it was then; CI proves everything again (`make proofs`).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from nbformat import NotebookNode, from_dict
from nbformat.v4.rwbase import rejoin_lines

from autograder.authoring.setup_cell import setup_cell
from autograder.authoring.stamp import badge, reused_definitions
from autograder.authoring.stored_outputs import METADATA, is_executed
from autograder.course import verified
from autograder.course.assignment import Assignment
from autograder.course.cells import reused_from
from autograder.course.layout import Course
from autograder.errors import CourseError

#: What a release reads of a cell; stored outputs do not count.
_READ = ("cell_type", "source", "metadata", "attachments")


def digest(course: Course, name: str) -> str:
    """Return a digest of what a release reads and writes of an assignment."""
    found = hashlib.sha256(
        f"{badge(course, name)}\n{setup_cell(Assignment(course, name))}".encode()
    )
    notebook = _notebook(course, name)
    wanted = [[cell.get(key) for key in _READ] for cell in notebook.cells]
    found.update(json.dumps([notebook.metadata.get(METADATA), wanted]).encode())
    for number, cell in enumerate(notebook.cells, 1):
        if reused_from(cell):  # what it pastes, and nothing else of the earlier assignment
            where = f"{name}, cell {number}"
            found.update(json.dumps(reused_definitions(cell["source"], where, course)).encode())
    generated = [course.notebook(name), course.recordings / f"{name}.json"]
    for file in (*_modules(course, name), *generated):
        found.update(file.read_bytes() if file.exists() else b"missing")
    return found.hexdigest()


def is_released(course: Course, name: str) -> bool:
    """Tell whether an assignment is as its last release left it."""
    return verified.read(course, name).get("released") == digest(course, name)


def pasted_since(course: Course, names: list[str]) -> list[str]:
    """Return the other assignments that reuse code of these, and were released with older code."""
    return [
        name
        for name in course.assignments()
        if name not in names
        and "released" in verified.read(course, name)
        and any(reused_from(cell) in names for cell in _notebook(course, name).cells)
        and not is_released(course, name)
    ]


def modules(course: Course, name: str) -> str:
    """Return a digest of an assignment's modules of cases and drawings, which a release only reads."""
    found = hashlib.sha256()
    for file in _modules(course, name):
        found.update(file.read_bytes())
    return found.hexdigest()


def _modules(course: Course, name: str) -> list[Path]:
    cases = sorted([*course.cases(name).glob("*.py"), *course.shared_cases()])
    return [*cases, *sorted(course.drawings(name).glob("*.py"))]


def is_draft(course: Course, name: str) -> bool:
    """Tell whether an assignment's solution notebook was never executed."""
    return not is_executed(name, _notebook(course, name))


def _notebook(course: Course, name: str) -> NotebookNode:
    """Read a solution notebook without nbformat's validation, which takes most of the time."""
    path = course.solution(name)
    try:
        notebook: NotebookNode = rejoin_lines(from_dict(json.loads(path.read_bytes())))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{path.name} cannot be read as a notebook: {error}") from error
    return notebook
