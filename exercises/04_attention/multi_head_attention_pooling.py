"""multi_head_attention_pooling: B, L, d and H differ, so that no axis can stand in for another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_gaps, draw_mask, draw_strided, no_padding

POINTS = {"values": 2, "masking": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(mask: torch.Tensor, heads: int, dim: int) -> list[torch.Tensor]:
        return [normal(rng, *mask.shape, dim), mask, normal(rng, heads, dim)]

    yield Case("values", inputs(no_padding(2, 3), 4, int(rng.integers(5, 7))))
    yield Case("values", inputs(no_padding(2, 5), int(rng.integers(3, 5)), 2))
    yield Case("values", inputs(no_padding(3, 3), 3, 3), title="B, L, d and H are equal")
    tensors = inputs(no_padding(2, 3), 2, int(rng.integers(2, 4)))
    yield Case("values", tensors, title="the gradients", gradient="all")
    for length in (4, int(rng.integers(5, 7))):
        yield Case("masking", inputs(draw_mask(rng, 3, length), 2, 3))
    yield Case("masking", inputs(draw_mask(rng, 2, 4), 2, 3), title="as many heads as texts")
    tensors = inputs(draw_gaps(rng, 2, 5), 2, 3)
    yield Case("masking", tensors, title="padding between the words")
    yield Case("edges", inputs(draw_mask(rng, 2, 3), 1, 3), title="one head")
    yield Case("edges", inputs(no_padding(1, 1), 2, 3), title="one text of one word")
    mask = draw_mask(rng, 3, 4, empty=True)
    yield Case("edges", inputs(mask, 2, 3), title="one text is only padding")
    others = inputs(draw_mask(rng, 2, 4), 2, 3)[1:]
    X = draw_strided(rng, 2, 4, 3)
    yield Case("edges", [X, *others], title="X is not contiguous in memory")


FURTHER = """
Get the scores into the shape (B, H, L): vs times X with its last two axes transposed. After the
masked softmax, weights times X is (B, H, d), one row per head; `flatten(1)` concatenates the rows.
"""

WRONG = {
    "averages_the_heads": """
        The sums of the heads are averaged. Concatenate them to one vector of size H times d, so that the
        next layer can tell the heads apart.

        - return (a @ X).flatten(1), a
        + return (a @ X).mean(dim=1), a
        """,
    "interleaves_the_heads": """
        The heads are interleaved: first the first component of all heads, then the second of all
        heads. Put all d components of head 1 first, then those of head 2.

        - return (a @ X).flatten(1), a
        + return (a @ X).transpose(1, 2).flatten(1), a
        """,
    "heads_before_texts": """
        The sums are flattened with the heads in front, (H, B, d), so that sums of different texts
        are concatenated. The texts come first: (B, H, d), then (B, H * d).

        - return (a @ X).flatten(1), a
        + return (a @ X).transpose(0, 1).reshape(len(X), -1), a
        """,
    "does_not_concatenate": """
        The sums of the heads are still a matrix per text, (B, H, d). Concatenate its rows:
        (B, H * d).

        - return (a @ X).flatten(1), a
        + return a @ X, a
        """,
    "returns_transposed_weights": """
        The weights have the shape (B, L, H). Each head has a row of its own, with one weight per
        word: (B, H, L).

        - return (a @ X).flatten(1), a
        + return (a @ X).flatten(1), a.transpose(1, 2)
        """,
    "softmax_over_heads": """
        The softmax runs over the heads, so that they compete for each word. It should run over
        the words: the scores need the shape (B, H, L) before you make weights of them.

        - r = vs @ X.transpose(1, 2)
        - a = masked_softmax(r, mask[:, None, :])
        + r = X @ vs.T
        + a = masked_softmax(r, mask[:, :, None]).transpose(1, 2)
        """,
    "heads_ignore_mask": """
        Padding gets attention. Pass the mask to masked_softmax; it is (B, L) and needs an axis for
        the heads: mask[:, None, :].

        - a = masked_softmax(r, mask[:, None, :])
        + a = torch.softmax(r, dim=-1)
        """,
    "mask_without_an_axis": """
        The mask has no axis for the heads. Broadcasting lines shapes up from the last axis, so
        the texts of the mask, (B, L), meet the heads of the scores, (B, H, L): use
        mask[:, None, :].

        - a = masked_softmax(r, mask[:, None, :])
        + a = masked_softmax(r, mask)
        """,
    "reshapes_the_scores": """
        Numbers end up in the wrong positions: `reshape` and `view` keep the order in memory, so
        words and heads get mixed up. To swap two axes, use `transpose`.

        - r = vs @ X.transpose(1, 2)
        + r = (X @ vs.T).reshape(len(X), len(vs), -1)
        """,
    "scales_the_heads": """
        The scores are divided by the square root of d. That scaling belongs to queries and keys;
        here the score is the plain X v, as in the first exercise.

        - r = vs @ X.transpose(1, 2)
        + r = vs @ X.transpose(1, 2) / math.sqrt(X.shape[-1])
        """,
    "heads_mask_afterwards": """
        Padding gets 0, but only after the softmax: it was still in the sum, so the weights of a head do not
        sum to 1 over the words. Pass the mask to masked_softmax.

        - a = masked_softmax(r, mask[:, None, :])
        + a = torch.softmax(r, dim=-1) * mask[:, None, :]
        """,
    "one_softmax_for_all_heads": """
        One softmax runs over all heads and words together, so the heads share the attention. Each head has a
        softmax of its own, over the words.

        - a = masked_softmax(r, mask[:, None, :])
        + every = mask[:, None, :].expand_as(r)
        + a = masked_softmax(r.flatten(1), every.flatten(1)).view_as(r)
        """,
    "divides_by_the_heads": """
        The weights are divided by the number of heads. Those of each head sum to 1 by themselves:
        leave them as they are.

        - a = masked_softmax(r, mask[:, None, :])
        + a = masked_softmax(r, mask[:, None, :]) / len(vs)
        """,
    "takes_the_mean_of_the_words": """
        The weighted words are averaged, although each head's weights sum to 1 already: add them up.

        - return (a @ X).flatten(1), a
        + return (a @ X).flatten(1) / X.shape[1], a
        """,
}

RIGHT = {
    "einsum": """
        def multi_head_attention_pooling(X, mask, vs):
            r = torch.einsum("bld,hd->bhl", X, vs)
            a = torch.softmax(torch.where(mask[:, None], r, -1e9), dim=-1) * mask[:, None]
            return torch.einsum("bhl,bld->bhd", a, X).reshape(len(X), -1), a
        """,
    "loop": """
        def multi_head_attention_pooling(X, mask, vs):
            weights = [masked_softmax(attention_scores(X, v), mask) for v in vs]
            return torch.cat([attend(a, X) for a in weights], dim=1), torch.stack(weights, dim=1)
        """,
}

EQUIVALENT = {
    "No batch is without any word: texts without one are left out before.": "every edit: constant corner",
}
