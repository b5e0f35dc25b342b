"""Word vector files of other programs: word2vec's two formats, and GloVe's text.

- text (`.txt`, `.vec`): a word and its numbers on each line, between spaces or tabs, and for word2vec
  and fastText a first line with the number of words and of dimensions;
- binary (`.bin`): that first line, then each word, a space and its numbers in 32 bits, or in 64.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from coursekit.data.errors import DamagedFile, DataError

#: The file name's ending and what is in it.
SUFFIXES = (".txt", ".vec", ".bin")
_MAX_WORD_BYTES = 10_000


def read(path: Path) -> tuple[list[str], np.ndarray]:
    """Read the words and their vectors; of a word that is repeated, the first.

    Raises
    ------
    DataError
        The file is in another format, cut off, not UTF-8, or contradicts its first line.
    """
    rows = _binary(path) if path.suffix.lower() == ".bin" else _text(path)
    found: dict[str, np.ndarray] = {}
    for word, numbers in rows:
        found.setdefault(word, numbers)
    if not found:
        raise DamagedFile(f"{path} contains no vectors.")
    return list(found), np.stack(list(found.values()))


def _text(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the words and vectors of a text file."""
    count, dimensions, found, numbered = None, 0, 0, 0
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                parts = [part for part in line.strip("\r\n").replace("\t", " ").split(" ") if part]
                if number == 1 and len(parts) == 2 and all(part.isdecimal() for part in parts):
                    count, dimensions = map(int, parts)
                    continue
                if not line.strip():
                    continue
                dimensions = dimensions or len(parts) - 1
                # a word may contain spaces
                words, numbers = parts[:-dimensions], parts[-dimensions:]
                if not dimensions or not words:
                    raise DamagedFile(
                        f"Line {number} of {path} has not one word and {dimensions} numbers"
                        f"{', as its first line says' if count is not None else ''}; save or download"
                        " the file again."
                    )
                found, numbered = found + 1, numbered + (len(words) > 1 and _is_number(words[-1]))
                try:
                    yield " ".join(words), np.array(numbers, dtype=np.float32)
                except ValueError as error:
                    raise DamagedFile(
                        f"Line {number} of {path} contains what is no number; give a text file of"
                        " word2vec or GloVe."
                    ) from error
    except UnicodeDecodeError as error:
        raise DamagedFile(
            f"{path} is not a text in UTF-8; a binary file is called *.bin."
        ) from error
    if count is None:
        return
    if numbered == found > 0:
        raise DamagedFile(
            f"The first line of {path} says {dimensions} numbers for each word, but there are more;"
            " correct that line, or save or download the file again."
        )
    if count != found:
        raise DamagedFile(
            f"The first line of {path} says {count:,} words, but {found:,} follow; correct that line,"
            " or save or download the file again."
        )


def _is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _binary(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the words and vectors of word2vec's binary file."""
    with path.open("rb") as file:
        first = file.readline(100).removeprefix(codecs.BOM_UTF8).split()
        if len(first) != 2 or not all(part.isdigit() for part in first):
            raise DataError(
                f"{path} is not a binary file of word2vec, which begins with the number of words and"
                " of dimensions; export the vectors in that format, or as text."
            )
        count, dimensions = map(int, first)
        data = file.read()
    for kind in ("<f4", "<f8"):
        starts, end = _places(data, count, np.dtype((kind, dimensions)).itemsize)
        if len(starts) == count and not data[end:].strip(b"\r\n"):
            for at, numbers in starts:
                word = data[at : numbers - 1].lstrip(b"\n").decode("utf-8", "replace")
                row = np.frombuffer(data, kind, dimensions, numbers)
                yield word, row.astype(np.float32)
            return
    starts, _ = _places(data, count, 4 * dimensions)
    if len(starts) < count:
        raise DamagedFile(
            f"{path} ends after {len(starts):,} of {count:,} words; save or download it again."
        )
    raise DamagedFile(
        f"{path} has more in it than {count:,} words with {dimensions} numbers of 32 bits, as its"
        " first line says; save or download it again."
    )


def _places(data: bytes, count: int, size: int) -> tuple[list[tuple[int, int]], int]:
    """Return the positions of each complete word and of its numbers, and the last one's end."""
    found: list[tuple[int, int]] = []
    at = 0
    while len(found) < count:
        end = data.find(b" ", at, at + _MAX_WORD_BYTES) + 1
        if not end or end + size > len(data):
            break
        found.append((at, end))
        at = end + size
    return found, at
