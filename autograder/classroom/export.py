"""Grades as a table for an LMS: a file of their own, or a column in the LMS's own file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.layout import Course
from autograder.errors import CourseError

_COLUMNS = ("student", "score", "max_score", "raw_score", "late_penalty", "submitted", "note")
#: Columns of an LMS's table that name a student, the likeliest first.
_WHO = ("SIS Login ID", "Username", "ID number", "SIS User ID", "Email address", "ID", "Student")


@dataclass(frozen=True)
class Grade:
    """One student's grade, as the gradebook has it.

    Attributes
    ----------
    score : what counts: `raw_score`, all points of cells, less `late_penalty`, at least 0.
    submitted : when, in UTC; "" where nobody knows.
    note : "" or what is still missing.
    """

    student: str
    score: float
    max_score: float
    raw_score: float
    late_penalty: float
    submitted: str
    note: str


@dataclass
class Filled:
    """A table of the LMS with the grades in it.

    Attributes
    ----------
    text : the table, as CSV.
    students : who got a grade.
    unknown : graded students that the table does not have.
    ungraded : the table's students without a grade; their cells stay as they were.
    """

    text: str
    students: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ungraded: list[str] = field(default_factory=list)


def grades(course: Course, assignment: str, folder: Path | None = None) -> list[Grade]:
    """Every graded student's score, from nbgrader's gradebook, in alphabetical order.

    Raises
    ------
    CourseError
        Nothing is graded yet.
    """
    from nbgrader.api import Gradebook, MissingEntry

    from autograder.grading.gradebook import Classroom, tools_on_path

    database = Classroom(course, folder).database
    found = []
    if database.exists():
        with tools_on_path(), Gradebook(f"sqlite:///{database}") as gradebook:
            try:
                submissions = gradebook.assignment_submissions(assignment)
            except MissingEntry:
                submissions = []
            for submission in submissions:
                penalty = submission.late_submission_penalty or 0.0
                waiting = submission.needs_manual_grade
                found.append(
                    Grade(
                        submission.student_id,
                        max(0.0, submission.score - penalty),
                        submission.max_score,
                        submission.score,
                        penalty,
                        str(submission.timestamp or ""),
                        "some cells wait for a grade by hand" if waiting else "",
                    )
                )
    if not found:
        raise CourseError(
            f"no submission of {assignment} is graded yet; run `autograder grade {assignment}`."
        )
    return sorted(found, key=lambda grade: grade.student)


def as_csv(found: list[Grade]) -> str:
    """One row per student, with a head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for grade in found:
        writer.writerow([_text(getattr(grade, column)) for column in _COLUMNS])
    return out.getvalue()


def fill_in(found: list[Grade], table: Path, column: str, who: str | None = None) -> Filled:
    """Put the scores into a column of the table that an LMS has exported.

    Parameters
    ----------
    table : the LMS's CSV file; it stays as it is.
    column : the column's head; it is added at the end when the table has none.
    who : the head of the column that names the students; None for the likeliest that does.

    Raises
    ------
    CourseError
        The table cannot be read, or no column names any of the students.
    """
    try:
        text = table.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{table} cannot be read as a CSV file in UTF-8 ({error}).") from error
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if len(rows) < 2:
        raise CourseError(f"{table} has no rows; export the list of students from the LMS first.")
    head = rows[0]
    score = {_key(grade.student): grade for grade in found}
    place = _naming_column(head, rows[1:], set(score), who, table)
    if column not in head:
        head.append(column)
    target = head.index(column)
    filled = Filled("")
    left = dict(score)
    for row in rows[1:]:
        row += [""] * (len(head) - len(row))
        grade = score.get(_key(row[place]))
        if grade is not None:
            row[target] = _text(grade.score)
            filled.students.append(grade.student)
            left.pop(_key(row[place]), None)
        elif row[place].strip():
            filled.ungraded.append(row[place])
    filled.unknown = [grade.student for grade in left.values()]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    filled.text = out.getvalue()
    return filled


def _naming_column(
    head: list[str], rows: list[list[str]], students: set[str], who: str | None, table: Path
) -> int:
    if who is not None and who not in head:
        raise CourseError(f"{table} has no column {who!r}; it has {', '.join(head)}.")
    order = sorted(range(len(head)), key=lambda i: (_WHO + tuple(head)).index(head[i]))
    hits = {
        place: sum(len(row) > place and _key(row[place]) in students for row in rows)
        for place in ([head.index(who)] if who is not None else order)
    }
    best = max(hits, key=lambda place: hits[place])
    if not hits[best]:
        raise CourseError(
            f"no column of {table} names any graded student (the first is {min(students)}); say"
            " which one does with --who, or rename the students."
        )
    return best


def _key(name: str) -> str:
    """A name as `collect` writes it, without case: LMSs write one student in several ways."""
    return "_".join(name.replace(",", " ").split()).casefold()


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
