"""skip_gram_pairs: the pairs in order; a word may be its own neighbor, and there may be no pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT
from .common import window_cases

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    return window_cases(rng, EXACT)


WRONG = {
    "id_0_is_no_word": """
        The id 0 was taken for nothing: to Python 0 is false. Here it is the id of a word like any other.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in [*left, *right] if context]
        """,
    "leaves_out_equal_words": """
        A neighbor that equals the center is left out. Compare positions, not words.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in [*left, *right] if context != center]
        """,
    "context_first": """
        The columns are swapped: the center should be in the first one, its context in the second.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(context, center) for context in [*left, *right]]
        """,
    "one_too_few_on_the_right": """
        The last context word on the right is missing: the end of a slice or a range is not included.

        - right = ids[i + 1 : i + 1 + window]
        + right = ids[i + 1 : i + window]
        """,
    "negative_start": """
        The first words lose their left neighbors: a slice with a negative start counts from the end.

        - left = ids[max(0, i - window) : i]
        + left = ids[i - window : i]
        """,
    "pairs_with_itself": """
        Each word is paired with itself too. The center is not its own context word.

        - right = ids[i + 1 : i + 1 + window]
        + right = ids[i : i + 1 + window]
        """,
    "only_whole_windows": """
        Centers near the edges have no pairs. Cut the window off there, and keep what is left of it.

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
    "neighbors_from_the_end": """
        The first words get neighbors from the end of the text: an index below 0 counts from the
        end. The window begins at position 0 at the earliest.

        def skip_gram_pairs(ids, window):
            pairs = []
            for i in range(len(ids)):
                for j in range(i - window, i + window + 1):
                    if j != i and j < len(ids):
                        pairs.append((ids[i], ids[j]))
            return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        """,
    "one_too_few_on_the_left": """
        The first context word on the left is missing: the window begins at position i - window.

        - left = ids[max(0, i - window) : i]
        + left = ids[max(0, i - window + 1) : i]
        """,
    "less_than_the_window": """
        A word exactly `window` positions away is missing, on either side. It belongs to the window.

        - left = ids[max(0, i - window) : i]
        - right = ids[i + 1 : i + 1 + window]
        + left = ids[max(0, i - window + 1) : i]
        + right = ids[i + 1 : i + window]
        """,
    "only_right_neighbors": """
        The words to the left are missing. Each pair of neighbors comes twice: either word is the center
        once.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in right]
        """,
    "positions_for_ids": """
        The pairs hold positions in the text. They should hold the ids at these positions.

        def skip_gram_pairs(ids, window):
            pairs = []
            for i in range(len(ids)):
                for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                    if i != j:
                        pairs.append((i, j))
            return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        """,
    "nearest_first": """
        The pairs are right, but the nearest context words come first. They should come from left to right,
        as in the text.

        def skip_gram_pairs(ids, window):
            pairs = []
            for i, center in enumerate(ids):
                for distance in range(1, window + 1):
                    if i >= distance:
                        pairs.append((center, ids[i - distance]))
                    if i + distance < len(ids):
                        pairs.append((center, ids[i + distance]))
            return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        """,
    "left_words_from_the_nearest": """
        The words on the left come in reverse, beginning with the nearest. They should come from left to
        right, as in the text.

        - left = ids[max(0, i - window) : i]
        + left = ids[max(0, i - window) : i][::-1]
        """,
    "position_by_index": """
        `ids.index` finds the first position of a word. A word that occurs again has its neighbors somewhere
        else: count the positions, with `enumerate`.

        - for i, center in enumerate(ids):
        + for center in ids:
        +     i = ids.index(center)
        """,
    "each_context_word_once": """
        A context word that occurs twice in a window makes only one pair. Every position makes a
        pair of its own: do not go through a set or the keys of a dictionary.

        - pairs += [(center, context) for context in [*left, *right]]
        + pairs += [(center, context) for context in dict.fromkeys([*left, *right])]
        """,
    "no_columns_without_pairs": """
        Without any pair the tensor has the shape (0,). It has no rows then, but still two columns:
        (0, 2).

        - return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        + return torch.tensor(pairs, dtype=torch.long)
        """,
}

RIGHT = {
    "by_distance": """
        def skip_gram_pairs(ids, window):
            rows = torch.empty(0, 2, dtype=torch.int64)
            for i in range(len(ids)):
                for j in range(max(0, i - window), min(len(ids), i + window + 1)):
                    if j != i:
                        rows = torch.cat([rows, torch.tensor([[ids[i], ids[j]]])])
            return rows
        """,
    "by_mask": """
        def skip_gram_pairs(ids, window):
            words, position = torch.tensor(ids, dtype=torch.long), torch.arange(len(ids))
            distance = (position[:, None] - position).abs()
            i, j = torch.nonzero((distance > 0) & (distance <= window), as_tuple=True)
            return torch.stack([words[i], words[j]], dim=1)
        """,
}

EQUIVALENT = {
    "There are two pairs or more, or none: no axis has size 1.": """
        -    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
        +    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).squeeze()
        """,
}
