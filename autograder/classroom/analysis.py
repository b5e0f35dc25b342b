"""What the verdicts of a class say about exercises, misconceptions and students: pure functions.

A class is a dictionary, student -> exercise -> verdict, of the submissions that were run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coursekit.checking.verdict import Verdict

Class = dict[str, dict[str, Verdict]]

#: Below this share of the points an exercise, or all of them together, counts as failed.
LOW = 0.5
#: How an exercise can come out, the best first.
OUTCOMES = ("full", "some", "none", "unwritten")


@dataclass(frozen=True)
class Spread:
    """Mean and quartiles of numbers."""

    mean: float
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True)
class Bar:
    """How many numbers lie from `low` up to `high`; None for however high."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True)
class Mistake:
    """A misconception that was found, its hint, and in whose submissions."""

    name: str
    hint: str
    students: list[str]


@dataclass(frozen=True)
class Lost:
    """Points that a class lost in one group of cases, of those it could have had."""

    group: str
    points: float
    max_points: float


@dataclass(frozen=True)
class ExerciseSummary:
    """How a class did in one exercise.

    Attributes
    ----------
    share : the mean share of the points, 0 to 1; in item analysis called the difficulty.
    discrimination : see `discrimination`; None where it is undefined.
    outcomes : the number of students by outcome, see `OUTCOMES`.
    mistakes : known misconceptions, the most frequent first.
    other : student -> headline of a mistake that has no name.
    """

    name: str
    max_points: float
    students: int
    share: float
    discrimination: float | None
    outcomes: dict[str, int]
    lost: list[Lost]
    mistakes: list[Mistake]
    other: dict[str, str]


@dataclass(frozen=True)
class Struggling:
    """A student who may need help.

    Attributes
    ----------
    early : how many of the first half of the exercises failed, of `first`.
    lost : the verdicts on the exercises that cost points, in order.
    """

    student: str
    points: float
    max_points: float
    early: int
    first: int
    lost: list[Verdict]

    @property
    def share(self) -> float:
        return self.points / self.max_points


def spread(values: Sequence[float]) -> Spread | None:
    """Mean and quartiles (interpolated); None of nothing."""
    if not values:
        return None
    return Spread(float(np.mean(values)), *map(float, np.percentile(values, (0, 25, 50, 75, 100))))


def share_bars(shares: Sequence[float]) -> list[Bar]:
    """Ten bars for shares from 0 to 1; the last one holds 1 and what is above."""
    places = [min(9, max(0, math.floor(share * 10 + 1e-9))) for share in shares]
    return [Bar(i / 10, (i + 1) / 10, places.count(i)) for i in range(10)]


def bars(values: Sequence[float]) -> list[Bar]:
    """About ten bars of one round width; what is beyond three medians shares a last one."""
    if not values:
        return []
    smallest, largest, middle = min(values), max(values), float(np.median(values))
    top = min(largest, 3 * middle) if middle > 0 else largest
    width = _round_step((top - smallest) / 10 or top / 10)
    first = math.floor(smallest / width + 1e-9)
    last = max(math.floor(top / width + 1e-9) + 1, first + 5)
    places = [math.floor(value / width + 1e-9) for value in values]
    found = [
        Bar(round(i * width, 9), round((i + 1) * width, 9), places.count(i))
        for i in range(first, last)
    ]
    beyond = sum(place >= last for place in places)
    return [*found, Bar(found[-1].high, None, beyond)] if beyond else found


