"""The withdrawal of flawed exercises of a class, and its reversal."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from nbgrader.api import Gradebook, MissingEntry

from autograder.course.assignment import Assignment
from autograder.course.cells import CHECK
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import settle_penalties
from autograder.gradebook.late_penalties import Settled
from autograder.gradebook.own_tables import SetAside, Withdrawal
from autograder.gradebook.score_savers import ChangedCells, changed_cells
from autograder.gradebook.withdrawn import (
    apply_withdrawals,
    lift,
    withdrawals,
    withdrawn_cells,
)


@dataclass(frozen=True)
class Withdrawn:
    """A withdrawal in the gradebook.

    Attributes
    ----------
    exercise : str
        The exercise, or the grade id of a question.
    student : str
        The student whom it concerns; "" for everyone.
    points : float
        The points of the exercise in the release.
    """

    assignment: str
    exercise: str
    student: str
    full_points: bool
    points: float
    reason: str
    since: str

    @classmethod
    def of(cls, row: Withdrawal) -> Withdrawn:
        """Return the withdrawal of a row in the gradebook."""
        return cls(
            row.assignment,
            row.cell.removeprefix(CHECK),
            row.student,
            row.full_points,
            row.points,
            row.reason,
            row.since,
        )

    def concerns(self, student: str) -> bool:
        """Tell whether it concerns a student."""
        return self.student in ("", student)

    @property
    def effect(self) -> str:
        """The effect on points, in a few words."""
        if self.full_points:
            return f"gives its {self.points:g} points to everyone"
        whose = f"the total of {self.student}" if self.student else "the total"
        return f"is out of {whose} ({self.points:g} points)"


def withdraw(
    classroom: Classroom,
    exercise: str,
    reason: str,
    assignment: str | None = None,
    students: Sequence[str] = (),
    full_points: bool = False,
) -> tuple[list[Withdrawn], list[Settled]]:
    """Withdraw an exercise or question, in place of an earlier withdrawal.

    Parameters
    ----------
    exercise : str
        The exercise, or the grade id of a question.
    assignment : str, optional
        The assignment; needed where several have a question of this name.
    students : sequence of str
        The students whose total leaves it out; everyone's if empty.
    full_points : bool
        Give full points to everyone instead.

    Returns
    -------
    tuple of (list of Withdrawn, list of Settled)
        The new withdrawals, and the late penalties that changed with the scores.

    Raises
    ------
    CourseError
        There is no such exercise, or several, or no such student.
    """
    strangers = sorted(set(students) - set(classroom.members()))
    if strangers:
        raise ClassError(f"{strangers[0]} is not in the class; `autograder roster` lists who is.")
    assignment, cell, points = _find(classroom, exercise, assignment)
    classroom.create_database()
    since = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    with classroom.open_gradebook() as gradebook:
        known = withdrawals(gradebook, assignment)
        for student in students or [""]:
            earlier = next((r for r in known if (r.cell, r.student) == (cell, student)), None)
            if earlier is not None:
                points = earlier.points
                lift(gradebook, earlier)
            row = Withdrawal(assignment=assignment, cell=cell, student=student, since=since)
            row.full_points, row.points, row.reason = full_points, points, reason
            gradebook.db.add(row)
        gradebook.db.commit()
        apply_withdrawals(gradebook, assignment)
        found = [
            Withdrawn.of(row)
            for row in withdrawals(gradebook, assignment)
            if row.cell == cell and row.student in (students or [""])
        ]
    return found, settle_penalties(classroom)


def reinstate(
    classroom: Classroom,
    exercise: str,
    assignment: str | None = None,
    students: Sequence[str] = (),
) -> tuple[list[Withdrawn], list[Settled]]:
    """Undo withdrawals of an exercise: all, or those of some students.

    Returns
    -------
    tuple of (list of Withdrawn, list of Settled)
        The former withdrawals, and the late penalties that changed with the scores.

    Raises
    ------
    ClassError
        The exercise is not withdrawn, or not for one of the students alone; nothing is changed.
    """
    found = []
    names = (exercise, f"{CHECK}{exercise}")
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            rows = [
                row
                for row in gradebook.db.query(Withdrawal)
                if row.cell in names and assignment in (None, row.assignment)
            ]
            if rows and students:
                _require_own(exercise, {row.student for row in rows}, students)
                rows = [row for row in rows if row.student in students]
            for row in rows:
                found.append(Withdrawn.of(row))
                lift(gradebook, row)
            for changed in {one.assignment for one in found}:
                apply_withdrawals(gradebook, changed)
    if not found:
        raise ClassError(f"{exercise} is not withdrawn; `autograder withdraw` lists what is.")
    return found, settle_penalties(classroom)


def _require_own(exercise: str, concerned: set[str], students: Sequence[str]) -> None:
    """Raise a `ClassError` if an exercise is not withdrawn for one of the students alone."""
    missing = [student for student in students if student not in concerned]
    if missing and "" in concerned:
        raise ClassError(
            f"{exercise} is withdrawn for everyone, not for {missing[0]} alone; --undo without"
            " --student takes that back."
        )
    if missing:
        raise ClassError(
            f"{exercise} is not withdrawn for {missing[0]}; `autograder withdraw` lists what is."
        )


def read_withdrawn(classroom: Classroom, assignment: str | None = None) -> list[Withdrawn]:
    """Return the withdrawals of one assignment or all."""
    if not classroom.database.exists():
        return []
    with classroom.open_gradebook() as gradebook:
        rows = gradebook.db.query(Withdrawal).order_by(Withdrawal.assignment, Withdrawal.cell)
        return [Withdrawn.of(row) for row in rows if assignment in (None, row.assignment)]


def set_by_hand(classroom: Classroom, assignment: str) -> set[tuple[str, str]]:
    """Return the (student, exercise) pairs whose points were set by hand in formgrader."""
    if not classroom.database.exists():
        return set()
    with classroom.open_gradebook() as gradebook:
        try:
            submissions = gradebook.assignment_submissions(assignment)
        except MissingEntry:
            return set()
        return {
            (one.student_id, grade.name.removeprefix(CHECK))
            for one in submissions
            for notebook in one.notebooks
            for grade in notebook.grades
            if (gradebook.db.get(SetAside, grade.id) or grade).manual_score is not None
        }


def released_cells(course: Course, assignment: str) -> dict[str, float]:
    """Return graded cell of the release -> its points."""
    return {
        marks["grade_id"]: float(marks["points"])
        for cell in Assignment(course, assignment).release.cells
        if (marks := cell.metadata.get("nbgrader", {})).get("grade") or marks.get("task")
    }


def cells_changed(classroom: Classroom, assignment: str) -> ChangedCells:
    """Return the graded cells that the release has changed since submissions were graded."""
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            try:
                notebook = gradebook.find_notebook(assignment, assignment)
            except MissingEntry:
                return ChangedCells([], [], 0)
            if notebook.submissions:
                new = released_cells(classroom.course, assignment)
                return changed_cells(notebook, new, withdrawn_cells(gradebook, assignment))
    return ChangedCells([], [], 0)


def _find(classroom: Classroom, exercise: str, assignment: str | None) -> tuple[str, str, float]:
    """Return the assignment, cell and points of an exercise, from releases or the gradebook."""
    names = (exercise, f"{CHECK}{exercise}")
    chosen = [assignment] if assignment is not None else classroom.course.assignments()
    found: dict[tuple[str, str], float] = {}
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            for one in chosen:
                for cell, points in _known_cells(gradebook, one).items():
                    if cell in names:
                        found[one, cell] = points
    for one in chosen:
        if classroom.course.notebook(one).exists():
            for cell, points in released_cells(classroom.course, one).items():
                if cell in names:
                    found[one, cell] = points
    if not found:
        raise CourseError(
            f"there is no exercise or question {exercise}; `autograder exercises` lists the"
            " exercises, `autograder export ASSIGNMENT --points wide` the questions, too."
        )
    if len(found) > 1:
        places = " and ".join(sorted(one for one, _ in found))
        raise CourseError(f"{exercise} is in {places}; choose one with --assignment.")
    ((place, cell), points), *_ = found.items()
    return place, cell, points


def _known_cells(gradebook: Gradebook, assignment: str) -> dict[str, float]:
    """Return graded cell of the gradebook -> its points, as if nothing were withdrawn."""
    try:
        notebooks = gradebook.find_assignment(assignment).notebooks
    except MissingEntry:
        return {}
    withdrawn = withdrawn_cells(gradebook, assignment)
    return {
        cell.name: withdrawn[cell.name].points if cell.name in withdrawn else cell.max_score
        for notebook in notebooks
        for cell in (*notebook.grade_cells, *notebook.task_cells)
    }
