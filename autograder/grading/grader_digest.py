"""A digest of the code that decides a score: the same digest gives the same scores."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import coursekit

#: The packages of the tool that decide a score; the others only prepare or show something.
_DECIDING = ("course", "sandbox", "grading", "gradebook")
#: Parts of coursekit that no answer is judged with.
_SHOWING = ("figures",)


@functools.lru_cache(maxsize=1)
def grader_digest() -> str:
    """A digest of the source code that decides a score, in `autograder` and `coursekit`."""
    tool, library = Path(__file__).parents[1], Path(coursekit.__file__).parent
    sources = [path for name in _DECIDING for path in (tool / name).rglob("*.py")]
    sources += [p for p in library.rglob("*.py") if p.parent.name not in _SHOWING]
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()
