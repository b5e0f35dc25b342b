"""A student's answer as a set of statements, without the parts that a copy changes first.

Names of variables, comments, docstrings, type hints and the order of statements play no part. Names
that the answer does not define itself (`torch`, a method, another exercise) and constants stay.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autograder.course.cells import NOT_PYTHON, parse_start

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NOT_COUNTED = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
#: Fields of a statement that hold other statements.
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
#: A statement of fewer nodes says too little: `return x`, `pass`.
_MIN_NODES = 4


@dataclass(frozen=True)
class Statement:
    """A statement, or the head of a compound one, after normalization.

    Attributes
    ----------
    key : str
        Equal for equal statements.
    size : int
        How many names, constants and operations it has.
    """

    key: str
    size: int


def statements(source: str) -> dict[Statement, tuple[int, int]]:
    """Return an answer's statements with first and last line; empty if it is not Python."""
    try:
        tree = parse_start(source)
    except NOT_PYTHON:
        return {}
    own = _own_names(tree)
    found: dict[Statement, tuple[int, int]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or _says_nothing(node):
            continue
        first = node.lineno
        last = node.end_lineno or first
        bodies = [one for name in _BODIES for one in getattr(node, name, [])]
        if bodies:
            last = max(first, min(getattr(one, "lineno", last) for one in bodies) - 1)
        one = _statement(node, own)
        if one.size >= _MIN_NODES:
            found.setdefault(one, (first, last))
    return found


def _says_nothing(node: ast.stmt) -> bool:
    """Tell whether the release gives a statement: docstring, import, head of function or class."""
    given = (ast.Import, ast.ImportFrom, ast.Pass, ast.FunctionDef, ast.ClassDef)
    return isinstance(node, given) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _own_names(tree: ast.AST) -> set[str]:
    """Return the names that the answer and its functions bind, and attributes that it sets."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else f".{node.attr}")
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, _FUNCTIONS) and not isinstance(node, ast.Lambda):
            names |= {node.name, f".{node.name}"}
    return names


def _statement(node: ast.stmt, own: set[str]) -> Statement:
    """Return a statement after normalization."""
    parts: list[str] = []
    size = _write(node, own, parts)
    return Statement(" ".join(parts), size)


def _write(node: ast.AST, own: set[str], parts: list[str]) -> int:
    """Append the normalized node to `parts`; return its size."""
    size = 0 if isinstance(node, _NOT_COUNTED) else 1
    if isinstance(node, ast.Name):
        parts.append("_" if node.id in own else node.id)
        return size
    if isinstance(node, ast.Constant):
        parts.append(repr(node.value)[:200])
        return size
    if isinstance(node, ast.arg):
        parts.append("_")
        return size
    parts.append(f"({type(node).__name__}")
    if isinstance(node, ast.Attribute):
        parts.append("._" if f".{node.attr}" in own else f".{node.attr}")
    elif isinstance(node, ast.keyword):
        parts.append(f"{node.arg}=")
    skipped = (*_BODIES, "annotation", "returns", "decorator_list", "type_comment")
    for name, value in ast.iter_fields(node):
        if isinstance(node, ast.stmt) and name in skipped:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                size += _write(child, own, parts)
    parts.append(")")
    return size
