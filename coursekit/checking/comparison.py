"""Comparison of a student's value with the expected one, stage by stage.

Type, then shape, then dtype and device, then properties, then values: the first stage that fails
gives a `Finding`. A *judge* compares one case; its rules are part of the case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coursekit.checking.codec import ArrayView, OtherView, SetView
from coursekit.checking.recording_format import Properties, Rules

RTOL, ATOL = 1e-4, 1e-6


@dataclass(frozen=True)
class Finding:
    """A failure: its stage, one sentence, and the position of the largest difference, if any."""

    stage: str
    message: str
    where: str = ""


def close(expected: Any, actual: Any, rules: Rules) -> Finding | None:
    """Compare structures, and numbers up to ``rtol`` and ``atol`` (default 1e-4 and 1e-6)."""
    return _compare(expected, actual, rules, "")


def same(expected: Any, actual: Any, rules: Rules) -> bool:
    """Tell whether two outputs are equal under the rules, be they right or wrong."""
    if _differ_at_first(expected, actual, rules):
        return False
    return _compare(expected, actual, {**rules, "properties": {}}, "") is None


def _differ_at_first(expected: Any, actual: Any, rules: Rules) -> bool:
    """Tell whether already the first numbers differ: a fast test that spares most comparisons."""
    while all(isinstance(one, (list, tuple)) and one for one in (expected, actual)):
        expected, actual = expected[0], actual[0]
    if not (isinstance(expected, ArrayView) and isinstance(actual, ArrayView)):
        return False
    floats = {_family(expected.dtype), _family(actual.dtype)} == {"float"}
    if not floats or expected.shape != actual.shape or not expected.values.size:
        return False
    e, a = (float(view.values.flat[0]) for view in (expected, actual))
    rtol, atol = _tolerances(expected, rules)
    return math.isfinite(e) and math.isfinite(a) and abs(a - e) > atol + rtol * abs(e)


def _tolerances(expected: ArrayView, rules: Rules) -> tuple[float, float]:
    """Return the relative and the absolute tolerance."""
    rtol, atol = rules.get("rtol", RTOL), rules.get("atol", ATOL)
    if expected.dtype in _HALF_PRECISION:  # not the student's: `.half()` would hide errors
        return max(rtol, 1e-2), max(atol, 1e-3)
    return rtol, atol


def accuracy(expected: Any, actual: Any, rules: Rules) -> Finding | None:
    """Check that predictions have an accuracy of at least ``at_least`` on ``labels``."""
    finding = _compare(expected, actual, rules, "", values=False)
    if finding is not None:
        return finding
    predictions = np.asarray(actual.values if isinstance(actual, ArrayView) else actual)
    labels = np.asarray(rules["labels"])
    right = float((predictions.reshape(-1) == labels).mean())
    if right >= rules["at_least"]:
        return None
    return Finding(
        "value",
        f"its predictions are right for {right:.0%} of {len(labels)} held-out examples;"
        f" {rules['at_least']:.0%} is needed",
    )


def shuffled(expected: Any, actual: Any, rules: Rules) -> Finding | None:
    """Check that parts of the expected sizes together contain the expected numbers, in any order.

    With ``must_shuffle``, sorted order is rejected, forwards and backwards, and so are parts of
    consecutive numbers.
    """
    finding = _compare(expected, actual, rules, "", values=False)
    if finding is not None:
        return finding
    if not expected:
        return None
    ours, theirs = (np.concatenate([p.values for p in parts]) for parts in (actual, expected))
    values, counts = np.unique(ours, return_counts=True)
    if (counts > 1).any():
        return Finding("value", f"{int(values[counts > 1][0])} appears more than once")
    if not np.array_equal(values, np.unique(theirs)):
        absent = np.setdiff1d(theirs, values)
        which = f"{int(absent[0])} is missing" if len(absent) else "it contains unexpected numbers"
        return Finding("value", which)
    if rules.get("must_shuffle") and np.array_equal(ours, np.sort(ours)):
        return Finding("value", "the order is not shuffled")
    if rules.get("must_shuffle") and np.array_equal(ours[::-1], np.sort(ours)):
        return Finding("value", "the order is only turned around, not shuffled")
    runs = [part.values for part in actual if part.values.size > 2]
    if rules.get("must_shuffle") and runs and all((abs(np.diff(run)) == 1).all() for run in runs):
        return Finding("value", "each part has consecutive numbers; shuffle before splitting")
    return None


def between(expected: Any, actual: Any, rules: Rules) -> Finding | None:
    """Check that all numbers are from ``low`` to ``high``."""
    finding = _compare(expected, actual, rules, "", values=False)
    if finding is not None:
        return finding
    values, low, high = _all_numbers(actual), rules["low"], rules["high"]
    wrong = values[(values < low) | (values > high) | np.isnan(values)]
    if wrong.size == 0:
        return None
    return Finding(
        "value", f"it should be between {low:g} and {high:g}, but is {wrong.flat[0]:.4g}"
    )


def _all_numbers(value: Any) -> np.ndarray:
    """Return the numbers of a value, or of all parts of a list or tuple, as a flat array."""
    if isinstance(value, (list, tuple)):
        return np.concatenate([np.empty(0), *map(_all_numbers, value)])
    values = value.values if isinstance(value, ArrayView) else value
    return np.asarray(values, dtype=float).reshape(-1)


JUDGES: dict[str, Callable[[Any, Any, Rules], Finding | None]] = {
    "close": close,
    "accuracy": accuracy,
    "shuffled": shuffled,
    "between": between,
}

#: The rules that every judge accepts, those that one kind needs, and which of these are optional.
RULES = {
    *("kind", "rtol", "atol", "dtype", "order", "properties", "raises"),
    *("may_change_inputs", "keeps_generators", "counters", "draws"),
}
KIND_RULES = {
    "accuracy": {"labels", "at_least"},
    "shuffled": {"must_shuffle"},
    "between": {"low", "high"},
}
OPTIONAL_RULES = {"must_shuffle"}
PROPERTIES = {"at_least", "at_most", "sums_to_one"}
_HALF_PRECISION = ("float16", "bfloat16")


def describe(value: Any) -> str:
    """Describe a value's type in a student's words: "a tensor", "a list", "None"."""
    if value is None:
        return "None"
    if isinstance(value, ArrayView):
        return {"tensor": "a tensor", "array": "a NumPy array"}[value.kind]
    if isinstance(value, OtherView):
        return f"an object of type {value.type}"
    if isinstance(value, SetView):
        return "a set"
    names = {bool: "True or False", int: "a whole number", float: "a number", str: "a string"}
    names |= {list: "a list", tuple: "a tuple", dict: "a dictionary"}
    return names.get(type(value), f"an object of type {type(value).__name__}")


def _compare(
    expected: Any, actual: Any, rules: Rules, path: str, values: bool = True
) -> Finding | None:
    """Compare the part of the result that `path` names, such as ``[0]`` or ``['good']``."""
    finding = _compare_type(expected, actual, path)
    if finding is not None:
        return finding
    if isinstance(expected, ArrayView):
        return _compare_arrays(expected, actual, rules, path, values)
    if isinstance(expected, (list, tuple)):
        return _compare_sequences(expected, actual, rules, path, values)
    if isinstance(expected, dict):
        return _compare_dicts(expected, actual, rules, path, values)
    if not values:
        return None
    if isinstance(expected, SetView):
        if same_members(expected, actual):
            return None
        return Finding("value", _at(path, "the set has the wrong elements"))
    if isinstance(expected, float):
        return _compare_values(_number_view(expected), _number_view(actual), rules, path)
    if expected != actual:
        return Finding("value", _at(path, f"expected {_short(expected)}, got {_short(actual)}"))
    return None


def same_members(expected: SetView, actual: SetView) -> bool:
    """Tell whether two sets have the same elements."""
    return sorted(map(repr, expected.items)) == sorted(map(repr, actual.items))


def _number_view(value: float) -> ArrayView:
    """Return a float as an array of no axes."""
    try:
        number = float(value)
    except OverflowError:  # an integer too large for a float
        number = float("inf")
    return ArrayView("array", "float64", "cpu", np.asarray(number))


def _compare_type(expected: Any, actual: Any, path: str) -> Finding | None:
    """Compare types; an integer is accepted where a float is expected."""
    wanted, got = describe(expected), describe(actual)
    if actual is None and expected is not None:
        return Finding("type", _at(path, f"it returns None instead of {wanted}"))
    if isinstance(expected, ArrayView):
        if isinstance(actual, ArrayView) and actual.kind == expected.kind:
            return None
        if isinstance(actual, OtherView) and actual.type.startswith("torch.Tensor"):
            message = f"it returns a {actual.type}; expected an ordinary tensor on the CPU"
            return Finding("dtype", _at(path, message))
        tip = _ARRAY_TIPS.get((expected.kind, _kind(actual)), "")
        return Finding("type", _at(path, f"it returns {got} instead of {wanted}{tip}"))
    if isinstance(expected, float):
        fits = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    else:
        fits = type(actual) is type(expected)
    if fits:
        return None
    single = isinstance(actual, ArrayView) and actual.values.size == 1
    number = isinstance(expected, (bool, int, float))
    tip = " (`.item()` gives the only number in an array)" if single and number else ""
    return Finding("type", _at(path, f"it returns {got} instead of {wanted}{tip}"))


_ARRAY_TIPS = {
    ("tensor", "array"): "; `torch.from_numpy` converts it",
    ("tensor", "list"): "; `torch.tensor` converts it",
    ("tensor", "number"): ": leave out `.item()` or `float()`, or convert it with `torch.tensor`",
    ("array", "tensor"): "; `.numpy()` converts it",
    ("array", "list"): "; `np.array` converts it",
}


def _kind(value: Any) -> str:
    """Return the name of a value's type for comparing."""
    if isinstance(value, ArrayView):
        return value.kind
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _family(dtype: str) -> str:
    """Return the family of a dtype, such as "float"."""
    if dtype == "bool":
        return "bool"
    if "int" in dtype:
        return "integer"
    return "complex" if dtype.startswith("complex") else "float"


