"""A digest of the code that decides a score: the same digest gives the same scores."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import coursekit
from autograder.course.canonical_source import bare

#: The packages of the tool that decide a score; the others only prepare or show something.
_DECIDING = ("course", "sandbox", "grading", "gradebook")
#: Parts of coursekit that no answer is judged with.
_SHOWING = ("figures",)


@functools.lru_cache(maxsize=1)
def grader_digest() -> str:
    """Return a digest of the code that decides a score, in `autograder` and `coursekit`.

    It leaves out comments, docstrings and blank lines. It does not depend on the version of Python,
    so that the workers of a cluster need not have the same.
    """
    digest = hashlib.sha256()
    for name, content in _sources():
        digest.update(f"{name}\n{bare(content.decode())}\n".encode())
    return digest.hexdigest()


@functools.lru_cache(maxsize=1)
def text_digest() -> str:
    """Return a digest of the files' raw bytes, in a tenth of the time of `grader_digest`."""
    digest = hashlib.sha256()
    for name, content in _sources():
        digest.update(f"{name}\n".encode() + content)
    return digest.hexdigest()


def _sources() -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file that decides a score, in a fixed order."""
    tool, library = Path(__file__).parents[1], Path(coursekit.__file__).parent
    found = [(path, tool) for name in _DECIDING for path in (tool / name).rglob("*.py")]
    found += [(p, library) for p in library.rglob("*.py") if p.parent.name not in _SHOWING]
    for path, root in sorted(found):
        yield f"{root.name}/{path.relative_to(root).as_posix()}", path.read_bytes()
