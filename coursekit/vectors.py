"""Word vectors: a matrix with one row per word, stored in a file and loaded by name."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from coursekit.data.errors import DamagedFile, DataError, UnknownName
from coursekit.data.paths import shipped, shipped_files, write_atomically

if TYPE_CHECKING:
    import torch

_MAX_BYTES = 2**31


class WordVectors:
    """Words and their vectors.

    Parameters
    ----------
    words : list of str
        The |V| different words, usually the most frequent first.
    matrix : torch.Tensor
        Their vectors, of shape (|V|, d).
    about : dict of str to str, optional
        Facts about the vectors to store with them: the text, the method, the settings.

    Attributes
    ----------
    words, matrix, about : list of str and torch.Tensor and dict of str to str, optional
        As given; the matrix as float32.
    index : dict of str to int
        The row of each word.

    Raises
    ------
    DataError
        The matrix does not have one row per word, or a word is repeated.
    """

    def __init__(
        self, words: list[str], matrix: torch.Tensor, about: dict[str, str] | None = None
    ) -> None:
        if matrix.ndim != 2 or len(matrix) != len(words):
            raise DataError(
                f"{len(words):,} words need a matrix with {len(words):,} rows; this one has the "
                f"shape {tuple(matrix.shape)}."
            )
        self.words = list(words)
        self.index = {word: row for row, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            twice = next(w for row, w in enumerate(self.words) if self.index[w] != row)
            raise DataError(f"The word {twice!r} is repeated; give each word one vector.")
        self.matrix = matrix.detach().float().cpu()
        self.about = dict(about or {})

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> torch.Tensor:
        """Return the vector of a word, (d,).

        Raises
        ------
        DataError
            There is no vector for the word.
        """
        if word not in self.index:
            raise DataError(f"There is no vector for {word!r}; ask `word in vectors` first.")
        return self.matrix[self.index[word]]

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.matrix.shape[1]} dimensions)"

    def save(self, path: str | Path, half: bool = False) -> None:
        """Write the vectors to a safetensors file, with the words in its header.

        Parameters
        ----------
        path : str or Path
            The file, usually `*.safetensors`. It is written whole or not at all.
        half : bool
            Store 16 bits per number: half the size, three decimal digits.

        Raises
        ------
        DataError
            The file cannot be written.
        """
        import torch
        from safetensors.torch import save

        matrix = self.matrix.to(torch.float16 if half else torch.float32).contiguous()
        header = {"words": json.dumps(self.words, ensure_ascii=False), **self.about}
        try:
            write_atomically(Path(path), save({"vectors": matrix}, metadata=header))
        except OSError as error:
            raise DataError(f"{path} cannot be written: {error.strerror}.") from error


def names() -> list[str]:
    """Return the names of the vectors that come with the course."""
    return sorted(path.stem for path in shipped_files("vectors", "*.safetensors"))


def load_vectors(name: str | Path) -> WordVectors:
    """Load word vectors that come with the course, or your own from a file.

    Parameters
    ----------
    name : str or Path
        One of `coursekit.vectors.names()`, for example "almanac", or the path of a `.safetensors`
        file that `WordVectors.save` wrote.

    Returns
    -------
    WordVectors
        Reading the file runs no code from it.

    Raises
    ------
    DataError
        Unknown name, no such file, or the file is damaged or contains something else.
    """
    path = Path(name)
    if path.suffix != ".safetensors":
        path = _shipped(str(name))
    if not path.is_file():
        raise DataError(f"There is no file {path}; save vectors there first, or give another path.")
    return _read(path)


def _shipped(name: str) -> Path:
    if name not in names():
        close = difflib.get_close_matches(name, names(), n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownName(
            f"No vectors are called {name!r}; there are {', '.join(names())}, and files that end "
            f"in .safetensors.{guess}"
        )
    return shipped(f"vectors/{name}.safetensors")


def _read(path: Path) -> WordVectors:
    from safetensors import SafetensorError, safe_open

    other = f"{path} does not contain word vectors; load a file that WordVectors.save wrote."
    if path.stat().st_size > _MAX_BYTES:
        raise DamagedFile(f"{path} is larger than 2 GiB; keep fewer words.")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if "words" not in header or list(file.keys()) != ["vectors"]:
                raise DamagedFile(other)
            matrix = file.get_tensor("vectors")
        words = json.loads(header.pop("words"))
    except SafetensorError as error:
        raise DamagedFile(f"{path} is damaged or incomplete; save or download it again.") from error
    except ValueError as error:
        raise DamagedFile(other) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DamagedFile(other)
    return WordVectors(words, matrix, header)
