"""Short text forms of values, so that a failing case fits in a few lines."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from coursekit.checking import codec
from coursekit.checking.as_code import call_as_code
from coursekit.checking.codec import ArrayView, OtherView, SetView
from coursekit.checking.gradients import ALL
from coursekit.checking.recording_format import Question, RecordedExercise

_LIMIT = 240
_FEW_WEIGHTS = 4
#: Dtypes that matter for a result and that its digits do not show.
_RARE = ("float16", "bfloat16", "float64", "int32")
_PADDING = re.compile(r"(?<=\[) | (?=[],])")  # NumPy adds these to align columns


def show(value: Any, limit: int = _LIMIT) -> str:
    """Format a view (see `codec.decode_views`) in at most `limit` characters."""
    text = _show(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def show_call(exercise: RecordedExercise, case: Question) -> str:
    """Format a case as the call that a student would type: ``softmax(torch.tensor([1., 2.]))``.

    It can be pasted into a notebook if it is short and only calls a function; else it is abbreviated.
    """
    if case.get("again"):
        return _show_calls(exercise["name"], case)
    if code := call_as_code(exercise["name"], case, 2 * _LIMIT):
        return code
    parts = [show(codec.decode_views(a), 120) for a in case.get("args", [])]
    gradient = case.get("gradient")
    if gradient:  # show the names, one of which the gradient refers to
        parts = [f"{name}={part}" for name, part in zip(case["names"], parts)]
    parts += [
        f"{name}={show(codec.decode_views(v), 120)}" for name, v in case.get("kwargs", {}).items()
    ]
    text = f"{exercise['name']}({', '.join(parts)})"
    # Many weights would push the input out of sight; hooks (names with _) are internal.
    state = {k: v for k, v in case.get("state", {}).items() if not k.startswith("_")}
    if len(state) > _FEW_WEIGHTS:
        text += f" with {len(state)} weights set: {', '.join(list(state)[:2])}, ...; "
    elif state:
        shown = [f"{k} = {show(codec.decode_views(v), 80)}" for k, v in state.items()]
        text += f" with {', '.join(shown)}; "
    steps = [_show_step(*step) for step in case.get("then", [])]
    if len(steps) > 1:  # all of them on the same object, which needs a name
        text = f"obj = {text.removesuffix('; ')}; " + ", ".join(f"obj{step}" for step in steps)
    else:
        text += "".join(steps)
    text = text if len(text) <= 2 * _LIMIT else text[: 2 * _LIMIT - 3] + "..."
    if gradient == ALL:
        return f"{text}, then the gradients of all inputs and parameters"
    return text + (f", then the gradient of {gradient}" if gradient else "")


def _show_calls(name: str, case: Question) -> str:
    """Format a function that is called several times: ``softmax(...); softmax(...)``."""
    calls = [(case.get("args", []), case.get("kwargs", {})), *case["again"]]
    text = "; ".join(name + _show_step("__call__", list(args), kwargs) for args, kwargs in calls)
    return text if len(text) <= 2 * _LIMIT else text[: 2 * _LIMIT - 3] + "..."


def _show_step(method: str, args: list[Any], kwargs: dict[str, Any]) -> str:
    """Format a further call of a case without the object: ``.attention(tensor([[2, 3]]))``."""
    if method.startswith("."):
        return method
    inner = [show(codec.decode_views(a), 80) for a in args]
    inner += [f"{k}={show(codec.decode_views(v), 80)}" for k, v in kwargs.items()]
    return ("" if method == "__call__" else f".{method}") + f"({', '.join(inner)})"


def _show(value: Any) -> str:
    """Format a view at any length."""
    if isinstance(value, ArrayView):
        return _show_array(value)
    if isinstance(value, OtherView):
        if value.type == "generator" and (numbers := re.findall(r"\d+", value.text)):
            drawn = f", after {numbers[1]} draws" if len(numbers) > 1 else ""
            return f"torch.Generator().manual_seed({numbers[0]}){drawn}"
        return value.text or f"<{value.type}>"
    if isinstance(value, SetView):
        return "{" + _join(value.items) + "}" if value.items else "set()"
    if isinstance(value, dict):
        pairs = [f"{_show(k)}: {_show(v)}" for k, v in list(value.items())[:20]]
        return "{" + ", ".join(pairs) + (", ..." if len(value) > 20 else "") + "}"
    if isinstance(value, list):
        return f"[{_join(value)}]"
    if isinstance(value, tuple):
        return f"({_join(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, float):
        return f"{value:.6g}" if value != int_or_none(value) else f"{value:.1f}"
    return repr(value)


def int_or_none(value: float) -> float | None:
    """Return the value if it is a small whole number, which reads better as 2.0 than as 2."""
    return value if abs(value) < 1e6 and value == round(value) else None


def _join(items: list[Any] | tuple[Any, ...]) -> str:
    """Format up to 20 items, separated by commas."""
    return ", ".join(_show(item) for item in items[:20]) + (", ..." if len(items) > 20 else "")


def _show_array(view: ArrayView) -> str:
    """Format an array or tensor: its numbers, or its shape if there are many."""
    if view.values.size > 60 or (view.values.size == 0 and len(view.shape) > 1):
        return f"{view.kind} of shape {view.shape}"
    with np.printoptions(precision=4, suppress=True, threshold=60, linewidth=100):
        numbers = " ".join(np.array2string(view.values, separator=", ").split())
    dtype = f", dtype={view.dtype}" if view.dtype in _RARE else ""
    return f"{view.kind}({_PADDING.sub('', numbers)}{dtype})"
