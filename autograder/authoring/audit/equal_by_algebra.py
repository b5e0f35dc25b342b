"""Reasons why a mutant that was made equals its reference on every input that is allowed.

`equivalent_mutants` keeps operators from making some edits. The reasons here are looked for after a
mutant has survived: they follow a value through the function to all of its uses. Each holds by
itself, up to the rounding of floats, so that a mutant with a reason never loses points.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from autograder.authoring.audit.equivalent_mutants import called, uses
from autograder.authoring.audit.input_facts import Facts, Label
from autograder.authoring.audit.mutants import Mutant
from autograder.authoring.audit.one_place_edits import FUNCTIONS, Reference, Site, as_number

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
#: Methods whose result has the numbers of the tensor, or is as free of its type.
_KEEP_TYPE = ("sum", "amax", "amin", "cumsum", "clamp", "unsqueeze", "squeeze", "reshape", "view")
#: Methods whose result does not depend on the type of the numbers.
_LOSE_TYPE = ("any", "all", "float", "bool", "double")
#: Functions of all elements, in any order.
_ANY_ORDER = ("max", "min", "sum", "any", "all", "set", "frozenset", "sorted", "len")
_OF_CHANCE = re.compile("generator|rng|rand|shuffle|next|pop|yield|print", re.IGNORECASE)


def reason(reference: Reference, mutant: Mutant, facts: Facts | None = None) -> str:
    """Return why a mutant equals its reference, as a sentence; "" if no reason is known.

    Parameters
    ----------
    facts : Facts, optional
        What the drawn cases have in common; without it, nothing is known of the inputs' sizes.
    """
    if len(mutant.edits) != 1:
        return ""
    (node, text) = mutant.edits[0]
    site = Site(reference, node)
    for rule in _RULES:
        if found := rule(site, text):
            return found
    return _equal_sizes(site, text, facts) if facts is not None else ""


def _converted_input(site: Site, text: str) -> str:
    """Return the reason for ``mask = mask.float()`` in front of a function that only calculates."""
    made = re.match(r"(\w+) = \1\.(float|long)\(\)\n", text)
    function = site.reference.function(site.node)
    if made is None or function is None:
        return ""
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == made[1]]
    if any(isinstance(n.ctx, ast.Store) for n in loads):
        return ""
    seen = [site.reference.values(n) for n in loads if site.reference.values(n).kinds]
    is_mask = bool(seen) and all(s.is_bool for s in seen)
    is_whole = bool(seen) and all(s.is_integer for s in seen) and made[2] == "float"
    if not (is_mask or is_whole) or not all(_is_any_number(site.on(n)) for n in loads):
        return ""
    if is_whole and any(isinstance(n, ast.Compare) for n in ast.walk(function)):
        return ""  # of numbers above 2**24, float32 takes some for equal
    return f"All that is calculated with {made[1]} is the same for numbers of another type."


def _converted_number(site: Site, text: str) -> str:
    """Return the reason for ``float(n)`` and for the conversions that it makes superfluous."""
    seen = site.seen
    added = text == f"float({site.text})" and seen.kinds == {"int"}
    inner = site.node.args[0] if isinstance(site.node, ast.Call) and site.node.args else None
    dropped = (
        isinstance(site.node, ast.Call)
        and called(site.node) == "float"
        and isinstance(site.node.func, ast.Name)
        and inner is not None
        and text == site.of(inner)
        and site.reference.values(inner).kinds == {"int"}
    )
    if (added or dropped) and all(_is_any_number(site.on(use)) for use in uses(site)):
        return "A whole number is the same as a float."
    return ""


def _is_any_number(site: Site) -> bool:
    """Tell whether the type of a whole number, or of a tensor of them, makes no difference."""
    node, parent = site.node, site.parent
    if isinstance(parent, ast.Assign):
        own = uses(site)
        return own != [node] and all(_is_any_number(site.on(use)) for use in own)
    if isinstance(parent, ast.Compare):
        ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        return all(isinstance(symbol, ordered) for symbol in parent.ops)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, _ARITHMETIC):
        operand = parent.right if parent.left is node else parent.left
        other = site.reference.values(operand)
        if isinstance(as_number(operand), float):
            return True
        if as_number(operand) is not None and site.seen.kinds == {"int"}:
            return isinstance(parent.op, ast.Div)
        if site.seen.kinds == {"int"} and other.kinds == {"int"}:
            return isinstance(parent.op, ast.Div)
        return other.kinds == {"float"} or _is_usual_float(site.on(parent), other)
    if isinstance(parent, ast.Attribute) and parent.value is node:
        call = site.reference.parent(parent)
        if parent.attr in ("shape", "ndim", "device"):
            return True
        if not isinstance(call, ast.Call) or call.func is not parent:
            return parent.attr in ("T", "mT") and _is_any_number(site.on(parent))
        if any(keyword.arg == "dtype" for keyword in call.keywords):
            return False
        if parent.attr in _LOSE_TYPE:
            return True
        return parent.attr in _KEEP_TYPE and _is_any_number(site.on(call))
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_any_number(site.on(parent))
    return called(parent) in ("len", "float") and isinstance(parent, ast.Call)


def _is_usual_float(site: Site, other: object) -> bool:
    """Tell whether a result with another operand is of float32 or float64, as that operand is."""
    dtypes: set[str] = getattr(other, "dtypes", set())
    ndims: set[int] = getattr(other, "ndims", set())
    is_float = getattr(other, "is_float", False) and dtypes <= {"float32", "float64"}
    return bool(is_float and site.seen.dtypes == dtypes and min(ndims, default=0) >= 1)


def _restored_axis(site: Site, text: str) -> str:
    """Return the reason for ``x.squeeze()`` of a vector that is only combined with other vectors."""
    if text != site.method("squeeze()") or site.seen.known_ndims != {1}:
        return ""
    function = site.reference.function(site.node)
    loops = (ast.For, ast.While, ast.comprehension, *FUNCTIONS)
    if function is None or any(
        isinstance(n, loops) and n is not function for n in ast.walk(function)
    ):
        return ""
    if all(_is_broadcast(site.on(use), site) for use in uses(site)):
        return "Broadcasting restores the axis that a vector of one number loses."
    return ""


def _is_broadcast(use: Site, changed: Site) -> bool:
    parent = use.parent
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, _ARITHMETIC):
        other = parent.right if parent.left is use.node else parent.left
    else:
        return False
    theirs = use.reference.values(other)
    same_type = theirs.is_float and (
        changed.seen.is_integer or changed.seen.dtypes == theirs.dtypes
    )
    names = [n for n in ast.walk(other) if isinstance(n, ast.Name)]
    earlier = all(_is_older(changed, name) for name in names)
    is_other = other is not changed.node and not any(n is changed.node for n in ast.walk(other))
    return same_type and min(theirs.known_ndims, default=0) >= 1 and earlier and is_other


def _is_older(changed: Site, name: ast.Name) -> bool:
    """Tell whether a name has got its value before an expression, on which it cannot depend."""
    function = changed.reference.function(changed.node)
    line = getattr(changed.node, "lineno", 0)
    stores = (
        n
        for n in ast.walk(function or changed.reference.tree)
        if isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Store)
    )
    return all(n.lineno < line for n in stores)


def _any_order(site: Site, text: str) -> str:
    """Return the reason for a loop backwards: it adds up, or its elements are used as a set."""
    loop = (
        site.reference.parent(site.node) if not isinstance(site.node, ast.comprehension) else None
    )
    if text != f"list({site.text})[::-1]":
        return ""
    sentence = "The order of the rounds does not matter."
    if isinstance(loop, ast.For) and loop.iter is site.node:
        return sentence if not loop.orelse and _adds_up(site.on(loop)) else ""
    if isinstance(loop, ast.comprehension) and loop.iter is site.node:
        around = site.reference.parent(loop)
        if not isinstance(around, (ast.ListComp, ast.GeneratorExp)) or len(around.generators) > 1:
            return ""
        if _OF_CHANCE.search(site.of(around)):
            return ""
        own = uses(site.on(around))
        return sentence if all(_is_unordered(site.on(use)) for use in own) else ""
    return ""


def _is_unordered(site: Site) -> bool:
    """Tell whether a list is only asked for what does not depend on its order."""
    parent = site.parent
    if isinstance(parent, (ast.IfExp, ast.If, ast.While)):
        return parent.test is site.node
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    if not isinstance(parent, ast.Call) or not isinstance(parent.func, ast.Name):
        return False
    has_key = any(keyword.arg == "key" for keyword in parent.keywords)
    if parent.func.id in ("max", "min", "sorted") and _is_mixed(site):
        return False
    return parent.func.id in _ANY_ORDER and parent.args[:1] == [site.node] and not has_key


def _is_mixed(site: Site) -> bool:
    """Tell whether the elements may be equal and yet different, as 1, 1.0 and True are."""
    comprehension = site.node
    if not isinstance(comprehension, (ast.ListComp, ast.GeneratorExp)):
        return True
    return len(site.reference.values(comprehension.elt).kinds) != 1


def _adds_up(site: Site) -> bool:
    """Tell whether a loop does nothing but add to numbers that it does not read otherwise."""
    loop = site.node
    assert isinstance(loop, ast.For)
    if _OF_CHANCE.search(site.text):
        return False
    sums: set[str] = set()
    for statement in _plain_statements(loop.body):
        if not isinstance(statement, ast.AugAssign) or not isinstance(
            statement.op, (ast.Add, ast.Sub)
        ):
            return False
        target = statement.target
        base = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(base, ast.Name) or not _is_sum(site, base.id, target):
            return False
        sums.add(base.id)
    inside = [n for part in (loop.iter, loop.target, *loop.body) for n in ast.walk(part)]
    loads = [n for n in inside if isinstance(n, ast.Name) and n.id in sums]
    targets = [n for n in inside if isinstance(n, ast.AugAssign)]
    if len(loads) != len(targets):
        return False
    # what the last round leaves in the loop's own names must not be used afterwards
    own = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    function = site.reference.function(loop) or site.reference.tree
    outside = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in own)
    return all(any(n is other for other in inside) for n in outside)


def _plain_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block and of the conditions in it."""
    found: list[ast.stmt] = []
    for statement in body:
        inner = [*statement.body, *statement.orelse] if isinstance(statement, ast.If) else []
        found += _plain_statements(inner) if inner else [statement]
    return found


