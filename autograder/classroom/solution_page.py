"""The solution for students, as a page and a notebook, once nobody has time left to hand in."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import nbformat
from markupsafe import Markup
from nbformat import NotebookNode

from autograder.classroom.analysis import Mistake
from autograder.classroom.export import not_handed_in
from autograder.classroom.report import Report, read_class
from autograder.course.assignment import Assignment
from autograder.course.cells import without_delimiters
from autograder.course.exercise import Exercise
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import last_deadline, worthless_from
from autograder.gradebook.timestamps import both
from autograder.pages.feedback_page import highlight, shown_cell
from autograder.pages.markup import MAX_TEXT_CHARACTERS
from autograder.pages.templating import environment
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"
#: A misconception is shown if so many students had it, so that none can be told from the page.
MIN_STUDENTS = 2
_MAX_MISTAKES = 3
#: Said in the page and in the notebook.
NOTE = (
    "This is the solution, published after the deadline. Running it changes no grade: points come from"
    " what you handed in, graded with fresh cases. An answer copied from it and handed in late, where"
    " late work is accepted, is graded like any other, and is not your work."
)


@dataclass(frozen=True)
class Alternative:
    """Another right answer, with a line on what it shows."""

    title: str
    shows: str
    code: Markup


@dataclass(frozen=True)
class Section:
    """An exercise's part of the page: other right answers and common mistakes."""

    exercise: str
    alternatives: list[Alternative]
    mistakes: list[Mistake]


def write_solutions(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    output: Path | None = None,
    now: datetime | None = None,
) -> tuple[list[Path], list[str]]:
    """Write the page and the notebook; return their paths, and warnings for the instructor.

    Parameters
    ----------
    folder : Path, optional
        The class's folder; the course's own if None.
    output : Path, optional
        The folder to write to; reports/solutions/ASSIGNMENT in the class's if None.
    now : datetime, optional
        The present, in UTC and without a zone; the clock's if None.

    Raises
    ------
    ClassError
        There is no due date, somebody has time left, or `output` is in the handout.
    CourseError
        A file cannot be written.
    """
    classroom = Classroom(course, folder)
    now = now or datetime.now(timezone.utc).replace(tzinfo=None)
    deadline = _passed(classroom, assignment, now)
    place = (output or classroom.folder / "reports" / "solutions" / assignment).resolve()
    for given in (course.notebooks.resolve(), course.package.resolve()):
        if place.is_relative_to(given):
            raise ClassError(
                f"{given} is in the handout, which all students get; write the solutions elsewhere."
            )
    of = Assignment(course, assignment)
    warnings = _late_warnings(classroom, assignment, deadline, now)
    try:
        report = Report(assignment, read_class(classroom, assignment))
        mistakes = {one.name: one.mistakes for one in report.exercises}
        if waiting := [one.student for one in report.submissions if not one.ran]:
            warnings.append(
                f"{len(waiting)} submissions have no verdicts, so their misconceptions do not count;"
                f" {classroom.command(f'report {assignment}')} says why."
            )
    except CourseError:
        mistakes = {}
        warnings.append(
            f"nothing of {assignment} is graded in this folder, so the page has no misconceptions of"
            f" the class; run {classroom.command(f'grade {assignment}')} first to have them."
        )
    notebook = for_students(of.solution.notebook)
    sections = [_section(of, one, mistakes.get(one.name, [])) for one in of.exercises.values()]
    page, copied = place / f"{assignment}-solution.html", place / f"{assignment}-solution.ipynb"
    try:
        write_atomically(page, as_html(assignment, notebook, sections).encode(), private=True)
        write_atomically(copied, f"{nbformat.writes(notebook)}\n".encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {place}: {error.strerror}.") from error
    return [page, copied], warnings


def _passed(classroom: Classroom, assignment: str, now: datetime) -> datetime:
    """Return the last deadline of the class; raise `ClassError` unless it has passed."""
    last = last_deadline(classroom, assignment)
    if last is None:
        raise ClassError(
            f"{assignment} has no due date, so students may still be working on it; set one with"
            f" {classroom.command(f'due {assignment[:2]}')}."
        )
    deadline, student = last
    if now <= deadline:
        whose = f"{student} has an extension for" if student else "students have time for"
        raise ClassError(
            f"{whose} {assignment} until {both(deadline)}; write its solutions after that."
        )
    return deadline


def _late_warnings(
    classroom: Classroom, assignment: str, deadline: datetime, now: datetime
) -> list[str]:
    """Return a warning if late work can still earn points."""
    end = worthless_from(classroom, deadline)
    if end is not None and now > end:
        return []
    until = f"until {both(end)}" if end else "at any time, as long as you collect it"
    absent = len(not_handed_in(classroom.course, assignment, classroom.folder))
    who = f" ({absent} have not handed in)" if absent else ""
    return [
        f"late work{who} can still earn points {until}, also answers copied from this solution;"
        " close the assignment in your LMS before you publish it."
    ]


def for_students(solution: NotebookNode) -> NotebookNode:
    """Return a solution notebook with its outputs, without the marks of authors and of nbgrader."""
    notebook = copy.deepcopy(solution)
    for cell in notebook.cells:
        cell.source = without_delimiters(cell.source)
        cell.metadata.pop("nbgrader", None)
    notebook.metadata.pop("autograder", None)
    first = nbformat.v4.new_markdown_cell(f"> {NOTE}")
    first.id = "solution-note"
    notebook.cells.insert(0, first)
    return notebook


def _section(of: Assignment, exercise: Exercise, mistakes: list[Mistake]) -> Section:
    """Return the section of an exercise."""
    reference = of.solution.bare_sources[exercise.name]
    alternatives = [
        Alternative(_words(one.name), shows(reference, source), highlight(source.strip("\n")))
        for one in exercise.alternatives
        for source in [one.source(reference)]
    ]
    several = [one for one in mistakes if len(one.students) >= MIN_STUDENTS]
    return Section(exercise.name, alternatives, several[:_MAX_MISTAKES])


def shows(reference: str, answer: str) -> str:
    """Say in one line which calls another right answer adds to the reference's, and lacks."""
    own, usual = _called(answer), _called(reference)
    more = [f"`{name}`" for name in own if name not in usual]
    less = [f"`{name}`" for name in usual if name not in own]
    if more and less:
        return f"With {_and(more)}, without {_and(less)}."
    if more:
        return f"With {_and(more)} besides what the solution calls."
    if less:
        return f"Without {_and(less)}."
    return "The same calls, arranged differently."


def _called(source: str) -> list[str]:
    """Return the functions and methods that a piece of code calls, by their last name, in order."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = [getattr(one, "attr", getattr(one, "id", "")) for one in calls]
    return list(dict.fromkeys(filter(None, names)))


def _words(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def as_html(assignment: str, notebook: NotebookNode, sections: list[Section]) -> str:
    """Return the page as a single file, without scripts or external resources."""
    left = [MAX_TEXT_CHARACTERS]
    cells: list[dict[str, Any]] = [
        shown_cell(cell, number, left) for number, cell in enumerate(notebook.cells) if number
    ]
    return (
        environment(_TEMPLATES)
        .get_template("solutions.html")
        .render(assignment=assignment, cells=cells, sections=sections, note=NOTE)
    )
