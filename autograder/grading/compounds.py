"""Two misconceptions in one answer, where neither hint would be shown: they are recorded as pairs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.course.apply_edit import is_edit
from autograder.course.assignment import Assignment
from autograder.course.cells import NOT_PYTHON
from autograder.course.exercise import UNWRITTEN_HINT, Answer, Misconception
from autograder.course.recording import essence
from autograder.errors import AnswerError
from autograder.grading.answer_runs import run_answers
from autograder.grading.limits import Limits
from coursekit.checking.hints import ENOUGH, UNDEFINED, evidence, same_everywhere
from coursekit.checking.recordings import RecordingError, read
from coursekit.checking.records import Case, Outcome, RecordedExercise, RecordedPair
from coursekit.checking.verdict import judge

#: A recorded pair keeps at most this many cases of its first failing group.
_CASES = 2


@dataclass(frozen=True)
class Compound:
    """Two misconceptions applied to one answer.

    Attributes
    ----------
    names : tuple of (str, str)
        The misconception whose hint comes first, and the other one.
    status : str
        "explained": the hint of one of them is shown; "named": they interact and the pair is
        recorded; "unnamed": they interact, but too little distinguishes the pair to record it.
    outcomes : dict of str to Outcome
        Index of a case -> its outcome, for a pair that is recorded.
    """

    names: tuple[str, str]
    status: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)


def record_pairs(
    assignment: Assignment,
    name: str,
    recorded: RecordedExercise,
    known: list[RecordedPair] | None = None,
    limits: Limits | None = None,
) -> list[RecordedPair]:
    """The pairs of an exercise's misconceptions that a recording contains, as plain data.

    Parameters
    ----------
    known : list of RecordedPair, optional
        Pairs of another recording, to record only these; None stands for all that interact.
    limits : Limits, optional
        Where the answers run; the sandbox, if there is one, when None.
    """
    names = None if known is None else [set(pair["names"]) for pair in known]
    found = compounds(assignment, name, recorded, names, limits)
    return [{"names": list(one.names), "outcomes": one.outcomes} for one in found if one.outcomes]


def with_released_pairs(
    assignment: Assignment, recorded: dict[str, RecordedExercise], limits: Limits | None = None
) -> dict[str, RecordedExercise]:
    """Exercises recorded for a class, with the pairs whose hints `check` shows to students."""
    try:
        released = read(assignment.course.recordings / f"{assignment.name}.json")["exercises"]
    except RecordingError:  # not released yet: single hints do
        return recorded
    found: dict[str, RecordedExercise] = {}
    for name, exercise in recorded.items():
        known = released[name].get("pairs", []) if name in released else []
        found[name] = {**exercise, "pairs": record_pairs(assignment, name, exercise, known, limits)}
    return found


def compounds(
    assignment: Assignment,
    name: str,
    recorded: RecordedExercise,
    names: list[set[str]] | None = None,
    limits: Limits | None = None,
) -> list[Compound]:
    """Every pair of misconceptions that can be in one answer, and whether it gets a hint.

    Parameters
    ----------
    recorded : RecordedExercise
        The exercise, as `autograder.course.recording.record` returns it.
    names : list of set of str, optional
        The pairs to look at, by name; None stands for all.
    limits : Limits, optional
        Where the answers run; the sandbox, if there is one, when None.
    """
    pairs = list(_pairs(assignment, name, names))
    cases = {name: recorded["cases"]}
    ran = run_answers(assignment, [answer for _, _, answer in pairs], cases, limits)
    answers = [(one, two, outcomes) for (one, two, _), outcomes in zip(pairs, ran)]
    found = [_compound(recorded, *answer) for answer in answers]
    silent = [
        outcomes for pair, (_, _, outcomes) in zip(found, answers) if pair.status != "explained"
    ]
    return [_unless_ambiguous(recorded["cases"], pair, silent) for pair in found]


def _pairs(
    assignment: Assignment, name: str, names: list[set[str]] | None
) -> Iterator[tuple[Misconception, Misconception, Answer]]:
    """Two misconceptions, and the answer that has both."""
    reference = assignment.solution.bare_sources[name]
    edits = [
        m
        for m in assignment.exercises[name].misconceptions
        if is_edit(m.text) and m.hint != UNWRITTEN_HINT
    ]
    for one, two in itertools.combinations(edits, 2):
        if names is not None and {one.name, two.name} not in names:
            continue
        for first, second in ((one, two), (two, one)):
            try:
                text = second.source(first.source(reference))
                compile(text, f"{one.name} and {two.name}", "exec")
            except (AnswerError, *NOT_PYTHON):  # they change the same lines
                continue
            yield one, two, Answer(name, f"{one.name} and {two.name}", text)
            break


def _compound(
    recorded: RecordedExercise,
    one: Misconception,
    two: Misconception,
    outcomes: list[Outcome],
) -> Compound:
    verdict = judge(recorded, outcomes)
    names = (one.name, two.name)
    if verdict.misconception in names:
        return Compound(names, "explained")
    singles = {m["name"]: m["outcomes"] for m in recorded["misconceptions"]}
    cases = recorded["cases"]
    lost = next((group.name for group in verdict.groups if group.reason), "")
    own = [
        i
        for i, case in enumerate(cases)
        if case["group"] == lost and UNDEFINED not in (singles[names[0]][i], singles[names[1]][i])
    ]
    if sum(singles[names[1]][i] is not None for i in own) > sum(
        singles[names[0]][i] is not None for i in own
    ):
        names = names[::-1]  # the hint that explains more of this group comes first
    wrong = [i for i in own if any(singles[n][i] is not None for n in names)]
    if verdict.misconception or not wrong:
        return Compound(names, "unnamed")
    shortest = sorted(wrong, key=lambda i: len(json.dumps(outcomes[i])))[:_CASES]
    if evidence([(cases[i]["expected"], outcomes[i]) for i in shortest]) < ENOUGH:
        return Compound(names, "unnamed")
    kept = {str(i): essence(cases[i], outcomes[i]) for i in sorted(shortest)}
    return Compound(names, "named", kept)


def _unless_ambiguous(cases: list[Case], pair: Compound, answers: list[list[Outcome]]) -> Compound:
    """The pair, unless another pair's answer has the same outcomes: the hints would be wrong."""
    alike = sum(
        same_everywhere(cases, pair.outcomes, {i: outcomes[int(i)] for i in pair.outcomes})
        for outcomes in answers
        if pair.outcomes
    )
    return pair if alike <= 1 else Compound(pair.names, "unnamed")
