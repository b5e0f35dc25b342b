"""Inputs that an answer could keep from an earlier call of a case, and cases that catch it.

An answer may keep an input, or what it computed from it, and use it again when a later call has
inputs of the same shapes, or leaves an optional one out. A case catches that if the later call has
another value there and the reference, given the earlier one instead, returns something else.

Calls with other inputs of the same shapes come from the inputs of a case: what they mean is not known
here, so only what can hardly be invalid is made, and the reference decides whether it is valid.
"""

from __future__ import annotations

import base64
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from coursekit.checking.judge_case import judge_case
from coursekit.checking.recording_format import Case, DrawnCase, Plain, Step
from coursekit.checking.run_cases import run_case

#: The name of the method in the call of a function.
_FUNCTION = ""
#: What stands for arrays of numbers in an encoded input.
_ARRAYS = ("$tensor", "$array")


class Input(NamedTuple):
    """One input of a method: its name or place, and whether the later call leaves it out."""

    method: str
    key: int | str
    left_out: bool = False


def calls(case: DrawnCase) -> list[Step]:
    """Return the calls of a case as steps; those of a function have no method."""
    if "then" in case:
        return case["then"]
    return [
        [_FUNCTION, case["args"], case.get("kwargs", {})],
        *([_FUNCTION, args, kwargs] for args, kwargs in case.get("again", [])),
    ]


def with_calls(case: DrawnCase, steps: Sequence[Step]) -> DrawnCase:
    """Return the case with other calls, without what belongs to the old ones."""
    changed: DrawnCase = case.copy()
    if "then" in case:
        changed["then"] = list(steps)
        return changed
    changed.pop("again", None)
    changed.pop("kwargs", None)
    (_, changed["args"], kwargs), *others = steps
    if kwargs:
        changed["kwargs"] = kwargs
    if others:
        changed["again"] = [(args, named) for _, args, named in others]
    return changed


def arrays_of(case: DrawnCase) -> set[Input]:
    """Return the inputs of a case's calls that are or contain arrays."""
    return {
        Input(step[0], key)
        for step in calls(case)
        for key, value in _inputs(step).items()
        if any(_arrays(value))
    }


def array_counts(case: DrawnCase) -> dict[str, set[int]]:
    """Return, per method, how many arrays its calls get: a list may have one for each layer."""
    found: dict[str, set[int]] = {}
    for method, *inputs in calls(case):
        found.setdefault(method, set()).add(sum(1 for _ in _arrays(inputs)))
    return found


def form(value: Any) -> Plain:
    """Reduce a plain value to types, shapes and names, without its numbers and words."""
    if isinstance(value, list):
        return [form(item) for item in value]
    if isinstance(value, dict):
        if "data" in value:
            return [value["dtype"], *value["shape"]]
        return {key: form(item) for key, item in value.items()}
    return type(value).__name__


def replaced(case: DrawnCase) -> set[Input]:
    """Return the inputs that a later call leaves out, or gives other numbers of the same shapes."""
    return {one for one, _, _ in _replacements(case)}


def caught(reference: Callable[..., Any], case: DrawnCase) -> set[Input]:
    """Return the replaced inputs that matter: with the earlier value, the reference's result differs."""
    found: set[Input] = set()
    replacements = list(_replacements(case))
    if not replacements:
        return found
    steps = calls(case)
    expecting: Case = {**case, "expected": run_case(reference, case)}
    for one, number, value in replacements:
        if one not in found:
            step = _with_input(steps[number], one.key, value)
            kept = with_calls(case, [*steps[:number], step, *steps[number + 1 :]])
            if judge_case(expecting, run_case(reference, kept)) is not None:
                found.add(one)
    return found


def _replacements(case: DrawnCase) -> Iterator[tuple[Input, int, Plain]]:
    """Yield each input that a call replaces or leaves out, the call's number, the earlier value.

    The earlier value is that of the last call of the method that has this input.
    """
    having: dict[tuple[str, int | str], dict[int | str, Plain]] = {}
    for number, step in enumerate(calls(case)):
        method, new = step[0], _given(step)
        for (other, key), old in having.items():
            if other != method:
                continue
            left_out = key not in new
            full = {**{name: old[name] for name in old if name not in new}, **new}
            is_alike = form(full if left_out else new) == form(old)
            if is_alike and new.get(key) != old[key]:
                yield Input(method, key, left_out), number, old[key]
        having |= {(method, key): new for key in new if any(_arrays(new[key]))}


