"""Detection of numbers in a table that Excel has shortened or rounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.column_headings import (
    EMAILS,
    FIRST,
    FULL,
    IDENTIFYING,
    LAST,
    heading_words,
)
from autograder.classroom.lms_table import Table
from autograder.errors import CourseError

_AGAIN = "export it from the LMS again, and do not save it in Excel, which shortens long numbers"
#: A number as Excel shows and saves it.
_SHORTENED = re.compile(r"\d+(?:[.,]\d+)?E\+\d+|\d+[.,]0+", re.IGNORECASE)
#: The kinds of numbers that are whole, whatever a school gives its students.
_WHOLE = {"canvas", "canvas user id"}


@dataclass(frozen=True)
class Numbered:
    """A student of a table, with the student's numbers.

    Attributes
    ----------
    label : str
        How the table calls the student.
    numbers : mapping of str to str
        What tells students apart, by kind.
    """

    label: str
    numbers: Mapping[str, str]


def require_whole_numbers(table: Table, labels: Iterable[str]) -> None:
    """Raise `CourseError` if a number of a table's rows is shortened, or that of two students.

    Parameters
    ----------
    labels : iterable of str
        For each row, how it calls the student; rows with the same label are one student's.
    """
    headings = {index: heading_words(heading) for index, heading in enumerate(table.headings)}
    kinds = IDENTIFYING.difference(FULL, FIRST, LAST, EMAILS)
    found = {
        label: Numbered(
            label,
            {
                heading: row.text(index).strip().lstrip("#")
                for index, heading in headings.items()
                if heading in kinds
            },
        )
        for row, label in zip(table.rows, labels)
        if label
    }
    require_own_numbers(table.path, found.values())


def require_own_numbers(path: Path, students: Iterable[Numbered]) -> None:
    """Raise `CourseError` if a student's number is shortened, or also another student's."""
    seen: dict[tuple[str, str], Numbered] = {}
    for one in students:
        for kind, value in one.numbers.items():
            if not value:
                continue
            if _SHORTENED.fullmatch(value) or (kind in _WHOLE and not value.isdecimal()):
                raise CourseError(f"{path} has {value} as the number of {one.label}; {_AGAIN}.")
            other = seen.setdefault((kind, value), one)
            if other is not one:
                raise CourseError(
                    f"{path} has {value} for both {other.label} and {one.label}, though it is to"
                    f" tell students apart; correct it, or {_AGAIN}."
                )
