"""The attention mask of a padded batch; masks come as booleans and as whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import lengths_mask
from .common import draw_sizes

POINTS = {"values": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, longest in ((2, 3), (3, 4), (2, int(rng.integers(5, 8)))):
        lengths = [*draw_sizes(rng, *[(1, longest - 1)] * (n - 1)), longest]
        yield Case("values", [lengths_mask(lengths)])
    one = lengths_mask(draw_sizes(rng, (1, 4)), 5)
    yield Case("edges", [one], title="a batch of one")
    some = lengths_mask([0, *draw_sizes(rng, (1, 4))], 4)
    yield Case("edges", [some], title="a text without tokens")
    whole = lengths_mask(draw_sizes(rng, (1, 2), (3, 4)), 4).long()
    yield Case("edges", [whole], title="a mask of whole numbers")


WRONG = {
    "closes_rows": """
        This masks the rows of padding, its queries. But nothing may attend to padding: mask its
        columns. The axis of length 1 comes before L.

        - return mask.bool().unsqueeze(1)
        + return mask.bool().unsqueeze(2)
        """,
    "closes_rows_and_columns": """
        Both rows and columns of padding are masked. What padding attends to does not matter, so
        one row for all queries is enough: the shape is (B, 1, L).

        - return mask.bool().unsqueeze(1)
        + return mask.bool().unsqueeze(1) & mask.bool().unsqueeze(2)
        """,
    "inverts_padding_mask": """
        The mask is True at padding. In this notebook True means that the position may be
        attended to.

        - return mask.bool().unsqueeze(1)
        + return ~mask.bool().unsqueeze(1)
        """,
    "keeps_whole_numbers": """
        A mask of whole numbers stays one. Convert it to a boolean mask: `~` of the integer 1 is
        -2, which is still "true".

        - return mask.bool().unsqueeze(1)
        + return mask.unsqueeze(1)
        """,
    "repeats_the_row": """
        This repeats the row for every query. Broadcasting does that for free: an axis of length
        1 is enough.

        - return mask.bool().unsqueeze(1)
        + return mask.bool().unsqueeze(1).repeat(1, mask.shape[1], 1)
        """,
    "adds_no_axis": """
        The shape is still (B, L). Without an axis of length 1 for the queries, broadcasting
        would take the batch axis for theirs.

        - return mask.bool().unsqueeze(1)
        + return mask.bool()
        """,
    "adds_axis_for_heads": """
        There is one axis too many. The axis for the heads is added later, by the attention itself:
        here the shape is (B, 1, L).

        - return mask.bool().unsqueeze(1)
        + return mask.bool().unsqueeze(1).unsqueeze(1)
        """,
}

RIGHT = {
    "padding_mask_index": """
        def padding_mask(mask):
            return (mask != 0)[:, None, :]
        """,
    "padding_mask_loop": """
        def padding_mask(mask):
            return torch.stack([torch.tensor([[bool(open_) for open_ in row]]) for row in mask])
        """,
}

EQUIVALENT = {
    "bool() converts any kind of number": """
         def padding_mask(mask: torch.Tensor) -> torch.Tensor:
        +    mask = mask.float()
             return mask.bool().unsqueeze(1)
        """,
}
