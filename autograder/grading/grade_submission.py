"""The grading of one submission: sanitize, run, judge, run and judge again, save."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import asked_exercise
from autograder.course.helpers import Helpers
from autograder.errors import CourseError, TookTooLong
from autograder.grading.cell_skipping import (
    LEFT_OUT,
    leave_out_other_checks,
    mark_left_out,
    needs_every_cell,
    shown_cells,
)
from autograder.grading.combined_misconceptions import ReleasedPairs
from autograder.grading.error_carried_forward import plan, with_right_helpers
from autograder.grading.grading_log import Notes, Usage
from autograder.grading.judge_pool import Judge, Judging, judge_here
from autograder.grading.limits import Limits
from autograder.grading.outputs import cells_cut_off, was_cut_off
from autograder.grading.questions import Answers, Questions, with_room, without_expected
from autograder.grading.record_misconceptions import record, record_assignment
from autograder.grading.reference_rpc import Carried
from autograder.grading.reused_solutions import mark_pasted, recorded_pasted
from autograder.grading.sanitize import sanitize
from autograder.grading.submissions import UnreadableSubmission, read_submission
from autograder.grading.verdicts import refusal, write_verdicts
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.time_limit import time_limit
from coursekit.checking.verdict import Verdict

_Result = TypeVar("_Result")

#: Exceptions that a submission can cause, and gets zeros for. Others are the grader's fault.
OF_THE_SUBMISSION = (UnreadableSubmission, TookTooLong, MemoryError, RecursionError)
#: Processor time for the grader's own work before a run, or after it.
STEP_SECONDS = 60.0
#: Limits of a run of every cell, which is for the cells' effect on answers, not for their output.
BRIEFLY: dict[str, Any] = {
    "figures": False,
    "training_steps": 1,
    "data_rows": 300,
    "shown_seconds": 3.0,
}


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


#: A grading in progress, as a generator: it yields each run or judgement that it waits for.
Grading = Generator[Running | Judging, None, _Result]


@dataclass(frozen=True)
class Task:
    """The data that every submission of an assignment is graded against.

    Attributes
    ----------
    release : NotebookNode
        The assignment as it was released.
    recorded : dict of str to RecordedExercise
        Exercise -> its cases, drawn from the class's seed, with the reference's outcomes.
    only : str
        The exercise to grade again, of submissions that are graded already; "" for all.
    helpers : Helpers or None
        The helpers that the references call; None to judge no exercise again with right helpers.
    pairs : ReleasedPairs or None
        The source of pairs of misconceptions for `recorded`; None to add no pairs.
    pasted : dict of str to RecordedExercise
        Helpers that students paste from earlier assignments, with cases of their own.
    """

    release: NotebookNode
    recorded: dict[str, RecordedExercise]
    limits: Limits
    only: str = ""
    helpers: Helpers | None = None
    pairs: ReleasedPairs | None = None
    pasted: dict[str, RecordedExercise] = field(default_factory=dict)

    @property
    def questions(self) -> Questions:
        """The inputs of all cases, without the expected outcomes: all that a run may know."""
        asked = {**self.pasted, **self.recorded}
        return without_expected({name: with_room(one) for name, one in asked.items()})

    @classmethod
    def of(
        cls,
        assignment: Assignment,
        seed: int,
        limits: Limits,
        only: str = "",
        meanwhile: Callable[[], None] | None = None,
    ) -> Task:
        """Return the task of an assignment.

        Parameters
        ----------
        meanwhile : callable, optional
            Called once while the misconceptions run in other processes.

        Raises
        ------
        CourseError
            The points of an exercise differ from the release, so nbgrader would refuse its score.
        """
        course = assignment.course
        limits = replace(limits, visible=course.visible, preload=course.preload)
        release = assignment.release
        _require_released_points(assignment)
        if only:
            recorded = {only: record(assignment, only, seed, limits)}
            if meanwhile is not None:
                meanwhile()
        else:
            recorded = record_assignment(assignment, seed, limits, meanwhile)
        pairs, helpers = ReleasedPairs(assignment, limits), Helpers(assignment)
        return cls(release, recorded, limits, only, helpers, pairs, recorded_pasted(helpers))

    def among(self, verdicts: list[Verdict], earlier: Sequence[Verdict]) -> list[Verdict]:
        """Return all verdicts on a submission: the earlier ones, updated by the new ones."""
        if not self.only:
            return verdicts
        return _replaced(earlier, verdicts)


def _require_released_points(assignment: Assignment) -> None:
    """Raise a `CourseError` if an exercise's points differ from those in the release."""
    released = {
        name: cell.metadata["nbgrader"]["points"]
        for cell in assignment.release.cells
        if (name := asked_exercise(cell)) is not None
    }
    for name, exercise in assignment.exercises.items():
        points = float(sum(exercise.points.values()))
        if points != released.get(name, points):
            raise CourseError(
                f"{name} has {points:g} points in its cases and {released[name]:g} in the release;"
                f" run `autograder release {assignment.name}`, then grade."
            )


