"""Serialization of calls of a helper that runs in another process.

A call's tensors travel in a list of their own, so that gradients can be asked for by position; its
generators and functions too, since they cannot travel: of a generator its state goes there and back,
and a function stays where it is and is called there. `pack` writes a value, `unpack` reads one. Both
are safe on data from a process that is not trusted: nothing in it is evaluated.
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from coursekit.checking import codec
from coursekit.checking.recording_format import Plain

#: Tags of the codec whose values are plain numbers.
_LEAVES = ("$int", "$float", "$array", "$scalar")
_MAPPINGS: dict[str, type[Any]] = {
    "Counter": collections.Counter,
    "OrderedDict": collections.OrderedDict,
}


class NotSendable(TypeError):
    """Error for a value of a call that cannot be sent to another process."""


@dataclass
class Cargo:
    """Objects that a packed value refers to by their position in a list.

    Attributes
    ----------
    tensors, generators : list
        Its tensors, and its torch generators.
    functions : list of callable
        Its functions.
    """

    tensors: list[Any] = field(default_factory=list)
    generators: list[Any] = field(default_factory=list)
    functions: list[Callable[..., Any]] = field(default_factory=list)


def pack(value: Any, cargo: Cargo, depth: int = 0) -> Plain:
    """Turn a value into plain data; add tensors, generators and functions to `cargo`.

    Raises
    ------
    NotSendable
        It has an object in it that cannot travel.
    codec.PlainDataError
        It is too large or nested too deeply.
    """
    import torch

    if depth > codec.MAX_DEPTH:
        raise codec.PlainDataError(f"the value is nested more than {codec.MAX_DEPTH} levels deep")
    if isinstance(value, torch.Tensor):
        return {"$at": _add(cargo.tensors, value)}
    if isinstance(value, torch.Generator):
        return {"$generator": _add(cargo.generators, value)}
    if isinstance(value, (list, tuple, range)):
        items: list[Plain] = [pack(item, cargo, depth + 1) for item in value]
        return {"$tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, (set, frozenset)):
        return {"$set": [pack(item, cargo, depth + 1) for item in sorted(value, key=repr)]}
    if isinstance(value, Mapping):
        pairs: list[Plain] = [
            [pack(key, cargo, depth + 1), pack(one, cargo, depth + 1)] for key, one in value.items()
        ]
        return {"$dict": pairs, "type": type(value).__name__}
    if callable(value) and not isinstance(value, (type, torch.dtype)):
        return {"$function": _add(cargo.functions, value)}
    plain = codec.encode(value)
    if isinstance(plain, dict) and next(iter(plain)) not in (*_LEAVES, "$dtype", "$device"):
        raise NotSendable(f"an object of type {type(value).__name__} cannot be passed on")
    return plain


def _add(items: list[Any], value: Any) -> int:
    """Append a value and return its position."""
    items.append(value)
    return len(items) - 1


def unpack(data: Any, cargo: Cargo, depth: int = 0) -> Any:
    """Return the value that `pack` wrote.

    Raises
    ------
    codec.PlainDataError
        The data is not what `pack` writes.
    """
    if depth > codec.MAX_DEPTH:
        raise codec.PlainDataError("the value is nested too deeply")
    if isinstance(data, list):
        return [unpack(item, cargo, depth + 1) for item in data]
    if not isinstance(data, dict):
        return data
    if not data:
        raise codec.PlainDataError("the value could not be decoded")
    try:
        tag, body = next(iter(data.items()))
        if tag in ("$at", "$generator", "$function"):
            kinds = {"$at": cargo.tensors, "$generator": cargo.generators}
            return kinds.get(tag, cargo.functions)[_number(body)]
        if tag in ("$tuple", "$set"):
            items = [unpack(item, cargo, depth + 1) for item in body]
            return tuple(items) if tag == "$tuple" else set(items)
        if tag == "$dict":
            made = _MAPPINGS.get(str(data.get("type")), dict)()
            for key, value in body:
                made[unpack(key, cargo, depth + 1)] = unpack(value, cargo, depth + 1)
            return made
        return unpack_leaf(tag, body)
    except codec.PlainDataError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise codec.PlainDataError("the value could not be decoded") from error


def _number(body: Any) -> int:
    """Return a position in a list after checking that it is one."""
    if not isinstance(body, int) or body < 0:
        raise codec.PlainDataError("a position must be a number from 0")
    return body


def unpack_leaf(tag: str, body: Any) -> Any:
    """Return a number, an array, a dtype or a device from its tag and content.

    Raises
    ------
    codec.PlainDataError
        It is something else.
    """
    if tag in _LEAVES:
        return codec.decode({tag: body[:400] if tag in ("$int", "$float") else body})
    torch = sys.modules["torch"]
    if tag == "$dtype" and isinstance(made := getattr(torch, str(body)), torch.dtype):
        return made
    if tag == "$device" and body == "cpu":
        return torch.device("cpu")
    raise codec.PlainDataError("the value could not be decoded")


def write_tensor(tensor: Any) -> Plain:
    """Return a tensor as plain data.

    Raises
    ------
    NotSendable
        It has no numbers that could travel, being sparse or on another device.
    """
    plain = codec.encode(tensor)
    assert isinstance(plain, dict)  # as of every tensor
    if "$tensor" not in plain or tensor.device.type != "cpu":
        raise NotSendable("only ordinary tensors on the CPU can be passed on")
    return plain


def read_tensor(data: Any) -> Any:
    """Return the tensor that `write_tensor` wrote.

    Raises
    ------
    codec.PlainDataError
        The data is something else.
    """
    if not isinstance(data, dict) or not isinstance(data.get("$tensor"), dict):
        raise codec.PlainDataError("a tensor was expected")
    try:
        return codec.decode({"$tensor": data["$tensor"]})
    except (LookupError, TypeError, ValueError, ArithmeticError, RuntimeError) as error:
        raise codec.PlainDataError("the tensor could not be decoded") from error


def is_differentiable(tensor: Any) -> bool:
    """Tell whether a tensor can have a gradient."""
    return bool(tensor.is_floating_point() or tensor.is_complex())
