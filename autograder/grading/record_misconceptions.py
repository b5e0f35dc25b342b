"""The recording of exercises: cases with the outcomes of the reference and the misconceptions.

The reference runs in this process, since it is the course's own; misconceptions run as submissions
do (see `answer_runs`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autograder.course.assignment import Assignment
from autograder.course.exercise import UNWRITTEN_HINT, Misconception
from autograder.course.record_cases import essence, record_with_undefined
from autograder.grading.answer_runs import run_answers
from autograder.grading.limits import Limits
from coursekit.checking.hints import UNDEFINED
from coursekit.checking.judge_case import judge_cases
from coursekit.checking.recording_format import Case, Outcome, RecordedExercise


def record_assignment(
    assignment: Assignment,
    seed: int,
    limits: Limits | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> dict[str, RecordedExercise]:
    """Record every exercise of the assignment, with cases drawn from `seed`; see `record`.

    Parameters
    ----------
    meanwhile : callable, optional
        Called once while misconceptions run in other processes.
    """
    return _record(assignment, list(assignment.exercises), seed, limits, meanwhile)


def record(
    assignment: Assignment, name: str, seed: int, limits: Limits | None = None
) -> RecordedExercise:
    """Record an exercise as plain data: cases, with the reference's and misconceptions' outcomes.

    A misconception's outcome is None for the cases that it gets right, and `UNDEFINED` where the
    case says so. One whose hint is still to be written is left out, and not run: nobody may have
    read it. The result is kept in `assignment.recorded` and shared: do not modify it.

    Parameters
    ----------
    limits : Limits, optional
        Limits of the misconceptions' runs; None for a sandboxed run where there is a sandbox.

    Raises
    ------
    CourseError
        As `record_with_undefined` does, or a misconception cannot be run.
    """
    return _record(assignment, [assignment.exercise(name).name], seed, limits)[name]


def _record(
    assignment: Assignment,
    names: Sequence[str],
    seed: int,
    limits: Limits | None,
    meanwhile: Callable[[], None] | None = None,
) -> dict[str, RecordedExercise]:
    kept = assignment.recorded
    new, undefined = {}, {}
    for name in names:
        if (name, seed) not in kept:
            new[name], undefined[name] = record_with_undefined(assignment, name, seed)
    wrong = [
        one
        for name in new
        for one in assignment.exercises[name].misconceptions
        if one.hint != UNWRITTEN_HINT
    ]
    cases = {name: exercise["cases"] for name, exercise in new.items()}
    for one, outcomes in zip(wrong, run_answers(assignment, wrong, cases, limits, meanwhile)):
        own = _wrong_outcomes(one, cases[one.exercise], outcomes, undefined[one.exercise])
        new[one.exercise]["misconceptions"].append(
            {"name": one.name, "hint": one.hint, "outcomes": own}
        )
    for name, exercise in new.items():
        kept[name, seed] = exercise
    return {name: kept[name, seed] for name in names}


def _wrong_outcomes(
    misconception: Misconception,
    cases: list[Case],
    outcomes: list[Outcome],
    undefined: list[list[str]],
) -> list[Outcome | None]:
    found: list[Outcome | None] = []
    for case, names, outcome, finding in zip(
        cases, undefined, outcomes, judge_cases(cases, outcomes), strict=True
    ):
        if misconception.name in names:
            found.append(UNDEFINED.copy())
        else:
            found.append(None if finding is None else essence(case, outcome))
    return found
