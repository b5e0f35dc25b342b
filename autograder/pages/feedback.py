"""Feedback pages of a graded class, written with nbgrader."""

from __future__ import annotations

import functools
from pathlib import Path

from tqdm.auto import tqdm

from autograder.course.layout import Course
from autograder.errors import ClassError, GraderFault, TookTooLong
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.fault_log import (
    fault_file,
    forget_fault,
    is_of_the_grader,
    keep_fault,
    listed,
)
from autograder.gradebook.retry import patiently
from coursekit.checking.time_limit import time_limit

_PAGE_SECONDS = 60.0  # of processor time


def write_feedback(course: Course, assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the feedback pages of all graded submissions; return their paths.

    Raises
    ------
    ClassError
        There are no graded submissions, or one takes too long to show.
    GraderFault
        The autograder has failed on some pages; the others are written.
    """
    classroom = Classroom(course, folder)
    graded = [
        s for s in classroom.students(assignment) if classroom.autograded(s, assignment).exists()
    ]
    if not graded:
        raise ClassError(
            f"no submissions of {assignment} are graded yet; run `autograder grade {assignment}`"
            " first."
        )
    pages, slow, faults = [], [], []
    for student in tqdm(graded, desc="feedback", unit="page", disable=None):
        fault = fault_file(classroom.folder, assignment, student, page=True)
        what = f"the feedback page of {student}"
        try:
            with time_limit(_PAGE_SECONDS, TookTooLong):
                patiently(functools.partial(classroom.write_feedback, assignment, student))
        except TookTooLong as error:
            slow.append(f"could not write {what}: {error}")
        except Exception as error:
            if not is_of_the_grader(error):
                raise
            keep_fault(fault, f"writing {what} for {assignment}", error)
            faults.append((f"the autograder failed on {what}", fault))
        else:
            forget_fault(fault)
            pages.append(classroom.feedback(student, assignment))
    if faults:
        raise GraderFault("\n  ".join([*slow, listed(faults)]))
    if slow:
        raise ClassError("\n  ".join(slow))
    return pages
