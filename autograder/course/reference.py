"""Loads references from a solution notebook: its imports and definitions, and nothing else."""

from __future__ import annotations

import ast
import functools
import linecache
import re
import types
from pathlib import Path
from typing import Any

import nbformat

from autograder.errors import CourseError

#: What Python says of a text that it cannot read: wrong, with zero bytes, nested too deeply.
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
#: Longer cells of a submission are not read to the end: reading one could take seconds.
LONGEST_CELL = 100_000
#: What defines a name with a body.
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def definitions(notebook: Path) -> dict[str, Any]:
    """Everything that the notebook's code cells import or define at top level, by name.

    Constants in capitals (``EPSILON = 1e-5``) count as definitions. Nothing else is run: no
    training, no figure, no check.

    Raises
    ------
    CourseError
        The notebook is missing, is not a notebook, or a definition cannot be loaded.
    """
    try:
        return _load(notebook, notebook.stat().st_mtime_ns)
    except OSError as error:
        raise CourseError(f"there is no solution notebook {notebook.name}.") from error


@functools.lru_cache(maxsize=32)
def _load(notebook: Path, modified: int) -> dict[str, Any]:
    module = types.ModuleType(f"reference_{notebook.stem}")
    for number, cell in enumerate(read(notebook).cells):
        if cell.cell_type != "code":
            continue
        filename = f"{notebook.name}, cell {number + 1}"
        tree = kept_definitions(cell.source, filename)
        linecache.cache[filename] = (len(cell.source), None, cell.source.splitlines(True), filename)
        try:
            exec(compile(tree, filename, "exec"), module.__dict__)  # our own notebook
        except Exception as error:
            raise CourseError(f"{filename} cannot be loaded: {error}") from error
    return module.__dict__


def read(notebook: Path) -> nbformat.NotebookNode:
    """The notebook in nbformat 4.

    Raises
    ------
    CourseError
        The file is missing or is not a notebook.
    """
    try:
        return nbformat.read(notebook, as_version=4)
    except FileNotFoundError as error:
        raise CourseError(f"there is no notebook {notebook.name}.") from error
    except Exception as error:
        raise CourseError(f"{notebook.name} is not a notebook that can be read: {error}") from error


def read_shared(notebook: Path) -> nbformat.NotebookNode:
    """`read`, once as long as the file stays the same; the result is shared, so leave it as it is."""
    try:
        return _read_at(notebook, notebook.stat().st_mtime_ns)
    except OSError:
        return read(notebook)


@functools.lru_cache(maxsize=8)
def _read_at(notebook: Path, modified: int) -> nbformat.NotebookNode:
    return read(notebook)


def parse(source: str, filename: str = "<cell>") -> ast.Module:
    """A cell's Python, with IPython's own (``%``, ``!``, ``?``) as the calls it stands for.

    Raises
    ------
    CourseError
        The cell is not Python.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        return ast.parse(TransformerManager().transform_cell(source), filename)
    except SyntaxError as error:
        raise CourseError(f"{filename} is not Python: {error}") from error


@functools.lru_cache(maxsize=256)
def defined_names(source: str) -> tuple[str, ...]:
    """The functions and classes that a cell defines at top level, also one that does not parse."""
    try:
        body = ast.parse(source[:LONGEST_CELL]).body
    except NOT_PYTHON:
        return tuple(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", source, re.MULTILINE))
    names = [node.name for node in body if isinstance(node, DEFINITIONS)]
    lambdas = [n for n in body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)]
    names += [t.id for n in lambdas for t in n.targets if isinstance(t, ast.Name)]
    return tuple(names)


def kept_definitions(source: str, filename: str = "<cell>") -> ast.Module:
    """A cell's imports, definitions and constants; everything that would run is left out."""
    tree = parse(source, filename)
    tree.body = [node for node in tree.body if _is_definition(node)]
    return tree


def _is_definition(node: ast.stmt) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        capitals = all(isinstance(t, ast.Name) and t.id.isupper() for t in targets)
        return capitals and _is_literal(node.value)
    return False


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
