"""The task of grading an assignment: the data that all its submissions are graded against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import asked_exercise
from autograder.course.helpers import Helpers
from autograder.errors import CourseError
from autograder.grading.combined_misconceptions import ReleasedPairs
from autograder.grading.limits import Limits
from autograder.grading.questions import Questions, with_room, without_expected
from autograder.grading.record_misconceptions import record, record_assignment
from autograder.grading.reused_solutions import recorded_pasted
from coursekit.checking.recording_format import RecordedExercise

#: What `Task.brief_limits` changes.
BRIEFLY: dict[str, Any] = {
    "figures": False,
    "training_steps": 1,
    "data_rows": 300,
    "shown_seconds": 3.0,
}


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

    @property
    def brief_limits(self) -> Limits:
        """The limits of a run that is for the cells' effect on answers, not for their output."""
        return replace(self.limits, **BRIEFLY)


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
