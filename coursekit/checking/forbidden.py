"""Helpers of this package that an exercise asks students to write themselves.

While the cases of such an exercise run, the helpers raise `NotAllowed`. Their code itself is
replaced, so it does not matter under which name a notebook has imported them.
"""

from __future__ import annotations

import contextlib
import pkgutil
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any


class NotAllowed(RuntimeError):
    """A helper was called that the exercise does without; the message names it."""


@contextlib.contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """Have the functions and classes called `names` raise `NotAllowed` in the block.

    Parameters
    ----------
    names : full names, such as ``"coursekit.text.pad_batch"``.
    """
    replaced = [(function, function.__code__, name) for name in names for function in parts(name)]
    try:
        for function, _, name in replaced:
            function.__code__ = _refusal(name)
        yield
    finally:
        for function, code, _ in replaced:
            function.__code__ = code


def parts(name: str) -> list[FunctionType]:
    """The function called `name`, or the methods of the class; without those that are closures.

    Raises
    ------
    ImportError, AttributeError
        There is no such thing.
    """
    thing: Any = pkgutil.resolve_name(name)
    found = list(vars(thing).values()) if isinstance(thing, type) else [thing]
    functions = (getattr(one, "__func__", getattr(one, "fget", one)) for one in found)
    return [f for f in functions if isinstance(f, FunctionType) and not f.__code__.co_freevars]


def _refusal(name: str) -> CodeType:
    """The code of a function that raises, whatever it is called with."""
    message = f"{name} may not be used in this exercise: write it yourself"
    scope: dict[str, Any] = {}
    exec(
        "def refuse(*_, **__):\n"
        f"    from {__name__} import NotAllowed\n"
        f"    raise NotAllowed({message!r})",
        scope,
    )
    return scope["refuse"].__code__
