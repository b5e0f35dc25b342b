"""Edits that equal the reference by construction, which the operators do not make.

Such an edit gives the same result, or only another rounding of it, on every input for which the
reference is defined, whatever cases are written. That it makes no difference in the recorded cases
is not enough: then a case is missing. Two facts are taken from the recorded cases, since the text
of an exercise fixes them: the type of a number (always `int`), and the number of axes of a tensor
that had different shapes in the cases but always as many axes (`Seen.known_ndims`).
"""

from __future__ import annotations

import ast
import builtins

from autograder.authoring.audit.one_place_edits import FUNCTIONS, Site, as_number

_EMPTY = ("zeros", "zeros_like", "new_zeros", "empty", "empty_like")
#: Functions of torch whose result is new and contiguous.
_MAKE_TENSORS = ("tensor", "zeros", "ones", "full", "arange", "linspace", "rand", "randn")
_WITHOUT_PARAMETERS = ("Dropout", "Identity", "ReLU", "GELU", "Tanh", "Sigmoid", "Softmax")
#: What a tensor has apart from its numbers.
_OUTSIDE = ("shape", "ndim", "dtype", "device")
_REDUCTIONS = ("sum", "mean", "amax", "amin", "any", "all", "std", "var")
#: Around a guard against division by 0.
_GUARDS = ("clamp", "clamp_min", "max", "maximum", "sqrt")


def called(node: ast.AST | None) -> str:
    """Return the name of the function or method that is called, without what it belongs to; or ""."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def is_message(site: Site) -> bool:
    """Tell whether it is the text of an exception: a case compares the type of an exception only.

    A `NotImplementedError` is read by its text, as "not written yet".
    """
    call = site.parent
    return has_only_message(site.on(call)) if isinstance(call, ast.Call) else False


def has_only_message(site: Site) -> bool:
    """Tell whether it makes a built-in exception that is raised, from nothing but texts."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(site.parent, ast.Raise):
        return False
    texts = all(
        isinstance(given, ast.JoinedStr)
        or (isinstance(given, ast.Constant) and isinstance(given.value, str))
        for given in node.args
    )
    name = called(node)
    return texts and not node.keywords and name != "NotImplementedError" and hasattr(builtins, name)


def is_symmetric_call(site: Site) -> bool:
    """Tell whether the arguments of a call may be swapped.

    `promote_types` is symmetric. `min` and `max` are, of ints: of 0.0 and -0.0, of 1 and 1.0, and of
    NaN and a number they return whichever comes first.
    """
    node = site.node
    if called(node) == "promote_types":
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return called(node) in ("min", "max") and all(_is_int(site, a) for a in node.args)


def _is_int(site: Site, node: ast.AST) -> bool:
    return type(as_number(node)) is int or site.reference.values(node).kinds == {"int"}


