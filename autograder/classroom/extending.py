"""Extensions in the words of an instructor: for a student, or for many in a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from autograder.classroom.lms_table import read_table
from autograder.classroom.matching import heading_words, match
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.clock import read_date, read_span, stored
from autograder.gradebook.deadlines import due_date, extend
from autograder.gradebook.names import words
from autograder.gradebook.roster import Person, called
from autograder.gradebook.settle import Settled

_COLUMNS = ("extension", "extend", "until", "days", "more time")


def read_extensions(classroom: Classroom, assignment: str, path: Path) -> dict[str, str]:
    """Student -> extension as written, from a table; rows without one are left out.

    A column "assignment" may say which rows are about this one.

    Raises
    ------
    CourseError
        The table cannot be read, has no column for extensions, or a row is nobody's.
    """
    table = read_table(path)
    headings = [heading_words(heading) for heading in table.headings]
    columns = [headings.index(one) for one in _COLUMNS if one in headings]
    if not columns:
        raise CourseError(
            f"{path} has no column 'extension'; its columns are {', '.join(table.headings)}."
        )
    column = columns[0]
    about = headings.index("assignment") if "assignment" in headings else None
    skip = [column] if about is None else [column, about]
    matched = match(table, _everyone(classroom), assignment, skip=skip)
    found: dict[str, str] = {}
    for number, row in enumerate(table.rows):
        text = row.text(column).strip()
        if not text or (about is not None and not _is_about(row.text(about), assignment)):
            continue
        student = matched.students[number]
        if student is None:
            label = matched.labels[number] or f"row {number + 2}"
            raise ClassError(
                f"{path}: {label} is nobody in the class, or not one student; `autograder roster`"
                " lists it. No extension was granted."
            )
        found[student] = f"{text} days" if headings[column] == "days" else text
    return found


def _is_about(cell: str, assignment: str) -> bool:
    return words(cell) in (words(assignment), words(assignment)[:1])


def grant(
    classroom: Classroom, assignment: str, wanted: Mapping[str, str]
) -> tuple[dict[str, timedelta], list[Settled]]:
    """Grant extensions; return them by student, and what costs more or less by them.

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
    known = classroom.people()
    return [known.get(student, Person(student)) for student in classroom.members()]


def _student(people: list[Person], name: str) -> str:
    if any(person.id == name for person in people):
        return name
    found = called(people, name)
    if len(found) == 1:
        return found[0].id
    if found:
        raise ClassError(f"{name} may be {' or '.join(one.id for one in found)}; name the folder.")
    raise ClassError(f"{name} is not in the class; `autograder roster` lists it.")


def _extension(classroom: Classroom, assignment: str, text: str) -> timedelta:
    if text.strip() == "0":
        return timedelta()
    if (span := read_span(text)) is not None:
        return span
    if not text.strip()[:4].isdecimal():
        raise CourseError(
            f"{text!r} is not an extension; write it as in 3d, 12h or 1d12h, or as a date with its"
            " zone."
        )
    until, _ = read_date(text)
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
