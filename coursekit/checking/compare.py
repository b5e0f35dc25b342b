"""Compares a student's value with the expected one, stage by stage.

type, then shape, then dtype and device, then properties, then values: the first stage that
fails is a `Finding`. A *judge* is how one case is compared; its rules travel with the case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coursekit.checking.codec import ArrayView, OtherView, SetView

RTOL, ATOL = 1e-4, 1e-6


@dataclass(frozen=True)
class Finding:
    """What failed: the stage, one sentence, and where the largest difference is, if anywhere."""

    stage: str
    message: str
    where: str = ""


def close(expected: Any, actual: Any, rules: dict[str, Any]) -> Finding | None:
    """Same structure, and numbers equal up to ``rtol`` and ``atol`` (default 1e-4 and 1e-6)."""
    return _compare(expected, actual, rules, "")


def same(expected: Any, actual: Any, rules: dict[str, Any]) -> bool:
    """Whether two outputs are the same answer, right or wrong."""
    return _compare(expected, actual, {**rules, "properties": {}}, "") is None


def accuracy(expected: Any, actual: Any, rules: dict[str, Any]) -> Finding | None:
    """Predictions that agree with ``labels`` on at least the share ``at_least``."""
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


def shuffled(expected: Any, actual: Any, rules: dict[str, Any]) -> Finding | None:
    """Parts of the expected sizes that hold together the expected numbers, in another order.

    With ``must_shuffle`` the order 0, 1, 2, ... is refused, also inside the parts alone.
    """
    finding = _compare(expected, actual, rules, "", values=False)
    if finding is not None:
        return finding
    if not expected:
        return None
    ours, theirs = (np.concatenate([p.values for p in parts]) for parts in (actual, expected))
    values, counts = np.unique(ours, return_counts=True)
    if (counts > 1).any():
        return Finding("value", f"{int(values[counts > 1][0])} comes more than once")
    if not np.array_equal(values, np.unique(theirs)):
        absent = np.setdiff1d(theirs, values)
        which = f"{int(absent[0])} never comes" if len(absent) else "there are numbers too many"
        return Finding("value", which)
    if rules.get("must_shuffle") and np.array_equal(ours, np.sort(ours)):
        return Finding("value", "the order is not shuffled")
    runs = [part.values for part in actual if part.values.size > 2]
    if rules.get("must_shuffle") and runs and all((np.diff(run) == 1).all() for run in runs):
        return Finding("value", "each part still holds neighbors; shuffle before cutting")
    return None


def between(expected: Any, actual: Any, rules: dict[str, Any]) -> Finding | None:
    """A number (or numbers) from ``low`` to ``high``."""
    finding = _compare(expected, actual, rules, "", values=False)
    if finding is not None:
        return finding
    values, low, high = _all_numbers(actual), rules["low"], rules["high"]
    wrong = values[(values < low) | (values > high) | np.isnan(values)]
    if wrong.size == 0:
        return None
    return Finding(
        "value", f"it should lie between {low:g} and {high:g}, not at {wrong.flat[0]:.4g}"
    )


def _all_numbers(value: Any) -> np.ndarray:
    """The numbers of a value, or of all parts of a list or tuple (several calls give a tuple)."""
    if isinstance(value, (list, tuple)):
        return np.concatenate([np.empty(0), *map(_all_numbers, value)])
    values = value.values if isinstance(value, ArrayView) else value
    return np.asarray(values, dtype=float).reshape(-1)


JUDGES: dict[str, Callable[[Any, Any, dict[str, Any]], Finding | None]] = {
    "close": close,
    "accuracy": accuracy,
    "shuffled": shuffled,
    "between": between,
}

#: The rules that every judge knows, those that one kind knows, and which of these may be left out.
RULES = {
    *("kind", "rtol", "atol", "dtype", "order", "properties", "raises"),
    *("may_change_inputs", "keeps_generators"),
}
KIND_RULES = {
    "accuracy": {"labels", "at_least"},
    "shuffled": {"must_shuffle"},
    "between": {"low", "high"},
}
OPTIONAL_RULES = {"must_shuffle"}
PROPERTIES = {"at_least", "at_most", "sums_to_one"}


def describe(value: Any) -> str:
    """A value's type in words a student would use: "a tensor", "a list", "None"."""
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
    expected: Any, actual: Any, rules: dict[str, Any], place: str, values: bool = True
) -> Finding | None:
    """`place` names the part of the result that is looked at, such as ``[0]`` or ``['good']``."""
    finding = _compare_type(expected, actual, place)
    if finding is not None:
        return finding
    if isinstance(expected, ArrayView):
        return _compare_arrays(expected, actual, rules, place, values)
    if isinstance(expected, (list, tuple)):
        return _compare_sequences(expected, actual, rules, place, values)
    if isinstance(expected, dict):
        return _compare_dicts(expected, actual, rules, place, values)
    if not values:
        return None
    if isinstance(expected, SetView):
        if same_members(expected, actual):
            return None
        return Finding("value", _at(place, "the set has other members"))
    if isinstance(expected, float):
        views = [
            ArrayView("array", "float64", "cpu", np.asarray(_float(v))) for v in (expected, actual)
        ]
        return _compare_values(*views, rules, place)
    if expected != actual:
        return Finding("value", _at(place, f"expected {_short(expected)}, got {_short(actual)}"))
    return None


