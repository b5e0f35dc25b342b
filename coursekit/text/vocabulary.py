"""Vocabulary: words and their numbers."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from coursekit.forbidden import require_allowed
from coursekit.text.errors import TextError

PADDING = "<pad>"
UNKNOWN = "<unk>"
_NAME = "coursekit.text.Vocabulary"
_FORMAT = "coursekit vocabulary 1"


class Vocabulary:
    """Numbered list of words, with padding as 0 and the unknown word as 1.

    Make one from token lists with `Vocabulary.build`, or from known words with
    `Vocabulary(words)`.

    Parameters
    ----------
    words : iterable of str
        The words in the order of their numbers, starting at 2, without the two special ones.
    counts : sequence of int, optional
        How often each word was seen; zeros when left out.
    unknown_count : int
        How many tokens of the text the vocabulary was built from are not in it.

    Attributes
    ----------
    words : list of str
        All words by number; `words[0]` is "<pad>", `words[1]` is "<unk>".
    counts : list of int
        How often each was seen, in the same order.
    padding, unknown : int
        The numbers 0 and 1.

    Raises
    ------
    TextError
        If a word is not a string, is repeated, or is one of the two special ones.
    """

    padding = 0
    unknown = 1

    def __init__(
        self,
        words: Iterable[str] = (),
        counts: Sequence[int] | None = None,
        unknown_count: int = 0,
    ) -> None:
        require_allowed(_NAME)
        if isinstance(words, str):
            raise TextError("Vocabulary needs a list of words, but got one string.")
        words = list(words)
        counts = [0] * len(words) if counts is None else [int(count) for count in counts]
        if len(words) != len(counts):
            raise TextError(f"There are {len(words)} words but {len(counts)} counts.")
        self.words: list[str] = [PADDING, UNKNOWN, *words]
        self.counts: list[int] = [0, int(unknown_count), *counts]
        self._number = {word: number for number, word in enumerate(self.words)}
        for word in words:
            if not isinstance(word, str):
                raise TextError(f"A word must be a string, but one is {word!r}.")
        if len(self._number) != len(self.words):
            twice = next(word for word, n in Counter(self.words).items() if n > 1)
            raise TextError(f"The word {twice!r} appears twice.")

    @classmethod
    def build(
        cls,
        token_lists: Iterable[Sequence[str]],
        min_count: int = 1,
        max_size: int | None = None,
    ) -> "Vocabulary":
        """Build the vocabulary of some texts, by falling frequency, ties in alphabetical order.

        Parameters
        ----------
        token_lists : iterable of sequence of str
            One list of tokens per text.
        min_count : int
            Leave out words seen less often than this.
        max_size : int, optional
            The largest length of the vocabulary, its two special words included.

        Returns
        -------
        Vocabulary

        Raises
        ------
        TextError
            If a text has not been tokenized, or `min_count` or `max_size` makes no sense.
        """
        require_allowed(_NAME)
        if min_count < 1:
            raise TextError(f"min_count must be 1 or more, but is {min_count}.")
        if max_size is not None and max_size < 2:
            raise TextError(
                f"max_size must be 2 or more, because {PADDING} and {UNKNOWN} count as well, "
                f"but is {max_size}."
            )
        seen: Counter[str] = Counter()
        for tokens in token_lists:
            _refuse_string(tokens)
            seen.update(tokens)
        total = sum(seen.values())
        # A text must not be able to bring the special words in as ordinary ones.
        del seen[PADDING], seen[UNKNOWN]
        kept = sorted(
            ((word, count) for word, count in seen.items() if count >= min_count),
            key=lambda pair: (-pair[1], pair[0]),
        )
        if max_size is not None:
            kept = kept[: max_size - 2]
        counts = [count for _, count in kept]
        return cls([word for word, _ in kept], counts, total - sum(counts))

    def __len__(self) -> int:
        """Count the words, the two special ones included: the rows of an embedding table."""
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        """Tell whether a word is in the vocabulary."""
        return word in self._number

    def __getitem__(self, word: str) -> int:
        """Return a word's number, or 1 when the word is unknown."""
        return self._number.get(word, self.unknown)

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same words and counts."""
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.words == other.words and self.counts == other.counts

    def __repr__(self) -> str:
        """Return the number of words and the first ones as text."""
        shown = ", ".join(self.words[2:7]) or "no words"
        more = ", ..." if len(self) > 7 else ""
        return f"Vocabulary({len(self):,} words: {PADDING}, {UNKNOWN}, {shown}{more})"

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Turn tokens into numbers; a word that is not in the vocabulary becomes 1.

        Parameters
        ----------
        tokens : sequence of str
            The tokens of one text; an empty list gives an empty list.

        Returns
        -------
        list of int

        Raises
        ------
        TextError
            If given a string instead of its tokens.
        """
        _refuse_string(tokens)
        number, unknown = self._number, self.unknown
        return [number.get(token, unknown) for token in tokens]

    def decode(self, ids: Iterable[int], skip_padding: bool = True) -> list[str]:
        """Turn numbers back into words.

        Parameters
        ----------
        ids : iterable of int
            The numbers of one text, as a list, an array or a tensor of shape (L,).
        skip_padding : bool
            Leave "<pad>" out.

        Returns
        -------
        list of str

        Raises
        ------
        TextError
            If a number is outside the vocabulary.
        """
        if hasattr(ids, "tolist"):
            ids = ids.tolist()
        words = []
        for number in ids:
            if not isinstance(number, int):
                raise TextError(
                    "decode reads the numbers of one text, a flat list of integers, "
                    f"but one entry is {number!r}."
                )
            if not 0 <= number < len(self):
                raise TextError(
                    f"{number} is not a word's number: this vocabulary ends at {len(self) - 1}."
                )
            if not (skip_padding and number == self.padding):
                words.append(self.words[number])
        return words

    def save(self, path: str | Path) -> Path:
        """Write the vocabulary to a JSON file, one word per line.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.

        Returns
        -------
        pathlib.Path
            The file written.
        """
        path = Path(path)
        content = {"format": _FORMAT, "words": self.words, "counts": self.counts}
        path.write_text(
            json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8", newline="\n"
        )
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Vocabulary":
        """Read a vocabulary that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Vocabulary

        Raises
        ------
        TextError
            If the file is missing or is not a vocabulary.
        """
        require_allowed(_NAME)
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise TextError(
                f"The vocabulary {path} cannot be read: {error.strerror or error}."
            ) from error
        except ValueError as error:
            raise TextError(f"The file {path} is damaged or is not a vocabulary.") from error
        words = content.get("words") if isinstance(content, dict) else None
        if not isinstance(words, list) or words[:2] != [PADDING, UNKNOWN]:
            raise TextError(f"The file {path} is damaged or is not a vocabulary.")
        if content.get("format") != _FORMAT:
            raise TextError(
                f"The file {path} has the format {content.get('format')!r}, but this version of "
                f"coursekit reads {_FORMAT!r}."
            )
        try:
            unknown_count, counts = content["counts"][1], content["counts"][2:]
            return cls(words[2:], counts, unknown_count)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise TextError(f"The file {path} is damaged: its counts do not fit.") from error


def _refuse_string(tokens: object) -> None:
    """Refuse a string in place of tokens, which would be read letter by letter."""
    if isinstance(tokens, str):
        raise TextError(
            f"A list of tokens is needed, but got the text {tokens[:30]!r}; "
            "call tokenize(text) first."
        )
