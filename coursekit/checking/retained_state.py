"""Detection of state that a function or class keeps between calls, and of its place.

An answer that remembers may be right in one case and wrong in the next, which nobody sees from the
numbers.
"""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, TypeAlias

#: Each place where something can be kept, in words, and what tells whether it has changed.
Kept: TypeAlias = dict[str, Any]
_CONTAINERS = (list, dict, set)
_CACHED = type(functools.lru_cache(len))
_LOOKED_AT = 1000


def kept(thing: Any) -> Kept:
    """Return a mark of everything that a function or class currently keeps."""
    found: Kept = {}
    if isinstance(thing, type):
        for name, value in vars(thing).items():
            if isinstance(value, _CONTAINERS) and not name.startswith("__"):
                found[f"the attribute `{name}` of the class"] = _mark(value)
    for function in _functions(thing):
        if isinstance(function, _CACHED):
            found["the cache around it"] = function.cache_info().currsize
        for name, value in vars(function).items():
            if not name.startswith(("__", "_torch")):
                found[f"its attribute `{name}`"] = _mark(value)
        inner = inspect.unwrap(function)
        if isinstance(inner, FunctionType):
            found |= _of_function(inner)
    return found


def changed(before: Kept, after: Kept) -> str:
    """Return the first place whose contents changed, or ""."""
    return next((place for place in after if after[place] != before.get(place)), "")


def _functions(thing: Any) -> Iterator[Any]:
    """Yield the functions of a class, or the function itself."""
    for one in vars(thing).values() if isinstance(thing, type) else [thing]:
        if hasattr(one, "__wrapped__") or isinstance(one, FunctionType):
            yield one


def _of_function(function: FunctionType) -> Kept:
    """Return marks of a function's mutable defaults and of the globals that it keeps state in."""
    found: Kept = {}
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    for name, value in (*zip(names, values), *(function.__kwdefaults__ or {}).items()):
        if isinstance(value, _CONTAINERS):
            found[f"the default value of `{name}`"] = _mark(value)
    stored, used = _globals(code)
    for name in used:
        value = function.__globals__.get(name)
        if name in stored or isinstance(value, _CONTAINERS):
            found[f"the variable `{name}` of the notebook"] = _mark(value)
    return found


@functools.lru_cache(maxsize=256)
def _globals(code: CodeType) -> tuple[set[str], list[str]]:
    """Return the global names that a function binds, and all that it uses."""
    stored = {one.argval for one in dis.get_instructions(code) if one.opname == "STORE_GLOBAL"}
    used = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            more, others = _globals(constant)
            stored |= more
            used += others
    return stored, used


def _mark(value: Any) -> Any:
    """Return a value that changes when the object, or the contents of a container, do."""
    if not isinstance(value, _CONTAINERS):
        return id(value)
    items = value.values() if isinstance(value, dict) else value
    return id(value), len(value), [id(item) for _, item in zip(range(_LOOKED_AT), items)]
