"""attention_scores: a dot product per word; also non-contiguous input and both half precisions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import draw_strided

POINTS = {"values": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length, dim in ((2, 3, 2), (3, 4, int(rng.integers(5, 8)))):
        yield Case("values", [normal(rng, batch, length, dim), normal(rng, dim)])
    n = int(rng.integers(3, 5))
    yield Case("values", [normal(rng, n, n, n), normal(rng, n)], title="B, L and d are equal")
    inputs = [normal(rng, 2, int(rng.integers(3, 6)), 2), normal(rng, 2)]
    yield Case("values", inputs, title="the gradients", gradient="all")
    yield Case("edges", [normal(rng, 1, 1, 3), normal(rng, 3)], title="one text of one word")
    inputs = [draw_strided(rng, 2, 4, 3), normal(rng, 3)]
    yield Case("edges", inputs, title="X is not contiguous in memory")
    for dtype in (torch.float16, torch.bfloat16):
        half = [normal(rng, 2, 3, 4).to(dtype), normal(rng, 4).to(dtype)]
        title = f"half precision ({str(dtype).removeprefix('torch.')})"
        yield Case("edges", half, title=title, judge={**EXACT, "rtol": 0.03, "atol": 0.03})


WRONG = {
    "does_not_add_up": """
        These are the products without their sum: a dot product is one number per word.

        - return X @ v
        + return X * v
        """,
    "keeps_an_axis": """
        The scores have the shape (B, L, 1). Drop the last axis, and only that one.

        - return X @ v
        + return X @ v[:, None]
        """,
    "sums_over_words": """
        The sum runs over the words. A score is the sum over the d components of one word's vector.

        - return X @ v
        + return (X * v).sum(dim=1)
        """,
    "squeezes_scores": """
        With one text or one word an axis is lost: `squeeze()` drops every axis of size 1. Name
        the axis you mean.

        - return X @ v
        + return (X @ v[:, None]).squeeze()
        """,
    "takes_the_cosine": """
        The dot product is divided by the lengths of the vectors: this is the cosine similarity.
        With the plain dot product, a word can be important by having a long vector.

        - return X @ v
        + return torch.cosine_similarity(X, v, dim=-1)
        """,
    "applies_softmax": """
        These are weights already. The softmax is the next exercise; only the scores are asked
        for here.

        - return X @ v
        + return torch.softmax(X @ v, dim=-1)
        """,
    "returns_float32": """
        The dtype changes: half precision comes in, so half precision should come out.

        - return X @ v
        + return X.float() @ v.float()
        """,
    "scales_the_scores": """
        The scores are divided by the square root of d. That scaling comes later in this notebook; here a
        score is the plain dot product.

        - return X @ v
        + return X @ v / math.sqrt(X.shape[-1])
        """,
    "takes_the_mean_of_the_products": """
        The products are averaged over the d components. A dot product is their sum.

        - return X @ v
        + return (X * v).mean(dim=-1)
        """,
    "query_of_length_one": """
        The query is divided by its length. The score is the plain dot product: how long v is, is learned,
        too.

        - return X @ v
        + return X @ (v / v.norm())
        """,
}

RIGHT = {
    "einsum": """
        def attention_scores(X, v):
            return torch.einsum("bld,d->bl", X, v)
        """,
    "sum_of_products": """
        def attention_scores(X, v):
            return (X * v).sum(dim=-1)
        """,
}
