"""Weights, inputs, masks and hooks for the cases of 05_transformer_block."""

from __future__ import annotations

import math

import numpy as np
import torch

from coursekit.checking import codec

# Half precision keeps three digits, and sums of them fewer.
HALF = {"dtype": "exact", "atol": 2e-2}

# `then` can only call and read; these forward pre-hooks set a module to half precision or to
# evaluation before its first call.
TO_HALF = {"_forward_pre_hooks": codec.Source("{0: lambda module, inputs: module.half() and None}")}
TO_EVAL = {"_forward_pre_hooks": codec.Source("{0: lambda module, inputs: module.eval() and None}")}


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape) * scale, dtype=np.float32))


def draw_sizes(rng: np.random.Generator, *ranges: tuple[int, int]) -> list[int]:
    """A size from each range, both ends included."""
    return [int(rng.integers(low, high + 1)) for low, high in ranges]


def lengths_mask(lengths: list[int], longest: int | None = None) -> torch.Tensor:
    """True at the real tokens of texts of these lengths: (B, L)."""
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def causal(length: int) -> torch.Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def linear(rng: np.random.Generator, path: str, into: int, out: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": normal(rng, out, into, scale=1.2 / math.sqrt(into)),
        f"{path}.bias": normal(rng, out, scale=0.3),
    }


def attention_state(
    rng: np.random.Generator, d_model: int, keys: int, values: int, path: str = ""
) -> dict[str, torch.Tensor]:
    """Weights whose scores are large enough that a wrong softmax shows."""
    state = linear(rng, f"{path}W_Q", d_model, keys) | linear(rng, f"{path}W_K", d_model, keys)
    state |= linear(rng, f"{path}W_V", d_model, values)
    return state | linear(rng, f"{path}W_O", values, d_model)


def block_state(
    rng: np.random.Generator, d_model: int, d_ff: int, path: str = ""
) -> dict[str, torch.Tensor]:
    state = attention_state(rng, d_model, d_model, d_model, f"{path}attention.")
    state |= linear(rng, f"{path}feed_forward.W_1", d_model, d_ff)
    state |= linear(rng, f"{path}feed_forward.W_2", d_ff, d_model)
    for norm in ("norm_1", "norm_2"):
        state[f"{path}{norm}.weight"] = 1 + normal(rng, d_model, scale=0.3)
        state[f"{path}{norm}.bias"] = normal(rng, d_model, scale=0.3)
    return state