def is_symmetric_operator(site: Site) -> bool:
    """Tell whether the operands may be swapped: a dot product, or a difference that loses its sign."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        sides = (site.reference.values(side).known_ndims for side in (node.left, node.right))
        return all(ndims == {1} for ndims in sides)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and loses_sign(site)


def loses_sign(site: Site) -> bool:
    """Tell whether only the absolute value or the square of an expression is ever used.

    -x and x, and a - b and b - a, are of the same size exactly, also in floats and in their
    gradients. Unsigned integers are left out: there the absolute value is the number itself.
    """
    seen = site.seen
    has_sign = (
        seen.is_float or seen.is_number or (seen.dtypes and seen.dtypes <= {"int64", "int32"})
    )
    return bool(has_sign) and all(_is_even(site.on(use)) for use in uses(site))


def _is_even(site: Site) -> bool:
    parent = site.parent
    if (
        isinstance(parent, ast.BinOp)
        and isinstance(parent.op, ast.Pow)
        and parent.left is site.node
    ):
        return as_number(parent.right) == 2
    if isinstance(parent, ast.Attribute):
        call = site.reference.parent(parent)
        is_called = isinstance(call, ast.Call) and call.func is parent and not call.args
        return is_called and parent.attr in ("abs", "square")
    is_call = isinstance(parent, ast.Call) and len(parent.args) == 1
    return is_call and called(parent) in ("abs", "square")


def uses(site: Site) -> list[ast.AST]:
    """Return where a value goes: the uses of the only name it is given, or the expression itself."""
    node, parent = site.node, site.parent
    function = site.reference.function(node)
    if not isinstance(parent, ast.Assign) or parent.value is not node or function is None:
        return [node]
    target = parent.targets[0]
    if len(parent.targets) > 1 or not isinstance(target, ast.Name):
        return [node]
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == target.id]
    loads: list[ast.AST] = [n for n in names if isinstance(n.ctx, ast.Load)]
    is_parameter = any(n.arg == target.id for n in ast.walk(function) if isinstance(n, ast.arg))
    once = len(names) == len(loads) + 1 and not is_parameter
    return loads if once and loads else [node]


def is_reduced(site: Site) -> bool:
    """Tell whether only the sum or mean over all axes of a tensor is ever used.

    Axes of size 1 more or less leave its numbers and their order as they are.
    """
    return site.seen.is_tensor and all(_is_reduced(site.on(use)) for use in uses(site))


def _is_reduced(site: Site) -> bool:
    parent = site.parent
    if not isinstance(parent, ast.Attribute):
        return False
    call = site.reference.parent(parent)
    is_whole = isinstance(call, ast.Call) and call.func is parent and not call.args + call.keywords
    return is_whole and parent.attr in ("sum", "mean")


def is_outside(site: Site) -> bool:
    """Tell whether only the shape, dtype or device of an expression is used, not its numbers."""
    parent = site.parent
    if isinstance(parent, ast.Attribute):
        return parent.attr in _OUTSIDE
    is_only_one = isinstance(parent, ast.Call) and parent.args == [site.node]
    return is_only_one and called(parent) in ("zeros_like", "ones_like", "empty_like")


def is_same_row(site: Site, one: float | None, two: float) -> bool:
    """Tell whether the first and the last row of a tensor are alike: only their shape is used."""
    row = site.parent
    if not isinstance(row, ast.Subscript) or row.slice is not site.node or {one, two} != {0, -1}:
        return False
    return site.reference.values(row.value).is_tensor and is_outside(site.on(row))


def is_zero(node: ast.AST) -> bool:
    """Tell whether an expression makes zeros, or a tensor with any content.

    -0.0 equals 0.0, and adding it to any number gives that number; a sign less makes undefined
    content no more defined.
    """
    name = called(node)
    if name == "tensor" and isinstance(node, ast.Call) and node.args:
        return as_number(node.args[0]) == 0
    return name in _EMPTY or as_number(node) == 0


def is_same_comparison(site: Site, symbol: str, other: str) -> bool:
    """Tell whether another comparison of the same operands is always True together with this one.

    Nothing is below minus infinity or above infinity; NaN is neither equal to it nor beyond it. A
    length, and the remainder of an integer by a positive number, are integers of 0 or more.
    """
    node = site.node
    if not isinstance(node, ast.Compare):
        return False
    left, right = node.left, node.comparators[0]
    ends = {f"{end}float({quote}inf{quote})" for end in ("-", "") for quote in ("'", '"')}
    ends |= {f"{end}{where}.inf" for end in ("-", "") for where in ("math", "torch", "np")}
    if site.of(right) in ends:
        return symbol == "==" and other == ("<=" if site.of(right)[0] == "-" else ">=")
    if as_number(right) != 0 or {symbol, other} not in ({"==", "<="}, {"!=", ">"}):
        return False
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        of_integers = _is_int(site, left.left) or site.reference.values(left.left).is_integer
        return of_integers and (as_number(left.right) or 0) > 0
    return called(left) in ("len", "numel")


def is_same_text(site: Site, other: str) -> bool:
    """Tell whether a text may be replaced by another: ``float("INF")``, other letters in an einsum."""
    call, node = site.parent, site.node
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    text = node.value
    if called(call) == "float":
        try:
            return float(other) == float(text)
        except ValueError:
            return False
    return called(call) == "einsum" and _letters_in_order(other) == _letters_in_order(text)


def _letters_in_order(text: str) -> str:
    """Return the text with a, b, ... for its letters as they come, since an einsum's names are free."""
    letters = dict.fromkeys(letter for letter in text if letter.isalpha())
    return text.translate({ord(letter): chr(97 + i) for i, letter in enumerate(letters)})


def is_guard(site: Site) -> bool:
    """Tell whether it is a tiny number that keeps a divisor from being 0, as in ``x / norm.clamp(1e-12)``.

    Its order of magnitude is a choice that no text asks for: it decides about divisors that are as
    tiny themselves, and about no digit of any other quotient. In a logarithm it would be seen.
    """
    value, node = as_number(site.node), site.node
    if not isinstance(value, float) or not 0 < value < 1e-6:
        return False
    while not isinstance(parent := site.reference.parent(node), ast.stmt):
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Div):
            return parent.right is node
        is_sum = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)
        is_around = isinstance(parent, (ast.keyword, ast.Attribute)) or called(parent) in _GUARDS
        if not (is_sum or is_around):
            return False
        node = parent
    return False