def same_members(expected: SetView, actual: SetView) -> bool:
    return sorted(map(repr, expected.items)) == sorted(map(repr, actual.items))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond every float
        return float("inf")


def _compare_type(expected: Any, actual: Any, place: str) -> Finding | None:
    wanted, got = describe(expected), describe(actual)
    if actual is None and expected is not None:
        return Finding("type", _at(place, "it returns None; is a `return` missing?"))
    if isinstance(expected, ArrayView):
        if isinstance(actual, ArrayView) and actual.kind == expected.kind:
            return None
        if isinstance(actual, OtherView) and actual.type.startswith("torch.Tensor"):
            message = f"it returns a {actual.type}; an ordinary tensor on the CPU is expected"
            return Finding("dtype", _at(place, message))
        tip = _ARRAY_TIPS.get((expected.kind, _kind(actual)), "")
        return Finding("type", _at(place, f"it returns {got} instead of {wanted}{tip}"))
    if isinstance(expected, float):
        fits = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    else:
        fits = type(actual) is type(expected)
    if fits:
        return None
    single = isinstance(actual, ArrayView) and actual.values.size == 1
    number = isinstance(expected, (bool, int, float))
    tip = " (`.item()` turns an array with one number into a number)" if single and number else ""
    return Finding("type", _at(place, f"it returns {got} instead of {wanted}{tip}"))


_ARRAY_TIPS = {
    ("tensor", "array"): "; torch.from_numpy makes a tensor of it",
    ("tensor", "list"): "; torch.tensor makes a tensor of it",
    ("tensor", "number"): "; torch.tensor makes a tensor of it",
    ("array", "tensor"): "; its method .numpy() makes an array of it",
    ("array", "list"): "; np.array makes an array of it",
}


def _kind(value: Any) -> str:
    if isinstance(value, ArrayView):
        return value.kind
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _family(dtype: str) -> str:
    if dtype == "bool":
        return "bool"
    if "int" in dtype:
        return "integer"
    return "complex" if dtype.startswith("complex") else "float"


def _compare_arrays(
    expected: ArrayView, actual: ArrayView, rules: dict[str, Any], place: str, values: bool
) -> Finding | None:
    if expected.shape != actual.shape:
        message = f"its shape is {actual.shape} instead of {expected.shape}"
        return Finding("shape", _at(place, message))
    if rules.get("dtype") == "exact":
        fits = expected.dtype == actual.dtype
    else:
        fits = _family(expected.dtype) == _family(actual.dtype)
    if not fits:
        message = f"its numbers are {actual.dtype} instead of {expected.dtype}"
        if _family(expected.dtype) == "float" and _family(actual.dtype) == "integer":
            message += "; `.float()` turns whole numbers into real ones"
        return Finding("dtype", _at(place, message))
    if actual.device != expected.device:
        message = (
            f"it lives on {actual.device} instead of {expected.device}; `.cpu()` brings it back"
        )
        return Finding("dtype", _at(place, message))
    finding = _check_properties(actual, rules.get("properties", {}), place)
    if finding is not None or not values:
        return finding
    return _compare_values(expected, actual, rules, place)


def _check_properties(actual: ArrayView, properties: dict[str, Any], place: str) -> Finding | None:
    values = actual.values.astype(float) if actual.values.dtype.kind in "fiub" else actual.values
    if "at_least" in properties and (values < properties["at_least"]).any():
        low = properties["at_least"]
        return Finding(
            "property", _at(place, f"{values.min():.4g} is below {low:g}, which cannot be")
        )
    if "at_most" in properties and (values > properties["at_most"]).any():
        high = properties["at_most"]
        return Finding(
            "property", _at(place, f"{values.max():.4g} is above {high:g}, which cannot be")
        )
    if "sums_to_one" in properties and values.size:
        axis = properties["sums_to_one"]
        sums = values.sum(axis)
        wrong = np.abs(sums - 1) > 1e-3
        if wrong.any():
            total = sums[wrong].flat[0]
            return Finding(
                "property", _at(place, f"weights along axis {axis} sum to {total:.4g}, not to 1")
            )
    return None


