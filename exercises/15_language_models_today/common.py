"""What the cases of 15_language_models_today share: the weights of its layers, blocks and models."""

from __future__ import annotations

import numpy as np
import torch

from ..draw import normal

State = dict[str, torch.Tensor]


def gain(rng: np.random.Generator, path: str, d: int) -> State:
    """The weight of an RMSNorm."""
    return {f"{path}weight": 1 + normal(rng, d, scale=0.3)}


def attention(rng: np.random.Generator, path: str, d: int, heads: int, key_heads: int) -> State:
    """The weights of a GroupedQueryAttention."""
    narrow = d // heads * key_heads
    shapes = {"W_Q": (d, d), "W_K": (narrow, d), "W_V": (narrow, d), "W_O": (d, d)}
    return {f"{path}{name}.weight": normal(rng, *shape) for name, shape in shapes.items()}


def network(rng: np.random.Generator, path: str, d: int, hidden: int) -> State:
    """The weights of a SwiGLU."""
    shapes = {"W_gate": (hidden, d), "W_up": (hidden, d), "W_down": (d, hidden)}
    return {f"{path}{name}.weight": normal(rng, *shape) for name, shape in shapes.items()}


def block(
    rng: np.random.Generator, path: str, d: int, heads: int, key_heads: int, hidden: int
) -> State:
    """The weights of a LlamaBlock."""
    state = gain(rng, f"{path}norm_1.", d) | gain(rng, f"{path}norm_2.", d)
    state |= attention(rng, f"{path}attention.", d, heads, key_heads)
    return state | network(rng, f"{path}network.", d, hidden)


def cached(
    rng: np.random.Generator, batch: int, key_heads: int, n: int, d_k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of n tokens that were read before."""
    return normal(rng, batch, key_heads, n, d_k), normal(rng, batch, key_heads, n, d_k)
