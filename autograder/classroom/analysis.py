"""Item analysis: exercise difficulty, misconceptions and students who may need help.

Pure functions of the verdicts on the submissions that were run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coursekit.checking.verdict import Verdict

#: student -> exercise -> verdict
ClassVerdicts = dict[str, dict[str, Verdict]]

#: An exercise, or the whole assignment, is failed below this share of the points.
PASS_SHARE = 0.5
#: Outcomes of an exercise, best first.
OUTCOMES = ("full", "some", "none", "unwritten")


@dataclass(frozen=True)
class Spread:
    """Mean and quartiles of a sample."""

    mean: float
    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: the number of values in [low, high); `high` is None if unbounded."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True)
class Mistake:
    """A misconception, its hint, and the students whose submissions show it."""

    name: str
    hint: str
    students: list[str]


@dataclass(frozen=True)
class Lost:
    """Points that the class lost in one group of cases, out of `max_points`."""

    group: str
    points: float
    max_points: float


@dataclass(frozen=True)
class ExerciseSummary:
    """Results of the class in one exercise.

    Attributes
    ----------
    share : float
        Mean share of the points, 0 to 1; item analysis calls it the difficulty index.
    discrimination : float or None
        See `discrimination`; None if undefined.
    outcomes : dict of str to int
        Outcome -> number of students, see `OUTCOMES`.
    mistakes : list of Mistake
        Known misconceptions, most frequent first.
    other : dict of str to str
        Student -> headline of a mistake that matches no known misconception.
    alike : list of list of str
        Of these, the students with equal wrong outputs, in groups of two or more, largest first.
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
    alike: list[list[str]]


@dataclass(frozen=True)
class Struggling:
    """A student who may need help.

    Attributes
    ----------
    early_failures : int
        Number of failed exercises among the first `early_exercises`.
    early_exercises : int
        Half of the exercises, rounded up.
    lost : list of Verdict
        Verdicts on the exercises that lost points, in notebook order.
    """

    student: str
    points: float
    max_points: float
    early_failures: int
    early_exercises: int
    lost: list[Verdict]

    @property
    def share(self) -> float:
        """Share of the points possible."""
        return self.points / self.max_points


def spread(values: Sequence[float]) -> Spread | None:
    """Return mean and quartiles (interpolated), or None if there are no values."""
    if not values:
        return None
    return Spread(float(np.mean(values)), *map(float, np.percentile(values, (0, 25, 50, 75, 100))))


def share_bars(shares: Sequence[float]) -> list[Bar]:
    """Return ten bars for shares from 0 to 1; the last one includes 1 and above."""
    return _histogram(np.clip(np.round(shares, 9), 0, 1), np.arange(11) / 10)


def bars(values: Sequence[float]) -> list[Bar]:
    """Return about ten bars of a round width, and one for outliers beyond three medians."""
    if not values:
        return []
    smallest, largest, middle = min(values), max(values), float(np.median(values))
    top = min(largest, 3 * middle) if middle > 0 else largest
    width = _round_step((top - smallest) / 10 or top / 10)
    first = math.floor(smallest / width + 1e-9)
    last = max(math.floor(top / width + 1e-9) + 1, first + 5)
    found = _histogram(values, np.append(np.arange(first, last + 1) * width, np.inf))
    return found if found[-1].count else found[:-1]


def _histogram(values: ArrayLike, edges: NDArray[np.float64]) -> list[Bar]:
    """Count the values between edges; the last bar may be unbounded."""
    edges = np.round(edges, 9)  # 3 * 0.1 is above 0.3
    counts, _ = np.histogram(values, edges)
    highs = [None if np.isinf(high) else float(high) for high in edges[1:]]
    return [Bar(float(low), high, int(count)) for low, high, count in zip(edges, highs, counts)]


def _round_step(size: float) -> float:
    """Return the smallest 1, 2, 5 or 10 times a power of ten that is at least `size`."""
    if size <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= size * (1 - 1e-9))