def _is_sum(site: Site, name: str, target: ast.AST) -> bool:
    """Tell whether a name stands for a number or a tensor, not for a list, a text or a dictionary."""
    function = site.reference.function(site.node) or site.reference.tree
    loads = (
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    )
    kinds = {kind for n in loads for kind in site.reference.values(n).kinds}
    if isinstance(target, ast.Subscript):
        return kinds == {"Tensor"}
    return bool(kinds) and kinds <= {"int", "float", "Tensor"}


def _count_compared(site: Site, text: str) -> str:
    """Return the reason for ``n != 0`` instead of ``n > 0`` of what is never negative."""
    node = site.node
    if (
        not isinstance(node, ast.Compare)
        or len(node.ops) != 1
        or as_number(node.comparators[0]) != 0
    ):
        return ""
    left = site.of(node.left)
    pairs = ({">", "!="}, {"==", "<="})
    symbols = {ast.Gt: ">", ast.NotEq: "!=", ast.Eq: "==", ast.LtE: "<="}
    symbol = symbols.get(type(node.ops[0]), "")
    other = text.removeprefix(left).removesuffix(site.of(node.comparators[0])).strip()
    if {symbol, other} in pairs and _is_count(site.on(node.left)):
        return "A count is never negative."
    return ""


def _is_count(site: Site) -> bool:
    """Tell whether an expression is a whole number, or a tensor of them, of 0 or more."""
    node = site.node
    if site.seen.is_bool or site.seen.kinds == {"bool"}:
        return True
    if isinstance(node, ast.Name):
        function = site.reference.function(node) or site.reference.tree
        stores = [
            n
            for n in ast.walk(function)
            if (isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store))
            or (isinstance(n, ast.arg) and n.arg == node.id)
        ]
        parent = site.reference.parent(stores[0]) if len(stores) == 1 else None
        return isinstance(parent, ast.Assign) and _is_count(site.on(parent.value))
    if isinstance(node, ast.Subscript):
        return _is_count(site.on(node.value))
    name = called(node)
    if name in ("len", "numel"):
        return True
    if name == "count" and site.seen.kinds == {"int"}:
        return True
    if name not in ("sum", "unsqueeze", "squeeze", "reshape", "view"):
        return False
    method = node.func if isinstance(node, ast.Call) else None
    is_whole = isinstance(method, ast.Attribute) and site.seen.is_integer
    return is_whole and _is_count(site.on(method.value))  # type: ignore[union-attr]


