"""The answers to calls of references: their results, and the gradients of the results.

This runs in a process of its own (`reference_process`), outside of any sandbox. A call comes from a
submission: it is plain data, of which nothing is evaluated, and names one of the functions and
classes that may be called. Between two calls nothing is kept but the state of torch's generator: a
module is made anew for each, from the arguments of its class and the values of its parameters.
"""

from __future__ import annotations

import builtins
import json
import types
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from autograder.grading.callable_kinds import methods_of
from coursekit.checking.call_protocol import (
    Cargo,
    NotSendable,
    pack,
    read_tensor,
    unpack,
    write_tensor,
)
from coursekit.checking.codec import PlainDataError
from coursekit.checking.recording_format import Plain

#: Types of the attributes that are passed on with a module.
_SIMPLE = (bool, int, float, str, type(None))
_MESSAGE_LENGTH = 300


#: How many modules are kept to be copied, and the signs of arguments that refer to other objects.
_KEPT = 50
_REFERRING = ('"$at"', '"$function"', '"$generator"')


class _Pending(BaseException):
    """The reference has called a function that only the submission can call."""

    def __init__(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(number)
        self.number, self.args_given, self.kwargs_given = number, args, kwargs
        self.grad = torch.is_grad_enabled()


class References:
    """The references that a submission's run may call.

    Parameters
    ----------
    definitions : mapping of str to object
        Name -> the function or class that may be called.

    Attributes
    ----------
    left : torch.Tensor
        The state of torch's generator after the last call.
    made : dict of str to nn.Module
        Class and arguments as JSON -> the module to copy.
    """

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions, self.left = definitions, torch.get_rng_state()
        self.made: dict[str, nn.Module] = {}

    def answer(self, request: Any) -> dict[str, Any]:
        """Return the answer to a call: a value, gradients, a function to call first, or an error.

        Parameters
        ----------
        request : object
            The call, as `coursekit.checking.right_helpers` writes it; it is not trusted, and may
            have any form.

        Returns
        -------
        dict
            The reply, JSON-serializable.
        """
        try:
            with torch.set_grad_enabled(bool(request["grad"])):
                return _Call(self, request).answer()
        except (PlainDataError, NotSendable) as error:
            return _error("TypeError", str(error))
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            return _error("ValueError", f"the call cannot be read: {error}")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": kind, "message": message[:_MESSAGE_LENGTH]}


class _Call:
    """A single call of a reference."""

    def __init__(self, references: References, request: dict[str, Any]) -> None:
        self.references, self.request = references, request
        self.target = references.definitions[str(request["name"])]
        self.cargo = Cargo([read_tensor(one) for one in request["tensors"]])
        self.inputs = list(self.cargo.tensors)  # what gradients are taken of
        for tensor, needed in zip(self.inputs, request["needs"], strict=True):
            tensor.requires_grad_(bool(needed))
        self.cargo.generators = [_generator(one) for one in request["generators"]]
        self.cargo.functions = [self._function(i) for i in range(min(20, request["functions"]))]
        self.results = request["results"]
        self.called = 0

    def _function(self, number: int) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.called == len(self.results):
                raise _Pending(number, args, kwargs)
            value, rng = self.results[self.called]
            self.called += 1
            if rng is not None:
                torch.set_rng_state(read_tensor(rng))
            return unpack(value, self.cargo)

        return call

    def answer(self) -> dict[str, Any]:
        """Call the reference; return the reply."""
        args, kwargs = self._arguments("args", "kwargs")
        begun = self.request["rng"]
        self.rng = self.references.left if begun is None else read_tensor(begun)
        torch.set_rng_state(self.rng)
        made: dict[str, Any]
        try:
            if "init" not in self.request:
                made = {"value": self.target(*args, **kwargs)}
            elif not self.request["method"]:
                return self._describe(self._new_module())
            else:
                made = {"value": self._method()(*args, **kwargs)}
        except _Pending as pending:
            value = (pending.args_given, pending.kwargs_given)
            made = {"function": pending.number, "value": value, "grad": pending.grad}
        except (PlainDataError, NotSendable):
            raise
        except Exception as error:  # the submission's helper would have raised it
            kind = type(error).__name__
            known = isinstance(getattr(builtins, kind, None), type)
            return _error(kind if known else "RuntimeError", str(error))
        return self._outputs(made)

    def _arguments(self, one: str, two: str) -> tuple[list[Any], dict[str, Any]]:
        args, kwargs = unpack(self.request[one], self.cargo), unpack(self.request[two], self.cargo)
        if not isinstance(args, list) or not isinstance(kwargs, dict):
            raise PlainDataError("the arguments cannot be read")
        return args, kwargs

    def _new_module(self) -> nn.Module:
        """Return a module made from the arguments, with weights that torch's generator draws."""
        args, kwargs = self._arguments("init", "init_kwargs")
        module = self.target(*args, **kwargs)
        if not isinstance(module, nn.Module):
            raise PlainDataError("it is no module")
        return module

    def _module(self) -> nn.Module:
        """Return a module whose weights the call gives: new, or faster a copy of one made before."""
        key = json.dumps([self.request[one] for one in ("name", "init", "init_kwargs")])
        made = self.references.made
        if key in made:
            return copied(made[key])
        module = self._new_module()
        if (
            len(made) < _KEPT
            and not any(tag in key for tag in _REFERRING)
            and can_be_copied(module)
        ):
            made[key] = copied(module)
        return module

    def _method(self) -> Any:
        """Return the method to call, of a module with the given parameters and attributes."""
        rng = torch.get_rng_state()
        module = self._module()
        torch.set_rng_state(rng)
        for name, where in self.request["state"]:
            number, mine = int(where["$at"]), _value(module, str(name))
            given = self.cargo.tensors[number]
            if given.shape != mine.shape:
                raise PlainDataError(f"{name} has another shape")
            mine.requires_grad_(False)
            mine.data = given.detach()
            mine.requires_grad_(given.requires_grad)
            self.inputs[number] = mine
        for path, attributes in self.request["attributes"].items():
            part = module.get_submodule(path)
            known = _attributes(part)
            for name, value in attributes.items():
                if name in known and isinstance(value, _SIMPLE):
                    setattr(part, name, value)
            part.training = bool(attributes.get("training", True))
        part, method = module.get_submodule(self.request["path"]), self.request["method"]
        if method == "__call__":
            return part
        if method not in methods_of(type(part)):
            raise PlainDataError(f"there is no method {method}")
        return getattr(part, method)

    def _describe(self, module: nn.Module) -> dict[str, Any]:
        """Return the parts of a module, for a stand-in of it in another process."""
        parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
        names = {id(one): name for name, one in {**parameters, **buffers}.items()}
        parts = [
            {
                "path": path,
                "kind": _kind(part),
                "state": [names[id(one)] for one in (*part.parameters(), *part.buffers())],
                "methods": methods_of(type(part)),
                "attributes": _attributes(part),
                "tuples": dict(_tuples(part)),
            }
            for path, part in module.named_modules()
        ]
        return {
            "parts": parts,
            "parameters": [
                [name, write_tensor(one.detach()), one.requires_grad]
                for name, one in parameters.items()
            ],
            "absent": [
                f"{path}.{name}".lstrip(".")
                for path, part in module.named_modules()
                for name, one in part._parameters.items()
                if one is None
            ],
            "buffers": [[name, write_tensor(one)] for name, one in buffers.items()],
            "rng": self._rng(),
        }

    def _rng(self) -> Plain:
        """Return the state of torch's generator if the call has changed it, else None."""
        self.references.left = state = torch.get_rng_state()
        return None if state.equal(self.rng) else write_tensor(state)

    def _outputs(self, made: dict[str, Any]) -> dict[str, Any]:
        cargo = Cargo()
        value = pack(made["value"], cargo)
        if cargo.functions or cargo.generators:
            raise NotSendable("a result that is a function cannot be passed on")
        if "grads" in self.request:
            return self._gradients(cargo.tensors)
        reply: dict[str, Any] = {
            "value": value,
            "tensors": [write_tensor(one) for one in cargo.tensors],
            "differentiable": [bool(one.requires_grad) for one in cargo.tensors],
            "rng": self._rng(),
            "generators": [write_tensor(g.get_state()) for g in self.cargo.generators],
        }
        if "function" in made:
            reply |= {"function": made["function"], "grad": made["grad"]}
        return reply

    def _gradients(self, outputs: list[Any]) -> dict[str, Any]:
        given = [None if one is None else read_tensor(one) for one in self.request["grads"]]
        pairs = [
            (one, grad)
            for one, grad in zip(outputs, given, strict=True)
            if grad is not None and one.requires_grad
        ]
        wanted = [i for i, one in enumerate(self.inputs) if one.requires_grad]
        found: list[Plain] = [None] * len(self.inputs)
        if pairs and wanted:
            grads = torch.autograd.grad(
                [one for one, _ in pairs],
                [self.inputs[i] for i in wanted],
                [grad for _, grad in pairs],
                allow_unused=True,
            )
            for i, grad in zip(wanted, grads):
                found[i] = None if grad is None else write_tensor(grad)
        return {"grads": found}


def _generator(state: Any) -> torch.Generator:
    generator = torch.Generator()
    generator.set_state(read_tensor(state))
    return generator


def _kind(part: nn.Module) -> str:
    """Return the class of `torch.nn` that a part is of, if it can be rebuilt elsewhere, else "own".

    It can if it consists of nothing but parameters, numbers, and tuples of numbers.
    """
    kind = type(part)
    if kind is nn.ModuleList:
        return "ModuleList"
    if getattr(nn, kind.__name__, None) is not kind or part._modules or part._buffers:
        return "own"
    known = {"training", *dict(_simple(part)), *dict(_tuples(part))}
    plain = nn.Module()
    others = {name for name, value in vars(part).items() if value != vars(plain).get(name)}
    return kind.__name__ if others <= {"_parameters", *known} else "own"


def _value(module: nn.Module, name: str) -> torch.Tensor:
    """Return a module's parameter or buffer."""
    owner, _, last = name.rpartition(".")
    part = module.get_submodule(owner)
    value = part._parameters.get(last, part._buffers.get(last))
    if value is None:
        raise LookupError(f"there is no {name}")
    return value


def can_be_copied(module: nn.Module) -> bool:
    """Tell whether `copied` can copy a module.

    It can if the module consists of nothing but modules, parameters, buffers, and values that
    nobody can change, such as an activation function.
    """
    plain = vars(nn.Module())
    of_torch = {"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "training"}
    return all(
        name in of_torch or name in known or value == plain.get(name) or _is_function(value)
        for part in module.modules()
        for known in ({*dict(_simple(part)), *dict(_tuples(part))},)
        for name, value in vars(part).items()
    )


def _is_function(value: Any) -> bool:
    """Tell whether a value is a function that refers to no object."""
    if isinstance(value, types.FunctionType):
        return not value.__closure__
    return isinstance(value, types.BuiltinFunctionType) and isinstance(
        value.__self__, (types.ModuleType, type, type(None))
    )


def copied(module: nn.Module) -> nn.Module:
    """Return a copy of a module; parts that share an object share its copy."""
    made: dict[int, Any] = {id(None): None}
    for part in module.modules():
        made[id(part)] = copy = object.__new__(type(part))
        copy.__dict__.update(
            {k: v.copy() if isinstance(v, (dict, set)) else v for k, v in vars(part).items()}
        )
        for tensor in (*part._parameters.values(), *part._buffers.values()):
            if tensor is not None and id(tensor) not in made:
                made[id(tensor)] = new = tensor.detach().clone()
                if isinstance(tensor, nn.Parameter):
                    made[id(tensor)] = nn.Parameter(new, requires_grad=tensor.requires_grad)
    for part in module.modules():
        for kind in ("_parameters", "_buffers", "_modules"):
            own = vars(made[id(part)])[kind]
            own.update((name, made[id(one)]) for name, one in own.items())
    whole: nn.Module = made[id(module)]
    return whole


def _tuples(part: nn.Module) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield a module's own tuples of whole numbers, such as the shape that it normalizes."""
    for name, value in vars(part).items():
        if not name.startswith("_") and type(value) is tuple and {*map(type, value)} <= {int}:
            yield name, value


def _attributes(part: nn.Module) -> dict[str, Any]:
    """Return a module's own simple attributes, such as sizes and rates."""
    return dict(_simple(part))


def _simple(part: nn.Module) -> Iterator[tuple[str, Any]]:
    for name, value in vars(part).items():
        if not name.startswith("_") and name != "training" and type(value) in _SIMPLE:
            yield name, value
