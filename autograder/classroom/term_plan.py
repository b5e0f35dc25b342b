"""Term plans: the week in which each assignment is due, from the course's `plans.toml`.

The file is the course's own: hours of each assignment, and tracks with their order. What builds on what
is read from the notebooks.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from autograder.course.assignment import Assignment
from autograder.course.cells import reused_from
from autograder.course.layout import Course
from autograder.errors import CourseError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Track:
    """The assignments of a track, in order, for each number of credits.

    Attributes
    ----------
    orders : dict of int to list of str
        Credits (ECTS) -> numbers of assignments, also of those that do not exist yet.
    """

    name: str
    title: str
    orders: dict[int, list[str]]


@dataclass(frozen=True)
class Plans:
    """The content of `plans.toml`.

    Attributes
    ----------
    fewest_weeks, most_weeks : int
        How long a term may be.
    hours_a_week : float
        Hours of assignments in an average week, at most.
    hours_per_credit : float
        Hours of work that a credit stands for.
    terms : dict of int to int
        Credits -> the weeks of a usual term for them.
    hours : dict of str to float
        Number of an assignment -> its hours.
    tracks : dict of str to Track
        The tracks by name.
    """

    fewest_weeks: int
    most_weeks: int
    hours_a_week: float
    hours_per_credit: float
    terms: dict[int, int]
    hours: dict[str, float]
    tracks: dict[str, Track]


@dataclass(frozen=True)
class Entry:
    """One assignment in a plan.

    Attributes
    ----------
    week : int
        The week of the term, from 1, at whose end it is due.
    due : date
        The last day of that week.
    needs : tuple of str
        The earlier assignments whose code students reuse in it.
    """

    assignment: str
    hours: float
    week: int
    due: date
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """A term: its assignments in order.

    Attributes
    ----------
    missing : list of str
        Numbers of the track's assignments that the course does not have.
    credit_hours : float
        Hours of work that the credits stand for.
    """

    track: Track
    weeks: int
    credits: int
    entries: list[Entry]
    missing: list[str]
    credit_hours: float

    @property
    def hours(self) -> float:
        """Hours of all assignments in the plan."""
        return sum(entry.hours for entry in self.entries)


def make_plan(
    course: Course,
    track: str,
    weeks: int,
    start: date,
    credits: int | None = None,
    breaks: tuple[date, ...] = (),
) -> Plan:
    """Distribute the assignments of a track over a term, by their hours.

    Parameters
    ----------
    track : str
        The name of a track in `plans.toml`.
    weeks : int
        Weeks of teaching.
    start : date
        The first day of the first week.
    credits : int, optional
        ECTS credits; those of a usual term of that length if None.
    breaks : tuple of date
        Days in weeks without teaching, which do not count.

    Raises
    ------
    CourseError
        There is no such track, number of credits or length of a term, the weeks are too few for the
        hours, or the track has an assignment before one that it builds on.
    """
    plans = read_plans(course)
    if track not in plans.tracks:
        raise CourseError(f"there is no track {track!r}; choose {_or(sorted(plans.tracks))}.")
    if not plans.fewest_weeks <= weeks <= plans.most_weeks:
        raise CourseError(
            f"a term has {plans.fewest_weeks} to {plans.most_weeks} weeks, not {weeks};"
            " give --weeks in this range."
        )
    if credits is None:
        usual = [number for number, length in plans.terms.items() if length <= weeks]
        credits = max(usual, default=min(plans.terms))
    chosen = plans.tracks[track]
    if credits not in chosen.orders:
        numbers = _or([str(number) for number in sorted(chosen.orders)])
        raise CourseError(f"the track {track} has no plan for {credits} credits; choose {numbers}.")
    known = {name[:2]: name for name in course.assignments()}
    order = [known[number] for number in chosen.orders[credits] if number in known]
    missing = [number for number in chosen.orders[credits] if number not in known]
    if not order:
        raise CourseError(f"the course has none of the assignments of the track {track} yet.")
    needs = {name: needed(course, name) for name in order}
    _require_order(track, order, needs)
    hours = [_hours(plans, name) for name in order]
    if sum(hours) > weeks * plans.hours_a_week:
        enough = math.ceil(sum(hours) / plans.hours_a_week)
        raise CourseError(
            f"{weeks} weeks are too few for the {sum(hours):g} hours of the track {track} with"
            f" {credits} credits: take at least {enough} weeks, or fewer credits."
        )
    last_days = _last_days(start, weeks, breaks)
    entries = [
        Entry(name, own, week, last_days[week - 1], needs[name])
        for name, own, week in zip(order, hours, _due_weeks(hours, weeks))
    ]
    return Plan(chosen, weeks, credits, entries, missing, credits * plans.hours_per_credit)


def needed(course: Course, assignment: str) -> tuple[str, ...]:
    """Return the earlier assignments whose code an assignment reuses, from its student notebook."""
    found = map(reused_from, Assignment(course, assignment).release.cells)
    return tuple(sorted({name for name in found if name}))


def _require_order(track: str, order: list[str], needs: dict[str, tuple[str, ...]]) -> None:
    """Raise `CourseError` if an assignment stands before one whose code it reuses."""
    for place, name in enumerate(order):
        for earlier in needs[name]:
            if earlier not in order[:place]:
                raise CourseError(
                    f"plans.toml: {name} reuses code of {earlier}; put {earlier[:2]} before"
                    f" {name[:2]} in the track {track}."
                )


def _hours(plans: Plans, name: str) -> float:
    """Return the hours of an assignment."""
    if name[:2] not in plans.hours:
        raise CourseError(f"plans.toml has no hours for {name}; add them to [hours].")
    return plans.hours[name[:2]]


def _due_weeks(hours: list[float], weeks: int) -> list[int]:
    """Return the week at whose end each assignment is due, with about equal hours in all weeks.

    No two are due in the same week if there are weeks enough, and the last is due in the last week.
    """
    found: list[int] = []
    done, count = 0.0, len(hours)
    for number, own in enumerate(hours):
        done += own
        week = max(1, math.floor(weeks * done / sum(hours) + 0.5))
        if count <= weeks:
            week = max(week, found[-1] + 1 if found else 1)
            week = min(week, weeks - (count - 1 - number))
        found.append(week)
    return found


def _last_days(start: date, weeks: int, breaks: tuple[date, ...]) -> list[date]:
    """Return the last day of each week of teaching."""
    found: list[date] = []
    first = start
    free = {(day - start).days // 7 for day in breaks}
    number = 0
    while len(found) < weeks:
        if number not in free:
            found.append(first + timedelta(days=6))
        first, number = first + _WEEK, number + 1
    return found


def read_day(text: str, what: str) -> date:
    """Parse a day as in 2027-02-01.

    Raises
    ------
    CourseError
        It is none.
    """
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise CourseError(f"{what} {text!r} is not a date; write it as in 2027-02-01.") from None


def read_plans(course: Course) -> Plans:
    """Read the course's `plans.toml`.

    Raises
    ------
    CourseError
        The file is missing, is not TOML, or lacks something.
    """
    path = course.root / "plans.toml"
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        raise CourseError(
            f"there is no {path}; write one with hours and tracks, as docs/planning.md says."
        ) from None
    except ValueError as error:
        raise CourseError(f"{path} is not TOML: {error}.") from error
    try:
        return _plans(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CourseError(
            f"{path} lacks something or has a wrong value ({type(error).__name__}: {error}); compare"
            " it with docs/planning.md."
        ) from error


def _plans(content: dict[str, Any]) -> Plans:
    tracks = {}
    for name, table in content["tracks"].items():
        orders = {
            int(credits): [str(one) for one in order]
            for credits, order in table.items()
            if credits != "title"
        }
        tracks[name] = Track(name, str(table["title"]), orders)
    return Plans(
        int(content["fewest_weeks"]),
        int(content["most_weeks"]),
        float(content["hours_a_week"]),
        float(content["hours_per_credit"]),
        {int(credits): int(weeks) for credits, weeks in content["terms"].items()},
        {number: float(hours) for number, hours in content["hours"].items()},
        tracks,
    )


def _or(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
