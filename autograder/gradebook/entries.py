"""A submission's entry in the gradebook: kept before nbgrader changes it, put back if it fails.

nbgrader stores the points of a submission cell by cell, so a fault may leave half of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment


@dataclass(frozen=True)
class Entry:
    """What autograding a submission changes in the gradebook, for a submission that it knows.

    Attributes
    ----------
    timestamp : datetime or None
        When the submission was handed in.
    penalties : dict
        Notebook -> points subtracted for lateness.
    grades, comments : dict
        (notebook, cell) -> points and whether they are to be given by hand; comment.
    """

    timestamp: datetime | None
    penalties: dict[str, float | None] = field(default_factory=dict)
    grades: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    comments: dict[tuple[str, str], Any] = field(default_factory=dict)


def read_entry(gradebook: Gradebook, assignment: str, student: str) -> Entry | None:
    """The entry of a submission; None if there is none."""
    try:
        found = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return None
    entry = Entry(found.timestamp)
    for notebook in found.notebooks:
        entry.penalties[notebook.name] = notebook.late_submission_penalty
        for grade in notebook.grades:
            entry.grades[notebook.name, grade.name] = grade.auto_score, grade.needs_manual_grade
        for comment in notebook.comments:
            entry.comments[notebook.name, comment.name] = comment.auto_comment
    return entry


def restore_entry(gradebook: Gradebook, assignment: str, student: str, entry: Entry | None) -> None:
    """Put an entry back as `read_entry` has found it; None removes what there is now."""
    try:
        found = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return
    if entry is None:
        gradebook.remove_submission(assignment, student)
        return
    found.timestamp = entry.timestamp
    for notebook in found.notebooks:
        notebook.late_submission_penalty = entry.penalties.get(notebook.name)
        for grade in notebook.grades:
            before = entry.grades.get((notebook.name, grade.name), (None, True))
            grade.auto_score, grade.needs_manual_grade = before
        for comment in notebook.comments:
            comment.auto_comment = entry.comments.get((notebook.name, comment.name))
    gradebook.db.commit()


@dataclass(frozen=True)
class Total:
    """The score of a submission, as every command and page says it.

    Attributes
    ----------
    score, max_score : float
        Points given by the grader and by hand, after the penalty for lateness; and all there are.
    waiting : int
        How many answers are still to be graded by hand.
    """

    score: float
    max_score: float
    waiting: int


def total(submission: SubmittedAssignment) -> Total:
    """What a submission has in the gradebook."""
    return Total(
        max(0.0, submission.score - (submission.late_submission_penalty or 0.0)),
        submission.max_score,
        sum(
            bool(grade.needs_manual_grade)
            for notebook in submission.notebooks
            for grade in notebook.grades
        ),
    )


def is_graded(submission: SubmittedAssignment) -> bool:
    """Whether every check cell has points; nbgrader itself counts one without as 0."""
    return all(
        grade.auto_score is not None or grade.manual_score is not None
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.name.startswith("check_")
    )
