"""A course with an exercise and two questions that a person grades, and how its class hands in."""

from __future__ import annotations

from contextlib import contextmanager

import nbformat
from manually_graded import manually_graded
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook

from autograder.authoring.release import release
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled

NAME = "07_topic"
EXERCISE = "average_topic"


@contextmanager
def gradebook(course):
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        yield book


def hand_in(course, student, notebook=None, time=None):
    folder = course.root / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook or filled(Assignment(course, NAME)), folder / f"{NAME}.ipynb")
    if time is not None:
        (folder / "timestamp.txt").write_text(f"{time} UTC")


def by_hand(course):
    """Add a question in words and one in code to the solution notebook; both graded by hand."""
    path = course.solution(NAME)
    notebook = nbformat.read(path, as_version=4)
    for grade_id, cell in (
        ("why", new_markdown_cell("Why does padding not count?")),
        ("plot", new_code_cell("# draw something")),
    ):
        notebook.cells.append(manually_graded(cell, grade_id, 5))
    nbformat.write(notebook, path)
    release(course, [NAME])


def answered(course, why="Since it is no word.", plot="1 + 1"):
    notebook = filled(Assignment(course, NAME))
    for cell in notebook.cells:
        texts = {"why": why, "plot": plot}
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = texts.get(grade_id) or cell.source
    return notebook


def grade_by_hand(course, student, grade_id, points, comment=None):
    """As formgrader does it."""
    with gradebook(course) as book:
        grade = book.find_grade(grade_id, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment is not None:
            book.find_comment(grade_id, NAME, NAME, student).manual_comment = comment
        book.db.commit()
