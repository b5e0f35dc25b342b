"""A test for helpers that may have been changed after their own check.

The helper that passed is then not the one that is called: a later cell can define it again, or
something that it uses. In doubt the answer is yes: that costs a run with a right helper, and a
wrong "no" would cost points.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from autograder.grading.global_names import CellNames, Unsure, cell_names

#: Names by which code may bind any name.
_DYNAMIC = {"exec", "eval", "globals", "setattr", "delattr", "vars", "locals", "get_ipython"}


@dataclass(frozen=True)
class AskedCode:
    """A code cell of a sanitized submission.

    Attributes
    ----------
    source : str
        The cell's text.
    asked : tuple of str
        The exercise that it checks, or the pasted names that are asked after it.
    """

    source: str
    asked: tuple[str, ...] = ()


def may_have_changed(
    code: Sequence[AskedCode], released: Collection[str], helper: str, exercise: str
) -> bool:
    """Tell whether a cell between the checks of a helper and an exercise may change the helper.

    Parameters
    ----------
    code : sequence of AskedCode
        The code cells of a submission.
    released : collection of str
        The texts of the released cells, which change no answer.
    helper : str
        An exercise or a pasted function or class that passed.
    exercise : str
        An exercise that calls the helper.
    """
    start = next((i for i, cell in enumerate(code) if helper in cell.asked), None)
    end = next((i for i, cell in enumerate(code) if exercise in cell.asked), None)
    if start is None or end is None:
        return False
    own = [c.source for c in code[start + 1 : end] if c.source.strip() not in released]
    if not own:
        return False
    try:
        before = [cell_names(cell.source) for cell in code[: start + 1]]
        used = _used(helper, before)
        imported = dict(pair for names in before for pair in _imports(names))
        return any(_may_change(cell_names(source), used, imported) for source in own)
    except Unsure:
        return True


def _used(helper: str, cells: Sequence[CellNames]) -> set[str]:
    """Return the names that a definition may depend on, directly or through other names."""
    found, waiting = {helper}, {helper}
    while waiting:
        name = waiting.pop()
        new = set().union(*(cell.read for cell in cells if name in cell.bound)) - found
        found |= new
        waiting |= new
    return found


def _may_change(cell: CellNames, used: set[str], imported: dict[str, str]) -> bool:
    """Tell whether a cell binds one of these names to another object, or changes its object."""
    again = {name for name, path in _imports(cell) if imported.get(name) == path}
    if (cell.bound & used) - again:
        return True
    own = used - imported.keys()
    return any(_changes(node, own) for node in ast.walk(cell.tree))


def _changes(node: ast.AST, names: set[str]) -> bool:
    """Tell whether a syntax node may change the object that one of these names stands for."""
    if isinstance(node, ast.Name):
        return node.id in _DYNAMIC
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load) and _root(node) in names
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # such as `table.clear()`
        function = node.value.func
        return isinstance(function, ast.Attribute) and _root(function) in names
    return False


def _imports(cell: CellNames) -> Iterator[tuple[str, str]]:
    """Yield the names that a cell imports, and the dotted path of each."""
    for node in ast.walk(cell.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], module + alias.name


def _root(node: ast.expr) -> str:
    """Return the name at the start of an attribute or element, such as ``a`` in ``a.b[0].c``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
