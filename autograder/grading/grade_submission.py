"""Grades one submission, stage by stage."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from nbformat import NotebookNode

from autograder.course import catalog
from autograder.course.cells import checked_exercise
from autograder.course.compounds import with_released_pairs
from autograder.course.layout import Course
from autograder.course.recording import record, record_assignment
from autograder.course.reference import read_shared
from autograder.errors import CourseError
from autograder.escaping import for_terminal
from autograder.grading.left_out import (
    LEFT_OUT,
    leave_out_other_checks,
    mark_left_out,
    needs_every_cell,
)
from autograder.grading.limits import Limits
from autograder.grading.notes import Notes, Usage
from autograder.grading.questions import Answers, Questions, without_expected
from autograder.grading.sanitize import sanitize
from autograder.grading.submissions import UnreadableSubmission, read_submission
from autograder.grading.time_limit import TookTooLong, time_limit
from autograder.grading.verdicts import decide, refusal, write_verdicts
from coursekit.checking.verdict import Verdict

_Result = TypeVar("_Result")

STEP_SECONDS = 60.0  # of processor time, for the grader's work before a run or after it
#: How every cell runs for what it does to the answers, not for what it shows.
BRIEFLY: dict[str, Any] = {"figures": False, "training_steps": 1, "data_rows": 300}


class Running(Protocol):
    """A run that was begun; `result` waits for the notebook with its outputs, and its answers."""

    def result(self) -> tuple[NotebookNode, Answers]: ...


#: Begins to run a sanitized notebook.
Run = Callable[[NotebookNode, Limits], Running]
#: What a grading in progress yields: the run that it waits for.
Grading = Generator[Running, None, _Result]


@dataclass(frozen=True)
class Task:
    """What every submission of an assignment is graded against.

    Attributes
    ----------
    release : the assignment as it was released.
    recorded : exercise -> its cases, drawn from the class's seed, with the reference's outcomes.
    only : the exercise to grade again, of submissions that are graded already; "" for all.
    """

    release: NotebookNode
    recorded: dict[str, dict[str, Any]]
    limits: Limits
    only: str = ""

    @property
    def questions(self) -> Questions:
        """What a run may know: the inputs of the cases, without what is expected."""
        return without_expected({name: one["cases"] for name, one in self.recorded.items()})

    @classmethod
    def of(cls, course: Course, assignment: str, seed: int, limits: Limits, only: str = "") -> Task:
        """The task of an assignment.

        Raises
        ------
        CourseError
            An exercise has other points than in the release, so nbgrader would refuse its score.
        """
        limits = replace(limits, visible=course.visible, preload=course.preload)
        release = read_shared(course.notebook(assignment))
        _require_released_points(course, assignment, release)
        if only:
            recorded = {only: record(course, assignment, only, seed)}
        else:
            recorded = record_assignment(course, assignment, seed)
        return cls(release, with_released_pairs(course, assignment, recorded), limits, only)

    def among(self, verdicts: list[Verdict], earlier: Sequence[Verdict]) -> list[Verdict]:
        """All verdicts on a submission: the new ones in place of the earlier ones."""
        if not self.only:
            return verdicts
        new = {verdict.exercise: verdict for verdict in verdicts}
        return [new.get(verdict.exercise, verdict) for verdict in earlier]


def _require_released_points(course: Course, assignment: str, release: NotebookNode) -> None:
    released = {
        checked_exercise(cell.source): marks["points"]
        for cell in release.cells
        if (marks := cell.metadata.get("nbgrader", {})).get("grade") and not marks["solution"]
    }
    for name, exercise in catalog.exercises(course, assignment).items():
        points = float(sum(exercise.points.values()))
        if points != released.get(name, points):
            raise CourseError(
                f"{name} has {points:g} points in its cases and {released[name]:g} in the release;"
                f" run `autograder release {assignment}`, then grade."
            )


def grade_submission(
    path: Path,
    task: Task,
    run: Run,
    save: Callable[[NotebookNode], str],
    earlier: Sequence[Verdict] = (),
) -> Grading[str]:
    """The way of a notebook from `submitted/` to a score: sanitize, run, verdict.

    A generator: it yields each run that it waits for, so that other submissions go on meanwhile.

    Parameters
    ----------
    path : the submitted notebook, if it is one.
    save : puts a notebook with verdicts into the gradebook; "", or why it cannot.
    earlier : the submission's verdicts of the last time, if the task is to grade one exercise again.

    Returns
    -------
    "" or why the submission could not be graded; its exercises then get zeros with that reason.
    """
    try:
        with time_limit(STEP_SECONDS):
            submission = read_submission(path)
            notebook, notes = sanitize(submission, task.release)
        notebook, verdicts, notes.usage = yield from run_and_judge(notebook, task, run)
        with time_limit(STEP_SECONDS):
            write_verdicts(notebook, task.among(verdicts, earlier), notes)
            reason = save(notebook)
    except (OSError, CourseError):
        raise  # of this machine
    except Exception as error:  # nothing that a student hands in ends the batch
        reason = why_unread(error)
    if reason:
        notebook = copy.deepcopy(task.release)
        verdicts = task.among(refusal(task.recorded, reason), earlier)
        write_verdicts(notebook, verdicts, Notes(unread=reason))
        failure = save(notebook)
        if failure:
            return f"{reason}; and no score could be saved: {failure}"
    return reason


def why_unread(error: Exception) -> str:
    """Why a submission gets zeros that raised `error` in the grader."""
    if isinstance(error, UnreadableSubmission):
        return str(error)
    if isinstance(error, TookTooLong):
        return f"the grader stopped working on it: {error}"
    kind, text = type(error).__name__, for_terminal(str(error))
    return f"the grader could not handle it ({kind}: {text[:200]})"


def run_and_judge(
    notebook: NotebookNode, task: Task, run: Run
) -> Grading[tuple[NotebookNode, list[Verdict], Usage | None]]:
    """Run a sanitized notebook and judge it: again with every cell if an answer is not right."""
    mark_left_out(notebook, task.release)
    if task.only:
        leave_out_other_checks(notebook, task.only)
    notebook, answers = yield from _wait(run(notebook, task.limits))
    verdicts = decide(task.recorded, answers)
    whole = None if task.limits.all_cells else needs_every_cell(notebook, task.release, verdicts)
    if whole is not None:
        again, answers_again = yield from _wait(run(whole, replace(task.limits, **BRIEFLY)))
        for cell, after in zip(notebook.cells, again.cells):
            if cell.cell_type == "code" and not cell.metadata.get(LEFT_OUT):
                cell.outputs, cell.execution_count = after.outputs, after.execution_count
        answers.update(answers_again)
        verdicts = decide(task.recorded, answers)
    return notebook, verdicts, answers.usage


def _wait(running: Running) -> Grading[tuple[NotebookNode, Answers]]:
    yield running
    return running.result()


def finish(grading: Grading[_Result]) -> _Result:
    """Drive a grading to its end, waiting for each of its runs."""
    while True:
        try:
            next(grading).result()
        except StopIteration as stop:
            return stop.value
