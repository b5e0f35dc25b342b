"""Rules on cases: what they tell apart, whatever class and whatever machine they are drawn for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograder.course.record_cases import RECORDING_SEED, draw, record_reference
from autograder.course.second_calls import TURNS
from autograder.grading.record_misconceptions import record_assignment
from autograder.verify.other_machine import drawn_digest, released_elsewhere
from autograder.verify.rules import Subject, rule
from coursekit.checking.recording_format import Outcome
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

#: A class's seed, which no release has used.
CLASS_SEED = 101
_UNKNOWN: Outcome = {"status": "error", "type": "KeyError", "message": "not in my table"}


@rule()
def class_cases(subject: Subject) -> Iterator[str]:
    """Require that with a class's fresh cases, every alternative earns all points and every misconception loses some."""
    assignment = subject.assignment
    for name, recorded in record_assignment(assignment, CLASS_SEED).items():
        for one in recorded["misconceptions"]:
            outcomes = [
                wrong or case["expected"]
                for wrong, case in zip(one["outcomes"], recorded["cases"], strict=True)
            ]
            if judge(recorded, outcomes).passed:
                yield f"{name}: {one['name']} earns every point with class seed {CLASS_SEED}."
        for alternative in assignment.exercises[name].alternatives:
            answer = assignment.solution.run_answer(name, assignment.typed(alternative))
            verdict = judge(recorded, run_cases(answer, recorded["cases"]))
            if not verdict.passed:
                yield (
                    f"{name}: the alternative {alternative.name} loses points with class seed"
                    f" {CLASS_SEED}: {verdict.headline}."
                )


@rule(thresholds={"drawn-seeds": 10})
def drawable_cases(subject: Subject) -> Iterator[str]:
    """Require that the cases can be drawn for many class seeds: no seed stops the grading of a class."""
    first = CLASS_SEED + 1
    for name, exercise in subject.assignment.exercises.items():
        reference = subject.assignment.solution.definitions[name]
        for seed in range(first, first + int(subject.thresholds["drawn-seeds"])):
            for turn in range(1 + TURNS):
                if not draw(exercise, reference, seed, turn):
                    yield f"{name} has no case with class seed {seed}."


@rule()
def lookup_table(subject: Subject) -> Iterator[str]:
    """Require that a table of the recorded cases and their answers earns no point in a class."""
    assignment = subject.assignment
    for name in assignment.exercises:
        known = record_reference(assignment, name, RECORDING_SEED)["cases"]
        table = {_key(case): case["expected"] for case in known}
        recorded = record_reference(assignment, name, CLASS_SEED)
        answers = [table.get(_key(case), _UNKNOWN) for case in recorded["cases"]]
        if points := judge(recorded, answers).points:
            yield f"{name}: a table of the recorded answers earns {points:g} points in a class."


def _key(case: Any) -> str:
    return repr([case.get(key) for key in ("args", "kwargs", "state", "then")])


@rule()
def other_machine(subject: Subject) -> Iterator[str]:
    """Require that a processor without this one's vector instructions proves and generates the same files."""
    found = released_elsewhere(subject.course, subject.name)
    if found.stale:
        yield f"there, a release would write or say: {found.stale}"
    if found.drawn != drawn_digest(subject.assignment):
        yield "there, other cases are drawn from the same class seeds."
