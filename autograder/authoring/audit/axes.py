"""Which numbers in a reference are axes of tensors."""

from __future__ import annotations

import ast

from autograder.authoring.audit.one_place_edits import Site

#: The keywords whose value is an axis.
AXES = ("dim", "axis")
#: Methods and functions whose plain numbers are axes, and how many axes their result has more.
_TAKE_AXES = {
    **dict.fromkeys(("transpose", "swapaxes", "flatten", "squeeze", "size", "permute"), 0),
    **dict.fromkeys(("sum", "mean", "max", "min", "amax", "amin", "softmax", "cumsum", "any"), 0),
    **dict.fromkeys(("argmax", "argmin", "all", "norm", "prod", "log_softmax", "logsumexp"), 0),
    **dict.fromkeys(("select", "narrow", "index_select", "gather", "scatter", "unflatten"), 0),
    "unsqueeze": 1,
}


def is_same_axis(site: Site, one: float | None, two: float) -> bool:
    """Whether two numbers at a site name the same axis of every tensor that the call was given.

    False if the site is not an axis.
    """
    parent = site.parent
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
    tensors = [getattr(call.func, "value", call), *call.args[:1]]
    ndims = next((seen for t in tensors if (seen := site.reference.values(t).ndims)), set())
    ndims = {n + _TAKE_AXES.get(name, 0) for n in ndims}
    return bool(ndims) and all(one % n == two % n for n in ndims if n)
