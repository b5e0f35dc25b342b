"""The effect of a withdrawn exercise on the rows of the gradebook.

It is stored in nbgrader's own rows, so that formgrader, `nbgrader export` and every page agree: a
cell that is out of everyone's total is worth 0, and each grade has the points of the withdrawal.
Points given by hand are set aside and returned later; comments are not touched. nbgrader has no
total of a single student: `excused_points` returns by how much it is smaller.
"""

from __future__ import annotations

import contextlib

from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedAssignment

from autograder.gradebook.own_tables import SetAside, Withdrawal
from autograder.gradebook.read_submissions import read_submissions


def withdrawals(gradebook: Gradebook, assignment: str) -> list[Withdrawal]:
    """Return the withdrawals of an assignment, those for everyone first."""
    rows = gradebook.db.query(Withdrawal).filter(Withdrawal.assignment == assignment)
    return sorted(rows, key=lambda row: (row.student, row.cell))


def withdrawn_cells(gradebook: Gradebook, assignment: str) -> dict[str, Withdrawal]:
    """Return cell -> its withdrawal, for those that concern everyone."""
    return {row.cell: row for row in withdrawals(gradebook, assignment) if not row.student}


def concerning(rows: list[Withdrawal], student: str) -> dict[str, Withdrawal]:
    """Return cell -> the withdrawal that decides its points for a student.

    Parameters
    ----------
    rows : list of Withdrawal
        All withdrawals of the assignment.
    """
    return {row.cell: row for row in rows if row.student in ("", student)}


def excused_points(rows: list[Withdrawal], student: str) -> float:
    """Return by how much a student's total is smaller than that of the others.

    Parameters
    ----------
    rows : list of Withdrawal
        All withdrawals of the assignment.
    """
    everyone = {row.cell: row for row in rows if not row.student}
    own = {row.cell: row for row in rows if row.student == student}
    return float(
        sum(
            row.points
            for cell, row in own.items()
            if cell not in everyone or everyone[cell].full_points
        )
    )


def apply_withdrawals(
    gradebook: Gradebook, assignment: str, submission: SubmittedAssignment | None = None
) -> None:
    """Apply the withdrawals to grades and maximum points; keep points that were given meanwhile.

    Parameters
    ----------
    submission : SubmittedAssignment, optional
        The only submission to change; None for all.
    """
    rows = withdrawals(gradebook, assignment)
    asides = {aside.grade: aside for aside in gradebook.db.query(SetAside)}
    if not rows and not asides:
        return
    everyone = {row.cell: row for row in rows if not row.student}
    try:
        found = gradebook.find_assignment(assignment)
    except MissingEntry:
        return
    for notebook in found.notebooks:
        for cell in (*notebook.grade_cells, *notebook.task_cells):
            row = everyone.get(cell.name)
            if row is not None:
                cell.max_score = row.points if row.full_points else 0.0
    for one in read_submissions(gradebook, assignment) if submission is None else [submission]:
        deciding = concerning(rows, one.student_id)
        for submitted in one.notebooks:
            for grade in submitted.grades:
                _apply(gradebook, grade, deciding.get(grade.name), asides.get(grade.id))
    gradebook.db.commit()


def _apply(
    gradebook: Gradebook, grade: Grade, row: Withdrawal | None, aside: SetAside | None
) -> None:
    """Apply a withdrawal to a grade, or give back the earlier grade if there is none."""
    if row is None:
        if aside is not None:
            _give_back(gradebook, grade, aside)
        return
    given = row.points if row.full_points else 0.0
    if aside is None:
        aside = SetAside(
            grade=grade.id,
            manual_score=grade.manual_score,
            needs_manual_grade=grade.needs_manual_grade,
        )
        gradebook.db.add(aside)
    elif grade.manual_score != aside.given:  # a person has graded it meanwhile
        aside.manual_score = grade.manual_score
        aside.needs_manual_grade = grade.manual_score is None and grade.auto_score is None
    aside.given = grade.manual_score = given
    grade.needs_manual_grade = False


def _give_back(gradebook: Gradebook, grade: Grade, aside: SetAside) -> None:
    """Restore the grade that was set aside, unless it was graded anew since."""
    if grade.manual_score == aside.given:
        grade.manual_score = aside.manual_score
        grade.needs_manual_grade = aside.needs_manual_grade
    gradebook.db.delete(aside)


def lift(gradebook: Gradebook, row: Withdrawal) -> None:
    """Remove a withdrawal; `apply_withdrawals` then gives back the grades that were set aside."""
    with contextlib.suppress(MissingEntry):  # it may be withdrawn before anything is graded
        for notebook in gradebook.find_assignment(row.assignment).notebooks:
            for cell in (*notebook.grade_cells, *notebook.task_cells):
                if cell.name == row.cell and not row.student:
                    cell.max_score = row.points
    gradebook.db.delete(row)
    gradebook.db.commit()
