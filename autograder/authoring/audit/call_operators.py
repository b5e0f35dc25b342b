"""Edits of calls: arguments, keywords, axes, neighbouring functions, and values that were seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring.audit.equivalent_mutants import (
    adds_leading_axes,
    called,
    has_only_message,
    is_constant,
    is_reduced,
    is_same_method,
    is_symmetric_call,
)
from autograder.authoring.audit.one_place_edits import FUNCTIONS, Edit, Operator, Site, as_number
from autograder.authoring.audit.tensor_axes import AXES, is_default_axis, is_same_axis

#: Numbers whose repr is no expression.
_NOT_PYTHON = ("inf", "-inf", "nan")
#: Groups of functions and methods that are mistaken for one another.
_NEIGHBORS = (
    *(("max", "min"), ("amax", "amin"), ("argmax", "argmin"), ("sum", "mean", "prod")),
    *(("log", "log1p", "log2", "log10"), ("exp", "expm1"), ("sqrt", "square", "rsqrt")),
    *(("softmax", "log_softmax", "sigmoid"), ("relu", "gelu", "tanh", "sigmoid")),
    *(("ones", "zeros", "rand"), ("ones_like", "zeros_like", "rand_like")),
    *(("randn", "rand"), ("std", "var"), ("norm", "sum"), ("any", "all"), ("tril", "triu")),
    *(("append", "extend"), ("sin", "cos"), ("logsumexp", "sum"), ("logsigmoid", "sigmoid")),
    *(("removeprefix", "removesuffix", "lstrip"), ("partition", "rpartition")),
    *(("startswith", "endswith"), ("sorted", "list"), ("update", "subtract"), ("abs", "relu")),
    *(("view", "reshape"), ("stack", "cat"), ("long", "float", "bool"), ("eval", "train")),
    *(("square", "abs"), ("split", "chunk"), ("floor", "ceil", "round"), ("sign", "abs")),
    *(("setdefault", "get"), ("upper", "lower"), ("unsqueeze", "squeeze")),
)
#: Methods whose names with an underscore change the tensor in place.
_IN_PLACE = (
    *("masked_fill", "clamp", "exp", "sqrt", "square", "relu", "tanh", "sigmoid", "abs", "neg"),
    *("log", "unsqueeze", "squeeze", "transpose", "sub", "add", "mul", "div", "tril"),
)


def argument(site: Site) -> Iterator[Edit]:
    """Drop an argument, or swap two neighbours.

    Equal, and not made: the text of an exception or a `device` dropped (all tensors of a case are on
    the CPU), an axis that is the default, and arguments swapped where `is_symmetric_call` holds.
    """
    node = site.node
    if not isinstance(node, ast.Call) or site.text == "super().__init__()":
        return
    if has_only_message(site):
        return
    texts = [site.of(a) for a in (*node.args, *node.keywords)]
    for i, given in enumerate((*node.args, *node.keywords)):
        is_equal = isinstance(given, ast.keyword) and (
            given.arg == "device" or is_default_axis(site, given)
        )
        if not is_equal:
            yield _called(site, texts[:i] + texts[i + 1 :])
    symmetric = ("transpose", "swapaxes", "maximum", "minimum")
    swapped = called(node) not in symmetric and not is_symmetric_call(site)
    for i in range(1, len(node.args) if swapped else 0):
        yield _called(site, [*texts[: i - 1], texts[i], texts[i - 1], *texts[i + 1 :]])


def wrapper(site: Site) -> Iterator[Edit]:
    """Drop a call, ``f(x)`` or ``x.f()`` -> ``x``, or an index or attribute.

    Equal, and not made: without `cpu()`, since all tensors of a case are on the CPU, and without an
    axis in front that broadcasting adds.
    """
    node = site.node
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and site.text != "super().__init__()":
            kinds = site.reference.values(node.func.value).kinds
            is_object = kinds and kinds != {"module"} and site.of(node.func.value) != "self"
            if is_object and node.func.attr != "cpu":
                yield site.of(node.func.value)
        for given in node.args:
            if not isinstance(given, (ast.Constant, ast.Starred, ast.GeneratorExp)):
                yield site.of(given)
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and not adds_leading_axes(site)
    ):
        yield site.of(node.value)
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "values", "indices"):
        yield site.of(node.value)


def axis(site: Site) -> Iterator[Edit]:
    """Take another axis, or none; `keepdim` is dropped with it."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg in AXES:
            given = as_number(keyword.value)
            for other in (-1, 0, 1, -2, 2):
                if given != other and not is_same_axis(site.on(keyword.value), given, other):
                    yield ((keyword.value, str(other)),)
    axes = [keyword for keyword in node.keywords if keyword.arg in AXES]
    if axes and not is_default_axis(site, axes[0]):
        rest = [k for k in node.keywords if k.arg not in (*AXES, "keepdim")]
        yield _called(site, [site.of(part) for part in (*node.args, *rest)])


