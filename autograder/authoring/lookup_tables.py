"""Proofs that an answer which only knows recorded cases earns nothing, whatever a class's seed is.

Students have the recording: inputs, and what the reference returns. An answer made of it is a lookup
table, and may guess where an input is not in it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.errors import CourseError
from coursekit.checking import codec
from coursekit.checking.hints import leaves
from coursekit.checking.judge_case import judge_case, judge_cases
from coursekit.checking.recording_format import Case, DrawnCase, Outcome, RecordedExercise

#: The class seeds that a release proves it with.
SEEDS = range(1, 11)


def prove_fresh_cases(
    recorded: dict[str, RecordedExercise], fresh: dict[str, RecordedExercise]
) -> None:
    """Prove that every group has a case that depends on the seed, so that a lookup table earns nothing."""
    for name, exercise in recorded.items():
        known = {_inputs(case) for case in exercise["cases"]}
        for group in exercise["groups"]:
            cases = [case for case in fresh[name]["cases"] if case["group"] == group]
            if all(_inputs(case) in known for case in cases):
                raise CourseError(
                    f"{name}: the cases of group {group} are the same for every seed; draw"
                    " something in them from rng."
                )


def prove_groups_vary(
    recorded: dict[str, RecordedExercise], fresh: dict[str, RecordedExercise]
) -> None:
    """Prove that no group of fresh cases is passed by outputs that do not depend on them, or by an input.

    `fresh` needs no second calls: whoever fails a group without them fails it with them.
    """
    for name, exercise in fresh.items():
        for what, outcomes in _guesses(recorded[name]["cases"], exercise["cases"]):
            passed = _passed_group(exercise, outcomes)
            if passed is not None:
                raise CourseError(
                    f"{name}: {what} earns the points of group {passed}; add a case to it whose"
                    " result varies more."
                )


def _guesses(known: Sequence[Case], cases: Sequence[Case]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield what an answer that knows other cases can return, in words and as outcomes."""
    replayed = [case["expected"] for case in known]
    yield "repeating the answers of another seed", replayed
    numbers = [_numbers(case) for case in known]
    nearest = [
        replayed[int(np.argmin([_distance(own, other) for other in numbers]))]
        for own in map(_numbers, cases)
    ]
    yield "giving the answer to the most similar case of another seed", nearest
    different = {json.dumps(answer, sort_keys=True): answer for answer in replayed}
    for answer in different.values():
        yield "giving one answer to all cases", [answer] * len(cases)
    most = max((len(case.get("args", [])) for case in cases), default=0)
    for i in range(most):
        yield f"returning input {i + 1} as it is", [_input(case, i) for case in cases]


def _passed_group(exercise: RecordedExercise, outcomes: list[Outcome]) -> str | None:
    """Return the first group whose cases all pass; cheaper than a verdict, since most fail at once."""
    pairs = list(zip(exercise["cases"], outcomes))
    for group in exercise["groups"]:
        own = [(case, outcome) for case, outcome in pairs if case["group"] == group]
        if all(judge_case(case, outcome) is None for case, outcome in own) and not any(
            judge_cases([case for case, _ in own], [outcome for _, outcome in own])
        ):
            return group
    return None


def _input(case: Case, index: int) -> Outcome:
    """Return the outcome of returning one of the inputs."""
    given = case.get("args", [])
    return {"status": "value", "value": given[index] if index < len(given) else None}


def _inputs(case: Case) -> str:
    keys = ("args", "kwargs", "state", "then", "again")
    return json.dumps([case.get(key) for key in keys], sort_keys=True)


def _numbers(case: DrawnCase) -> np.ndarray:
    """Return a case's inputs as a row of numbers, by which similar ones are found."""
    steps = [[method, *args, *kwargs.values()] for method, args, kwargs in case.get("then", [])]
    given = [*case.get("args", []), *case.get("kwargs", {}).values(), *steps]
    found = leaves(codec.decode_views(given))
    return np.array([_number(leaf) for leaf in found])


def _number(leaf: object) -> float:
    if isinstance(leaf, (int, float)) and abs(leaf) < 1e9:
        return float(leaf)
    return float(zlib.crc32(repr(leaf).encode()))


def _distance(one: np.ndarray, two: np.ndarray) -> float:
    """Return the distance of two rows: less than 1 for each place, 1 for each that only one of them has."""
    shared = min(len(one), len(two))
    apart = np.abs(one[:shared] - two[:shared])
    return float((apart / (1 + apart)).sum()) + abs(len(one) - len(two))
