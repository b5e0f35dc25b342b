"""Word vectors: a matrix with one row per word, stored in a file and loaded by name."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursekit import vector_files
from coursekit.data.errors import DamagedFile, DataError, UnknownName
from coursekit.data.paths import shipped, shipped_files, write_atomically

if TYPE_CHECKING:
    import torch

_MAX_BYTES = 2**31
#: What safetensors reads of a header.
_MAX_HEADER = 100_000_000
_HALF_LIMIT = 65_504.0
_SUFFIX = ".safetensors"


#: The endings of packed files.
_PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz")


def _as_matrix(matrix: Any) -> torch.Tensor:
    """Return numbers of any kind as a dense float32 tensor that shares no memory with NumPy."""
    import numpy as np
    import torch

    try:
        if isinstance(matrix, (list, tuple)) and any(isinstance(r, torch.Tensor) for r in matrix):
            matrix = torch.stack([torch.as_tensor(row).detach() for row in matrix])
        if isinstance(matrix, torch.Tensor):
            return matrix.detach().to_dense().float().cpu()
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix  # scipy's sparse ones
        return torch.from_numpy(np.array(matrix, dtype=np.float32))
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(
            f"The vectors must be a matrix of numbers; a {type(matrix).__name__} of other things or"
            " of rows of different lengths is none."
        ) from error


class WordVectors:
    """Words and their vectors.

    Parameters
    ----------
    words : sequence of str
        The |V| different words, usually the most frequent first, such as gensim's ``index_to_key``.
    matrix : torch.Tensor or array_like
        Their vectors, of shape (|V|, d), such as gensim's ``vectors``.
    about : mapping of str to object, optional
        Facts about the vectors to store with them, as text: the corpus, the method, the settings.

    Attributes
    ----------
    words, matrix, about : list of str and torch.Tensor and dict of str to str, optional
        As given; the matrix as float32.
    index : dict of str to int
        The row of each word.

    Raises
    ------
    DataError
        The matrix does not have one row of numbers per word, a word is repeated or no text, or a
        fact has a name that files use themselves.
    """

    def __init__(
        self, words: Sequence[str], matrix: Any, about: Mapping[str, object] | None = None
    ) -> None:
        self.matrix = _as_matrix(matrix)
        self.words = list(words)
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.words):
            raise DataError(
                f"{len(self.words):,} words need a matrix with {len(self.words):,} rows; this one has"
                f" the shape {tuple(self.matrix.shape)}."
            )
        if other := [word for word in self.words if not isinstance(word, str)]:
            raise DataError(f"Words are strings; {other[0]!r} is a {type(other[0]).__name__}.")
        self.words = [str(word) for word in self.words]  # NumPy's strings, too
        self.index = {word: row for row, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            twice = next(w for row, w in enumerate(self.words) if self.index[w] != row)
            raise DataError(f"The word {twice!r} is repeated; give each word one vector.")
        self.about = {str(name): str(fact) for name, fact in (about or {}).items()}
        if "words" in self.about:
            raise DataError('`about` cannot have a fact called "words"; give it another name.')

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        """Tell whether there is a vector for the word."""
        return isinstance(word, str) and word in self.index

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words in order, as a dictionary does."""
        return iter(self.words)

    def __getitem__(self, word: str | Sequence[str]) -> torch.Tensor:
        """Return the vector of a word, (d,), or those of n words, (n, d).

        Raises
        ------
        DataError
            There is no vector for the word, or for one of them.
        """
        words = [word] if isinstance(word, str) else word
        if not isinstance(words, Iterable):
            raise DataError(f"Ask for a word or a list of words; {word!r} is neither.")
        words = list(words)
        for one in words:
            if one not in self:
                raise DataError(f"There is no vector for {one!r}; ask `word in vectors` first.")
        rows = [self.index[one] for one in words]
        return self.matrix[rows[0]] if isinstance(word, str) else self.matrix[rows]

    def __repr__(self) -> str:
        """Return the numbers of words and dimensions as text."""
        return f"WordVectors({len(self):,} words, {self.matrix.shape[1]} dimensions)"

    def save(self, path: str | Path, half: bool = False) -> None:
        """Write the vectors to a safetensors file, with the words in its header.

        Parameters
        ----------
        path : str or Path
            The file, `*.safetensors`. It is written whole or not at all.
        half : bool
            Store 16 bits per number: half the size, three decimal digits.

        Raises
        ------
        DataError
            The file cannot be written, or could not be loaded again: another ending, a word that
            is no valid text, too many words, or a number that 16 bits cannot hold.
        """
        import torch
        from safetensors.torch import save

        if Path(path).suffix != _SUFFIX:
            raise DataError(
                f"{path} must end in {_SUFFIX}, by which load_vectors knows the format."
            )
        if half and self.matrix.numel() and self.matrix.abs().max() > _HALF_LIMIT:
            raise DataError("A number is too large for 16 bits; save without `half`.")
        matrix = self.matrix.to(torch.float16 if half else torch.float32).contiguous()
        header = {"words": json.dumps(self.words, ensure_ascii=False), **self.about}
        try:
            size = sum(len(text.encode()) for pair in header.items() for text in pair)
        except UnicodeEncodeError as error:
            raise DataError(
                f"{error.object[:100]!r} is no valid text and cannot be saved; leave it out."
            ) from error
        if 4 * matrix.numel() + size > _MAX_BYTES or size > _MAX_HEADER // 2:
            raise DataError("These are too many words to be loaded again; keep fewer.")
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
        file that `WordVectors.save` wrote, of a text (`.txt`, `.vec`) of word2vec, fastText or
        GloVe, or of word2vec's binary file (`.bin`). Reading such a file takes long; save its
        vectors once to load them faster.

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
    is_file = path.is_file() and str(name) not in names()
    ending = path.suffix.lower()
    if ending not in (_SUFFIX, *vector_files.SUFFIXES, *_PACKED):
        if is_file:
            raise DataError(
                f"{path} is in no format that is read here. Load it with the program that wrote it; of"
                " gensim, `WordVectors(kv.index_to_key, kv.vectors).save(...)` then writes a file for"
                " load_vectors."
            )
        path, ending = _shipped(str(name)), _SUFFIX
    if not path.is_file():
        raise DataError(f"There is no file {path}; save vectors there first, or give another path.")
    if ending in _PACKED:
        raise DataError(f"{path} is packed; unpack it, and load the file that is in it.")
    if path.stat().st_size > _MAX_BYTES:
        raise DamagedFile(f"{path} is larger than 2 GiB; keep fewer words.")
    if ending == _SUFFIX:
        return _read(path)
    return WordVectors(*vector_files.read(path))


def _shipped(name: str) -> Path:
    """Return the file of vectors that come with the course."""
    if name not in names():
        close = difflib.get_close_matches(name, names(), n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownName(
            f"No vectors are called {name!r}; there are {', '.join(names())}, and files that end "
            f"in .safetensors, .txt, .vec or .bin.{guess}"
        )
    return shipped(f"vectors/{name}.safetensors")


def _read(path: Path) -> WordVectors:
    """Read the vectors that `WordVectors.save` wrote."""
    from safetensors import SafetensorError, safe_open

    other = f"{path} does not contain word vectors; load a file that WordVectors.save wrote."
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if "words" not in header or list(file.keys()) != ["vectors"]:
                raise DamagedFile(other)
            matrix = file.get_tensor("vectors")
        words = json.loads(header.pop("words"))
    except SafetensorError as error:
        raise DamagedFile(f"{path} is damaged or incomplete; save or download it again.") from error
    except (ValueError, RecursionError) as error:
        raise DamagedFile(other) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DamagedFile(other)
    return WordVectors(words, matrix, header)
