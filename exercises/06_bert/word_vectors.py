"""word_vectors, the mean of each word's tokens: also texts without words, and half precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, normal, number

POINTS = {"values": 2, "edges": 1}


def _words(*lengths: int, middle: int | None = None) -> list[int | None]:
    """[CLS], words of so many tokens, a [SEP] before word number `middle`, and [SEP]."""
    found: list[int | None] = [None]
    for word, length in enumerate(lengths):
        found += [None] * (word == middle) + [word] * length
    return [*found, None]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, words: list[int | None], H: torch.Tensor | None = None, **more: Any
    ) -> Case:
        H = normal(rng, len(words), number(rng, 2, 4)) if H is None else H
        return Case(group, [H, words], **more)

    n = number(rng, 3, 4)
    yield case("values", _words(1, 1, 1), title="one token per word")
    yield case("values", _words(2, 1, n, 1))
    yield case("values", _words(1, n, 2), title="the last word has two tokens")
    yield case("values", _words(n, 1, 2, middle=1), title="two texts, with [SEP] between them")
    yield case("edges", _words(n), title="a single word")
    yield case("edges", [0] * (n - 1) + [1], title="no special tokens")
    yield case("edges", [0], title="a single token")
    yield case("edges", [None, None], title="no words")
    yield case("edges", [None], normal(rng, 1, 1), title="no words, one number per position")
    title = "no positions at all, half precision"
    yield case("edges", [], normal(rng, 0, n).half(), title=title, judge=HALF)
    words = _words(1, 2, 1)
    gaps = normal(rng, n, len(words)).mT
    yield case("edges", words, gaps, title="a tensor that is not contiguous")
    half = normal(rng, len(words), n).half()
    yield case("edges", words, half, title="half precision", judge=HALF)
    none = normal(rng, 2, n).half()
    yield case("edges", [None, None], none, title="no words, half precision", judge=HALF)


WRONG = {
    "takes_the_first_token": """
        Only the first token of each word is used. A word's vector is the mean over all of its
        tokens.

        - return torch.stack([H[rows].mean(dim=0) for rows in positions])
        + return torch.stack([H[rows[0]] for rows in positions])
        """,
    "sums_the_tokens": """
        The tokens' vectors are summed. Take their mean, so that words of many tokens do not get
        longer vectors.

        - return torch.stack([H[rows].mean(dim=0) for rows in positions])
        + return torch.stack([H[rows].sum(dim=0) for rows in positions])
        """,
    "averages_over_the_wrong_axis": """
        The mean runs over the d numbers of each vector. It should run over the word's tokens,
        the other axis.

        - return torch.stack([H[rows].mean(dim=0) for rows in positions])
        + return torch.stack([H[rows].mean(dim=1) for rows in positions])
        """,
    "makes_special_tokens_a_word": """
        The special tokens become a word of their own. None means that a position belongs to no
        word: leave it out.

        - n = max((word for word in word_ids if word is not None), default=-1) + 1
        - positions = [[i for i, word in enumerate(word_ids) if word == number] for number in range(n)]
        + numbers = dict.fromkeys(word_ids)
        + positions = [[i for i, word in enumerate(word_ids) if word == number] for number in numbers]
        """,
    "loses_word_zero": """
        Word 0 is missing. In a condition the number 0 counts as False, just as None does, so
        compare with None explicitly; and words are counted from 0.

        - n = max((word for word in word_ids if word is not None), default=-1) + 1
        - positions = [[i for i, word in enumerate(word_ids) if word == number] for number in range(n)]
        + numbers = dict.fromkeys(word for word in word_ids if word)
        + positions = [[i for i, word in enumerate(word_ids) if word == number] for number in numbers]
        """,
    "nan_for_word_zero": """
        The vector of word 0 is NaN, the mean of no tokens. In a condition the number 0 counts as
        False, just as None does, so compare with None explicitly.

        - positions = [[i for i, word in enumerate(word_ids) if word == number] for number in range(n)]
        + tokens = [(i, word) for i, word in enumerate(word_ids) if word]
        + positions = [[i for i, word in tokens if word == number] for number in range(n)]
        """,
    "counts_special_tokens_as_word_zero": """
        Special tokens are counted as part of word 0: `word or 0` turns None into 0. None means
        that a position belongs to no word: leave it out.

        + word_ids = [word or 0 for word in word_ids]
          n = max((word for word in word_ids if word is not None), default=-1) + 1
        """,
    "loses_the_last_word": """
        The last word is missing. Words are counted from 0, so there is one more than the largest
        number.

        - n = max((word for word in word_ids if word is not None), default=-1) + 1
        + n = max((word for word in word_ids if word is not None), default=0)
        """,
    "cuts_both_ends": """
        The first and the last position are dropped, special or not. Let `word_ids` decide: None
        marks the positions that belong to no word.

        + H, word_ids = H[1:-1], word_ids[1:-1]
          n = max((word for word in word_ids if word is not None), default=-1) + 1
        """,
    "compares_none": """
        None is not a number: it can neither be added nor compared. Leave these positions out
        before you compute with the word ids.

        raises TypeError

        - n = max((word for word in word_ids if word is not None), default=-1) + 1
        + n = max(word_ids, default=-1) + 1
        """,
    "fails_without_words": """
        In a text without words there is nothing to stack, which raises an error. Return a tensor
        without rows, (0, d).

        raises RuntimeError

        - if not positions:
        -     return H[:0]
        """,
    "loses_the_width_without_words": """
        For a text without words the result has the shape (0,). It should keep the length of the
        vectors: (0, d).

        - return H[:0]
        + return torch.zeros(0)
        """,
    "one_axis_without_words": """
        Without words the result has a single axis, (0,). It has no rows, but a row would still have
        d numbers: (0, d).

        - return H[:0]
        + return H.new_zeros(0)
        """,
    "forgets_the_dtype_without_words": """
        For a text without words the result is float32. It should have the dtype of `H`, as it has
        for other texts.

        - return H[:0]
        + return torch.zeros(0, H.shape[1])
        """,
    "returns_a_list": """
        The result is a list of vectors. Stack them into one tensor with a row per word.

        - return torch.stack([H[rows].mean(dim=0) for rows in positions])
        + return [H[rows].mean(dim=0) for rows in positions]
        """,
    "no_largest_number_without_words": """
        A text without words has no largest number: `max` of nothing raises an error. Return a
        tensor without rows, (0, d).

        raises ValueError

        - n = max((word for word in word_ids if word is not None), default=-1) + 1
        + n = max(word for word in word_ids if word is not None) + 1
        """,
}

FURTHER = """
For each word collect the positions that have its id, index `H` with that list, and average over
axis 0. The number of words is the largest id plus 1, or 0 if all ids are None.
"""

RIGHT = {
    "by_matrix_product": """
        def word_vectors(H, word_ids):
            number = torch.tensor([-1 if word is None else word for word in word_ids], dtype=torch.long)
            n = max([-1, *number.tolist()]) + 1
            belongs = (torch.arange(n)[:, None] == number).to(H.dtype)
            return belongs @ H / belongs.sum(dim=1, keepdim=True)
        """,
    "by_index_add": """
        def word_vectors(H, word_ids):
            positions = [i for i, word in enumerate(word_ids) if word is not None]
            number = torch.tensor([word_ids[i] for i in positions], dtype=torch.long)
            n = len(set(number.tolist()))
            sums = H.new_zeros(n, H.shape[1]).index_add(0, number, H[positions])
            return sums / torch.bincount(number, minlength=n)[:, None].to(H.dtype)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "there are no words below number 0 either": """
        -    n = max((word for word in word_ids if word is not None), default=-1) + 1
        +    n = max((word for word in word_ids if word is not None), default=-2) + 1
        """,
    "a mean does not depend on the order": """
        -    positions = [[i for i, word in enumerate(word_ids) if word == number] for number in range(n)]
        +    positions = [[i for i, word in list(enumerate(word_ids))[::-1] if word == number] for number in range(n)]
        """,
    "nor through the result of an empty text": """
        -        return H[:0]
        +        return H[:0] if len(word_ids) else H[:0].detach()
        """,
    "a text without words does not come to this line": """
        -    return torch.stack([H[rows].mean(dim=0) for rows in positions])
        +    return torch.stack([H[rows].mean(dim=0) for rows in positions]) if len(word_ids) else torch.stack([H[rows].mean(dim=0) for rows in positions]).detach()

        -    return torch.stack([H[rows].mean(dim=0) for rows in positions])
        +    return torch.stack([H[rows].mean(dim=0) for rows in positions]) if len(word_ids) else torch.stack([H[rows].mean(dim=0) for rows in positions]).float()
        """,
    "without rows there is no number": """
        -        return H[:0]
        +        return -H[:0]

        -        return H[:0]
        +        return H[1:0]
        """,
}
