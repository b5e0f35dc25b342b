"""Serialization of Python values, arrays and tensors as JSON with raw bytes, never pickle.

Recordings are stored in this format, and the grader and a submission exchange inputs and outputs
in it. Decoding runs no code, except where an exercise is *run*: an input may be a function
(`Source`), which is evaluated.

There are two decoders: `decode` rebuilds the values (torch tensors included), and `decode_views`
gives NumPy-backed views for comparing, which needs no torch and is safe on untrusted data.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import contextvars
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coursekit.checking.recording_format import Plain

MAX_BYTES = 2**20
MAX_NODES = 100_000
MAX_DEPTH = 40
_FEW_KEYS = 100  # this many may have the same hash

_DTYPES = {
    **{name: np.dtype(name) for name in ("float16", "float32", "float64", "bool")},
    **{name: np.dtype(name) for name in ("int8", "int16", "int32", "int64")},
    **{name: np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64")},
    "complex64": np.dtype("complex64"),
    "complex128": np.dtype("complex128"),
    "bfloat16": np.dtype("uint16"),
}


_BASES: tuple[Any, ...] = (tuple, list, str, int, float, set, frozenset)  # of other types


class PlainDataError(ValueError):
    """Error for a value that is too large, nested too deeply or malformed to be serialized."""


@dataclass(frozen=True)
class Source:
    """A function as an input, given as the text of a lambda: ``Source("lambda x: x ** 2")``."""

    text: str


@dataclass(frozen=True)
class Drawn:
    """A `torch.Generator` as an input: its seed, and how many numbers were drawn from it."""

    seed: int
    count: int = 0


@dataclass(frozen=True)
class ArrayView:
    """The data of an array or tensor.

    Attributes
    ----------
    kind : {"tensor", "array"}
        Which of the two. (A NumPy scalar becomes a Python number.)
    dtype : str
        The dtype's name, such as ``"float32"``.
    device : str
        The name of its device, such as ``"cpu"``.
    values : numpy.ndarray
        The numbers; bfloat16 is widened to float32.
    """

    kind: str
    dtype: str
    device: str
    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.values.shape


@dataclass(frozen=True)
class OtherView:
    """A value that cannot be serialized: its type's name and the start of its repr."""

    type: str
    text: str


