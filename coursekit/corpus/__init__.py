"""The shipped unlabelled text: about a million words of plain English, made at first use.

Nothing is stored but facts (`facts/`), sentence frames (`frames/`) and the small machine that
fills one with the other (`grammar.py`). The text is the same on every computer: all choices come
from a Mersenne Twister's integers. It is described in `data/almanac/DATASHEET.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coursekit.corpus.grammar import Grammar

__all__ = ["sentences"]


def sentences(words: int = 1_000_000, seed: int = 0) -> Iterator[str]:
    """Yield sentences until at least `words` whitespace-separated words have been made.

    No sentence comes twice. A shorter text with the same seed is the beginning of a longer one.

    Parameters
    ----------
    words : int
        How many words to make; at least 1. The last sentence is not cut.
    seed : int
        Which text to make; the course uses 0.

    Yields
    ------
    str
        One sentence (a few are a short exchange of two), with capitals and punctuation.

    Raises
    ------
    ValueError
        If `words` is below 1, or so large that no new sentence can be found.
    """
    if words < 1:
        raise ValueError(f"words must be at least 1, and it is {words}: ask for a longer text.")
    # Imported here so that `import coursekit` reads no fact file.
    from coursekit.corpus.grammar import Grammar

    return _count(Grammar.shipped(), words, seed)


def _count(grammar: Grammar, words: int, seed: int) -> Iterator[str]:
    made = 0
    for sentence in grammar.generate(seed):
        yield sentence
        made += sentence.count(" ") + 1
        if made >= words:
            return
    raise ValueError(f"the grammar ran out of new sentences after {made} words: ask for fewer.")
