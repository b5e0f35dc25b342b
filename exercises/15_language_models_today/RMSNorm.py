"""RMSNorm: the last axis, eps inside the root, the gain, and vectors of zeros."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import gain

POINTS = {"values": 1, "eps": 1, "training": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, X: torch.Tensor, sizes: list[Any], **more: Any) -> Case:
        then = [("__call__", X)]
        return Case(group, sizes, state=gain(rng, "", sizes[0]), then=then, **more)

    d = number(rng, 3, 6)
    yield case("values", normal(rng, 2, 3, d) + 1, [d], title="a batch of texts")
    yield case("values", normal(rng, 4), [4], title="a single vector")
    yield Case(
        "values", [d], then=[("__call__", normal(rng, 1, d))], title="a gain of ones at first"
    )
    X = normal(rng, 2, 4, scale=0.1)
    yield case("eps", X, [4, 0.5], title="a large eps")
    X = normal(rng, 2, d, scale=0.003)
    yield case("eps", X, [d], title="small numbers, for which eps counts")
    X = normal(rng, 3, 4)
    X[1] = 0
    yield case("eps", X, [4, 1e-5], title="a vector of zeros")
    yield case("training", normal(rng, 2, 2, d), [d], title="what training changes", gradient="all")


WRONG = {
    "subtracts_the_mean": """
        The mean is subtracted, as in layer normalization. RMSNorm leaves it where it is.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + X = X - X.mean(dim=-1, keepdim=True)
        + return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        """,
    "sum_of_squares": """
        This is the root of the *sum* of the squares. RMS is the root of their mean.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).sum(dim=-1, keepdim=True) + self.eps) * self.weight
        """,
    "no_root": """
        The root is missing: this divides by the mean of the squares.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X / (X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        """,
    "eps_outside": """
        eps is added to the root. It belongs inside, to the mean of the squares.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X / (X.pow(2).mean(dim=-1, keepdim=True).sqrt() + self.eps) * self.weight
        """,
    "without_eps": """
        eps is missing: a vector of zeros is divided by 0.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True)) * self.weight
        """,
    "over_the_batch": """
        One mean for the whole batch. Each vector has its own: take the mean over the last axis.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).mean() + self.eps) * self.weight
        """,
    "without_gain": """
        The gain, self.weight, is not used.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        """,
    "gain_is_no_parameter": """
        The gain is a plain tensor, so no optimizer finds it. Make it an nn.Parameter.

        - self.weight = nn.Parameter(torch.ones(d))
        + self.weight = torch.ones(d)
        """,
    "standard_deviation": """
        This divides by the standard deviation, for which the mean is subtracted. RMS is the root of
        the mean of the squares as they are.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X / (X.std(dim=-1, keepdim=True) + self.eps) * self.weight
        """,
    "variance": """
        This divides by the root of the variance, for which the mean is subtracted. RMS takes the
        mean of the squares of the numbers as they are.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + variance = X.var(dim=-1, keepdim=True, unbiased=False)
        + return X * torch.rsqrt(variance + self.eps) * self.weight
        """,
    "fixed_eps": """
        The eps that was given is not used. Keep it in `__init__`, and add it in `forward`.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + 1e-5) * self.weight
        """,
    "gain_of_zeros": """
        The gain begins with zeros, so nothing gets through. It begins with ones.

        - self.weight = nn.Parameter(torch.ones(d))
        + self.weight = nn.Parameter(torch.zeros(d))
        """,
    "one_plus_the_gain": """
        The vectors are multiplied by 1 + weight, as in Gemma. Here the weight is the gain itself,
        which begins with ones.

        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * (1 + self.weight)
        """,
    "eps_of_1e_6": """
        eps is always 1e-6. Keep the one that was given, whose default is 1e-5, and add it in
        `forward`.

        - self.eps = eps
        + self.eps = 1e-6
        """,
}

FURTHER = """
X.pow(2).mean(dim=-1, keepdim=True) is the mean of the squares; add eps; torch.rsqrt is one over the
root. Multiply X by it, and by self.weight.
"""

RIGHT = {
    "step_by_step": """
        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + squares = (X * X).sum(dim=-1, keepdim=True) / X.shape[-1]
        + return self.weight * (X / torch.sqrt(squares + self.eps))
        """,
    "of_the_library": """
        - return X * torch.rsqrt(X.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight
        + return F.rms_norm(X, (X.shape[-1],), self.weight, self.eps)
        """,
}

EQUIVALENT = {
    "It is added to a tensor, whichever it is.": """
        -        self.eps = eps
        +        self.eps = torch.tensor(eps)
        """,
}
