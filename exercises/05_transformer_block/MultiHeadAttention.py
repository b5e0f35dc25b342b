"""Several heads; d_k and d_v differ, masks come as (B, 1, L), (L, L) and (B, L, L)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, TO_HALF, attention_state, causal, lengths_mask, normal
from .common import draw_sizes

POINTS = {"values": 2, "widths": 1, "masking": 1, "safety": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        sizes: list[int],
        *inputs: torch.Tensor,
        widths: dict[str, int] | None = None,
        hooks: dict | None = None,
        **more: Any,
    ) -> Case:
        d_model, n_heads = sizes
        kwargs = widths or {}
        d_k, d_v = (kwargs.get(name, d_model // n_heads) for name in ("d_k", "d_v"))
        state = attention_state(rng, d_model, n_heads * d_k, n_heads * d_v) | (hooks or {})
        then = [("__call__", *inputs)]
        return Case(group, sizes, kwargs, state=state, then=then, **more)

    (length,) = draw_sizes(rng, (3, 4))
    yield case("values", [4, 1], normal(rng, 2, length, 4), title="one head")
    yield case("values", [4, 2], normal(rng, 2, 3, 4), title="two heads")
    yield case("values", [6, 3], normal(rng, 1, length, 6), title="three heads, a batch of one")
    few, many = draw_sizes(rng, (2, 3), (4, 5))
    X, widths = normal(rng, 2, 3, 4), {"d_k": few, "d_v": many}
    yield case("widths", [4, 2], X, widths=widths, title="values longer than keys")
    X, widths = normal(rng, 1, length, 3), {"d_k": many, "d_v": 2}
    yield case("widths", [3, 2], X, widths=widths, title="keys longer than values")
    X, widths = normal(rng, 1, 3, 6), {"d_v": many}
    yield case("widths", [6, 2], X, widths=widths, title="only the values' length is given")
    X, widths = normal(rng, 1, 3, 6), {"d_k": many}
    yield case("widths", [6, 2], X, widths=widths, title="only the keys' length is given")
    padded = lengths_mask([int(rng.integers(1, 3)), 3])[:, None, :]
    yield case("masking", [4, 2], normal(rng, 2, 3, 4), padded, title="padding")
    yield case("masking", [4, 2], normal(rng, 2, length, 4), causal(length), title="a causal mask")
    title = "a mask for each text"
    yield case("masking", [4, 2], normal(rng, 2, 3, 4), padded & causal(3), title=title)
    title = "what training changes"
    yield case("values", [4, 2], normal(rng, 1, 3, 4), title=title, gradient="all")
    yield case("safety", [4, 2], normal(rng, 1, 1, 4), title="a text of one token")
    yield case("safety", [4, 2], normal(rng, 2, 4, 3).mT, title="a tensor that is not contiguous")
    empty = lengths_mask([0, 2])[:, None, :]
    yield case("safety", [4, 2], normal(rng, 2, 2, 4), empty, title="a text without tokens")
    X = normal(rng, 1, 3, 4).half()
    yield case("safety", [4, 2], X, hooks=TO_HALF, title="half precision", judge=HALF)


WRONG = {
    "reshapes_tokens_into_heads": """
        Reshaping (B, L, H * d_k) straight to (B, H, L, d_k) gives the right shape, but mixes
        tokens and heads. First split the last axis, then transpose.

        - layer(X).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, H, L, d)
        + layer(X).reshape(len(X), self.n_heads, X.shape[1], -1)
        """,
    "interleaves_heads": """
        The last axis is split into (d_k, H), so each head gets every H-th number. The first d_k
        numbers together belong to the first head: split it into (H, d_k).

        - layer(X).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, H, L, d)
        + layer(X).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
        """,
    "concatenates_heads_too_early": """
        The heads are concatenated without moving their axis back, so the outputs of different
        tokens get mixed. Go from (B, H, L, d_v) to (B, L, H, d_v) before you reshape.

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.reshape(*X.shape[:2], -1)), weights
        """,
    "heads_ignore_mask": """
        The mask is ignored: tokens still attend to masked positions. Pass it on to the
        attention, with an axis for the heads.

        - heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (B, H, L, d_v)
        + heads, weights = scaled_dot_product_attention(Q, K, V)
        """,
    "mask_without_head_axis": """
        The mask lacks the axis for the heads, or has it in the wrong position, so broadcasting
        takes its batch axis for theirs: (B, 1, L) has to become (B, 1, 1, L).

        - if mask is not None:
        -     mask = mask.unsqueeze(-3)
        """,
    "head_axis_from_the_front": """
        The axis for the heads is right for the mask of a padded batch, (B, 1, L), but wrong for a
        mask (L, L), which has no batch axis. Count from the end: it is the third axis.

        raises RuntimeError

        - mask = mask.unsqueeze(-3)
        + mask = mask.unsqueeze(1)
        """,
    "ignores_d_v": """
        `d_v` is ignored: the values are as long as the keys. W_V has n_heads * d_v outputs, and
        W_O as many inputs.

        raises ValueError

        - self.W_V = nn.Linear(d_model, n_heads * d_v)
        - self.W_O = nn.Linear(n_heads * d_v, d_model)
        + self.W_V = nn.Linear(d_model, n_heads * d_k)
        + self.W_O = nn.Linear(n_heads * d_k, d_model)
        """,
    "d_v_defaults_to_d_k": """
        When only d_k is given, the values get its length, too. Each has its own default: d_v is
        d_model // n_heads, whatever d_k is.

        raises ValueError

        - d_v = d_model // n_heads if d_v is None else d_v
        + d_v = d_k if d_v is None else d_v
        """,
    "skips_output_layer": """
        The output layer W_O is not applied: the heads are concatenated, but nothing mixes them.

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return heads.transpose(1, 2).flatten(2), weights
        """,
    "swaps_queries_and_keys": """
        Queries and keys are swapped: row i of the weights belongs to the query of token i.

        - heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (B, H, L, d_v)
        + heads, weights = scaled_dot_product_attention(K, Q, V, mask)
        """,
    "views_after_transpose": """
        `view` needs a tensor that is contiguous in memory, and after a transpose it is not. Use
        `reshape` or `flatten`.

        raises RuntimeError

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.transpose(1, 2).view(*X.shape[:2], -1)), weights
        """,
    "averages_weights_over_heads": """
        The weights are averaged over the heads, as nn.MultiheadAttention does by default. Return
        those of every head: the shape is (B, H, L, L).

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.transpose(1, 2).flatten(2)), weights.mean(dim=1)
        """,
}

FURTHER = """
Split in two steps, never in one: first make the last axis two axes, (H, d_k), for example with
`unflatten(-1, (n_heads, -1))`, then `transpose(1, 2)`. After the attention do the reverse, in
reverse order, and print the shape after every step. If a weight has the wrong shape, look at
`__init__`: d_k and d_v have separate defaults.
"""

RIGHT = {
    "loops_over_heads": """
        - Q, K, V = (
        -     layer(X).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, H, L, d)
        -     for layer in (self.W_Q, self.W_K, self.W_V)
        - )
        - if mask is not None:
        -     mask = mask.unsqueeze(-3)
        - heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (B, H, L, d_v)
        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + Q, K, V = (W(X).chunk(self.n_heads, dim=-1) for W in (self.W_Q, self.W_K, self.W_V))
        + found, weights = [], []
        + for queries, keys, values in zip(Q, K, V):
        +     output, attended = scaled_dot_product_attention(queries, keys, values, mask)
        +     found.append(output)
        +     weights.append(attended)
        + return self.W_O(torch.cat(found, dim=-1)), torch.stack(weights, dim=1)
        """,
    "einsum_heads": """
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, n_heads, d_k=None, d_v=None):
                super().__init__()
                d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
                self.n_heads = n_heads
                self.W_Q, self.W_K = (nn.Linear(d_model, n_heads * d_k) for _ in range(2))
                self.W_V = nn.Linear(d_model, n_heads * d_v)
                self.W_O = nn.Linear(n_heads * d_v, d_model)

            def forward(self, X, mask=None):
                B, L, _ = X.shape
                layers = (self.W_Q, self.W_K, self.W_V)
                Q, K, V = (layer(X).reshape(B, L, self.n_heads, -1) for layer in layers)
                scores = torch.einsum("bihd,bjhd->bhij", Q, K) / Q.shape[-1] ** 0.5
                open_ = torch.ones(L, L, dtype=torch.bool) if mask is None else mask
                open_ = open_.expand(B, L, L)[:, None]
                weights = scores.masked_fill(~open_, -3e4).softmax(dim=-1) * open_
                heads = torch.einsum("bhij,bjhd->bihd", weights, V)
                return self.W_O(heads.reshape(B, L, -1)), weights
        """,
}
