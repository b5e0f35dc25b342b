"""Matching of an LMS table's rows to students: by number, user name, email address or name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from autograder.classroom.column_headings import (
    EITHER,
    FIRST,
    FULL,
    GITHUB_USERNAME,
    ID_HEADINGS,
    IDENTIFYING,
    LAST,
    NUMBERS,
    heading_words,
)
from autograder.classroom.excel_id_check import require_whole_numbers
from autograder.classroom.lms_table import Row, Table
from autograder.classroom.student_folders import folder_name, student_id
from autograder.gradebook.name_keys import first_and_last, fold, words
from autograder.gradebook.roster import Person, called, with_email

#: Rows of Canvas's gradebook that are no student's.
_NOT_STUDENTS = {"points possible", "manual posting", "muted"}


def name_columns(
    table: Table, number: int, columns: Iterable[int] | None = None
) -> tuple[str, str]:
    """Return first and last name in a row; a full name's last word is the last name."""
    row = table.rows[number]
    chosen = range(len(table.headings)) if columns is None else columns
    headings = {index: heading_words(table.headings[index]) for index in chosen}

    def text(wanted: set[str]) -> str | None:
        found = [
            row.text(index).strip() for index, heading in headings.items() if heading in wanted
        ]
        return found[0] if found else None

    first, last, full = text(FIRST), text(LAST - {EITHER}), text(FULL)
    if GITHUB_USERNAME in headings.values() and len(words(text({"identifier"}) or "")) > 1:
        full = text({"identifier"})
    if last is None:
        last = text({EITHER})
    elif first is None:
        first = text({EITHER})
    if first and last is None and full and not {*words(first)} & {*words(full)}:
        last = full  # "Name" beside "Vorname"
    if first is not None and last is not None:
        return first, last
    if full is None:
        return first or "", last or ""
    return first_and_last(full)


def lone_name_column(table: Table) -> str | None:
    """Return the heading of the only column with names, if it has only first or only last names."""
    known = [heading for heading in table.headings if heading_words(heading) in FIRST | LAST]
    whole = any(heading_words(heading) in FULL for heading in table.headings)
    return known[0] if len(known) == 1 and not whole else None


@dataclass
class Matched:
    """The students of a table.

    Attributes
    ----------
    students : list of (str or None)
        For each row, its student; None if it is nobody's who is known.
    ambiguous : set of int
        Rows that fit more than one student, or the same one as another row.
    contested : set of str
        The students of these rows.
    labels : list of str
        For each row, how it calls the student; "" for a row that is no student's.
    """

    students: list[str | None]
    ambiguous: set[int] = field(default_factory=set)
    contested: set[str] = field(default_factory=set)
    labels: list[str] = field(default_factory=list)


def match(
    table: Table,
    people: Iterable[Person],
    assignment: str = "",
    who: str | None = None,
    skip: Iterable[int] = (),
) -> Matched:
    """Find the student of each row; a row that two could have is ambiguous.

    Parameters
    ----------
    people : iterable of Person
        The students of the class.
    assignment : str
        In which Moodle's numbers identify a student.
    who : str, optional
        The heading of the only column to look at.
    skip : iterable of int
        Columns that say nothing about who it is.
    """
    return _Matching(table, list(people), assignment, who, set(skip)).run()


def rows_of(
    table: Table, people: Iterable[Person], assignment: str, skip: Iterable[int]
) -> dict[str, list[Row]]:
    """Return the rows about each student, as `match` finds them, though attempts have one each.

    Rows of one student are such that name the same one and do not differ in what tells students apart.
    """
    known, left_out = list(people), list(skip)
    whole = match(table, known, assignment, skip=left_out)
    require_whole_numbers(table, whole.labels)
    found = {student: [row] for row, student in zip(table.rows, whole.students) if student}
    contested: dict[str, list[Row]] = defaultdict(list)
    left: dict[str, list[Row]] = defaultdict(list)
    for number, row in enumerate(table.rows):
        if whole.students[number] is None:
            (alone,) = match(replace(table, rows=[row]), known, assignment, skip=left_out).students
            if alone is not None:
                (contested if number in whole.ambiguous else left)[alone].append(row)
    for student, rows in contested.items():
        if _are_of_one(table, [*found.get(student, ()), *rows]):
            found.setdefault(student, []).extend(rows)
    for student, rows in left.items():
        own = found.get(student, [])
        own += [row for row in rows if own and _are_of_one(table, [*own, row])]
    return found


def _are_of_one(table: Table, rows: list[Row]) -> bool:
    """Tell whether rows do not differ in the columns that identify students."""
    columns = [i for i, one in enumerate(table.headings) if heading_words(one) in IDENTIFYING]
    said = ({fold(row.text(index).strip()) for row in rows} - {""} for index in columns)
    return all(len(texts) <= 1 for texts in said)


