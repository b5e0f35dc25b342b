"""Edits of plain Python: operators, constants, conditions, loops, slices, statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring.audit.equivalent_mutants import (
    is_counter,
    is_guard,
    is_message,
    is_outside,
    is_same_comparison,
    is_same_row,
    is_same_text,
    is_set,
    is_symmetric_operator,
    is_zero,
    loses_sign,
)
from autograder.authoring.audit.one_place_edits import FUNCTIONS, Edit, Operator, Site, as_number
from autograder.authoring.audit.tensor_axes import is_same_axis

_ARITHMETIC = {
    ast.Add: ("+", ["-", "*"]),
    ast.Sub: ("-", ["+"]),
    ast.Mult: ("*", ["/", "+"]),
    ast.Div: ("/", ["*", "//"]),
    ast.FloorDiv: ("//", ["/"]),
    ast.Mod: ("%", ["//"]),
    ast.Pow: ("**", ["*"]),
    ast.MatMult: ("@", ["*"]),
    ast.BitAnd: ("&", ["|"]),
    ast.BitOr: ("|", ["&"]),
}
_NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_COMPARISONS = {
    ast.Lt: ("<", ["<=", ">", "!="]),
    ast.LtE: ("<=", ["<", ">=", "=="]),
    ast.Gt: (">", [">=", "<", "!="]),
    ast.GtE: (">=", [">", "<=", "=="]),
    ast.Eq: ("==", ["!=", ">=", "<="]),
    ast.NotEq: ("!=", ["==", ">", "<"]),
    ast.Is: ("is", ["is not"]),
    ast.IsNot: ("is not", ["is"]),
    ast.In: ("in", ["not in"]),
    ast.NotIn: ("not in", ["in"]),
}


def arithmetic_operator(site: Site) -> Iterator[Edit]:
    """Take another operator, swap the operands, or drop one of them.

    Equal, and not made: operands swapped in a sum, a product, a dot product, or a difference whose
    sign is lost; ``2 + 2`` for ``2 * 2``.
    """
    node = site.node
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return
    symbol, others = _ARITHMETIC[type(node.op)]
    for other in others:
        if not _is_same_number(node, symbol, other):
            yield _with_operator(site, node.left, node.right, symbol, other)
    if isinstance(node.op, _NOT_COMMUTATIVE) and not is_symmetric_operator(site):
        yield f"{site.operand(node.right)} {symbol} {site.operand(node.left)}"
    yield site.of(node.left)
    yield site.of(node.right)


def _is_same_number(node: ast.BinOp, symbol: str, other: str) -> bool:
    """Tell whether two operators give the same number of two numbers."""
    left, right = as_number(node.left), as_number(node.right)
    if left is None or right is None or {symbol, other} != {"*", "+"}:
        return False
    return left * right == left + right


def comparison(site: Site) -> Iterator[Edit]:
    """Take another comparison: an equal value counted in or out.

    Equal, and not made: those of `is_same_comparison`.
    """
    node = site.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        symbol, others = _COMPARISONS[type(node.ops[0])]
        for other in others:
            if not is_same_comparison(site, symbol, other):
                yield _with_operator(site, node.left, node.comparators[0], symbol, other)


def boolean_operator(site: Site) -> Iterator[Edit]:
    """Take `and` for `or`, or drop one of the operands; drop `not` and ``~``."""
    node = site.node
    if isinstance(node, ast.BoolOp):
        symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield _with_operator(site, node.values[0], node.values[1], symbol, other)
        for value in node.values:
            rest = [site.of(other) for other in node.values if other is not value]
            yield f" {symbol} ".join(rest)
    if isinstance(node, ast.UnaryOp) and as_number(node) is None:
        yield site.of(node.operand)


def negated(site: Site) -> Iterator[Edit]:
    """Take the opposite sign or the opposite truth value.

    Equal, and not made: of what only the shape or the square is used, and of zero.
    """
    if is_outside(site) or is_zero(site.node) or loses_sign(site):
        return
    if site.seen.is_bool and not isinstance(site.node, ast.UnaryOp) and not site.is_called:
        yield f"~{site.operand()}"
    elif (site.seen.is_float or site.seen.is_number) and site.is_result:
        yield f"-{site.operand()}"


def constant(site: Site) -> Iterator[Edit]:
    """Take another number, string or truth value.

    Equal, and not made: another number for the same axis, the other end of a tensor for its shape,
    the text of an exception, another spelling of the same, another tiny guard of a divisor.
    """
    node = site.node
    if isinstance(site.parent, ast.UnaryOp) and as_number(site.parent) is not None:
        return  # the number is edited together with its sign
    if is_message(site):
        return
    value = as_number(node)
    if isinstance(value, int):
        near = [value + 1, value - 1, 0, 1, -value]
        for n in (n for n in dict.fromkeys(near) if n != value):
            if not is_same_axis(site, value, n) and not is_same_row(site, value, n):
                yield str(n)
    elif value is not None:
        others: list[float] = [value * 10, value / 10, 0.0, -value] if abs(value) < 0.1 else []
        others = [0.0, -value] if is_guard(site) else others
        others = others or [value + 1, value / 2, value * 2, 0.0, 1.0, -value]
        yield from (repr(n) for n in dict.fromkeys(others) if n != value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        texts = ["", node.value + "x", node.value[::-1], node.value.upper(), node.value[:-1]]
        for text in dict.fromkeys(texts):
            if text != node.value and not is_same_text(site, text):
                yield repr(text)
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.Constant):
                rest = [other for other in node.values if other is not part]
                yield ast.unparse(ast.JoinedStr(rest))


def condition(site: Site) -> Iterator[Edit]:
    """Make a condition always True or always False; drop a filter."""
    node = site.node
    if isinstance(node, (ast.If, ast.IfExp)):
        yield ((node.test, "True"),)
        yield ((node.test, "False"),)
        if not isinstance(node.test, ast.UnaryOp):
            yield ((node.test, f"not {site.operand(node.test)}"),)
    if isinstance(node, ast.While):
        yield ((node.test, "False"),)
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield ((test, "True"),)
            yield ((test, f"not ({site.of(test)})"),)


def branch(site: Site) -> Iterator[Edit]:
    """Drop one branch of an `if`."""
    node = site.node
    if isinstance(node, ast.If) and node.orelse:
        yield ((node.orelse[0], "pass"), *((rest, "") for rest in node.orelse[1:]))
    if isinstance(node, ast.If) and len(node.body) > 1:
        yield ((node.body[0], "pass"), *((rest, "") for rest in node.body[1:]))


def statement(site: Site) -> Iterator[Edit]:
    """Drop a statement; add, subtract or overwrite in an assignment instead."""
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    block = next(
        (
            block
            for name in ("body", "orelse")
            if isinstance(block := getattr(site.parent, name, None), list) and node in block
        ),
        [],
    )
    yield "" if len(block) > 1 else "pass"
    if isinstance(node, ast.AugAssign):
        symbol = _ARITHMETIC[type(node.op)][0]
        target, value = site.of(node.target), site.of(node.value)
        yield f"{target} = {value}"
        for other in _ARITHMETIC[type(node.op)][1]:
            yield f"{target} {other}= {value}"
        yield f"{target} {symbol}= -{site.operand(node.value)}"
    if isinstance(node, ast.Return) and node.value is not None:
        yield "return None"


def earlier_value(site: Site) -> Iterator[Edit]:
    """Return or use a value computed before in place of another of the same type.

    Equal, and not made: another input's `device`, since all tensors of a case are on the CPU.
    """
    node = site.node
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or site.is_called:
        if isinstance(site.parent, ast.Return) and isinstance(node, ast.expr) and site.seen.kinds:
            yield from _alike(site)
        return
    if site.seen.kinds:
        yield from _alike(site)


def _alike(site: Site) -> Iterator[str]:
    """Yield the names known in the function whose values have the same types as this expression's."""
    function = site.reference.function(site.node)
    if function is None or site.seen.kinds == {"module"}:
        return
    is_device = isinstance(site.parent, ast.Attribute) and site.parent.attr == "device"
    inputs = [given.arg for given in function.args.args] if is_device else []
    found: dict[str, None] = {}
    for other in ast.walk(function):
        if (
            isinstance(other, ast.Name)
            and isinstance(other.ctx, ast.Load)
            and other.id not in (site.text, *inputs)
            and (seen := site.reference.values(other)).kinds == site.seen.kinds
            and seen.dtypes == site.seen.dtypes
        ):
            found[other.id] = None
    yield from found


