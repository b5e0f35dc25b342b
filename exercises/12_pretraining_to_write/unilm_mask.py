"""unilm_mask: the three kinds, padded batches, first texts of several lengths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"sequence-to-sequence": 2, "others": 2, "padding": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, first: list[int], lengths: list[int], kind: str, **more: Any) -> Case:
        inputs = [torch.tensor(first), torch.tensor(lengths), kind]
        return Case(group, inputs, **more)

    def texts(n: int) -> tuple[list[int], list[int]]:
        """Lengths of first texts and of both together, whose longest is not the first row."""
        lengths = [number(rng, 3, 9) for _ in range(n)]
        lengths.append(max(lengths) + number(rng, 1, 2))
        return [number(rng, 1, length - 1) for length in lengths], lengths

    third = "sequence-to-sequence"
    n = number(rng, 6, 9)
    yield case(third, [number(rng, 2, n - 2)], [n], third, title="one pair of texts")
    first = [int(i) for i in 1 + rng.permutation(n - 1)[:4]]
    yield case(third, first, [n] * 4, third, title="first texts of different lengths")

    for kind in ("bidirectional", "left-to-right"):
        yield case("others", *texts(3), kind, title=f"{kind}, texts of different lengths")
    yield case("others", first, [n] * 4, "left-to-right", title="the triangle, four times")
    yield case("others", first[:1], [n], "bidirectional", title="bidirectional, one pair of texts")

    yield case("padding", *texts(3), third, title=f"{third}, with padding")
    yield case("padding", *texts(2), third, title="three pairs of texts")

    first, lengths = texts(3)
    first[-1] = lengths[-1]
    yield case("edges", first, lengths, third, title="no second text in the last row")
    first, lengths = texts(3)
    first[0] = lengths[0] = 1
    yield case("edges", first, lengths, third, title="a text of one token")
    yield case("edges", [1], [1], "left-to-right", title="a single token")
    for kind in ("BERT", "seq2seq", "translation"):
        title = "there is no such kind"
        yield case("edges", [2] * n, [n] * n, kind, title=title, judge=VALUE_ERROR)


WRONG = {
    "first_text_is_causal": """
        The tokens of the first text see only what comes before them. In this kind they see all of the
        first text, in both directions.

        - return real & (earlier | (position < first[:, None])[:, None])
        + return real & earlier
        """,
    "second_sees_all_of_itself": """
        The tokens of the second text see later ones of the second text: those they should predict.

        - return real & (earlier | (position < first[:, None])[:, None])
        + inside = position < first[:, None]
        + return real & (inside[:, None] | ~inside[:, :, None])
        """,
    "everything_sees_everything": """
        Every token sees every real token, as in "bidirectional". In this kind the first text sees only
        itself, and a token of the second sees none that comes after it.

        - return real & (earlier | (position < first[:, None])[:, None])
        + return real & torch.ones_like(earlier)
        """,
    "second_does_not_see_the_first": """
        The second text does not see the first. It is what the first one is there for.

        - return real & (earlier | (position < first[:, None])[:, None])
        + inside = position < first[:, None]
        + return real & (inside[:, None] == inside[:, :, None]) & (earlier | inside[:, None])
        """,
    "first_sees_the_second": """
        The first text sees the second. It stands before it and must not know what will be written.

        - return real & (earlier | (position < first[:, None])[:, None])
        + inside = position < first[:, None]
        + return real & (earlier | inside[:, None] | inside[:, :, None])
        """,
    "one_too_many": """
        One token too many counts as the first text: it has the positions 0 to first - 1.

        - return real & (earlier | (position < first[:, None])[:, None])
        + return real & (earlier | (position <= first[:, None])[:, None])
        """,
    "transposed": """
        Rows and columns are exchanged: the row is the token that attends.

        - earlier = position <= position[:, None]  # (L, L)
        + earlier = position >= position[:, None]  # (L, L)
        """,
    "not_itself": """
        A token does not see itself. It does, in all three kinds.

        - earlier = position <= position[:, None]  # (L, L)
        + earlier = position < position[:, None]  # (L, L)
        """,
    "padding_is_seen": """
        Padding is seen. The columns from the length of a row on are False.

        - real = (position < lengths[:, None])[:, None]  # (B, 1, L)
        + real = torch.ones(len(lengths), 1, L, dtype=torch.bool)
        """,
    "left_to_right_sees_padding": """
        In "left-to-right" the triangle is there, but the rows of padding see padding. The columns from the
        length of a text on are False in all three kinds.

        - return real & earlier
        + return earlier.expand(len(lengths), L, L)
        """,
    "triangle_without_a_batch": """
        In "left-to-right" there is one triangle for all texts. Each text has a mask of its own, (B, L, L),
        in which the columns of its padding are False.

        - return real & earlier
        + return earlier
        """,
    "bidirectional_sees_padding": """
        In "bidirectional" padding is seen, too. Every token sees every *real* token: the columns from the
        length of a text on are False.

        - return real.expand(-1, L, -1).clone()
        + return torch.ones(len(lengths), L, L, dtype=torch.bool)
        """,
    "padding_sees_nothing": """
        The rows of padding are False everywhere. They follow the rule of the second text: a row that
        may attend to nothing is a danger, since its softmax is NaN.

        - return real.expand(-1, L, -1).clone()
        + return real & real.mT
        ...
        - return real & earlier
        + return real & real.mT & earlier
        ...
        - return real & (earlier | (position < first[:, None])[:, None])
        + return real & real.mT & (earlier | (position < first[:, None])[:, None])
        """,
    "bidirectional_is_causal": """
        "bidirectional" means that every token sees every real token, later ones included.

        - return real.expand(-1, L, -1).clone()
        + return real & earlier
        """,
    "one_row_of_queries": """
        The mask has one row for all queries, (B, 1, L). Spread it to (B, L, L).

        - return real.expand(-1, L, -1).clone()
        + return real
        """,
    "unknown_kinds_are_causal": """
        An unknown kind should raise a ValueError, or a typing mistake trains another model.

        - raise ValueError(f"there is no kind {kind!r}")
        + return real & earlier
        """,
    "unknown_kinds_are_sequence_to_sequence": """
        An unknown kind is taken for "sequence-to-sequence". It should raise a ValueError, or a
        typing mistake trains another model.

        - if kind == "sequence-to-sequence":
        -     return real & (earlier | (position < first[:, None])[:, None])
        - raise ValueError(f"there is no kind {kind!r}")
        + return real & (earlier | (position < first[:, None])[:, None])
        """,
}

FURTHER = """
position is 0 ... L - 1. Three parts: real columns, position < lengths[:, None], as (B, 1, L); the
triangle, position <= position[:, None], (L, L); columns of the first text, position < first[:, None], as
(B, 1, L). sequence-to-sequence: real and (triangle or first text).
"""

RIGHT = {
    "loops": """
        def unilm_mask(first, lengths, kind):
            if kind not in ("bidirectional", "left-to-right", "sequence-to-sequence"):
                raise ValueError(kind)
            L = max(lengths.tolist())
            mask = torch.zeros(len(first), L, L, dtype=torch.bool)
            for b, (s, n) in enumerate(zip(first.tolist(), lengths.tolist())):
                for q in range(L):
                    for k in range(n):
                        if kind == "bidirectional" or k <= q:
                            mask[b, q, k] = True
                        elif kind == "sequence-to-sequence" and k < s:
                            mask[b, q, k] = True
            return mask
        """,
    "tril_and_slices": """
        def unilm_mask(first, lengths, kind):
            B, L = len(lengths), lengths.max().item()
            if kind == "bidirectional":
                mask = torch.ones(B, L, L, dtype=torch.bool)
            elif kind in ("left-to-right", "sequence-to-sequence"):
                mask = torch.ones(L, L, dtype=torch.bool).tril().repeat(B, 1, 1)
            else:
                raise ValueError("kind")
            for b in range(B):
                if kind.startswith("seq"):
                    mask[b, :, : first[b]] = True
                mask[b, :, lengths[b] :] = False
            return mask
        """,
}

EQUIVALENT = {
    "whole numbers of tokens compare the same in every type, and a tensor of one is a size": """
         def unilm_mask(first: torch.Tensor, lengths: torch.Tensor, kind: str) -> torch.Tensor:
        +    first = first.float()
             L = int(lengths.max())

         def unilm_mask(first: torch.Tensor, lengths: torch.Tensor, kind: str) -> torch.Tensor:
        +    lengths = lengths.float()
             L = int(lengths.max())

        -    L = int(lengths.max())
        +    L = lengths.max()
        """,
    "squeeze changes only L = 1, where one value broadcasts to the same mask": """
        -    earlier = position <= position[:, None]  # (L, L)
        +    earlier = (position <= position[:, None]).squeeze()  # (L, L)
        """,
    "the text does not say that the mask can be written to": """
        -        return real.expand(-1, L, -1).clone()
        +        return real.expand(-1, L, -1)
        """,
}
