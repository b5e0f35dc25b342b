"""The roster of a class: its students, from a table of the LMS, and those who dropped out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.classroom.column_headings import (
    EMAILS,
    GITHUB_USERNAME,
    LOGINS,
    ORG_DEFINED_ID,
    heading_words,
)
from autograder.classroom.excel_id_check import Numbered, require_own_numbers
from autograder.classroom.lms_table import Table, read_table
from autograder.classroom.student_folders import folder_name, gradescope_account
from autograder.classroom.student_matching import lone_name_column, match, name_columns
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.name_keys import fold, words
from autograder.gradebook.roster import GITHUB, LMS_USER_ID, Person, save_people

#: Heading -> where the number in it identifies a student. "id" is Canvas's only beside its others.
_SCOPES = {
    GITHUB_USERNAME: GITHUB,
    "lms user id": LMS_USER_ID,
    "orgdefinedid": ORG_DEFINED_ID,
    "org defined id": ORG_DEFINED_ID,
}
#: The student whom Canvas makes up for tests.
_NOBODY = {"student, test", "test student"}
_OF_CANVAS = {"sis login id", "sis user id"}


@dataclass
class Enrolled:
    """Result of reading a roster.

    Attributes
    ----------
    added : list of str
        Students who are new in the class.
    known : list of str
        Students who were in it already.
    dropped : list of str
        Students whom an earlier roster listed, and this one does not.
    unlisted : list of str
        Students of the class whom no roster lists.
    unclear : list of str
        Rows that fit more than one student, or none that can be named.
    """

    added: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def enrol(classroom: Classroom, path: Path, only_add: bool = False) -> Enrolled:
    """Take the students of a table into the class; whom an earlier roster listed drops out.

    Nothing of a student who drops out is deleted: a later roster brings all of it back.

    Parameters
    ----------
    only_add : bool
        Whether the table is only a part of the class, so that nobody drops out.

    Raises
    ------
    CourseError
        The table cannot be read, names no students, does not tell them apart, or lacks most of the
        class.
    """
    table = _once(read_table(path))
    people = classroom.people()
    for student in classroom.members():
        people.setdefault(student, Person(student, imported=True))
    matched = match(table, people.values())
    found = Enrolled()
    rows = []
    taken = {student.casefold() for student in people}
    for number in range(len(table.rows)):
        read = _read_row(table, number)
        if number in matched.ambiguous or not read.id:
            found.unclear.append(matched.labels[number])
            continue
        student = matched.students[number] or ""
        if not student:
            student = _free(read, taken)
            people[student] = Person(student)
            taken.add(student.casefold())
            found.added.append(student)
        else:
            found.known.append(student)
        rows.append((student, read))
    if not rows:
        raise CourseError(
            f"{path} names no students: it needs a column such as 'Student', 'Full name', or 'First"
            " name' and 'Last name'."
        )
    listed = {student for student, _ in rows}
    before = {who for who, person in people.items() if person.listed and not person.dropped}
    gone = set() if only_add else before - listed
    if len(gone) > len(before) / 2:
        raise ClassError(
            f"{path} lists only {len(before & listed)} of the {len(before)} students of the roster:"
            " --add adds its students and drops nobody; `autograder roster --drop STUDENT` drops"
            " one."
        )
    for student, read in rows:
        _update(people[student], read)
    for student in gone:
        people[student].dropped = True
    save_people(classroom.folder, people)
    classroom.enter_students({student: _entry(read) for student, read in rows})
    found.dropped = sorted(gone)
    found.unlisted = [one for one in classroom.members() if not people[one].listed]
    return found


def drop(classroom: Classroom, students: Iterable[str]) -> None:
    """Count students as having left the course.

    Raises
    ------
    ClassError
        There is no such student.
    """
    members = classroom.members()
    people = classroom.people()
    for student in students:
        if student not in members:
            raise ClassError(f"{student} is not in the class; `autograder roster` lists it.")
        person = people.setdefault(student, Person(student))
        person.dropped, person.imported = True, False
    save_people(classroom.folder, people)


@dataclass(frozen=True)
class _Row:
    """A row of a roster.

    Attributes
    ----------
    id : str
        The folder that `collect` would give the student, "" if there is no name.
    user : str
        The user name, or the id of nbgrader's own table.
    """

    id: str
    first: str
    last: str
    user: str
    email: str
    numbers: dict[str, str]

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first} {self.last}".strip()

    @property
    def marks(self) -> dict[str, str]:
        """The numbers, user name and address that tell students apart, most reliable first."""
        given = {**self.numbers, "user name": self.user, "email address": self.email.casefold()}
        return {kind: value for kind, value in given.items() if value}

    @property
    def own_numbers(self) -> dict[str, str]:
        """The marks that must be unique to a student: all but the email address."""
        return {kind: value for kind, value in self.marks.items() if kind != "email address"}

    def is_one_with(self, namesake: _Row) -> bool | None:
        """Tell whether another row of this name is this student's; None if nothing says so."""
        marks = namesake.marks
        return next((marks[k] == value for k, value in self.marks.items() if k in marks), None)


