"""The lower triangular attention mask, for lengths from 0 up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import draw_sizes

POINTS = {"values": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for low, high in ((2, 7), (4, 11), (8, 17)):
        yield Case("values", draw_sizes(rng, (low, high)))
    yield Case("edges", [1], title="one token")
    yield Case("edges", [0], title="no tokens")
    yield Case("edges", draw_sizes(rng, (9, 60)), title="a longer text")
    yield Case("edges", draw_sizes(rng, (20, 60)), title="another one")


WRONG = {
    "opens_the_future": """
        This unmasks the future and masks the past. Row i may attend to columns 0 to i: the triangle
        below the diagonal.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.ones(length, length, dtype=torch.bool).triu()
        """,
    "excludes_itself": """
        A token cannot attend to itself here. The diagonal is True; otherwise the first token could
        attend to nothing at all.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.ones(length, length, dtype=torch.bool).tril(-1)
        """,
    "sees_one_ahead": """
        Each token sees one position too many: the column right of the diagonal is already the
        future.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.ones(length, length, dtype=torch.bool).tril(1)
        """,
    "marks_the_masked": """
        The mask is True where attention is forbidden. In this notebook True means that the row
        may attend to the column.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.ones(length, length, dtype=torch.bool).triu(1)
        """,
    "causal_numbers": """
        These are the numbers 1 and 0. The result must be a boolean mask.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.ones(length, length).tril()
        """,
    "causal_scores": """
        This is an additive mask, made of numbers to be added to the scores. Here a mask is
        boolean, and attention decides what to do with the masked scores.

        - return torch.ones(length, length, dtype=torch.bool).tril()
        + return torch.full((length, length), -math.inf).triu(1)
        """,
}

RIGHT = {
    "causal_mask_compare": """
        def causal_mask(length):
            position = torch.arange(length)
            return position[:, None] >= position
        """,
    "causal_mask_loop": """
        def causal_mask(length):
            mask = torch.zeros(length, length, dtype=torch.bool)
            for i in range(length):
                mask[i, : i + 1] = True
            return mask
        """,
}
