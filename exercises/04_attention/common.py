"""What the cases of 04_attention share: word vectors, masks, token ids, weights."""

from __future__ import annotations

import numpy as np
import torch

from coursekit.checking import codec

from ..draw import normal

WORDS = "great fun long dull but the film plot never awesome cast bad".split()


def draw_weights(rng: np.random.Generator, batch: int, length: int) -> torch.Tensor:
    """Attention weights (B, L): each row sums to 1."""
    numbers = rng.integers(1, 10, size=(batch, length))
    return torch.from_numpy((numbers / numbers.sum(axis=1, keepdims=True)).astype(np.float32))


def draw_mask(
    rng: np.random.Generator, batch: int, length: int, empty: bool = False
) -> torch.Tensor:
    """Texts of different lengths, the last without padding; if `empty`, one is only padding."""
    lengths = torch.from_numpy(rng.integers(1, length, size=batch))
    lengths[-1] = length
    if empty:
        lengths[int(rng.integers(batch))] = 0
    return torch.arange(length) < lengths[:, None]


def no_padding(*shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.bool)


def draw_strided(rng: np.random.Generator, batch: int, length: int, dim: int) -> codec.Source:
    """Word vectors (B, L, d) that lie in memory as (B, d, L)."""
    numbers = normal(rng, batch, dim, length).double().numpy().round(2).tolist()
    return codec.Source(f"torch.tensor({numbers}).mT")


def draw_ids(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """token ids, among them the unknown word (1), and 0 at padding."""
    ids = torch.from_numpy(rng.integers(1, n_words, size=tuple(mask.shape)))
    return ids * mask


def draw_other_ids(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """token ids that do not tell padding: the last text begins with 0, padding is never 0."""
    ids = torch.from_numpy(rng.integers(1, n_words, size=tuple(mask.shape)))
    ids[-1, ..., 0] = 0
    return ids


def draw_gaps(rng: np.random.Generator, batch: int, length: int) -> torch.Tensor:
    """A mask (B, L) with padding between the words; each text has at least two words."""
    mask = torch.from_numpy(rng.random((batch, length)) < 0.5)
    mask[:, 0] = mask[:, -1] = True
    mask[:, int(rng.integers(1, length - 1))] = False
    return mask
