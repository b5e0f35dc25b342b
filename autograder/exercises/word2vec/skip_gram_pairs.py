"""skip_gram_pairs: the pairs in order; a word may be its own neighbor, and there may be no pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import EXACT, window_cases

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    return window_cases(rng, EXACT)


WRONG = {
    "leaves_out_equal_words": """
        A neighbor is missing where it is the same word as the center. Leave out the center's
        position, not its number: another `the` nearby is a context word.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in [*left, *right] if context != center]
        """,
    "context_first": """
        The columns are swapped. The first one should hold the center, the second one the context
        word.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(context, center) for context in [*left, *right]]
        """,
    "only_to_the_right": """
        Only the words to the right of the center are there. A window reaches to both sides.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in right]
        """,
    "one_too_few_on_the_right": """
        The last word on the right that the window reaches is missing: the end of a slice or a
        range is not included.

        - right = ids[i + 1 : i + 1 + window]
        + right = ids[i + 1 : i + window]
        """,
    "negative_start": """
        The left neighbors of the first words are lost: a negative start of a slice counts from
        the end of the list. Make sure that it never falls below 0.

        - left = ids[max(0, i - window) : i]
        + left = ids[i - window : i]
        """,
    "wraps_around": """
        Words from the end of the text are neighbors of its first words: a negative index counts
        from the end of the list. Cut the window off at the beginning.

        - left = ids[max(0, i - window) : i]
        + left = [ids[j] for j in range(i - window, i) if j >= -len(ids)]
        """,
    "pairs_with_itself": """
        Each word is paired with itself too. The center is not its own context word.

        - right = ids[i + 1 : i + 1 + window]
        + right = ids[i : i + 1 + window]
        """,
    "only_whole_windows": """
        Only centers whose whole window fits into the text have pairs. At the edges the window
        is cut off, and what is left of it counts.

        - for i, center in enumerate(ids):
        + for i in range(window, len(ids) - window):
        +     center = ids[i]
        """,
    "empty_without_columns": """
        When there are no pairs, `torch.tensor([])` has the shape (0,) and holds floats. It should
        have two columns and hold integers here too.

        - return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        + return torch.tensor(pairs)
        """,
}

RIGHT = {
    "by_distance": """
        def skip_gram_pairs(ids, window):
            rows = []
            for i in range(len(ids)):
                for d in range(-window, window + 1):
                    if d and 0 <= i + d < len(ids):
                        rows.append([ids[i], ids[i + d]])
            return torch.tensor(rows, dtype=torch.int64) if rows else torch.empty(0, 2, dtype=torch.int64)
        """,
    "by_mask": """
        def skip_gram_pairs(ids, window):
            words, position = torch.tensor(ids, dtype=torch.long), torch.arange(len(ids))
            distance = (position[:, None] - position).abs()
            i, j = torch.nonzero((distance > 0) & (distance <= window), as_tuple=True)
            return torch.stack([words[i], words[j]], dim=1)
        """,
}