def flag(site: Site) -> Iterator[Edit]:
    """Add or turn around a keyword that changes how a function works."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name, given = called(node), {keyword.arg for keyword in node.keywords}
    added = {
        "sorted": "reverse=True",
        "sort": "reverse=True",
        "argsort": "descending=True",
        "std": "unbiased=True",
        "var": "unbiased=False",
        "gelu": 'approximate="tanh"',
        "Linear": "bias=False",
        "LayerNorm": "elementwise_affine=False",
        "sum": "keepdim=True",
        "mean": "keepdim=True",
    }.get(name)
    if added and added.partition("=")[0] not in given:
        axes = [k for k in node.keywords if k.arg in AXES]
        if added == "keepdim=True" and (not axes or as_number(axes[0].value) == 0):
            return  # for axis 0, broadcasting gives the same
        if added == "keepdim=True" and is_reduced(site):
            return
        if name == "gelu" and site.is_called:
            return
        yield _called(site, [*(site.of(a) for a in (*node.args, *node.keywords)), added])


def neighbor(site: Site) -> Iterator[Edit]:
    """Call a function or method that is mistaken for this one.

    Equal, and not made: those of `is_same_method`.
    """
    node = site.node
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    is_function = site.is_called or isinstance(site.parent, (ast.Dict, ast.keyword))
    if not isinstance(node, (ast.Name, ast.Attribute)) or not is_function:
        return
    for group in _NEIGHBORS:
        for other in group if name in group else ():
            if other != name and not is_same_method(site, other):
                yield site.text.removesuffix(name) + other
    if name == "extend":
        yield site.text.removesuffix(name) + "append"


def in_place(site: Site) -> Iterator[Edit]:
    """Change an input or an earlier value in place."""
    node = site.node
    if isinstance(node, ast.Attribute) and site.is_called and node.attr in _IN_PLACE:
        is_tensor = site.reference.values(node.value).is_tensor
        if is_tensor and _is_kept(site, node.value):
            yield f"{site.text}_"
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        target, value = node.targets[0], node.value
        symbols = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
        if type(value.op) in symbols and site.of(target) == site.of(value.left):
            yield f"{site.of(target)} {symbols[type(value.op)]}= {site.of(value.right)}"


def in_place_operator(site: Site) -> Iterator[Edit]:
    """Write ``x - y`` as ``x.sub_(y)``, which changes x."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and site.seen.is_tensor:
        methods = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
        is_tensor = site.reference.values(node.left).is_tensor
        if type(node.op) in methods and is_tensor and _is_kept(site, node.left):
            yield f"{node.left.id}.{methods[type(node.op)]}({site.of(node.right)})"


def _is_kept(site: Site, node: ast.AST) -> bool:
    """Tell whether a value exists outside the expression: an input, an attribute, a name read twice."""
    if isinstance(node, ast.Attribute):
        return True
    function = site.reference.function(site.node)
    if not isinstance(node, ast.Name) or function is None:
        return False
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == node.id]
    stored = [n for n in loads if isinstance(n.ctx, ast.Store)]
    return not stored or len(loads) - len(stored) > 1


def seen_value(site: Site) -> Iterator[Edit]:
    """Hard-code an expression to a value that it has in the recorded cases.

    Equal, and not made: the value of what is constant in the notebook, too.
    """
    node = site.node
    if is_constant(site):
        return
    if isinstance(node, ast.Constant) or not site.seen.kinds or not site.seen.scalars:
        return
    if as_number(node) is not None or isinstance(site.parent, (ast.Starred, ast.Expr)):
        return
    values = site.seen.scalars
    for value in dict.fromkeys(map(repr, (values[0], max(values, key=values.count)))):
        if value not in _NOT_PYTHON:
            yield value


def parameter(site: Site) -> Iterator[Edit]:
    """Ignore a parameter: take its value in the recorded cases, or its default."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    defaults = dict(
        zip(reversed([a.arg for a in node.args.args]), reversed(node.args.defaults), strict=False)
    )
    for given in node.args.args:
        uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == given.arg]
        values = [v for use in uses for v in site.reference.values(use).scalars]
        texts = [text for text in map(repr, values) if text not in _NOT_PYTHON]
        for text in dict.fromkeys([*texts[:1], *_most_common(texts)]):
            yield site_with_first(site, f"{given.arg} = {text}")
        if given.arg in defaults and site.of(defaults[given.arg]) not in texts[:1]:
            yield site_with_first(site, f"{given.arg} = {site.of(defaults[given.arg])}")


def default(site: Site) -> Iterator[Edit]:
    """Take the default of a parameter away."""
    node = site.node
    if isinstance(node, FUNCTIONS) and node.args.defaults:
        first = node.args.args[-len(node.args.defaults)]
        value = node.args.defaults[0]
        if len(node.args.defaults) == 1:
            begin = site.reference.span(first)[1]
            gap = site.reference.source[begin : site.reference.span(value)[0]]
            if gap.strip() == "=":
                text = site.text
                start = begin - site.reference.span(node)[0]
                end = site.reference.span(value)[1] - site.reference.span(node)[0]
                yield text[:start] + text[end:]


def site_with_first(site: Site, line: str) -> Edit:
    """Return an edit that inserts a line at the start of a function's body."""
    assert isinstance(site.node, FUNCTIONS)
    first = site.node.body[0]
    return ((first, f"{line}\n{' ' * first.col_offset}{site.of(first)}"),)


def _most_common(texts: list[str]) -> list[str]:
    return [max(texts, key=texts.count)] if texts else []


def _called(site: Site, arguments: list[str]) -> str:
    assert isinstance(site.node, ast.Call)
    return f"{site.of(site.node.func)}({', '.join(arguments)})"


OPERATORS: tuple[Operator, ...] = (
    *(argument, wrapper, axis, flag, neighbor, in_place, in_place_operator),
    *(seen_value, parameter, default),
)
