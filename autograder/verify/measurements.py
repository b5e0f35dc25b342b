"""Measurements that take minutes; their results are stored in an assignment's `verified.json`.

Each result has a digest of what it depends on. What is stale is measured again, exercise by exercise,
and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable
from typing import Any

from tqdm.auto import tqdm

from autograder.authoring.audit import audit_results
from autograder.authoring.audit.audit_course import audit
from autograder.course import verified
from autograder.course.assignment import Assignment
from autograder.course.record_cases import RECORDING_SEED, one_thread, record_reference
from autograder.course.typed_answers import TypedAnswer, typed_answers
from autograder.errors import AnswerError
from autograder.verify.helper_errors import called_exercises, measure_helpers
from autograder.verify.rules import Subject
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge


def stale_answers(subject: Subject) -> list[str]:
    """Return the exercises whose typed answers were not judged as they are now with enough seeds."""
    stored = verified.read(subject.course, subject.name).get("answers", {}).get("exercises", {})
    seeds = subject.thresholds["answer-seeds"]
    right, wrong = both_kinds(subject.assignment)
    return [
        name
        for name in subject.assignment.exercises
        if (found := stored.get(name, {})).get("digest")
        != answers_digest(subject.assignment, name, [*right, *wrong])
        or found.get("seeds", 0) < seeds
    ]


def stored_answers(subject: Subject) -> dict[str, dict[str, Any]]:
    """Return the stored result for each exercise: "right", "wrong", "seeds", "lost", "lucky"."""
    found = verified.read(subject.course, subject.name)["answers"]["exercises"]
    return {name: found[name] for name in subject.assignment.exercises}


def measure_answers(subject: Subject) -> None:
    """Judge the typed answers of stale exercises with many class seeds, and store what comes out."""
    seeds = int(subject.thresholds["answer-seeds"])
    names = stale_answers(subject)
    right, wrong = both_kinds(subject.assignment)
    with one_thread(), tqdm(names, desc=f"{subject.name}: answers", disable=None) as bar:
        for name in bar:
            found = judged(subject.assignment, name, right, wrong, seeds)

            def change(
                stored: dict[str, Any], name: str = name, found: dict[str, Any] = found
            ) -> None:
                known = stored.get("answers", {}).get("exercises", {}) | {name: found}
                stored["answers"] = {
                    "measured_with": measured_with(),
                    "exercises": _in_order(subject.assignment, known),
                }

            verified.update(subject.course, subject.name, change)


def judged(
    assignment: Assignment,
    name: str,
    right: list[TypedAnswer],
    wrong: list[TypedAnswer],
    seeds: int,
) -> dict[str, Any]:
    """Judge the typed answers to an exercise with the recorded cases and those of many classes.

    Returns
    -------
    dict of str to object
        "digest"; "right" and "wrong", how many answers there are; "seeds"; "lost", the right answers
        that lose points, and "lucky", the wrong ones that lose none, in words.
    """
    right, wrong = ([one for one in kind if one.exercise == name] for kind in (right, wrong))
    lost: list[str] = []
    lucky: list[str] = []
    for seed in range(RECORDING_SEED, 1 + seeds):
        recorded = record_reference(assignment, name, seed)
        lost += _unexpected(assignment, recorded, right, True, seed)
        lucky += _unexpected(assignment, recorded, wrong, False, seed)
    return {
        "digest": answers_digest(assignment, name, [*right, *wrong]),
        "right": len(right),
        "wrong": len(wrong),
        "seeds": seeds,
        "lost": lost,
        "lucky": lucky,
    }


def _unexpected(
    assignment: Assignment,
    recorded: RecordedExercise,
    answers: list[TypedAnswer],
    passes: bool,
    seed: int,
) -> list[str]:
    """Return the answers with another verdict than expected, and that verdict's headline."""
    found = []
    for answer in answers:
        try:
            thing = assignment.solution.run_answer(recorded["name"], answer.source)
        except AnswerError as error:
            found.append(f"{answer.words}: {error}")
            continue
        verdict = judge(recorded, run_cases(thing, recorded["cases"]))
        if verdict.passed != passes:
            found.append(f"{answer.words}, seed {seed}: {verdict.headline}")
    return found


def both_kinds(assignment: Assignment) -> tuple[list[TypedAnswer], list[TypedAnswer]]:
    """Return the right and the wrong typed answers of an assignment."""
    return typed_answers(assignment, "right"), typed_answers(assignment, "wrong")


def answers_digest(assignment: Assignment, name: str, answers: Iterable[TypedAnswer]) -> str:
    """Return a digest of an exercise, of its cases and of the typed answers to it."""
    texts = [audit_results.digest(assignment, name)]
    texts += [f"{one.words}\n{one.source}" for one in answers if one.exercise == name]
    return _hash(texts)


def is_stale_carried(subject: Subject) -> bool:
    """Tell whether wrong helpers were measured with other exercises or answers than there are now."""
    stored = verified.read(subject.course, subject.name).get("error_carried_forward", {})
    return bool(stored.get("digest") != carried_digest(subject.assignment))


def stored_carried(subject: Subject) -> dict[str, Any]:
    """Return the stored result of `measure_carried`."""
    found: dict[str, Any] = verified.read(subject.course, subject.name)["error_carried_forward"]
    return found


def measure_carried(subject: Subject) -> None:
    """Measure the points that wrong and right helpers cost other exercises, and store them."""
    with one_thread():
        found = measure_helpers(subject.assignment)
    result = {"measured_with": measured_with(), "digest": carried_digest(subject.assignment)}
    verified.update(
        subject.course,
        subject.name,
        lambda stored: stored.update(error_carried_forward={**result, **found}),
    )


def carried_digest(assignment: Assignment) -> str:
    """Return a digest of the exercises, and of all answers to those that others call."""
    texts = [audit_results.digest(assignment, name) for name in assignment.exercises]
    for name, origin in called_exercises(assignment):
        answers = [a for a in typed_answers(origin, "right") if a.exercise == name]
        texts.append(answers_digest(origin, name, answers))
    return _hash(texts)


def stale_audits(subject: Subject) -> list[str]:
    """Return the exercises whose stored audit is missing or that of other sources."""
    return audit_results.stale(subject.course, [subject.name])


def measure_audit(subject: Subject) -> None:
    """Audit the exercises that have changed, and store what is found."""
    seeds = int(subject.thresholds["audit-seeds"])
    names = stale_audits(subject)
    found = audit(subject.course, names, seeds, os.cpu_count())
    audit_results.write(subject.assignment, found, seeds)


def measured_with() -> dict[str, str]:
    """Return the versions that a measurement depends on."""
    return {"python": platform.python_version(), "torch": audit_results.torch_version()}


def _in_order(assignment: Assignment, known: dict[str, Any]) -> dict[str, Any]:
    return {name: known[name] for name in assignment.exercises if name in known}


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
