"""A submission's entry in the gradebook: kept before nbgrader changes it, put back if it fails.

nbgrader stores the points of a submission cell by cell, so a fault may leave half of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment

from autograder.gradebook.own_tables import GradedAnswer, SetAside
from autograder.gradebook.withdrawn import excused_points


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
    answers : dict
        Id of a grade -> the digest of the answer that it belongs to; None if unknown.
    waiting : dict
        Id of a grade that is withdrawn -> whether it is to be given by hand.
    """

    timestamp: datetime | None
    penalties: dict[str, float | None] = field(default_factory=dict)
    grades: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    comments: dict[tuple[str, str], Any] = field(default_factory=dict)
    answers: dict[str, str | None] = field(default_factory=dict)
    waiting: dict[str, bool] = field(default_factory=dict)


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
            answer = gradebook.db.get(GradedAnswer, grade.id)
            entry.answers[grade.id] = answer.digest if answer else None
            if (aside := gradebook.db.get(SetAside, grade.id)) is not None:
                entry.waiting[grade.id] = aside.needs_manual_grade
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