def _round_step(size: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `size`."""
    if size <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= size * (1 - 1e-9))


def outcome(verdict: Verdict) -> str:
    """One of `OUTCOMES`."""
    if verdict.passed:
        return "full"
    if verdict.points > 0:
        return "some"
    return "unwritten" if verdict.stage == "missing" else "none"


def discrimination(points: Sequence[float], rest: Sequence[float]) -> float | None:
    """The corrected item-total correlation of an exercise.

    Pearson's correlation of the students' points in the exercise with their points in all other
    exercises together. The exercise itself is left out of the total, for with it every exercise
    would correlate (Henrysson 1963, Psychometrika 28, 211-218). High where those who are good
    elsewhere are good here too; near 0 or below, the exercise asks for something else, or is
    broken.

    Parameters
    ----------
    points : the students' points in the exercise.
    rest : the same students' points in the other exercises.

    Returns
    -------
    From -1 to 1, or None where it is undefined: no variance, or fewer than three students, of
    whom two always lie on a line.
    """
    if len(points) < 3 or np.ptp(points) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return float(np.corrcoef(points, rest)[0, 1])


def exercise_names(verdicts: Class) -> list[str]:
    """The exercises in the order of the notebook, however many a single notebook has."""
    rows = sorted(verdicts.values(), key=len, reverse=True)
    return list(dict.fromkeys(name for row in rows for name in row))


def summarize(verdicts: Class) -> list[ExerciseSummary]:
    """How the class did, exercise by exercise."""
    names = exercise_names(verdicts)
    complete = [row for row in verdicts.values() if len(row) == len(names)]
    totals = [sum(verdict.points for verdict in row.values()) for row in complete]
    found = []
    for name in names:
        own = {student: row[name] for student, row in verdicts.items() if name in row}
        points = [row[name].points for row in complete]
        rest = [total - mine for total, mine in zip(totals, points)]
        found.append(_summary(name, own, discrimination(points, rest)))
    return found


def _summary(name: str, own: dict[str, Verdict], correlation: float | None) -> ExerciseSummary:
    possible = sum(verdict.max_points for verdict in own.values())
    outcomes = [outcome(verdict) for verdict in own.values()]
    return ExerciseSummary(
        name=name,
        max_points=max(verdict.max_points for verdict in own.values()),
        students=len(own),
        share=sum(verdict.points for verdict in own.values()) / possible if possible else 0.0,
        discrimination=correlation,
        outcomes={kind: outcomes.count(kind) for kind in OUTCOMES},
        lost=_lost(own),
        mistakes=_mistakes(own),
        other={
            student: verdict.headline
            for student, verdict in own.items()
            if not (verdict.passed or verdict.misconception or outcome(verdict) == "unwritten")
        },
    )


def _lost(own: dict[str, Verdict]) -> list[Lost]:
    lost: dict[str, tuple[float, float]] = {}
    for verdict in own.values():
        for group in verdict.groups:
            points, possible = lost.get(group.name, (0.0, 0.0))
            missed = group.max_points - group.points
            lost[group.name] = points + missed, possible + group.max_points
    return [Lost(group, points, possible) for group, (points, possible) in lost.items()]


def _mistakes(own: dict[str, Verdict]) -> list[Mistake]:
    found: dict[str, Mistake] = {}
    for student, verdict in own.items():
        if verdict.misconception:
            name = verdict.misconception
            found.setdefault(name, Mistake(name, verdict.hint, [])).students.append(student)
    return sorted(found.values(), key=lambda mistake: (-len(mistake.students), mistake.name))


def struggling(verdicts: Class) -> list[Struggling]:
    """Who may need help, the neediest first.

    Those with less than half of the points, and those who failed more than half of the first
    half of the exercises, on which the rest builds.
    """
    names = exercise_names(verdicts)
    early = names[: math.ceil(len(names) / 2)]
    found = []
    for student, row in verdicts.items():
        points = sum(verdict.points for verdict in row.values())
        possible = sum(verdict.max_points for verdict in row.values())
        failed = sum(n in row and row[n].points < LOW * row[n].max_points for n in early)
        if points < LOW * possible or failed > len(early) / 2:
            lost = [row[name] for name in names if name in row and not row[name].passed]
            found.append(Struggling(student, points, possible, failed, len(early), lost))
    return sorted(found, key=lambda one: (one.share, -one.early, one.student))
