"""Tells which cells of a submission decide its score, so that grading runs no others.

Between the checks an assignment trains and draws: those cells show something to the student, and no
graded answer depends on them. A cell of the release may be left out if no cell that is run reads a
name that it binds or a value that it could change. What the student wrote is always run; a notebook
with cells that are graded by hand is run whole.

Only what names show counts. A cell of a release that later answers rely on in another way (a file
that it writes, a setting of torch) belongs into a cell with an import or a definition that they use.
"""

from __future__ import annotations

import ast
import functools
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.reference import DEFINITIONS, LONGEST_CELL, NOT_PYTHON, parse
from autograder.errors import CourseError
from autograder.grading.run import ONLY_SHOWS, checked_exercise

#: Ways to a name that is not written as one; a submission that knows one of them runs whole.
_ROUNDABOUT = re.compile(
    r"globals|locals|vars|dir|exec|eval|compile|setattr|delattr|get_ipython|In|Out|__import__|__builtins__"
    r"|_+|_i+|_i?\d+|_[iod]h|open"
)
_ROUNDABOUT_ATTRIBUTES = {
    *("_getframe", "f_globals", "f_locals", "f_back", "tb_frame", "__globals__", "user_ns"),
    *("__dict__", "__class__", "__defaults__", "__kwdefaults__", "__closure__", "get_type_hints"),
    # what is written into a file or the environment is there later, too
    *("open", "save", "savez", "savez_compressed", "savetxt", "tofile", "dump", "write_text"),
    *("write_bytes", "save_file", "to_csv", "to_pickle", "environ", "putenv"),
}
_ROUNDABOUT_MODULES = {
    *("__main__", "builtins", "ctypes", "gc", "importlib", "inspect", "IPython", "joblib"),
    *("pickle", "pkgutil", "pydoc", "runpy", "shelve", "sqlite3", "timeit"),
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Decorators that keep nothing from one call to the next.
_PLAIN_DECORATORS = {"staticmethod", "classmethod", "property", "dataclass", "no_grad", "override"}


@dataclass(frozen=True)
class _Names:
    """The global names in a cell.

    Attributes
    ----------
    read : those whose values it uses, functions and classes of its own included.
    bound : those that it binds.
    state : those of the bound that can change without being bound anew: all but imports, numbers,
        texts, and functions and classes that keep nothing from one call to the next.
    changed : functions and classes that something is written into (``f.calls = 0``).
    imported : those of the bound that are imported and nothing else.
    """

    read: frozenset[str]
    bound: frozenset[str]
    state: frozenset[str]
    changed: frozenset[str]
    imported: frozenset[str]


def mark_needed(notebook: NotebookNode, release: NotebookNode) -> None:
    """Mark the cells of the submission, in place, that only show something.

    Parameters
    ----------
    notebook : the submission, sanitized.
    release : the assignment as it was released.
    """
    shows = _only_showing(notebook, release)
    for index, cell in enumerate(notebook.cells):
        if index in shows:
            cell.metadata[ONLY_SHOWS] = True
        else:
            cell.metadata.pop(ONLY_SHOWS, None)


def _only_showing(notebook: NotebookNode, release: NotebookNode) -> set[int]:
    """The indices of the code cells that no graded answer depends on."""
    released = {cell.source for cell in release.cells if _is_given(cell)}
    cells: dict[int, _Names] = {}
    left_out: set[int] = set()
    asked = set()
    for index, cell in enumerate(notebook.cells):
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and marks.get("solution"):
            return set()  # whoever grades it by hand looks at the figures
        if cell.cell_type != "code":
            continue
        if marks.get("grade"):
            asked.add(checked_exercise(cell.source))
        given = _is_given(cell) and cell.source in released
        names = _names_of_given(cell.source) if given else _names(cell.source)
        if names is None:
            return set()
        cells[index] = names
        if given:
            left_out.add(index)
    return _without_need(cells, left_out, asked)


def _without_need(cells: dict[int, _Names], left_out: set[int], asked: set[str | None]) -> set[int]:
    """Take from `left_out`, until it stays, each cell that touches what the others read."""
    state = frozenset().union(*(names.state | names.changed for names in cells.values()))
    homes: dict[str, list[_Names]] = {}  # a function -> the cells that define it
    for names in cells.values():
        for name in names.bound - names.state - names.imported:
            homes.setdefault(name, []).append(names)
    touched = {
        index: cells[index].bound | (_reached(cells[index].read, homes) & state)
        for index in left_out
    }
    # with what a cell reads also what it binds: that may be a part of it, as in ``row = table[0]``
    used = {index: names.read | names.state for index, names in cells.items()}
    wanted = set(asked).union(*(used[index] for index in cells if index not in left_out))
    while needed := {index for index in left_out if not wanted.isdisjoint(touched[index])}:
        left_out = left_out - needed
        wanted.update(*(used[index] for index in needed))
    return left_out


def _reached(names: frozenset[str], homes: dict[str, list[_Names]]) -> set[str]:
    """The names, what the cells of the functions among them may touch, and so on."""
    reached = set(names)
    coming = list(names)
    entered: set[int] = set()
    while coming:
        for home in homes.get(coming.pop(), ()):
            if id(home) not in entered:
                entered.add(id(home))
                coming += (home.read | home.bound) - reached
                reached |= home.read | home.bound
    return reached


def _is_given(cell: NotebookNode) -> bool:
    """Whether it is code that the student is not asked to change."""
    marks = cell.metadata.get("nbgrader", {})
    return cell.cell_type == "code" and not marks.get("grade") and not marks.get("solution")


@functools.lru_cache(maxsize=256)
def _names_of_given(source: str) -> _Names | None:
    """`_names` of a cell of the release, whose author writes names as names."""
    try:
        tree = parse(source)
        return _told(tree, symtable.symtable(ast.unparse(tree), "<cell>", "exec"))
    except (CourseError, *NOT_PYTHON):
        return None


@functools.lru_cache(maxsize=256)
def _names(source: str) -> _Names | None:
    """The global names of a cell; None if they cannot be told."""
    if len(source) > LONGEST_CELL:
        return None
    try:
        tree = ast.parse(source)
        names = _told(tree, symtable.symtable(source, "<cell>", "exec"))
    except NOT_PYTHON:
        return None
    if any(map(_is_roundabout, ast.walk(tree))):
        return None
    if not _PLAIN_DECORATORS.isdisjoint(names.bound - _imported(tree)):
        return None  # a decorator of the student's own that is called like a plain one
    return None if any(map(_ROUNDABOUT.fullmatch, names.read - names.bound)) else names


def _told(tree: ast.Module, table: symtable.SymbolTable) -> _Names:
    """The global names of a cell that was read, and which of them stand for what can change."""
    nodes = list(ast.walk(tree))
    read, bound = _globals(table)
    fixed = {
        t for n in nodes if isinstance(n, ast.Assign) and _is_fixed(n.value) for t in n.targets
    }
    names = {n for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    there = {n.id for n in names if isinstance(n.ctx, ast.Del)}  # what must be there before
    there |= {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and n.target in names}
    read |= there & bound
    stored = {name.id for name in names - fixed}
    caught = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    stored |= {n.name for n in nodes if isinstance(n, caught) and n.name}
    stored |= {n.rest for n in nodes if isinstance(n, ast.MatchMapping) and n.rest}
    plain = {name.id for name in names & fixed}
    for node in nodes:
        if isinstance(node, DEFINITIONS):
            (plain if _keeps_nothing(node) else stored).add(node.name)
    changed = {_root(n) for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript))}
    imported = bound & (_imported(tree) - plain - stored)
    state = bound - (plain - stored) - imported
    return _Names(read, bound, state, changed & (read | bound), imported)


