"""Loads references from a solution notebook: only its imports and definitions are run."""

from __future__ import annotations

import ast
import linecache
import types
from pathlib import Path
from typing import Any

import nbformat

from autograder.course.cells import (
    DEFINITIONS,
    checked_exercise,
    kept_definitions,
    parse,
    without_delimiters,
)
from autograder.course.files import cached_until_changed
from autograder.errors import AnswerError, AuthorError


def read(notebook: Path) -> nbformat.NotebookNode:
    """The notebook in nbformat 4.

    Raises
    ------
    AuthorError
        The file is missing or is not a notebook.
    """
    try:
        return nbformat.read(notebook, as_version=4)
    except FileNotFoundError as error:
        raise AuthorError(f"there is no notebook {notebook.name}.") from error
    except Exception as error:
        raise AuthorError(f"{notebook.name} cannot be read as a notebook: {error}") from error


#: `read`, cached until the file changes; the notebook is shared: do not modify it.
read_shared = cached_until_changed(read)


@cached_until_changed
def definitions(notebook: Path) -> dict[str, Any]:
    """Everything that the notebook's code cells import or define at top level, by name.

    Constants in capitals (``EPSILON = 1e-5``) count as definitions. Nothing else is run: no
    training, figures or checks.

    Raises
    ------
    AuthorError
        The notebook is missing, is not a notebook, or a definition cannot be loaded.
    """
    module = types.ModuleType("__main__")  # as in a kernel: the name of a class tells its module
    for number, cell in enumerate(read_shared(notebook).cells):
        if cell.cell_type != "code":
            continue
        filename = f"{notebook.name}, cell {number + 1}"
        tree = kept_definitions(cell.source, filename)
        linecache.cache[filename] = (len(cell.source), None, cell.source.splitlines(True), filename)
        try:
            exec(compile(tree, filename, "exec"), module.__dict__)  # our own notebook
        except Exception as error:
            raise AuthorError(f"{filename} cannot be loaded: {error}") from error
    return module.__dict__


@cached_until_changed
def sources(notebook: Path) -> dict[str, str]:
    """The source of each function and class that the notebook defines, without delimiters."""
    found = {}
    for cell in read_shared(notebook).cells:
        if cell.cell_type != "code":
            continue
        text = without_delimiters(cell.source)
        for node in parse(text, notebook.name).body:
            if isinstance(node, DEFINITIONS):
                found[node.name] = ast.get_source_segment(text, node) or ""
    return found


@cached_until_changed
def bare_sources(notebook: Path) -> dict[str, str]:
    """Like `sources`, without docstrings: what the edits of misconceptions apply to."""
    return {name: without_docstrings(text) for name, text in sources(notebook).items()}


def run_answer(notebook: Path, name: str, text: str, label: str = "an answer") -> Any:
    """What an answer's source defines as `name`, run in a copy of the notebook's namespace.

    Raises
    ------
    AnswerError
        The text is not Python, cannot be run, or does not define `name`.
    """
    scope = dict(definitions(notebook))
    before = scope.get(name)
    try:
        exec(compile(text, f"<answer to {name}>", "exec"), scope)  # our own text
    except Exception as error:
        raise AnswerError(f"{name}: {label} cannot be run: {error}\n{text}") from error
    if scope.get(name) is before:
        raise AnswerError(f"{name}: {label} does not define {name}:\n{text}")
    return scope[name]


@cached_until_changed
def checked_names(notebook: Path) -> list[str]:
    """The exercises that the notebook checks, in order; [] if there is no notebook yet."""
    if not notebook.exists():
        return []
    names = [checked_exercise(c.source) for c in read_shared(notebook).cells if c.source]
    return [name for name in names if name]


def without_docstrings(text: str) -> str:
    """A definition without docstrings and blank lines."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(node, DEFINITIONS) and len(body) > 1 and ast.get_docstring(node) is not None:
            first = body[0]
            lines[first.lineno - 1 : first.end_lineno] = [""] * (
                first.end_lineno - first.lineno + 1
            )
    return "\n".join(line for line in lines if line.strip()) + "\n"
