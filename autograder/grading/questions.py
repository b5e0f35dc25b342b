"""What goes into a run and what comes back: questions and answers, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograder.grading.notes import Usage

#: Inputs of cases go to the submission; these keys stay with the grader.
_PRIVATE = ("expected", "judge", "title", "group", "undefined")

#: exercise -> its cases
Questions = dict[str, list[dict[str, Any]]]
#: what came out of an exercise's cases, one by one
Outcomes = list[dict[str, Any]]


def without_expected(questions: Questions) -> Questions:
    """The questions without what stays with the grader."""
    return {
        name: [{k: v for k, v in case.items() if k not in _PRIVATE} for case in cases]
        for name, cases in questions.items()
    }


@dataclass
class Answers:
    """What came back from a submission.

    Attributes
    ----------
    outcomes : dict of str to Outcomes or None
        Exercise -> its outcomes, or None if no answer came back.
    ends : dict of str to str
        Exercise -> why there is no answer, one sentence.
    usage : Usage or None
        What the run took; None if nothing ran.
    """

    outcomes: dict[str, Outcomes | None] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    usage: Usage | None = None

    def note(self, name: str, outcomes: Outcomes | None, end: str) -> None:
        """Note the outcomes of an exercise, or why there are none."""
        self.outcomes[name] = outcomes
        if outcomes is None:
            self.ends[name] = end

    def complete(self, questions: Questions, end: str) -> None:
        """Note for each exercise that was not asked why: `end`, if the run ended early."""
        for name in questions:
            if name not in self.outcomes:
                self.note(name, None, end or "its check cell is not in the notebook")