def _equal_lengths(site: Site, text: str) -> str:
    """Return the reason for ``len(x)`` where the reference has ``len(sorted(x))``."""
    node, parent = site.node, site.parent
    if not isinstance(node, ast.Name) or called(parent) != "len" or not text.isidentifier():
        return ""
    one, two = _origin(site, node.id), _origin(site, text)
    return "Both have one length." if one and one == two else ""


def _origin(site: Site, name: str) -> str:
    """Return the name of the list with whose length another one was made; "" if it may change."""
    function = site.reference.function(site.node)
    if function is None:
        return ""
    stores = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    ]
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    for load in loads:
        user = site.reference.parent(load)
        if isinstance(user, (ast.Attribute, ast.Delete)):
            return ""  # a method may change it
        if isinstance(user, ast.Subscript) and not isinstance(user.ctx, ast.Load):
            return ""
    if not stores:
        return name
    made = site.reference.parent(stores[0])
    if len(stores) > 1 or not isinstance(made, ast.Assign) or len(made.targets) > 1:
        return ""
    value = made.value
    is_copy = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    if is_copy and called(value) in ("sorted", "list", "tuple") and isinstance(value, ast.Call):
        source = value.args[0] if value.args else None
    elif isinstance(value, ast.ListComp) and len(value.generators) == 1:
        source = value.generators[0].iter if not value.generators[0].ifs else None
    else:
        source = None
    is_list = site.reference.values(source).kinds <= {"list", "tuple"} if source else False
    return _origin(site, source.id) if isinstance(source, ast.Name) and is_list else ""


