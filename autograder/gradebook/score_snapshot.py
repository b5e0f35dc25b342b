"""What the gradebook says of a graded submission: its points, and what is still to be graded."""

from __future__ import annotations

from dataclasses import dataclass

from nbgrader.api import Gradebook, SubmittedAssignment

from autograder.gradebook.withdrawn import excused_points


def is_graded(submission: SubmittedAssignment) -> bool:
    """Whether every check cell has points; nbgrader itself counts one without as 0."""
    return all(
        grade.auto_score is not None or grade.manual_score is not None
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.name.startswith("check_")
    )


@dataclass(frozen=True)
class Score:
    """What a submission has reached.

    Attributes
    ----------
    raw : float
        The sum over the cells.
    penalty : float
        What lateness costs.
    max_score : float
        Out of how many points, for this student.
    waiting : int
        How many answers a person has still to grade.
    """

    raw: float
    penalty: float
    max_score: float
    waiting: int = 0

    @property
    def final(self) -> float:
        return max(0.0, self.raw - self.penalty)


def read_score(gradebook: Gradebook, submission: SubmittedAssignment) -> Score:
    """The score of a submission in the gradebook."""
    return Score(
        submission.score,
        submission.late_submission_penalty or 0.0,
        submission.max_score - excused_points(gradebook, submission),
        sum(grade.needs_manual_grade for one in submission.notebooks for grade in one.grades),
    )
