"""Places in the text of a reference, and edits of that text.

A mutant edits the text, not the syntax tree, so that it differs from the reference in one place
only and can be shown, and listed beside the exercise, as a small edit.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter

#: The statements that define functions.
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Expressions that need no parentheses wherever they stand.
_ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.JoinedStr)
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
#: Nodes whose children need no parentheses.
_LOOSE = (
    ast.stmt,
    ast.Call,
    ast.keyword,
    ast.List,
    ast.Dict,
    ast.Slice,
    ast.comprehension,
    ast.IfExp,
    ast.Tuple,
)

#: Where an expression begins and ends: line, column, last line, last column.
Key = tuple[int, int, int, int]
_place = attrgetter("lineno", "col_offset", "end_lineno", "end_col_offset")


@dataclass
class Seen:
    """The values of one expression while the reference runs the recorded cases.

    Attributes
    ----------
    kinds : set of str
        The names of their types.
    scalars : list of (int or float or str or bool or None)
        The numbers, strings and None among them, in order.
    dtypes, ndims, shapes : set of str and set of int and set of tuple of int
        Of tensors: dtypes, numbers of axes and shapes.
    differentiable : bool
        Whether a gradient of the result reaches any of them.
    """

    kinds: set[str] = field(default_factory=set)
    scalars: list[int | float | str | bool | None] = field(default_factory=list)
    dtypes: set[str] = field(default_factory=set)
    ndims: set[int] = field(default_factory=set)
    shapes: set[tuple[int, ...]] = field(default_factory=set)
    differentiable: bool = False

    @property
    def is_tensor(self) -> bool:
        """True if all values are tensors."""
        return self.kinds == {"Tensor"}

    @property
    def is_float(self) -> bool:
        """True if all values are float tensors."""
        return self.is_tensor and all("float" in dtype for dtype in self.dtypes)

    @property
    def is_bool(self) -> bool:
        """True if all values are boolean tensors."""
        return self.is_tensor and self.dtypes == {"bool"}

    @property
    def is_integer(self) -> bool:
        """True if all values are integer tensors."""
        return self.is_tensor and all("int" in dtype for dtype in self.dtypes)

    @property
    def is_number(self) -> bool:
        """True if all values are Python numbers."""
        return bool(self.kinds) and self.kinds <= {"int", "float"}

    @property
    def known_ndims(self) -> set[int]:
        """The numbers of axes, if more than one shape was seen; else nothing is known of them."""
        return self.ndims if len(self.shapes) > 1 else set()

    @property
    def axes(self) -> int:
        """The largest number of axes of the tensors."""
        return max(self.ndims, default=0)


class Reference:
    """The text of a reference, its syntax tree, and the values of its expressions."""

    def __init__(self, source: str, seen: dict[Key, Seen] | None = None) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self.seen = seen or {}
        self._lines = source.splitlines(keepends=True)
        self._parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def nodes(self) -> list[ast.AST]:
        """Return every node that an operator may edit: no annotations, no parts of f-strings."""
        return list(_editable(self.tree))

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the node that a node is a part of."""
        return self._parents[node]

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the innermost function around a node."""
        while node is not self.tree:
            node = self._parents[node]
            if isinstance(node, FUNCTIONS):
                return node
        return None

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the places where a node's text begins and ends, in characters."""
        line, column, last_line, last_column = key(node)
        return self._offset(line, column), self._offset(last_line, last_column)

    def text(self, node: ast.AST) -> str:
        """Return the text of a node."""
        begin, end = self.span(node)
        return self.source[begin:end]

    def values(self, node: ast.AST) -> Seen:
        """Return what was seen of an expression; empty if it was never evaluated."""
        return self.seen.get(key(node), Seen()) if isinstance(node, ast.expr) else Seen()

    def fitted(self, node: ast.AST, text: str) -> str:
        """Return the text of an expression, in parentheses if it needs them in the place of `node`."""
        if isinstance(node, ast.stmt) or is_atom(text):
            return text
        parent = self.parent(node)
        is_index = isinstance(parent, ast.Subscript) and parent.slice is node
        is_loose = isinstance(parent, _LOOSE) or is_index
        if is_loose and not isinstance(node, ast.GeneratorExp):
            return text
        begin, end = self.span(node)
        in_parentheses = self.source[begin - 1] == "(" and self.source[end : end + 1] == ")"
        return text if in_parentheses else f"({text})"

    def operand(self, node: ast.AST) -> str:
        """Return the text of an expression, in parentheses if a method is to be called on it."""
        text = self.text(node)
        return text if is_atom(text) else f"({text})"

    def rewritten(self, *edits: tuple[ast.AST, str]) -> str:
        """Return the whole source with nodes replaced by texts; "" removes a statement."""
        source = self.source
        for node, text in sorted(edits, key=lambda edit: self.span(edit[0]), reverse=True):
            begin, end = self.span(node)
            if isinstance(node, ast.stmt) and not text:
                begin = source.rfind("\n", 0, begin) + 1
                end = source.find("\n", end) + 1 or len(source)
            elif isinstance(node, ast.expr):
                text = self.fitted(node, text)
            source = source[:begin] + text + source[end:]
        return source

    def _offset(self, line: int, column: int) -> int:
        before = self._starts[line - 1]
        return before + len(self._lines[line - 1].encode()[:column].decode())

    @functools.cached_property
    def _starts(self) -> list[int]:
        starts, total = [], 0
        for line in self._lines:
            starts.append(total)
            total += len(line)
        return starts


