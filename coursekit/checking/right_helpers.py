"""Stand-ins for wrong helpers: each call is answered by the grader.

While an exercise is judged again, the functions and classes of a notebook that fail their own check
are replaced by stand-ins. A stand-in holds no solution: it sends its arguments to the grader and
returns what comes back. It is made here, in the student's kernel, which is not trusted; what may be
asked, and how often, is decided by the grader.

What can be passed on: numbers, texts, containers, arrays, tensors with their gradients, generators
of torch, and functions, which stay here and are called back. A class must be an `nn.Module`; its
parameters are here, and go with each call.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from coursekit.checking import codec
from coursekit.checking.call_protocol import (
    Cargo,
    is_differentiable,
    pack,
    read_tensor,
    unpack,
    write_tensor,
)
from coursekit.checking.recording_format import Plain

#: Sends a call to the grader and returns the answer, both JSON.
Ask = Callable[[str], str]
#: The most characters of one call.
CALL_LENGTH = 4 * 2**20
#: How often one call may call back functions of the student.
_CALLBACKS = 2_000
_SIMPLE = (bool, int, float, str, type(None))


@dataclass
class Grader:
    """Connection to the grader, which answers calls.

    Attributes
    ----------
    ask : callable
        Sends a call and returns the answer.
    left : torch.Tensor or None
        The state in which the last call has left torch's generator there, if it is known: a call that
        begins in this state does without it, since it is larger than most arguments.
    """

    ask: Ask
    left: Any = None


def stand_in(name: str, kind: Mapping[str, Any], grader: Grader) -> Any:
    """Return the replacement of a helper: a function or a class of the same name.

    Parameters
    ----------
    name : str
        The helper's name.
    kind : mapping of str to object
        Empty for a function; for a class, ``methods`` lists the names of its methods.
    grader : Grader
        Whom its calls are sent to; one for all stand-ins.
    """
    if "methods" in kind:
        return _class(name, kind["methods"], grader)

    def helper(*args: Any, **kwargs: Any) -> Any:
        return _Call(grader, {"name": name}, {}).result(args, kwargs)

    helper.__name__ = helper.__qualname__ = name
    helper.__dict__["coursekit_stand_in"] = True
    return helper


class _Call:
    """A call that is sent to the grader: its target, its state and the connection."""

    def __init__(self, grader: Grader, target: dict[str, Any], state: dict[str, Any]) -> None:
        self.grader, self.target, self.state = grader, target, state
        import torch

        self.begun = torch.get_rng_state()

    def result(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], init: tuple[Any, Any] | None = None
    ) -> Any:
        """Send the call and return the helper's result, connected to the inputs' gradients."""
        import torch

        cargo = Cargo()
        request = dict(self.target)
        request["args"], request["kwargs"] = pack(list(args), cargo), pack(dict(kwargs), cargo)
        if init is not None:
            request["init"], request["init_kwargs"] = (
                pack(list(init[0]), cargo),
                pack(init[1], cargo),
            )
        request["state"] = [[name, pack(one, cargo)] for name, one in self.state.items()]
        left, self.grader.left = self.grader.left, None
        known = left is not None and left.equal(self.begun)
        request["rng"] = None if known else write_tensor(self.begun)
        request["generators"] = [write_tensor(g.get_state()) for g in cargo.generators]
        request["functions"] = len(cargo.functions)
        results: list[Plain] = []
        for _ in range(_CALLBACKS):
            # a copy: gradients are asked for later, with the results of now
            reply, tensors = self._ask({**request, "results": list(results)}, cargo.tensors)
            _set_rng(reply["rng"])
            if "parts" in reply:
                self.grader.left = torch.get_rng_state()
                return reply
            back = Cargo(tensors, [], [])
            value = unpack(reply["value"], back)
            if "function" not in reply:
                for generator, state in zip(cargo.generators, reply["generators"]):
                    generator.set_state(read_tensor(state))
                self.grader.left = torch.get_rng_state()
                return value
            request["rng"] = write_tensor(self.begun)
            before = torch.get_rng_state()
            with torch.set_grad_enabled(reply["grad"]):
                called = cargo.functions[reply["function"]](*value[0], **value[1])
            after = torch.get_rng_state()
            drawn = None if after.equal(before) and reply["rng"] is None else write_tensor(after)
            results.append([pack(called, cargo), drawn])
        raise RuntimeError("the helper calls a function too often")

    def _ask(self, request: dict[str, Any], tensors: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Send a request with its tensors; return the reply and its tensors."""
        import torch

        grads = torch.is_grad_enabled()
        needs = [bool(grads and t.requires_grad and is_differentiable(t)) for t in tensors]
        texts = [write_tensor(t) for t in tensors]
        request = {**request, "grad": grads, "needs": needs, "tensors": texts}
        reply = _sent(self.grader.ask, request)
        found = [read_tensor(one) for one in reply.get("tensors", [])]
        flags = reply.get("differentiable", [])
        if any(flags):
            found = list(_gradients().apply(self, request, found, flags, *tensors))
        return reply, found