def grade_submission(
    path: Path,
    task: Task,
    run: Run,
    save: Callable[[NotebookNode], None],
    earlier: Sequence[Verdict] = (),
    judge: Judge = judge_here,
) -> Grading[str]:
    """Grade a submitted notebook: sanitize it, run it, judge its answers, save the verdicts.

    This is a generator: it yields each run or judgement that it waits for, so that other
    submissions go on meanwhile.

    Parameters
    ----------
    path : Path
        The submitted file, which may be no notebook.
    save : callable
        Called with the notebook with verdicts; puts it into the gradebook.
    earlier : sequence of Verdict
        The submission's verdicts of the last time, if the task is to grade one exercise again.
    judge : callable
        Starts to judge the answers of a run.

    Returns
    -------
    Grading[str]
        "" or the reason why the submission could not be graded, and all its exercises get zeros.

    Raises
    ------
    Exception
        A fault of the grader or of this machine; nothing is saved.
    """
    try:
        with time_limit(STEP_SECONDS, TookTooLong):
            submission = read_submission(path)
            notebook, notes = sanitize(submission, task.release)
        notebook, verdicts, notes.usage = yield from run_and_judge(
            notebook, task, run, earlier, judge
        )
        with time_limit(STEP_SECONDS, TookTooLong):
            write_verdicts(notebook, task.among(verdicts, earlier), notes)
            save(notebook)
    except OF_THE_SUBMISSION as error:
        reason = why_unread(error)
        notebook = copy.deepcopy(task.release)
        verdicts = task.among(refusal(task.recorded, reason), earlier)
        write_verdicts(notebook, verdicts, Notes(unread=reason))
        save(notebook)
        return reason
    return ""


def why_unread(error: BaseException) -> str:
    """Return the reason, in words, why a submission gets zeros.

    Parameters
    ----------
    error : BaseException
        One of the exceptions in `OF_THE_SUBMISSION`.
    """
    if isinstance(error, UnreadableSubmission):
        return str(error)
    if isinstance(error, TookTooLong):
        return f"the grader stopped working on it: {error}"
    what = "takes too much memory" if isinstance(error, MemoryError) else "is nested too deeply"
    return f"the grader stopped working on it: it {what}"


