"""Facts that hold for an exercise's inputs in every drawn case, so that changed inputs stay valid.

An exercise's text restricts its inputs: a probability is no more than 1, a label is below the number
of classes, two lists have one length. No program reads that off the text, but many drawn cases show
it. What holds in all of them is taken for a rule; an input that breaks it is not tried.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from coursekit.checking import codec
from coursekit.checking.recording_format import DrawnCase, Plain

#: The place of an input in a case: ``("args", 0)``, ``("state", "w")``, ``("then", 2, 0)``.
Where: TypeAlias = tuple[Any, ...]
#: The name of an input over all cases: its place with a method's name instead of its number.
Label: TypeAlias = tuple[Any, ...]
#: The inputs of a case that are data, decoded.
Inputs: TypeAlias = dict[Where, Any]
#: An axis of an input; None stands for a number that is the size of one.
Axis: TypeAlias = "tuple[Label, int | None]"

#: The values of a case by the names of its inputs; a method may be called several times.
_Example: TypeAlias = dict[Label, list[Any]]

#: So many axes of an array are looked at.
_MAX_AXES = 6
#: A fact counts only if it could have failed in so many cases.
_MIN_CASES = 3
#: Data that is a function, a generator, a dtype or a device is handed on as it is.
_OPAQUE = ("$source", "$generator", "$dtype", "$device", "$other")


def read_inputs(case: DrawnCase) -> Inputs:
    """Return the inputs of a case by their places, without functions and generators."""
    found: Inputs = {}
    for where, plain in _places(case):
        if not any(f'"{tag}"' in repr(plain).replace("'", '"') for tag in _OPAQUE):
            found[where] = codec.decode(plain)
    return found


def with_inputs(case: DrawnCase, inputs: Inputs) -> DrawnCase:
    """Return the case with other inputs at the same places."""
    changed: Any = {**case, "args": list(case["args"])}
    for key in ("kwargs", "state"):
        if key in case:
            changed[key] = dict(case[key])
    if "then" in case:
        changed["then"] = [[name, list(args), dict(kwargs)] for name, args, kwargs in case["then"]]
    for where, value in inputs.items():
        if where[0] == "then":
            changed["then"][where[1]][1][where[2]] = codec.encode(value)
        else:
            changed[where[0]][where[1]] = codec.encode(value)
    return changed  # type: ignore[no-any-return]


def _places(case: DrawnCase) -> Iterator[tuple[Where, Plain]]:
    for i, plain in enumerate(case["args"]):
        yield ("args", i), plain
    for key, plain in case.get("kwargs", {}).items():
        yield ("kwargs", key), plain
    for key, plain in case.get("state", {}).items():
        yield ("state", key), plain
    for step, (_, args, _) in enumerate(case.get("then", [])):
        for i, plain in enumerate(args):
            yield ("then", step, i), plain


def label(case: DrawnCase, where: Where) -> Label:
    """Return the name under which an input is known in all cases."""
    if where[0] == "then":
        return ("then", case["then"][where[1]][0], where[2])
    return where


def as_array(value: Any) -> np.ndarray | None:
    """Return numbers, or a tensor, an array or a list of them, as an array; None for the rest."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        has_numpy = value.dtype not in (torch.bfloat16, torch.complex64)
        return value.detach().numpy() if has_numpy else None
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "biuf" else None
    if isinstance(value, (bool, int, float)):
        return np.asarray(value)
    if isinstance(value, list) and value and all(type(x) is type(value[0]) for x in value):
        if isinstance(value[0], (bool, int, float)):
            return np.asarray(value)
        if isinstance(value[0], list) and len({len(row) for row in value}) == 1:
            flat = [x for row in value for x in row]
            if flat and all(type(x) is type(flat[0]) for x in flat):
                return np.asarray(value) if isinstance(flat[0], (bool, int, float)) else None
    return None


