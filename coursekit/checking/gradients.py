"""Gradients that a case asks for: of one input, or of every float input and parameter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from coursekit.checking.recording_format import Question

#: As a case's ``gradient``: of every float input, those in a tuple included, and of every parameter.
ALL = "all"


class Followed:
    """Tensors whose gradients a case asks for.

    The call gets clones of the inputs, so that an in-place change is recorded like any other: torch
    would raise an error on the tensors themselves, which are leaves that require grad.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tensors: dict[str, Any] = {}
        #: Whether the result is one number, as a loss is, from which no gradient comes.
        self.is_constant = False

    @classmethod
    def of(cls, case: Question, args: list[Any], kwargs: dict[str, Any]) -> Followed | None:
        """Follow a case's inputs, which its call gets as clones; None if it needs no gradient."""
        name = case.get("gradient")
        if name is None:
            return None
        followed = cls(name)
        names = case.get("names", [])
        for number in range(len(args)):
            label = names[number] if number < len(names) else str(number)
            if name in (ALL, label):
                followed._follow(args, number, label)
        for key in kwargs:
            if name in (ALL, key):
                followed._follow(kwargs, key, key)
        return followed

    def add_inputs(self, inputs: list[Any], named: dict[str, Any]) -> None:
        """Follow the inputs of a call on an object."""
        if self.name == ALL:
            for number in range(len(inputs)):
                self._follow(inputs, number, self._free(f"input {number + 1}"))
            for name in named:
                self._follow(named, name, self._free(name))

    def add_parameters(self, thing: Any) -> None:
        """Follow the trainable parameters of a module, a shared one under each of its names."""
        if self.name == ALL and hasattr(thing, "named_parameters"):
            for name, parameter in thing.named_parameters(remove_duplicate=False):
                if parameter.requires_grad:
                    self.tensors[f"self.{name}"] = parameter

    def gradient(self, result: Any) -> Any:
        """Return the gradient of 1 * y[0] + 2 * y[1] + ..., with y all floats of the result.

        With equal weights the gradient of a softmax, for example, would always be 0. Of an input
        that the result does not depend on, it is 0. A result without a float tensor, which has no
        gradient, is returned as is. With `ALL`, the gradients by name.
        """
        floats = [y for y in _tensors(result) if y.is_floating_point()]
        if not floats:
            return result
        import torch

        y = torch.cat([y.double().flatten() for y in floats])
        total = y @ torch.arange(1, len(y) + 1, dtype=y.dtype)
        self.is_constant = not (total.requires_grad or floats[0].dim() or len(y) > 1)
        found: tuple[Any, ...] = (None,) * len(self.tensors)
        if total.requires_grad and self.tensors:
            # For a scalar torch needs no grad_outputs, whose check would import sympy.
            found = torch.autograd.grad(total, list(self.tensors.values()), allow_unused=True)
        gradients = {
            name: torch.zeros_like(tensor) if one is None else one
            for (name, tensor), one in zip(self.tensors.items(), found)
        }
        return gradients if self.name == ALL else gradients[self.name]

    def _follow(self, inputs: Any, key: Any, label: str) -> None:
        """Follow one input and put a clone in its place; of a tuple, all its tensors."""
        torch = sys.modules.get("torch")  # without it there is no tensor
        value = inputs[key]
        if torch is not None and isinstance(value, torch.Tensor) and value.is_floating_point():
            self.tensors[label] = value.requires_grad_()
            inputs[key] = value.clone()
        elif type(value) is tuple and self.name == ALL:
            parts = list(value)
            for number in range(len(parts)):
                self._follow(parts, number, f"{label}[{number}]")
            inputs[key] = tuple(parts)

    def _free(self, label: str) -> str:
        """Return the label, numbered if an earlier call has an input of that name."""
        number = sum(name.partition(" of call ")[0] == label for name in self.tensors)
        return f"{label} of call {number + 1}" if number else label


def _tensors(result: Any) -> Iterator[Any]:
    """Yield the tensors in a result."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, (tuple, list)):
        for item in result:
            yield from _tensors(item)