def _compare_values(
    expected: ArrayView, actual: ArrayView, rules: dict[str, Any], place: str
) -> Finding | None:
    if _family(expected.dtype) != "float" and _family(expected.dtype) == _family(actual.dtype):
        return _compare_exactly(expected.values, actual.values, place)
    e, a = (view.values.astype(float) for view in (expected, actual))
    if np.isnan(a).any() and not np.isnan(e).any():
        return Finding(
            "property", _at(place, "it contains NaN (not a number)"), _where(np.isnan(a), e, a)
        )
    if np.isinf(a).any() and not np.isinf(e).any():
        return Finding("property", _at(place, "it contains infinity"), _where(np.isinf(a), e, a))
    rtol, atol = rules.get("rtol", RTOL), rules.get("atol", ATOL)
    if expected.dtype in ("float16", "bfloat16") or actual.dtype in ("float16", "bfloat16"):
        rtol, atol = max(rtol, 1e-2), max(atol, 1e-3)
    with np.errstate(invalid="ignore"):
        wrong = ~np.isclose(a, e, rtol=rtol, atol=atol, equal_nan=True)
        if not wrong.any():
            return None
        distance = np.where(wrong, np.nan_to_num(np.abs(a - e), nan=np.inf, posinf=np.inf), -1.0)
    where = _where(distance == distance.max(), e, a)
    if e.size == 1:
        return Finding("value", _at(place, f"expected {e.flat[0]:.6g}, got {a.flat[0]:.6g}"))
    share = f"{int(wrong.sum())} of {wrong.size} numbers differ"
    return Finding("value", _at(place, share), where)


def _compare_exactly(expected: np.ndarray, actual: np.ndarray, place: str) -> Finding | None:
    """Whole numbers, truth values and complex numbers: one that is nearly right is wrong."""
    wrong = expected != actual
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    shown = f"expected {expected[index]}, got {actual[index]}"
    if expected.size == 1:
        return Finding("value", _at(place, shown))
    share = f"{int(wrong.sum())} of {wrong.size} differ"
    return Finding("value", _at(place, share), f"at [{', '.join(map(str, index))}]: {shown}")


def _where(mask: np.ndarray, expected: np.ndarray, actual: np.ndarray) -> str:
    if mask.ndim == 0:
        return f"expected {expected[()]:.6g}, got {actual[()]:.6g}"
    index = tuple(int(i) for i in np.argwhere(mask)[0])
    place = ", ".join(map(str, index))
    return f"at [{place}]: expected {expected[index]:.6g}, got {actual[index]:.6g}"


def _compare_sequences(
    expected: Any, actual: Any, rules: dict[str, Any], place: str, values: bool
) -> Finding | None:
    if len(expected) != len(actual):
        plural = "" if len(actual) == 1 else "s"
        message = f"it has {len(actual)} element{plural} instead of {len(expected)}"
        return Finding("shape", _at(place, message))
    for i, (e, a) in enumerate(zip(expected, actual)):
        finding = _compare(e, a, rules, f"{place}[{i}]", values)
        if finding is not None:
            return finding
    return None


def _compare_dicts(
    expected: dict[Any, Any],
    actual: dict[Any, Any],
    rules: dict[str, Any],
    place: str,
    values: bool,
) -> Finding | None:
    absent = [key for key in expected if key not in actual]
    extra = [key for key in actual if key not in expected]
    if absent:
        return Finding("value", _at(place, f"the key {_short(absent[0])} is missing"))
    if extra:
        return Finding("value", _at(place, f"the key {_short(extra[0])} should not be there"))
    if rules.get("order") and list(expected) != list(actual):
        return Finding("value", _at(place, "the keys are right but come in another order"))
    for key, e in expected.items():
        finding = _compare(e, actual[key], rules, f"{place}[{_short(key)}]", values)
        if finding is not None:
            return finding
    return None


def _at(place: str, message: str) -> str:
    return f"in result{place}: {message}" if place else message


def _short(value: Any) -> str:
    text = value.text if isinstance(value, OtherView) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
