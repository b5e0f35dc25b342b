"""A cache for what is read from files, valid until a file changes."""

from __future__ import annotations

import functools
import zipfile
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


def write_zip(output: Path, contents: dict[str, bytes], executable: tuple[str, ...] = ()) -> None:
    """Write an archive with these files, the same bytes at any time."""
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o755 << 16 if name in executable else 0o644 << 16
            archive.writestr(about, content)
