"""Turning of a student's wrong answer into a misconception, so that hints grow with every class."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path

import nbformat

from autograder.course.apply_edit import is_edit
from autograder.course.assignment import find
from autograder.course.cells import without_delimiters, written_answers
from autograder.course.exercise import UNWRITTEN_HINT
from autograder.course.layout import Course
from autograder.course.make_edit import make_edit
from autograder.course.reference import without_docstrings
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.grading.verdicts import read_verdicts


def adopt(
    course: Course, exercise: str, student: str, folder: Path | None = None
) -> tuple[Path, str]:
    """Add a student's wrong answer to the exercise's `WRONG`, with a hint still to be written.

    Nothing in it names the student.

    Parameters
    ----------
    folder : Path, optional
        The class's folder; the course's own if None.

    Returns
    -------
    tuple of (Path, str)
        The module that was changed and the name of the new misconception.

    Raises
    ------
    CourseError
        No exercise has that name, the student has no graded answer to it, or the answer is right,
        is not Python, or is one that `WRONG` contains already.
    """
    assignment = find(course, exercise)
    known = assignment.exercises[exercise]
    answer = _answer(Classroom(course, folder), assignment.name, exercise, student)
    reference = assignment.solution.bare_sources[exercise]
    text = make_edit(reference, answer) or answer
    for one in known.misconceptions:
        if one.source(reference).split() == answer.split():
            raise CourseError(f"{exercise} has this answer already: {one.name}.")
    names = {one.name for one in known.misconceptions}
    name = next(f"adopted_{i}" for i in range(1, 1000) if f"adopted_{i}" not in names)
    path = course.cases(assignment.name) / f"{exercise}.py"
    path.write_text(_with_entry(path.read_text("utf-8"), name, text), "utf-8")
    return path, name


def _answer(classroom: Classroom, assignment: str, exercise: str, student: str) -> str:
    """Return the student's definition of the exercise, without docstrings."""
    path = classroom.autograded(student, assignment)
    try:
        notebook = nbformat.from_dict(json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise CourseError(
            f"there is no graded notebook of {student}; run `autograder grade {assignment}` first."
        ) from error
    verdict = next((v for v in read_verdicts(notebook) if v.exercise == exercise), None)
    if verdict is None or verdict.stage == "missing":
        raise CourseError(f"{student} did not answer {exercise}.")
    if verdict.passed:
        raise CourseError(f"{student}'s {exercise} is right: it has all points.")
    source = without_delimiters(written_answers(notebook).get(exercise, ""))
    try:
        nodes = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{student}'s {exercise} is not Python: {error}.") from error
    found = [node for node in nodes if getattr(node, "name", None) == exercise]
    if not found:
        raise CourseError(f"{student}'s cell does not define {exercise}.")
    return without_docstrings(ast.get_source_segment(source, found[-1]) or "")


def _with_entry(module: str, name: str, text: str) -> str:
    """Return the module with another entry at the end of `WRONG`."""
    wrong = next(
        node.value
        for node in ast.parse(module).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "WRONG"
    )
    if is_edit(text):
        text = "\n".join(line[:1] + " " + line[1:] for line in text.splitlines())
    quoted = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    body = textwrap.indent(f"{UNWRITTEN_HINT}\n\n{quoted.rstrip()}\n", 8 * " ")
    lines = module.splitlines(keepends=True)
    assert wrong.end_lineno is not None  # the parser sets it
    lines.insert(wrong.end_lineno - 1, f'    "{name}": """\n{body}        """,\n')
    return "".join(lines)
