"""Fills in what a solution notebook shares with the rest of the course.

An author writes prose, solution blocks and `check(name)`; the ids, points, badge and set-up cell
that follow from the module of cases and from the course's address are stamped in by a release.
"""

from __future__ import annotations

import copy
import difflib
import re
from typing import Any

from nbformat import NotebookNode

from autograder.authoring.shown_cells import tag_shown_cells
from autograder.course.cells import checked_exercise, defined_names, parse
from autograder.course.exercise import Exercise
from autograder.course.layout import Course, repository
from autograder.course.reference import sources
from autograder.errors import CourseError

#: A cell that takes over what students wrote in an earlier assignment.
_FROM = "from_"
_BORROWED = re.compile(r"^# From assignment (\d\d): (.+)$", re.MULTILINE)
_BADGE = re.compile(r"^\[!\[Open in Colab\].*$", re.MULTILINE)
_SETUP = """\
# Set-up. Where coursekit is missing (in Colab, say) this installs it; otherwise it does nothing.
import importlib.util
from pathlib import Path

if importlib.util.find_spec("coursekit") is None:
    wheels = [*Path().glob("coursekit-*.whl"), *Path("../..").glob("coursekit-*.whl")]
    package = wheels[0] if wheels else "{repository}/archive/refs/heads/main.zip"
    %pip install --quiet {{package}}"""


def stamp(
    notebook: NotebookNode, course: Course, assignment: str, exercises: dict[str, Exercise]
) -> NotebookNode:
    """A copy of the solution notebook with badge, set-up cell, grade ids and points filled in.

    Raises
    ------
    CourseError
        The notebook and the module of cases do not fit: an exercise without a check, a check
        without cases, one defined twice, no solution block, no set-up cell or badge.
    """
    stamped = copy.deepcopy(notebook)
    address = repository(course.root)
    _stamp_header(stamped, address, assignment)
    defined: dict[str, int] = {}
    checked: dict[str, int] = {}
    borrowed: set[str] = set()
    for number, cell in enumerate(stamped.cells):
        if cell.cell_type != "code":
            continue  # a text cell may carry marks of its author's, for grading by hand
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and marks.get("solution"):
            continue  # so may a code cell that is answer and graded cell in one
        cell.metadata.pop("nbgrader", None)
        if _BORROWED.match(cell.source):
            borrowed |= _stamp_borrowed(cell, f"{assignment}, cell {number + 1}", course)
            continue
        if checked_exercise(cell.source) in borrowed:
            continue  # the earlier assignment's own check, once more and without points
        _stamp_code(cell, number, assignment, exercises, defined, checked)
    for name in exercises:
        if name not in defined:
            raise CourseError(
                f"{assignment}: no cell with a ### BEGIN SOLUTION block defines {name}."
            )
        if name not in checked:
            raise CourseError(f"{assignment}: {name} has no check; add a cell with check({name}).")
        if checked[name] < defined[name]:
            raise CourseError(f"{assignment}: check({name}) comes before {name} is written.")
    for number, cell in enumerate(stamped.cells):
        marks = cell.metadata.get("nbgrader")
        cell.id = (marks["grade_id"] if marks else f"cell-{number:03d}").replace(".", "-")
        cell.metadata.pop("execution", None)
    tag_shown_cells(stamped)
    stamped.nbformat, stamped.nbformat_minor = 4, 5
    stamped.metadata = _metadata()
    return stamped


def _metadata() -> NotebookNode:
    from nbformat import from_dict

    return from_dict(
        {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        }
    )


