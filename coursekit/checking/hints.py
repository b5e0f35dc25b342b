"""Choice of the hint: the recorded misconception that explains a student's wrong outcomes."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from coursekit.checking import codec
from coursekit.checking.codec import ArrayView
from coursekit.checking.judge_case import same_outcome
from coursekit.checking.recording_format import (
    Case,
    Outcome,
    RecordedExercise,
    RecordedMisconception,
    RecordedPair,
)

#: A misconception's outcome where it follows from rounding or chance alone: it matches any.
UNDEFINED: Outcome = {"status": "undefined"}
#: The least evidence, see `evidence`, for a misconception beside a second mistake: if it gives the
#: same outcome in all cases that it gets wrong, and if only in some of them.
_ENOUGH_ALL, ENOUGH = 1.0, 2.0
#: How many numbers of an outcome its digest takes.
_DIGESTED = 1000
#: The same for a misconception that gets cases wrong which the student gets right.
_ENOUGH_CONTRADICTED = 3.0


def choose(
    exercise: RecordedExercise, outcomes: Sequence[Outcome], failing: list[int]
) -> tuple[RecordedMisconception, list[int]] | None:
    """Return the misconception that explains the failing cases, and the cases that it explains.

    It explains a case if it gives the same wrong outcome. It must explain every case of the first
    failing group that it gets wrong, and at least half of those that the student gets wrong: else
    it is about a special case, and ordinary ones fail for another reason. If it gets others wrong in
    another way, there is a second mistake; then what it explains must be evidence that could not be
    chance. If it gets cases of other groups wrong that the student gets right, it has a second
    mistake; then it must explain all of the first group, with such evidence. Of several, one that
    explains all cases is preferred, then one that the student's right cases do not contradict, then
    the one that explains the most.
    """
    cases = exercise["cases"]
    order = list(exercise["groups"])
    first = min((cases[i]["group"] for i in failing), key=order.index)
    lost = [i for i in failing if cases[i]["group"] == first]
    best: tuple[tuple[float, ...], RecordedMisconception, list[int]] | None = None
    for misconception in exercise.get("misconceptions", []):
        theirs = misconception["outcomes"]
        wrong = wrong_outcomes(misconception)
        contradicted = set(wrong) - set(failing)
        if not wrong or any(cases[i]["group"] == first for i in contradicted):
            continue
        if 2 * sum(theirs[i] is not None for i in lost) < len(lost):
            continue
        here = [i for i in wrong if cases[i]["group"] == first]
        if not all(same_outcome(cases[i], wrong[i], outcomes[i]) for i in here):
            continue
        same = [
            i
            for i in wrong
            if i in here
            or (i not in contradicted and same_outcome(cases[i], wrong[i], outcomes[i]))
        ]
        complete = len(same) == len(wrong)
        alone = complete and all(theirs[i] is not None for i in failing)
        if not alone:
            enough = _ENOUGH_ALL if complete else ENOUGH
            if contradicted:
                enough = _ENOUGH_CONTRADICTED
            if evidence([(cases[i]["expected"], wrong[i]) for i in same], complete) < enough:
                continue
        if contradicted and here != lost:
            continue
        rank = (alone, not contradicted, len(same), -len(wrong))
        if best is None or rank > best[0]:
            best = rank, misconception, here or same
    return (best[1], best[2]) if best else None


def choose_pair(
    exercise: RecordedExercise, outcomes: Sequence[Outcome], failing: list[int]
) -> tuple[RecordedPair, list[int]] | None:
    """Return a recorded pair that explains the first failing group, and the cases it explains."""
    cases = exercise["cases"]
    order = list(exercise["groups"])
    first = min((cases[i]["group"] for i in failing), key=order.index)
    for pair in exercise.get("pairs", []):
        explained = [int(i) for i in pair["outcomes"]]
        if {cases[i]["group"] for i in explained} != {first} or not set(explained) <= set(failing):
            continue
        ours = {i: outcomes[int(i)] for i in pair["outcomes"]}
        if same_everywhere(cases, pair["outcomes"], ours):
            return pair, explained
    return None


def same_everywhere(
    cases: Sequence[Case], theirs: dict[str, Outcome], ours: dict[str, Outcome]
) -> bool:
    """Tell whether all of `theirs`, outcomes by index as text, equal those of `ours`."""
    return all(same_outcome(cases[int(i)], theirs[i], ours[i]) for i in theirs)


def wrong_outcomes(misconception: RecordedMisconception) -> dict[int, Outcome]:
    """Return the misconception's wrong outcomes that can be compared, by the number of the case."""
    outcomes = misconception["outcomes"]
    return {i: o for i, o in enumerate(outcomes) if o is not None and o != UNDEFINED}


