"""Properties that all failing cases share and no passing case has, for mistakes without a hint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coursekit.checking import codec
from coursekit.checking.codec import ArrayView
from coursekit.checking.recording_format import Case


def passing(cases: Sequence[Case], failing: list[int]) -> str:
    """Count each group's passing cases: ``all of values, 1 of 3 in padding``; "" if none pass."""
    texts = []
    for group in dict.fromkeys(case["group"] for case in cases):
        own = [i for i, case in enumerate(cases) if case["group"] == group]
        right = len(set(own) - set(failing))
        if right == len(own):
            texts.append(f"all of {group}")
        elif right:
            texts.append(f"{right} of {len(own)} in {group}")
    return ", ".join(texts)


def distinguish(cases: Sequence[Case], failing: list[int], at_most: int = 2) -> str:
    """Describe the inputs that every failing case and no passing one has; "" if there are none."""
    names = {name for case in cases for name in (*case.get("names", []), *case.get("kwargs", {}))}
    right = [case for i, case in enumerate(cases) if i not in failing]
    if not right or not failing:
        return ""
    compared = {name for case in right for name, _ in _inputs(case)}
    facts = [_facts(case, names, compared) for case in cases]
    passed = [fact for i, fact in enumerate(facts) if i not in failing]
    known = set().union(*passed)
    shared = [
        fact
        for fact in facts[failing[0]]
        if fact not in known and all(fact in facts[i] for i in failing)
    ]
    return " and ".join(shared[:at_most])


#: What is called where a case calls no method by its name.
_OBJECT = "the object"


def _inputs(case: Case) -> Iterator[tuple[str, Any]]:
    """Yield the inputs of a case, those of its further calls included, with their names."""
    names = case.get("names", [])
    for i, value in enumerate(case.get("args", [])):
        yield (names[i] if i < len(names) else f"input {i + 1}"), value
    yield from case.get("kwargs", {}).items()
    for method, args, kwargs in case.get("then", []):
        where = _OBJECT if method == "__call__" else method
        for i, value in enumerate(args):
            yield f"input {i + 1} of {where}", value
        for name, value in kwargs.items():
            yield f"{name} of {where}", value


def _facts(case: Case, names: set[str], compared: set[str]) -> list[str]:
    """Describe the inputs of a case in short sentences, the most telling first.

    Of an input that no passing case has, nothing is special but that it is there.
    """
    given: dict[str, list[str]] = {}
    for name, value in _inputs(case):
        if name in compared:
            given.setdefault(name, []).extend(_about(codec.decode_views(value)))
    absent = [f"{name} is not given" for name in sorted(names - {one for one, _ in _inputs(case)})]
    more = [_presence(name) for name, _ in _inputs(case) if name not in compared]
    about = [f"{name} {fact}" for name, facts in given.items() for fact in facts]
    return [*absent, *dict.fromkeys(more), *about]


def _presence(name: str) -> str:
    """Say that an input is given, or that a method is called."""
    _, of, called = name.rpartition(" of ")
    return f"{called} is called" if of else f"{name} is given"


def _about(value: Any) -> Iterator[str]:
    """Describe a value in short predicates, such as "is negative"."""
    if value is None:
        yield "is None"
    elif isinstance(value, bool):
        yield f"is {value}"
    elif isinstance(value, (int, float)):
        yield f"is {value:g}"
        if value < 0:
            yield "is negative"
        if value > 1:
            yield "is above 1"
    elif isinstance(value, (str, list, tuple, dict)):
        yield from _about_items(value)
    elif isinstance(value, ArrayView):
        yield from _about_array(value)


def _about_items(items: Any) -> Iterator[str]:
    """Describe a text, list, tuple or dictionary."""
    if not items:
        yield "is empty"
    elif len(items) == 1:
        yield "has one element"
    texts = [repr(item) for item in items]
    if len(set(texts)) < len(texts) and not isinstance(items, str):
        yield "has equal elements"
    if not isinstance(items, (str, dict)) and any(item in ([], "", ()) for item in items):
        yield "contains an empty element"


def _about_array(view: ArrayView) -> Iterator[str]:
    """Describe an array or tensor."""
    values = view.values
    if not values.size:
        yield "is empty"
    yield f"has dtype {view.dtype}"
    yield f"has {values.ndim} axes" if values.ndim != 1 else "has one axis"
    for axis, size in enumerate(values.shape):
        if size == 1:
            yield f"has size 1 along axis {axis}"
    if not values.size or values.dtype.kind not in "biuf":
        return
    if values.dtype.kind == "b":
        if values.all():
            yield "is True everywhere"
        elif not values.any(axis=-1).all():
            yield "has a row without True"
        return
    if not np.isfinite(values).all():
        yield "contains infinity or NaN"
    if (values < 0).any():
        yield "contains negative numbers"
    if (values == 0).any():
        yield "contains 0"
    if (np.abs(values) > 100).any():
        yield "contains numbers above 100 in absolute value"
    if len(np.unique(values)) < values.size:
        yield "contains equal numbers"
