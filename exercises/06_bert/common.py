"""What the cases of 06_bert share: drawn tensors and the weights of the model's parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from coursekit.checking import codec

EXACT = {"dtype": "exact"}

# A hook, set by a case's `state`, that switches the module to evaluation before the call.
TO_EVAL = codec.Source("{0: lambda module, inputs: module.eval() and None}")


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape) * scale, dtype=np.float32))


def draw_ids(rng: np.random.Generator, low: int, high: int, *shape: int) -> torch.Tensor:
    """Whole numbers from `low` up to and including `high`."""
    return torch.from_numpy(rng.integers(low, high + 1, size=shape))


def draw_number(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def lengths_mask(lengths: list[int], longest: int | None = None) -> torch.Tensor:
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def draw_linear(
    rng: np.random.Generator, path: str, into: int, out: int
) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": normal(rng, out, into, scale=1.2 / math.sqrt(into)),
        f"{path}.bias": normal(rng, out, scale=0.3),
    }


def norm(rng: np.random.Generator, path: str, d_model: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": 1 + normal(rng, d_model, scale=0.3),
        f"{path}.bias": normal(rng, d_model, scale=0.3),
    }


def embeddings_state(
    rng: np.random.Generator, sizes: tuple[int, int, int, int], path: str = "", scale: float = 1.0
) -> dict[str, torch.Tensor]:
    vocab_size, d_model, max_length, n_segments = sizes
    return {
        f"{path}tokens.weight": normal(rng, vocab_size, d_model, scale=scale),
        f"{path}positions.weight": normal(rng, max_length, d_model, scale=scale),
        f"{path}segments.weight": normal(rng, n_segments, d_model, scale=scale),
    } | norm(rng, f"{path}norm", d_model)


def one_line(text: str, **values: Any) -> str:
    """The text with its values, in one line, as it is shown with a case."""
    line = " ".join(text.format(**values).split())
    return line.replace("( ", "(").replace("{ ", "{").replace(", )", ")").replace(", }", "}")
