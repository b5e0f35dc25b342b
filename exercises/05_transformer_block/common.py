"""Weights, inputs, masks and hooks for the cases of 05_transformer_block."""

from __future__ import annotations

import numpy as np
import torch

from ..draw import attention_state, linear, norm, number


def draw_sizes(rng: np.random.Generator, *ranges: tuple[int, int]) -> list[int]:
    """A size from each range, both ends included."""
    return [number(rng, low, high) for low, high in ranges]


def block_state(
    rng: np.random.Generator, d_model: int, d_ff: int, path: str = ""
) -> dict[str, torch.Tensor]:
    state = attention_state(rng, d_model, path=f"{path}attention.")
    state |= linear(rng, f"{path}feed_forward.W_1", d_model, d_ff)
    state |= linear(rng, f"{path}feed_forward.W_2", d_ff, d_model)
    state |= norm(rng, f"{path}norm_1", d_model)
    return state | norm(rng, f"{path}norm_2", d_model)
