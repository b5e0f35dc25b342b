"""Word vectors as other programs write them: word2vec's two formats, and GloVe's text.

- text (`.txt`, `.vec`): a word and its numbers on each line, and for word2vec and fastText a first
  line with the number of words and of dimensions;
- binary (`.bin`): that first line, then each word, a space and its numbers in 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from coursekit.data.errors import DamagedFile, DataError

#: The file name's ending and what is in it.
SUFFIXES = (".txt", ".vec", ".bin")
_LONGEST_WORD = 10_000


def read(path: Path) -> tuple[list[str], np.ndarray]:
    """Read the words and their vectors; of a word that is repeated, the first.

    Raises
    ------
    DataError
        The file is in another format, cut off, or not UTF-8.
    """
    rows = _binary(path) if path.suffix == ".bin" else _text(path)
    found: dict[str, np.ndarray] = {}
    for word, numbers in rows:
        found.setdefault(word, numbers)
    if not found:
        raise DamagedFile(f"{path} contains no vectors.")
    return list(found), np.stack(list(found.values()))


def _text(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    dimensions = 0
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                parts = line.strip(" \r\n").split(" ")
                if number == 1 and len(parts) == 2 and all(part.isdecimal() for part in parts):
                    dimensions = int(parts[1])
                    continue
                if not line.strip():
                    continue
                dimensions = dimensions or len(parts) - 1
                # a word may contain spaces
                word, numbers = " ".join(parts[:-dimensions]), parts[-dimensions:]
                if not dimensions or not word or len(numbers) < dimensions:
                    raise DamagedFile(
                        f"Line {number} of {path} has not one word and {dimensions} numbers; save or"
                        " download the file again."
                    )
                try:
                    yield word, np.array(numbers, dtype=np.float32)
                except ValueError as error:
                    raise DamagedFile(
                        f"Line {number} of {path} contains what is no number; give a text file of"
                        " word2vec or GloVe."
                    ) from error
    except UnicodeDecodeError as error:
        raise DamagedFile(
            f"{path} is not a text in UTF-8; a binary file is called *.bin."
        ) from error


def _binary(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    with path.open("rb") as file:
        first = file.readline(100).split()
        if len(first) != 2 or not all(part.isdigit() for part in first):
            raise DataError(
                f"{path} is not a binary file of word2vec, which begins with the number of words and"
                " of dimensions; export the vectors in that format, or as text."
            )
        count, dimensions = map(int, first)
        data = file.read()
    at = 0
    for number in range(count):
        end = data.find(b" ", at, at + _LONGEST_WORD)
        rest = data[end + 1 : end + 1 + 4 * dimensions]
        if end < 0 or len(rest) < 4 * dimensions:
            raise DamagedFile(
                f"{path} ends after {number:,} of {count:,} words; save or download it again."
            )
        word = data[at:end].lstrip(b"\n").decode("utf-8", "replace")
        yield word, np.frombuffer(rest, "<f4").astype(np.float32)
        at = end + 1 + 4 * dimensions
