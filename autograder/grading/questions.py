"""The questions that go into a run and the answers that come back, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.grading_log import Usage
from coursekit.checking.codec import MAX_BYTES
from coursekit.checking.recording_format import Outcome, Question, RecordedExercise
from coursekit.checking.verdict import room, too_large

#: Keys of a case that stay with the grader; the others go to the submission.
_PRIVATE = ("expected", "judge", "title", "group", "undefined")
#: Bytes that a character can take in JSON, which writes é as \u00e9.
_BYTES_PER_CHARACTER = 6

#: exercise -> its cases
Questions = dict[str, list[Question]]
#: the outcomes of an exercise's cases, one by one
Outcomes = list[Outcome]


def without_expected(
    cases: Mapping[str, Sequence[Question]],  # a `Case` is a `Question` with more keys
) -> Questions:
    """Return the questions, without the keys that stay with the grader."""
    return {name: [_question(case) for case in own] for name, own in cases.items()}


def _question(case: Question) -> Question:
    public: Any = {key: value for key, value in case.items() if key not in _PRIVATE}
    question: Question = public
    return question


def with_room(exercise: RecordedExercise) -> list[Question]:
    """Return an exercise's cases, each with the size that its answer may have (`verdict.room`)."""
    cases: Any = [{**case, "room": most} for case, most in zip(exercise["cases"], room(exercise))]
    questions: list[Question] = cases
    return questions


def for_kernel(questions: Sequence[Question]) -> list[Question]:
    """Return the questions for the submission, without the size of the expected answers."""
    sent: Any = [{k: v for k, v in one.items() if k != "room"} for one in questions]
    kept: list[Question] = sent
    return kept


def most_bytes(questions: Sequence[Question]) -> int:
    """Return the most bytes that a right answer to an exercise's cases can have as JSON."""
    return sum(
        _BYTES_PER_CHARACTER * one["room"] if "room" in one else 2 * MAX_BYTES for one in questions
    )


def within_room(outcomes: Outcomes, questions: Sequence[Question]) -> Outcomes:
    """Return the outcomes, with an error in place of each that is too large to be right."""
    return [
        (too_large(outcome, question["room"]) if "room" in question else None) or outcome
        for outcome, question in zip(outcomes, questions)
    ]


@dataclass
class Answers:
    """The answers of a submission.

    Attributes
    ----------
    outcomes : dict of str to Outcomes or None
        Exercise -> its outcomes, or None if no answer came back.
    ends : dict of str to str
        Exercise -> the reason why there is no answer, one sentence.
    called : dict of str to list of str
        Exercise that was judged again -> the right helpers that it called.
    usage : Usage or None
        Time and memory of the run; None if nothing ran.
    """

    outcomes: dict[str, Outcomes | None] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    called: dict[str, list[str]] = field(default_factory=dict)
    usage: Usage | None = None

    def note(self, name: str, outcomes: Outcomes | None, end: str) -> None:
        """Note the outcomes of an exercise, or why there are none."""
        self.outcomes[name] = outcomes
        if outcomes is None:
            self.ends[name] = end

    def complete(self, questions: Questions, end: str) -> None:
        """Note for each exercise that was not asked why: `end` if the run ended early."""
        for name in questions:
            if name not in self.outcomes:
                self.note(name, None, end or "its check cell is not in the notebook")
