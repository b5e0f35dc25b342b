"""Reading of a data set file's lines, and the error for a malformed one."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from coursekit.data.errors import DamagedFile


def read_lines(path: Path, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file, which may be compressed with gzip, without their ends.

    Only a newline ends a line: `str.splitlines` would also break at rarer characters that occur
    inside sentences.

    Raises
    ------
    DamagedFile
        The file cannot be read or decoded.
    """
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode(encoding)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DamagedFile(
            f"The file {path} cannot be read ({error}); restore it and load again."
        ) from error
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def damaged(path: Path, number: int, what: str) -> DamagedFile:
    """Return the error for a line, counted from 1, that is not as published."""
    return DamagedFile(f"The file {path} is damaged in line {number}: {what}; restore the file.")
