"""What the cases of 09_translation share: weights, token ids, masks, sentences."""

from __future__ import annotations

import numpy as np
import torch

from ..draw import lengths_mask, normal

FRENCH = "elle aime le chat blanc mais il ne voit jamais de chien dans notre jardin".split()


def linear(
    rng: np.random.Generator, name: str, inputs: int, outputs: int, bias: bool = True
) -> dict[str, torch.Tensor]:
    """The weights of an nn.Linear, by path."""
    state = {f"{name}.weight": normal(rng, outputs, inputs)}
    return state | ({f"{name}.bias": normal(rng, outputs)} if bias else {})


def recurrent(
    rng: np.random.Generator, name: str, inputs: int, d: int, gates: int, both: bool = False
) -> dict[str, torch.Tensor]:
    """The weights of an nn.LSTM (4 gates) or nn.GRU (3), in one direction or in both."""
    state = {}
    for suffix in ("", "_reverse") if both else ("",):
        state[f"{name}.weight_ih_l0{suffix}"] = normal(rng, gates * d, inputs)
        state[f"{name}.weight_hh_l0{suffix}"] = normal(rng, gates * d, d)
        state[f"{name}.bias_ih_l0{suffix}"] = normal(rng, gates * d)
        state[f"{name}.bias_hh_l0{suffix}"] = normal(rng, gates * d)
    return state


def draw_lengths(rng: np.random.Generator, batch: int, length: int) -> list[int]:
    """Lengths from 1 to `length`; the longest is not the first, and one is shorter if possible."""
    lengths = rng.integers(1, max(length, 2), size=batch)
    lengths[-1] = length
    return lengths.tolist()


def mask_of(lengths: list[int], gap: bool = False) -> torch.Tensor:
    """An attention mask; with a gap, it is False at the second position of every sentence too."""
    mask = lengths_mask(lengths)
    if gap:
        mask[:, 1] = False
    return mask


def edited(rng: np.random.Generator, tokens: list[str]) -> list[str]:
    """A translation with a few mistakes: two words exchanged, one replaced, one perhaps missing."""
    tokens = list(tokens)
    i, j = int(rng.integers(len(tokens) - 1)), int(rng.integers(len(tokens)))
    tokens[i], tokens[i + 1] = tokens[i + 1], tokens[i]
    tokens[j] = FRENCH[int(rng.integers(len(FRENCH)))]
    return tokens
