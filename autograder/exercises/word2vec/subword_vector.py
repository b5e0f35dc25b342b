"""subword_vector: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import EXACT, ngram_word, normal

POINTS = {"values": 2, "unseen": 2}


def _pieces(word: str) -> list[str]:
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([*found, marked]))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def table(words: list[str], K: int) -> tuple[dict[str, int], torch.Tensor]:
        every = list(dict.fromkeys(piece for word in words for piece in _pieces(word)))
        every = [every[i] for i in rng.permutation(len(every))]
        return {piece: row for row, piece in enumerate(every)}, normal(rng, len(every), K)

    def different(K: int) -> list[str]:
        return [ngram_word(rng, K), ngram_word(rng, K - 1)]

    for n, K in ((5, 2), (6, int(rng.integers(2, 5)))):
        words = different(n)
        yield Case("values", [words[0], *table(words, K)], judge=EXACT)
    a, b = ngram_word(rng, 2)
    word = "".join([b, a, a + a, a, b])
    yield Case("values", [word, *table([word], 2)], title="a piece comes twice", judge=EXACT)
    words = [ngram_word(rng, 6)]
    pieces, Z = table(words, 3)
    unseen = words[0] + "qu"
    title = "a word never seen, with some known pieces"
    yield Case("unseen", [unseen, pieces, Z], title=title, judge=EXACT)
    yield Case("unseen", ["xyz", pieces, Z], title="no known piece", judge=EXACT)
    yield Case("unseen", ["", pieces, Z], title="the empty word", judge=EXACT)
    half = [unseen, pieces, Z.half()]
    loose = {**EXACT, "atol": 0.02}  # sums in another order round differently
    yield Case("unseen", half, title="half precision", judge=loose)


WRONG = {
    "mean_of_the_pieces": """
        This is the mean of the pieces' vectors. A word's vector is their sum.

        - return Z[rows].sum(dim=0)
        + return Z[rows].sum(dim=0) / max(1, len(rows))
        """,
    "mean_and_nan": """
        The mean of no vectors is NaN, and this is the mean of the pieces' vectors. A word's
        vector is their sum, and a sum without terms is 0.

        - return Z[rows].sum(dim=0)
        + return Z[rows].mean(dim=0)
        """,
    "stops_at_an_unknown_piece": """
        An unknown piece stops the function: it has no row to look up. Unknown pieces add
        nothing.

        raises KeyError

        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
            return Z[[pieces[p] for p in dict.fromkeys([*found, marked])]].sum(dim=0)
        """,
    "unknown_piece_is_row_zero": """
        An unknown piece gets row 0, the vector of another piece. Unknown pieces add nothing.

        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
            return Z[[pieces.get(p, 0) for p in dict.fromkeys([*found, marked])]].sum(dim=0)
        """,
    "only_the_whole_word": """
        Only the piece of the whole word is looked up. Its n-grams belong to the sum as well.

        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            return Z[[pieces[marked]]].sum(dim=0) if marked in pieces else torch.zeros_like(Z[0])
        """,
    "subwords_without_the_word": """
        The piece of the whole word, <word>, is missing from the sum.

        - rows = [pieces[piece] for piece in character_ngrams(word) if piece in pieces]
        + rows = [pieces[piece] for piece in character_ngrams(f"<{word}>") if piece in pieces]
        """,
    "adds_repetitions": """
        A piece that comes twice in the word is added twice. The pieces are a set: use your
        `character_ngrams`, which lists each one once.

        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
            if marked not in found:
                found.append(marked)
            return Z[[pieces[p] for p in found if p in pieces]].sum(dim=0)
        """,
    "subwords_always_float32": """
        The vector should keep the precision of Z; yours comes back as float32.

        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
            vector = torch.zeros(Z.shape[1])
            for p in dict.fromkeys([*found, marked]):
                if p in pieces:
                    vector = vector + Z[pieces[p]]
            return vector
        """,
    "pieces_not_added": """
        These are the vectors of the pieces, one row for each. Add them up to a single vector,
        (K,).

        - return Z[rows].sum(dim=0)
        + return Z[rows]
        """,
    "sums_along_the_rows": """
        The numbers of each piece are added up among themselves, which gives one number per
        piece. Add the pieces to each other: the result has as many numbers as a row of Z.

        - return Z[rows].sum(dim=0)
        + return Z[rows].sum(dim=1)
        """,
}

RIGHT = {
    "subword_vector_loop": """
        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            found = {marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)} | {marked}
            vector = torch.zeros_like(Z[0])
            for piece in sorted(found):
                if piece in pieces:
                    vector += Z[pieces[piece]]
            return vector
        """,
    "subword_vector_bag": """
        def subword_vector(word, pieces, Z):
            marked = f"<{word}>"
            bag = torch.zeros(len(Z), dtype=Z.dtype)
            for n in (3, 4, 5, 6, len(marked)):
                for i in range(len(marked) - n + 1):
                    if marked[i : i + n] in pieces:
                        bag[pieces[marked[i : i + n]]] = 1
            return bag @ Z
        """,
}