def _stamp_header(notebook: NotebookNode, address: str, assignment: str) -> None:
    path = f"notebooks/{assignment}/{assignment}.ipynb"
    colab = address.replace("https://github.com", "https://colab.research.google.com/github")
    badge = (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"({colab}/blob/main/{path})"
    )
    first = next((c for c in notebook.cells if c.cell_type == "markdown"), None)
    if first is None or not _BADGE.search(first.source):
        raise CourseError(
            f"{assignment}: the first text cell needs a line that starts with [![Open in Colab]."
        )
    first.source = _BADGE.sub(badge, first.source)
    setup = next((c for c in notebook.cells if c.source.startswith("# Set-up")), None)
    if setup is None:
        raise CourseError(f"{assignment}: there is no set-up cell; let one start with # Set-up.")
    setup.source = _SETUP.format(repository=address)


def _stamp_code(
    cell: NotebookNode,
    number: int,
    assignment: str,
    exercises: dict[str, Exercise],
    defined: dict[str, int],
    checked: dict[str, int],
) -> None:
    where = f"{assignment}, cell {number + 1}"
    name = checked_exercise(cell.source)
    if name is not None:
        if name not in exercises:
            raise CourseError(f"{where} checks {name}, which has no cases in the module.")
        if name in checked:
            raise CourseError(f"{where} checks {name} a second time; once is enough.")
        checked[name] = number
        points = sum(exercises[name].points.values())
        cell.metadata["nbgrader"] = _marks(f"check_{name}", points)
        return
    parse(cell.source, where)
    names = [name for name in defined_names(cell.source) if name in exercises]
    for name in names:
        if name in defined:
            raise CourseError(f"{where} defines {name} again; an exercise has one place.")
        defined[name] = number
    if "BEGIN SOLUTION" in cell.source:
        if len(names) != 1:
            raise CourseError(
                f"{where} has a solution block, {_what_else(cell.source, exercises)}."
            )
        if not re.search(rf"^(def|class) {names[0]}\b.*BEGIN SOLUTION", cell.source, re.M | re.S):
            raise CourseError(
                f"{where}: the solution block must stand inside {names[0]}, not above."
            )
        cell.metadata["nbgrader"] = _marks(names[0], None)
    elif names:
        raise CourseError(f"{where} defines {names[0]} without a ### BEGIN SOLUTION block.")


def _stamp_borrowed(cell: NotebookNode, where: str, course: Course) -> set[str]:
    """Put an earlier assignment's definitions into the cell, as its solution; their names."""
    match = _BORROWED.match(cell.source)
    assert match is not None
    names = [name.strip() for name in match[2].split(",")]
    source = next((a for a in course.assignments() if a.startswith(match[1])), None)
    if source is None:
        raise CourseError(f"{where} takes over from assignment {match[1]}, which does not exist.")
    known = sources(course.solution(source))
    for name in names:
        if name not in known:
            raise CourseError(f"{where} takes over {name}, which {source} does not define.")
    words = f"paste your {', '.join(names)} of assignment {match[1]} here"
    code = "\n\n\n".join(known[name] for name in names)
    cell.source = f"{match[0]}\n### BEGIN SOLUTION: {words}\n{code}\n### END SOLUTION"
    cell.metadata["nbgrader"] = _marks(f"{_FROM}{source}", None)
    return set(names)


def taken_over(cell: NotebookNode) -> str | None:
    """The assignment that a stamped cell takes its definitions from, if it does."""
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return grade_id.removeprefix(_FROM) if grade_id.startswith(_FROM) else None


def _what_else(source: str, exercises: dict[str, Exercise]) -> str:
    """What a cell with a solution block defines instead of one exercise."""
    found = defined_names(source)
    if len([name for name in found if name in exercises]) > 1:
        return "but defines several exercises; give each a cell of its own"
    if not found:
        return "but defines no function or class"
    near = difflib.get_close_matches(found[0], exercises, n=1)
    tip = f"; did you mean {near[0]}?" if near else ""
    return f"but {found[0]}, which it defines, has no cases in the module{tip}"


def _marks(grade_id: str, points: float | None) -> dict[str, Any]:
    marks: dict[str, Any] = {
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": points is not None,
        "schema_version": 3,
        "solution": points is None,
        "task": False,
    }
    if points is not None:
        marks["points"] = points
    return marks