def _once(table: Table) -> Table:
    """Return the table with one row per student; merged sections may repeat some.

    Raises
    ------
    CourseError
        The table does not tell its students apart.
    """
    labels = match(table, ()).labels
    kept: dict[tuple[str, ...], list[_Row]] = defaultdict(list)
    rows = []
    for number, label in enumerate(labels):
        cells = [cell.text.lstrip("\ufeff") for cell in table.rows[number].cells]
        if not label or fold(label) in _NOBODY or cells == table.headings:
            continue
        read = _read_row(table, number)
        namesakes = kept[tuple(sorted(words(read.name)))]
        same = [read.is_one_with(one) for one in namesakes]
        if read.name and None in same and True not in same:
            raise CourseError(
                f"{table.path} lists {read.name} twice, and nothing says whether these are two"
                " students: add a column with their numbers or email addresses, or delete a row."
            )
        if True not in same:
            namesakes.append(read)
            rows.append(table.rows[number])
    students = [one for namesakes in kept.values() for one in namesakes]
    require_own_numbers(
        table.path, (Numbered(one.name or one.id, one.own_numbers) for one in students)
    )
    _require_whole_names(table, students)
    return replace(table, rows=rows)


def _require_whole_names(table: Table, students: list[_Row]) -> None:
    """Raise `CourseError` if students are called by half of their name."""
    heading = lone_name_column(table)
    half = [one.name for one in students if len(words(one.name)) == 1]
    if heading and any(one.name in half and one.id == folder_name(one.name) for one in students):
        raise CourseError(
            f"{table.path} has only half of the names, such as {half[0]}, under {heading!r}; its"
            f" columns are {', '.join(table.headings)}: call the others 'First name' and 'Last name',"
            " or give a 'Full name'."
        )


def _read_row(table: Table, number: int) -> _Row:
    """Read a student's names, user name, address and numbers from a row."""
    row = table.rows[number]
    headings = [heading_words(heading) for heading in table.headings]
    cells = {heading: row.text(i).strip() for i, heading in reversed([*enumerate(headings)])}
    first, last = name_columns(table, number)
    numbers = {
        scope: cells[heading].lstrip("#")
        for heading, scope in _SCOPES.items()
        if cells.get(heading)
    }
    canvas = bool(_OF_CANVAS & set(headings))
    if canvas and cells.get("id"):
        numbers["canvas"] = cells["id"]
    email = next((cells[one] for one in EMAILS if "@" in cells.get(one, "")), "")
    if not email and "@" in cells.get("sis login id", ""):
        email = cells["sis login id"]
    if GITHUB in numbers:
        numbers[GITHUB] = numbers[GITHUB].casefold()
    if cells.get("sid"):
        numbers["gradescope"] = gradescope_account(email, cells["sid"])
    login = next((cells[one] for one in LOGINS if cells.get(one)), "")
    user = cells.get("id", "") if not canvas else ""
    return _Row(_id(cells, first, last, canvas), first, last, user or login, email, numbers)


def _id(cells: dict[str, str], first: str, last: str, canvas: bool) -> str:
    """Return the folder that `collect` would give the student."""
    if canvas:  # as Canvas names files: last and first name without what is no letter
        return folder_name(re.sub(r"[^\w]", "", f"{last}{first}".lower()))
    if cells.get("id") and not cells["id"].startswith("#"):
        return folder_name(cells["id"])  # nbgrader's own table
    by_login = bool(cells.keys() & {"last access", "availability", GITHUB_USERNAME})
    login = next((cells[one] for one in LOGINS if cells.get(one)), "")
    if login and (by_login or not (first or last)):
        return folder_name(login)
    return folder_name(f"{first} {last}") or folder_name(login)


def _free(read: _Row, taken: set[str]) -> str:
    """Return a folder name for a new student that nobody has: namesakes get a number."""
    if read.id.casefold() not in taken:
        return read.id
    for number in (
        *read.numbers.values(),
        fold(read.email.partition("@")[0]),
        *map(str, range(2, 99)),
    ):
        if number and f"{read.id}_{number}".casefold() not in taken:
            return folder_name(f"{read.id}_{number}")
    raise ClassError(f"too many students are called {read.name}.")


def _update(person: Person, read: _Row) -> None:
    """Take a row's name, address and numbers over to a person, who is in the course again."""
    if read.name and not person.is_named(read.name):
        person.add_name(read.name)
    person.email = read.email or person.email
    person.numbers |= read.numbers
    person.listed, person.dropped, person.imported = True, False, False


def _entry(read: _Row) -> dict[str, str]:
    """Return the student's entry in nbgrader's table of students."""
    found = {"first_name": read.first, "last_name": read.last, "email": read.email}
    return {key: value for key, value in found.items() if value}
