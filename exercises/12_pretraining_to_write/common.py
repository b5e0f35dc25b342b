"""What the cases of 12_pretraining_to_write share: the weights of blocks and models, and ids."""

from __future__ import annotations

import numpy as np
import torch

from ..draw import attention_state, linear, norm, normal


def block_state(rng: np.random.Generator, d_model: int, path: str = "") -> dict[str, torch.Tensor]:
    """The weights of a CausalBlock."""
    state = norm(rng, f"{path}norm_1", d_model) | attention_state(rng, d_model, path=path)
    state |= norm(rng, f"{path}norm_2", d_model)
    state |= linear(rng, f"{path}W_1", d_model, 4 * d_model)
    return state | linear(rng, f"{path}W_2", 4 * d_model, d_model)


def gpt_state(
    rng: np.random.Generator, n_tokens: int, d_model: int, n_layers: int, max_length: int
) -> dict[str, torch.Tensor]:
    """The weights of a GPT."""
    state = {
        "tokens.weight": normal(rng, n_tokens, d_model, scale=0.7),
        "positions.weight": normal(rng, max_length, d_model, scale=0.7),
    }
    for i in range(n_layers):
        state |= block_state(rng, d_model, f"blocks.{i}.")
    return state | norm(rng, "norm", d_model)


def some_ids(rng: np.random.Generator, n: int, low: int = 5, high: int = 900) -> list[int]:
    """n different ids of words, as a list."""
    return [low + int(i) for i in rng.permutation(high - low)[:n]]
