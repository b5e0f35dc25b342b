"""Temporary folders that are deleted even if their process and its fork server are killed.

The owner of a folder holds a lock on a file in it, which the system releases however the owner ends.
Making such a folder first deletes those that no process holds any more. Windows has no such locks:
there a folder stays if its process is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module

_PREFIX = "autograder-"
_LOCK = "lock"
#: The locks that this process holds, by folder.
_held: dict[str, int] = {}


def make_scratch(parent: str | None = None) -> str:
    """Make a folder in `parent`, the system's folder for temporary files if None."""
    parent = parent or tempfile.gettempdir()
    if fcntl is None:
        return tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    _delete_abandoned(parent)
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    _held[folder] = os.open(f"{folder}/{_LOCK}", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(_held[folder], fcntl.LOCK_EX)
    return folder


def delete_scratch(folder: str) -> None:
    """Delete a folder that this process has made; nothing happens if it is gone."""
    with contextlib.suppress(RecursionError):  # a submission without a sandbox can nest folders
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(KeyError, OSError):
        os.close(_held.pop(folder))


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """Make a temporary folder for the block."""
    folder = make_scratch()
    try:
        yield folder
    finally:
        delete_scratch(folder)


def _delete_abandoned(parent: str) -> None:
    """Delete the folders that no process holds any more."""
    with os.scandir(parent) as entries:
        folders = [e.path for e in entries if e.name.startswith(_PREFIX) and _is_own(e)]
    for folder in folders:
        with contextlib.suppress(OSError):  # held by its owner, or just made
            lock = os.open(f"{folder}/{_LOCK}", os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder of this user, not a link."""
    with contextlib.suppress(OSError):
        return entry.is_dir(follow_symlinks=False) and entry.stat().st_uid == os.getuid()
    return False
