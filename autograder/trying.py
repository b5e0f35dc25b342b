"""Judges one implementation in a file as a submission would be judged."""

from __future__ import annotations

import ast
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder import catalog
from autograder.course import Course
from autograder.errors import CourseError
from autograder.reference import kept_definitions, read
from autograder.run import Limits
from autograder.verdicts import grade_notebook
from coursekit.judging import Verdict


def try_source(
    course: Course, name: str, source: str, filename: str = "<source>", seed: int = 1
) -> Verdict:
    """The verdict on `source` as the answer to the exercise `name`.

    It is put into a notebook beside the reference's other definitions and goes through the same
    kernel, the same fresh cases and the same comparison as a submission.

    Raises
    ------
    CourseError
        No exercise has that name, or the source is not Python or does not define it.
    """
    assignment, _ = catalog.find(course, name)
    try:
        tree = ast.parse(source, filename)
    except SyntaxError as error:
        raise CourseError(
            f"{filename}, line {error.lineno}: this is not Python: {error.msg}"
        ) from error
    if name not in _names(tree):
        raise CourseError(f"{filename} does not define {name}; write `def {name}(...)` or a class.")
    notebook = _notebook(course, assignment, name, source)
    verdicts = grade_notebook(notebook, course, assignment, seed, Limits(cell_seconds=120), [name])
    return verdicts[0]


def try_file(course: Course, name: str, path: Path, seed: int = 1) -> Verdict:
    """`try_source` for a file.

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
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def _notebook(course: Course, assignment: str, name: str, source: str) -> NotebookNode:
    """Imports and definitions of the solution notebook, `source` in its place, and the check."""
    cells = []
    for cell in read(course.solution(assignment)).cells:
        if cell.cell_type != "code":
            continue
        tree = kept_definitions(cell.source, assignment)
        tree.body = [node for node in tree.body if getattr(node, "name", None) != name]
        cells.append(new_code_cell(ast.unparse(tree)))
    check = new_code_cell(f"check({name})")
    check.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": f"check_{name}"}
    return new_notebook(cells=[*cells, new_code_cell(source), check])
