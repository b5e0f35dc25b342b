"""Submissions in the gradebook, read for a whole class at once.

nbgrader's tables have no index by submission, and its models ask for the rows of each one apart: a
class costs the square of its size. Here every table is read once, however many students there are.
"""

from __future__ import annotations

import math

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy.orm import subqueryload


def read_submissions(gradebook: Gradebook, assignment: str) -> list[SubmittedAssignment]:
    """Return the submissions of an assignment, with their notebooks, grades and comments loaded.

    The list is empty if the gradebook does not know the assignment.
    """
    notebooks = subqueryload(SubmittedAssignment.notebooks)
    found: list[SubmittedAssignment] = (
        gradebook.db.query(SubmittedAssignment)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment)
        .options(
            notebooks.subqueryload(SubmittedNotebook.grades).subqueryload(Grade.cell),
            notebooks.subqueryload(SubmittedNotebook.comments),
        )
        .all()
    )
    return found


def raw_score(notebook: SubmittedNotebook) -> float:
    """Return the sum of a notebook's grades, without the late penalty."""
    return math.fsum(grade.score for grade in notebook.grades)


def late_penalty(submission: SubmittedAssignment) -> float:
    """Return the points that are subtracted for lateness."""
    return math.fsum(one.late_submission_penalty or 0.0 for one in submission.notebooks)
