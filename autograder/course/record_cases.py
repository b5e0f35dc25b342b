"""Recording of exercises: cases with the outputs of the reference."""

from __future__ import annotations

import difflib
import inspect
import json
import sys
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from autograder.course.assignment import Assignment
from autograder.course.exercise import Exercise
from autograder.course.reference import Solution
from autograder.course.second_calls import TURNS, second_calls
from autograder.errors import CourseError
from coursekit.checking.codec import PlainDataError
from coursekit.checking.comparison import JUDGES, KIND_RULES, OPTIONAL_RULES, PROPERTIES, RULES
from coursekit.checking.judge_case import judge_case
from coursekit.checking.recording_format import (
    Case,
    DrawnCase,
    Outcome,
    RecordedExercise,
)
from coursekit.checking.run_cases import run_cases

#: The seed of the cases that students get; grading uses other seeds.
RECORDING_SEED = 0
_CASE_BYTES = 200_000
#: The fields of an outcome that only messages use.
_FOR_MESSAGES: tuple[
    Literal["printed", "printed_characters", "keeps", "shadows", "line", "bases"], ...
] = ("printed", "printed_characters", "keeps", "shadows", "line", "bases")


def draw_assignment(assignment: Assignment, seed: int) -> dict[str, list[DrawnCase]]:
    """Draw every exercise's cases from `seed`, without outcomes: fast, since nothing is run."""
    return {
        name: draw(exercise, _reference(assignment.solution, name), seed)
        for name, exercise in assignment.exercises.items()
    }


def record_reference(assignment: Assignment, name: str, seed: int) -> RecordedExercise:
    """Record an exercise as plain data: its cases and the reference's outcomes, no misconceptions.

    That is enough to say whether an answer loses points.

    Raises
    ------
    CourseError
        The reference fails one of its cases (unless the case expects the error), or a case belongs
        to a group without points.
    """
    return record_with_undefined(assignment, name, seed)[0]


def record_with_undefined(
    assignment: Assignment, name: str, seed: int
) -> tuple[RecordedExercise, list[list[str]]]:
    """Record like `record_reference`; also list, per case, misconceptions that rounding decides."""
    exercise = assignment.exercise(name)
    reference = _reference(assignment.solution, exercise.name)
    with one_thread():
        drawn = draw(exercise, reference, seed)
        if drawn != draw(exercise, reference, seed):
            raise CourseError(
                f"{exercise.name}: the same seed gives different cases; draw random numbers only"
                " from rng."
            )
        _require_groups(exercise, drawn)
        cases = _expecting(exercise.name, reference, drawn)
        turns = (draw(exercise, reference, seed, turn) for turn in range(1, 1 + TURNS))
        twice = second_calls(reference, cases, [case for turn in turns for case in turn])
        cases += _expecting(exercise.name, reference, twice)
    undefined = [case.pop("undefined", []) for case in cases]
    return _recorded(exercise, cases), undefined


def record_first_calls(assignment: Assignment, name: str, seed: int) -> RecordedExercise:
    """Record like `record_reference`, without second calls and without a confirming second run.

    An answer that earns no points with these cases earns none with all of them.
    """
    exercise = assignment.exercise(name)
    reference = _reference(assignment.solution, exercise.name)
    with one_thread():
        drawn = draw(exercise, reference, seed)
        outcomes = run_cases(reference, drawn)
        cases = [_with_expected(exercise.name, *both) for both in zip(drawn, outcomes)]
    return _recorded(exercise, cases)


def _recorded(exercise: Exercise, cases: list[Case]) -> RecordedExercise:
    """Return an exercise as plain data, with its cases and its further hint."""
    recorded: RecordedExercise = {
        "name": exercise.name,
        "groups": exercise.points,
        "cases": cases,
        "misconceptions": [],
    }
    if exercise.further:
        recorded["further"] = exercise.further
    if exercise.further_for:
        recorded["further_for"] = list(exercise.further_for)
    return recorded


def _expecting(name: str, reference: Any, drawn: list[DrawnCase]) -> list[Case]:
    """Return the cases with the reference's outcomes, which a second run must confirm."""
    first, second = run_cases(reference, drawn), run_cases(reference, drawn)
    cases = [_with_expected(name, case, outcome) for case, outcome in zip(drawn, first)]
    for case, again in zip(cases, second):
        if (finding := judge_case(case, again)) is not None:
            raise CourseError(
                f"the reference of {name} fails its own check ({_title(case)}): {finding.message}. Is"
                " it random, or does it depend on an earlier call?"
            )
    return cases


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch, if a reference uses it, on one thread: for small cases, more only add overhead."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _reference(solution: Solution, name: str) -> Any:
    """Return the object that the solution notebook defines as an exercise's reference."""
    scope = solution.definitions
    if name not in scope:
        near = difflib.get_close_matches(name, solution.checked_names, n=1, cutoff=0.0)
        tip = f" (it checks {near[0]})" if near else ""
        raise CourseError(
            f"there are cases for {name}, but {solution.path.name} defines no {name}{tip}."
        )
    return scope[name]


