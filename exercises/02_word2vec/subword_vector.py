"""subword_vector: a sum of known n-grams, each once; words never seen, or with no known n-gram."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import letters

POINTS = {"values": 2, "unseen": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def table(words: list[str], K: int, first: str = "") -> tuple[dict[str, int], torch.Tensor]:
        """The row of each n-gram of the words, in any order after the first one, and the vectors."""
        marked = [f"<{word}>" for word in words]
        found = {w[i : i + n] for w in marked for n in range(3, 7) for i in range(len(w) - n + 1)}
        ngrams = rng.permutation(sorted(found | set(marked))).tolist()
        ngrams.sort(key=lambda ngram: ngram != first)
        return {ngram: row for row, ngram in enumerate(ngrams)}, normal(rng, len(ngrams), K)

    case = partial(Case, judge=EXACT)
    for n, K in ((5, 2), (6, int(rng.integers(2, 5)))):
        words = [letters(rng, n), letters(rng, n - 1)]
        yield case("values", [words[0], *table(words, K)])
    a, b = letters(rng, 2)
    word = f"{b}{a}{a}{a}{a}{b}"
    yield case("values", [word, *table([word], 2)], title="an n-gram occurs twice")
    word = letters(rng, 6)
    ngrams, G = table([word], 3)
    unseen = word + "qu"
    yield case("unseen", [unseen, ngrams, G], title="a word never seen, with known n-grams")
    yield case("unseen", ["xyz", ngrams, G], title="no known n-gram")
    yield case("unseen", ["", ngrams, G], title="the empty word")
    word = letters(rng, 4)
    known = table([word], 1, first=f"<{word[:2]}")
    yield case("unseen", [word + "er", *known], title="vectors of one number")


WRONG = {
    "mean_of_the_ngrams": """
        This is the mean of the n-grams' vectors. A word's vector is their sum.

        - return G[rows].sum(dim=0)
        + return G[rows].sum(dim=0) / max(1, len(rows))
        """,
    "sums_along_the_rows": """
        The sum runs over the dimensions of each n-gram. Sum over the n-grams: the shape is (d,).

        - return G[rows].sum(dim=0)
        + return G[rows].sum(dim=1)
        """,
    "stops_at_an_unknown_ngram": """
        An unknown n-gram stops the function: it has no row. Skip those that are unknown.

        raises KeyError

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + rows = [ngram_index[ngram] for ngram in character_ngrams(word)]
        """,
    "unknown_ngram_is_row_zero": """
        An unknown n-gram gets row 0, the vector of another one. Skip those that are unknown.

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + rows = [ngram_index.get(ngram, 0) for ngram in character_ngrams(word)]
        """,
    "without_the_whole_word": """
        The vector of the whole word, <word>, is missing from the sum.

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + rows = [ngram_index[ngram] for ngram in character_ngrams(word)[:-1] if ngram in ngram_index]
        """,
    "loses_row_zero": """
        The n-gram of row 0 is skipped, since 0 counts as False. Ask whether the n-gram is in
        `ngram_index`.

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram_index.get(ngram)]
        """,
    "sum_of_nothing_is_a_number": """
        Without a known n-gram, `sum` returns the number 0. It should be a vector of zeros: start
        from `torch.zeros`, or sum the rows of a tensor.

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        - return G[rows].sum(dim=0)
        + return sum(G[ngram_index[g]] for g in character_ngrams(word) if g in ngram_index)
        """,
    "stacks_nothing": """
        Without a known n-gram there is nothing to stack, which raises an error. The sum of no
        vectors is a vector of zeros, of shape (d,).

        raises RuntimeError

        - return G[rows].sum(dim=0)
        + return torch.stack([G[row] for row in rows]).sum(dim=0)
        """,
    "ngrams_without_brackets": """
        The n-grams with a bracket, such as `<in`, are missing. Is the check of `character_ngrams`
        green?

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + ngrams = [g for g in character_ngrams(word) if g == f"<{word}>" or g == g.strip("<>")]
        + rows = [ngram_index[ngram] for ngram in ngrams if ngram in ngram_index]
        """,
    "known_word_alone": """
        Where the whole word is known, only its own vector is returned. It is one n-gram among others: add
        all that are known.

        - return G[rows].sum(dim=0)
        + whole = f"<{word}>"
        + return G[ngram_index[whole]] if whole in ngram_index else G[rows].sum(dim=0)
        """,
    "zeros_for_one_unknown_ngram": """
        A single unknown n-gram makes the whole vector zero. It adds nothing, and the known ones still count.

        - return G[rows].sum(dim=0)
        + return G[rows].sum(dim=0) * (len(rows) == len(character_ngrams(word)))
        """,
    "unknown_ngram_is_the_last_row": """
        An unknown n-gram gets row -1, which is the last one: the vector of another n-gram. Skip those that
        are unknown.

        - rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        + rows = [ngram_index.get(ngram, -1) for ngram in character_ngrams(word)]
        """,
}

RIGHT = {
    "loop": """
        def subword_vector(word, ngram_index, G):
            vector = torch.zeros_like(G[0])
            for ngram in character_ngrams(word):
                if ngram in ngram_index:
                    vector += G[ngram_index[ngram]]
            return vector
        """,
    "bag": """
        def subword_vector(word, ngram_index, G):
            marked = f"<{word}>"
            bag = torch.zeros(len(G), dtype=G.dtype)
            for n in (3, 4, 5, 6, len(marked)):
                for i in range(len(marked) - n + 1):
                    if marked[i : i + n] in ngram_index:
                        bag[ngram_index[marked[i : i + n]]] = 1
            return bag @ G
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "A sum has no order.": """
        -    rows = [ngram_index[ngram] for ngram in character_ngrams(word) if ngram in ngram_index]
        +    rows = [ngram_index[ngram] for ngram in list(character_ngrams(word))[::-1] if ngram in ngram_index]
        """,
}
