"""Edits of torch modules: parameters, buffers, submodules, training and evaluation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.authoring.audit.call_operators import site_with_first
from autograder.authoring.audit.equivalent_mutants import has_no_parameters
from autograder.authoring.audit.one_place_edits import FUNCTIONS, Edit, Operator, Site


def plain_tensor(site: Site) -> Iterator[Edit]:
    """Make a parameter or a buffer that the module does not know of."""
    node = site.node
    if isinstance(node, ast.Call) and site.of(node.func).endswith("Parameter"):
        value = site.of(node.args[0])
        yield value
        yield f"{value}.requires_grad_()" if value.endswith(")") else f"({value}).requires_grad_()"
        yield f"{site.of(node.func)}({value}, requires_grad=False)"
        for name in ("ones", "randn"):
            if "zeros" in value:
                yield ((node.args[0], value.replace("zeros", name, 1)),)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if site.of(call.func) == "self.register_buffer":
            name, value = ast.literal_eval(call.args[0]), site.of(call.args[1])
            yield f"self.{name} = {value}"
            yield f"self.{name} = nn.Parameter({value})"
            yield f"{site.text[:-1]}, persistent=False)"


def unregistered(site: Site) -> Iterator[Edit]:
    """Make a submodule that the module does not know of, or that is never trained.

    Equal, and not made: a layer without parameters that is never trained.
    """
    node = site.node
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return
    target, call = node.targets[0], node.value
    if not isinstance(target, ast.Attribute) or site.of(target.value) != "self":
        return
    name = site.of(call.func).rpartition(".")[2]
    if not name[:1].isupper() or name in ("Parameter", "Counter"):
        return
    yield f'self.__dict__["{target.attr}"] = {site.of(call)}'
    if not has_no_parameters(name):
        yield f"{site.text}.requires_grad_(False)"
    if name == "ModuleList":
        yield f"self.{target.attr} = list{site.of(call).removeprefix(site.of(call.func))}"


def shared_module(site: Site) -> Iterator[Edit]:
    """Use one module several times instead of several modules."""
    node = site.node
    if isinstance(node, ast.Call) and site.of(node.func).endswith("ModuleList") and node.args:
        inner = node.args[0]
        if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
            generator = inner.generators[0]
            element, target = site.of(inner.elt), site.of(generator.target)
            names = {n.id for n in ast.walk(inner.elt) if isinstance(n, ast.Name)}
            if target not in names:
                count = f"len({site.of(generator.iter)})"
                yield f"{site.of(node.func)}([{element}] * {count})"


def other_attribute(site: Site) -> Iterator[Edit]:
    """Read another attribute of the object, of the same type."""
    node = site.node
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    if site.of(node.value) != "self":
        return
    for other in sorted(_attributes(site) - {node.attr}):
        if _made_by(site, other) == _made_by(site, node.attr):
            yield f"self.{other}"


def training(site: Site) -> Iterator[Edit]:
    """Switch the object to training or evaluation, or take dropout's switch away."""
    node = site.node
    has_switch = re.search("dropout|training|frozen", site.reference.source, re.IGNORECASE)
    is_changed = (
        isinstance(node, FUNCTIONS)
        and node.name != "__init__"
        and [a.arg for a in node.args.args[:1]] == ["self"]
    )
    if is_changed and has_switch:
        yield site_with_first(site, "self.eval()")
        yield site_with_first(site, "self.train()")
    if isinstance(node, ast.Call) and site.of(node.func) == "nn.Dropout":
        yield "nn.Identity()"
        if node.args:
            yield ((node.args[0], f"1 - {site.operand(node.args[0])}"),)
    if isinstance(node, ast.Call) and site.of(node.func) == "self.dropout" and node.args:
        yield f"torch.dropout({site.of(node.args[0])}, self.dropout.p, True)"


def initialized_later(site: Site) -> Iterator[Edit]:
    """Call `super().__init__()` at the end of the constructor."""
    node = site.node
    if isinstance(node, FUNCTIONS) and node.name == "__init__" and len(node.body) > 1:
        first, last = node.body[0], node.body[-1]
        if site.of(first) == "super().__init__()":
            moved = f"{site.of(last)}\n{' ' * last.col_offset}super().__init__()"
            yield ((first, ""), (last, moved))


def _attributes(site: Site) -> set[str]:
    return {
        n.attr
        for n in ast.walk(site.reference.tree)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and site.of(n.value) == "self"
    }


def _made_by(site: Site, attribute: str) -> str:
    """Return what an attribute of the object is made with, such as ``nn.Linear``."""
    for node in ast.walk(site.reference.tree):
        if isinstance(node, ast.Assign) and site.of(node.targets[0]) == f"self.{attribute}":
            value = node.value
            return site.of(value.func) if isinstance(value, ast.Call) else type(value).__name__
    return ""


OPERATORS: tuple[Operator, ...] = (
    *(plain_tensor, unregistered, shared_module, other_attribute, training, initialized_later),
)
