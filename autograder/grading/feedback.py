"""Writes the feedback pages of a graded class, with nbgrader."""

from __future__ import annotations

from pathlib import Path

from tqdm.auto import tqdm

from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.gradebook import Classroom


def write_feedback(course: Course, assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the feedback pages of all graded submissions; return their paths.

    Raises
    ------
    CourseError
        Nothing has been graded yet, or nbgrader could not write a page.
    """
    room = Classroom(course, folder)
    graded = [s for s in room.students(assignment) if room.autograded(s, assignment).exists()]
    if not graded:
        raise CourseError(f"nothing of {assignment} is graded yet; run `autograder grade` first.")
    pages, failures = [], []
    for student in tqdm(graded, desc="feedback", unit="page", disable=None):
        failure = room.write_feedback(assignment, student)
        if failure:
            failures.append(f"the page of {student} could not be written: {failure}")
        else:
            pages.append(room.feedback(student, assignment))
    if failures:
        raise CourseError("\n  ".join(failures))
    return pages
