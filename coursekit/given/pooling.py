"""Given pooling of 03 and masked softmax of 04, for the sentence encoders of 08."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from coursekit.forbidden import require_allowed


def mean_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of each text's word vectors.

    Parameters
    ----------
    X : torch.Tensor
        (B, L, d), the vectors at all positions, float32 or float64.
    mask : torch.Tensor
        (B, L), bool, True at real words.

    Returns
    -------
    torch.Tensor
        (B, d); zeros for a text without words.
    """
    require_allowed("coursekit.given.mean_pool")
    return _bags(X, mask, "mean")


def max_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the largest number of each component over a text's words.

    Parameters
    ----------
    X : torch.Tensor
        (B, L, d), the vectors at all positions, float32 or float64.
    mask : torch.Tensor
        (B, L), bool, True at real words.

    Returns
    -------
    torch.Tensor
        (B, d); zeros for a text without words.
    """
    require_allowed("coursekit.given.max_pool")
    return _bags(X, mask, "max")


def _bags(X: torch.Tensor, mask: torch.Tensor, mode: str) -> torch.Tensor:
    """Reduce the vectors at each text's real positions with PyTorch's `embedding_bag`."""
    lengths = mask.sum(dim=1)
    real = mask.flatten().nonzero().squeeze(1)
    return F.embedding_bag(real, X.flatten(0, 1), lengths.cumsum(0) - lengths, mode=mode)


def masked_softmax(r: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the softmax of scores over the real words of the last axis.

    Parameters
    ----------
    r : torch.Tensor
        (..., L), finite scores.
    mask : torch.Tensor
        (..., L), True at real words; any shape that can be broadcast to that of `r`.

    Returns
    -------
    torch.Tensor
        The weights, of the shape of `r`; 0 at padding, and everywhere if there is no real word.
    """
    require_allowed("coursekit.given.masked_softmax")
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = r.masked_fill(~(mask | empty), float("-inf")).softmax(dim=-1)
    return weights.masked_fill(empty, 0.0)
