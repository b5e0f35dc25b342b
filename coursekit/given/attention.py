"""Given parts of assignment 05 for the translation transformer of assignment 11."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from coursekit.forbidden import require_allowed


def padding_mask(mask: torch.Tensor) -> torch.Tensor:
    """Return a mask of the positions that may be attended to in padded texts.

    Parameters
    ----------
    mask : torch.Tensor
        (B, L), True at real tokens.

    Returns
    -------
    torch.Tensor
        bool, (B, 1, L).
    """
    require_allowed("coursekit.given.padding_mask")
    return mask.to(torch.bool)[:, None]


def causal_mask(length: int) -> torch.Tensor:
    """Return a mask of the positions that each position may attend to: itself and earlier ones.

    Parameters
    ----------
    length : int
        L, 1 or more.

    Returns
    -------
    torch.Tensor
        bool, (L, L).
    """
    require_allowed("coursekit.given.causal_mask")
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


def scaled_dot_product_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute attention with PyTorch (Vaswani et al. 2017), and its weights.

    Parameters
    ----------
    Q, K, V : torch.Tensor
        (..., L_q, d_k), (..., L_k, d_k) and (..., L_k, d_v).
    mask : torch.Tensor or None
        bool, broadcast to (..., L_q, L_k): True where a query may attend. None: everywhere.

    Returns
    -------
    output : torch.Tensor
        (..., L_q, d_v)
    weights : torch.Tensor
        (..., L_q, L_k), 0 where the mask is False.
    """
    require_allowed("coursekit.given.scaled_dot_product_attention")
    L = K.shape[-2]
    picks = torch.eye(L, dtype=V.dtype).expand(*K.shape[:-2], L, L)  # the value of key i picks i
    if mask is None:
        weights = F.scaled_dot_product_attention(Q, K, picks)
    else:
        empty = ~mask.any(dim=-1, keepdim=True)
        weights = F.scaled_dot_product_attention(Q, K, picks, mask | empty).masked_fill(empty, 0.0)
    return weights @ V, weights


class PositionwiseFeedForward(nn.Sequential):
    """Network with one hidden layer and a relu, applied to each token (Vaswani et al. 2017).

    Parameters
    ----------
    d_model, d_ff : int
        The dimensions of a token and of the hidden layer.
    activation : str
        Must be "relu".

    Raises
    ------
    ValueError
        Another activation.
    """

    def __init__(self, d_model: int, d_ff: int, activation: str = "relu") -> None:
        require_allowed("coursekit.given.PositionwiseFeedForward")
        if activation != "relu":
            raise ValueError('the given network has a relu: leave activation at "relu"')
        super().__init__()
        self.add_module("W_1", nn.Linear(d_model, d_ff))
        self.add_module("relu", nn.ReLU())
        self.add_module("W_2", nn.Linear(d_ff, d_model))


def sinusoidal_positional_encoding(length: int, d_model: int) -> torch.Tensor:
    """Return the sinusoidal positional encodings of Vaswani et al. (2017).

    Parameters
    ----------
    length : int
        The number of positions.
    d_model : int
        Their dimensions.

    Returns
    -------
    torch.Tensor
        float32, (length, d_model).
    """
    require_allowed("coursekit.given.sinusoidal_positional_encoding")
    speed = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = torch.outer(torch.arange(float(length)), speed)
    hands = torch.view_as_real(torch.polar(torch.ones_like(angle), angle))  # cosine, sine
    return hands.flip(-1).flatten(1)[:, :d_model]
