"""Python code that rebuilds a case's inputs, to be pasted into a notebook."""

from __future__ import annotations

import math
import re
from typing import Any, cast

import numpy as np

from coursekit.checking import codec
from coursekit.checking.codec import ArrayView, OtherView, SetView
from coursekit.checking.recording_format import Question

#: The dtypes that a tensor has without being told, by the kind of its numbers.
_USUAL = {"tensor": ("float32", "int64", "bool"), "array": ("float64", "int64", "bool")}
_MODULES = {"tensor": "torch", "array": "np"}
#: What a case may do besides calling a function, which one expression cannot repeat.
_MORE = ("state", "then", "gradient")
#: Marks a tensor whose layout in memory is part of the case, which its numbers do not show.
_GAPS = "'contiguous': False"


class _NoCode(Exception):
    """Exception for a value that no short Python expression can rebuild."""


def call_as_code(name: str, case: Question, limit: int) -> str:
    """Return the call as an expression of at most `limit` characters; "" if there is none.

    Torch's functions are written ``torch.tensor``, NumPy's ``np.array``, as in the notebooks.
    """
    if any(case.get(key) for key in _MORE) or _GAPS in repr(case.get("args")):
        return ""
    try:
        parts = [_code(codec.decode_views(value)) for value in case.get("args", [])]
        parts += [
            f"{key}={_code(codec.decode_views(value))}"
            for key, value in case.get("kwargs", {}).items()
        ]
    except _NoCode:
        return ""
    text = f"{name}({', '.join(parts)})"
    return text if len(text) <= limit else ""


def _code(value: Any) -> str:
    """Return an expression for a decoded value."""
    if isinstance(value, ArrayView):
        return _array(value)
    if isinstance(value, OtherView):
        return _other(value)
    if isinstance(value, SetView):
        return "{" + _all(value.items) + "}" if value.items else "set()"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_code(k)}: {_code(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{_all(value)}]"
    if isinstance(value, tuple):
        return f"({_all(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _all(items: list[Any] | tuple[Any, ...]) -> str:
    """Return the expressions for several values, separated by commas."""
    return ", ".join(map(_code, items))


def _array(view: ArrayView) -> str:
    """Return an expression for an array or tensor."""
    module, usual = _MODULES[view.kind], _USUAL[view.kind]
    if not view.values.size:
        dtype = "" if view.dtype == usual[0] else f", dtype={module}.{view.dtype}"
        return f"{module}.zeros({view.shape}{dtype})"
    dtype = "" if view.dtype in usual else f", dtype={module}.{view.dtype}"
    if view.values.dtype.kind not in "fiub":
        raise _NoCode
    return f"{module}.{view.kind}({_numbers(view.values, module)}{dtype})"


def _numbers(values: np.ndarray, module: str) -> str:
    """Return an array's numbers as nested lists, in the fewest digits that give them exactly."""
    if values.ndim:
        return "[" + ", ".join(_numbers(part, module) for part in values) + "]"
    if values.dtype.kind != "f":
        return str(values.item())
    if not np.isfinite(values):
        return str(values.item()).replace("inf", f"{module}.inf").replace("nan", f"{module}.nan")
    # a scalar, written with the shortest digits that give it in its precision
    number = cast("np.floating[Any]", values[()])
    if 1e-4 <= abs(float(number)) < 1e6 or number == 0:
        text = np.format_float_positional(number, unique=True, trim="-")
        return text if "." in text else f"{text}."
    return np.format_float_scientific(number, unique=True, trim="-")


def _other(view: OtherView) -> str:
    """Return an expression for a generator, a dtype or a function given as text."""
    if view.type == "generator" and re.fullmatch(r"\d+", view.text):
        return f"torch.Generator().manual_seed({view.text})"
    if view.type == "dtype":
        return f"torch.{view.text}"
    if view.type == "source" and len(view.text) < 200:  # longer ones are cut
        return view.text
    raise _NoCode
