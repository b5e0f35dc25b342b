"""The `demo` command: a made-up class, graded from start to end."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console

from autograder.classroom.console_tables import show, summary_table, verdict_tables
from autograder.classroom.report import write_report
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled, without_guide
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_lock import sole_grader
from autograder.gradebook.grade_class import Options, grade_class
from autograder.pages.feedback import write_feedback
from autograder.sandbox.doctor import is_available


def run_demo(course: Course, assignment: str) -> None:
    """Create the class in `demo/`, grade it, write report and feedback pages, and say where they are.

    Raises
    ------
    CourseError
        The `demo/` of an earlier run cannot be deleted, or another run is at work there.
    """
    folder = course.root / "demo"
    with sole_grader(folder):
        _delete(folder)
    for student, notebook in demo_submissions(Assignment(course, assignment)).items():
        path = folder / "submitted" / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
    # the demo class is our own code, so it may run without a sandbox
    options = Options(cell_seconds=15, sandbox=is_available())
    graded = grade_class(course, assignment, folder, options=options)
    show(*verdict_tables(graded), summary_table(graded))
    graded.require_no_fault()
    pages = write_feedback(course, assignment, folder)
    report = write_report(course, assignment, folder)
    console = Console()
    console.print(f"\nReport on the class:\n  {report.relative_to(course.root)}", highlight=False)
    console.print("Feedback pages:")
    for page in pages:
        console.print(f"  {page.relative_to(course.root)}", highlight=False)
    console.print("\nOpen the student notebooks with [bold]jupyter lab notebooks[/bold].")


def _delete(folder: Path) -> None:
    """Delete the folder of an earlier run, if there is one."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as error:  # a link, a file, or files of another user
        raise CourseError(
            f"{folder} is in the way and cannot be deleted ({error.strerror or error}): delete it"
            " yourself, and run the command again."
        ) from error


def demo_submissions(assignment: Assignment) -> dict[str, NotebookNode]:
    """Return notebooks by student: complete, partly wrong, unfinished and hanging."""
    exercises = assignment.exercises
    names = list(exercises)
    second = names[:2][-1]
    wrong = {
        name: assignment.typed(exercises[name].misconceptions[0]) for name in names[1::3] or names
    }
    questions = questions_of(assignment)
    brief = {name: _first_sentence(text) for name, text in questions.items()}
    open_ = dict.fromkeys(questions, "I did not get this far.")
    endless = f"def {second}(*inputs):\n    while True:\n        pass"
    return {
        "complete": filled(assignment),
        "partly_wrong": filled(assignment, wrong | brief),
        "unfinished": filled(assignment, {**dict.fromkeys(names[len(names) // 2 :]), **open_}),
        "endless": filled(assignment, {second: endless, **brief}),
    }


def questions_of(assignment: Assignment) -> dict[str, str]:
    """Return the model answers to the questions that are graded by hand, by question."""
    return {
        name: without_guide(text)
        for name, text in assignment.solution.written_cells.items()
        if name not in assignment.exercises and name in _by_hand(assignment)
    }


def _by_hand(assignment: Assignment) -> set[str]:
    """Return the grade ids of the text cells that are graded by hand."""
    texts = [cell for cell in assignment.release.cells if cell.cell_type == "markdown"]
    marks = [cell.metadata.get("nbgrader", {}) for cell in texts]
    return {one["grade_id"] for one in marks if one.get("solution") and one.get("grade")}


def _first_sentence(text: str) -> str:
    """Return the first sentence of a model answer, for a student who understood half of it."""
    return re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0]
