"""Variants of an answer with one change, for questions on how the answer works.

The texts are students': nothing here runs them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.authoring.audit.mutants import mutants
from autograder.authoring.audit.one_place_edits import Reference
from autograder.course.cells import NOT_PYTHON, parse_start

#: A longer line does not fit beside its edit.
_MAX_LINE = 100


@dataclass(frozen=True)
class Edit:
    """Variant of an answer in which one line differs.

    Attributes
    ----------
    line : int
        The line's number, from 1.
    old, new : str
        The line before and after, without its indentation.
    source : str
        The whole text with it.
    """

    line: int
    old: str
    new: str
    source: str

    @property
    def words(self) -> str:
        """The change as text, for a question's option."""
        return f"line {self.line}: {self.new}"


@dataclass(frozen=True)
class Stop:
    """Variant of an answer that ends after one of its assignments and returns the assigned value.

    Attributes
    ----------
    line : int
        The number of the assignment's last line, from 1.
    name : str
        The variable.
    source : str
        The whole text with it.
    """

    line: int
    name: str
    source: str


def function(source: str, name: str) -> ast.FunctionDef | None:
    """Return the definition of `name` in a cell; None if it has none, several or a decorated one.

    None, too, if a line ends with a character that ends none for Python, such as a form feed: the
    line numbers would differ.
    """
    if source.splitlines() != source.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        return None
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return None
    found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[0] if len(found) == 1 and not found[0].decorator_list else None


def edits(source: str, name: str) -> list[Edit]:
    """Return the edits of one line in the body of a function, without those of its docstring."""
    whole = function(source, name)
    if whole is None:
        return []
    code = [node for node in whole.body if not _is_text(node)]
    lines = {number for node in code for number in _lines(node)}
    found: dict[tuple[int, str], Edit] = {}
    for mutant in mutants(Reference(source)):
        edit = _of_one_line(source, mutant.source)
        if edit is not None and edit.line in lines:
            found.setdefault((edit.line, edit.new), edit)
    return list(found.values())


def stops(source: str, name: str) -> list[Stop]:
    """Return the variants that stop after each assignment in the function's outermost block."""
    whole = function(source, name)
    if whole is None or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(whole)):
        return []
    found = []
    for node in whole.body[:-1]:
        target = _assigned(node)
        if target and not isinstance(getattr(node, "value", None), (ast.Constant, ast.Name)):
            found.append(Stop(node.end_lineno or 0, target, with_stop(source, node, target)))
    return found


def with_stop(source: str, node: ast.stmt, target: str) -> str:
    """Insert ``return target`` after a statement that ends its line."""
    lines = source.splitlines()
    at = node.end_lineno or len(lines)
    lines.insert(at, " " * node.col_offset + f"return {target}")
    return "\n".join(lines)


def stopped(edit: Edit, name: str, line: int) -> str | None:
    """Return an edit of a stop's line, stopped there as well; None if it assigns nothing."""
    for stop in stops(edit.source, name):
        if stop.line == line:
            return stop.source
    return None


def _of_one_line(source: str, other: str) -> Edit | None:
    """Return the edit between two texts; None if they differ elsewhere or it suits no question."""
    old, new = source.splitlines(), other.splitlines()
    if len(old) != len(new):
        return None
    different = [number for number, pair in enumerate(zip(old, new)) if pair[0] != pair[1]]
    if len(different) != 1:
        return None
    number = different[0]
    before, after = old[number].strip(), new[number].strip()
    if max(len(before), len(after)) > _MAX_LINE or "raise" in before:
        return None
    if "`" in before + after:  # it would end the code that a question quotes
        return None
    if after in ("return None", "pass"):  # what it gives is on the page
        return None
    return Edit(number + 1, before, after, other)


def _assigned(node: ast.stmt) -> str:
    """Return the variable that a statement assigns to; "" if it is no such assignment."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target: ast.expr = node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target = node.target
    else:
        return ""
    return target.id if isinstance(target, ast.Name) else ""


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a constant by itself, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _lines(node: ast.stmt) -> Iterator[int]:
    """Yield the numbers of a statement's lines."""
    yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)
