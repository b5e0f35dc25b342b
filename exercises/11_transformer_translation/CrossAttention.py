"""CrossAttention: source and target of different lengths, masks of three shapes, each method alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import attention_state, causal, lengths_mask, normal, number
from .common import frozen_but

POINTS = {"values": 2, "masking": 1, "methods": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        sizes: list[int],
        *inputs: Any,
        method: str = "__call__",
        more_calls: tuple[tuple, ...] = (),
        **more: Any,
    ) -> Case:
        state = attention_state(rng, sizes[0])
        if "gradient" in more:  # those of the weights show what the biases learn, too
            state |= frozen_but(state, "weight")
        return Case(group, sizes, state=state, then=[(method, *inputs), *more_calls], **more)

    n = number(rng, 3, 4)
    yield case("values", [4, 2], normal(rng, 1, n, 4), normal(rng, 1, n + 2, 4))
    title = "the target is longer"
    yield case("values", [6, 3], normal(rng, 2, n + 1, 6), normal(rng, 2, 2, 6), title=title)
    title = "one head, equal lengths"
    yield case("values", [3, 1], normal(rng, 2, n, 3), normal(rng, 2, n, 3), title=title)
    X, M = normal(rng, 2, 2, 4), normal(rng, 2, n, 4)
    yield case("values", [4, 2], X, M, title="what training changes", gradient="all")

    padded = lengths_mask([number(rng, 1, 2), n])[:, None]
    X, M = normal(rng, 2, 3, 4), normal(rng, 2, n, 4)
    other, title = ("__call__", X, M, padded.flip(0)), "padding in the source, two masks"
    yield case("masking", [4, 2], X, M, padded, more_calls=(other,), title=title)
    X = normal(rng, 1, n, 4)
    yield case("masking", [4, 2], X, X, causal(n), title="self-attention with a causal mask")
    X, M = normal(rng, 2, 2, 4), normal(rng, 2, 3, 4)
    mask = torch.from_numpy(rng.random((2, 2, 3)) < 0.5)
    mask[:, 0, 0] = mask[:, 1, 2] = True
    yield case("masking", [4, 2], X, M, mask, title="a mask for each token of each sentence")

    title = "keys and values"
    yield case("methods", [6, 2], normal(rng, 2, n, 6), method="keys_values", title=title)
    X, K, V = normal(rng, 2, n, 4), normal(rng, 2, 2, 3, 2), normal(rng, 2, 2, 3, 2)
    title = "attend to given keys and values"
    yield case("methods", [4, 2], X, K, V, method="attend", title=title)
    K, V = normal(rng, 2, 2, 4, 2), normal(rng, 2, 2, 4, 2)
    mask, title = lengths_mask([2, 4])[:, None], "attend, with a mask"
    yield case("methods", [4, 2], X, K, V, mask, method="attend", title=title)

    X, M = normal(rng, 1, 1, 4), normal(rng, 1, 1, 4)
    yield case("edges", [4, 2], X, M, title="one token each")
    X, M = normal(rng, 2, 4, n).mT, normal(rng, 2, 4, n + 1).mT
    yield case("edges", [4, 2], X, M, title="tensors that are not contiguous")
    X, M = normal(rng, 2, n, 4), normal(rng, 2, 3, 4)
    title = "a source without a real token: weights of 0"
    yield case("edges", [4, 2], X, M, lengths_mask([0, 3])[:, None], title=title)


WRONG = {
    "queries_from_the_source": """
        Queries and keys are exchanged: the source asks the target. It is the target's tokens X that
        ask; keys and values come from M.

        - return self.attend(X, *self.keys_values(M), mask)
        + return self.attend(M, *self.keys_values(X), mask)
        """,
    "attends_to_itself": """
        M is ignored: X attends to itself. Keys and values come from M.

        - return self.attend(X, *self.keys_values(M), mask)
        + return self.attend(X, *self.keys_values(X), mask)
        """,
    "values_from_the_target": """
        The values come from X. The keys say where to look and the values what is found there: both
        come from M.

        - return self.attend(X, *self.keys_values(M), mask)
        + return self.attend(X, self.keys_values(M)[0], self.keys_values(X)[1], mask)
        """,
    "keys_and_values_swapped": """
        keys_values returns the values first. Keys, made by W_K, come first.

        - return self._split(self.W_K(M)), self._split(self.W_V(M))
        + return self._split(self.W_V(M)), self._split(self.W_K(M))
        """,
    "ignores_the_mask": """
        The mask is ignored, so padding gets attention. Pass it on.

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V)
        """,
    "forward_ignores_the_mask": """
        `attend` uses its mask, but forward does not pass it on.

        - return self.attend(X, *self.keys_values(M), mask)
        + return self.attend(X, *self.keys_values(M))
        """,
    "mask_without_heads": """
        The mask has no axis for the heads, so it meets the wrong axes, or none. Insert one before
        its last two axes.

        - mask = mask.unsqueeze(-3)
        + mask = mask.unsqueeze(0)
        """,
    "reshapes_into_heads": """
        Reshaping (B, L, d_model) straight to (B, H, L, d_k) gives the right shape, but mixes tokens
        and heads. First split the last axis, then transpose.

        - return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        + return X.reshape(len(X), self.n_heads, X.shape[1], -1)
        """,
    "alternating_heads": """
        The heads take turns: head 0 gets every n_heads-th number. The first d_k numbers belong to
        the first head, the next d_k to the second: split the last axis into (n_heads, d_k).

        - return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        + return X.unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
        ...
        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.permute(0, 2, 3, 1).flatten(2)), weights
        """,
    "heads_not_transposed_back": """
        Heads and tokens are mixed up when the heads are concatenated. Move the axis of the heads
        back behind that of the tokens first.

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.reshape(X.shape)), weights
        """,
    "without_W_O": """
        The heads are concatenated, but W_O is missing.

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return heads.transpose(1, 2).flatten(2), weights
        """,
    "averages_the_heads": """
        The weights are averaged over the heads, as PyTorch's own layer does. Return those of each
        head, (B, n_heads, T, L).

        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + return self.W_O(heads.transpose(1, 2).flatten(2)), weights.mean(dim=1)
        """,
    "mask_needs_a_batch": """
        The axis for the heads is inserted at the second position, which suits a mask of (B, T, L)
        but not one of (T, L). Count from the end: `unsqueeze(-3)` suits both.

        raises RuntimeError

        - mask = mask.unsqueeze(-3)
        + mask = mask.unsqueeze(1)
        """,
    "uniform_where_all_is_masked": """
        A token that may attend to nothing spreads its attention evenly over padding: that is what
        softmax makes of equal scores. Set the weights to 0 where the mask is False, after the softmax
        (in scaled_dot_product_attention, if your attention uses it).

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + Q = self._split(self.W_Q(X))
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        + if mask is not None:
        +     scores = scores.masked_fill(~mask, -1e9)
        + weights = torch.softmax(scores, dim=-1)
        + heads = weights @ V
        """,
    "nan_where_all_is_masked": """
        A token that may attend to nothing gets NaN: if all its scores are minus infinity, softmax
        divides 0 by 0. Its weights are 0, and you have to see to that yourself (in
        scaled_dot_product_attention, if your attention uses it).

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + Q = self._split(self.W_Q(X))
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        + if mask is not None:
        +     scores = scores.masked_fill(~mask, -math.inf)
        + weights = torch.softmax(scores, dim=-1)
        + heads = weights @ V
        """,
    "divides_by_the_root_of_d_model": """
        The scores are divided by the square root of d_model. Each head has only d_k = d_model /
        n_heads dimensions: divide by the square root of d_k.

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + Q = self._split(self.W_Q(X)) / math.sqrt(self.n_heads)
        + heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        """,
    "unscaled": """
        The scores are not divided by the square root of d_k.

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + Q = self._split(self.W_Q(X))
        + heads, weights = scaled_dot_product_attention(Q * math.sqrt(Q.shape[-1]), K, V, mask)
        """,
    "softmax_over_the_target": """
        The softmax runs over the target tokens, so the weights of each source token sum to 1. Each
        row of the scores belongs to a target token, and its weights sum to 1: softmax over the last
        axis.

        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        + Q = self._split(self.W_Q(X))
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        + if mask is not None:
        +     scores = scores.masked_fill(~mask, -1e9)
        + weights = torch.softmax(scores, dim=-2)
        + heads = weights @ V
        """,
    "true_is_forbidden": """
        The mask is the wrong way round: True means that a token may attend.

        - mask = mask.unsqueeze(-3)
        + mask = ~mask.unsqueeze(-3)
        """,
}

FURTHER = """
Your MultiHeadAttention of assignment 05 has all lines. keys_values: W_K and W_V applied to M, each split
into heads. attend: W_Q applied to X, split, scaled_dot_product_attention with the mask as (B, 1, T, L),
heads concatenated, W_O. forward: one call of each.
"""

RIGHT = {
    "view_and_permute": """
        - return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        + B, L, d = X.shape
        + return X.reshape(B, L, self.n_heads, d // self.n_heads).permute(0, 2, 1, 3)
        """,
    "einsum": """
        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + Q = self._split(self.W_Q(X))
        + scores = torch.einsum("bhtd,bhld->bhtl", Q, K) / math.sqrt(K.shape[-1])
        + if mask is not None:
        +     scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        + weights = scores.softmax(dim=-1)
        + if mask is not None:
        +     weights = weights * mask
        + heads = torch.einsum("bhtl,bhld->bthd", weights, V)
        + return self.W_O(heads.flatten(start_dim=2)), weights
        """,
    "head_by_head": """
        - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
        - return self.W_O(heads.transpose(1, 2).flatten(2)), weights
        + outputs, weights = [], []
        + queries = self.W_Q(X).chunk(self.n_heads, dim=-1)
        + for h in range(self.n_heads):
        +     own = None if mask is None else mask.squeeze(-3)
        +     z, a = scaled_dot_product_attention(queries[h], K[:, h], V[:, h], own)
        +     outputs.append(z)
        +     weights.append(a)
        + return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)
        """,
}
