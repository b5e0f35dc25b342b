"""A made-up class of one assignment, graded from start to end, to see what grading shows."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console

from autograder.classroom.tables import show, summary_table, verdict_tables
from autograder.course import catalog
from autograder.course.exercise import source_of
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.grading.grade_class import grade_class, write_feedback
from autograder.sandbox.doctor import is_available


def run_demo(course: Course, assignment: str) -> None:
    """Make the class under `demo/`, grade it, write the feedback pages and say what to do next."""
    folder = course.root / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    for student, notebook in demo_submissions(course, assignment).items():
        path = folder / "submitted" / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    # the course's own code: harmless where there is no isolation
    graded = grade_class(course, assignment, folder, cell_seconds=15, sandbox=is_available())
    show(*verdict_tables(graded), summary_table(graded))
    pages = write_feedback(course, assignment, folder)
    console = Console()
    console.print("\nFeedback pages, one per student:")
    for page in pages:
        console.print(f"  {page.relative_to(course.root)}", highlight=False)
    console.print(
        "\nOpen JupyterLab with [bold]make lab[/bold]; the student notebooks are in notebooks/."
    )


def demo_submissions(course: Course, assignment: str) -> dict[str, NotebookNode]:
    """Four submissions by name: complete, partly wrong, unfinished, and one that hangs."""
    exercises = catalog.exercises(course, assignment)
    names = list(exercises)
    second = names[:2][-1]
    wrong = {
        name: source_of(exercises[name].misconceptions[0].implementation, name)
        for name in names[1::3] or names
    }
    endless = f"def {second}(*inputs):\n    while True:\n        pass"
    return {
        "complete": filled(course, assignment),
        "partly_wrong": filled(course, assignment, wrong),
        "unfinished": filled(course, assignment, dict.fromkeys(names[len(names) // 2 :])),
        "endless": filled(course, assignment, {second: endless}),
    }


def filled(
    course: Course, assignment: str, sources: dict[str, str | None] | None = None
) -> NotebookNode:
    """The student notebook with every TODO answered as in the solution notebook.

    Parameters
    ----------
    sources : other answers by exercise; None leaves the TODO as it was released.
    """
    sources = sources or {}
    notebook = read(course.notebook(assignment))
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("solution"):
            continue
        name = marks["grade_id"]
        source = sources.get(name, filled_source(course, assignment, name))
        if source is not None:
            cell.source = source
    return notebook


def filled_source(course: Course, assignment: str, name: str) -> str:
    """The cell of the solution notebook that defines an exercise, without the solution marks."""
    path = course.solution(assignment)
    return _sources(path, path.stat().st_mtime_ns)[name]


@functools.lru_cache(maxsize=8)
def _sources(solution: Path, stamp: int) -> dict[str, str]:
    """Every marked cell of a solution notebook, by grade id, as a student would have typed it."""
    found = {}
    for cell in read(solution).cells:
        if grade_id := cell.metadata.get("nbgrader", {}).get("grade_id"):
            lines = cell.source.splitlines()
            kept = [line for line in lines if "### BEGIN" not in line and "### END" not in line]
            found[grade_id] = "\n".join(kept)
    return found