class _Matching:
    def __init__(
        self, table: Table, people: list[Person], assignment: str, who: str | None, skip: set[int]
    ) -> None:
        self.table = table
        self.people = people
        self.assignment = assignment
        headings = table.headings
        chosen = range(len(headings)) if who is None else [headings.index(who)]
        self.columns = [index for index in chosen if index not in skip]
        self.heading = {index: heading_words(headings[index]) for index in self.columns}
        self.only = who is not None
        self.found = Matched([None] * len(table.rows))
        self.claimed: set[str] = set()

    def run(self) -> Matched:
        """Match by number, by the name of the folder, by email address, then by name."""
        best = self._id_column()
        self.found.labels = self._labels(best)
        steps = [(index, self._by_number(index)) for index in self.columns]
        for index, students in steps:
            self._take([students(row.text(index)) for row in self.table.rows])
        if best is not None:
            known = [person.id for person in self.people]
            self._take(fits([row.text(best) for row in self.table.rows], known))
        for index in self.columns:
            if self.only or "mail" in self.heading[index] or "login" in self.heading[index]:
                self._take([self._by_email(row.text(index)) for row in self.table.rows])
        names = [self._name(number) for number in range(len(self.table.rows))]
        self._take([self._by_name(name) for name in names])
        return self.found

    def _take(self, candidates: list[list[str]]) -> None:
        """Give rows that have no student yet theirs, if it is certain."""
        taken = {student for student in self.found.students if student is not None} | self.claimed
        claims: dict[str, list[int]] = defaultdict(list)
        for number, students in enumerate(candidates):
            if self.found.students[number] is not None or number in self.found.ambiguous:
                continue
            if not self.found.labels[number]:
                continue
            left = [student for student in students if student not in taken]
            if len(left) > 1:
                self.found.ambiguous.add(number)
                self.found.contested.update(left)
            elif left:
                claims[left[0]].append(number)
        for student, numbers in claims.items():
            if len(numbers) == 1:
                self.found.students[numbers[0]] = student
            else:
                self.found.ambiguous.update(numbers)
                self.found.contested.add(student)
                self.claimed.add(student)

    def _by_number(self, index: int) -> Callable[[str], list[str]]:
        """Return a function from a cell of the column to the students with that number."""
        heading = self.heading[index]
        scopes = NUMBERS.get(heading, ())
        if self.only and not scopes:
            scopes = tuple({scope for one in NUMBERS.values() for scope in one})
        wanted = [scope.format(self.assignment) for scope in scopes]
        by_number: dict[str, set[str]] = defaultdict(set)
        for person in self.people:
            for scope in wanted:
                own = person.numbers.get(scope, "")
                if own := student_id(own) if scope == "gradescope" else own:
                    by_number[own].add(person.id)

        def students(cell: str) -> list[str]:
            text = cell.strip().lstrip("#")
            participant = re.fullmatch(r"\D+(\d+)", text)  # Moodle's "Participant 123"
            found = (
                by_number.get(folder_name(text))
                or by_number.get(text)
                or by_number.get(text.casefold())
            )
            if not found and participant and f"moodle {self.assignment}" in wanted:
                found = by_number.get(participant[1])
            return sorted(found or ())

        return students

    def _by_email(self, cell: str) -> list[str]:
        return [person.id for person in with_email(self.people, cell)] if "@" in cell else []

    def _by_name(self, name: str) -> list[str]:
        return [person.id for person in called(self.people, name)] if name else []

    def _name(self, number: int) -> str:
        row = self.table.rows[number]
        if self.only:
            return row.text(self.columns[0])
        return " ".join(filter(None, name_columns(self.table, number, self.columns)))

    def _id_column(self) -> int | None:
        """Return the column where most rows have a student's folder name; None if none has."""
        known = {normalized(person.id) for person in self.people}

        def rank(index: int) -> tuple[int, int]:
            named = self.heading[index]
            place = ID_HEADINGS.index(named) if named in ID_HEADINGS else len(ID_HEADINGS)
            count = sum(normalized(row.text(index)) in known for row in self.table.rows)
            return count, -place

        best = max(self.columns, key=rank, default=None)
        return best if best is not None and rank(best)[0] else None

    def _labels(self, best: int | None) -> list[str]:
        """Return each row's label for its student: user name, name, or another identifying cell."""
        found = []
        for number, row in enumerate(self.table.rows):
            name = self._name(number)
            own = row.text(best) if best is not None else ""
            given = [
                row.text(i) for i in self.columns if self.heading[i] in (*ID_HEADINGS, "email")
            ]
            full = [row.text(i) for i in self.columns if self.heading[i] in FULL]
            label = (full or [name])[0] if len(words(name)) > 1 else own or name
            label = label or next(filter(str.strip, given), "")
            if not label and not self.only:
                label = row.text(self.columns[0]) if self.columns else ""
            label = label.strip()
            found.append("" if fold(label) in _NOT_STUDENTS else label)
        return found


def fits(cells: list[str], students: list[str]) -> list[list[str]]:
    """Return, for each cell, the students it may name: one, or several if that is not certain.

    A student's own name counts first. Only who has no such cell is looked for in upper or lower
    case.
    """
    known = set(students)
    written = [cell if cell in known else joined(cell) for cell in cells]
    as_written = Counter(written)
    folded = Counter(map(normalized, cells))
    others = defaultdict(list)
    for student in students:
        if as_written[student]:
            folded[normalized(student)] -= as_written[student]
        else:
            others[normalized(student)].append(student)
    found = []
    for cell, exact in zip(cells, written):
        name = normalized(cell)
        if exact in known:
            found.append([exact] * as_written[exact])
        else:
            found.append(others[name] * folded[name])
    return found


def joined(name: str) -> str:
    """Return a name as `collect` writes it."""
    return "_".join(name.replace(",", " ").split())


def normalized(name: str) -> str:
    """Return a name as `collect` writes it, in lower case: LMSs write a student in several ways."""
    return joined(name).casefold()
