"""reconstruction_loss: weights by place, padding, no gradient into the words, nothing to decode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number

POINTS = {"values": 2, "padding": 1, "gradient": 1, "nothing": 1}


def weights_of(rng: np.random.Generator, n: int) -> torch.Tensor:
    """Different weights, larger than 0."""
    return torch.from_numpy((rng.permutation(n) + rng.uniform(0.5, 1.0, n)).astype(np.float32))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, places in ((1, 3), (3, 5), (4, 1)):
        mask = torch.ones(batch, places, dtype=torch.bool)
        inputs = [normal(rng, batch, places, 2), normal(rng, batch, places, 2), mask]
        yield Case("values", [*inputs, weights_of(rng, places)])
    mask = torch.ones(2, 3, dtype=torch.bool)
    weights = torch.tensor([0.0, float(number(rng, 1, 4)), 0.0])
    title = "only the middle has a weight"
    yield Case("values", [normal(rng, 2, 3, 2), normal(rng, 2, 3, 2), mask, weights], title=title)
    mask = lengths_mask([1, 3, number(rng, 1, 2)])
    yield Case("padding", [normal(rng, 3, 3, 2), normal(rng, 3, 3, 2), mask, weights_of(rng, 3)])
    mask = lengths_mask([2, 4, 3]).flip(1)
    X = normal(rng, 3, 4, 2).masked_fill(~mask.unsqueeze(-1), 50.0)
    title = "padding in front of the words"
    yield Case("padding", [normal(rng, 3, 4, 2), X, mask, weights_of(rng, 4)], title=title)
    mask = lengths_mask([2, 3])
    inputs = [normal(rng, 2, 3, 2), normal(rng, 2, 3, 2), mask, weights_of(rng, 3)]
    yield Case("gradient", inputs, gradient="decoded")
    inputs = [normal(rng, 2, 3, 2), normal(rng, 2, 3, 2), mask, weights_of(rng, 3)]
    title = "no gradient into what is to be reconstructed"
    yield Case("gradient", inputs, gradient="X", title=title)
    mask = torch.zeros(2, 3, dtype=torch.bool)
    inputs = [normal(rng, 2, 3, 2), normal(rng, 2, 3, 2), mask, weights_of(rng, 3)]
    yield Case("nothing", inputs, title="no real word")
    mask = torch.tensor([[True, False, False], [False, False, False]])
    weights = torch.tensor([0.0, 1.0, float(number(rng, 1, 4))])
    inputs = [normal(rng, 2, 3, 2), normal(rng, 2, 3, 2), mask, weights]
    yield Case("nothing", inputs, title="only words with the weight 0")
    mask = torch.zeros(1, 3, dtype=torch.bool)
    inputs = [normal(rng, 1, 3, 2), normal(rng, 1, 3, 2), mask, weights_of(rng, 3)]
    yield Case("nothing", inputs, gradient="decoded", title="the gradient without a real word")
    mask = torch.tensor([[False, True, False]])
    inputs = [normal(rng, 1, 3, 4), normal(rng, 1, 3, 4), mask, weights_of(rng, 3) / 8]
    yield Case("nothing", inputs, title="one real word, with a small weight")


WRONG = {
    "words_learn": """
        A gradient flows into X. Then the word vectors learn to be easy to reconstruct: all zeros. Detach
        what is to be reconstructed.

        - distances = ((decoded - X.detach()) ** 2).sum(dim=-1)
        + distances = ((decoded - X) ** 2).sum(dim=-1)
        """,
    "decoder_detached": """
        No gradient reaches the decoder, so nothing would learn. Only X is to be detached.

        - distances = ((decoded - X.detach()) ** 2).sum(dim=-1)
        + distances = ((decoded.detach() - X) ** 2).sum(dim=-1)
        """,
    "padding_counts": """
        Padding is reconstructed as well. Only real words count, above and below the fraction.

        - shares = weights * mask
        + shares = weights.expand(mask.shape)
        """,
    "padding_counts_below": """
        Above the fraction only real words count, but below it stand the weights of all places.
        Divide by the sum of the weights of real words.

        - total = shares.sum()
        + total = weights.expand(mask.shape).sum()
        """,
    "divides_by_all": """
        Above the fraction the weights count, below it the number of positions. Divide by the sum of the
        weights of real words.

        - total = shares.sum()
        + total = torch.tensor(float(mask.numel()))
        """,
    "divides_by_words": """
        The weighted sum is divided by the number of real words. Divide by the sum of their weights.

        - total = shares.sum()
        + total = mask.sum().float()
        """,
    "unweighted": """
        All places weigh the same here. Multiply each squared distance by the weight of its place.

        - shares = weights * mask
        + shares = torch.ones_like(weights) * mask
        """,
    "mean_over_components": """
        The squares are averaged over the components; the squared distance is their sum.

        - distances = ((decoded - X.detach()) ** 2).sum(dim=-1)
        + distances = ((decoded - X.detach()) ** 2).mean(dim=-1)
        """,
    "not_squared": """
        This is the distance; the loss has its square.

        - distances = ((decoded - X.detach()) ** 2).sum(dim=-1)
        + distances = ((decoded - X.detach()) ** 2).sum(dim=-1).clamp(min=1e-12).sqrt()
        """,
    "nan_without_words": """
        Without anything to reconstruct this is 0 / 0. The loss is 0 then.

        - return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        + return (distances * shares).sum() / total
        """,
    "small_denominator": """
        The denominator is kept at 1 or above, which changes the loss of small weights. Only 0 needs to be
        replaced.

        - return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        + return (distances * shares).sum() / total.clamp(min=1.0)
        """,
    "mean_of_windows": """
        This is the mean over windows, so a window with one word weighs as much as a full one. Add up
        over all windows above and below, then divide once.

        - total = shares.sum()
        - return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        + total = shares.sum(dim=1)
        + return ((distances * shares).sum(dim=1) / torch.where(total > 0, total, 1.0)).mean()
        """,
}

RIGHT = {
    "selects": """
        def reconstruction_loss(decoded, X, mask, weights):
            w = weights.expand(mask.shape)[mask]
            if w.sum() == 0:
                return decoded.sum() * 0
            d = (decoded[mask] - X[mask].detach()).pow(2).sum(-1)
            return (w * d).sum() / w.sum()
        """,
    "einsum": """
        def reconstruction_loss(decoded, X, mask, weights):
            difference = decoded - X.detach()
            m = mask.to(decoded.dtype)
            total = torch.einsum("bc,c->", m, weights)
            loss = torch.einsum("bcd,bcd,bc,c->", difference, difference, m, weights)
            return loss / total if total > 0 else loss * 0
        """,
}

FURTHER = """
Weight times mask, (B, C), says how much each position counts. It multiplies the squared distances above
the fraction, and its sum stands below. `detach` keeps the gradient out of X.
"""

EQUIVALENT = {
    "The text asks for no gradient into the weights of the places.": """
        -    shares = weights * mask
        +    shares = (weights * mask).detach()

        -    shares = weights * mask
        +    shares = weights.detach() * mask

        -    total = shares.sum()
        +    total = shares.sum().detach()

        -    total = shares.sum()
        +    total = shares.detach().sum()

        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares.detach()).sum() / torch.where(total > 0, total, 1.0)

        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total > 0, total, 1.0).detach()

        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total > 0, total.detach(), 1.0)
        """,
    "A product with 1 or 0 is the same in any type.": """
         ) -> torch.Tensor:
        +    mask = mask.float()
             shares = weights * mask

         ) -> torch.Tensor:
        +    mask = mask.long()
             shares = weights * mask
        """,
    "No weight is below 0.": """
        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total != 0, total, 1.0)
        """,
    "Where this is taken, nothing is above the fraction.": """
        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total > 0, total, 2.0)

        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total > 0, total, 0.5)

        -    return (distances * shares).sum() / torch.where(total > 0, total, 1.0)
        +    return (distances * shares).sum() / torch.where(total > 0, total, -1.0)
        """,
}
