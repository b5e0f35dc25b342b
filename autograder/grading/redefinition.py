"""A test for helpers that may have been changed after their own check.

The helper that passed is then not the one that is called: a later cell can define it again, or
something that it uses. In doubt the answer is yes: that costs a run with a right helper, and a
wrong "no" would cost points.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from nbformat import NotebookNode

from autograder.course.cells import NOT_PYTHON, asked_exercise
from autograder.grading.global_names import Unsure, bound_names, parsed, read_names
from autograder.grading.reused_solutions import pasted_names

#: Names by which code may bind any name.
_DYNAMIC = {"exec", "eval", "globals", "setattr", "delattr", "vars", "locals", "get_ipython"}


def may_have_changed(
    notebook: NotebookNode, released: Iterable[str], helper: str, exercise: str
) -> bool:
    """Tell whether a cell between the checks of a helper and an exercise may change the helper.

    Parameters
    ----------
    notebook : NotebookNode
        A sanitized submission.
    released : iterable of str
        The texts of the released cells, which change no answer.
    helper : str
        An exercise or a pasted function or class that passed.
    exercise : str
        An exercise that calls the helper.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    asked = [asked_exercise(cell) for cell in code]
    start = next((i for i, c in enumerate(code) if helper in (asked[i], *pasted_names(c))), None)
    if start is None or exercise not in asked:
        return False
    end = asked.index(exercise)
    own = [c.source for c in code[start + 1 : end] if c.source.strip() not in set(released)]
    if not own:
        return False
    before = [cell.source for cell in code[: start + 1]]
    try:
        used = _used(helper, before)
        imported = dict(pair for source in before for pair in _imports(source))
        return any(_may_change(source, used, imported) for source in own)
    except Unsure:
        return True


def _used(helper: str, sources: Sequence[str]) -> set[str]:
    """Return the names that a definition may depend on, directly or through other names."""
    cells = [(bound_names(one), read_names(one)) for one in sources if _is_python(one)]
    found, waiting = {helper}, {helper}
    while waiting:
        name = waiting.pop()
        new = set().union(*(read for bound, read in cells if name in bound)) - found
        found |= new
        waiting |= new
    return found


def _may_change(source: str, used: set[str], imported: dict[str, str]) -> bool:
    """Tell whether a cell rebinds one of these names, or changes the object it stands for."""
    if not _is_python(source):
        return False  # it does not run
    again = {name for name, path in _imports(source) if imported.get(name) == path}
    if (bound_names(source) & used) - again:
        return True
    own = used - imported.keys()
    return any(_changes(node, own) for node in ast.walk(parsed(source)))


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


def _imports(source: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a cell imports, and the dotted name of each."""
    for node in ast.walk(parsed(source)) if _is_python(source) else ():
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], module + alias.name


def _root(node: ast.expr) -> str:
    """Return the name at the start of an attribute or element, such as ``a`` in ``a.b[0].c``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_python(source: str) -> bool:
    try:
        bound_names(source)
    except NOT_PYTHON:
        return False
    return True
