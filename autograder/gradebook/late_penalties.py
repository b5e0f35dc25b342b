"""Late penalties, computed anew from the gradebook without running any submission.

The time of a submission, the due date, an extension and points given by hand may change after
grading. Each of these decides the penalty, and none of them the points of an exercise.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties as StockPenalties
from nbgrader.utils import parse_utc
from traitlets.config import Config

from autograder.gradebook.extensions import granted
from autograder.gradebook.late_policy import lateness
from autograder.gradebook.read_submissions import late_penalty, raw_score, read_submissions
from autograder.gradebook.submission_score import is_graded
from autograder.gradebook.upload_manifest import Origin, read_origins
from autograder.gradebook.withdrawn import apply_withdrawals
from autograder.grading.student_files import read_regular

_MAX_TIME_BYTES = 100


@dataclass(frozen=True)
class Settled:
    """A submission whose late penalty has changed."""

    assignment: str
    student: str
    before: float
    now: float


class AssignLatePenalties(StockPenalties):
    """nbgrader's step for late penalties, with extensions granted in advance and LMSs' marks.

    It has the name of nbgrader's own step, by which `nbgrader_config.py` replaces that.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Set the late penalty of a submission."""
        nb, resources = super().preprocess(nb, resources)
        with self.gradebook:
            folder = Path(self.db_url.removeprefix("sqlite:///")).parent
            submission = self.gradebook.find_submission(self.assignment_id, self.student_id)
            known = _Known.of(folder, self.assignment_id)
            _charge(self, submission, known)
            self.gradebook.db.commit()
        return nb, resources


@dataclass(frozen=True)
class _Known:
    """The extensions and origins of an assignment's submissions, from the class's folder."""

    folder: Path
    extensions: dict[str, timedelta]
    origins: dict[str, Origin]

    @classmethod
    def of(cls, folder: Path, assignment: str) -> _Known:
        """Read them from the folder of a class."""
        return cls(folder, granted(folder, assignment), read_origins(folder, assignment))

    def is_marked(self, student: str) -> bool:
        """Tell whether the LMS marked a student's submission as late."""
        return student in self.origins and self.origins[student].late


def submission_time(folder: Path) -> datetime | None:
    """Return the time in a submission's `timestamp.txt`, in UTC; None if there is none."""
    with contextlib.suppress(Exception):  # the date parser raises many types
        content = read_regular(folder / "timestamp.txt", _MAX_TIME_BYTES)
        found: datetime = parse_utc(content.decode().strip())
        return found
    return None


def settle(config: Config, folder: Path, assignments: Iterable[str]) -> list[Settled]:
    """Compute the late penalties of all graded submissions anew; return those that changed.

    Parameters
    ----------
    config : Config
        nbgrader's configuration, which names the plugin that computes late penalties.
    folder : Path
        The folder of the class.
    """
    changed = []
    database = f"sqlite:///{folder / 'gradebook.db'}"
    with Gradebook(database) as gradebook:
        for assignment in assignments:
            step = _step(config, gradebook, database, assignment)
            known = _Known.of(folder, assignment)
            apply_withdrawals(gradebook, assignment)
            for submission in filter(is_graded, read_submissions(gradebook, assignment)):
                before = late_penalty(submission)
                _sync_time(submission, known)
                now = _charge(step, submission, known)
                if now != before:
                    changed.append(Settled(assignment, submission.student_id, before, now))
        gradebook.db.commit()
    return changed


def charge(
    config: Config, gradebook: Gradebook, folder: Path, submission: SubmittedAssignment
) -> None:
    """Set what lateness costs a submission that has just been scored; the caller commits.

    Parameters
    ----------
    config : Config
        nbgrader's, which names the plugin that says what lateness costs.
    folder : Path
        The class's.
    """
    assignment = submission.assignment.name
    step = _step(config, gradebook, f"sqlite:///{folder / 'gradebook.db'}", assignment)
    _charge(step, submission, _Known.of(folder, assignment))


def _step(config: Config, gradebook: Gradebook, database: str, assignment: str) -> StockPenalties:
    """Return nbgrader's step as its plugins know it: they ask it for the gradebook."""
    step = StockPenalties(config=config)
    step.assignment_id, step.gradebook, step.db_url = assignment, gradebook, database
    return step


def _sync_time(submission: SubmittedAssignment, known: _Known) -> None:
    """Store the time in `submitted/`, which nbgrader updates only when it grades."""
    place = known.folder / "submitted" / submission.student_id / submission.assignment.name
    if place.is_dir():
        time = submission_time(place)
        if time != submission.timestamp:
            submission.timestamp = time


def _charge(step: StockPenalties, submission: SubmittedAssignment, known: _Known) -> float:
    """Set the penalties of a submission's notebooks; return their sum."""
    student = submission.student_id
    if submission.extension is None and student in known.extensions:
        submission.extension = known.extensions[student]
    late = lateness(submission, known.is_marked(student))
    total = 0.0
    for notebook in submission.notebooks:
        penalty = None
        if late.charged:
            step.student_id = student
            step.init_plugin()
            penalty = step.plugin_inst.late_submission_penalty(
                student, raw_score(notebook), late.charged
            )
        if penalty is not None:
            penalty = step._check_late_penalty(notebook, penalty)
        if penalty != notebook.late_submission_penalty:
            notebook.late_submission_penalty = penalty
        total += penalty or 0.0
    return total
