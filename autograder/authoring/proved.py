"""Which assignments were proved as they are now: an unchanged one is not proved again.

`exercises/proved.json` holds a digest of each assignment's sources and of what was generated from
them. It says that a release of these files passed every proof, with the tool as it was then; CI
proves all of them again (`make proofs`).
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
from autograder.course.assignment import Assignment
from autograder.course.cells import reused_from
from autograder.course.layout import Course
from autograder.errors import CourseError

#: What a release reads of a cell; stored outputs do not count.
_READ = ("cell_type", "source", "metadata", "attachments")


def path(course: Course) -> Path:
    """The file with the digests."""
    return course.root / "exercises" / "proved.json"


def read(course: Course) -> dict[str, str]:
    """The digest of each assignment that was proved; none if the file is missing or damaged."""
    try:
        found = json.loads(path(course).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def text(course: Course, digests: dict[str, str]) -> str:
    """The file's text, in the order of the assignments."""
    known = {name: digests[name] for name in course.assignments() if name in digests}
    return json.dumps(known, indent=1) + "\n"


def digest(course: Course, name: str) -> str:
    """A digest of what a release reads and writes of an assignment."""
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


def pasted_since(course: Course, names: list[str]) -> list[str]:
    """Other assignments that paste from these, and were proved with what these had before."""
    stored = read(course)
    return [
        name
        for name in course.assignments()
        if name in stored
        and name not in names
        and any(reused_from(cell) in names for cell in _notebook(course, name).cells)
        and stored[name] != digest(course, name)
    ]


def modules(course: Course, name: str) -> str:
    """A digest of an assignment's modules of cases and drawings, which a release only reads."""
    found = hashlib.sha256()
    for file in _modules(course, name):
        found.update(file.read_bytes())
    return found.hexdigest()


def _modules(course: Course, name: str) -> list[Path]:
    cases = sorted([*course.cases(name).glob("*.py"), *course.shared_cases()])
    return [*cases, *sorted(course.drawings(name).glob("*.py"))]


def is_draft(course: Course, name: str) -> bool:
    """Whether an assignment's solution notebook was never executed."""
    return not is_executed(name, _notebook(course, name))


def _notebook(course: Course, name: str) -> NotebookNode:
    """A solution notebook, read without nbformat's validation, which takes most of the time."""
    path = course.solution(name)
    try:
        notebook: NotebookNode = rejoin_lines(from_dict(json.loads(path.read_bytes())))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{path.name} cannot be read as a notebook: {error}") from error
    return notebook