class Encoder:
    """Encoder of one value as JSON-serializable data, with limits on bytes, nodes and depth."""

    def __init__(self, max_bytes: int = MAX_BYTES, max_nodes: int = MAX_NODES) -> None:
        self.bytes_left = max_bytes
        self.nodes_left = max_nodes

    def encode(self, value: Any, depth: int = 0) -> Plain:
        """Return a value as plain data; arrays and other types are marked by a ``$`` tag."""
        self._spend(depth)
        kind = type(value)
        plain: Plain
        if value is None or kind is bool:
            plain = value
            return plain
        if kind is int:
            plain = value
            return plain if abs(value) < 2**63 else {"$int": self._text(str(value))}
        if kind is str:
            return self._text(value)
        if kind is float:
            plain = value
            return plain if math.isfinite(value) else {"$float": repr(value)}
        if kind is list:
            return [self.encode(item, depth + 1) for item in value]
        if kind is tuple:
            return {"$tuple": [self.encode(item, depth + 1) for item in value]}
        if kind in (set, frozenset):
            return {"$set": sorted((self.encode(v, depth + 1) for v in value), key=repr)}
        if isinstance(value, Mapping):
            pairs: list[Plain] = [
                [self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()
            ]
            return {"$dict": pairs, "type": kind.__name__}
        if kind is Source:
            return {"$source": self._text(value.text)}
        if kind is Drawn:
            return {"$generator": [value.seed, value.count] if value.count else value.seed}
        if isinstance(value, np.ndarray) and value.dtype.name in _DTYPES:
            return {"$array": self._array(value.dtype.name, value)}
        if isinstance(value, np.generic) and value.dtype.name in _DTYPES:
            return {"$scalar": self._array(value.dtype.name, np.asarray(value))}
        torch = sys.modules.get("torch")
        if torch is not None:
            if isinstance(value, torch.Tensor):
                return self._tensor(torch, value)
            if isinstance(value, torch.Generator):
                return {"$generator": value.initial_seed()}
            if isinstance(value, torch.dtype):
                return {"$dtype": str(value).removeprefix("torch.")}
            if isinstance(value, torch.device):
                return {"$device": str(value)}
        for base in _BASES:
            if isinstance(value, base):  # what it contains, whatever methods it has of its own
                add = getattr(base, "__add__", None)
                return self.encode(add(value, base()) if add else base(base.__iter__(value)), depth)
        return {"$other": [_type_name(value), self._text(_safe_repr(value))]}

    def _tensor(self, torch: Any, value: Any) -> Plain:
        """Return a strided tensor as plain data, any other one as the name of its kind."""
        tensor = value.detach()
        name = str(tensor.dtype).removeprefix("torch.")
        device = str(tensor.device)
        if device.startswith("meta") or name not in _DTYPES or tensor.layout != torch.strided:
            sparse = "" if tensor.layout == torch.strided else "sparse, "
            return {"$other": [f"torch.Tensor ({sparse}{name}, on {device})", ""]}
        gaps = {} if tensor.is_contiguous() else {"contiguous": False}
        tensor = tensor.resolve_conj().resolve_neg().cpu().contiguous()
        if name == "bfloat16":
            tensor = tensor.view(torch.int16)
        return {"$tensor": {**self._array(name, tensor.numpy()), "device": device, **gaps}}

    def _array(self, name: str, array: np.ndarray) -> dict[str, Plain]:
        """Return an array's dtype, shape and little-endian bytes in base64."""
        self._spend_bytes(array.nbytes)
        little = np.ascontiguousarray(array).astype(_DTYPES[name].newbyteorder("<"), copy=False)
        data = base64.b64encode(little.tobytes()).decode("ascii")
        return {"dtype": name, "shape": list(array.shape), "data": data}

    def _text(self, text: str) -> str:
        """Return a text that is valid UTF-8."""
        self._spend_bytes(len(text))
        return text.encode("utf-8", "replace").decode("utf-8")

    def _spend(self, depth: int) -> None:
        """Count one more node, and refuse values that are too deep or have too many."""
        self.nodes_left -= 1
        if depth > MAX_DEPTH:
            raise PlainDataError(f"the value is nested more than {MAX_DEPTH} levels deep")
        if self.nodes_left < 0:
            raise PlainDataError("the value has too many elements to compare")

    def _spend_bytes(self, count: int) -> None:
        """Count more bytes, and refuse a value that is too large."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise PlainDataError(f"the value is larger than {MAX_BYTES // 2**20} MiB")


def encode(value: Any) -> Plain:
    """Return the value as JSON-serializable plain data.

    Raises
    ------
    PlainDataError
        The value is larger than 1 MiB, has over 100,000 elements or is nested too deeply.
    """
    return Encoder().encode(value)


def decode(data: Any) -> Any:
    """Return the value as the checked function receives it (tensors on the CPU).

    Only for trusted data: a `Source` is evaluated.
    """
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    tag, body = next(iter(data.items()))
    if tag == "$tuple":
        return tuple(decode(item) for item in body)
    if tag == "$set":
        return {decode(item) for item in body}
    if tag == "$dict":
        return {decode(k): decode(v) for k, v in body}
    if tag in ("$int", "$float"):
        return int(body) if tag == "$int" else float(body)
    if tag == "$array":
        return _numbers(body)
    if tag == "$scalar":
        return _numbers(body)[()]
    if tag == "$source":
        return _evaluate(body)
    return _decode_torch(tag, body)


def _decode_torch(tag: str, body: Any) -> Any:
    """Return a tensor, generator, dtype or device from its tag and content."""
    import torch

    if tag == "$tensor":
        if body["dtype"] == "bfloat16":
            tensor = torch.from_numpy(_raw(body).view(np.int16)).view(torch.bfloat16)
        else:
            tensor = torch.from_numpy(_numbers(body))
        return tensor if body.get("contiguous", True) else _with_gaps(tensor)
    if tag == "$generator":
        seed, count = body if isinstance(body, list) else (body, 0)
        generator = torch.Generator().manual_seed(seed)
        torch.rand(count, generator=generator)
        return generator
    if tag == "$dtype":
        return getattr(torch, body)
    if tag == "$device":
        return torch.device(body)
    raise PlainDataError(f"unknown tag {tag}")


def _with_gaps(tensor: Any) -> Any:
    """Return the same numbers in a memory layout in which `view` can merge no two dimensions.

    Two or more dimensions are stored transposed; a vector is every second element of a longer one.
    """
    import torch

    transposed = tensor.mT.contiguous().mT if tensor.ndim > 1 else tensor
    if not transposed.is_contiguous():
        return transposed
    return torch.stack([tensor, torch.zeros_like(tensor)], dim=-1)[..., 0]


def _evaluate(text: str) -> Any:
    """Evaluate the text of a function that an exercise's author wrote."""
    names: dict[str, Any] = {"np": np, "math": math}
    if "torch" in text:
        import torch

        names["torch"] = torch
    return eval(text, names)  # written by the author of the exercise


#: What was decoded in a block of `decoded_once`: the data's id -> the data, and its view.
_decoded: contextvars.ContextVar[dict[int, tuple[Any, Any]] | None] = contextvars.ContextVar(
    "_decoded", default=None
)


@contextlib.contextmanager
def decoded_once() -> Iterator[None]:
    """Make `decode_views` return the same view for the same data object within the block.

    Neither data nor views may be changed meanwhile. A block within another one shares its views.
    """
    token = _decoded.set({} if (known := _decoded.get()) is None else known)
    try:
        yield
    finally:
        _decoded.reset(token)


def decode_views(data: Any) -> Any:
    """Return the value with arrays and tensors as `ArrayView`; safe on untrusted data.

    Raises
    ------
    PlainDataError
        The data is malformed: an unknown tag, a wrong number of bytes, nested too deeply.
    """
    known = _decoded.get()
    if known is None or not isinstance(data, (list, dict)):
        return _views(data, 0)
    if id(data) not in known:
        known[id(data)] = data, _views(data, 0)
    return known[id(data)][1]


def _views(data: Any, depth: int) -> Any:
    """Return the views of a value that is nested `depth` levels deep."""
    if depth > MAX_DEPTH:
        raise PlainDataError(f"the value is nested more than {MAX_DEPTH} levels deep")
    if isinstance(data, list):
        return [_views(item, depth + 1) for item in data]
    if not isinstance(data, dict):
        return data
    try:
        tag, body = next(iter(data.items()))
        if tag == "$scalar":
            return _numbers(body).item()
        if tag in ("$tensor", "$array"):
            device = str(body.get("device", "cpu"))
            return ArrayView(tag[1:], body["dtype"], device, _numbers(body))
        if tag in ("$tuple", "$set"):
            items = [_views(item, depth + 1) for item in body]
            return tuple(items) if tag == "$tuple" else SetView(items)
        if tag == "$dict":
            return _dictionary([(_views(k, depth + 1), _views(v, depth + 1)) for k, v in body])
        if tag in ("$int", "$float"):
            return int(body[:400]) if tag == "$int" else float(body)
        if tag == "$other":
            return OtherView(str(body[0])[:200], str(body[1])[:400])
        if tag in ("$dtype", "$device", "$generator", "$source"):
            return OtherView(tag[1:], str(body)[:200])
    except PlainDataError:
        raise
    except (
        *(LookupError, TypeError, ValueError, ArithmeticError, AttributeError, StopIteration),
    ) as error:
        raise PlainDataError("the value could not be decoded") from error
    raise PlainDataError("the value could not be decoded")


@dataclass(frozen=True)
class SetView:
    """A set, as a list of views of its elements in a fixed order."""

    items: list[Any]


def _dictionary(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a dictionary of decoded pairs; refuse keys chosen to collide in the hash table."""
    keys = [_hashable(key) for key, _ in pairs]
    if len(keys) > _FEW_KEYS:
        hashes = sorted(hash(key) for key in keys if not isinstance(key, str))
        if any(a == b for a, b in zip(hashes, hashes[_FEW_KEYS:])):
            raise PlainDataError("the dictionary has too many keys with the same hash")
    return dict(zip(keys, (value for _, value in pairs)))


def _hashable(key: Any) -> Any:
    """Return the key, or its repr if it cannot be hashed."""
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key


def _raw(body: dict[str, Any]) -> np.ndarray:
    """Return the array that base64 data, a dtype and a shape describe."""
    dtype = _DTYPES[body["dtype"]]
    shape = [int(n) for n in body["shape"]]
    try:
        raw = base64.b64decode(body["data"], validate=True)
    except (binascii.Error, TypeError) as error:
        raise PlainDataError("the array's data is damaged") from error
    if len(shape) > MAX_DEPTH or any(n < 0 for n in shape):
        raise PlainDataError("the array's shape is invalid")
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise PlainDataError("the array's data does not match its shape")
    return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype).reshape(shape)


def _numbers(body: dict[str, Any]) -> np.ndarray:
    """Return an array's numbers, with bfloat16 widened to float32."""
    raw = _raw(body)
    if body["dtype"] == "bfloat16":
        return (raw.astype(np.uint32) << 16).view(np.float32)
    return raw


def _type_name(value: Any) -> str:
    """Return a type's name, with its module unless it is built in or the notebook's own."""
    kind = type(value)
    module = getattr(kind, "__module__", "")
    name = str(getattr(kind, "__qualname__", kind))
    return name if module in ("builtins", "__main__") else f"{module}.{name}"


def _safe_repr(value: Any) -> str:
    """Return the start of the repr without memory addresses, which differ between runs."""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", repr(value)[:400])[:200]
    except BaseException:  # a student's own __repr__ may do anything
        return "(no text)"