def draw(exercise: Exercise, reference: Any, seed: int, turn: int = 0) -> list[DrawnCase]:
    """Draw the exercise's cases from the seed as plain data; each turn gives other cases."""
    turns = [turn] if turn else []
    rng = np.random.default_rng([seed, zlib.crc32(exercise.name.encode()), *turns])
    names = _parameters(reference)
    try:
        cases = [case.encode(i, names) for i, case in enumerate(exercise.cases(rng))]
    except PlainDataError as error:
        raise CourseError(
            f"{exercise.name}: an input of its cases: {error}; use smaller inputs."
        ) from error
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        location = f"{Path(where.filename).name}, line {where.lineno}"
        raise CourseError(
            f"{exercise.name}: its cases cannot be generated ({location}):"
            f" {type(error).__name__}: {error}"
        ) from error
    for number, case in enumerate(cases):
        if exercise.forbidden:
            case["forbidden"] = list(exercise.forbidden)
        _require_valid(exercise.name, number, case)
    return cases


def _require_valid(name: str, number: int, case: DrawnCase) -> None:
    """Reject a case that cannot be recorded, or that has rules its judge would ignore."""
    where = f"{name}, case {number} of its generator"
    rules = case.get("judge", {})
    kind = rules.get("kind", "close")
    if kind not in JUDGES:
        raise CourseError(f"{where}: there is no judge {kind!r}; choose from {', '.join(JUDGES)}.")
    unknown = set(rules) - RULES - KIND_RULES.get(kind, set())
    unknown |= set(rules.get("properties", {})) - PROPERTIES
    if unknown:
        raise CourseError(f"{where}: the judge {kind!r} has no rule {sorted(unknown)[0]!r}.")
    absent = KIND_RULES.get(kind, set()) - OPTIONAL_RULES - set(rules)
    if absent:
        raise CourseError(f"{where}: the judge {kind!r} needs the rule {sorted(absent)[0]!r}.")
    try:
        text = json.dumps(case)
    except TypeError as error:
        raise CourseError(f"{where}: rules must be numbers, strings and lists: {error}") from error
    if '"$other"' in text:
        raise CourseError(
            f'{where}: an input cannot be serialized; pass a function as Source("lambda x: ...").'
        )
    if len(text) > _CASE_BYTES:
        raise CourseError(
            f"{where} takes {len(text) // 1000} kB in the recording; use smaller inputs."
        )


def _title(case: DrawnCase) -> str:
    return case.get("title") or f"a case of group {case['group']}"


def _with_expected(name: str, drawn: DrawnCase, outcome: Outcome) -> Case:
    """Return the case with the reference's outcome as expected; refuse a reference that fails it."""
    raised = outcome["type"] if outcome["status"] == "error" else None
    wanted = drawn.get("judge", {}).get("raises")
    if outcome["status"] != "value" and (raised is None or raised != wanted):
        what = f"{raised}: {outcome['message']}" if raised else outcome["message"]
        raise CourseError(f"the reference of {name} fails its own check ({_title(drawn)}): {what}.")
    if raised:  # its message may tell the solution
        outcome = {"status": "error", "type": raised}
    case: Case = {**drawn, "expected": essence(drawn, outcome)}
    if '"$other"' in json.dumps(case["expected"]):
        raise CourseError(
            f"the reference of {name} returns a value that cannot be serialized ({_title(drawn)});"
            " for an object, compare what its methods return (`then`)."
        )
    return case


def essence(case: DrawnCase, outcome: Outcome) -> Outcome:
    """Return the outcome without fields that only messages use or the case does not compare."""
    rules = case.get("judge", {})
    essence = outcome.copy()
    for key in _FOR_MESSAGES:
        essence.pop(key, None)
    if not rules.get("keeps_generators"):
        essence.pop("drew_from", None)
    if not rules.get("draws"):
        essence.pop("next_draws", None)
    if "value" in essence and not rules.get("order"):
        essence["value"] = _sorted_dicts(essence["value"])
    return essence


def _sorted_dicts(data: Any) -> Any:
    """Sort dictionaries in plain data by key, since set order differs between processes."""
    if isinstance(data, list):
        return [_sorted_dicts(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "$dict" in data:
        pairs = sorted(_sorted_dicts(data["$dict"]), key=lambda pair: json.dumps(pair[0]))
        return {**data, "$dict": pairs}
    return {key: _sorted_dicts(value) for key, value in data.items()}


def _require_groups(exercise: Exercise, cases: list[DrawnCase]) -> None:
    """Raise `CourseError` unless the cases belong to exactly the groups that have points."""
    used = {case["group"] for case in cases}
    if used != set(exercise.points):
        mismatched = [f"{group} has points but no case" for group in set(exercise.points) - used]
        mismatched += [f"{group} has cases but no points" for group in used - set(exercise.points)]
        raise CourseError(
            f"the groups of {exercise.name} do not match: {', '.join(sorted(mismatched))}."
        )


def _parameters(reference: Any) -> list[str]:
    return [name for name in inspect.signature(reference).parameters if name != "self"]
