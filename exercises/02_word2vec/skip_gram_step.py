"""skip_gram_step: three gradients; centers without pairs, vectors that are not contiguous."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal

POINTS = {"values": 4, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def batch(B: int, T: int, K: int, M: int) -> list[Any]:
        reach = rng.integers(1, 3, size=(B, T, 1))
        distance = np.abs(np.arange(T)[:, None] - np.arange(T))
        mask = torch.from_numpy((distance > 0) & (distance <= reach))
        k = int(rng.choice([n for n in (2, 3, 5, 7) if n != M]))
        return [normal(rng, B, T, K), normal(rng, B, T, K), normal(rng, M, K), mask, k]

    case = partial(Case, judge={**EXACT, "atol": 1e-5})
    yield case("values", batch(1, 4, 2, 3), title="one snippet")
    yield case("values", batch(2, 4, 3, 4))
    yield case("values", batch(3, int(rng.integers(3, 6)), 2, 6))
    X, Y, Z, mask, k = batch(1, 4, 3, 5)
    Z[4] = Z[1]
    yield case("values", [X, Y, Z, mask, k], title="the same negative twice")
    X, Y, Z, mask, k = batch(2, 5, 3, 4)
    mask[0, 1], mask[1, 3:], mask[1, :, 3:] = False, False, False
    yield case("edges", [X, Y, Z, mask, k], title="some centers have no pair")
    X, Y, Z, mask, k = batch(1, 3, 2, 4)
    yield case("edges", [X, Y, Z, torch.zeros_like(mask), k], title="no pair at all")
    yield case("edges", batch(2, 1, 3, 2), title="snippets of one word")
    yield case("edges", batch(2, 3, 1, 1), title="vectors of one number, one negative")
    X, Y, Z, mask, k = batch(2, 4, 3, 4)
    loose = [t.mT.contiguous().mT for t in (X, Y, Z)]
    yield case("edges", [*loose, mask, k], title="vectors that are not contiguous")


WRONG = {
    "negatives_without_weight": """
        Each negative counts with weight 1. The weight is k p_i / M, with p_i the center's pairs.

        - N = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + N = torch.sigmoid(X @ Z.T)
        """,
    "weight_without_pairs": """
        The weight of the negatives lacks p_i: a center with more pairs draws more negatives.

        - N = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + N = torch.sigmoid(X @ Z.T) * (k / len(Z))
        """,
    "weight_without_m": """
        The weight of the negatives lacks the division by M: each pair counts as k negatives, not M.

        - N = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + N = torch.sigmoid(X @ Z.T) * (pairs * k)
        """,
    "pairs_of_the_context": """
        p_i is summed along the wrong dimension: the context words of a center are in its row.

        - pairs = mask.sum(dim=2, keepdim=True)
        + pairs = mask.sum(dim=1).unsqueeze(2)
        """,
    "without_the_mask": """
        The mask is not used for the real pairs: all words of a snippet count as neighbors.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = torch.sigmoid(X @ Y.mT) - 1
        """,
    "masks_the_scores": """
        A score of 0 still has the error sigma(0) - 1 = -0.5. Multiply the mask into the errors.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = torch.sigmoid(X @ Y.mT * mask) - 1
        """,
    "forgets_to_transpose": """
        In the gradient for Y, R must be transposed: outside word j collects from all centers i.

        - return R @ Y + N @ Z, R.mT @ X, for_Z
        + return R @ Y + N @ Z, R @ X, for_Z
        """,
    "one_z_per_snippet": """
        There is a gradient for Z per snippet. All share Z, so sum over them: the shape is (M, d).

        - for_Z = N.flatten(0, 1).T @ X.flatten(0, 1)
        + for_Z = N.mT @ X
        """,
    "true_label_zero": """
        The real pairs are treated like the negatives. Their label is 1: the error is sigmoid minus 1.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = torch.sigmoid(X @ Y.mT) * mask
        """,
    "masked_before_the_label": """
        Outside the mask the error is 0 - 1 = -1. Subtract 1 first, then multiply by the mask.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = torch.sigmoid(X @ Y.mT) * mask - 1
        """,
    "centers_without_negatives": """
        The gradient for X lacks the negatives: N Z is missing.

        - return R @ Y + N @ Z, R.mT @ X, for_Z
        + return R @ Y, R.mT @ X, for_Z
        """,
    "mean_over_snippets": """
        The gradient for Z is averaged over the snippets. The loss is a sum, so sum over them.

        - for_Z = N.flatten(0, 1).T @ X.flatten(0, 1)
        + for_Z = (N.mT @ X).mean(dim=0)
        """,
    "other_words_as_negatives": """
        Words outside the mask get the error sigma - 0, as if they were negatives. They form no pair
        at all: their error is 0.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = torch.sigmoid(X @ Y.mT) - mask.to(X.dtype)
        """,
    "weight_without_k": """
        The weight of the negatives lacks k: a real pair would have drawn k of them.

        - N = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + N = torch.sigmoid(X @ Z.T) * (pairs / len(Z))
        """,
    "label_minus_sigmoid": """
        The errors of the real pairs have the wrong sign. They are sigmoid minus label, sigma - 1.

        - R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + R = (1 - torch.sigmoid(X @ Y.mT)) * mask
        """,
    "sigmoid_of_minus_the_score": """
        The error of a negative is the sigmoid of its score itself; the minus belongs to the loss.

        - N = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + N = torch.sigmoid(-(X @ Z.T)) * (pairs * (k / len(Z)))
        """,
}

FURTHER = """
Start with the scores `X @ Y.mT`, shape (B, T, T), and `X @ Z.T`, shape (B, T, M). Turn either into
errors of the same shape; `mask.sum(dim=2, keepdim=True)` has the shape (B, T, 1) and broadcasts.
For Z, all B times T centers are rows of one matrix: `flatten(0, 1)` makes it.
"""

RIGHT = {
    "einsum": """
        def skip_gram_step(X, Y, Z, mask, k):
            real = mask.to(X.dtype)
            R = (torch.sigmoid(torch.einsum("bik,bjk->bij", X, Y)) - 1) * real
            weights = real.sum(dim=-1) * k / Z.shape[0]
            N = torch.sigmoid(torch.einsum("bik,mk->bim", X, Z)) * weights[..., None]
            for_X = torch.einsum("bij,bjk->bik", R, Y) + torch.einsum("bim,mk->bik", N, Z)
            for_Y = torch.einsum("bij,bik->bjk", R, X)
            return for_X, for_Y, torch.einsum("bim,bik->mk", N, X)
        """,
    "autograd": """
        def skip_gram_step(X, Y, Z, mask, k):
            x, y, z = leaves = [t.detach().double().requires_grad_() for t in (X, Y, Z)]
            weights = mask.sum(dim=2, keepdim=True) * (k / len(Z))
            softplus = torch.nn.functional.softplus
            loss = (softplus(-x @ y.mT) * mask).sum() + (softplus(x @ z.T) * weights).sum()
            return tuple(g.to(X.dtype) for g in torch.autograd.grad(loss, leaves))
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient, constant corner",
    "True is 1.": """
         ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        +    mask = mask.long()
             R = (torch.sigmoid(X @ Y.mT) - 1) * mask

         ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        +    mask = mask.float()
             R = (torch.sigmoid(X @ Y.mT) - 1) * mask
        """,
    "A product is contiguous.": """
        -    for_Z = N.flatten(0, 1).T @ X.flatten(0, 1)
        +    for_Z = N.view(N.flatten(0, 1).shape).T @ X.flatten(0, 1)
        """,
}