def is_set(site: Site) -> bool:
    """Tell whether the order of a tuple or list does not count.

    In ``x in (a, b)``, in ``isinstance(x, (A, B))``, in ``except (A, B)``, and as the axes over
    which a tensor is reduced.
    """
    node, parent = site.node, site.parent
    if isinstance(parent, ast.Compare):
        is_in = isinstance(parent.ops[-1], (ast.In, ast.NotIn))
        return is_in and parent.comparators[-1] is node
    if isinstance(parent, ast.keyword):
        call = site.reference.parent(parent)
        is_alone = isinstance(call, ast.Call) and not call.args and len(call.keywords) == 1
        is_norm = is_alone and called(call) == "norm"
        return parent.arg in ("dim", "axis") and (called(call) in _REDUCTIONS or is_norm)
    if isinstance(parent, ast.ExceptHandler):
        return parent.type is node
    is_last = isinstance(parent, ast.Call) and parent.args[-1:] == [node]
    return is_last and called(parent) in ("isinstance", "issubclass")


def is_counter(site: Site) -> bool:
    """Tell whether a loop over a `range` does not use its numbers: as many rounds, in any order."""
    loop, around = site.node, site.reference.tree
    if not isinstance(loop, (ast.For, ast.AsyncFor, ast.comprehension)):
        return False
    if called(loop.iter) != "range" or not isinstance(loop.target, ast.Name):
        return False
    names = (n for n in ast.walk(around) if isinstance(n, ast.Name) and n.id == loop.target.id)
    return all(isinstance(n.ctx, ast.Store) for n in names)


def adds_leading_axes(site: Site) -> bool:
    """Tell whether an index, as in ``a[None, :]``, adds axes in front that broadcasting adds anyway.

    The other operand has at least as many axes.
    """
    node, parent = site.node, site.parent
    if not isinstance(node, ast.Subscript) or not isinstance(parent, (ast.BinOp, ast.Compare)):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    places = [":" if isinstance(p, ast.Slice) else site.of(p) for p in parts]
    plain = all(p.lower is p.upper is p.step is None for p in parts if isinstance(p, ast.Slice))
    if not plain or places != sorted(places, reverse=True) or set(places) - {"None", ":"}:
        return False
    if "None" not in places or (
        isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult)
    ):
        return False
    if isinstance(parent, ast.Compare):
        other = parent.comparators[0] if parent.left is node else parent.left
    else:
        other = parent.right if parent.left is node else parent.left
    mine, theirs = site.seen.known_ndims, site.reference.values(other).known_ndims
    return bool(mine and theirs) and max(mine) <= min(theirs)


def is_same_method(site: Site, other: str) -> bool:
    """Tell whether another method does the same here.

    `reshape` does what `view` does wherever `view` works, and `view` works on a tensor that has just
    been made. `setdefault` reads like `get` from a dictionary that is made for it alone.
    """
    node, call = site.node, site.parent
    if not isinstance(node, ast.Attribute) or not isinstance(call, ast.Call):
        return False
    if call.func is not node:
        return False
    if (node.attr, other) == ("view", "reshape"):
        return not any(site.of(given).startswith("torch.") for given in call.args)  # no dtype
    if (node.attr, other) == ("reshape", "view"):
        is_torch = isinstance(node.value, ast.Call) and site.of(node.value.func)[:6] == "torch."
        return is_torch and called(node.value) in _MAKE_TENSORS
    return (node.attr, other) == ("get", "setdefault") and isinstance(node.value, ast.Dict)


def is_constant(site: Site) -> bool:
    """Tell whether an expression has one value: a sum of numbers, a global in capitals or of a class."""
    node = site.node
    parts = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if all(isinstance(part, parts) for part in ast.walk(node)):
        return True
    base = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(base, ast.Name) or _is_local(site, base.id):
        return False
    return base.id[0].isupper() if isinstance(node, ast.Attribute) else base.id.isupper()


def _is_local(site: Site, name: str) -> bool:
    for node in ast.walk(site.reference.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
            return True
    return False


def has_no_parameters(name: str) -> bool:
    """Tell whether a layer of `torch.nn` has no parameters, so that nothing in it can be trained."""
    return name in _WITHOUT_PARAMETERS