def slice_bounds(site: Site) -> Iterator[Edit]:
    """Begin or end a slice one place off, without a bound, or without its step."""
    node = site.node
    if not isinstance(node, ast.Slice):
        return
    for bound in (node.lower, node.upper):
        if bound is not None and site.text.strip() != ":":
            yield site.with_part(bound, "")
            if as_number(bound) is None:
                yield ((bound, f"{site.operand(bound)} + 1"),)
                yield ((bound, f"{site.operand(bound)} - 1"),)
    if node.step is not None:
        yield site.with_part(node.step, "")
    if node.lower is None and node.upper is not None:
        yield f"1:{site.of(node.upper)}"
    if node.upper is None and node.lower is not None:
        yield f"{site.of(node.lower)}:-1"


def index(site: Site) -> Iterator[Edit]:
    """Take the first element for the last, the next or the previous one.

    Equal, and not made: another number for the same axis of ``x.shape``, or for a row of the same
    shape of which nothing else is used.
    """
    node = site.node
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
        return
    value = as_number(node.slice)
    if value in (0, -1):
        other, place = -1 if value == 0 else 0, site.on(node.slice)
        if not is_same_axis(place, value, other) and not is_same_row(place, value, other):
            yield ((node.slice, str(other)),)
    elif value is None and site.reference.values(node.slice).kinds == {"int"}:
        for change in ("+ 1", "- 1"):
            yield ((node.slice, f"{site.operand(node.slice)} {change}"),)


