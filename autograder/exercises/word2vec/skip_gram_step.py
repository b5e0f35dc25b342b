"""skip_gram_step: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import EXACT, normal

POINTS = {"values": 4, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def batch(B: int, T: int, K: int, M: int) -> list:
        reach = rng.integers(1, 3, size=(B, T, 1))
        distance = np.abs(np.arange(T)[:, None] - np.arange(T))
        mask = torch.from_numpy((distance > 0) & (distance <= reach))
        k = int(rng.choice([n for n in (2, 3, 5, 7) if n != M]))
        vectors = [normal(rng, B, T, K), normal(rng, B, T, K), normal(rng, M, K)]
        return [*vectors, mask, k]

    yield Case("values", batch(1, 4, 2, 3), title="one snippet", judge=EXACT)
    yield Case("values", batch(2, 4, 3, 4), judge=EXACT)
    yield Case("values", batch(3, int(rng.integers(3, 6)), 2, 6), judge=EXACT)
    X, Y, Z, mask, k = batch(2, 5, 3, 4)
    mask[0, 1], mask[1, 3:], mask[1, :, 3:] = False, False, False
    title = "some centers have no pair"
    yield Case("edges", [X, Y, Z, mask, k], title=title, judge=EXACT)
    X, Y, Z, mask, k = batch(1, 3, 2, 4)
    title = "no pair at all"
    yield Case("edges", [X, Y, Z, torch.zeros_like(mask), k], title=title, judge=EXACT)
    X, Y, Z, mask, k = batch(2, 4, 3, 4)
    title = "vectors that are not contiguous"
    loose = [t.mT.contiguous().mT for t in (X, Y, Z)]
    yield Case("edges", [*loose, mask, k], title=title, judge=EXACT)
    X, Y, Z, mask, k = batch(1, 4, 3, 4)
    half = [X.half(), Y.half(), Z.half(), mask, k]
    yield Case("edges", half, title="half precision", judge={**EXACT, "rtol": 0.02, "atol": 0.02})


WRONG = {
    "negatives_without_weight": """
        The negatives count with the weight 1 each. Their errors carry the weight k p_i / M,
        with p_i the number of pairs of the center.

        - H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + H = torch.sigmoid(X @ Z.T)
        """,
    "weight_without_pairs": """
        In the weight of the negatives the number of pairs p_i is missing: a center with four
        pairs draws four times as many negatives as one with a single pair, and one without
        pairs none.

        - H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + H = torch.sigmoid(X @ Z.T) * (1 * (k / len(Z)))
        """,
    "weight_without_m": """
        In the weight of the negatives the division by M is missing: a center meets all M of
        them, but should have met only k for each of its pairs.

        - H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        + H = torch.sigmoid(X @ Z.T) * (pairs * (k / True))
        """,
    "pairs_of_the_context": """
        p_i, the number of pairs of center i, is counted along the wrong dimension of the mask:
        a center's context words stand in its row.

        def skip_gram_step(X, Y, Z, mask, k):
            G = (torch.sigmoid(X @ Y.mT) - 1) * mask
            pairs = mask.sum(dim=1)[:, :, None].to(X.dtype)
            H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
            return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)
        """,
    "real_pairs_with_label_zero": """
        The real pairs have the error sigmoid minus 1, since their label is 1. Yours have the
        sigmoid alone, so real neighbors are pushed apart.

        - G = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + G = (torch.sigmoid(X @ Y.mT) - 0) * mask
        """,
    "masks_the_scores": """
        The mask has to make the *errors* of the other places 0. Multiplied into the scores it
        leaves sigma(0) - 1 = -0.5 there.

        - G = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + G = torch.sigmoid(X @ Y.mT * mask) - 1
        """,
    "label_taken_after_the_mask": """
        Outside the mask your errors are -1: the label is subtracted after the mask has set the
        sigmoids to 0. Subtract first, then mask.

        - G = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + G = torch.sigmoid(X @ Y.mT) * mask - 1
        """,
    "without_the_mask": """
        The mask is not used for the real pairs: all words of a snippet count as neighbors.

        - G = (torch.sigmoid(X @ Y.mT) - 1) * mask
        + G = (torch.sigmoid(X @ Y.mT) - 1) * 1
        """,
    "forgets_to_transpose": """
        In the gradient for Y the matrix G must be transposed: the outside word j collects from
        all centers i, which stand in its column.

        - return G @ Y + H @ Z, G.mT @ X, for_Z
        + return G @ Y + H @ Z, G @ X, for_Z
        """,
    "centers_without_negatives": """
        The gradient for X lacks the negatives. Each center has both: its real neighbors (G) and
        the negatives (H).

        - return G @ Y + H @ Z, G.mT @ X, for_Z
        + return G @ Y + 0, G.mT @ X, for_Z
        """,
    "one_z_per_snippet": """
        The gradient for Z comes once for each snippet. All snippets share Z, so their parts are
        added up to the shape of Z, (M, K).

        - return G @ Y + H @ Z, G.mT @ X, for_Z
        + return G @ Y + H @ Z, G.mT @ X, H.mT @ X
        """,
    "mean_over_snippets": """
        The gradient for Z is averaged over the snippets. The loss is a sum, so their parts add
        up.

        - return G @ Y + H @ Z, G.mT @ X, for_Z
        + return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).mean(dim=0)
        """,
    "step_not_gradient": """
        All three have the wrong sign: the error is sigmoid minus label. The step against the
        gradient is taken later.

        def skip_gram_step(X, Y, Z, mask, k):
            G = (1 - torch.sigmoid(X @ Y.mT)) * mask
            H = -torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
            return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)
        """,
    "step_always_float32": """
        Half precision is lost on the way: something here turns float16 into float32. Bring all
        numbers to the precision of X.

        def skip_gram_step(X, Y, Z, mask, k):
            X, Y, Z = X.float(), Y.float(), Z.float()
            G = (torch.sigmoid(X @ Y.mT) - 1) * mask
            H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True) * (k / len(Z)))
            return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)
        """,
    "step_with_view": """
        `view` works only for tensors that lie in memory in one piece. `reshape` and `flatten`
        work for all.

        raises RuntimeError

        - pairs = mask.sum(dim=2, keepdim=True).to(X.dtype)
        - H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
        - for_Z = H.flatten(0, 1).T @ X.flatten(0, 1)
        + H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
        + for_Z = H.view(-1, len(Z)).T @ X.view(-1, X.shape[-1])
        """,
    "mask_as_float32": """
        Half precision stops the function: the mask is turned into float32, and a product of
        matrices in two precisions is not defined. Turn it into the precision of X.

        raises RuntimeError

        def skip_gram_step(X, Y, Z, mask, k):
            G = (torch.sigmoid(X @ Y.mT) - 1) * mask.float()
            H = torch.sigmoid(X @ Z.T) * (mask.float().sum(dim=2, keepdim=True) * (k / len(Z)))
            return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)
        """,
}

RIGHT = {
    "skip_gram_step_einsum": """
        def skip_gram_step(X, Y, Z, mask, k):
            real = mask.to(X.dtype)
            G = (torch.sigmoid(torch.einsum("bik,bjk->bij", X, Y)) - 1) * real
            weights = real.sum(dim=-1) * k / Z.shape[0]
            H = torch.sigmoid(torch.einsum("bik,mk->bim", X, Z)) * weights[..., None]
            for_X = torch.einsum("bij,bjk->bik", G, Y) + torch.einsum("bim,mk->bik", H, Z)
            for_Y = torch.einsum("bij,bik->bjk", G, X)
            return for_X, for_Y, torch.einsum("bim,bik->mk", H, X)
        """,
    "skip_gram_step_autograd": """
        import torch.nn.functional as F


        def skip_gram_step(X, Y, Z, mask, k):
            x, y, z = (t.detach().clone().float().requires_grad_() for t in (X, Y, Z))
            loss = -(F.logsigmoid(x @ y.mT) * mask).sum()
            weights = mask.sum(dim=2, keepdim=True) * (k / len(Z))
            loss = loss - (F.logsigmoid(-(x @ z.T)) * weights).sum()
            loss.backward()
            return x.grad.to(X.dtype), y.grad.to(X.dtype), z.grad.to(X.dtype)
        """,
    "skip_gram_step_loop": """
        def skip_gram_step(X, Y, Z, mask, k):
            for_X, for_Y, for_Z = torch.zeros_like(X), torch.zeros_like(Y), torch.zeros_like(Z)
            for b in range(len(X)):
                for i in range(X.shape[1]):
                    neighbors = torch.nonzero(mask[b, i])[:, 0].tolist()
                    for j in neighbors:
                        error = torch.sigmoid(X[b, i] @ Y[b, j]) - 1
                        for_X[b, i] += error * Y[b, j]
                        for_Y[b, j] += error * X[b, i]
                    for m in range(len(Z)):
                        error = torch.sigmoid(X[b, i] @ Z[m]) * (k * len(neighbors) / len(Z))
                        for_X[b, i] += error * Z[m]
                        for_Z[m] += error * X[b, i]
            return for_X, for_Y, for_Z
        """,
}
