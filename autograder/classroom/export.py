"""Exports grades as CSV for an LMS: a new file, or a column of the gradebook that the LMS exported.

The LMS's file is read and written with `csv`, not pandas: pandas renames a repeated heading, drops
empty rows, and shifts or cuts a row that is longer than the header.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.escaping import for_spreadsheet

#: Headings under which LMSs list a student's ID or name, most reliable first.
_ID_HEADINGS = (
    "SIS Login ID",
    "Username",
    "ID number",
    "SIS User ID",
    "Email address",
    "ID",
    "Student",
)


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
    text : str
        The table as CSV.
    students : list of str
        Students whose grade was filled in.
    unknown : list of str
        Graded students who are not in the table.
    ungraded : list of str
        Students in the table who have no grade; their cells are unchanged.
    ambiguous : list of str
        Rows that fit more than one student, or the same one as another row; their cells are
        unchanged.
    """

    text: str
    students: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ungraded: list[str] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)


def not_graded(course: Course, assignment: str, folder: Path | None = None) -> list[str]:
    """The students whose submission has no score, sorted: nobody has graded it, or the grader failed.

    Raises
    ------
    ClassError
        There are no graded submissions.
    """
    from autograder.gradebook.class_folder import Classroom

    graded = {grade.student for grade in grades(course, assignment, folder)}
    return [s for s in Classroom(course, folder).students(assignment) if s not in graded]


def grades(course: Course, assignment: str, folder: Path | None = None) -> list[Grade]:
    """The grades in nbgrader's gradebook, sorted by student, without submissions that have no score.

    Raises
    ------
    ClassError
        There are no graded submissions.
    """
    from nbgrader.api import Gradebook, MissingEntry

    from autograder.gradebook.class_folder import Classroom, tools_on_path
    from autograder.gradebook.entries import is_graded

    classroom = Classroom(course, folder)
    database = classroom.database
    late = classroom.lateness(assignment)
    found = []
    if database.exists():
        with tools_on_path(), Gradebook(f"sqlite:///{database}") as gradebook:
            try:
                submissions = gradebook.assignment_submissions(assignment)
            except MissingEntry:
                submissions = []
            for submission in filter(is_graded, submissions):
                penalty = submission.late_submission_penalty or 0.0
                found.append(
                    Grade(
                        submission.student_id,
                        max(0.0, submission.score - penalty),
                        submission.max_score,
                        submission.score,
                        penalty,
                        str(submission.timestamp or ""),
                        "needs manual grading" if submission.needs_manual_grade else "",
                        late[submission.student_id].words,
                    )
                )
    if not found:
        raise ClassError(
            f"no graded submissions of {assignment}; run `autograder grade {assignment}` first."
        )
    return sorted(found, key=lambda grade: grade.student)


def as_csv(found: list[Grade], without: Sequence[str] = ()) -> str:
    """A header and one row per student; no cell is a formula, whatever a student is called.

    Parameters
    ----------
    without : sequence of str
        Students whose submission is not graded; their rows have no score.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in fields(Grade))
    for grade in found:
        writer.writerow(
            for_spreadsheet(cell) if isinstance(cell, str) else _text(cell)
            for cell in astuple(grade)
        )
    for student in without:
        row = {"student": for_spreadsheet(student), "note": "not graded"}
        writer.writerow(row.get(column.name, "") for column in fields(Grade))
    return out.getvalue()


def fill_in(found: list[Grade], table: Path, column: str, who: str | None = None) -> Filled:
    """Fill the scores into a column of a table exported from an LMS.

    Parameters
    ----------
    table : Path
        The LMS's CSV file; it is not changed.
    column : str
        Heading of the column to fill; appended if there is no such column.
    who : str, optional
        Heading of the column that identifies the students; detected if None.

    Raises
    ------
    CourseError
        The table cannot be read, or none of its columns identifies a graded student.
    """
    try:
        text = table.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"cannot read {table} as CSV in UTF-8: {error}.") from error
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        header, *rows = list(csv.reader(io.StringIO(text), delimiter=delimiter)) or [[]]
    except csv.Error as error:
        raise CourseError(f"cannot read {table} as CSV: {error}.") from error
    if not rows:
        raise CourseError(f"{table} lists no students; export the gradebook from the LMS again.")
    left = {grade.student: grade.score for grade in found}
    id_index = _id_column(header, rows, set(map(_normalized, left)), who, table)
    if column not in header:
        header.append(column)
    target = header.index(column)
    for row in rows:
        row += [""] * (len(header) - len(row))
    filled = Filled("")
    fits = _fits([row[id_index] for row in rows], list(left))
    for row, students in zip(rows, fits):
        if len(students) == 1:
            row[target] = _text(left[students[0]])
            filled.students += students
        elif students:
            filled.ambiguous.append(row[id_index])
        elif row[id_index].strip():
            filled.ungraded.append(row[id_index])
    filled.unknown = [
        student for student in left if not any(student in students for students in fits)
    ]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    filled.text = out.getvalue()
    return filled


def _fits(cells: list[str], students: list[str]) -> list[list[str]]:
    """For each cell, the students it may name: one, or several if that is not certain.

    A student's own name counts first. Only who has no such cell is looked for in upper or lower
    case.
    """
    known = set(students)
    written = [cell if cell in known else _joined(cell) for cell in cells]
    as_written = Counter(written)
    folded = Counter(map(_normalized, cells))
    others = defaultdict(list)
    for student in students:
        if as_written[student]:
            folded[_normalized(student)] -= as_written[student]
        else:
            others[_normalized(student)].append(student)
    found = []
    for cell, exact in zip(cells, written):
        name = _normalized(cell)
        if exact in known:
            found.append([exact] * as_written[exact])
        else:
            found.append(others[name] * folded[name])
    return found


def _id_column(
    header: list[str], rows: list[list[str]], students: set[str], who: str | None, table: Path
) -> int:
    """The index of the column in which most rows name a graded student."""
    if who is not None and who not in header:
        raise CourseError(f"{table} has no column {who!r}; its columns are {', '.join(header)}.")
    order = sorted(
        range(len(header)), key=lambda i: (_ID_HEADINGS + tuple(header)).index(header[i])
    )
    matches = {
        index: sum(len(row) > index and _normalized(row[index]) in students for row in rows)
        for index in ([header.index(who)] if who is not None else order)
    }
    best = max(matches, key=lambda index: matches[index])
    if not matches[best]:
        what = (
            f"column {who!r} of {table} has no"
            if who is not None
            else f"no column of {table} has a"
        )
        raise CourseError(
            f"{what} graded student, such as {min(students)}; choose the column with --who, and check"
            " that it has the names used in submitted/."
        )
    return best


def _joined(name: str) -> str:
    """A name as `collect` writes it."""
    return "_".join(name.replace(",", " ").split())


def _normalized(name: str) -> str:
    """The same in lower case: LMSs write the same student in several ways."""
    return _joined(name).casefold()


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