def _compare_arrays(
    expected: ArrayView, actual: ArrayView, rules: Rules, path: str, values: bool
) -> Finding | None:
    """Compare shape, dtype, device, properties and, if asked for, values of arrays."""
    if expected.shape != actual.shape:
        message = f"its shape is {actual.shape} instead of {expected.shape}"
        return Finding("shape", _at(path, message))
    # models add and multiply tensors of one precision only; arrays of NumPy mix freely
    is_exact = expected.kind == "tensor" and _family(expected.dtype) == "float"
    if rules.get("dtype", "exact" if is_exact else "family") == "exact":
        fits = expected.dtype == actual.dtype
    else:
        fits = _family(expected.dtype) == _family(actual.dtype)
    if not fits:
        message = f"its dtype is {actual.dtype} instead of {expected.dtype}"
        if _family(expected.dtype) == "float" and _family(actual.dtype) == "integer":
            message += "; `.float()` converts integers to floats"
        return Finding("dtype", _at(path, message))
    if actual.device != expected.device:
        message = f"it is on {actual.device} instead of {expected.device}; `.cpu()` moves it back"
        return Finding("dtype", _at(path, message))
    rounding = 1e-2 if expected.dtype in _HALF_PRECISION else 1e-3
    finding = _check_properties(actual, rules.get("properties", {}), rounding, path)
    if finding is not None or not values:
        return finding
    return _compare_values(expected, actual, rules, path)


