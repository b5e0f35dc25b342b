"""Edits of what outlasts a call, and of what only a corner or the rest of a batch shows.

None of them changes the result of a single, ordinary call: a state that is kept, settings of the
process, a constant in place of the result for an empty input, a batch taken apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring.audit.call_operators import site_with_first
from autograder.authoring.audit.one_place_edits import FUNCTIONS, Edit, Operator, Site


def remembered(site: Site) -> Iterator[Edit]:
    """Keep an input of the first call, in the object or the function, in place of each later one."""
    node = site.node
    if not _is_called_from_outside(site) or not isinstance(node, FUNCTIONS):
        return
    names = [given.arg for given in node.args.args]
    owner = "self" if names[:1] == ["self"] else node.name
    for name in names:
        if name != "self":
            kept = f'{owner}.__dict__.setdefault("first_{name}", {name})'
            yield site_with_first(site, f"{name} = {kept}")


def left_behind(site: Site) -> Iterator[Edit]:
    """Switch gradients off, or seed torch's generator, for all that runs afterwards."""
    if _is_called_from_outside(site) and _uses_tensors(site):
        yield site_with_first(site, "torch.set_grad_enabled(False)")
        yield site_with_first(site, "torch.manual_seed(0)")


def constant_corner(site: Site) -> Iterator[Edit]:
    """Return what has no gradient, or is float32, where an input is empty or a mask all False."""
    if not site.is_returned or not site.seen.is_float:
        return
    for name in _inputs_that_may_be_empty(site):
        if site.seen.differentiable:
            yield f"{site.operand()} if {name} else {site.method('detach()')}"
        if site.seen.dtypes != {"float32"}:
            yield f"{site.operand()} if {name} else {site.method('float()')}"


def one_row_at_a_time(site: Site) -> Iterator[Edit]:
    """Call a function that was passed in with one row of the batch after the other."""
    node, function = site.node, site.reference.function(site.node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or function is None:
        return
    given = [argument.arg for argument in function.args.args]
    names = [argument.id for argument in node.args if isinstance(argument, ast.Name)]
    if node.func.id not in given or not names or len(names) < len(node.args) or node.keywords:
        return
    if not all(site.reference.values(argument).is_tensor for argument in node.args):
        return
    rows = ", ".join(f"{name}[i : i + 1]" for name in names)
    each = f"{node.func.id}({rows}) for i in range(len({names[0]}))"
    if site.seen.is_tensor:
        yield f"torch.cat([{each}])"
    elif "tuple" in site.seen.kinds:
        yield f"tuple(map(torch.cat, zip(*({each}))))"


def _is_called_from_outside(site: Site) -> bool:
    """Tell whether it is a function or a method, but no constructor and not inside of a function."""
    node = site.node
    return (
        isinstance(node, FUNCTIONS)
        and not node.name.startswith("__")
        and site.reference.function(node) is None
        and not any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(node))
    )


def _uses_tensors(site: Site) -> bool:
    return any(site.reference.values(inner).is_tensor for inner in ast.walk(site.node))


def _inputs_that_may_be_empty(site: Site) -> Iterator[str]:
    """Yield for each input a condition that there is anything in it, as text."""
    function = site.reference.function(site.node)
    if function is None:
        return
    for given in function.args.args:
        uses = [
            site.reference.values(inner)
            for inner in ast.walk(function)
            if isinstance(inner, ast.Name) and inner.id == given.arg
        ]
        seen = next((one for one in uses if one.kinds), None)
        if seen is not None and seen.is_bool:
            yield f"{given.arg}.any()"
        elif seen is not None and seen.kinds in ({"list"}, {"dict"}):
            yield f"len({given.arg})"


OPERATORS: tuple[Operator, ...] = (remembered, left_behind, constant_corner, one_row_at_a_time)
