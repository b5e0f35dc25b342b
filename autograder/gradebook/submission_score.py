"""The score of a graded submission in the gradebook."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nbgrader.api import SubmittedAssignment

from autograder.gradebook.own_tables import Withdrawal
from autograder.gradebook.read_submissions import late_penalty, raw_score
from autograder.gradebook.withdrawn import excused_points


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
