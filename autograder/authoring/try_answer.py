"""Judgment of one implementation in a file, as if it were a submission."""

from __future__ import annotations

import ast
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.assignment import Assignment, find
from autograder.course.cells import kept_definitions
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.grading.questions import without_expected
from autograder.grading.record_misconceptions import record
from autograder.grading.verdicts import decide
from autograder.sandbox.doctor import is_available
from coursekit.checking.verdict import Verdict


def try_source(
    course: Course, name: str, source: str, filename: str = "<source>", seed: int = 1
) -> Verdict:
    """Return the verdict on `source` as the answer to the exercise `name`.

    It is put into a notebook with the reference's other definitions. Kernel, fresh cases and
    comparison are those of grading.

    Raises
    ------
    CourseError
        No exercise has that name, or the source is not Python or does not define it.
    """
    assignment = find(course, name)
    try:
        tree = ast.parse(source, filename)
    except SyntaxError as error:
        raise CourseError(
            f"{filename}, line {error.lineno}: this is not Python: {error.msg}"
        ) from error
    if name not in _names(tree):
        raise CourseError(f"{filename} does not define {name}; write `def {name}(...)` or a class.")
    return try_sources(assignment, {name: source}, seed)[name]


def try_sources(
    assignment: Assignment, sources: dict[str, str], seed: int = 1
) -> dict[str, Verdict]:
    """Return the verdicts on answers to several exercises of one assignment, in one kernel.

    Each is judged with the reference's other definitions, so one error does not affect the rest.

    Parameters
    ----------
    sources : dict of str to str
        The source of the answer to each exercise.
    """
    notebook = _notebook(assignment, sources)
    limits = Limits(cell_seconds=120, sandbox=is_available())  # the author's own code
    recorded = {name: record(assignment, name, seed) for name in sources}
    cases = {name: exercise["cases"] for name, exercise in recorded.items()}
    answers = run_notebook(notebook, without_expected(cases), limits)
    return {verdict.exercise: verdict for verdict in decide(recorded, answers)}


def try_file(course: Course, name: str, path: Path, seed: int = 1) -> Verdict:
    """Return the verdict on a file as the answer to the exercise `name`.

    Raises
    ------
    CourseError
        Also when the file cannot be read.
    """
    try:
        source = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read as a Python file: {error}") from error
    return try_source(course, name, source, str(path), seed)


def _names(tree: ast.Module) -> set[str]:
    """Return the names that a module defines, assigns or imports."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def _notebook(assignment: Assignment, sources: dict[str, str]) -> NotebookNode:
    """Return a notebook of the solution's definitions, then each source and its check.

    After each check the reference replaces the answer, so that a wrong answer does not affect the
    exercises that build on it.
    """
    cells = []
    references: dict[str, str] = {}
    for cell in assignment.solution.code:
        tree = kept_definitions(cell.source, assignment.name)
        references |= {getattr(node, "name", ""): ast.unparse(node) for node in tree.body}
        tree.body = [node for node in tree.body if getattr(node, "name", None) not in sources]
        cells.append(new_code_cell(ast.unparse(tree)))
    for name, source in sources.items():
        check = new_code_cell(f"check({name})")
        check.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": f"check_{name}"}
        cells += [new_code_cell(source), check, new_code_cell(references[name])]
    notebook: NotebookNode = new_notebook(cells=cells)
    return notebook
