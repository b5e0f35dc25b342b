"""Self-attention without learned weights; length and width differ, so that X^T X never fits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import HALF, normal
from .common import draw_sizes

POINTS = {"values": 1, "batch": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [normal(rng, *draw_sizes(rng, (2, 3), (4, 5)))])
    yield Case("values", [normal(rng, *draw_sizes(rng, (4, 5), (2, 3)))])
    title = "the gradient"
    yield Case("values", [normal(rng, 3, 2)], title=title, gradient="all")
    length, d = draw_sizes(rng, (4, 5), (2, 3))
    yield Case("batch", [normal(rng, 2, length, d)], title="a batch of two texts")
    yield Case("batch", [normal(rng, 1, length, d)], title="a batch of one text")
    yield Case("batch", [normal(rng, 2, 2, 3, 2)], title="two axes in front")
    yield Case("edges", [normal(rng, 1, d)], title="a text of one token")
    long = normal(rng, 4, 3, scale=20)
    yield Case("edges", [long], title="long vectors, with large dot products")
    yield Case("edges", [normal(rng, d, length).mT], title="a tensor that is not contiguous")
    half = normal(rng, 4, d).half()
    yield Case("edges", [half], title="half precision", judge=HALF)


WRONG = {
    "softmax_over_columns": """
        The softmax runs down the columns. Row i holds the weights of token i and must sum to one:
        normalize along the last axis.

        - return torch.softmax(scores, dim=-1) @ X
        + return torch.softmax(scores, dim=-2) @ X
        """,
    "softmax_axis_from_the_front": """
        Axis 1 is the last axis of a single text, but not of a batch. Count from the end: the
        softmax runs along the last axis, however many come before it.

        - return torch.softmax(scores, dim=-1) @ X
        + return torch.softmax(scores, dim=1) @ X
        """,
    "raw_without_softmax": """
        The raw dot products are used as weights. They may be negative or huge: normalize each
        row with a softmax first.

        - return torch.softmax(scores, dim=-1) @ X
        + return scores @ X
        """,
    "returns_weights": """
        These are the attention weights. Use them to average the vectors of the tokens.

        - return torch.softmax(scores, dim=-1) @ X
        + return torch.softmax(scores, dim=-1)
        """,
    "scales_raw_scores": """
        The scores are divided by the square root of d. That is a good idea, and comes in
        exercise 4; the raw form does without it.

        - scores = X @ X.mT
        + scores = X @ X.mT / math.sqrt(X.shape[-1])
        """,
    "exp_overflows": """
        `exp` overflows for large dot products, and infinity divided by infinity is NaN.
        torch.softmax avoids that by subtracting the largest score first.

        - return torch.softmax(scores, dim=-1) @ X
        + weights = torch.exp(scores)
        + return weights / weights.sum(dim=-1, keepdim=True) @ X
        """,
    "transposes_first_factor": """
        The shapes do not match. The tokens are the rows of X, so the (L, L) dot products of
        tokens need the transpose on the right; on the left it gives (d, d).

        raises RuntimeError

        - scores = X @ X.mT
        + scores = X.mT @ X
        """,
    "transposes_the_batch": """
        `.T` reverses all axes, so this works for a single text only. Transpose just the last
        two axes.

        raises RuntimeError

        - scores = X @ X.mT
        + scores = X @ X.T
        """,
    "leaves_itself_out": """
        Each token is masked for itself, so it gets only the vectors of the others. Here a token
        attends to itself, too: leave the diagonal of the scores as it is.

        - return torch.softmax(scores, dim=-1) @ X
        + itself = torch.eye(X.shape[-2], dtype=torch.bool)
        + return torch.softmax(scores.masked_fill(itself, torch.finfo(scores.dtype).min), dim=-1) @ X
        """,
    "adds_its_input": """
        X is added to the average, a residual connection. It comes later, in the block: here the
        result is the average alone.

        - return torch.softmax(scores, dim=-1) @ X
        + return X + torch.softmax(scores, dim=-1) @ X
        """,
    "divides_by_the_sum": """
        The dot products are divided by their sum. That makes them sum to one, but some weights are
        negative, or huge where the sum is near 0. The softmax takes `exp` first, which makes all of
        them positive.

        - return torch.softmax(scores, dim=-1) @ X
        + return scores / scores.sum(dim=-1, keepdim=True) @ X
        """,
}

RIGHT = {
    "raw_einsum": """
        def simple_self_attention(X):
            scores = torch.einsum("...id,...jd->...ij", X, X)
            return torch.einsum("...ij,...jd->...id", scores.softmax(dim=-1), X)
        """,
    "raw_loop": """
        def simple_self_attention(X):
            rows = []
            for i in range(X.shape[-2]):
                scores = (X * X[..., i : i + 1, :]).sum(dim=-1, keepdim=True)
                rows.append((scores.softmax(dim=-2) * X).sum(dim=-2))
            return torch.stack(rows, dim=-2)
        """,
}

EQUIVALENT = {
    "X X^T is symmetric": """
        -    scores = X @ X.mT
        +    scores = (X @ X.mT).mT
        """,
}
