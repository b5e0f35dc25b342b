"""The points of each exercise and question as CSV: a row per student, or a row per exercise of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field

from nbgrader.api import SubmittedAssignment

from autograder.classroom.export import not_graded, not_handed_in
from autograder.course.cells import CHECK
from autograder.errors import ClassError
from autograder.escaping import for_spreadsheet
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.own_tables import Withdrawal
from autograder.gradebook.read_submissions import read_submissions
from autograder.gradebook.submission_score import Score, is_graded, read_score
from autograder.gradebook.withdraw import released_cells
from autograder.gradebook.withdrawn import concerning, withdrawals

FORMS = ("wide", "long")
_LONG = (
    *("assignment", "student", "exercise", "points", "max_points"),
    *("extra_credit", "graded_by", "note", "comment"),
)


@dataclass(frozen=True)
class Points:
    """A student's points in one exercise or question.

    Attributes
    ----------
    points : float or None
        With extra credit; None as long as a person has to grade it.
    max_points : float
        0 if it is out of the student's total.
    graded_by : str
        "autograder", "person" or "withdrawal"; "" if nobody has.
    note : str
        Why it does not count as usual, or what is still to do.
    """

    exercise: str
    points: float | None
    max_points: float
    extra_credit: float
    graded_by: str
    note: str
    comment: str


@dataclass
class Table:
    """All points of an assignment.

    Attributes
    ----------
    exercises : list of str
        In the order of the release; those that it has no more come last.
    rows : dict of str to list of Points
        Student -> points, of graded submissions.
    scores : dict of str to Score
        Student -> what they add up to.
    notes : dict of str to str
        Student -> why there are no points.
    """

    assignment: str
    exercises: list[str]
    rows: dict[str, list[Points]] = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def read_points(classroom: Classroom, assignment: str) -> Table:
    """Read the points of a class from the gradebook.

    Raises
    ------
    ClassError
        There are no graded submissions.
    """
    course, folder = classroom.course, classroom.folder
    order = list(released_cells(course, assignment))
    table = Table(assignment, [])
    dropped = classroom.dropped()
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            withdrawn = withdrawals(gradebook, assignment)
            submissions = read_submissions(gradebook, assignment)
            for one in sorted(submissions, key=lambda one: one.student_id):
                if is_graded(one) and one.student_id not in dropped:
                    table.rows[one.student_id] = _points(one, order, withdrawn)
                    table.scores[one.student_id] = read_score(one, withdrawn)
    if not table.rows:
        raise ClassError(
            f"no graded submissions of {assignment};"
            f" run {classroom.command(f'grade {assignment}')} first."
        )
    names = (points.exercise for row in table.rows.values() for points in row)
    table.exercises = list(dict.fromkeys(names))
    table.notes = dict.fromkeys(not_graded(course, assignment, folder), "not graded")
    table.notes |= dict.fromkeys(not_handed_in(course, assignment, folder), "not handed in")
    return table


def _points(
    one: SubmittedAssignment, order: list[str], withdrawn: list[Withdrawal]
) -> list[Points]:
    """Return a submission's points, in the order of the release."""
    deciding = concerning(withdrawn, one.student_id)
    found: dict[str, Points] = {}
    for notebook in one.notebooks:
        comments = {c.name: c.manual_comment or "" for c in notebook.comments}
        for grade in notebook.grades:
            exercise = grade.name.removeprefix(CHECK)
            row = deciding.get(grade.name)
            waits = grade.needs_manual_grade
            by = "person" if grade.manual_score is not None else "autograder"
            said = filter(None, (comments.get(name) for name in {exercise, grade.name}))
            found[grade.name] = Points(
                exercise,
                None if waits else grade.score,
                0.0 if row is not None and not row.full_points else grade.cell.max_score,
                grade.extra_credit or 0.0,
                "withdrawal" if row is not None else "" if waits else by,
                f"withdrawn: {row.reason}" if row is not None else "to be graded" if waits else "",
                "\n".join(said),
            )
    names = [name for name in order if name in found]
    return [found[name] for name in (*names, *sorted(found.keys() - set(names)))]


def as_csv(table: Table, form: str) -> str:
    """Return the table as CSV in one of `FORMS`; no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in _wide(table) if form == "wide" else _long(table):
        writer.writerow(for_spreadsheet(cell) if isinstance(cell, str) else cell for cell in row)
    return out.getvalue()


def _wide(table: Table) -> Iterable[list[str]]:
    """Yield a row per student."""
    yield ["student", *table.exercises, "late_penalty", "score", "max_score", "note"]
    for student, row in table.rows.items():
        own = {points.exercise: _number(points.points) for points in row}
        score = table.scores[student]
        cells = [own.get(exercise, "") for exercise in table.exercises]
        total = [_number(score.penalty), _number(score.final), _number(score.max_score)]
        yield [student, *cells, *total, f"{score.waiting} to be graded" if score.waiting else ""]
    for student, note in sorted(table.notes.items()):
        yield [student, *[""] * (len(table.exercises) + 3), note]


def _long(table: Table) -> Iterable[list[str]]:
    """Yield a row per student and exercise."""
    yield list(_LONG)
    for student, row in table.rows.items():
        for one in row:
            numbers = map(_number, (one.points, one.max_points, one.extra_credit))
            rest = (one.graded_by, one.note, one.comment)
            yield [table.assignment, student, one.exercise, *numbers, *rest]
    for student, note in sorted(table.notes.items()):
        yield [table.assignment, student, "", "", "", "", "", note, ""]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