@dataclass(frozen=True)
class Site:
    """A node to which an operator is applied."""

    reference: Reference
    node: ast.AST

    @property
    def parent(self) -> ast.AST:
        """The node that this one is a part of."""
        return self.reference.parent(self.node)

    @property
    def text(self) -> str:
        """The text of the node."""
        return self.reference.text(self.node)

    @property
    def seen(self) -> Seen:
        """The values that were seen of the expression."""
        return self.reference.values(self.node)

    @property
    def is_called(self) -> bool:
        """True for the function of a call, as `f` in ``f(x)``."""
        return isinstance(self.parent, ast.Call) and self.parent.func is self.node

    @property
    def is_result(self) -> bool:
        """True if it is returned or assigned, or is an element of a tuple that is."""
        parent = self.parent
        if isinstance(parent, ast.Tuple):
            parent = self.reference.parent(parent)
        return isinstance(parent, (ast.Return, ast.Assign)) and self.node in (
            getattr(parent, "value", None),
            *getattr(getattr(parent, "value", None), "elts", []),
        )

    @property
    def is_returned(self) -> bool:
        """True if it is what a function returns, or an element of a tuple that is."""
        parent = self.parent
        if isinstance(parent, ast.Tuple):
            parent = self.reference.parent(parent)
        return self.is_result and isinstance(parent, ast.Return)

    @property
    def indent(self) -> str:
        """As many blanks as stand before the node."""
        return " " * key(self.node)[1]

    def of(self, node: ast.AST) -> str:
        """Return the text of another node."""
        return self.reference.text(node)

    def operand(self, node: ast.AST | None = None) -> str:
        """Return the text of a node (default: this one), ready for a method call."""
        return self.reference.operand(node or self.node)

    def method(self, call: str) -> str:
        """Return this expression with a call appended, ``x`` -> ``x.call``."""
        return f"{self.operand()}.{call}"

    def with_part(self, part: ast.AST, text: str) -> str:
        """Return the text of this node with one of its parts replaced; "" stands for no text."""
        begin, end = self.reference.span(self.node)
        first, last = self.reference.span(part)
        fitted = self.reference.fitted(part, text) if text and isinstance(part, ast.expr) else text
        return self.reference.source[begin:first] + fitted + self.reference.source[last:end]

    def on(self, node: ast.AST) -> Site:
        """Return the site of another node."""
        return Site(self.reference, node)


#: What an operator yields: the new text of its node, or nodes with their new texts.
Edit = str | tuple[tuple[ast.AST, str], ...]
#: Yields the edits of one site.
Operator = Callable[[Site], Iterator[Edit]]


def key(node: ast.AST) -> Key:
    """Return the place in the text of an expression, a statement or another node that has one."""
    place: Key = _place(node)
    return place


def is_atom(text: str) -> bool:
    """Tell whether an expression's text needs no parentheses in a larger expression."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    enclosed = node.col_offset > 0 and text[0] == "("
    whole = text[0] == "(" and isinstance(node, (ast.Tuple, ast.GeneratorExp))
    return enclosed or whole or isinstance(node, (*_ATOMS, *_DISPLAYS))


def as_number(node: ast.AST) -> int | float | None:
    """Return the value of a number, also with a sign; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = as_number(node.operand)
        return None if value is None else -value
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    return node.value if isinstance(node.value, (int, float)) else None


def _editable(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, ast.JoinedStr):
        return  # before Python 3.12 its parts have no positions
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _editable(child)
