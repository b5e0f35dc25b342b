"""What the cases of 10_contextual_vectors share: sentences of several lengths, and clear clusters."""

from __future__ import annotations

import numpy as np
import torch

from ..draw import lengths_mask, normal, number


def padded(
    rng: np.random.Generator, lengths: list[int], dim: int, value: float = 9.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors (B, L, dim) with a number at padding, and their mask."""
    mask = lengths_mask(lengths)
    X = normal(rng, *mask.shape, dim)
    return X.masked_fill(~mask.unsqueeze(-1), value), mask


def around_axes(rng: np.random.Generator, n: int, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors near the axes, one axis after another, of different lengths; and the axis of each."""
    axes = torch.arange(n) % dim
    noise = torch.from_numpy(rng.uniform(0.0, 0.35, size=(n, dim)).astype(np.float32))
    length = torch.from_numpy(rng.uniform(0.5, 4.0, size=(n, 1)).astype(np.float32))
    X = (torch.nn.functional.one_hot(axes, dim).float() + noise) * length
    order = torch.from_numpy(rng.permutation(n))
    return X[order], axes[order]


def some_labels(rng: np.random.Generator, n: int, n_labels: int) -> torch.Tensor:
    """Labels of n things, each label at least once if there is room."""
    labels = torch.from_numpy(rng.integers(0, n_labels, size=n))
    labels[:n_labels] = torch.arange(n_labels)[:n]
    return labels[torch.from_numpy(rng.permutation(n))]


def length_of(rng: np.random.Generator) -> int:
    """A length of a sentence."""
    return number(rng, 4, 7)
