"""Numbers in a reference that are axes of tensors."""

from __future__ import annotations

import ast

from autograder.authoring.audit.one_place_edits import Seen, Site, as_number

#: The keywords whose value is an axis.
AXES = ("dim", "axis")
#: Methods and functions whose plain numbers are axes, and how many axes their result has more.
_TAKE_AXES = {
    **dict.fromkeys(("transpose", "swapaxes", "flatten", "squeeze", "size", "permute"), 0),
    **dict.fromkeys(("sum", "mean", "max", "min", "amax", "amin", "softmax", "cumsum", "any"), 0),
    **dict.fromkeys(("argmax", "argmin", "all", "norm", "prod", "log_softmax", "logsumexp"), 0),
    **dict.fromkeys(
        ("flip", "select", "narrow", "index_select", "gather", "scatter", "unflatten"), 0
    ),
    "unsqueeze": 1,
}
#: Functions that join tensors: their axes are those of the result.
_JOIN = ("cat", "concat", "stack")
#: Methods that work along the last axis if they are given none.
_LAST_BY_DEFAULT = ("topk", "sort", "argsort")


def is_same_axis(site: Site, one: float | None, two: float) -> bool:
    """Tell whether two numbers at a site name the same axis, as an argument or in ``x.shape[1]``.

    They do if they name the same axis for every number of axes seen; a number of axes counts as known
    if it was seen with more than one shape. False if the site is not an axis.
    """
    parent = site.parent
    if isinstance(parent, ast.Subscript) and parent.slice is site.node and one is not None:
        shape = parent.value
        if not isinstance(shape, ast.Attribute) or shape.attr != "shape":
            return False
        return _is_same(one, two, site.reference.values(shape.value).known_ndims)
    keyword = parent if isinstance(parent, ast.keyword) else None
    call = site.reference.parent(parent) if keyword else parent
    if not isinstance(call, ast.Call) or one is None:
        return False
    name = getattr(call.func, "attr", "")
    if (keyword.arg not in AXES) if keyword else (name not in _TAKE_AXES):
        return False
    first_only = name in ("narrow", "unflatten", "gather", "scatter")
    if not keyword and first_only and call.args[0] is not site.node:
        return False
    joined = name in _JOIN
    tensors = [call] if joined else [getattr(call.func, "value", call), *call.args[:1]]
    given = next((seen for t in tensors if (seen := site.reference.values(t)).ndims), Seen())
    return _is_same(one, two, {n + _TAKE_AXES.get(name, 0) for n in given.known_ndims})


def is_default_axis(site: Site, keyword: ast.keyword) -> bool:
    """Tell whether an axis is the one that the method takes without it."""
    call, given = site.node, as_number(keyword.value)
    is_method = isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _LAST_BY_DEFAULT
    if not is_method or keyword.arg not in AXES:
        return False
    return given == -1 or is_same_axis(site.on(keyword.value), given, -1)


def _is_same(one: float, two: float, ndims: set[int]) -> bool:
    """Tell whether two numbers name one axis, and one that exists, for each number of axes."""
    return bool(ndims) and all(
        -n <= one < n and -n <= two < n and one % n == two % n for n in ndims if n
    )