def _check_properties(
    actual: ArrayView, properties: Properties, rounding: float, path: str
) -> Finding | None:
    """Check bounds and sums; a sum of weights may differ from 1 by `rounding`."""
    values = actual.values.astype(float) if actual.values.dtype.kind in "fiub" else actual.values
    if "at_least" in properties and (values < properties["at_least"]).any():
        low = properties["at_least"]
        return Finding(
            "property",
            _at(path, f"it contains {values.min():.4g}, but no value can be below {low:g}"),
        )
    if "at_most" in properties and (values > properties["at_most"]).any():
        high = properties["at_most"]
        return Finding(
            "property",
            _at(path, f"it contains {values.max():.4g}, but no value can be above {high:g}"),
        )
    if "sums_to_one" in properties and values.size:
        axis = properties["sums_to_one"]
        sums = values.sum(axis)
        wrong = np.abs(sums - 1) > rounding
        if wrong.any():
            total = sums[wrong].flat[0]
            return Finding(
                "property", _at(path, f"weights along axis {axis} sum to {total:.4g}, not to 1")
            )
    return None


def _compare_values(
    expected: ArrayView, actual: ArrayView, rules: Rules, path: str
) -> Finding | None:
    """Compare numbers within the tolerances; NaN and infinity are reported as such."""
    if _family(expected.dtype) != "float" and _family(expected.dtype) == _family(actual.dtype):
        return _compare_exactly(expected.values, actual.values, path)
    e, a = (view.values.astype(float) for view in (expected, actual))
    if np.isnan(a).any() and not np.isnan(e).any():
        return Finding(
            "property", _at(path, "it contains NaN (not a number)"), _where(np.isnan(a), e, a)
        )
    if np.isinf(a).any() and not np.isinf(e).any():
        return Finding("property", _at(path, "it contains infinity"), _where(np.isinf(a), e, a))
    rtol, atol = _tolerances(expected, rules)
    with np.errstate(invalid="ignore"):
        if not (wrong := ~np.isclose(a, e, rtol=rtol, atol=atol, equal_nan=True)).any():
            return None
        distance = np.where(wrong, np.nan_to_num(np.abs(a - e), nan=np.inf, posinf=np.inf), -1.0)
    where = _where(distance == distance.max(), e, a)
    if e.size == 1:
        return Finding("value", _at(path, f"expected {e.flat[0]:.6g}, got {a.flat[0]:.6g}"))
    what = "numbers differ"
    if np.isclose(a[wrong], -e[wrong], rtol=rtol, atol=atol).all():
        what = "numbers have the wrong sign" if wrong.sum() > 1 else "numbers has the wrong sign"
    return Finding("value", _at(path, f"{int(wrong.sum())} of {wrong.size} {what}"), where)