def outcome(verdict: Verdict) -> str:
    """Classify a verdict as one of `OUTCOMES`."""
    if verdict.passed:
        return "full"
    if verdict.points > 0:
        return "some"
    return "unwritten" if verdict.stage == "missing" else "none"


def discrimination(points: Sequence[float], rest: Sequence[float]) -> float | None:
    """Return the corrected item-total correlation of an exercise.

    Pearson's correlation between the points in the exercise and the total in all other exercises.
    The total excludes the exercise itself, which would correlate with its own points (Henrysson
    1963, Psychometrika 28, 211-218). It is high if students who do well elsewhere do well here; near
    0 or below, the exercise measures something else or is broken.

    Parameters
    ----------
    points : sequence of float
        Each student's points in the exercise.
    rest : sequence of float
        The same students' points in the other exercises.

    Returns
    -------
    float or None
        -1 to 1, or None if undefined: no variance, or fewer than three students (two points always
        lie on a line).
    """
    if len(points) < 3 or np.ptp(points) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return float(np.corrcoef(points, rest)[0, 1])


def exercise_names(verdicts: ClassVerdicts) -> list[str]:
    """Return the exercises in notebook order, even if some submissions lack some of them."""
    rows = sorted(verdicts.values(), key=len, reverse=True)
    return list(dict.fromkeys(name for row in rows for name in row))


def summarize(verdicts: ClassVerdicts) -> list[ExerciseSummary]:
    """Return one summary per exercise, in notebook order."""
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
    other = {
        student: verdict
        for student, verdict in own.items()
        if not (verdict.passed or verdict.misconception or outcome(verdict) == "unwritten")
    }
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
        other={student: verdict.headline for student, verdict in other.items()},
        alike=_alike(other),
    )


def _alike(verdicts: dict[str, Verdict]) -> list[list[str]]:
    """Return groups of students whose wrong outputs are equal, largest first."""
    groups: dict[str, list[str]] = {}
    for student, verdict in verdicts.items():
        if verdict.digest:  # none if no answer came back
            groups.setdefault(verdict.digest, []).append(student)
    several = [group for group in groups.values() if len(group) > 1]
    return sorted(several, key=len, reverse=True)


def _lost(own: dict[str, Verdict]) -> list[Lost]:
    """Add up the points lost in each group of cases."""
    lost: dict[str, tuple[float, float]] = {}
    for verdict in own.values():
        for group in verdict.groups:
            points, possible = lost.get(group.name, (0.0, 0.0))
            missed = group.max_points - group.points
            lost[group.name] = points + missed, possible + group.max_points
    return [Lost(group, points, possible) for group, (points, possible) in lost.items()]


def _mistakes(own: dict[str, Verdict]) -> list[Mistake]:
    """Return the misconceptions in the verdicts with their students, most frequent first."""
    found: dict[str, Mistake] = {}
    for student, verdict in own.items():
        if verdict.misconception:
            name = verdict.misconception
            found.setdefault(name, Mistake(name, verdict.hint, [])).students.append(student)
    return sorted(found.values(), key=lambda mistake: (-len(mistake.students), mistake.name))


def struggling(verdicts: ClassVerdicts) -> list[Struggling]:
    """Return students who may need help, lowest share of the points first.

    These have less than half of the points, or failed more than half of the early exercises, on
    which the rest builds.
    """
    names = exercise_names(verdicts)
    early = names[: math.ceil(len(names) / 2)]
    found = []
    for student, row in verdicts.items():
        points = sum(verdict.points for verdict in row.values())
        possible = sum(verdict.max_points for verdict in row.values())
        failed = sum(n in row and row[n].points < PASS_SHARE * row[n].max_points for n in early)
        if points < PASS_SHARE * possible or failed > len(early) / 2:
            lost = [row[name] for name in names if name in row and not row[name].passed]
            found.append(Struggling(student, points, possible, failed, len(early), lost))
    return sorted(found, key=lambda one: (one.share, -one.early_failures, one.student))
