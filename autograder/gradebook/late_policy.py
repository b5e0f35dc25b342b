"""The late policy: the lateness of a submission, and its penalty.

nbgrader subtracts the penalty that a plugin returns. `DailyPenalty` is such a plugin; the file
`nbgrader_config.py` names it and sets its numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment
from nbgrader.plugins import BasePlugin
from traitlets import Float, Integer

from autograder.gradebook.read_submissions import late_penalty
from autograder.gradebook.upload_manifest import read_origins

_DAY = 86_400.0


@dataclass(frozen=True)
class Lateness:
    """The lateness of a submission: when it was handed in, and when it was due.

    Attributes
    ----------
    submitted, due : datetime or None
        Times in UTC; None if unknown. An extension for the student moves `due`.
    marked : bool
        Whether the LMS marked it as late. That counts only where a time is unknown.
    extended : bool
        Whether the student has an extension, of which the LMS's mark knows nothing.
    penalty : float
        Points that are subtracted for it.
    """

    submitted: datetime | None = None
    due: datetime | None = None
    marked: bool = False
    extended: bool = False
    penalty: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds after the due date; 0 if in time or unknown."""
        if self.submitted is None or self.due is None:
            return 0.0
        return max(0.0, (self.submitted - self.due).total_seconds())

    @property
    def only_marked(self) -> bool:
        """True if it is late by an unknown time."""
        unknown = self.submitted is None or self.due is None
        return self.marked and unknown and not self.extended

    @property
    def charged(self) -> float:
        """The seconds that a penalty counts: 1, which begins a day, if the time is unknown."""
        return 1.0 if self.only_marked and self.due is not None else self.seconds

    @property
    def late(self) -> bool:
        """True if it is late."""
        return self.seconds > 0 or self.only_marked

    @property
    def words(self) -> str:
        """The lateness in words, as in "2 days late"; "" if in time."""
        if self.seconds:
            return f"{in_words(self.seconds)} late"
        return "late, says the LMS" if self.late else ""


def in_words(seconds: float) -> str:
    """Return a time span in its largest unit, rounded up: "3 hours", "1 day"."""
    for size, unit in ((_DAY, "day"), (3_600.0, "hour"), (60.0, "minute")):
        if seconds > size or unit == "minute":
            count = math.ceil(seconds / size)
            return f"{count} {unit}{'s' * (count != 1)}"
    raise AssertionError("unreachable")


def lateness(submission: SubmittedAssignment, marked: bool = False) -> Lateness:
    """Return the lateness of a submission in the gradebook.

    Parameters
    ----------
    marked : bool
        Whether the LMS marked it as late.
    """
    due = submission.assignment.duedate
    if due is not None and submission.extension is not None:
        due += submission.extension
    extended = submission.extension is not None
    return Lateness(submission.timestamp, due, marked, extended, late_penalty(submission))


class DailyPenalty(BasePlugin):
    """The plugin of nbgrader that subtracts a share of the score for each late day.

    Each student has some grace days in the term: late days that cost nothing, used up in the order of
    the due dates. nbgrader calls it when it autogrades.
    """

    percent_per_day = Float(
        0.0, min=0, max=100, help="percent of the score that each late day costs"
    ).tag(config=True)
    most_percent = Float(100.0, min=0, max=100, help="percent that lateness costs at most").tag(
        config=True
    )
    grace_days = Integer(
        0, min=0, help="late days that each student has in the term, free of charge"
    ).tag(config=True)
    grace_minutes = Float(0.0, min=0, help="minutes after the due date that are not late").tag(
        config=True
    )

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """Return the points to subtract from `score`; None for none."""
        days = self._days(total_seconds_late) - self._grace_left(student_id)
        percent = min(self.most_percent, self.percent_per_day * max(0, days))
        return score * percent / 100 if percent else None

    def _days(self, seconds: float) -> int:
        """Return the late days, begun ones included, without the grace minutes."""
        return max(0, math.ceil((seconds - 60 * self.grace_minutes) / _DAY))

    def _grace_left(self, student: str) -> int:
        """Return the grace days that assignments with earlier due dates have left."""
        current = getattr(self.parent, "assignment_id", None)
        gradebook: Gradebook | None = getattr(self.parent, "gradebook", None)
        if not self.grace_days or current is None or gradebook is None:
            return self.grace_days
        own = gradebook.find_assignment(current)
        used = 0
        for submission in gradebook.student_submissions(student):
            if _order(submission.assignment) < _order(own):
                marked = self._is_marked(submission.assignment.name, student)
                used += self._days(lateness(submission, marked).charged)
        return max(0, self.grace_days - used)

    def _is_marked(self, assignment: str, student: str) -> bool:
        """Tell whether the LMS marked a submission as late."""
        database: str | None = getattr(self.parent, "db_url", None)
        if database is None:
            return False
        folder = Path(database.removeprefix("sqlite:///")).parent
        origin = read_origins(folder, assignment).get(student)
        return origin is not None and origin.late


def _order(assignment: Assignment) -> tuple[Any, str]:
    """Return a key that sorts assignments by due date."""
    return assignment.duedate or datetime.max, assignment.name
