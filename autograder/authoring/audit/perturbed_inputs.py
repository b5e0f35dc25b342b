"""Inputs made from drawn ones by small changes: other sizes, ties, zeros, other numbers and words.

Each change keeps the types of the inputs and the facts that hold in all drawn cases (`Facts`).
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.authoring.audit.input_facts import (
    Facts,
    Inputs,
    Label,
    Where,
    as_array,
    label,
    like,
    read_inputs,
    with_inputs,
)
from coursekit.checking.codec import PlainDataError
from coursekit.checking.recording_format import DrawnCase

#: Places to keep along an axis of n places.
_SELECTIONS: tuple[Callable[[int], list[int]], ...] = (
    lambda n: [0],
    lambda n: [n - 1],
    lambda n: [0, n - 1],
    lambda n: [*range(n - 1)],
    lambda n: [*range(n)][::-1],
    lambda n: [*range(n), 0],
    lambda n: [0] * n,
    lambda n: [*range(n // 2, n), *range(n // 2)],
    lambda n: [],
)
#: From each case, so many inputs are made by two changes one after the other.
_COMBINED = 8
#: Of values that other cases have at the same place, so many are tried.
_FROM_OTHERS = 3
#: Texts of which there are no more than this are names, such as "mean" and "max".
_NAMES = 6


def perturbed(
    case: DrawnCase, facts: Facts, reference: Any, rng: np.random.Generator
) -> Iterator[DrawnCase]:
    """Yield cases with changed inputs, each once; the reference may refuse them."""
    known = {json.dumps(case)}
    for changed in (
        *_changed_calls(case, reference),
        *_changed_inputs(case, facts, reference, rng),
    ):
        text = json.dumps(changed)
        if text not in known:
            known.add(text)
            yield changed


def _changed_inputs(
    case: DrawnCase, facts: Facts, reference: Any, rng: np.random.Generator
) -> Iterator[DrawnCase]:
    inputs = read_inputs(case)
    changes = [change for change in _changes(case, inputs, facts, reference, rng) if change]
    changes = [change for change in changes if facts.allow(case, {**inputs, **change})]
    for change in changes:
        yield from _encoded(case, {**inputs, **change})
    for _ in range(_COMBINED if changes else 0):
        first = {**inputs, **changes[int(rng.integers(len(changes)))]}
        further = [c for c in _changes(case, first, facts, reference, rng) if c]
        both = {**first, **further[int(rng.integers(len(further)))]} if further else first
        if facts.allow(case, both):
            yield from _encoded(case, both)


def _encoded(case: DrawnCase, inputs: Inputs) -> Iterator[DrawnCase]:
    try:
        yield with_inputs(case, inputs)
    except PlainDataError:
        return  # too large


def _changes(
    case: DrawnCase, inputs: Inputs, facts: Facts, reference: Any, rng: np.random.Generator
) -> Iterator[Inputs]:
    """Yield the inputs that a change replaces."""
    for symbol in facts.symbols:
        for selection in _SELECTIONS:
            yield _selected(case, inputs, symbol, selection)
    smallest: Inputs = {}
    for symbol in facts.symbols:
        smallest |= _selected(case, {**inputs, **smallest}, symbol, lambda n: [0])
    yield smallest
    floats = _annotated_floats(reference, case)
    for where, value in inputs.items():
        own = label(case, where)
        for other in _variants(value, own, facts, rng, where in floats):
            yield {where: other}


def _selected(
    case: DrawnCase, inputs: Inputs, symbol: list[Any], selection: Callable[[int], list[int]]
) -> Inputs:
    """Return the inputs that have an axis of the symbol, with the selected places of it."""
    changed: Inputs = {}
    for where, value in inputs.items():
        own = label(case, where)
        for axis in (axis for of, axis in symbol if of == own):
            now: Any = changed.get(where, value)
            if axis is None:
                changed[where] = len(selection(now)) if now > 0 else now
            elif (array := as_array(now)) is not None:
                if axis < array.ndim and array.shape[axis]:
                    places = np.array(selection(array.shape[axis]), dtype=int)
                    changed[where] = like(value, np.take(array, places, axis=axis))
            elif axis == 0 and now:
                changed[where] = [now[i] for i in selection(len(now))]
    return changed


def _annotated_floats(reference: Any, case: DrawnCase) -> set[Where]:
    """Return the places of parameters that are annotated as floats."""
    parameters = inspect.signature(reference).parameters
    named = {name for name, one in parameters.items() if one.annotation in (float, "float")}
    places: set[Where] = {("args", i) for i, name in enumerate(case["names"]) if name in named}
    return places | {("kwargs", name) for name in named if name in case.get("kwargs", {})}


def _variants(
    value: Any, own: Label, facts: Facts, rng: np.random.Generator, is_float: bool
) -> Iterator[Any]:
    """Yield other values for an input, of the same type, and of the same shape if it has one."""
    others = facts.values[own]
    picks = [others[int(i)] for i in rng.integers(len(others), size=4 * _FROM_OTHERS)]
    yield from [one for one in picks if _shape(one) == _shape(value)][:_FROM_OTHERS]
    array = as_array(value)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from _numbers(value, others, is_float)
    elif array is not None and array.size:
        for changed in _arrays(array, facts.largest(own), rng):
            yield like(value, changed)
    elif isinstance(value, str):
        yield from _texts(value, others)
    elif isinstance(value, list) and value:
        yield from _lists(value, others, rng)
    elif isinstance(value, (set, frozenset, dict)) and value:
        rest = sorted(value, key=repr)[1:]
        yield {key: value[key] for key in rest} if isinstance(value, dict) else type(value)(rest)


def _shape(value: Any) -> Any:
    array = as_array(value)
    return type(value) if array is None else (type(value), array.shape, array.dtype.kind)


def _numbers(value: float, others: list[Any], is_float: bool) -> Iterator[float]:
    """Yield other numbers: those near the drawn ones, between them and beyond them."""
    drawn = [other for other in others if type(other) in (int, float)]
    low, high = min(drawn), max(drawn)
    if isinstance(value, int):
        yield from (1, low - 1, 0, value - 1, value + 1, high + 1, high + 2, 2 * high, -value)
    if isinstance(value, float) or is_float:
        yield from (
            low + (high - low) / 3,
            low / 3,
            high * 1.37,
            0.0,
            -float(value),
            (1 + high) / 2,
        )


def _arrays(array: np.ndarray, largest: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield arrays of the same shape: with ties, zeros, other signs and sizes, other truth values."""
    flat = [int(i) for i in rng.integers(array.size, size=3)]
    kind = array.dtype.kind
    if kind == "b":
        yield ~array
        yield np.ones_like(array)
        yield np.zeros_like(array)
        for i in flat:
            yield _with(array, i, not array.flat[i])
        yield rng.random(array.shape) < 0.5
        return
    for i, j in itertools.pairwise(flat):
        yield _with(array, i, array.flat[j])
    yield np.full_like(array, array.flat[flat[0]])
    yield np.zeros_like(array)
    yield _with(array, flat[0], 0)
    yield rng.permutation(array.ravel()).reshape(array.shape)
    if array.ndim > 1:
        yield np.broadcast_to(array[:1], array.shape).copy()
    if kind == "f":
        yield -array
        yield array * 30
        yield array / 30
        yield array + np.asarray(30 * largest, array.dtype)
        yield np.round(array, 1)
        yield np.round(array)
    else:
        yield array + 1
        yield array - 1
        yield _with(array, flat[1], array.max())
        yield _with(array, flat[1], array.min())


