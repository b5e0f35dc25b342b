"""The global names that a notebook's cells bind and read, and what they stand for."""

from __future__ import annotations

import ast
import dis
import functools
from collections.abc import Collection, Iterable, Iterator
from types import CodeType

from autograder.course.cells import MAX_CELL_CHARACTERS, as_python, parse_start
from autograder.grading.pure_functions import may_import

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)
#: Nodes of a condition that always has the same result, if its names are constants.
_TEST = (
    *(ast.Name, ast.Constant, ast.UnaryOp, ast.BoolOp, ast.Compare),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)


class Unsure(Exception):
    """A text does not have the form that `skip_safety` can prove safe; the message says why."""


@functools.lru_cache(maxsize=512)
def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell; lines such as `!pip` become calls."""
    if len(source) > MAX_CELL_CHARACTERS:
        raise Unsure("a cell is very long")
    if any(line.lstrip()[:1] in ("%", "!") for line in source.splitlines()):
        source = as_python(source)
    return parse_start(source)


@functools.lru_cache(maxsize=512)
def _code(source: str) -> CodeType:
    return compile(parsed(source), "<cell>", "exec", dont_inherit=True)


def _instructions(code: CodeType) -> Iterator[tuple[bool, dis.Instruction]]:
    """Return each instruction of a cell, with whether it is outside of functions and classes."""

    def inside(code: CodeType, outside: bool) -> Iterator[tuple[bool, dis.Instruction]]:
        yield from ((outside, instruction) for instruction in dis.get_instructions(code))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from inside(constant, False)

    return inside(code, True)


@functools.lru_cache(maxsize=512)
def bound_names(source: str) -> frozenset[str]:
    """Return the global names that a cell binds or deletes, also in its functions."""
    at_top, anywhere = ("STORE_NAME", "DELETE_NAME"), ("STORE_GLOBAL", "DELETE_GLOBAL")
    return frozenset(
        one.argval
        for outside, one in _instructions(_code(source))
        if one.opname in anywhere or (outside and one.opname in at_top)
    )


@functools.lru_cache(maxsize=512)
def read_names(source: str) -> frozenset[str]:
    """Return the global names that a cell reads, also in its functions."""
    loads = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
    return frozenset(one.argval for _, one in _instructions(_code(source)) if one.opname in loads)


class Known:
    """The global names of a notebook, with what they stand for."""

    def __init__(self, trees: Iterable[ast.Module]) -> None:
        self.imported: dict[str, set[str]] = {}
        self._kinds: dict[str, set[str]] = {}
        conditions: list[ast.If] = []
        for tree in trees:
            for statement in tree.body:
                if isinstance(statement, ast.If):
                    conditions.append(statement)
                else:
                    self._add(statement)
        for statement in conditions:
            self._add(statement)

    def _is_fixed(self, test: ast.expr) -> bool:
        """Tell whether a condition always has the same result."""
        return all(
            isinstance(node, _TEST)
            and (not isinstance(node, ast.Name) or self.kinds(node.id) == {"constant"})
            for node in ast.walk(test)
        )

    def _add(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.If) and self._is_fixed(statement.test):
            for inner in (*statement.body, *statement.orelse):
                self._add(inner)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for name, path in _imports(statement):
                self.imported.setdefault(name, set()).add(path)
                self._note(name, "import")
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            self._note(statement.name, "own")
        else:
            fixed = isinstance(statement, (ast.Assign, ast.AnnAssign)) and is_constant(
                statement.value
            )
            for node in in_scope(statement):
                for name in bindings(node):
                    self._note(name, "constant" if fixed else "other")

    def _note(self, name: str, kind: str) -> None:
        self._kinds.setdefault(name, set()).add(kind)

    def kinds(self, name: str) -> set[str]:
        """Return how a global name was bound: "import", "own", "constant" or "other"."""
        return self._kinds.get(name, set())

    def paths(self, node: ast.expr, local: Collection[str] = ()) -> set[str]:
        """Return the dotted paths that a name or attribute of an import can stand for."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in local:
            return set()
        return {".".join([path, *parts]) for path in self.imported.get(node.id, ())}


def _imports(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            path = f"{statement.module}.{alias.name}"
            if statement.level or alias.name == "*":
                raise Unsure("an import of unknown names")
            name = alias.asname or alias.name
        else:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            name = alias.asname or path
        if not may_import(path):
            raise Unsure(f"{path} is imported")
        yield name, path


def in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without those of functions, comprehensions and classes in it."""
    yield node
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from in_scope(child)


def bindings(node: ast.AST) -> list[str]:
    """Return the names that a node binds or deletes."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [name for name, _ in _imports(node)]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        return [node.name]
    if isinstance(node, ast.MatchMapping) and node.rest:
        return [node.rest]
    return []


def is_constant(node: ast.expr | None) -> bool:
    """Tell whether an expression is a value that cannot change."""
    if isinstance(node, ast.Tuple):
        return all(map(is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    return node is None or isinstance(node, ast.Constant)
