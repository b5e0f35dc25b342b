"""What the cases of 16_retrieval share: words, and numbers whose order no processor changes."""

from __future__ import annotations

import numpy as np
import torch

WORDS = "the a camel river Norway bakery lives eats hay near pays with old krone sails".split()


def steps(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Different numbers in steps of 1/8, around 0, in any order."""
    n = int(np.prod(shape))
    return torch.from_numpy((rng.permutation(n) - n // 2).reshape(shape)).float() / 8


def some_order(rng: np.random.Generator, n: int) -> list[int]:
    """The numbers below n in any order."""
    return [int(i) for i in rng.permutation(n)]