def evidence(explained: Iterable[tuple[Outcome, Outcome]], blown_up: bool = False) -> float:
    """Score how unlikely it is that two mistakes give these wrong outcomes by chance.

    A fraction that is not expected counts 1. Whole numbers, texts and truth values count less, since
    they come about in many ways. A constant, such as zeros everywhere, counts nothing.

    Parameters
    ----------
    explained : iterable of tuple of (Outcome, Outcome)
        The expected and the wrong outcome of each case.
    blown_up : bool
        Whether NaN and infinity count, too: they spread from any number to all, so they tell little
        if the outcomes of other cases are not the same.
    """
    total = 0.0
    seen: set[Any] = set()
    for expected, wrong in explained:
        if wrong["status"] == "error":
            total, seen = total + 1.0, seen | {"", wrong["type"]}
            continue
        if wrong["status"] != "value" or expected["status"] != "value":
            continue
        wanted = list(leaves(codec.decode_views(expected["value"])))
        found = list(leaves(codec.decode_views(wrong["value"])))
        told = {leaf for leaf in found if blown_up or not _is_blown_up(leaf)}
        total += sum(_weight(leaf) for leaf in told - set(wanted))
        pairs = (
            zip(found, wanted) if len(found) == len(wanted) else ((leaf, None) for leaf in found)
        )
        total += 0.1 * sum(a != b and (blown_up or not _is_blown_up(a)) for a, b in pairs)
        seen |= told
    return total if len(seen) > 1 or any(_is_fraction(leaf) for leaf in seen) else 0.0


def digest(outcomes: dict[int, Outcome]) -> str:
    """Return a short text that is equal for equal outcomes by case, with 3 digits per number.

    Of a large value the first numbers decide.
    """
    parts: list[Any] = []
    for number, outcome in outcomes.items():
        part = [number, outcome["status"], outcome.get("type"), outcome.get("changed")]
        if outcome["status"] == "value":
            found = leaves(codec.decode_views(outcome["value"]))
            part += [_round(leaf) for leaf in itertools.islice(found, _DIGESTED)]
        parts.append(part)
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _round(leaf: Any) -> Any:
    """Round a float to 3 digits; leave other values."""
    return float(f"{leaf:.3g}") + 0.0 if isinstance(leaf, float) else leaf


def _weight(leaf: Any) -> float:
    """Return how much a wrong number or text counts as evidence."""
    if _is_fraction(leaf):
        return 1.0
    if isinstance(leaf, (bool, int, float)):
        return 0.5 if np.isfinite(leaf) and abs(leaf) > 2 else 0.25
    return 0.5


def _is_blown_up(leaf: Any) -> bool:
    """Tell whether a value is NaN or infinite."""
    return isinstance(leaf, float) and not np.isfinite(leaf)


def _is_fraction(leaf: Any) -> bool:
    """Tell whether a value is a finite float that is no whole number."""
    return isinstance(leaf, float) and bool(np.isfinite(leaf)) and leaf != round(leaf)


def leaves(view: Any) -> Iterator[Any]:
    """Yield the numbers and texts in a value, floats with 4 digits."""
    if isinstance(view, ArrayView):
        yield from leaves(view.values.ravel().tolist())
    elif isinstance(view, dict):
        yield from leaves([*view, *view.values()])
    elif isinstance(view, (list, tuple)):
        for item in view:
            yield from leaves(item)
    elif isinstance(view, float):
        yield float(f"{view:.4g}")
    elif isinstance(view, (str, int)):
        yield view
