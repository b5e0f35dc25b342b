"""A transformer block of BERT for students who did not finish assignment 05 but go on with 06.

Its layers have the names of the course's `TransformerBlock`, so that published weights fit. It is
computed by PyTorch's `multi_head_attention_forward` and does only what BERT needs: the GELU, an
epsilon of 1e-12, and the float mask of `padding_mask`. All else is refused, so nothing here is an
answer to an exercise of assignment 05.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

_EPS = 1e-12
_FINISH = "or finish your own block of assignment 05."


def padding_mask(mask: torch.Tensor) -> torch.Tensor:
    """Return the mask of padded texts for `BertBlock`, to be added to the attention scores.

    Parameters
    ----------
    mask : torch.Tensor
        (B, L), True (or 1) at real tokens.

    Returns
    -------
    torch.Tensor
        float, (B, 1, L), 0 at real tokens and minus infinity at padding.
    """
    return torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf")).unsqueeze(1)


class BertBlock(nn.Module):
    """Transformer block of BERT, post-LN (Devlin et al. 2019).

    Calling it with X, (B, L, d_model), and a mask from `padding_mask` returns (B, L, d_model).

    Parameters
    ----------
    d_model, n_heads, d_ff : int
        The sizes, as in the course's TransformerBlock.
    dropout : float
        The share of numbers that training drops, from 0 to 1.
    activation : str
        Must be "gelu".
    eps : float
        Must be 1e-12.

    Raises
    ------
    ValueError
        Another activation or eps, another kind of mask, or no mask.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: str = "relu",
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        if activation != "gelu" or eps != _EPS:
            raise ValueError(
                f'The given block is BERT\'s: pass activation="gelu" and eps=1e-12, {_FINISH}'
            )
        self.attention = _Attention(d_model, n_heads)
        self.norm_1 = nn.LayerNorm(d_model, eps=_EPS)
        self.feed_forward = nn.Sequential()  # the layers by name, called in this order
        self.feed_forward.add_module("W_1", nn.Linear(d_model, d_ff))
        self.feed_forward.add_module("gelu", nn.GELU())
        self.feed_forward.add_module("W_2", nn.Linear(d_ff, d_model))
        self.norm_2 = nn.LayerNorm(d_model, eps=_EPS)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, X: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Transform X, (B, L, d_model), with a mask, (B, 1, L); return (B, L, d_model)."""
        for layer, norm in ((self.attention, self.norm_1), (self.feed_forward, self.norm_2)):
            new = layer(X, mask)[0] if layer is self.attention else layer(X)
            X = norm(X + self.dropout(new))
        return X


class _Attention(nn.Module):
    """Multi-head attention with separate linear layers for queries, keys and values."""

    W_Q: nn.Linear
    W_K: nn.Linear
    W_V: nn.Linear
    W_O: nn.Linear

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def forward(
        self, X: torch.Tensor, mask: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the output, (B, L, d_model), and the weights of all heads, (B, H, L, L)."""
        if not isinstance(mask, torch.Tensor) or not mask.is_floating_point():
            raise ValueError(
                "The given block takes the mask that padding_mask makes of the attention mask, (B, 1, "
                "L): pass padding_mask(mask), not the attention mask itself or nothing."
            )
        layers = (self.W_Q, self.W_K, self.W_V)
        Y = X.transpose(0, 1)  # torch's function takes (L, B, d_model)
        output, weights = F.multi_head_attention_forward(
            Y,
            Y,
            Y,
            embed_dim_to_check=X.shape[-1],
            num_heads=self.n_heads,
            in_proj_weight=torch.cat([layer.weight for layer in layers]),
            in_proj_bias=torch.cat([layer.bias for layer in layers]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.W_O.weight,
            out_proj_bias=self.W_O.bias,
            key_padding_mask=mask[:, 0],
            average_attn_weights=False,
        )
        assert weights is not None  # torch leaves them out only on request
        # contiguous, so that the dropout draws as it does in the course's TransformerBlock
        return output.transpose(0, 1).contiguous(), weights
