"""Layer normalization; a large eps, equal numbers and other precisions have their own cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, normal
from .common import draw_sizes

POINTS = {"values": 2, "epsilon": 1, "safety": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*shape: int, scale: float = 50) -> list[torch.Tensor]:
        """Numbers that are by default so far apart that eps hardly matters."""
        d = shape[-1]
        x = normal(rng, *shape, scale=scale) + normal(rng, *shape[:-1], 1, scale=scale / 2)
        return [x, 1 + normal(rng, d, scale=0.5), normal(rng, d)]

    d, length = draw_sizes(rng, (4, 6), (2, 3))
    yield Case("values", inputs(d), title="one vector")
    yield Case("values", inputs(length, d))
    yield Case("values", inputs(2, 3, d), title="a batch of texts")
    texts = inputs(2, d, scale=2)
    yield Case("values", texts, title="the gradients", gradient="all")
    for eps in (float(rng.uniform(0.3, 0.6)), 0.05):
        yield Case("epsilon", inputs(length, d, scale=2), {"eps": eps}, title="a large eps")
    yield Case("epsilon", inputs(length, d, scale=0.01), title="small numbers, the default eps")
    x, gamma, beta = inputs(length, d)
    x[:] = float(rng.integers(2, 6)) / 2
    yield Case("epsilon", [x, gamma, beta], title="all numbers of a token are equal")
    yield Case("safety", inputs(1), title="a single number")
    yield Case("safety", inputs(1, 1, d), title="a text of one token")
    _, gamma, beta = inputs(d)
    gaps = normal(rng, d, 3, scale=50).mT  # not d tokens: a lost axis must not fit by chance
    yield Case("safety", [gaps, gamma, beta], title="a tensor that is not contiguous")
    x, gamma, beta = (part.half() for part in inputs(2, d))
    title = "half precision, with large numbers"
    yield Case("safety", [12 * x, gamma, beta], title=title, judge=HALF)
    x, gamma, beta = (part.half() for part in inputs(2, d))
    x[0] = 0.5
    title = "half precision, with a token whose numbers are equal and eps=1e-12"
    yield Case("safety", [x, gamma, beta], {"eps": 1e-12}, title=title, judge=HALF)
    x, gamma, beta = (part.double() for part in inputs(length, d))
    title = "double precision, with numbers whose squares float32 cannot hold"
    yield Case("safety", [1e30 * x, gamma, beta], title=title)


WRONG = {
    "unbiased_variance": """
        The variance divides by d - 1, as `var` and `std` do by default. Here it divides by d.

        - variance = (h - mean).square().mean(dim=-1, keepdim=True)
        + variance = h.var(dim=-1, keepdim=True)
        """,
    "eps_outside_root": """
        eps is added to the standard deviation. It belongs inside the root: add it to the
        variance.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return (gamma * (h - mean) / (torch.sqrt(variance) + eps) + beta).to(x.dtype)
        """,
    "without_eps": """
        eps is ignored. A token whose numbers are all equal then divides 0 by 0.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return (gamma * (h - mean) / torch.sqrt(variance) + beta).to(x.dtype)
        """,
    "normalizes_over_batch": """
        Mean and variance are taken along the first axis, over tokens or texts. That is batch
        normalization; here each vector is normalized by itself, along the last axis.

        - mean = h.mean(dim=-1, keepdim=True)
        - variance = (h - mean).square().mean(dim=-1, keepdim=True)
        + mean = h.mean(dim=0, keepdim=True)
        + variance = (h - mean).square().mean(dim=0, keepdim=True)
        """,
    "normalizes_over_everything": """
        There is one mean and one variance for all tokens together. Each token has its own: take
        them along the last axis.

        - mean = h.mean(dim=-1, keepdim=True)
        - variance = (h - mean).square().mean(dim=-1, keepdim=True)
        + mean = h.mean()
        + variance = (h - mean).square().mean()
        """,
    "loses_the_axis": """
        The mean or the variance has lost the last axis, so it no longer broadcasts against the
        tokens. Keep the axis, with length 1, for both.

        raises RuntimeError

        - mean = h.mean(dim=-1, keepdim=True)
        + mean = h.mean(dim=-1)
        """,
    "without_gamma_and_beta": """
        gamma and beta are ignored: scale and shift the normalized numbers.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return ((h - mean) / torch.sqrt(variance + eps)).to(x.dtype)
        """,
    "divides_by_variance": """
        The square root is missing: divide by the standard deviation, not by the variance.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return (gamma * (h - mean) / (variance + eps) + beta).to(x.dtype)
        """,
    "computes_in_half_precision": """
        In half precision the squares overflow, and a small eps is rounded to 0. Compute in
        float32, and convert the result back at the end.

        - h = x.to(torch.promote_types(x.dtype, torch.float32))
        + h = x
        """,
    "rounds_to_float32": """
        Double precision is converted to float32, where large squares overflow and digits get lost.
        Only half precision needs another type: torch.promote_types(x.dtype, torch.float32) leaves
        float64 alone.

        - h = x.to(torch.promote_types(x.dtype, torch.float32))
        + h = x.float()
        """,
    "stays_in_float32": """
        Half precision goes in, but float32 comes out. Convert the result back to the dtype of x.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return gamma * (h - mean) / torch.sqrt(variance + eps) + beta
        """,
    "shifts_before_scaling": """
        beta is added first, and then scaled by gamma as well. Multiply with gamma first, then add
        beta.

        - return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        + return (gamma * ((h - mean) / torch.sqrt(variance + eps) + beta)).to(x.dtype)
        """,
    "squares_without_centering": """
        In place of the variance there is the mean of the squares of x. The variance is the mean
        square of the distances to the mean: subtract the mean before you square.

        - variance = (h - mean).square().mean(dim=-1, keepdim=True)
        + variance = h.square().mean(dim=-1, keepdim=True)
        """,
}

FURTHER = """
Take mean and variance over `dim=-1` with `keepdim=True`, both of the converted tensor. The
variance is the mean of the squared differences; `x.var()` divides by d - 1 unless you say
otherwise.
"""

RIGHT = {
    "norm_by_torch": """
        def layer_norm(x, gamma, beta, eps=1e-5):
            return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)
        """,
    "norm_by_moments": """
        def layer_norm(x, gamma, beta, eps=1e-5):
            h = x.double()
            mean = h.sum(dim=-1, keepdim=True) / h.shape[-1]
            variance = (h**2).sum(dim=-1, keepdim=True) / h.shape[-1] - mean**2
            scaled = (h - mean) * (variance.clamp(min=0) + eps) ** -0.5
            return (scaled * gamma + beta).to(x.dtype)
        """,
}

EQUIVALENT = {
    "gamma and beta have the precision of x, and the result is converted to it": """
         ) -> torch.Tensor:
        +    gamma = gamma.float()
             h = x.to(torch.promote_types(x.dtype, torch.float32))

         ) -> torch.Tensor:
        +    gamma = gamma.double()
             h = x.to(torch.promote_types(x.dtype, torch.float32))

         ) -> torch.Tensor:
        +    beta = beta.float()
             h = x.to(torch.promote_types(x.dtype, torch.float32))

         ) -> torch.Tensor:
        +    beta = beta.double()
             h = x.to(torch.promote_types(x.dtype, torch.float32))

        -    h = x.to(torch.promote_types(x.dtype, torch.float32))
        +    h = x.to(torch.promote_types(beta.dtype, torch.float32))

        -    h = x.to(torch.promote_types(x.dtype, torch.float32))
        +    h = x.to(torch.promote_types(gamma.dtype, torch.float32))

        -    return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        +    return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(beta.dtype)

        -    return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(x.dtype)
        +    return (gamma * (h - mean) / torch.sqrt(variance + eps) + beta).to(gamma.dtype)
        """,
    "the deviations from the mean sum to 0, so the variance has no gradient for it": """
        -    variance = (h - mean).square().mean(dim=-1, keepdim=True)
        +    variance = (h - mean.detach()).square().mean(dim=-1, keepdim=True)
        """,
}