def _with(array: np.ndarray, place: int, number: Any) -> np.ndarray:
    changed = array.copy()
    changed.flat[place] = number
    return changed


def _texts(value: str, others: list[Any]) -> Iterator[str]:
    """Yield other texts, made of the words or letters of this one, unless it is one of few names."""
    if len(set(map(str, others))) <= _NAMES:
        yield from sorted(set(map(str, others)))
        return
    gap = " " if " " in value else ""
    parts = value.split(" ") if gap else list(value)
    yield from (gap.join(p) for p in (parts[:1], parts[1:], parts[::-1], parts * 2, parts[:1] * 2))


def _lists(value: list[Any], others: list[Any], rng: np.random.Generator) -> Iterator[list[Any]]:
    """Yield lists with one other element, from the same or from another list."""
    pool = [element for other in others if isinstance(other, list) for element in other]
    for i in rng.integers(len(value), size=2):
        for j in rng.integers(len(pool), size=2):
            changed = [*value]
            changed[int(i)] = pool[int(j)]
            yield changed
    for i, element in enumerate(value[:2]):
        if isinstance(element, list) and element:
            for selection in _SELECTIONS[:7]:
                yield [*value[:i], [element[k] for k in selection(len(element))], *value[i + 1 :]]


def _changed_calls(case: DrawnCase, reference: Any) -> Iterator[DrawnCase]:
    """Yield cases with fewer or more arguments, or with a call on the object more, fewer or earlier."""
    parameters = inspect.signature(reference).parameters
    optional = {name for name, one in parameters.items() if one.default is not one.empty}
    if case["args"] and len(case["names"]) == len(case["args"]) and case["names"][-1] in optional:
        yield {**case, "args": case["args"][:-1], "names": case["names"][:-1]}
    given = case.get("kwargs", {})
    for name in given:
        if name in optional:
            yield {**case, "kwargs": {key: one for key, one in given.items() if key != name}}
    for name in sorted(optional - set(given) - set(case["names"])):
        for value in _other_defaults(parameters[name].default):
            yield {**case, "kwargs": {**given, name: value}}
    steps = case.get("then", [])
    for i in range(len(steps)):
        yield {**case, "then": [*steps[: i + 1], *steps[i:]]}
        if len(steps) > 1:
            yield {**case, "then": [*steps[:i], *steps[i + 1 :]]}
        if i:
            swapped = [*steps[: i - 1], steps[i], steps[i - 1], *steps[i + 1 :]]
            yield {**case, "then": swapped}


def _other_defaults(default: Any) -> list[Any]:
    """Return numbers of the type of a default and near it; True for False; none of other types."""
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, int):
        return [default + 1, max(1, default // 2), 2 * default]
    return [2 * default, default / 2] if isinstance(default, float) else []
