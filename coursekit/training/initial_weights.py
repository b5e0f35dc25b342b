"""Initial weights that depend on the seed and on the names of a model's layers alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import torch
from torch import nn

from coursekit.checking import stored_recordings
from coursekit.training.device import set_seed

_Part = TypeVar("_Part")


def initialize(model: nn.Module, seed: int) -> None:
    """Draw all weights of a model again, independently of the order of its layers in the code.

    PyTorch draws a layer's weights when it is made, so two right answers that make the same layers
    in another order begin with other weights, and end with other scores. Here every layer draws its
    own (`reset_parameters`), the layers of an exercise's class in the order of its solution and all
    others in the order in which the model has them. What has no such method, such as a parameter of
    its own, stays as it is.

    Parameters
    ----------
    model : nn.Module
        The model. It is changed.
    seed : int
        For `set_seed`; what is drawn afterwards depends on it, too.
    """
    set_seed(seed)
    drawn: set[nn.Parameter] = set()
    for layer in _layers(model, set()):
        # nn.MultiheadAttention has its own under a name with an underscore
        reset = getattr(layer, "reset_parameters", getattr(layer, "_reset_parameters", None))
        own = dict(layer.named_parameters(recurse=False))
        if not callable(reset) or not own:
            continue
        kept = {p: p.detach().clone() for p in own.values() if p in drawn}
        reset()
        with torch.no_grad():
            for parameter, value in kept.items():  # shared with a layer that was drawn before
                parameter.copy_(value)
        drawn |= {*own.values()}


def ordered_parameters(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """Return the parameters of a model by name, in an order that `initialize` would use.

    Parameters
    ----------
    model : nn.Module
        The model.

    Returns
    -------
    list of (str, nn.Parameter)
        Each parameter once, under the name that `model.named_parameters()` has first in this order.
    """
    found: dict[nn.Parameter, str] = {}
    for name, parameter in _parameters(model, ""):
        found.setdefault(parameter, name)
    return [(name, parameter) for parameter, name in found.items()]


def _layers(module: nn.Module, seen: set[nn.Module]) -> Iterator[nn.Module]:
    """Yield a module after its layers, each once, as they are made."""
    seen.add(module)
    for _, layer in _in_order(module, dict(module.named_children())):
        if layer not in seen:
            yield from _layers(layer, seen)
    yield module


def _parameters(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Parameter]]:
    """Yield a module's parameters, then those of its layers, with their names."""
    for name, parameter in _in_order(module, dict(module.named_parameters(recurse=False))):
        yield prefix + name, parameter
    for name, layer in _in_order(module, dict(module.named_children())):
        yield from _parameters(layer, f"{prefix}{name}.")


def _in_order(module: nn.Module, parts: dict[str, _Part]) -> list[tuple[str, _Part]]:
    """Return a module's parts by name: those of a solution in its order, then others by name."""
    known = [name for kind in reversed(type(module).__mro__) for name in _solution_order(kind)]
    if not known:
        return [*parts.items()]
    place = {name: i for i, name in enumerate(known)}
    return sorted(parts.items(), key=lambda part: (place.get(part[0], len(known)), part[0]))


def _solution_order(kind: type) -> list[str]:
    """Return the layers of an exercise's class in its solution's order; [] for any other class."""
    if getattr(kind, "__module__", "").startswith("torch."):
        return []
    return stored_recordings.layers(kind.__name__)
