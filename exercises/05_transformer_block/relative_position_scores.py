"""Dot products of queries with the vectors of relative distances, with any axes in front."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, normal
from .common import draw_sizes

POINTS = {"values": 2, "batch": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*shape: int, k: int) -> list[torch.Tensor]:
        return [normal(rng, *shape), normal(rng, 2 * k + 1, shape[-1])]

    length, d = draw_sizes(rng, (4, 5), (2, 4))
    yield Case("values", inputs(length, d, k=1))
    yield Case("values", inputs(length + 1, d, k=2))
    texts = inputs(4, 2, k=1)
    yield Case("values", texts, title="the gradients", gradient="all")
    yield Case("batch", inputs(2, length, d, k=1), title="a batch of two texts")
    yield Case("batch", inputs(1, 2, 4, d, k=2), title="axes for batch and heads in front")
    yield Case("edges", inputs(1, d, k=2), title="one token")
    yield Case("edges", inputs(3, d, k=4), title="k is larger than any distance")
    yield Case("edges", inputs(3, d, k=0), title="k is 0: a table of one vector")
    Q, A = normal(rng, d, 4).mT, normal(rng, d, 3).mT
    yield Case("edges", [Q, A], title="tensors that are not contiguous")
    half = [part.half() for part in inputs(4, d, k=1)]
    yield Case("edges", half, title="half precision", judge=HALF)


WRONG = {
    "reverses_relative_scores": """
        The direction is reversed: row i and column j belong to the distance j - i, from the
        query to the key.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[-2], len(A) // 2).T
        """,
    "uses_other_query": """
        This uses the query of the token that is attended to. Row i belongs to the token that
        attends: use query i.

        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + return torch.einsum("...jd,ijd->...ij", Q, A[rows])
        """,
    "scales_relative_scores": """
        The scores are already divided by the square root of d_k. That happens later, together
        with Q K^T.

        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + return torch.einsum("...id,ijd->...ij", Q, A[rows]) / math.sqrt(Q.shape[-1])
        """,
    "scores_whole_table": """
        These are the products of each query with the whole table, one column per distance. For
        each token j pick the column of its distance: the shape is (..., L, L).

        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + return Q @ A.mT
        """,
    "takes_the_first_rows": """
        Every query gets the vectors of the distances from the first token. The distance j - i is
        another one for each i: for query i, use row i of the row numbers.

        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + return (Q @ A.mT)[..., rows[0]]
        """,
    "k_is_nearly_doubled": """
        k is too large, so the row numbers point beyond the table. It has 2k + 1 rows: k is
        (len(A) - 1) // 2.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[-2], len(A) - 1)
        """,
    "gathers_beyond_table": """
        `gather` picks columns that do not exist, because k is too large. The table has 2k + 1 rows,
        so k is (len(A) - 1) // 2.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + rows = relative_positions(Q.shape[-2], len(A) - 1)
        + return (Q @ A.mT).gather(-1, rows.expand(*Q.shape[:-1], -1))
        """,
    "length_from_first_axis": """
        The length is taken from the first axis, which is right for a single text only. Count
        from the end: the tokens are the axis before the last.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[0], len(A) // 2)
        """,
    "k_is_the_length_of_the_table": """
        k is taken to be the number of rows of A, so the middle row is not the one of distance 0. A has
        2k + 1 rows: k is half of that, rounded down.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[-2], len(A)).clamp(max=len(A) - 1)
        """,
    "k_is_the_last_row_of_the_table": """
        k is taken to be len(A) - 1, and what points beyond the table gets its last row, so that distance 0
        is there, too. A has 2k + 1 rows: distance 0 belongs to the middle one, and k is half of
        len(A) - 1.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[-2], len(A) - 1).clamp(max=len(A) - 1)
        """,
    "shrinks_k_for_short_texts": """
        For a short text k is made smaller, so the row numbers no longer fit the table: distance 0
        is always its middle row. k depends on the table alone, not on the length of the text.

        - rows = relative_positions(Q.shape[-2], len(A) // 2)
        + rows = relative_positions(Q.shape[-2], min(len(A) // 2, Q.shape[-2] - 1))
        """,
    "needs_one_batch_axis": """
        This works only for queries with exactly one axis before the last two. There may be none, or
        one for the batch and one for the heads: in einsum, `...` stands for all of them.

        raises RuntimeError

        - return torch.einsum("...id,ijd->...ij", Q, A[rows])
        + return torch.einsum("bid,ijd->bij", Q, A[rows])
        """,
}

FURTHER = """
`A[relative_positions(L, k)]` has the shape (L, L, d_k): one vector for each pair. What is left
is a dot product of each with query i, which `torch.einsum` writes in one line; L is the axis of
Q before the last.
"""

RIGHT = {
    "scores_by_gather": """
        def relative_position_scores(Q, A):
            length, k = Q.shape[-2], (len(A) - 1) // 2
            position = torch.arange(length)
            rows = torch.clamp(position.unsqueeze(0) - position.unsqueeze(1), min=-k, max=k) + k
            products = Q @ A.mT
            return products.gather(-1, rows.expand(*Q.shape[:-1], length))
        """,
    "scores_by_loops": """
        def relative_position_scores(Q, A):
            length, k = Q.shape[-2], len(A) // 2
            rows = []
            for i in range(length):
                near = [A[max(-k, min(k, j - i)) + k] for j in range(length)]
                rows.append(torch.stack([(Q[..., i, :] * w).sum(dim=-1) for w in near], dim=-1))
            return torch.stack(rows, dim=-2)
        """,
}
