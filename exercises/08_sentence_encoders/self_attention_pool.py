"""self_attention_pool: scores from all words of a text, whatever the padding holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask, normal, number
from .common import draw_gaps, fill_padding

POINTS = {"values": 2, "padding": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(*shape: int) -> torch.Tensor:
        return normal(rng, *shape, scale=0.7)

    for batch, length, dim in ((2, 3, 2), (3, number(rng, 4, 6), 3)):
        yield Case("values", [draw(batch, length, dim), lengths_mask([length] * batch)])
    length = number(rng, 3, 5)
    title = "a batch of one text"
    yield Case("values", [draw(1, length, 2), lengths_mask([length])], title=title)
    title = "what training changes"
    yield Case("values", [draw(2, 3, 2), lengths_mask([3, 3])], title=title, gradient="X")
    title = "double precision"
    yield Case("values", [draw(2, 3, 2).double(), lengths_mask([3, 3])], title=title, judge=EXACT)
    # the first of its group: a second call, with other input, has another mask then
    mask = draw_gaps(rng, 3, 6)
    yield Case("padding", [draw(3, 6, 2), mask], title="the mask has gaps")
    mask = lengths_mask([2, 5, number(rng, 1, 4)])
    yield Case("padding", [draw(3, 5, 3), mask], title="padding with vectors of its own")
    X = fill_padding(draw(3, 5, 2), mask, 30.0)
    yield Case("padding", [X, mask], title="padding with large numbers")
    mask = lengths_mask([3, number(rng, 1, 2)])
    title = "padding: what training changes"
    yield Case("padding", [draw(2, 3, 2), mask], title=title, gradient="X")
    # of two tokens, both scores would grow by the same dot product
    mask = lengths_mask([0, 3])
    yield Case("edges", [draw(2, 3, 2), mask], title="a text without tokens")
    length = number(rng, 1, 3)
    empty = [draw(1, length, 2).double(), lengths_mask([0], length)]
    yield Case("edges", empty, title="nothing but padding, in double precision", judge=EXACT)
    X = draw(2, 1, 3)
    yield Case("edges", [X, lengths_mask([1, 1])], title="one token: it gets all the attention")
    X = draw(1, 4, 2) * 20
    yield Case("edges", [X, lengths_mask([4])], title="scores in the hundreds")


WRONG = {
    "sums_padding": """
        The sum over j includes padding. Set its vectors to zeros before you add them up.

        - X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "attends_to_padding": """
        Padding gets attention: its vector is zeros here, but its share is missing elsewhere. Use
        your masked_softmax with the mask.

        - a = masked_softmax(r, mask)
        + a = torch.softmax(r, dim=1)
        """,
    "leaves_out_itself": """
        The sum leaves out the word itself. In the formula j runs over all words, i included.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        + r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1) - (X**2).sum(dim=-1)
        """,
    "only_itself": """
        Each score is the dot product of a word with itself. It should be the sum of its dot
        products with all words.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        + r = (X**2).sum(dim=-1)
        """,
    "mean_of_dot_products": """
        The scores are divided by the number of positions or tokens. The formula has a sum.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        + r = (X @ mean_pool(X, mask).unsqueeze(-1)).squeeze(-1)
        """,
    "scaled": """
        The scores are divided by the square root of d. This formula has no such factor.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        + r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1) / X.shape[-1] ** 0.5
        """,
    "self_attention_then_mean": """
        This is the self-attention of 05, with a softmax for each word, and then a mean. Here every
        word has one score, the sum of its dot products, and there is one softmax per text.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        - a = masked_softmax(r, mask)
        - return (a.unsqueeze(1) @ X).squeeze(1)
        + A = masked_softmax(X @ X.mT, mask.unsqueeze(1))
        + return mean_pool(A @ X, mask)
        """,
    "returns_weights": """
        These are the attention weights, (B, L). Return the weighted sum of the word vectors.

        - return (a.unsqueeze(1) @ X).squeeze(1)
        + return a
        """,
    "cosines": """
        The scores are cosines: the vectors are divided by their lengths before the dot products. In
        the formula a long vector counts for more.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        + U = F.normalize(X, dim=-1)
        + r = (U @ U.sum(dim=1).unsqueeze(-1)).squeeze(-1)
        """,
    "mean_of_weighted_vectors": """
        The weighted vectors are averaged, so they are divided by the number of tokens once more.
        The weights sum to 1 already: add the vectors up.

        - return (a.unsqueeze(1) @ X).squeeze(1)
        + return mean_pool(a.unsqueeze(-1) * X, mask)
        """,
    "scores_as_weights": """
        The scores themselves are the weights, divided by their sum. They may be negative, and so
        may the sum: the formula has their exponentials, the softmax.

        - a = masked_softmax(r, mask)
        + a = r / r.sum(dim=1, keepdim=True).masked_fill(~mask.any(dim=1, keepdim=True), 1.0)
        """,
    "weights_per_component": """
        Every component of a word has a weight of its own. A dot product adds up the components:
        each word has one score and one weight.

        - r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
        - a = masked_softmax(r, mask)
        - return (a.unsqueeze(1) @ X).squeeze(1)
        + r = (X * X.sum(dim=1, keepdim=True)).transpose(1, 2)
        + return (masked_softmax(r, mask.unsqueeze(1)) * X.transpose(1, 2)).sum(dim=2)
        """,
    "softmax_over_an_axis_of_one": """
        The softmax runs over an axis of length 1, so every weight is 1. Drop the last axis of the
        scores first: (B, L).

        - a = masked_softmax(r, mask)
        + a = masked_softmax(r.unsqueeze(-1), mask.unsqueeze(-1)).squeeze(-1)
        """,
}

RIGHT = {
    "all_dot_products": """
        def self_attention_pool(X, mask):
            S = torch.einsum("bid,bjd->bij", X, X)
            r = S.masked_fill(~mask[:, None, :], 0.0).sum(dim=2)
            a = masked_softmax(r, mask)
            return torch.einsum("bl,bld->bd", a, X)
        """,
    "text_by_text": """
        def self_attention_pool(X, mask):
            found = []
            for x, m in zip(X, mask):
                x = x[m]
                a = torch.softmax((x @ x.T).sum(dim=1), dim=0)
                found.append(a @ x)
            return torch.stack(found)
        """,
    "multiply_and_add": """
        def self_attention_pool(X, mask):
            X = X * mask[:, :, None]
            total = X.sum(1, keepdim=True)
            a = masked_softmax((X * total).sum(2), mask)
            return (a[:, :, None] * X).sum(1)
        """,
}

EQUIVALENT = {
    "A batch without any token has nothing to learn from.": "every edit: constant corner",
}