def _globals(table: symtable.SymbolTable, top: bool = True) -> tuple[frozenset[str], ...]:
    """The global names that are read and those that are bound, in functions, too."""
    read, bound = set(), set()
    for symbol in table.get_symbols():
        shared = top or symbol.is_global()
        # a name that a class binds may be read from outside before
        if symbol.is_referenced() and (shared or isinstance(table, symtable.Class)):
            read.add(symbol.get_name())
        if shared and (symbol.is_assigned() or symbol.is_imported()):
            bound.add(symbol.get_name())
    for child in table.get_children():
        inner_read, inner_bound = _globals(child, top=False)
        read |= inner_read
        bound |= inner_bound
    return frozenset(read), frozenset(bound)


def _is_roundabout(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        modules = node.attr == "modules" and getattr(node.value, "id", "") == "sys"
        return modules or node.attr in _ROUNDABOUT_ATTRIBUTES
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        return any(getattr(a, "value", None) in _ROUNDABOUT_ATTRIBUTES for a in node.args[1:])
    if isinstance(node, ast.ImportFrom):
        names = [node.module or "", *(alias.name for alias in node.names)]
        if node.module == "sys" or not _ROUNDABOUT_ATTRIBUTES.isdisjoint(names):
            return True
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        if any(alias.name == "sys" and alias.asname for alias in node.names):
            return True
    else:
        return False
    return "*" in names or not _ROUNDABOUT_MODULES.isdisjoint(n.partition(".")[0] for n in names)


def _keeps_nothing(node: ast.AST) -> bool:
    """Whether the function or class has no place to keep anything from one call to the next."""
    inner = list(ast.walk(node))
    decorators = [d for n in inner for d in getattr(n, "decorator_list", [])]
    kept = [d for n in inner if isinstance(n, ast.arguments) for d in (*n.defaults, *n.kw_defaults)]
    classes = [n for n in inner if isinstance(n, ast.ClassDef)]
    for statement in (s for n in classes for s in _outside_functions(n.body)):
        if isinstance(statement, (ast.For, ast.With, ast.NamedExpr, ast.Import, ast.ImportFrom)):
            return False
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            kept.append(statement.value)
    if any(isinstance(base, ast.Call) for n in classes for base in n.bases):
        return False
    if not all(map(_is_plain_decorator, decorators)) or not all(map(_is_fixed, kept)):
        return False
    return not any(_writes_elsewhere(n) for n in inner if isinstance(n, _FUNCTIONS))


def _outside_functions(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes below these, without the bodies of functions and of further classes."""
    coming: list[ast.AST] = list(nodes)
    while coming:
        node = coming.pop()
        yield node
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            coming += ast.iter_child_nodes(node)


def _writes_elsewhere(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it writes into something that was there before: ``cls.rows = ...`` in a class method.

    What it writes into its own object (``self.rows``) is counted with that object, what it writes
    into something global by name with that name.
    """
    nodes = list(ast.walk(function))
    written = [n for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript))]
    written = [n for n in written if not isinstance(n.ctx, ast.Load)]
    if any(_root(n) == "" for n in written):
        return True  # type(self).rows = ...
    arguments = [n for n in nodes if isinstance(n, ast.arg)]
    others = {n.arg for n in arguments if n.arg != "self"}
    others |= _imported(function)
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    inside = bound | {n.arg for n in arguments}
    for n in nodes:  # table = PositionTable; table.rows = ...
        if isinstance(n, (ast.Assign, ast.NamedExpr)) and _is_other(n.value, inside):
            targets = n.targets if isinstance(n, ast.Assign) else [n.target]
            others |= {
                t.id for target in targets for t in ast.walk(target) if isinstance(t, ast.Name)
            }
    return not others.isdisjoint(map(_root, written))


def _is_other(value: ast.expr, inside: set[str]) -> bool:
    """Whether the value is, or may be, something from outside the function with these names."""
    if isinstance(value, ast.Call):
        return getattr(value.func, "id", "") == "type"
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    return isinstance(value, ast.Name) and value.id not in inside


def _imported(tree: ast.AST) -> set[str]:
    """The names that imports bind."""
    return {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }


def _is_plain_decorator(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in _PLAIN_DECORATORS


def _is_fixed(value: ast.expr | None) -> bool:
    """Whether it is no new thing that could change; what a name stands for is counted as that name."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    while isinstance(value, ast.Attribute):
        value = value.value
    if isinstance(value, ast.Tuple):
        return all(map(_is_fixed, value.elts))
    if isinstance(value, ast.Lambda):
        return all(map(_is_fixed, (*value.args.defaults, *value.args.kw_defaults)))
    return value is None or isinstance(value, (ast.Constant, ast.Name))


def _root(node: ast.expr) -> str:
    """The name whose part is written or deleted here, ``f`` in ``f.calls = 0``; "" if none is."""
    if isinstance(getattr(node, "ctx", None), ast.Load):
        return ""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