def turned(case: DrawnCase) -> DrawnCase | None:
    """Return the case with the rows of its batch rotated by one place.

    Return None if its inputs are not all of one batch, or may not be: a row of a text, or of a square, may
    mean something else in another place.
    """
    inputs = [value for step in calls(case) for value in _inputs(step).values()]
    shapes = [(one["shape"], one["dtype"]) for value in inputs for one in _arrays(value)]
    sizes = {shape[0] if shape else 0 for shape, _ in shapes}
    if len(sizes) != 1 or max(sizes) < 2 or any(map(_has_rows, inputs)):
        return None
    may_be_odd = any(
        shape == [shape[0]] * 2 or (len(shape) == 1 and dtype == "bool") for shape, dtype in shapes
    )
    is_batch = not may_be_odd and any(len(shape) > 1 for shape, _ in shapes)
    if not is_batch:
        return None
    return with_calls(case, [[step[0], *_each_array(step[1:], _turned)] for step in calls(case)])


def _has_rows(value: Plain) -> bool:
    """Tell whether a value is a collection without arrays, which may hold an item for each row."""
    kinds = {"$tuple", "$set", "$dict"}
    is_collection = isinstance(value, list) or (isinstance(value, dict) and kinds & set(value))
    return bool(is_collection) and not any(_arrays(value))


def opened(case: DrawnCase) -> DrawnCase:
    """Return the case with every square mask without batch axis True everywhere.

    A mask over pairs of positions is square and has no batch axis. In a mask that has one, False may
    mark padding, which must stay masked.
    """
    steps = []
    for step in calls(case):
        arrays = [one for value in _inputs(step).values() for one in _arrays(value)]
        sizes = {one["shape"][0] for one in arrays if one["shape"] and one["dtype"] != "bool"}

        def change(body: dict[str, Any], data: bytes, sizes: set[int] = sizes) -> bytes:
            is_square = len(body["shape"]) == 2 and len(set(body["shape"])) == 1
            is_mask = body["dtype"] == "bool" and is_square and body["shape"][0] not in sizes
            return b"\1" * len(data) if is_mask else data

        steps.append([step[0], *_each_array(step[1:], change)])
    return with_calls(case, steps)


def without_optional(reference: Callable[..., Any], case: DrawnCase) -> DrawnCase | None:
    """Return the case without the optional arrays of its last call; None if it gives none."""
    *others, last = calls(case)
    inputs, shorter = _inputs(last), last
    for key in _optional(reference, last[0]):
        if any(_arrays(inputs.get(key))):
            shorter = _with_input(shorter, key, None)
    return None if shorter is last else with_calls(case, [*others, shorter])


def _optional(reference: Callable[..., Any], method: str) -> Iterator[int | str]:
    """Yield the places and names of the parameters whose default is None."""
    called: Any = reference
    if isinstance(reference, type):
        is_module = method == "__call__" and hasattr(reference, "forward")
        called = getattr(reference, "forward" if is_module else method, None)
    try:
        parameters = inspect.signature(called).parameters
    except (TypeError, ValueError):  # nothing that is called, or a method of a built-in type
        return
    for place, name in enumerate(name for name in parameters if name != "self"):
        if parameters[name].default is None:
            yield from (place, name)


def _given(step: Step) -> dict[int | str, Plain]:
    """Return the inputs that are not None."""
    return {key: value for key, value in _inputs(step).items() if value is not None}


def _inputs(step: Step) -> dict[int | str, Plain]:
    """Return a call's inputs by place or name."""
    return {**dict(enumerate(step[1])), **step[2]}


def _with_input(step: Step, key: int | str, value: Plain) -> Step:
    """Return a call with another value for one input."""
    method, args, kwargs = step
    if isinstance(key, str):
        return [method, args, {**kwargs, key: value}]
    filled = [*args, *[None] * (key + 1 - len(args))]
    return [method, [*filled[:key], value, *filled[key + 1 :]], kwargs]


def _arrays(value: Plain) -> Iterator[dict[str, Any]]:
    """Yield the bodies of the arrays in an encoded value."""
    if isinstance(value, list):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        for tag, body in value.items():
            if tag in _ARRAYS:
                yield body  # type: ignore[misc]
            else:
                yield from _arrays(body)


def _each_array(value: Any, change: Callable[[dict[str, Any], bytes], bytes]) -> Any:
    """Replace the bytes of each array in encoded inputs by those that `change` returns."""
    if isinstance(value, list):
        return [_each_array(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    if not set(_ARRAYS) & set(value):
        return {key: _each_array(item, change) for key, item in value.items()}
    ((tag, body),) = value.items()
    data = base64.b64encode(change(body, base64.b64decode(body["data"])))
    return {tag: {**body, "data": data.decode("ascii")}}


def _turned(body: dict[str, Any], data: bytes) -> bytes:
    """Return an array's bytes with its rows rotated by one place."""
    row = len(data) // body["shape"][0]
    return data[-row:] + data[:-row]
