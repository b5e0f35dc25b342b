"""Writes the feedback pages of a graded class with nbgrader."""

from __future__ import annotations

import functools
from pathlib import Path

from tqdm.auto import tqdm

from autograder.course.layout import Course
from autograder.errors import CourseError, TookTooLong
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.patience import patiently
from coursekit.checking.time_limit import time_limit

_PAGE_SECONDS = 60.0  # of processor time


def write_feedback(course: Course, assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the feedback pages of all graded submissions; return their paths.

    Raises
    ------
    CourseError
        There are no graded submissions, or nbgrader could not write a page.
    """
    classroom = Classroom(course, folder)
    graded = [
        s for s in classroom.students(assignment) if classroom.autograded(s, assignment).exists()
    ]
    if not graded:
        raise CourseError(
            f"no submissions of {assignment} are graded yet; run `autograder grade {assignment}`"
            " first."
        )
    pages, failures = [], []
    for student in tqdm(graded, desc="feedback", unit="page", disable=None):
        try:
            with time_limit(_PAGE_SECONDS, TookTooLong):
                failure = patiently(
                    functools.partial(classroom.write_feedback, assignment, student)
                )
        except TookTooLong as error:
            failure = str(error)
        if failure:
            failures.append(f"could not write the feedback page of {student}: {failure}")
        else:
            pages.append(classroom.feedback(student, assignment))
    if failures:
        raise CourseError("\n  ".join(failures))
    return pages
