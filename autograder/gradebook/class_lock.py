"""A lock on the folder of a class, so that two graders do not overwrite each other's work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.errors import ClassError

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]  # Windows has no such module


@contextlib.contextmanager
def sole_grader(folder: Path) -> Iterator[None]:
    """Lock the folder of a class for the block; the lock ends with its process in any case.

    A folder that does not exist, or is on a file system without locks, is not locked.

    Raises
    ------
    ClassError
        Another process has locked it.
    """
    held: int | None = None
    try:
        try:
            if fcntl is not None:
                held = os.open(folder, os.O_RDONLY)
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ClassError(
                f"another grader is at work in {folder}: wait until it has ended, and run the"
                " command again."
            ) from error
        except OSError:
            pass
        yield
    finally:
        if held is not None:
            os.close(held)
