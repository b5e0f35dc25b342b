"""A solution notebook, of which the references are loaded and nothing else is run."""

from __future__ import annotations

import ast
import linecache
import types
from functools import cached_property
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
from autograder.errors import AnswerError, AuthorError


def read(notebook: Path) -> nbformat.NotebookNode:
    """Read a notebook as nbformat 4.

    Raises
    ------
    AuthorError
        The file is missing or is not a notebook.
    """
    try:
        found: nbformat.NotebookNode = nbformat.read(notebook, as_version=4)
        return found
    except FileNotFoundError as error:
        raise AuthorError(f"there is no notebook {notebook.name}.") from error
    except Exception as error:
        raise AuthorError(f"{notebook.name} cannot be read as a notebook: {error}") from error


class Solution:
    """A solution notebook, read once; what it hands out is shared: do not modify it.

    Parameters
    ----------
    path : Path
        The notebook. Any other that defines the exercises will do, too, such as the release.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def notebook(self) -> nbformat.NotebookNode:
        """The notebook.

        Raises
        ------
        AuthorError
            The file is missing or is not a notebook.
        """
        return read(self.path)

    @property
    def code(self) -> list[nbformat.NotebookNode]:
        """The code cells."""
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @cached_property
    def definitions(self) -> dict[str, Any]:
        """Everything that the notebook's code cells import or define at top level, by name.

        Constants in capitals (``EPSILON = 1e-5``) count as definitions. Nothing else is run: no
        training, figures or checks.

        Raises
        ------
        AuthorError
            The notebook is missing, is not a notebook, or a definition cannot be loaded.
        """
        # as in a kernel: the name of a class tells its module
        module = types.ModuleType("__main__")
        for number, cell in enumerate(self.notebook.cells):
            if cell.cell_type != "code":
                continue
            filename = f"{self.path.name}, cell {number + 1}"
            tree = kept_definitions(cell.source, filename)
            lines = cell.source.splitlines(True)
            linecache.cache[filename] = (len(cell.source), None, lines, filename)
            try:
                exec(compile(tree, filename, "exec"), module.__dict__)  # our own notebook
            except Exception as error:
                raise AuthorError(f"{filename} cannot be loaded: {error}") from error
        return module.__dict__

    @cached_property
    def sources(self) -> dict[str, str]:
        """The source of each function and class that the notebook defines, without delimiters."""
        found = {}
        for cell in self.code:
            text = without_delimiters(cell.source)
            for node in parse(text, self.path.name).body:
                if isinstance(node, DEFINITIONS):
                    found[node.name] = ast.get_source_segment(text, node) or ""
        return found

    @cached_property
    def bare_sources(self) -> dict[str, str]:
        """Like `sources`, without docstrings: what the edits of misconceptions apply to."""
        return {name: without_docstrings(text) for name, text in self.sources.items()}

    @cached_property
    def layers(self) -> dict[str, list[str]]:
        """For each module of torch that is checked, the attributes that `__init__` sets, in order."""
        found = {}
        for name in self.checked_names:
            (node,) = ast.parse(self.bare_sources.get(name, "0")).body
            if isinstance(node, ast.ClassDef) and _is_module(node) and (own := _attributes(node)):
                found[name] = own
        return found

    @cached_property
    def definition_texts(self) -> dict[str, str]:
        """The text of each definition and import at top level, by the name that it binds."""
        texts: dict[str, str] = {}
        for cell in self.code:
            for node in kept_definitions(cell.source, self.path.name).body:
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    origin = getattr(node, "module", None)
                    for alias in node.names:
                        bound = alias.asname or alias.name.split(".")[0]
                        texts[bound] = f"{bound}: {origin} {alias.name}"
                    continue
                # the text, since `ast.unparse` differs between versions of Python
                text = ast.get_source_segment(cell.source, node) or ""
                names = [getattr(node, "name", "")] + [
                    target.id
                    for target in getattr(node, "targets", [getattr(node, "target", None)])
                    if isinstance(target, ast.Name)
                ]
                texts |= {name: text for name in names if name}
        return texts

    @cached_property
    def written_cells(self) -> dict[str, str]:
        """The sources of the cells with a grade id, by id, without delimiters."""
        return {
            grade_id: without_delimiters(cell.source)
            for cell in self.notebook.cells
            if (grade_id := cell.metadata.get("nbgrader", {}).get("grade_id"))
        }

    @cached_property
    def checked_names(self) -> list[str]:
        """The exercises that the notebook checks, in order; [] if there is no notebook yet."""
        if not self.path.exists():
            return []
        names = [checked_exercise(cell.source) for cell in self.notebook.cells if cell.source]
        return [name for name in names if name]

    def run_answer(self, name: str, text: str, label: str = "an answer") -> Any:
        """Run an answer's source in a copy of the notebook's namespace; return the object `name`.

        Raises
        ------
        AnswerError
            The text is not Python, cannot be run, or does not define `name`.
        """
        scope = dict(self.definitions)
        before = scope.get(name)
        try:
            exec(compile(text, f"<answer to {name}>", "exec"), scope)  # our own text
        except Exception as error:
            raise AnswerError(f"{name}: {label} cannot be run: {error}\n{text}") from error
        if scope.get(name) is before:
            raise AnswerError(f"{name}: {label} does not define {name}:\n{text}")
        return scope[name]


def without_docstrings(text: str) -> str:
    """Return a definition's text without docstrings and blank lines."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, DEFINITIONS) or len(node.body) < 2:
            continue
        if ast.get_docstring(node) is not None:
            first = slice(node.body[0].lineno - 1, node.body[0].end_lineno)
            lines[first] = [""] * len(lines[first])
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _attributes(node: ast.ClassDef) -> list[str]:
    """Return the attributes of self that the `__init__` of a class sets, in the order of the text.

    What it is handed comes first: its weights were drawn before.
    """
    handed: list[str] = []
    made: list[str] = []
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        given = {arg.arg for arg in [*method.args.args, *method.args.kwonlyargs]}
        stores = [
            part for part in ast.walk(method) if isinstance(part, (ast.Assign, ast.AnnAssign))
        ]
        for store in sorted(stores, key=lambda one: one.lineno):
            targets = store.targets if isinstance(store, ast.Assign) else [store.target]
            is_handed = isinstance(store.value, ast.Name) and store.value.id in given
            for part in (part for target in targets for part in ast.walk(target)):
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "self":
                    (handed if is_handed else made).append(part.attr)
    return list(dict.fromkeys(handed + made))


def _is_module(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split(".")[-1] == "Module" for base in node.bases)
