"""Extensions of due dates as an instructor writes them: for a student, or for many in a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from autograder.classroom.column_headings import EXTENSIONS, heading_words
from autograder.classroom.date_parsing import in_iso_order
from autograder.classroom.excel_id_check import require_whole_numbers
from autograder.classroom.lms_table import Row, Table, read_table
from autograder.classroom.student_matching import match
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import due_date, extend
from autograder.gradebook.late_penalties import Settled
from autograder.gradebook.name_keys import title_words
from autograder.gradebook.roster import Person, called
from autograder.gradebook.timestamps import read_date, read_span, stored


def read_extensions(classroom: Classroom, assignment: str, path: Path) -> dict[str, str]:
    """Read the extensions of a table as written, by student; rows without one are left out.

    A column "assignment" may say which rows are about this one.

    Raises
    ------
    CourseError
        The table cannot be read, has no column for extensions or none of them for this assignment, or
        a row is nobody's or about no assignment.
    """
    table = read_table(path)
    headings = [heading_words(heading) for heading in table.headings]
    columns = [headings.index(one) for one in EXTENSIONS if one in headings]
    if not columns:
        raise CourseError(
            f"{path} has no column 'extension'; its columns are {', '.join(table.headings)}."
        )
    column, skip = columns[0], [columns[0]]
    if "assignment" in headings:
        about = headings.index("assignment")
        skip.append(about)
        table = replace(table, rows=_rows_about(classroom, assignment, table, about, column))
    matched = match(table, _everyone(classroom), assignment, skip=skip)
    require_whole_numbers(table, matched.labels)
    found: dict[str, str] = {}
    for row, student, label in zip(table.rows, matched.students, matched.labels):
        text = row.text(column).strip()
        if not text:
            continue
        if student is None:
            raise ClassError(
                f"{path}: {label or f'the row with {text!r}'} is nobody in the class, or not one"
                " student; `autograder roster` lists it. No extension was granted."
            )
        found[student] = _days(text) if headings[column] == "days" else text
    if not found:
        raise CourseError(f"{path} has no extension for {assignment}.")
    return found


def _days(text: str) -> str:
    """Add the unit to a number of days."""
    number = text.replace(",", ".")
    return f"{number} days" if re.fullmatch(r"\d+(\.\d+)?", number) else text


def _rows_about(
    classroom: Classroom, assignment: str, table: Table, about: int, column: int
) -> list[Row]:
    """Return the rows of one assignment; Excel makes 0 of an assignment that is called 00."""
    every = classroom.course.assignments()
    found = []
    for row in table.rows:
        cell = row.text(about)
        fitting = [one for one in every if _is_about(cell, one)]
        if not fitting and row.text(column).strip():
            raise CourseError(
                f"{table.path}: {cell!r} is no assignment of the course; write the name or the number"
                f" of one, such as {assignment}. No extension was granted."
            )
        if assignment in fitting:
            found.append(row)
    return found


def _is_about(cell: str, assignment: str) -> bool:
    """Tell whether a cell names an assignment, by its number or in full."""
    number, *topic = title_words(assignment)
    own = title_words(cell)
    if own[:1] == ("assignment",):
        own = own[1:]
    return own == (number,) or "".join(own) == "".join([number, *topic])


def grant(
    classroom: Classroom, assignment: str, wanted: Mapping[str, str]
) -> tuple[dict[str, timedelta], list[Settled]]:
    """Grant extensions; return them by student, and the late penalties that they change.

    Raises
    ------
    CourseError
        There is no such student, or an extension is no span of time and no date after the due date.
    """
    people = _everyone(classroom)
    new = {}
    for name, text in wanted.items():
        student = _student(people, name)
        new[student] = _extension(classroom, assignment, text)
    classroom.require_writable()
    return new, extend(classroom, assignment, new)


def _everyone(classroom: Classroom) -> list[Person]:
    """Return the persons of a class."""
    known = classroom.people()
    return [known.get(student, Person(student)) for student in classroom.members()]


def _student(people: list[Person], name: str) -> str:
    """Return the student of the class with this name; raise `ClassError` unless there is one."""
    if any(person.id == name for person in people):
        return name
    found = called(people, name)
    if len(found) == 1:
        return found[0].id
    if found:
        raise ClassError(f"{name} may be {' or '.join(one.id for one in found)}; name the folder.")
    raise ClassError(f"{name} is not in the class; `autograder roster` lists it.")


def _extension(classroom: Classroom, assignment: str, text: str) -> timedelta:
    """Parse an extension: a span of time, or a date after the due date."""
    if text.strip() == "0":
        return timedelta()
    if (span := read_span(text)) is not None:
        return span
    written = in_iso_order(text)
    if not written.strip()[:4].isdecimal():
        raise CourseError(
            f"{text!r} is not an extension; write it as in 3d, 12h or 1d12h, or as a date with its"
            " zone."
        )
    until, _ = read_date(written)
    due = due_date(classroom, assignment)
    if due is None:
        raise ClassError(
            f"{assignment} has no due date, which a date extends;"
            f" set it with {classroom.command(f'due {assignment[:2]}')}."
        )
    extension = stored(until) - due
    if extension <= timedelta():
        raise CourseError(f"{text} is not after the due date.")
    return extension