def run_and_judge(
    notebook: NotebookNode,
    task: Task,
    run: Run,
    earlier: Sequence[Verdict] = (),
    judge: Judge = judge_here,
) -> Grading[tuple[NotebookNode, list[Verdict], Usage | None]]:
    """Run a sanitized notebook and judge its answers; run every cell if an answer is not right.

    Exercises that may have failed because of a wrong helper are then judged again with right
    helpers. The better verdict on an exercise counts.

    Parameters
    ----------
    earlier : sequence of Verdict
        The submission's verdicts of the last time, if the task is to grade one exercise again.
    """
    mark_left_out(notebook, task.release)
    if task.helpers is not None:
        mark_pasted(notebook, task.helpers.assignment, task.pasted)
    if task.only:
        leave_out_other_checks(notebook, task.only)
    notebook, answers = yield from _wait(run(notebook, task.limits))
    first = answers
    verdicts = yield from _verdicts(judge(task.recorded, answers))
    judged = dict.fromkeys(task.recorded, answers)
    usage, cells = answers.usage, set() if task.limits.all_cells else shown_cells(notebook)
    briefly = replace(task.limits, **BRIEFLY)
    for limits in (briefly, replace(briefly, shown_seconds=None)):
        whole = needs_every_cell(notebook, task.release, verdicts, answers, cells)
        if whole is None:
            break
        again, answers = yield from _wait(run(whole, limits))
        for cell, after in zip(notebook.cells, again.cells):
            if cell.cell_type == "code" and not cell.metadata.get(LEFT_OUT):
                cell.outputs, cell.execution_count = after.outputs, after.execution_count
        now = yield from _verdicts(judge(task.recorded, answers))
        better = _better(verdicts, now, answers)
        verdicts = _replaced(verdicts, better)
        judged |= {verdict.exercise: answers for verdict in better}
        usage = usage and answers.usage and usage + answers.usage
        cells = cells_cut_off(again)
        for i in cells:
            notebook.cells[i].outputs.append(was_cut_off(limits.shown_seconds or 0.0))
    planned = None
    if task.helpers is not None and not all(verdict.passed for verdict in verdicts):
        pasted = yield from _verdicts(judge(task.pasted, first))
        planned = plan(notebook, task.release, task.helpers, verdicts, (*earlier, *pasted))
    if planned is not None:
        only_asked = replace(briefly, all_cells=False)
        _, answers = yield from _wait(run(planned.notebook, only_asked, planned.carried))
        now = yield from _verdicts(judge(task.recorded, answers))
        now = yield from _explained(task, judge, now, dict.fromkeys(answers.called, answers))
        carried = with_right_helpers(verdicts, now, answers, planned)
        usage = usage and answers.usage and usage + answers.usage
        # judged with right helpers, or without a hint, which would blame it for a helper
        settled = {after.exercise for one, after in zip(verdicts, carried) if after is not one}
        judged = {name: own for name, own in judged.items() if name not in settled}
        verdicts = carried
    verdicts = yield from _explained(task, judge, verdicts, judged)
    return notebook, verdicts, usage


def _better(before: list[Verdict], now: list[Verdict], answers: Answers) -> list[Verdict]:
    """Return the verdicts of a second run that count: with an answer, and no fewer points."""
    return [
        new
        for old, new in zip(before, now)
        if answers.outcomes[new.exercise] is not None and new.points >= old.points
    ]


def _wait(running: Running) -> Grading[tuple[NotebookNode, Answers]]:
    """Yield a run, then return its notebook and answers once it has ended."""
    yield running
    return running.result()


def _explained(
    task: Task, judge: Judge, verdicts: list[Verdict], answers: Mapping[str, Answers]
) -> Grading[list[Verdict]]:
    """Return the verdicts, with hints from pairs where no single misconception explains one.

    Parameters
    ----------
    answers : mapping of str to Answers
        Exercise -> the answers that its verdict is about. Verdicts on other exercises are kept.
    """
    if task.pairs is None:
        return verdicts
    asked = [verdict for verdict in verdicts if verdict.exercise in answers]
    for name, exercise in task.pairs.record(task.recorded, asked).items():
        again = yield from _verdicts(judge({name: exercise}, answers[name]))
        verdicts = _replaced(verdicts, again)
    return verdicts


def _verdicts(judging: Judging) -> Grading[list[Verdict]]:
    """Yield a judgement, then return its verdicts once it has ended."""
    yield judging
    return judging.result()


def _replaced(verdicts: Sequence[Verdict], by: Sequence[Verdict]) -> list[Verdict]:
    """Return `verdicts`, with the verdict in `by` wherever it has one on the same exercise."""
    new = {verdict.exercise: verdict for verdict in by}
    return [new.get(verdict.exercise, verdict) for verdict in verdicts]


def finish(grading: Grading[_Result]) -> _Result:
    """Drive a grading to its end, waiting for each of its runs and judgements."""
    while True:
        try:
            next(grading)
        except StopIteration as stop:
            result: _Result = stop.value
            return result