def _compare_exactly(expected: np.ndarray, actual: np.ndarray, path: str) -> Finding | None:
    """Compare integers, booleans and complex numbers, which must be equal, not just close."""
    wrong = expected != actual
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    shown = f"expected {expected[index]}, got {actual[index]}"
    if expected.size == 1:
        return Finding("value", _at(path, shown))
    share = f"{int(wrong.sum())} of {wrong.size} differ"
    return Finding("value", _at(path, share), f"at [{', '.join(map(str, index))}]: {shown}")


def _where(mask: np.ndarray, expected: np.ndarray, actual: np.ndarray) -> str:
    """Describe the first marked position with its expected and its actual number."""
    if mask.ndim == 0:
        return f"expected {expected[()]:.6g}, got {actual[()]:.6g}"
    index = tuple(int(i) for i in np.argwhere(mask)[0])
    position = ", ".join(map(str, index))
    return f"at [{position}]: expected {expected[index]:.6g}, got {actual[index]:.6g}"


def _compare_sequences(
    expected: Any, actual: Any, rules: Rules, path: str, values: bool
) -> Finding | None:
    """Compare lists or tuples: their lengths, then element by element."""
    if len(expected) != len(actual):
        plural = "" if len(actual) == 1 else "s"
        message = f"it has {len(actual)} element{plural} instead of {len(expected)}"
        return Finding("shape", _at(path, message))
    for i, (e, a) in enumerate(zip(expected, actual)):
        finding = _compare(e, a, rules, f"{path}[{i}]", values)
        if finding is not None:
            return finding
    return None


def _compare_dicts(
    expected: dict[Any, Any],
    actual: dict[Any, Any],
    rules: Rules,
    path: str,
    values: bool,
) -> Finding | None:
    """Compare the keys of dictionaries, their order if the rules ask for it, then the values."""
    absent = [key for key in expected if key not in actual]
    extra = [key for key in actual if key not in expected]
    if absent:
        return Finding("value", _at(path, f"the key {_short(absent[0])} is missing"))
    if extra:
        return Finding("value", _at(path, f"the key {_short(extra[0])} should not be there"))
    if rules.get("order") and list(expected) != list(actual):
        return Finding("value", _at(path, "the keys are right but in the wrong order"))
    for key, e in expected.items():
        finding = _compare(e, actual[key], rules, f"{path}[{_short(key)}]", values)
        if finding is not None:
            return finding
    return None


def _at(path: str, message: str) -> str:
    """Prefix a message with the part of the result that it is about."""
    return f"in result{path}: {message}" if path else message


def _short(value: Any) -> str:
    """Return the repr of a value, at most 60 characters long."""
    text = value.text if isinstance(value, OtherView) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
