"""A snapshot of a submission's entry in the gradebook, to restore it if nbgrader fails.

nbgrader stores the points of a submission cell by cell, so a fault may leave half of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment

from autograder.gradebook.own_tables import GradedAnswer, SetAside, Withdrawal
from autograder.gradebook.submissions import late_penalty, raw_score
from autograder.gradebook.withdrawn import excused_points


@dataclass(frozen=True)
class Entry:
    """The fields of a submission's entry in the gradebook that autograding changes.

    Attributes
    ----------
    timestamp : datetime or None
        The time of the submission.
    penalties : dict
        Notebook -> points subtracted for lateness.
    grades, comments : dict
        (notebook, cell) -> the points and whether they are to be given by hand; the comment.
    answers : dict
        Grade id -> the digest of the answer that it belongs to; None if unknown.
    waiting : dict
        Id of a withdrawn grade -> whether it is to be given by hand.
    """

    timestamp: datetime | None
    penalties: dict[str, float | None] = field(default_factory=dict)
    grades: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    comments: dict[tuple[str, str], Any] = field(default_factory=dict)
    answers: dict[str, str | None] = field(default_factory=dict)
    waiting: dict[str, bool] = field(default_factory=dict)


def read_entry(gradebook: Gradebook, assignment: str, student: str) -> Entry | None:
    """Return the entry of a submission; None if there is none."""
    try:
        found = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return None
    entry = Entry(found.timestamp)
    for notebook in found.notebooks:
        entry.penalties[notebook.name] = notebook.late_submission_penalty
        for grade in notebook.grades:
            entry.grades[notebook.name, grade.name] = grade.auto_score, grade.needs_manual_grade
            answer = gradebook.db.get(GradedAnswer, grade.id)
            entry.answers[grade.id] = answer.digest if answer else None
            if (aside := gradebook.db.get(SetAside, grade.id)) is not None:
                entry.waiting[grade.id] = aside.needs_manual_grade
        for comment in notebook.comments:
            entry.comments[notebook.name, comment.name] = comment.auto_comment
    return entry


def restore_entry(gradebook: Gradebook, assignment: str, student: str, entry: Entry | None) -> None:
    """Restore an entry as `read_entry` has returned it; None removes the submission."""
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
            answer = gradebook.db.get(GradedAnswer, grade.id)
            if answer is not None and (digest := entry.answers.get(grade.id)):
                answer.digest = digest
            elif answer is not None:
                gradebook.db.delete(answer)
            aside = gradebook.db.get(SetAside, grade.id)
            if aside is not None and grade.id in entry.waiting:
                aside.needs_manual_grade = entry.waiting[grade.id]
        for comment in notebook.comments:
            comment.auto_comment = entry.comments.get((notebook.name, comment.name))
    gradebook.db.commit()


def is_graded(submission: SubmittedAssignment) -> bool:
    """Tell whether every check cell has points; nbgrader itself counts a missing score as 0."""
    return all(
        grade.auto_score is not None or grade.manual_score is not None
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.name.startswith("check_")
    )


@dataclass(frozen=True)
class Score:
    """The score of a submission.

    Attributes
    ----------
    raw : float
        The sum over the cells.
    penalty : float
        The late penalty.
    max_score : float
        The maximum for this student.
    waiting : int
        Number of answers that are still to be graded by hand.
    """

    raw: float
    penalty: float
    max_score: float
    waiting: int = 0

    @property
    def final(self) -> float:
        """The score after the late penalty, at least 0."""
        return max(0.0, self.raw - self.penalty)


def read_score(submission: SubmittedAssignment, withdrawn: list[Withdrawal]) -> Score:
    """Return the score of a submission in the gradebook.

    Parameters
    ----------
    withdrawn : list of Withdrawal
        All withdrawals of the assignment.
    """
    return Score(
        math.fsum(map(raw_score, submission.notebooks)),
        late_penalty(submission),
        submission.assignment.max_score - excused_points(withdrawn, submission.student_id),
        sum(grade.needs_manual_grade for one in submission.notebooks for grade in one.grades),
    )
