"""read_alignment: more rows and columns than words, equal weights, nothing to align."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import ENGLISH, draw_words
from .common import FRENCH

POINTS = {"values": 2, "edges": 3}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(rows: int, columns: int) -> torch.Tensor:
        """Different numbers in each row that sum to 1: quarters, eighths and so on, shuffled."""
        share = 0.5 ** np.arange(1, columns + 1)
        share[-1] *= 2
        share[0] += 0.01  # the last two would be equal
        share[-1] -= 0.01 if columns > 7 else 0.001
        rows_ = [rng.permutation(share) for _ in range(rows)]
        return torch.tensor(np.array(rows_), dtype=torch.float32).reshape(rows, columns)

    def words(n_source: int, n_target: int) -> tuple[list[str], list[str]]:
        return draw_words(rng, ENGLISH, n_source), draw_words(rng, FRENCH, n_target)

    n, m = int(rng.integers(3, 5)), int(rng.integers(5, 7))
    yield Case("values", [weights(m, n), *words(n, m)])
    yield Case("values", [weights(n, m), *words(m, n)], title="the source is longer")
    yield Case("values", [weights(n, n), *words(n, n)], title="equally long")
    yield Case("values", [weights(m + 3, n), *words(n, m + 3)], title="a long translation")
    a = torch.tensor([[0.75, 0.125, 0.125], [0.125, 0.75, 0.125], [0.125, 0.125, 0.75]])
    one, two, three = (str(word) for word in rng.permutation(FRENCH)[:3])
    words_twice = [["the", "old", "cat"], [one, two, one]]
    yield Case("values", [a, *words_twice], title="a word twice, from two words of the source")
    words_twice = [["the", "cat", "the"], [three, two, one]]
    yield Case("values", [a, *words_twice], title="two words, from a word that is there twice")
    a = weights(n, n + 2)
    a[:, -1] = 0.9
    title = "</s> and padding of the source have the largest weights"
    yield Case("edges", [a, *words(n, n)], title=title)
    a = weights(n, n + 1)
    a[:, -1] = 0.9
    yield Case("edges", [a, *words(n, n)], title="</s> has the largest weight")
    a = weights(n, m + 4)
    a[:, m + 2] = 0.9
    yield Case("edges", [a, *words(m + 3, n)], title="all words come from the last one")
    yield Case("edges", [weights(m, n + 1), *words(n, m - 2)], title="rows for </s> and padding")
    a = torch.full((2, n), 1 / n)
    different = [str(word) for word in rng.permutation(ENGLISH)[:n]]
    yield Case("edges", [a, different, draw_words(rng, FRENCH, 2)], title="all weights are equal")
    a = torch.tensor([[0.25, 0.25, 0.25001, 0.24999]]).repeat(3, 1)
    yield Case("edges", [a, *words(4, 3)], title="weights that hardly differ")
    yield Case("edges", [weights(2, n), *words(n, 0)], title="a translation without words")
    yield Case("edges", [weights(1, 1), *words(1, 1)], title="one word each")


WRONG = {
    "reads_the_end": """
        The weights of </s> and padding take part: a word may be aligned with something that is no
        word of the source. Look at the columns of the source words only.

        raises IndexError

        - best = a[: len(target), : len(source)].argmax(dim=1)
        + best = a[: len(target)].argmax(dim=1)
        """,
    "for_each_source_word": """
        It goes through the source words and looks for a target word each. Every *target* word asks
        where it came from: go along the rows.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        - return [(word, source[i]) for word, i in zip(target, best.tolist())]
        + if not target:
        +     return []
        + best = a[: len(target), : len(source)].argmax(dim=0)
        + return [(target[i], word) for word, i in zip(source, best.tolist())]
        """,
    "largest_in_each_column": """
        The largest weight is taken in each column: over the target words. Each row belongs to a
        target word, so look along the rows, over the source words: dim=1.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        + best = a[: len(target), : len(source)].argmax(dim=0)
        """,
    "source_first": """
        The pairs are the wrong way round: (target word, source word).

        - return [(word, source[i]) for word, i in zip(target, best.tolist())]
        + return [(source[i], word) for word, i in zip(target, best.tolist())]
        """,
    "takes_the_smallest": """
        It takes the source word with the smallest weight.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        + best = a[: len(target), : len(source)].argmin(dim=1)
        """,
    "last_of_equal_weights": """
        Of equal weights the last one is taken. The first should count.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        + best = len(source) - 1 - a[: len(target), : len(source)].flip(1).argmax(dim=1)
        """,
    "word_by_word": """
        The words are paired by position, and the weights are not used at all.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        + best = torch.arange(len(target)).clamp(max=len(source) - 1)
        """,
    "end_of_the_source_counts": """
        A target word may point at the column after the last source word, which belongs to </s>. Look at
        the columns of source words only.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        - return [(word, source[i]) for word, i in zip(target, best.tolist())]
        + best = a[: len(target)].argmax(dim=1)
        + words = [*source, *["</s>"] * a.shape[1]]
        + return [(word, words[i]) for word, i in zip(target, best.tolist())]
        """,
    "drops_the_last_column": """
        The last column is left out, whatever it is. Without </s> it belongs to a word, and with
        padding there are more columns to leave out: take the first len(source) columns.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        - return [(word, source[i]) for word, i in zip(target, best.tolist())]
        + words = [*source, *["</s>"] * (a.shape[1] - len(source))]
        + best = a[: len(target), :-1].argmax(dim=1)
        + return [(word, words[i]) for word, i in zip(target, best.tolist())]
        """,
    "leaves_words_out": """
        A target word whose largest weight is at </s> or at padding gets no pair. Every target word
        has one: take the largest weight among the columns of the source words.

        - best = a[: len(target), : len(source)].argmax(dim=1)
        - return [(word, source[i]) for word, i in zip(target, best.tolist())]
        + best = a[: len(target)].argmax(dim=1)
        + pairs = zip(target, best.tolist())
        + return [(word, source[i]) for word, i in pairs if i < len(source)]
        """,
}

RIGHT = {
    "loops": """
        def read_alignment(a, source, target):
            pairs = []
            for t, word in enumerate(target):
                best = 0
                for i in range(len(source)):
                    if a[t, i] > a[t, best]:
                        best = i
                pairs.append((word, source[best]))
            return pairs
        """,
    "lists": """
        def read_alignment(a, source, target):
            rows = a.tolist()
            rows = [row[: len(source)] for row in rows]
            return [(word, source[row.index(max(row))]) for word, row in zip(target, rows)]
        """,
    "masked": """
        def read_alignment(a, source, target):
            real = torch.arange(a.shape[-1]) < len(source)
            best = a.masked_fill(~real, -1.0).argmax(dim=-1)
            return [(target[t], source[best[t]]) for t in range(len(target))]
        """,
}

EQUIVALENT = {
    "More digits than needed.": """
         ) -> list[tuple[str, str]]:
        +    a = a.double()
             best = a[: len(target), : len(source)].argmax(dim=1)
        """,
    "`zip` stops after the last word of the target.": """
        -    best = a[: len(target), : len(source)].argmax(dim=1)
        +    best = a[: , : len(source)].argmax(dim=1)

        -    best = a[: len(target), : len(source)].argmax(dim=1)
        +    best = a[: len(target) + 1, : len(source)].argmax(dim=1)
        """,
    "A tensor of one integer is an index.": """
        -    return [(word, source[i]) for word, i in zip(target, best.tolist())]
        +    return [(word, source[i]) for word, i in zip(target, best)]
        """,
}
