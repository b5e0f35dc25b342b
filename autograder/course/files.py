"""A cache for what is read from files, valid until a file changes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

_Result = TypeVar("_Result")


def version(path: Path) -> int:
    """A number that changes with a file; 0 if there is none."""
    return path.stat().st_mtime_ns if path.exists() else 0


def cached_until_changed(function: Callable[[Path], _Result]) -> Callable[[Path], _Result]:
    """Decorator: `function(path)` is called once per version of the file.

    The result is shared: do not modify it.
    """

    @functools.lru_cache(maxsize=256)
    def at_version(path: Path, version: int) -> _Result:
        return function(path)

    @functools.wraps(function)
    def wrapped(path: Path) -> _Result:
        return at_version(path, version(path))

    return wrapped
