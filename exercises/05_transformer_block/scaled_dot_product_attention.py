"""Attention with a mask; rows without any open position, gradients and float16 must stay finite."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, causal, lengths_mask, normal
from .common import draw_sizes

POINTS = {"values": 2, "masking": 2, "safety": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    d_k, d_v, more = draw_sizes(rng, (4, 5), (2, 3), (4, 5))

    def inputs(
        *front: int, queries: int, keys: int, d_k: int = d_k, d_v: int = d_v
    ) -> list[torch.Tensor]:
        Q, K = normal(rng, *front, queries, d_k), normal(rng, *front, keys, d_k)
        return [Q, K, normal(rng, *front, keys, d_v)]

    yield Case("values", inputs(queries=3, keys=3))
    yield Case("values", inputs(queries=2, keys=more), title="fewer queries than keys")
    batch = inputs(2, 2, queries=2, keys=3, d_k=3, d_v=2)
    yield Case("values", batch, title="axes for batch and heads in front")

    title = "the gradients"
    texts = inputs(queries=3, keys=4)
    yield Case("values", texts, title=title, gradient="all")

    padded = lengths_mask([int(rng.integers(1, 3)), 4])[:, None, :]
    texts = inputs(2, queries=4, keys=4, d_k=3, d_v=2)
    yield Case("masking", [*texts, padded], title="padding")
    one = inputs(1, queries=more, keys=more)
    yield Case("masking", [*one, causal(more)], title="a causal mask, a batch of one")
    padded = lengths_mask([int(rng.integers(1, 3)), 3])[:, None, None, :]
    heads = inputs(2, 2, queries=3, keys=3, d_k=3, d_v=2)
    yield Case("masking", [*heads, padded], title="padding, for all heads")

    closed = torch.ones(3, 3, dtype=torch.bool)
    closed[int(rng.integers(0, 3))] = False
    title = "a query that may attend to nothing"
    yield Case("safety", [*inputs(queries=3, keys=3), closed], title=title)
    empty = lengths_mask([0], 2)[:, None, :]
    title = "a text without tokens: all is padding"
    yield Case("safety", [*inputs(1, queries=2, keys=2), empty], title=title)
    yield Case("safety", inputs(1, queries=1, keys=1), title="a text of one token")
    Q, K, V = inputs(queries=3, keys=3)
    yield Case("safety", [20 * Q, 20 * K, V], title="large scores")
    some = lengths_mask([0, 2])[:, None, :]
    title = "the gradient, with a text without tokens in the batch"
    texts = inputs(2, queries=2, keys=2)
    yield Case("safety", [*texts, some], title=title, gradient="all")
    Q, K, V = inputs(queries=d_k, keys=d_k, d_k=3, d_v=d_k)
    yield Case("safety", [Q, K, V.mT], title="a tensor that is not contiguous")
    # Orthogonal rows: the dot products are beyond float16, the scores are not.
    size, order = int(rng.integers(66, 86)), rng.permutation(3)
    orthogonal = torch.tensor([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]).repeat(1, 4)
    large, V = (size * orthogonal).half(), normal(rng, 3, d_v).half()
    title = "half precision, with dot products beyond it"
    yield Case("safety", [large[order], large, V], title=title, judge=HALF)
    half = [part.half() for part in inputs(1, queries=3, keys=3)]
    padded = lengths_mask([int(rng.integers(1, 3))], 3)[:, None, :]
    yield Case("safety", [*half, padded], title="half precision, with padding", judge=HALF)


WRONG = {
    "without_scaling": """
        The scores are not divided by the square root of d_k. With wide vectors the softmax then
        puts nearly all weight on a single token.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = Q @ K.mT
        """,
    "divides_by_d_k": """
        The scores are divided by d_k. Divide by its square root.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = Q / Q.shape[-1] @ K.mT
        """,
    "divides_by_length": """
        The scores are divided by the square root of the number of queries. The d_k of the formula
        is the length of a query: the last axis of Q.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = (Q / math.sqrt(Q.shape[-2])) @ K.mT
        """,
    "divides_by_values_length": """
        The scores are divided by the square root of d_v, the length of a value. The d_k of the formula
        is the length of a query: the last axis of Q.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = (Q / math.sqrt(V.shape[-1])) @ K.mT
        """,
    "divides_too_late": """
        In half precision the dot products overflow before they are divided: a float16 ends at
        65,504. Divide the queries first, then multiply.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        """,
    "replaces_nan_of_overflow": """
        In half precision the dot products overflow before they are divided (a float16 ends at
        65,504), and the softmax gives NaN, which you replace with 0. Divide the queries first,
        then multiply.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        ...
        - return weights @ V, weights
        + weights = weights.nan_to_num()
        + return weights @ V, weights
        """,
    "softmax_over_queries": """
        The softmax runs over the queries. Each query distributes its weights over the keys: use
        the last axis.

        - weights = torch.softmax(scores, dim=-1)
        + weights = torch.softmax(scores, dim=-2)
        ...
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + weights = torch.softmax(scores, dim=-2).masked_fill(~mask, 0)
        """,
    "inverts_attention_mask": """
        The mask is inverted: True means that a query may attend to this position. (Some functions
        of PyTorch mean the opposite.)

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        + weights = torch.softmax(scores, dim=-1).masked_fill(mask, 0)
        """,
    "ignores_attention_mask": """
        The mask is ignored: masked positions still get weight.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + weights = torch.softmax(scores, dim=-1)
        """,
    "masks_scores_with_zero": """
        Masked positions get the score 0, which is not low: the softmax turns it into e to the
        0, which is 1. Their score must be far below all others.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + weights = torch.softmax(scores * mask, dim=-1)
        """,
    "masks_after_softmax": """
        The weights are set to 0 only after the softmax, so those that are left no longer sum to
        one. The masked scores must be low before it.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
          weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        """,
    "nan_for_closed_rows": """
        A query that may attend to nothing gets NaN: a softmax over minus infinity alone is 0 / 0.
        Use the lowest finite number, and set the weights at masked positions to 0 afterwards.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + scores = scores.masked_fill(~mask, -math.inf)
        + weights = torch.softmax(scores, dim=-1)
        """,
    "gradient_is_nan": """
        The outputs are right, but for a text without tokens the gradient is NaN, and one
        training step with it would ruin every weight. Replacing NaN after the softmax is too
        late: let none arise, with the lowest finite number instead of minus infinity.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)
        + weights = torch.softmax(scores, dim=-1).nan_to_num()
        """,
    "uniform_for_closed_rows": """
        A query that may attend to nothing attends to everything: when all scores are equally low,
        the softmax is uniform. Set the weights at masked positions to 0 afterwards.

        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + weights = torch.softmax(scores, dim=-1)
        """,
    "minus_billion": """
        In half precision this stops as soon as there is a mask. A constant such as -1e9 does not
        fit into a float16 (torch.finfo knows the lowest number of each dtype), and adding a
        float32 mask makes the scores float32, which no longer match V.

        raises RuntimeError

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        + scores = scores.masked_fill(~mask, -1e9)
        """,
    "averages_before_second_filling": """
        The weights that you return are right, but the output is computed before the masked ones are
        set to 0. A query that may attend to nothing then gets the mean of all values. Set them to 0
        first.

        - weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0)
        + weights = torch.softmax(scores, dim=-1)
        ...
        - return weights @ V, weights
        + return weights @ V, weights if mask is None else weights.masked_fill(~mask, 0)
        """,
    "masks_scores_with_zero_then_weights": """
        Masked positions get the score 0, which is not low, so they take a share of the softmax.
        Their weights are set to 0 afterwards, but those that are left no longer sum to one. Before
        the softmax their score must be far below all others.

        - scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        + scores = scores.masked_fill(~mask, 0)
        """,
    "divides_by_the_number_of_keys": """
        The scores are divided by the square root of the number of keys. The d_k of the formula is
        the length of a key or query: the last axis of K or Q.

        - scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        + scores = (Q / math.sqrt(K.shape[-2])) @ K.mT
        """,
}

FURTHER = """
Four lines are enough: scale `Q` and multiply it by `K.mT`; fill the masked scores with the
lowest finite number of their dtype; take the softmax over the last axis; fill the masked
weights with 0. `masked_fill(~mask, ...)` does both fillings.
"""

RIGHT = {
    "attention_einsum": """
        def scaled_dot_product_attention(Q, K, V, mask=None):
            scores = torch.einsum("...id,...jd->...ij", Q.double(), K.double()) * Q.shape[-1] ** -0.5
            open_ = torch.ones_like(scores) if mask is None else mask.expand_as(scores).double()
            size = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * open_
            weights = size / size.sum(dim=-1, keepdim=True).clamp(min=1e-300)
            output = torch.einsum("...ij,...jd->...id", weights, V.double())
            return output.to(Q.dtype), weights.to(Q.dtype)
        """,
    "attention_where": """
        def scaled_dot_product_attention(Q, K, V, mask=None):
            scores = torch.matmul(Q / Q.shape[-1] ** 0.5, torch.transpose(K, -2, -1))
            mask = torch.tensor(True) if mask is None else mask
            lowest = torch.finfo(scores.dtype).min
            weights = F.softmax(torch.where(mask, scores, lowest), dim=-1) * mask
            return torch.matmul(weights, V), weights
        """,
}

EQUIVALENT = {
    "queries and keys have the same length": """
        -    scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
        +    scores = (Q / math.sqrt(K.shape[-1])) @ K.mT
        """,
    "the scores are a new tensor, which nothing else uses": """
        -        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        +        scores = scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
        """,
    "queries, keys, values and scores have the same precision": """
        -        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        +        scores = scores.masked_fill(~mask, torch.finfo(Q.dtype).min)

        -        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        +        scores = scores.masked_fill(~mask, torch.finfo(K.dtype).min)

        -        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        +        scores = scores.masked_fill(~mask, torch.finfo(V.dtype).min)
        """,
}
