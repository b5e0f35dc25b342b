"""The column of an assignment in an LMS's gradebook, and its points possible."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.classroom.column_headings import heading_words
from autograder.classroom.lms_table import Table
from autograder.errors import CourseError
from autograder.gradebook.name_keys import fold, title_words

#: What LMSs write around an assignment's title, each with the points possible if it says them.
_AROUND = (
    re.compile(r"(?P<title>.+?) \(\d+\)"),  # Canvas: 05 topic (98765)
    # Blackboard: 05 topic [Total Pts: 28 Score] |123456
    re.compile(r"(?P<title>.+?) \[Total Pts: (?:up to )?(?P<most>[\d.,]*)[^\]]*\](?: ?\|\d+)?"),
    # Brightspace: 05 topic Points Grade <Numeric MaxPoints:28 Weight:10>
    re.compile(r"(?P<title>.+?) Points Grade(?: <(?:[^>]*MaxPoints:(?P<most>[\d.]+))?[^>]*>)?"),
    # Moodle: Assignment: 05 topic (Real)
    re.compile(r"(?P<kind>[^\W\d]+): ?(?P<title>.+?)(?: \((?P<form>[^\W\d][^()]*)\))?"),
    re.compile(r"(?P<title>.+)"),
)
_FEEDBACK = {"feedback", "ruckmeldung", "retroalimentacion"}
#: Moodle's forms of a grade that are no points.
_NOT_POINTS = {
    *("percentage", "letter", "prozentsatz", "buchstabe", "notenstufe", "feedback"),
    *("pourcentage", "lettre", "porcentaje", "letra", "percentuale"),
}
#: Moodle's grading worksheet, and Gradescope's scores of one assignment.
_GRADE = {"grade", "bewertung", "note", "calificacion", "cijfer", "valutazione"}
_STATUS = {"status", "statut", "estado", "stato"}
_MAX_POINTS_HEADINGS = {
    *("maximum grade", "max points", "bestwertung", "hochstwert", "note maximale"),
    *("calificacion maxima", "maximale cijfer"),
}
_LAST_COLUMN = "end of line indicator"


@dataclass(frozen=True)
class Column:
    """The column of an assignment.

    Attributes
    ----------
    added : bool
        Whether the table had none.
    """

    index: int
    heading: str
    added: bool = False


def find_column(table: Table, assignment: str, chosen: str | None = None) -> Column:
    """Return the column of an assignment, which is added if the table has none like it.

    Parameters
    ----------
    chosen : str, optional
        The heading that the user has named, as the LMS writes it or without what the LMS adds.

    Raises
    ------
    CourseError
        More than one column may be the assignment's.
    """
    headings = table.headings
    wanted = chosen if chosen is not None else assignment
    if wanted in headings:
        return Column(headings.index(wanted), wanted)
    fitting = [i for i, heading in enumerate(headings) if _title(heading) == title_words(wanted)]
    if not fitting and chosen is None:
        fitting = _worksheet_column(headings)
        topic = title_words(assignment)[1:]
        fitting = fitting or [i for i, heading in enumerate(headings) if _title(heading) == topic]
        if not fitting:
            near = [heading for heading in headings if _contains(heading, title_words(assignment))]
            if near:
                raise CourseError(
                    f"{table.path} has no column {assignment}, but {_listed(near)}; choose with"
                    " --column, which also takes a new name."
                )
    if len(fitting) > 1:
        found = [headings[index] for index in fitting]
        raise CourseError(
            f"several columns of {table.path} may be {wanted}: {_listed(found)}; choose with"
            " --column."
        )
    if fitting:
        return Column(fitting[0], headings[fitting[0]])
    last = [i for i, heading in enumerate(headings) if heading_words(heading) == _LAST_COLUMN]
    index = table.add_column(wanted, last[0] if last else None)
    return Column(index, wanted, added=True)


def points_possible(table: Table, column: Column) -> float | None:
    """Return the points possible of the column in the LMS; None if the table does not say."""
    for pattern in _AROUND[:3]:
        found = pattern.fullmatch(column.heading)
        if found and found.groupdict().get("most"):
            return _as_number(found["most"])
    for row in table.rows:
        if fold(row.text(0).strip()) == "points possible":
            return _as_number(row.text(column.index))
    wanted = {*_MAX_POINTS_HEADINGS, f"{heading_words(column.heading)} max points"}
    for index, heading in enumerate(table.headings):
        if heading_words(heading) in wanted:
            values = {_as_number(text) for text in table.column(index)} - {None}
            return values.pop() if len(values) == 1 else None
    return None


def _title(heading: str) -> tuple[str, ...]:
    """Return the words of the assignment's title in a heading; () if the column has no points."""
    for pattern in _AROUND:
        found = pattern.fullmatch(heading.strip())
        if found is None:
            continue
        parts = found.groupdict()
        kind, form = fold(parts.get("kind") or ""), fold(parts.get("form") or "")
        if kind in _FEEDBACK or form in _NOT_POINTS:
            return ()
        return title_words(parts["title"])
    return ()


def _contains(heading: str, title: tuple[str, ...]) -> bool:
    """Tell whether the title in a heading contains the words of another title."""
    own = _title(heading)
    return any(own[i : i + len(title)] == title for i in range(len(own)))


def _worksheet_column(headings: list[str]) -> list[int]:
    """Return the column of the grade in a table that is about one assignment alone."""
    known = [heading_words(heading) for heading in headings]
    if (
        _STATUS & set(known)
        and _MAX_POINTS_HEADINGS & set(known)
        and any(one in _GRADE for one in known)
    ):
        return [i for i, one in enumerate(known) if one in _GRADE]
    if "submission id" in known and "total score" in known:
        return [known.index("total score")]
    return []


def _as_number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def _listed(headings: list[str]) -> str:
    return " and ".join(repr(heading) for heading in headings)
