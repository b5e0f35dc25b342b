"""Pairs of misconceptions in one answer, recorded where neither one's hint would be shown."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.apply_edit import is_edit
from autograder.course.assignment import Assignment
from autograder.course.cells import NOT_PYTHON
from autograder.course.exercise import UNWRITTEN_HINT, Answer, Misconception
from autograder.course.record_cases import essence
from autograder.errors import AnswerError
from autograder.grading.answer_runs import run_answers
from autograder.grading.limits import Limits
from coursekit.checking.codec import decoded_once
from coursekit.checking.hints import ENOUGH, UNDEFINED, evidence, same_everywhere
from coursekit.checking.judge_case import same_outcome
from coursekit.checking.recording_format import Case, Outcome, RecordedExercise, RecordedPair
from coursekit.checking.stored_recordings import RecordingError, read
from coursekit.checking.verdict import Verdict, judge

#: A recorded pair keeps at most this many cases of its first failing group.
_CASES = 2


@dataclass(frozen=True)
class Compound:
    """A pair of misconceptions applied to one answer.

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
    recorded: Mapping[str, RecordedExercise],
    known: Mapping[str, Sequence[RecordedPair]] | None = None,
    limits: Limits | None = None,
) -> dict[str, list[RecordedPair]]:
    """Return the pairs of misconceptions for the recording of each exercise, as plain data.

    Parameters
    ----------
    recorded : mapping of str to RecordedExercise
        The exercises, as `record_exercises.record` returns them.
    known : mapping of str to sequence of RecordedPair, optional
        Pairs of another recording, to record only these; None for all that interact.
    limits : Limits, optional
        Limits of the answers' runs; None for a sandboxed run where there is a sandbox.
    """
    names: dict[str, list[set[str]]] | None = None
    if known is not None:
        names = {one: [set(pair["names"]) for pair in known.get(one, ())] for one in recorded}
    return {
        name: [
            {"names": list(one.names), "outcomes": one.outcomes} for one in found if one.outcomes
        ]
        for name, found in compounds(assignment, recorded, names, limits).items()
    }


class ReleasedPairs:
    """The pairs whose hints `check` shows to students, recorded with a class's own cases.

    They are recorded only where a verdict lacks a hint: most exercises of most classes never need
    their pairs.

    Parameters
    ----------
    assignment : Assignment
        The assignment; one that is not released yet has no such pairs.
    limits : Limits, optional
        Limits of the answers' runs; None for a sandboxed run where there is a sandbox.
    """

    def __init__(self, assignment: Assignment, limits: Limits | None = None) -> None:
        self._assignment, self._limits = assignment, limits
        try:
            released = read(assignment.course.recordings / f"{assignment.name}.json")["exercises"]
        except RecordingError:
            released = {}
        self._left = {name: pairs for name, one in released.items() if (pairs := one.get("pairs"))}

    def record(
        self, recorded: dict[str, RecordedExercise], verdicts: Sequence[Verdict]
    ) -> dict[str, RecordedExercise]:
        """Add the pairs of each exercise on which a verdict gives no hint, unless it has them.

        Parameters
        ----------
        recorded : dict of str to RecordedExercise
            The class's exercises; those that get pairs are replaced.
        verdicts : sequence of Verdict
            Verdicts on answers to these exercises.

        Returns
        -------
        dict of str to RecordedExercise
            The exercises that have pairs now and had none: judge the answers to them again.
        """
        known = {
            one.exercise: self._left[one.exercise]
            for one in verdicts
            if _lacks_hint(one) and one.exercise in self._left
        }
        now = {name: recorded[name] for name in known}
        pairs = record_pairs(self._assignment, now, known, self._limits)
        now = {name: {**one, "pairs": pairs[name]} for name, one in now.items()}
        recorded |= now
        for name in now:
            del self._left[name]  # not before they are recorded: that may fail
        return now


def _lacks_hint(verdict: Verdict) -> bool:
    """Tell whether there are wrong outcomes that no hint explains."""
    return bool(verdict.digest) and verdict.stage != "missing" and not verdict.hint


def compounds(
    assignment: Assignment,
    recorded: Mapping[str, RecordedExercise],
    names: Mapping[str, list[set[str]]] | None = None,
    limits: Limits | None = None,
) -> dict[str, list[Compound]]:
    """Return every pair of misconceptions that fits into one answer, with its status.

    All answers run in one kernel.

    Parameters
    ----------
    recorded : mapping of str to RecordedExercise
        The exercises, as `record_exercises.record` returns them.
    names : mapping of str to list of set of str, optional
        The pairs to consider, by name; None for all.
    limits : Limits, optional
        Limits of the answers' runs; None for a sandboxed run where there is a sandbox.
    """
    pairs = {
        name: list(_pairs(assignment, name, None if names is None else names[name]))
        for name in recorded
    }
    cases = {name: exercise["cases"] for name, exercise in recorded.items()}
    answers = [answer for own in pairs.values() for _, _, answer in own]
    ran = iter(run_answers(assignment, answers, cases, limits))
    with decoded_once():
        return {
            name: _of_exercise(recorded[name], [(one, two, next(ran)) for one, two, _ in own])
            for name, own in pairs.items()
        }


def _of_exercise(
    recorded: RecordedExercise,
    answers: list[tuple[Misconception, Misconception, list[Outcome]]],
) -> list[Compound]:
    found = [_compound(recorded, *answer) for answer in answers]
    silent = [
        outcomes for pair, (_, _, outcomes) in zip(found, answers) if pair.status != "explained"
    ]
    return [_unless_ambiguous(recorded["cases"], pair, silent) for pair in found]


def _pairs(
    assignment: Assignment, name: str, names: list[set[str]] | None
) -> Iterator[tuple[Misconception, Misconception, Answer]]:
    """Yield two misconceptions and the answer that has both."""
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
    by_length = sorted(wrong, key=lambda i: len(json.dumps(outcomes[i])))
    first, second = (_tells_apart(cases, singles[n], outcomes, by_length) for n in names)
    if first is None or second is None:  # one of the two alone would do the same
        return Compound(names, "unnamed")
    shortest = [*dict.fromkeys([first, second, *by_length])][:_CASES]
    if evidence([(cases[i]["expected"], outcomes[i]) for i in shortest]) < ENOUGH:
        return Compound(names, "unnamed")
    kept = {str(i): essence(cases[i], outcomes[i]) for i in sorted(shortest)}
    return Compound(names, "named", kept)


def _tells_apart(
    cases: Sequence[Case],
    single: Sequence[Outcome | None],
    outcomes: Sequence[Outcome],
    among: Sequence[int],
) -> int | None:
    """Return the first case in which a pair differs from one of its misconceptions alone."""
    for i in among:
        alone = single[i]
        if alone is None or not same_outcome(cases[i], alone, outcomes[i]):
            return i
    return None


def _unless_ambiguous(cases: list[Case], pair: Compound, answers: list[list[Outcome]]) -> Compound:
    """Return the pair; as "unnamed" if another pair's answer has the same outcomes."""
    alike = sum(
        same_everywhere(cases, pair.outcomes, {i: outcomes[int(i)] for i in pair.outcomes})
        for outcomes in answers
        if pair.outcomes
    )
    return pair if alike <= 1 else Compound(pair.names, "unnamed")
