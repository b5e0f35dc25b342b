"""What the cases of 00_setup share."""

from __future__ import annotations

import numpy as np
import torch


def whole(rng: np.random.Generator, *shape: int, low: int = -4, high: int = 4) -> torch.Tensor:
    """Whole numbers as floats: students can follow them on paper, and their sums are exact."""
    return torch.from_numpy(rng.integers(low, high + 1, size=shape).astype(np.float32))


def large(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Odd numbers from 2049 to 2999, which float16 would round."""
    return 2 * whole(rng, *shape, low=1024, high=1499) + 1
