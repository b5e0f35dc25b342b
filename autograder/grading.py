"""Grades a class: nbgrader keeps the books, one submission after another, none ends the batch."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from tqdm.auto import tqdm

from autograder.course import Course
from autograder.errors import CourseError
from autograder.gradebook import Classroom
from autograder.verdicts import read_verdicts
from coursekit.judging import Verdict


@dataclass
class Graded:
    """What grading a class gave.

    Attributes
    ----------
    verdicts : student -> a verdict per exercise, in the order of the notebook.
    failures : student -> why the submission could not be graded; such a one has no score.
    """

    assignment: str
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def grade_class(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    students: list[str] | None = None,
    cell_seconds: float | None = None,
) -> Graded:
    """Autograde the submissions under `folder`/submitted with nbgrader.

    Raises
    ------
    CourseError
        There is no submission of the assignment, or none of a student asked for.
    """
    classroom = Classroom(course, folder)
    everyone = classroom.students(assignment)
    for student in students or []:
        if student not in everyone:
            raise CourseError(f"{student} has not submitted {assignment}.")
    if not everyone:
        raise CourseError(
            f"there is no submission of {assignment}: they belong in"
            f" {classroom.folder}/submitted/STUDENT/{assignment}/{assignment}.ipynb."
        )
    classroom.register(assignment)
    graded = Graded(assignment)
    for student in tqdm(students or everyone, desc="grading", unit="submission", disable=None):
        failure = _grade_one(classroom, assignment, student, cell_seconds)
        if failure:
            graded.failures[student] = failure
        else:
            path = classroom.autograded(student, assignment)
            graded.verdicts[student] = read_verdicts(nbformat.read(path, as_version=4))
    return graded


def _grade_one(
    classroom: Classroom, assignment: str, student: str, cell_seconds: float | None
) -> str:
    """Grade one submission; "" or one sentence that says why it could not be graded."""
    path = classroom.submission(student, assignment)
    if not path.exists():
        return f"{path.name} is not in {path.parent.relative_to(classroom.folder)}."
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return f"{path.name} is not a notebook: it is cut off or damaged."
    config = classroom.config()
    if cell_seconds is not None:
        config.Grade.cell_seconds = float(cell_seconds)
    shutil.rmtree(classroom.autograded(student, assignment).parent, ignore_errors=True)
    return classroom.autograde(assignment, student, config)


def write_feedback(course: Course, assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the feedback pages of all graded submissions; return their paths.

    Raises
    ------
    CourseError
        Nothing has been graded yet, or nbgrader could not write a page.
    """
    classroom = Classroom(course, folder)
    graded = [
        student
        for student in classroom.students(assignment)
        if classroom.autograded(student, assignment).exists()
    ]
    if not graded:
        raise CourseError(f"nothing of {assignment} is graded yet; run `autograder grade` first.")
    pages = []
    for student in tqdm(graded, desc="feedback", unit="page", disable=None):
        failure = classroom.write_feedback(assignment, student)
        if failure:
            raise CourseError(f"the page of {student} could not be written: {failure}")
        pages.append(classroom.feedback(student, assignment))
    return pages
