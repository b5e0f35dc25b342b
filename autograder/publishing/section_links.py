"""Links from references such as "[05] §2 (`exercise`)" to the sections of the chapters."""

from __future__ import annotations

import re

from autograder.course.assignment import Assignment
from autograder.course.cells import asked_exercise
from autograder.course.layout import Course

_SECTION = re.compile(r"^## (\d+)\. .+$", re.MULTILINE)
_HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
#: An assignment, and what follows it up to the next one or the end of the cell.
_CITED = re.compile(r"\[(\d\d)\](?!:)([^\[\n|]*)")


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and MyST make it."""
    text = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def link_sections(course: Course, text: str) -> str:
    """Link each section and exercise that Markdown names after an assignment.

    Assignments and sections that the course does not have stay as they are.
    """
    known = {name[:2]: name for name in course.assignments()}
    places = {number: _places(Assignment(course, name)) for number, name in known.items()}

    def link(found: re.Match[str]) -> str:
        number, rest = found[1], found[2]
        if number not in known:
            return found[0]
        name, anchors = known[number], places[number]
        page = f"notebooks/{name}/{name}.ipynb"

        def one(named: re.Match[str]) -> str:
            anchor = anchors.get(named[0].strip("`"))
            return f"[{named[0]}]({page}#{anchor})" if anchor else named[0]

        return f"[{number}]{re.sub(r'§[0-9]+|`[A-Za-z_]+`', one, rest)}"

    return _CITED.sub(link, text)


def _places(assignment: Assignment) -> dict[str, str]:
    """Map "§2" and the names of exercises to the anchors of their headings."""
    found: dict[str, str] = {}
    heading = ""
    for cell in assignment.release.cells:
        if cell.cell_type == "markdown":
            for section in _SECTION.finditer(cell.source):
                found[f"§{section[1]}"] = slug(section[0].removeprefix("## "))
            heading = (_HEADING.findall(cell.source) or [heading])[-1]
        elif exercise := asked_exercise(cell):
            found.setdefault(exercise, slug(heading))
    return found