def _sent(ask: Ask, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request and return the reply; raise the error that it reports."""
    text = json.dumps(request)
    if len(text) > CALL_LENGTH:
        raise codec.PlainDataError("the call of a helper is too large to be passed on")
    reply: dict[str, Any] = json.loads(ask(text))
    if "error" in reply:
        kind = getattr(builtins, reply["error"], RuntimeError)
        raise kind(reply["message"])
    return reply


def _gradients() -> Any:
    """Return an autograd function whose backward pass asks the grader for the gradients."""
    import torch

    class Gradients(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, call: _Call, request: Any, found: list[Any], flags: list[bool], *tensors: Any
        ) -> Any:
            """Return the tensors that the grader computed, of any shapes."""
            ctx.call, ctx.request, ctx.tensors = call, request, tensors
            ctx.mark_non_differentiable(*[t for t, flag in zip(found, flags) if not flag])
            ctx.set_materialize_grads(False)
            return tuple(found)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            """Return the gradients of the call's tensors, each of its tensor's shape."""
            texts = [None if grad is None else write_tensor(grad) for grad in grads]
            again = {"rng": write_tensor(ctx.call.begun), "grads": texts, "grad": True}
            reply = _sent(ctx.call.grader.ask, {**ctx.request, **again})
            back = [None if one is None else read_tensor(one) for one in reply["grads"]]
            return (None, None, None, None, *back)

    return Gradients


def _class(name: str, methods: list[str], grader: Grader) -> Any:
    """Return a module class with local parameters, whose methods the grader answers."""
    from torch import nn

    class Part(nn.Module):
        """A part of a stand-in: a layer, or the whole."""

        _own_methods: tuple[str, ...] = ()

        def _call_method(self, method: str, *args: Any, **kwargs: Any) -> Any:
            """Send a call of a method, with the parameters that it depends on."""
            whole, path = self.__dict__["_of"]
            state = {key: _at(whole, key) for key in self.__dict__["_state"]}
            target = {
                "name": name,
                "method": method,
                "path": path,
                "attributes": _attributes(self),
            }
            init = whole.__dict__["_init"]
            return _Call(grader, target, state).result(args, kwargs, init)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            """Return what the grader's module returns, for inputs of any shapes."""
            return self._call_method("__call__", *args, **kwargs)

        def __getattr__(self, attribute: str) -> Any:
            """Return a method of the part that the grader answers, or a usual attribute."""
            if attribute in self.__dict__.get("_own_methods", ()):
                return partial(self._call_method, attribute)
            return super().__getattr__(attribute)

    class Whole(Part):
        """The stand-in of a whole module."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__()
            self.__dict__["_init"] = (args, kwargs)
            target = {"name": name, "method": "", "path": "", "attributes": {}}
            described = _Call(grader, target, {}).result((), {}, (args, kwargs))
            _build(self, described, Part)

    def method(which: str) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self._call_method(which, *args, **kwargs)

        call.__name__ = which
        return call

    body: dict[str, Any] = {which: method(which) for which in methods}
    body["coursekit_stand_in"] = True
    return type(name, (Whole,), body)


def _build(whole: Any, described: dict[str, Any], part_class: Any) -> None:
    """Give a stand-in the parts, parameters and attributes of the module that it replaces."""
    from torch import nn

    parts: dict[str, Any] = {}
    for one in described["parts"]:
        path = one["path"]
        if not path:
            part = whole
        else:
            part = part_class() if one["kind"] == "own" else _layer(one["kind"])
            owner, _, last = path.rpartition(".")
            parts[owner].add_module(last, part)
        parts[path] = part
        part.__dict__["_of"] = (whole, path)
        part.__dict__["_own_methods"] = tuple(one["methods"])
        part.__dict__.update(one["attributes"])
        part.__dict__["_shown"] = tuple(one["attributes"])
        part.__dict__.update((key, tuple(numbers)) for key, numbers in one["tuples"].items())
    for key, data, trained in described["parameters"]:
        owner, _, last = key.rpartition(".")
        parameter = nn.Parameter(read_tensor(data), requires_grad=trained)
        parts[owner].register_parameter(last, parameter)
    for key in described["absent"]:
        owner, _, last = key.rpartition(".")
        parts[owner].register_parameter(last, None)
    for key, data in described["buffers"]:
        owner, _, last = key.rpartition(".")
        parts[owner].register_buffer(last, read_tensor(data))
    for one in described["parts"]:
        parts[one["path"]].__dict__["_state"] = one["state"]


def _layer(kind: str) -> Any:
    """Return a layer of torch without its attributes; its computations run in this kernel."""
    from torch import nn

    if kind == "ModuleList":
        return nn.ModuleList()
    layer = object.__new__(getattr(nn, kind))
    nn.Module.__init__(layer)
    return layer


def _set_rng(state: Plain) -> None:
    """Set torch's generator to the state in which a call has left it, if the call changed it."""
    import torch

    if state is not None:
        torch.set_rng_state(read_tensor(state))


def _at(module: Any, path: str) -> Any:
    """Return the attribute of a module at a dotted path."""
    for name in path.split("."):
        module = getattr(module, name)
    return module


def _attributes(called: Any) -> dict[str, dict[str, Any]]:
    """Return the simple attributes and the training mode of a part and of its parts."""
    found = {}
    for part in called.modules():
        of = part.__dict__.get("_of")
        if of is None or of[0] is not called.__dict__["_of"][0]:
            continue  # the student's own, in a subclass
        shown = {key: part.__dict__.get(key) for key in part.__dict__["_shown"]}
        simple = {key: value for key, value in shown.items() if type(value) in _SIMPLE}
        found[of[1]] = {**simple, "training": part.training}
    return found
