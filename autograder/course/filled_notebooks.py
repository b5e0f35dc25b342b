"""Student notebooks with answers filled in: for the demo, for `try`, tests and benchmarks."""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from autograder.course.cells import without_delimiters
from autograder.course.exercise import Answer
from autograder.course.files import cached_until_changed
from autograder.course.layout import Course
from autograder.course.reference import bare_sources, read, read_shared


def filled(
    course: Course, assignment: str, sources: dict[str, str | None] | None = None
) -> NotebookNode:
    """The student notebook with every TODO answered as in the solution notebook.

    Parameters
    ----------
    sources : answers to use instead, by exercise; None leaves the TODO as released.
    """
    sources = sources or {}
    notebook = read(course.notebook(assignment))
    for cell in notebook.cells:
        metadata = cell.metadata.get("nbgrader", {})
        if metadata.get("solution"):
            name = metadata["grade_id"]
            source = sources.get(name, reference_cell(course, assignment, name))
            cell.source = cell.source if source is None else source
    return notebook


def reference_cell(course: Course, assignment: str, name: str) -> str:
    """The cell of the solution notebook that defines an exercise, without delimiters."""
    return _solution_cells(course.solution(assignment))[name]


def typed(course: Course, assignment: str, answer: Answer) -> str:
    """An answer as a student would have typed it."""
    return answer.source(bare_sources(course.solution(assignment))[answer.exercise])


@cached_until_changed
def _solution_cells(notebook: Path) -> dict[str, str]:
    found = {}
    for cell in read_shared(notebook).cells:
        if grade_id := cell.metadata.get("nbgrader", {}).get("grade_id"):
            found[grade_id] = without_delimiters(cell.source)
    return found
