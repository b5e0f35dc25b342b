"""Filling in of the generated parts of a solution notebook.

An author writes prose, solution blocks and `check(name)`; a release fills in ("stamps") the ids and
points, the tags, the Colab badge and the set-up cell.
"""

from __future__ import annotations

import copy
import difflib
import re
from typing import Any

from nbformat import NotebookNode

from autograder.authoring.attach_drawings import attach_drawings
from autograder.authoring.setup_cell import BRANCH, setup_cell
from autograder.authoring.shown_cells import tag_shown_cells
from autograder.authoring.stored_outputs import METADATA
from autograder.course.assignment import Assignment
from autograder.course.cells import FROM, OR_GIVEN, checked_exercise, defined_names, parse
from autograder.course.exercise import Exercise
from autograder.course.layout import Course
from autograder.errors import CourseError

#: The first line of a cell for code that students wrote in an earlier assignment; "(or given)" where
#: the next cell has something else for those who did not.
_REUSED = re.compile(rf"^# From assignment (\d\d): (.+?)({re.escape(OR_GIVEN)})?$", re.MULTILINE)
_QUESTION = re.compile(r"\*\*Question \d+ \((\d+) points?, graded by hand\)\.?\*\*")
_ANSWER = re.compile(r"### BEGIN SOLUTION: (question_\w+)[ \t]*\n")
_BADGE = re.compile(r"^\[!\[Open in Colab\].*$(\n\n?)?", re.MULTILINE)


def badge(course: Course, assignment: str) -> str:
    """Return the line that opens a student notebook in Colab; "" if it is not online."""
    address = course.config.students
    if not address:
        return ""
    colab = address.replace("https://github.com", "https://colab.research.google.com/github")
    return (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"({colab}/blob/{BRANCH}/notebooks/{assignment}/{assignment}.ipynb)"
    )


def stamp(of: Assignment) -> NotebookNode:
    """Return a copy of the solution notebook with badge, set-up cell, grade ids and points.

    Raises
    ------
    CourseError
        The notebook and the modules of cases do not match: an exercise without a check or a
        solution block, or defined twice; a check without cases. Or set-up cell or badge is missing.
    """
    course, assignment, exercises = of.course, of.name, of.exercises
    stamped = copy.deepcopy(of.solution.notebook)
    _stamp_header(stamped, of)
    defined: dict[str, int] = {}
    checked: dict[str, int] = {}
    reused: set[str] = set()
    for number, cell in enumerate(stamped.cells):
        if cell.cell_type != "code":
            where = f"{assignment}, cell {number + 1}"
            attach_drawings(cell, course.drawings(assignment), where)
            _stamp_question(cell, stamped.cells[number - 1] if number else None, where)
            continue
        metadata = cell.metadata.get("nbgrader", {})
        if metadata.get("grade") and metadata.get("solution"):
            continue  # so may a manually graded code cell
        cell.metadata.pop("nbgrader", None)
        if _REUSED.match(cell.source):
            reused |= _stamp_reused(cell, f"{assignment}, cell {number + 1}", course)
            continue
        if checked_exercise(cell.source) in reused:
            continue  # the earlier assignment's check, repeated without points
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
        metadata = cell.metadata.get("nbgrader")
        cell.id = (metadata["grade_id"] if metadata else f"cell-{number:03d}").replace(".", "-")
        cell.metadata.pop("execution", None)
    tag_shown_cells(stamped)
    stamped.nbformat, stamped.nbformat_minor = 4, 5
    stamped.metadata = _metadata()
    before = of.solution.notebook.metadata
    if METADATA in before:
        stamped.metadata[METADATA] = before[METADATA]
    return stamped


def reused_definitions(text: str, where: str, course: Course) -> tuple[str, dict[str, str]]:
    """Return the assignment that a cell pastes from, and the code of each name it pastes.

    Parameters
    ----------
    text : str
        The cell's source; its first line says what it pastes: `# From assignment 01: name`.
    where : str
        How an error calls the cell.
    course : Course
        The course's folder.

    Raises
    ------
    CourseError
        The first line names no assignment of the course, or a name that it does not define.
    """
    match = _REUSED.match(text)
    if match is None:
        raise CourseError(f"{where} pastes code; begin it with `# From assignment 01: name`.")
    source = next((a for a in course.assignments() if a.startswith(match[1])), None)
    if source is None:
        raise CourseError(f"{where} reuses code from assignment {match[1]}, which does not exist.")
    known = Assignment(course, source).solution.sources
    names = [name.strip() for name in match[2].split(",")]
    for name in names:
        if name not in known:
            raise CourseError(f"{where} reuses {name}, which {source} does not define.")
    return source, {name: known[name] for name in names}


def _metadata() -> NotebookNode:
    """Return the metadata that every notebook gets: kernel and language."""
    from nbformat import from_dict

    metadata: NotebookNode = from_dict(
        {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        }
    )
    return metadata


