"""Files that students have handed in, opened without following links that may have been put there.

On a shared machine others may write to a folder while it is read: nbgrader's `collect` leaves it open
to everyone. What is looked at is therefore the open file, and neither it nor a folder on the way to it
may be a link. Windows cannot open a file that way; there the path is looked at just before.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.grading.notebook_json import MAX_BYTES

#: How deep the folders of a submission may be nested.
MAX_FOLDERS = 32
_SAFE = {os.open, os.stat} <= os.supports_dir_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
#: A named pipe, in place of a file, must not hold up who opens it.
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | _NO_LINK | getattr(os, "O_DIRECTORY", 0)


class NotAFile(OSError):
    """A path leads to no regular file, or to one that is too large."""


def read_regular(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of at most `most` bytes.

    Raises
    ------
    OSError
        It cannot be opened, is a link, is no regular file, or is larger.
    """
    return read_below(path.parent, path.name, most)


def read_below(folder: Path, name: str, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file in a folder or below it, of at most `most` bytes.

    Raises
    ------
    OSError
        As of `open_below`, or it is larger.
    """
    with open_below(folder, name) as file:
        content = file.read(most + 1)  # whatever its size was: it may be growing
    if len(content) > most:
        raise NotAFile(None, f"larger than {most} bytes", name)
    return content


@contextlib.contextmanager
def open_below(folder: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a regular file in a folder or below it, for the block.

    Parameters
    ----------
    folder : Path
        A folder that no student could have put there; links on the way to it are followed.
    name : str
        The file's path relative to the folder, with slashes.

    Raises
    ------
    OSError
        It cannot be opened, is no regular file (`NotAFile`), or it or a folder between is a link.
    """
    with contextlib.ExitStack() as stack:
        number = _open(folder, PurePosixPath(name).parts, stack)
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise NotAFile(None, "not a regular file", name)
        with os.fdopen(os.dup(number), "rb") as file:
            yield file


def _open(folder: Path, parts: tuple[str, ...], stack: contextlib.ExitStack) -> int:
    """Open a file by its path from a folder, part by part; `stack` closes it."""
    if not _SAFE:
        current = folder
        for part in parts:
            current /= part
            if current.is_symlink():
                raise NotAFile(None, "a link", str(current))
        number = os.open(current, _FILE)
        stack.callback(os.close, number)
        return number
    number = os.open(folder, _FOLDER & ~_NO_LINK)
    stack.callback(os.close, number)
    for part in parts:
        flags = _FILE if part is parts[-1] else _FOLDER
        number = os.open(part, flags, dir_fd=number)
        stack.callback(os.close, number)
    return number


def walk(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield the files below a folder: name, path, and a problem or "".

    The names are relative to the folder, with slashes, in a fixed order. Links and devices are named but
    not opened; what is more than `MAX_FOLDERS` folders deep is named by the first folder beyond.
    """
    folders = [("", folder, 0)]
    while folders:
        before, current, depth = folders.pop()
        try:
            with os.scandir(current) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            yield before or ".", current, f"cannot be opened ({error.strerror})"
            continue
        inside = []
        for entry in entries:
            name, path = f"{before}{entry.name}", Path(entry.path)
            if entry.is_symlink():
                yield name, path, "symbolic link"
            elif entry.is_file(follow_symlinks=False):
                yield name, path, ""
            elif not entry.is_dir(follow_symlinks=False):
                yield name, path, "neither a file nor a folder"
            elif depth == MAX_FOLDERS:
                yield name, path, f"more than {MAX_FOLDERS} folders deep"
            else:
                inside.append((f"{name}/", path, depth + 1))
        folders += reversed(inside)


def regular_file(path: Path, most: int = MAX_BYTES) -> bool:
    """Tell whether a path is a regular file, not a link, of at most `most` bytes."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= most