def _equal_sizes(site: Site, text: str, facts: Facts) -> str:
    """Return the reason for the size of another input that always has the same one."""
    node, parent = site.node, site.parent
    function = site.reference.function(node)
    if not isinstance(node, ast.Name) or not text.isidentifier() or function is None:
        return ""
    axis: int | float | None = 0 if called(parent) == "len" else None
    if isinstance(parent, ast.Attribute) and parent.attr == "shape":
        around = site.reference.parent(parent)
        axis = as_number(around.slice) if isinstance(around, ast.Subscript) else None
    names = [given.arg for given in function.args.args if given.arg != "self"]
    stored = {
        n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    if not isinstance(axis, int) or axis < 0 or {node.id, text} & stored:
        return ""
    if node.id not in names or text not in names:
        return ""
    places = [_labels(function, names.index(name)) for name in (node.id, text)]
    for one, two in zip(*places):
        for symbol in facts.symbols:
            if (one, axis) in symbol and (two, axis) in symbol and facts.varies((one, axis)):
                return "Both inputs have one size there in all drawn cases."
    return ""


def _labels(function: ast.FunctionDef | ast.AsyncFunctionDef, place: int) -> list[Label]:
    method = "__call__" if function.name == "forward" else function.name
    return [("args", place), ("then", method, place)]


_RULES: tuple[Callable[[Site, str], str], ...] = (
    *(_converted_input, _converted_number, _restored_axis, _any_order, _count_compared),
    _equal_lengths,
)
