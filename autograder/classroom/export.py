"""Export of grades as CSV for an LMS: a new file, or a column of the LMS's own gradebook."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

from autograder.classroom.grade_columns import find_column, points_possible
from autograder.classroom.lms_table import read_table
from autograder.classroom.student_matching import match
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.escaping import for_spreadsheet
from autograder.gradebook.roster import Person


@dataclass(frozen=True)
class Grade:
    """One student's grade in the gradebook.

    Attributes
    ----------
    score : float
        `raw_score`, the sum over the cells, minus `late_penalty`; at least 0.
    submitted : str
        Submission time in UTC, "" if unknown.
    note : str
        What the instructor still has to do, or "".
    late : str
        How late, as in "2 days late", or "".
    """

    student: str
    score: float
    max_score: float
    raw_score: float
    late_penalty: float
    submitted: str
    note: str
    late: str = ""


@dataclass
class Filled:
    """The LMS's table with the grades filled in.

    Attributes
    ----------
    content : bytes
        The table, unchanged but for the grades.
    column : str
        The heading of the column.
    added : bool
        Whether the table had no such column.
    students : list of str
        Students whose grade was filled in.
    unknown : list of str
        Graded students who are not in the table.
    ungraded : list of str
        Students in the table who have no grade; their cells are unchanged.
    ambiguous : list of str
        Rows that fit more than one student, or the same one as another row; their cells are
        unchanged.
    possible : float or None
        Out of how many points the LMS counts the column; None if the table does not say.
    scaled : list of str
        Students with a smaller total than the others, whose scores were scaled to it.
    """

    content: bytes
    column: str
    added: bool = False
    students: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ungraded: list[str] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)
    possible: float | None = None
    scaled: list[str] = field(default_factory=list)


def not_graded(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    found: Iterable[Grade] | None = None,
) -> list[str]:
    """Return the students whose submission has no score, sorted: not graded, or the grader failed.

    Parameters
    ----------
    found : iterable of Grade, optional
        What `grades` has returned, if it is known already.

    Raises
    ------
    ClassError
        There are no graded submissions.
    """
    from autograder.gradebook.class_folder import Classroom

    known = grades(course, assignment, folder) if found is None else found
    graded = {grade.student for grade in known}
    return [s for s in Classroom(course, folder).students(assignment) if s not in graded]


def not_handed_in(course: Course, assignment: str, folder: Path | None = None) -> list[str]:
    """Return the students of the class who have neither a submission nor a score, sorted."""
    from autograder.gradebook.class_folder import Classroom

    classroom = Classroom(course, folder)
    have = set(classroom.students(assignment))
    if classroom.database.exists():
        with classroom.open_gradebook() as gradebook:
            have |= {one.student_id for one in gradebook.assignment_submissions(assignment)}
    return [student for student in classroom.members() if student not in have]


def grades(course: Course, assignment: str, folder: Path | None = None) -> list[Grade]:
    """Return the grades in nbgrader's gradebook, sorted by student; unscored ones are left out.

    Raises
    ------
    ClassError
        There are no graded submissions.
    """
    from autograder.gradebook.class_folder import Classroom

    classroom = Classroom(course, folder)
    late, dropped = classroom.lateness(assignment), classroom.dropped()
    found = [
        Grade(
            student,
            score.final,
            score.max_score,
            score.raw,
            score.penalty,
            str(late[student].submitted or ""),
            "needs manual grading" if score.waiting else "",
            late[student].words,
        )
        for student, score in classroom.scores(assignment).items()
        if student not in dropped
    ]
    if not found:
        raise ClassError(
            f"no graded submissions of {assignment};"
            f" run {classroom.command(f'grade {assignment}')} first."
        )
    return sorted(found, key=lambda grade: grade.student)


def as_csv(
    found: list[Grade], without: Sequence[str] = (), absent: Sequence[str] = (), score: str = ""
) -> str:
    """Return the grades as CSV, a header and a row per student; no cell is run as a formula.

    Parameters
    ----------
    without : sequence of str
        Students whose submission is not graded; their rows have no score.
    absent : sequence of str
        Students who have not handed in.
    score : str
        What these get as their score: nothing, or "0".
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in fields(Grade))
    for grade in found:
        writer.writerow(
            for_spreadsheet(cell) if isinstance(cell, str) else _text(cell)
            for cell in astuple(grade)
        )
    notes = dict.fromkeys(without, "not graded") | dict.fromkeys(absent, "not handed in")
    for student, note in notes.items():
        row = {"student": for_spreadsheet(student), "note": note}
        if student in absent:
            row["score"] = score
        writer.writerow(row.get(column.name, "") for column in fields(Grade))
    return out.getvalue()


def fill_in(
    found: list[Grade],
    table: Path,
    assignment: str,
    column: str | None = None,
    who: str | None = None,
    people: Iterable[Person] = (),
    absent: Sequence[str] = (),
) -> Filled:
    """Fill the scores into a column of a table exported from an LMS.

    Parameters
    ----------
    table : Path
        The LMS's file; it is not changed.
    assignment : str
        Its column is filled; it is added if there is none.
    column : str, optional
        Heading of the column, if it is another.
    who : str, optional
        Heading of the column that identifies the students; detected if None.
    people : iterable of Person
        All that is known of the class.
    absent : sequence of str
        Students who have not handed in, and get 0.

    Raises
    ------
    CourseError
        The table cannot be read, more than one of its columns may be the assignment's, or none
        identifies a graded student.
    """
    read = read_table(table)
    if who is not None and who not in read.headings:
        raise CourseError(
            f"{table} has no column {who!r}; its columns are {', '.join(read.headings)}."
        )
    most = max((grade.max_score for grade in found), default=0.0)
    scores = {grade.student: _of(grade, most) for grade in found} | dict.fromkeys(absent, 0.0)
    known = {person.id: person for person in people}
    everyone = [*known.values(), *(Person(one) for one in scores if one not in known)]
    before = len(read.headings)
    target = find_column(read, assignment, column)
    skip = [] if read.headings[target.index] == who else [target.index]
    matched = match(read, everyone, assignment, who, skip)
    if not any(student in scores for student in matched.students) and not matched.ambiguous:
        what = (
            f"column {who!r} of {table} has no"
            if who is not None
            else f"no column of {table} has a"
        )
        raise CourseError(
            f"{what} graded student, such as {min(scores)}; choose the column with --who, and check"
            " that it has the students' names, or the names used in submitted/."
        )
    filled = Filled(b"", target.heading, len(read.headings) > before)
    comma = _has_decimal_commas(read.column(target.index))
    for number, (row, student) in enumerate(zip(read.rows, matched.students)):
        if student in scores:
            text = _text(scores[student])
            row.fill(target.index, text.replace(".", ",") if comma else text)
            filled.students.append(student)
        elif number in matched.ambiguous:
            filled.ambiguous.append(matched.labels[number])
        elif matched.labels[number]:
            filled.ungraded.append(matched.labels[number])
    seen = {*filled.students, *matched.contested}
    filled.unknown = [grade.student for grade in found if grade.student not in seen]
    filled.possible = points_possible(read, target)
    excused = {grade.student for grade in found if grade.max_score != most}
    filled.scaled = [student for student in filled.students if student in excused]
    filled.content = read.to_bytes()
    return filled


def _of(grade: Grade, most: float) -> float:
    """Scale a score to `most` points, out of which the LMS counts."""
    return grade.score * most / grade.max_score if grade.max_score else grade.score


def _has_decimal_commas(cells: list[str]) -> bool:
    return any(re.fullmatch(r"\d+,\d+", cell.strip()) for cell in cells)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