def _stamp_header(notebook: NotebookNode, of: Assignment) -> None:
    """Fill in the badge and the set-up cell."""
    course, assignment = of.course, of.name
    first = next((c for c in notebook.cells if c.cell_type == "markdown"), None)
    line = badge(course, assignment)
    if first is None or (line and not _BADGE.search(first.source)):
        raise CourseError(
            f"{assignment}: the first text cell needs a line that starts with [![Open in Colab]."
        )
    first.source = _BADGE.sub(rf"{line}\1" if line else "", first.source)
    setup = next((c for c in notebook.cells if c.source.startswith("# Set-up")), None)
    if setup is None:
        raise CourseError(f"{assignment}: there is no set-up cell; begin one with # Set-up.")
    setup.source = setup_cell(of)


def _stamp_code(
    cell: NotebookNode,
    number: int,
    assignment: str,
    exercises: dict[str, Exercise],
    defined: dict[str, int],
    checked: dict[str, int],
) -> None:
    """Fill in the metadata of a check or of an exercise's cell, after checking that they match."""
    where = f"{assignment}, cell {number + 1}"
    name = checked_exercise(cell.source)
    if name is not None:
        if name not in exercises:
            near = difflib.get_close_matches(name, exercises, n=1)
            tip = f"; did you mean {near[0]}?" if near else "."
            raise CourseError(f"{where} checks {name}, which has no cases{tip}")
        if name in checked:
            raise CourseError(f"{where} checks {name} a second time; remove one of the checks.")
        checked[name] = number
        points = sum(exercises[name].points.values())
        cell.metadata["nbgrader"] = _nbgrader_metadata(f"check_{name}", points)
        return
    parse(cell.source, where)
    names = [name for name in defined_names(cell.source) if name in exercises]
    for name in names:
        if name in defined:
            raise CourseError(f"{where} defines {name} again; define an exercise only once.")
        defined[name] = number
    if "BEGIN SOLUTION" in cell.source:
        if not re.search(r"BEGIN SOLUTION:[ \t]*\S", cell.source):
            raise CourseError(
                f"{where}: say after `### BEGIN SOLUTION:` what students should write."
            )
        if "END SOLUTION" not in cell.source:
            raise CourseError(f"{where}: close the solution block with `### END SOLUTION`.")
        if len(names) != 1:
            raise CourseError(
                f"{where} has a solution block, {_what_else(cell.source, exercises)}."
            )
        if not re.search(rf"^(def|class) {names[0]}\b.*BEGIN SOLUTION", cell.source, re.M | re.S):
            raise CourseError(
                f"{where}: the solution block must be inside {names[0]}, not above it."
            )
        cell.metadata["nbgrader"] = _nbgrader_metadata(names[0], None)
    elif names:
        raise CourseError(f"{where} defines {names[0]} without a ### BEGIN SOLUTION block.")


def _stamp_question(cell: NotebookNode, question: NotebookNode | None, where: str) -> None:
    """Make a text cell with a model answer the hand-graded answer to the question above it."""
    match = _ANSWER.match(cell.source)
    if match is None:
        return  # an author may also write nbgrader's metadata for a text cell
    points = _QUESTION.match(question.source) if question is not None else None
    if points is None:
        raise CourseError(
            f"{where} answers a question: begin the text cell above it with"
            " `**Question 1 (2 points, graded by hand).**`."
        )
    if not cell.source.rstrip().endswith("### END SOLUTION") or "Marking guide" not in cell.source:
        raise CourseError(
            f"{where}: write the model answer and a `**Marking guide**`, then `### END SOLUTION`."
        )
    cell.metadata["nbgrader"] = {
        **_nbgrader_metadata(match[1], float(points[1])),
        "locked": False,
        "solution": True,
    }


def _stamp_reused(cell: NotebookNode, where: str, course: Course) -> set[str]:
    """Copy an earlier assignment's definitions into the cell's solution; return their names."""
    source, known = reused_definitions(cell.source, where, course)
    match = _REUSED.match(cell.source)
    assert match is not None
    words = f"paste your {', '.join(known)} of assignment {match[1]} here"
    if match[3]:
        words += ", or leave this cell as it is"
    code = "\n\n\n".join(known.values())
    cell.source = f"{match[0]}\n### BEGIN SOLUTION: {words}\n{code}\n### END SOLUTION"
    cell.metadata["nbgrader"] = _nbgrader_metadata(f"{FROM}{source}", None)
    return set(known)


def _what_else(source: str, exercises: dict[str, Exercise]) -> str:
    """Explain that a cell with a solution block does not define exactly one exercise."""
    found = defined_names(source)
    if len([name for name in found if name in exercises]) > 1:
        return "but defines several exercises; give each its own cell"
    if not found:
        return "but defines no function or class"
    near = difflib.get_close_matches(found[0], exercises, n=1)
    tip = f" (did you mean {near[0]}? Then rename one of the two)" if near else ""
    return f"but {found[0]}, which it defines, has no cases: there is no {found[0]}.py{tip}"


def _nbgrader_metadata(grade_id: str, points: float | None) -> dict[str, Any]:
    """Return nbgrader's metadata of a check, or without points of an answer."""
    metadata: dict[str, Any] = {
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": points is not None,
        "schema_version": 3,
        "solution": points is None,
        "task": False,
    }
    if points is not None:
        metadata["points"] = points
    return metadata