def like(value: Any, array: np.ndarray) -> Any:
    """Return an array as a value of the same type as another: a tensor, an array, a list, a number."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return torch.from_numpy(np.ascontiguousarray(array)).to(value.dtype).reshape(array.shape)
    if isinstance(value, np.ndarray):
        return array.astype(value.dtype)
    return array.tolist()


def size(value: Any, axis: int) -> int | None:
    """Return the size of a value along an axis; None if it has none there."""
    array = as_array(value)
    if array is not None:
        return array.shape[axis] if axis < array.ndim else None
    return len(value) if axis == 0 and isinstance(value, list) else None


def _rows_sum_to_1(a: np.ndarray) -> bool | None:
    if a.dtype.kind != "f" or not a.ndim or not a.size:
        return None
    return bool(np.allclose(a.sum(axis=-1), 1, atol=1e-3))


def _is_unit(a: np.ndarray) -> bool | None:
    if a.dtype.kind != "f" or not a.ndim or not a.size:
        return None
    return bool(np.allclose(np.square(a).sum(axis=-1), 1, atol=1e-3))


def _is_symmetric(a: np.ndarray) -> bool | None:
    if a.ndim != 2 or a.shape[0] < 2:
        return None
    return a.shape[0] == a.shape[1] and bool((a == a.T).all())


def _is_increasing(a: np.ndarray) -> bool | None:
    return bool((a[1:] >= a[:-1]).all()) if a.ndim == 1 and len(a) > 1 else None


def _is_decreasing(a: np.ndarray) -> bool | None:
    return bool((a[1:] <= a[:-1]).all()) if a.ndim == 1 and len(a) > 1 else None


def _is_distinct(a: np.ndarray) -> bool | None:
    if a.dtype.kind not in "iu" or not a.ndim or a.shape[-1] < 2:
        return None
    ordered = np.sort(a, axis=-1)
    return bool((ordered[..., 1:] != ordered[..., :-1]).all())


def _has_true_in_rows(a: np.ndarray) -> bool | None:
    return bool(a.any(axis=-1).all()) if a.dtype.kind == "b" and a.ndim and a.size else None


#: What may hold for an array of numbers; None where nothing could be told.
_FACTS: dict[str, Callable[[np.ndarray], bool | None]] = {
    "not negative": lambda a: bool((a >= 0).all()) if a.size else None,
    "positive": lambda a: bool((a > 0).all()) if a.size else None,
    "no larger than 1": lambda a: (
        bool((abs(a) <= 1).all()) if a.size and a.dtype.kind == "f" else None
    ),
    "whole": lambda a: bool((a == np.round(a)).all()) if a.size and a.dtype.kind == "f" else None,
    "finite": lambda a: bool(np.isfinite(a).all()) if a.size and a.dtype.kind == "f" else None,
    "rows sum to 1": _rows_sum_to_1,
    "unit rows": _is_unit,
    "symmetric": _is_symmetric,
    "increasing": _is_increasing,
    "decreasing": _is_decreasing,
    "distinct": _is_distinct,
    "a True in each row": _has_true_in_rows,
}
_NOT_EMPTY = "not empty"


class Facts:
    """Facts that hold for the inputs in all of an exercise's drawn cases.

    Parameters
    ----------
    cases : sequence of DrawnCase
        Cases of many seeds.
    """

    def __init__(self, cases: Sequence[DrawnCase]) -> None:
        self.values: dict[Label, list[Any]] = {}
        examples = [_by_label(case, read_inputs(case)) for case in cases]
        for example in examples:
            for own, values in example.items():
                self.values.setdefault(own, []).extend(values)
        self._facts = {own: self._learned(values) for own, values in self.values.items()}
        self._ranges = {own: _range(values) for own, values in self.values.items()}
        sizes = [_sizes(example) for example in examples]
        self.symbols = _symbols(sizes)
        self._varying = {axis for one in sizes for axis in one if _several(axis, sizes)}
        self._below = self._bounds(examples, sizes)
        self._ordered = self._orders(examples)
        self._members = self._memberships(examples)
        pairs = itertools.permutations(self.values, 2)
        self._masks = [pair for pair in pairs if _always(examples, pair, _is_mask)]

    def allow(self, case: DrawnCase, inputs: Inputs) -> bool:
        """Tell whether inputs keep all facts."""
        example = _by_label(case, inputs)
        sizes = _sizes(example)
        for own, values in example.items():
            if own in self._facts and not all(self._keeps(own, value) for value in values):
                return False
        for symbol in self.symbols:
            present = [sizes[axis] for axis in symbol if axis in sizes]
            if any(one != present[0] for one in present):
                return False
        below = (
            _is_below(value, sizes[axis])
            for own, axis in self._below
            if axis in sizes
            for value in example.get(own, [])
        )
        return (
            all(below)
            and all(_hold(example, pair, operator.le) is not False for pair in self._ordered)
            and all(_hold(example, pair, _is_member) is not False for pair in self._members)
            and all(_hold(example, pair, _is_mask) is not False for pair in self._masks)
        )

    def varies(self, axis: Axis) -> bool:
        """Tell whether an axis had several sizes."""
        return axis in self._varying

    def largest(self, own: Label) -> float:
        """Return the largest size of the numbers of an input."""
        arrays = [a for value in self.values[own] if (a := as_array(value)) is not None and a.size]
        return max((float(abs(a).max()) for a in arrays), default=0.0)

    def _learned(self, values: list[Any]) -> set[str]:
        arrays = [a for value in values if (a := as_array(value)) is not None]
        found = set()
        for fact, holds in _FACTS.items():
            told = [answer for a in arrays if (answer := holds(a)) is not None]
            if len(told) >= _MIN_CASES and all(told):
                found.add(fact)
        if not any(map(_is_empty, values)):
            found.add(_NOT_EMPTY)
        return found

    def _keeps(self, own: Label, value: Any) -> bool:
        facts, array = self._facts[own], as_array(value)
        if _NOT_EMPTY in facts and _is_empty(value):
            return False
        if array is None:
            return True
        if any(_FACTS[fact](array) is False for fact in facts - {_NOT_EMPTY}):
            return False
        if array.dtype.kind in "iu" and array.ndim and array.size:
            low, high = self._ranges[own]
            return bool(low <= array.min() and array.max() <= high)
        return True

    def _bounds(
        self, examples: list[_Example], sizes: list[dict[Axis, frozenset[int]]]
    ) -> list[tuple[Label, Axis]]:
        """Return the whole numbers that are always below a size: places in something."""
        axes = {axis for own in sizes for axis in own}
        whole = [
            own
            for own, values in self.values.items()
            if all((a := as_array(v)) is not None and a.dtype.kind in "iu" for v in values)
        ]
        found = []
        for own, axis in itertools.product(whole, axes):
            told = [
                all(_is_below(value, present[axis]) for value in example[own])
                for example, present in zip(examples, sizes)
                if own in example and axis in present
            ]
            if own != axis[0] and len(told) >= _MIN_CASES and all(told):
                found.append((own, axis))
        return found

    def _orders(self, examples: list[_Example]) -> list[tuple[Label, Label]]:
        """Return pairs of numbers the first of which is never above the second."""
        numbers = [
            own
            for own, values in self.values.items()
            if own[0] != "then" and all(type(value) in (int, float) for value in values)
        ]
        pairs = itertools.permutations(numbers, 2)
        return [pair for pair in pairs if _always(examples, pair, operator.le)]

    def _memberships(self, examples: list[_Example]) -> list[tuple[Label, Label]]:
        """Return texts that are always among those of another input."""
        texts = [own for own, values in self.values.items() if all(type(v) is str for v in values)]
        others = [
            own
            for own, values in self.values.items()
            if all(isinstance(value, (list, dict, set)) for value in values)
        ]
        pairs = itertools.product(texts, others)
        return [pair for pair in pairs if _always(examples, pair, _is_member)]


def _by_label(case: DrawnCase, inputs: Inputs) -> _Example:
    found: _Example = {}
    for where, value in inputs.items():
        found.setdefault(label(case, where), []).append(value)
    return found


def _sizes(example: _Example) -> dict[Axis, frozenset[int]]:
    """Return the sizes of all axes, and the whole numbers that may be one."""
    found: dict[Axis, set[int]] = {}
    for own, values in example.items():
        for value in values:
            if type(value) is int:
                found.setdefault((own, None), set()).add(value)
            for axis in range(_MAX_AXES):
                if (n := size(value, axis)) is None:
                    break
                found.setdefault((own, axis), set()).add(n)
    return {axis: frozenset(sizes) for axis, sizes in found.items()}


def _several(axis: Axis, sizes: list[dict[Axis, frozenset[int]]]) -> bool:
    return len({n for own in sizes for n in own.get(axis, ())}) > 1


def _is_empty(value: Any) -> bool:
    array = as_array(value)
    if array is not None:
        return array.size == 0
    return isinstance(value, (str, list, dict, set, tuple)) and not value


def _range(values: list[Any]) -> tuple[float, float]:
    arrays = [a for value in values if (a := as_array(value)) is not None and a.size]
    if not arrays:
        return -np.inf, np.inf
    return min(a.min() for a in arrays), max(a.max() for a in arrays)


def _always(
    examples: list[_Example], pair: tuple[Label, Label], holds: Callable[[Any, Any], bool]
) -> bool:
    told = [_hold(example, pair, holds) for example in examples]
    told = [answer for answer in told if answer is not None]
    return len(told) >= _MIN_CASES and all(told)


def _hold(
    example: _Example, pair: tuple[Label, Label], holds: Callable[[Any, Any], bool]
) -> bool | None:
    """Tell whether something holds for two inputs of a case; None if it lacks one of them."""
    one, two = pair
    if one not in example or two not in example:
        return None
    return all(holds(a, b) for a in example[one] for b in example[two])


def _is_member(one: Hashable, two: Any) -> bool:
    return one in two


def _is_mask(one: Any, two: Any) -> bool:
    """Tell whether an input is True just where another one has no 0, which is padding then."""
    mask, ids = as_array(one), as_array(two)
    if mask is None or ids is None or mask.dtype.kind != "b" or ids.dtype.kind not in "iu":
        return False
    return mask.ndim > 0 and mask.shape == ids.shape and bool((mask == (ids != 0)).all())


def _is_below(value: Any, sizes: frozenset[int]) -> bool:
    """Tell whether numbers are places in something, or one is at most its size."""
    array = as_array(value)
    if array is None or not array.size:
        return True
    return bool(array.max() < min(sizes)) if array.ndim else bool(array <= min(sizes))


def _symbols(sizes: list[dict[Axis, frozenset[int]]]) -> list[list[Axis]]:
    """Group the axes that have the same size in every case, and the numbers that are that size."""
    axes = list(dict.fromkeys(axis for own in sizes for axis in own))
    groups: list[list[Axis]] = []
    for axis in sorted(axes, key=lambda axis: axis[1] is None):
        for group in groups:
            if all(_always_equal(axis, other, sizes) for other in group):
                group.append(axis)
                break
        else:
            groups.append([axis])
    return [group for group in groups if any(axis is not None for _, axis in group)]


def _always_equal(one: Axis, two: Axis, sizes: list[dict[Axis, frozenset[int]]]) -> bool:
    both = [own for own in sizes if one in own and two in own]
    return bool(both) and all(own[one] == own[two] for own in both)
