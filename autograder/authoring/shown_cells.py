"""Cells that only display something: no exercise depends on them."""

from __future__ import annotations

import ast
import dis
from types import CodeType

from nbformat import NotebookNode

from autograder.course.cells import DEFINITIONS, parse
from autograder.grading.cell_skipping import TAG

#: The author's tag for a cell that grading must run although no exercise uses a name it binds.
KEEP = "grading"


def tag_shown_cells(notebook: NotebookNode) -> None:
    """Tag the cells of a stamped notebook that grading skips, in place.

    Grading runs the exercises, their checks, the cells tagged `KEEP`, and every cell that binds a
    name that one of these reads. `proofs.prove_shown_cells` verifies that this is enough.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    kept = [c for c in code if c.metadata.get("nbgrader") or KEEP in c.metadata.get("tags", [])]
    rest = [cell for cell in code if cell not in kept]
    wanted = set().union(*map(_read, kept))
    while needed := [cell for cell in rest if wanted & _bound(cell)]:
        rest = [cell for cell in rest if cell not in needed]
        wanted |= set().union(*map(_read, needed))
    for cell in code:
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != TAG]
        tags += [TAG] * any(cell is other for other in rest)
        cell.metadata.pop("tags", None)
        if tags:
            cell.metadata["tags"] = tags


def _bound(cell: NotebookNode) -> set[str]:
    """Return the names that a cell binds at top level."""
    names: set[str] = set()
    for statement in parse(cell.source).body:
        if isinstance(statement, DEFINITIONS):
            names.add(statement.name)
            continue
        for node in ast.walk(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


def _read(cell: NotebookNode) -> set[str]:
    """Return the global names that a cell reads, including inside its functions and classes."""
    return _globals(compile(parse(cell.source), "<cell>", "exec"))


def _globals(code: CodeType) -> set[str]:
    loads = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
    names = {i.argval for i in dis.get_instructions(code) if i.opname in loads}
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return names.union(*map(_globals, inner))
