"""key_value_attention: d, d_k and d_v differ, so that no size can stand in for another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import draw_gaps, draw_mask, draw_strided, no_padding

POINTS = {"values": 2, "masking": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(mask: torch.Tensor, dim: int, d_k: int, d_v: int) -> list[torch.Tensor]:
        X = normal(rng, *mask.shape, dim)
        return [X, mask, normal(rng, d_k), normal(rng, dim, d_k), normal(rng, dim, d_v)]

    # L differs from d, so that a scale by the one is not taken for a scale by the other.
    yield Case("values", inputs(no_padding(2, 5), 3, int(rng.integers(6, 8)), 2))
    yield Case("values", inputs(no_padding(2, 3), 4, 2, int(rng.integers(5, 7))))
    yield Case("values", inputs(no_padding(2, 3), 4, 4, 4), title="d, d_k and d_v are equal")
    tensors = inputs(no_padding(2, 4), 3, 2, int(rng.integers(2, 4)))
    yield Case("values", tensors, title="the gradients", gradient="all")
    for length in (4, int(rng.integers(5, 7))):
        yield Case("masking", inputs(draw_mask(rng, 2, length), 3, 2, 4))
    title = "padding between the words"
    yield Case("masking", inputs(draw_gaps(rng, 2, 5), 3, 2, 4), title=title)
    title = "keys and values are single numbers"
    yield Case("edges", inputs(no_padding(1, 1), 3, 1, 1), title=title)
    yield Case("edges", inputs(no_padding(1, 1), 3, 2, 4), title="one text of one word")
    mask = draw_mask(rng, 3, 4, empty=True)
    yield Case("edges", inputs(mask, 3, 2, 4), title="one text is only padding")
    others = inputs(draw_mask(rng, 2, 4), 3, 2, 4)[1:]
    X = draw_strided(rng, 2, 4, 3)
    yield Case("edges", [X, *others], title="X is not contiguous in memory")
    X, _, *others = (t.half() for t in inputs(mask, 3, 4, 2))
    judge = {**EXACT, "rtol": 0.05, "atol": 0.03}
    yield Case("edges", [X, mask, *others], title="half precision", judge=judge)


FURTHER = """
Make K and V first, each X times its matrix. `attention_scores(K, q)` gives the scores; divide them
by the square root of the size of a key, and the rest are your two functions, with V, not X, in the
weighted sum.
"""

WRONG = {
    "forgets_to_scale": """
        The scores are not scaled: divide them by the square root of d_k before the softmax.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q), mask)
        """,
    "scales_by_d_k": """
        The scores are divided by d_k, not by its square root.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / K.shape[-1], mask)
        """,
    "scales_by_word_size": """
        The scores are divided by the square root of d, the size of the word vectors. The dot
        product adds up d_k terms, the size of the keys.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / math.sqrt(X.shape[-1]), mask)
        """,
    "scales_the_weights": """
        The weights are divided after the softmax, so they no longer sum to 1. Scale the scores
        before it.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q), mask) / math.sqrt(K.shape[-1])
        """,
    "transposes_the_matrices": """
        The matrices are transposed. K = X W_K takes W_K as it is: rows of X times columns of
        W_K. (nn.Linear stores its matrix transposed; this one is not.)

        - K, V = X @ W_K, X @ W_V
        + K, V = X @ W_K.T, X @ W_V.T
        """,
    "sums_the_keys": """
        The weighted sum is taken over the keys. Keys are only compared with the query; what is
        added up is the values.

        - return attend(a, V), a
        + return attend(a, K), a
        """,
    "sums_the_words": """
        The weighted sum is taken over the word vectors. It should be over the values, X W_V.

        - return attend(a, V), a
        + return attend(a, X), a
        """,
    "key_value_ignores_mask": """
        Padding gets attention: pass the mask on to `masked_softmax`.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = torch.softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), dim=-1)
        """,
    "returns_weights_first": """
        The two results are swapped: first the vectors h, then the weights a.

        - return attend(a, V), a
        + return a, attend(a, V)
        """,
    "returns_scores": """
        The second result is the scores. Return the weights, which the softmax makes of them.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        - return attend(a, V), a
        + r = attention_scores(K, q) / math.sqrt(K.shape[-1])
        + return attend(masked_softmax(r, mask), V), r
        """,
    "scales_by_value_size": """
        The scores are divided by the square root of d_v, the size of a value. The dot product adds up d_k
        terms, the size of the keys.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / math.sqrt(V.shape[-1]), mask)
        """,
    "scales_by_text_length": """
        The scores are divided by the square root of L, the number of words. The dot product adds up d_k
        terms, the size of the keys.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[1]), mask)
        """,
    "multiplies_by_the_root": """
        The scores are multiplied by the square root of d_k. It makes large scores smaller: divide by it.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) * math.sqrt(K.shape[-1]), mask)
        """,
    "key_value_masks_afterwards": """
        Padding gets 0, but only after the softmax: it was still in the sum, so the weights of the words do
        not sum to 1. Pass the mask on to `masked_softmax`.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = torch.softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), dim=-1) * mask
        """,
    "scores_times_mask": """
        The scores are multiplied by the mask, so padding has the score 0, and exp(0) is 1. Pass the mask on
        to `masked_softmax`.

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = torch.softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]) * mask, dim=-1)
        """,
    "words_times_mask": """
        The vectors of padding are set to zeros, so padding has the score 0, and exp(0) is 1. Pass
        the mask on to `masked_softmax`.

        - K, V = X @ W_K, X @ W_V
        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + X = X * mask.unsqueeze(-1)
        + K, V = X @ W_K, X @ W_V
        + a = torch.softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), dim=-1)
        """,
    "takes_the_mean_of_the_values": """
        The weighted values are averaged over the words, although the weights sum to 1 already: add them up.

        - return attend(a, V), a
        + return (a[..., None] * V).mean(dim=1), a
        """,
}

RIGHT = {
    "einsum": """
        def key_value_attention(X, mask, q, W_K, W_V):
            r = torch.einsum("bld,dk,k->bl", X, W_K, q) / math.sqrt(len(q))
            a = torch.softmax(torch.where(mask, r, torch.finfo(r.dtype).min), dim=-1) * mask
            return torch.einsum("bl,bld,dv->bv", a, X, W_V), a
        """,
    "no_keys_or_values": """
        def key_value_attention(X, mask, q, W_K, W_V):
            # (X W_K) q = X (W_K q), and a^t (X W_V) = (a^t X) W_V
            r = (X * (W_K @ (q / math.sqrt(len(q))))).sum(dim=-1)
            a = torch.softmax(torch.where(mask, r, torch.finfo(r.dtype).min), dim=-1) * mask
            return (a.unsqueeze(-1) * X).sum(dim=1) @ W_V, a
        """,
}

EQUIVALENT = {
    "No batch is without any word: texts without one are left out before.": "every edit: constant corner",
    "W_K and q have d_k numbers in their last axis, too.": """
        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / math.sqrt(W_K.shape[-1]), mask)

        - a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
        + a = masked_softmax(attention_scores(K, q) / math.sqrt(q.shape[-1]), mask)
        """,
}
