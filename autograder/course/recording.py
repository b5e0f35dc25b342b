"""Records exercises: cases with the outputs of the reference and of the misconceptions."""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import sys
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.catalog import exercises
from autograder.course.exercise import Exercise, Misconception
from autograder.course.files import version
from autograder.course.layout import Course
from autograder.course.reference import (
    bare_sources,
    checked_names,
    definitions,
    run_answer,
)
from autograder.errors import CourseError
from coursekit.checking.hints import UNDEFINED
from coursekit.checking.judge_case import judge_case, judge_cases
from coursekit.checking.judges import JUDGES, KIND_RULES, OPTIONAL_RULES, PROPERTIES, RULES
from coursekit.checking.run_cases import run_cases

#: The seed of the cases that students get; grading uses other seeds.
RECORDING_SEED = 0
_CASE_BYTES = 200_000


def record_assignment(course: Course, assignment: str, seed: int) -> dict[str, dict[str, Any]]:
    """Every exercise of the assignment, recorded with cases drawn from `seed`."""
    return {name: record(course, assignment, name, seed) for name in exercises(course, assignment)}


def draw_assignment(course: Course, assignment: str, seed: int) -> dict[str, list[dict[str, Any]]]:
    """Every exercise's cases drawn from `seed`, without outcomes: fast, since nothing is run."""
    return {
        name: draw(exercise, _reference(course, assignment, name), seed)
        for name, exercise in exercises(course, assignment).items()
    }


def record(course: Course, assignment: str, name: str, seed: int) -> dict[str, Any]:
    """An exercise as plain data: cases, the reference's outcomes, the misconceptions' outcomes.

    A misconception's outcome is None for the cases that it gets right, and `UNDEFINED` where the
    case says so. The result is shared: do not modify it.

    Raises
    ------
    CourseError
        The reference fails one of its cases (unless the case expects the error), a case belongs to
        a group without points, or a misconception cannot be run.
    """
    exercise = exercises(course, assignment)[name]
    return _record(
        exercise, course.solution(assignment), seed, version(course.solution(assignment))
    )


def record_reference(course: Course, assignment: str, name: str, seed: int) -> dict[str, Any]:
    """`record` without misconceptions: enough to say whether an answer loses points, and faster.

    Raises
    ------
    CourseError
        As `record` does.
    """
    exercise = replace(exercises(course, assignment)[name], misconceptions=())
    notebook = course.solution(assignment)
    return _record.__wrapped__(exercise, notebook, seed, version(notebook))


@functools.lru_cache(maxsize=512)
def _record(exercise: Exercise, notebook: Path, seed: int, version: int) -> dict[str, Any]:
    reference = _defined(notebook, exercise.name)
    with one_thread():
        cases = draw(exercise, reference, seed)
        if cases != draw(exercise, reference, seed):
            raise CourseError(
                f"{exercise.name}: the same seed gives different cases; draw random numbers only"
                " from rng."
            )
        _require_groups(exercise, cases)
        first, second = run_cases(reference, cases), run_cases(reference, cases)
        for case, outcome, again in zip(cases, first, second):
            _expect(exercise.name, case, outcome, again)
        text = bare_sources(notebook)[exercise.name]
        wrong = [
            {"name": m.name, "hint": m.hint, "outcomes": _wrong_outcomes(m, notebook, text, cases)}
            for m in exercise.misconceptions
        ]
    for case in cases:
        case.pop("undefined", None)
    further = {"further": exercise.further} if exercise.further else {}
    return {
        "name": exercise.name,
        "groups": exercise.points,
        **further,
        "cases": cases,
        "misconceptions": wrong,
    }


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


def _reference(course: Course, assignment: str, name: str) -> Any:
    return _defined(course.solution(assignment), name)


def _defined(notebook: Path, name: str) -> Any:
    scope = definitions(notebook)
    if name not in scope:
        near = difflib.get_close_matches(name, checked_names(notebook), n=1, cutoff=0.0)
        tip = f" (it checks {near[0]})" if near else ""
        raise CourseError(
            f"there are cases for {name}, but {notebook.name} defines no {name}{tip}."
        )
    return scope[name]