def loop(site: Site) -> Iterator[Edit]:
    """Make a loop skip its first or last round, stop after the first, or run backwards.

    Equal, and not made: backwards where all elements are put in a set or compared, or their number
    counts alone.
    """
    node = site.node
    if isinstance(node, (ast.For, ast.comprehension)):
        around = f"list({site.of(node.iter)})"
        suffixes = (
            ("[1:]", "[:-1]", "[:1]")
            if _is_unordered(site) or is_counter(site)
            else ("[1:]", "[:-1]", "[:1]", "[::-1]")
        )
        for suffix in suffixes:
            yield ((node.iter, around + suffix),)
    if isinstance(node, (ast.For, ast.While)):
        last = node.body[-1]
        indent = " " * last.col_offset
        yield ((last, f"{site.of(last)}\n{indent}break"),)
    if isinstance(node, ast.Break):
        yield "continue"
    if isinstance(node, ast.Continue):
        yield "break"


def _is_unordered(site: Site) -> bool:
    """Tell whether a loop in a comprehension may run backwards without a difference."""
    around = site.parent
    if not isinstance(site.node, ast.comprehension) or isinstance(around, ast.SetComp):
        return isinstance(around, ast.SetComp)
    call = site.reference.parent(around)
    names = ("max", "min", "sum", "any", "all", "set", "sorted", "len")
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in names:
        return False
    # with a key, the first of several equals is taken
    return all(keyword.arg != "key" for keyword in call.keywords)


def display(site: Site) -> Iterator[Edit]:
    """Drop an element of a list, tuple or dictionary, or swap two neighbours.

    Equal, and not made: swapped in a tuple or list that is read like a set (`is_set`).
    """
    node = site.node
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        texts = [site.of(element) for element in node.elts]
        brackets = "[]" if isinstance(node, ast.List) else "()"
        for i in range(len(texts)):
            if texts[i] == ":" and i == len(texts) - 1:
                continue  # the same index
            yield _joined(texts[:i] + texts[i + 1 :], brackets)
            if i and not is_set(site):
                yield _joined([*texts[: i - 1], texts[i], texts[i - 1], *texts[i + 1 :]], brackets)
    if isinstance(node, ast.Dict):
        for one, two in zip(node.values, node.values[1:]):
            yield ((one, site.of(two)), (two, site.of(one)))
        for i in range(len(node.keys)):
            rest = [(k, v) for j, (k, v) in enumerate(zip(node.keys, node.values)) if j != i]
            yield _joined([f"{site.of(k)}: {site.of(v)}" for k, v in rest if k], "{}")


def list_or_tuple(site: Site) -> Iterator[Edit]:
    """Make a list where the reference has a tuple, and the reverse."""
    node = site.node
    if not site.is_returned:
        return  # elsewhere it makes no difference
    if isinstance(node, (ast.List, ast.Tuple)):
        brackets = "()" if isinstance(node, ast.List) else "[]"
        yield _joined([site.of(element) for element in node.elts], brackets)
    elif site.seen.kinds in ({"list"}, {"tuple"}):
        other = "tuple" if site.seen.kinds == {"list"} else "list"
        yield f"{other}({site.text})"


def shared_default(site: Site) -> Iterator[Edit]:
    """Make a container once, as a default argument, for all calls."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    for inner in node.body:
        if not isinstance(inner, ast.Assign) or not isinstance(inner.targets[0], ast.Name):
            continue
        empty = inner.value
        is_empty = isinstance(empty, (ast.List, ast.Dict)) and site.of(empty) in ("[]", "{}")
        if is_empty or site.of(empty) in ("Counter()", "set()"):
            last = [*node.args.args, *node.args.kwonlyargs][-1]
            default = next(iter(node.args.defaults[-1:]), None)
            argument = f", {inner.targets[0].id}={site.of(empty)}"
            where = default or last
            yield ((where, site.of(where) + argument), (inner, ""))


def _joined(texts: list[str], brackets: str) -> str:
    comma = "," if brackets == "()" and len(texts) == 1 else ""
    return brackets[0] + ", ".join(texts) + comma + brackets[1]


def _with_operator(site: Site, left: ast.AST, right: ast.AST, symbol: str, other: str) -> str:
    """Return the text with the operator between two operands replaced."""
    begin, _ = site.reference.span(site.node)
    _, first = site.reference.span(left)
    last, _ = site.reference.span(right)
    between = site.reference.source[first:last].replace(symbol, other, 1)
    text = site.text
    return text[: first - begin] + between + text[last - begin :]


OPERATORS: tuple[Operator, ...] = (
    *(arithmetic_operator, comparison, boolean_operator, negated, constant, condition, branch),
    *(statement, earlier_value, slice_bounds, index, loop, display, list_or_tuple),
    shared_default,
)
