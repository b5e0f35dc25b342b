"""Built-in names that a notebook has bound to another value, such as `len` by ``len = 5``.

What is called `len` is then a number in every function of the notebook, and the error that follows
does not say so.
"""

from __future__ import annotations

import builtins
import inspect
import numbers
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

#: Names that a kernel sets itself.
_SET_BY_KERNELS = {"_", "display", "exit", "get_ipython", "input", "open", "quit"}
_NAMES = {name for name in dir(builtins) if not name.startswith("_")} - _SET_BY_KERNELS
_MAX_NAMES = 3


def shadowed(thing: Any, error: BaseException | None = None) -> str:
    """Name the built-in names that code uses and a notebook has bound to another value.

    Parameters
    ----------
    thing : callable
        The function or class that was called.
    error : BaseException, optional
        What it raised: the functions on the way there are looked at, too.

    Returns
    -------
    str
        One clause, or "" if there is none.
    """
    found: dict[str, Any] = {}
    for code, scope in (*_functions(thing), *_on_the_way(error)):
        for name in _NAMES.intersection(_used(code)) & scope.keys():
            if scope[name] is not getattr(builtins, name):
                found[name] = scope[name]
    if not found:
        return ""
    shown = [f"`{name}` {_kind(found[name])}" for name in sorted(found)[:_MAX_NAMES]]
    return f"your notebook has made {' and '.join(shown)}: use another name there, and restart the kernel"


def _functions(thing: Any) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """Yield the code of a function, or of the functions in a class, with its globals."""
    for one in vars(thing).values() if inspect.isclass(thing) else [thing]:
        function = inspect.unwrap(getattr(one, "func", one))
        if isinstance(function, FunctionType):
            yield function.__code__, function.__globals__


def _on_the_way(error: BaseException | None) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """Yield the code and globals of the notebook's functions in a traceback."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            yield trace.tb_frame.f_code, trace.tb_frame.f_globals
        trace = trace.tb_next


def _used(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and its inner functions use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _used(constant)


def _kind(value: Any) -> str:
    """Describe a value: "a number", "a function of torch"."""
    if value is None:
        return "None"
    if isinstance(value, numbers.Number):
        return "a number"
    if isinstance(value, str):
        return "a text"
    home = str(getattr(value, "__module__", "")).partition(".")[0]
    if callable(value):
        kind = "a class" if isinstance(value, type) else "a function"
        return f"{kind} of {home if home not in ('', 'None', '__main__') else 'its own'}"
    name = type(value).__name__.lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
