"""Edits of tensors: gradients, dtypes, axes, shapes, masks, random generators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.authoring.audit.call_operators import site_with_first
from autograder.authoring.audit.equivalent_mutants import is_guard, is_reduced
from autograder.authoring.audit.one_place_edits import (
    FUNCTIONS,
    Edit,
    Operator,
    Seen,
    Site,
    as_number,
)


def detached(site: Site) -> Iterator[Edit]:
    """Make a value that no gradient flows through."""
    named = isinstance(site.node, (ast.Name, ast.Attribute))
    in_chain = isinstance(site.parent, (ast.Attribute, ast.Subscript))
    is_loaded = isinstance(getattr(site.node, "ctx", None) or ast.Load(), ast.Load)
    if site.seen.differentiable and is_loaded and (named or not in_chain):
        yield site.method("detach()")


def without_gradient(site: Site) -> Iterator[Edit]:
    """Run a whole function under `torch.no_grad`."""
    node = site.node
    if not isinstance(node, FUNCTIONS) or node.name == "__init__":
        return
    if any(site.reference.values(inner).differentiable for inner in ast.walk(node)):
        yield f"@torch.no_grad()\n{site.indent}{site.text}"


def other_dtype(site: Site) -> Iterator[Edit]:
    """Return a result in another precision, or of another kind of number."""
    seen = site.seen
    if not site.is_result or not seen.is_tensor:
        return
    if seen.is_float:
        yield site.method("half()")
    if not site.is_returned:
        return
    if seen.is_float:
        yield site.method("double()")
        if seen.dtypes != {"float32"}:
            yield site.method("float()")
    elif seen.is_bool:
        yield from (site.method(call) for call in ("long()", "float()"))
    else:
        yield from (site.method(call) for call in ("float()", "int()", "bool()"))


def given_dtype(site: Site) -> Iterator[Edit]:
    """Convert an input before anything else is done with it."""
    for name, seen in _tensor_inputs(site):
        calls = ["float()"] if seen.dtypes != {"float32"} else []
        calls += ["double()", "half()"] if seen.is_float else []
        calls += ["long()"] if seen.is_bool else []
        for call in calls:
            yield site_with_first(site, f"{name} = {name}.{call}")


def number_type(site: Site) -> Iterator[Edit]:
    """Add `float()`, `int()`, `round()` or `.item()`, which `wrapper` drops."""
    seen = site.seen
    if not site.is_result:
        return
    if seen.kinds == {"int"}:
        yield f"float({site.text})"
    elif seen.kinds == {"float"}:
        yield from (f"int({site.text})", f"round({site.text}, 2)", f"torch.tensor({site.text})")
    elif seen.is_tensor and seen.axes == 0:
        yield from (site.method("item()"), site.method("reshape(1)"))
    elif seen.is_tensor and site.is_returned:
        yield from (site.method("tolist()"), site.method("numpy()"))


def squeezed(site: Site) -> Iterator[Edit]:
    """Add ``.squeeze()`` without an axis, which also removes axes that happen to be of size 1.

    Equal, and not made: before a sum or mean over all axes. Axes that were never of size 1 in the
    recorded cases do not count: a case with such an axis may be missing.
    """
    node = site.node
    if is_reduced(site):
        return
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        yield from [f"{site.of(node.func)}()"] * (getattr(node.func, "attr", "") == "squeeze")
    if site.is_result and site.seen.is_tensor and site.seen.axes > 0:
        yield site.method("squeeze()")


def transposed(site: Site) -> Iterator[Edit]:
    """Put axes in another order, or reshape where they should be transposed."""
    node = site.node
    if site.is_result and site.seen.is_tensor and min(site.seen.ndims) >= 2:
        yield site.method("mT")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        value, name = site.operand(node.func.value), node.func.attr
        if name in ("transpose", "permute") and site.seen.is_tensor:
            yield f"{value}.reshape({site.text}.shape)"
        if name in ("flatten", "unflatten", "reshape", "view") and site.seen.is_tensor:
            yield f"{value}.mT.reshape({site.text}.shape)"
            # a result of a layer is contiguous; `unflatten` and `view` return this very view
            if isinstance(node.func.value, ast.Name) and name in ("flatten", "reshape"):
                yield f"{value}.view({site.text}.shape)"
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT") and site.seen.is_tensor:
        yield f"{site.operand(node.value)}.reshape({site.text}.shape)"


def first_for_all(site: Site) -> Iterator[Edit]:
    """Use the first row of a tensor, or the first element of a list, for all."""
    for name, seen in _inputs(site):
        if seen.is_tensor and seen.axes >= 1:
            yield site_with_first(site, f"{name} = {name}[:1].expand_as({name})")
        if seen.kinds == {"list"}:
            yield site_with_first(site, f"{name} = {name}[:1] * len({name})")
    node = site.node
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        seen = site.reference.values(node.value)
        if seen.is_tensor and seen.axes >= 1:
            name = node.targets[0].id
            yield f"{site.text}\n{site.indent}{name} = {name}[:1].expand_as({name})"


def other_mask(site: Site) -> Iterator[Edit]:
    """Take a mask from ids or vectors instead of the given one, one for all rows, or none."""
    inputs = dict(_tensor_inputs(site))
    for name, seen in inputs.items():
        if not seen.is_bool:
            continue
        yield site_with_first(site, f"{name} = torch.ones_like({name})")
        yield site_with_first(site, f"{name} = {name}.any(dim=0, keepdim=True).expand_as({name})")
        for other, values in inputs.items():
            if values.is_integer and values.ndims == seen.ndims:
                yield site_with_first(site, f"{name} = {other} != 0")
                yield site_with_first(site, f"{name} = {name} & ({other} != 0)")
            if values.is_float and values.axes == seen.axes + 1:
                yield site_with_first(site, f"{name} = ({other} != 0).any(dim=-1)")
            if values.is_float and values.ndims == seen.ndims:
                yield site_with_first(site, f"{name} = {name} & ({other} != 0)")


def lengths_for_mask(site: Site) -> Iterator[Edit]:
    """Replace a mask by as many leading positions as it has True values."""
    for name, seen in _tensor_inputs(site):
        if seen.is_bool and seen.axes >= 1:
            places = f"torch.arange({name}.shape[-1])"
            line = f"{name} = {places} < {name}.sum(dim=-1, keepdim=True)"
            yield site_with_first(site, line)


def fill_value(site: Site) -> Iterator[Edit]:
    """Take another value for what is masked, or for a missing limit.

    Equal, and not made: 0 for 0.0 (`masked_fill` keeps the dtype), another tiny guard of a divisor.
    """
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "masked_fill" and len(node.args) == 2:
            for other in ("-1e9", "0", "1", "-1", "float('-inf')"):
                given = site.of(node.args[1])
                is_number = other[-1].isdigit() and as_number(node.args[1]) == float(other)
                if other != given and not is_number and not ("inf" in other and "inf" in given):
                    yield ((node.args[1], other),)
        if node.func.attr == "clamp":
            for keyword in node.keywords:
                if is_guard(site.on(keyword.value)):
                    continue
                yield ((keyword.value, f"{site.operand(keyword.value)} * 2"),)


def other_generator(site: Site) -> Iterator[Edit]:
    """Take the global generator, or a new one with a fixed seed, instead of the given one."""
    node = site.node
    if isinstance(node, ast.keyword) and node.arg == "generator":
        yield ((node.value, "torch.Generator().manual_seed(0)"),)
        yield ((node.value, "None"),)
        if not site.of(node.value).startswith("torch."):
            yield ((node.value, f"torch.manual_seed({site.of(node.value)}.initial_seed())"),)
    if isinstance(node, ast.Call) and site.text == "torch.Generator()":
        yield "torch.default_generator"


def einsum(site: Site) -> Iterator[Edit]:
    """Swap two neighbouring letters of an einsum."""
    node = site.node
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "->" in node.value:
        text = node.value
        for i in range(len(text) - 1):
            if text[i].isalpha() and text[i + 1].isalpha():
                yield repr(text[:i] + text[i + 1] + text[i] + text[i + 2 :])


def _inputs(site: Site) -> Iterator[tuple[str, Seen]]:
    """Yield the parameters of a function, each with what was seen of it."""
    if not isinstance(site.node, FUNCTIONS):
        return
    for given in site.node.args.args:
        uses = (n for n in ast.walk(site.node) if isinstance(n, ast.Name) and n.id == given.arg)
        seen = next((seen for use in uses if (seen := site.reference.values(use)).kinds), None)
        if seen is not None:
            yield given.arg, seen


def _tensor_inputs(site: Site) -> Iterator[tuple[str, Seen]]:
    for name, seen in _inputs(site):
        if seen.is_tensor or (seen.dtypes and seen.kinds <= {"Tensor", "NoneType"}):
            yield name, seen


OPERATORS: tuple[Operator, ...] = (
    *(detached, without_gradient, other_dtype, given_dtype, number_type, squeezed, transposed),
    *(first_for_all, other_mask, lengths_for_mask, fill_value, other_generator, einsum),
)
