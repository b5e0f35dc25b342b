"""Due dates and extensions of a class, with the late penalties that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

from nbgrader.api import MissingEntry

from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.extensions import granted, keep
from autograder.gradebook.late_penalties import Settled, settle
from autograder.gradebook.late_policy import DailyPenalty
from autograder.gradebook.upload_manifest import read_origins


def due_date(classroom: Classroom, assignment: str) -> datetime | None:
    """Return the due date in the gradebook, in UTC and without a zone; None if there is none."""
    if not classroom.database.exists():
        return None
    try:
        with classroom.open_gradebook() as gradebook:
            due: datetime | None = gradebook.find_assignment(assignment).duedate
            return due
    except MissingEntry:
        return None


def set_due_date(classroom: Classroom, assignment: str, due: datetime | None) -> list[Settled]:
    """Set a due date, in UTC and without a zone; return the late penalties that changed."""
    classroom.create_database()
    with classroom.open_gradebook() as gradebook:
        gradebook.update_or_create_assignment(assignment, duedate=due)
    return settle_penalties(classroom)


def has_clones(classroom: Classroom, assignment: str) -> bool:
    """Tell whether submissions came from clones, whose commit is chosen by the due date."""
    return any(one.commit for one in read_origins(classroom.folder, assignment).values())


def extensions(classroom: Classroom, assignment: str) -> dict[str, timedelta]:
    """Return student -> extension, for students who have one."""
    found = granted(classroom.folder, assignment)
    with classroom.submissions(assignment) as submissions:
        for one in submissions:
            if one.extension is not None:
                found[one.student_id] = one.extension
    return found


def last_deadline(classroom: Classroom, assignment: str) -> tuple[datetime, str] | None:
    """Return the latest due date of anyone, in UTC and without a zone, with the student.

    The student is "" if no extension is later than the due date. Return None without a due date.
    """
    due = due_date(classroom, assignment)
    if due is None:
        return None
    gone = classroom.dropped()
    given = [(due + more, who) for who, more in extensions(classroom, assignment).items()]
    return max([(due, ""), *(one for one in given if one[1] not in gone)])


def worthless_from(classroom: Classroom, deadline: datetime) -> datetime | None:
    """Return the time from which late work gets no points; None if never or unknown."""
    config = classroom.config()
    rule = DailyPenalty(config=config)
    plugin = config.AssignLatePenalties.get("plugin_class", "")
    if not str(plugin).endswith(DailyPenalty.__name__) or not rule.percent_per_day:
        return None
    if rule.most_percent < 100:
        return None
    days = math.ceil(100 / rule.percent_per_day) - 1 + rule.grace_days
    return deadline + timedelta(days=days, minutes=rule.grace_minutes)


def extend(classroom: Classroom, assignment: str, new: Mapping[str, timedelta]) -> list[Settled]:
    """Grant extensions in place of earlier ones, or remove them with no time.

    Returns
    -------
    list of Settled
        The late penalties that changed.
    """
    keep(classroom.folder, assignment, dict(new))
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            for student, extension in new.items():
                try:
                    submission = gradebook.find_submission(assignment, student)
                except MissingEntry:
                    continue
                submission.extension = extension or None
            gradebook.db.commit()
    return settle_penalties(classroom)


def settle_penalties(classroom: Classroom, assignment: str | None = None) -> list[Settled]:
    """Compute late penalties anew, of an assignment or of all; return those that changed.

    Where one of the assignment has changed, those of the others follow: grace days are shared.
    """
    if not classroom.database.exists():
        return []
    config, everything = classroom.config(), classroom.course.assignments()
    if assignment is None:
        return settle(config, classroom.folder, everything)
    changed = settle(config, classroom.folder, [assignment])
    return changed + (settle(config, classroom.folder, everything) if changed else [])
