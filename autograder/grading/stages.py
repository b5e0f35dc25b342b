"""The types that the stages of grading pass on to each other, and how a stage waits.

A stage that waits is a generator: it yields each run or judgement, so that other submissions go on
meanwhile, and returns its result.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from nbformat import NotebookNode

from autograder.course.cells import asked_exercise
from autograder.grading.grading_log import Notes, Usage
from autograder.grading.judge_pool import Judging
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers
from autograder.grading.reference_rpc import Carried
from coursekit.checking.verdict import Verdict

_Result = TypeVar("_Result")


class Running(Protocol):
    """A run in progress."""

    def done(self) -> bool:
        """Tell whether the run has ended."""

    def result(self) -> tuple[NotebookNode, Answers]:
        """Wait for the run; return the executed notebook and the answers."""


class Run(Protocol):
    """A callable that starts to run a sanitized notebook, with right helpers if given."""

    def __call__(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None, /
    ) -> Running:
        """Start the run."""


#: A stage in progress, as a generator: it yields each run or judgement that it waits for.
Grading = Generator[Running | Judging, None, _Result]


@dataclass(frozen=True)
class Sanitized:
    """A repaired submission, ready to run.

    Attributes
    ----------
    notebook : NotebookNode
        The notebook, without outputs and with locked cells as released.
    notes : Notes
        Notes on repairs and suspicions.
    checks : dict of int to str
        Index of each check cell -> the exercise that it asks for.
    """

    notebook: NotebookNode
    notes: Notes
    checks: dict[int, str]

    @classmethod
    def of(cls, notebook: NotebookNode, notes: Notes) -> Sanitized:
        """Return a sanitized notebook with its check cells."""
        return cls(notebook, notes, checks_in(notebook))


@dataclass(frozen=True)
class Judged:
    """The verdicts on a submission, with the answers that they are about.

    Attributes
    ----------
    verdicts : list of Verdict
        A verdict per exercise, in the order of the notebook.
    answers : dict of str to Answers
        Exercise -> the answers that its verdict is about.
    first : Answers
        The answers of the first run, also of what was pasted.
    usage : Usage or None
        The time and memory of all runs; None if unknown.
    """

    verdicts: list[Verdict]
    answers: dict[str, Answers]
    first: Answers
    usage: Usage | None


def checks_in(notebook: NotebookNode) -> dict[int, str]:
    """Return the check cells of a released or sanitized notebook: index -> exercise."""
    asked = enumerate(map(asked_exercise, notebook.cells))
    return {index: name for index, name in asked if name is not None}


def replaced(verdicts: Sequence[Verdict], by: Sequence[Verdict]) -> list[Verdict]:
    """Return `verdicts`, with the verdict in `by` wherever it has one on the same exercise."""
    new = {verdict.exercise: verdict for verdict in by}
    return [new.get(verdict.exercise, verdict) for verdict in verdicts]


def added(usage: Usage | None, answers: Answers) -> Usage | None:
    """Return the usage of all runs so far and one more; None if that of a run is unknown."""
    return usage and answers.usage and usage + answers.usage


def finish(grading: Grading[_Result]) -> _Result:
    """Drive a grading to its end, waiting for each of its runs and judgements."""
    while True:
        try:
            next(grading)
        except StopIteration as stop:
            result: _Result = stop.value
            return result