def draw(exercise: Exercise, reference: Any, seed: int) -> list[dict[str, Any]]:
    """The exercise's cases as plain data, drawn from the seed."""
    rng = np.random.default_rng([seed, zlib.crc32(exercise.name.encode())])
    names = _parameters(reference)
    try:
        cases = [case.encode(i, names) for i, case in enumerate(exercise.cases(rng))]
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


def _require_valid(name: str, number: int, case: dict[str, Any]) -> None:
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


def _expect(
    name: str, case: dict[str, Any], outcome: dict[str, Any], again: dict[str, Any]
) -> None:
    """Set the case's expected outcome to the reference's, or refuse a reference that fails it."""
    title = case.get("title") or f"a case of group {case['group']}"
    raised = outcome["type"] if outcome["status"] == "error" else None
    wanted = case.get("judge", {}).get("raises")
    if outcome["status"] != "value" and (raised is None or raised != wanted):
        what = f"{raised}: {outcome['message']}" if raised else outcome["message"]
        raise CourseError(f"the reference of {name} fails its own check ({title}): {what}.")
    kept = {"status", "type"} if raised else set(outcome)  # its message may tell the solution
    case["expected"] = essence(case, {key: outcome[key] for key in outcome if key in kept})
    if '"$other"' in json.dumps(case["expected"]):
        raise CourseError(
            f"the reference of {name} returns a value that cannot be serialized ({title}); for"
            " an object, compare what its methods return (`then`)."
        )
    finding = judge_case(case, again)
    if finding is not None:
        raise CourseError(
            f"the reference of {name} fails its own check ({title}): {finding.message}. Is it"
            " random, or does it depend on an earlier call?"
        )


def essence(case: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
    """The outcome without the fields that only messages use."""
    keeps_generators = case.get("judge", {}).get("keeps_generators")
    drop = ("printed", "printed_characters", "line", "bases")
    if not keeps_generators:
        drop += ("drew_from",)
    essence = {key: value for key, value in outcome.items() if key not in drop}
    if "value" in essence and not case.get("judge", {}).get("order"):
        essence["value"] = _sorted_dicts(essence["value"])
    return essence


def _sorted_dicts(data: Any) -> Any:
    """Plain data with dictionaries sorted by key, since set order differs between processes."""
    if isinstance(data, list):
        return [_sorted_dicts(item) for item in data]
    if not isinstance(data, dict):
        return data
    if "$dict" in data:
        pairs = sorted(_sorted_dicts(data["$dict"]), key=lambda pair: json.dumps(pair[0]))
        return {**data, "$dict": pairs}
    return {key: _sorted_dicts(value) for key, value in data.items()}


def _wrong_outcomes(
    misconception: Misconception, notebook: Path, reference: str, cases: list[dict[str, Any]]
) -> list[dict[str, Any] | None]:
    name = misconception.name
    answer = run_answer(
        notebook, misconception.exercise, misconception.source(reference), misconception.name
    )
    outcomes: list[dict[str, Any] | None] = []
    results = run_cases(answer, cases)
    for case, outcome, finding in zip(cases, results, judge_cases(cases, results)):
        if name in case.get("undefined", []):
            outcomes.append(dict(UNDEFINED))
        else:
            outcomes.append(None if finding is None else essence(case, outcome))
    return outcomes


def _require_groups(exercise: Exercise, cases: list[dict[str, Any]]) -> None:
    used = {case["group"] for case in cases}
    if used != set(exercise.points):
        mismatched = [f"{group} has points but no case" for group in set(exercise.points) - used]
        mismatched += [f"{group} has cases but no points" for group in used - set(exercise.points)]
        raise CourseError(
            f"the groups of {exercise.name} do not match: {', '.join(sorted(mismatched))}."
        )


def _parameters(reference: Any) -> list[str]:
    return [name for name in inspect.signature(reference).parameters if name != "self"]
