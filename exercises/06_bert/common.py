"""What the cases of 06_bert share: drawn tensors and the weights of the model's parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..draw import norm, normal


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
