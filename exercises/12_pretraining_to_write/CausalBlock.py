"""CausalBlock: with and without a past, with masks of both shapes, in training and out of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, VALUE_ERROR, normal, number
from .common import block_state

POINTS = {"values": 2, "past": 2, "masks": 1, "training": 1, "edges": 1}
#: A hook that detaches the past, which was computed before: nothing is asked of its gradients.
FROZEN_PAST = {
    "_forward_pre_hooks": codec.Source(
        "{0: lambda module, inputs: (*inputs[:2], *(tuple(part.detach() for part in past)"
        " for past in inputs[2:]))}"
    )
}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, sizes: list[int], *inputs: Any, dropout: float = 0.0, **more: Any) -> Case:
        state = block_state(rng, sizes[0]) | more.pop("hooks", {})
        if more.get("gradient") == "all":  # those of the weights show what the biases learn, too
            state |= {f"{path}.requires_grad": False for path in state if path.endswith("bias")}
            state |= FROZEN_PAST
        then = [("__call__", *inputs), *more.pop("later", [])]
        return Case(group, [*sizes, dropout], state=state, then=then, **more)

    def past(batch: int, heads: int, n: int, d_k: int) -> tuple[torch.Tensor, torch.Tensor]:
        return normal(rng, batch, heads, n, d_k), normal(rng, batch, heads, n, d_k)

    n = number(rng, 3, 5)
    yield case(
        "values", [4, 2], normal(rng, 2, n, 4), title="each token sees itself and earlier ones"
    )
    yield case("values", [6, 3], normal(rng, 1, n + 1, 6), title="three heads")
    yield case("values", [3, 1], 2 * normal(rng, 2, n, 3), title="one head")

    X, before = normal(rng, 2, 1, 4), past(2, 2, n, 2)
    yield case("past", [4, 2], X, None, before, title="one new token after others")
    X, before = normal(rng, 1, 3, 4), past(1, 2, 2, 2)
    yield case("past", [4, 2], X, None, before, title="three new tokens after two")
    X, before = normal(rng, 2, 2, 6), past(2, 3, 1, 2)
    yield case("past", [6, 3], X, None, before, title="two new tokens after one")
    X, before, title = normal(rng, 1, 2, 4), past(1, 2, 2, 2), "what training changes, with a past"
    yield case("past", [4, 2], X, None, before, title=title, gradient="all")

    mask = torch.from_numpy(rng.random((n, n)) < 0.5) | torch.eye(n, dtype=torch.bool)
    mask[0, n - 1] = True  # a later token
    X, later = normal(rng, 2, n, 4), [("__call__", normal(rng, 2, n, 4))]
    title = "one mask for the whole batch, then none"
    yield case("masks", [4, 2], X, mask, later=later, title=title)
    mask = torch.from_numpy(rng.random((2, 3, 3)) < 0.4) | torch.eye(3, dtype=torch.bool)
    mask[0, 0, 2], mask[1, 2, 0], mask[0, 2, 0] = True, False, True
    yield case("masks", [4, 2], normal(rng, 2, 3, 4), mask, title="a mask for each text")
    mask = torch.from_numpy(rng.random((2, 2, 4)) < 0.5)
    mask[:, :, 0] = mask[:, 0, 3] = True
    mask[:, 1, 1] = False
    X, before = normal(rng, 2, 2, 4), past(2, 2, 2, 2)
    yield case("masks", [4, 2], X, mask, before, title="a mask and a past")

    title = "what training changes"
    yield case("training", [4, 2], normal(rng, 1, 3, 4), title=title, gradient="all")
    X = normal(rng, 2, n, 4)
    title = "no dropout in evaluation"
    yield case("training", [4, 2], X, dropout=0.5, hooks=TO_EVAL, title=title)
    yield case("training", [4, 1], X, dropout=1.0, title="everything new is dropped in training")
    yield Case("training", [4, 2], title="the default dropout", then=[(".dropout.p",)])

    yield case("edges", [4, 2], normal(rng, 1, 1, 4), title="a single token")
    yield case("edges", [4, 2], normal(rng, 2, 4, n).mT, title="a tensor that is not contiguous")
    d = 3 * number(rng, 1, 3) + 1
    yield Case("edges", [d, 3], title="three heads cannot share that", judge=VALUE_ERROR)


WRONG = {
    "post_norm": """
        The normalization comes after the sublayer. In pre-norm, norm_1 normalizes what goes into the
        attention, and the sum is not normalized.

        - Y = self.norm_1(X)
        + Y = X
        ...
        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        - return X + self.dropout(new), K, V
        + X = self.norm_1(X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2))))
        + new = self.W_2(F.gelu(self.W_1(X), approximate="tanh"))
        + return self.norm_2(X + self.dropout(new)), K, V
        """,
    "sees_the_future": """
        Without a mask every token attends to all others, later ones included. None means causal.

        - if mask is None:
        -     T, L = Q.shape[2], K.shape[2]
        -     mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + if mask is None:
        +     T, L = Q.shape[2], K.shape[2]
        +     mask = torch.ones(T, L, dtype=torch.bool, device=X.device)
        """,
    "diagonal_at_the_start": """
        With a past, the new tokens see too little: the first new token may attend to all P tokens
        of the past and to itself. Move the diagonal P columns to the right.

        - mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril()
        """,
    "forgets_the_past": """
        The past is not used. Its keys and values come in front of the new ones.

        - K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        + pass
        """,
    "past_behind": """
        The past stands behind the new keys and values. It was read before: put it in front.

        - K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        + K, V = torch.cat([K, past[0]], dim=2), torch.cat([V, past[1]], dim=2)
        """,
    "returns_only_the_new": """
        The returned keys and values are those of the new tokens alone, so the next call will have
        forgotten what came before. Return those of the past as well.

        - return X + self.dropout(new), K, V
        + return X + self.dropout(new), K[:, :, -X.shape[1] :], V[:, :, -X.shape[1] :]
        """,
    "ignores_the_mask": """
        The mask that is given is not used.

        - if mask is None:
        -     T, L = Q.shape[2], K.shape[2]
        -     mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + T, L = Q.shape[2], K.shape[2]
        + mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        """,
    "mask_and_causal": """
        A mask that is given decides alone. Here the causal rule still applies, so that no token can
        attend to a later one, as the masks of section 6 want.

        - if mask is None:
        -     T, L = Q.shape[2], K.shape[2]
        -     mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + T, L = Q.shape[2], K.shape[2]
        + causal = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + mask = causal if mask is None else mask & causal
        """,
    "mask_without_heads": """
        A mask of (B, T, P + T) has no axis for the heads, so each head gets the mask of another text.
        Insert an axis before its last two.

        - found = F.scaled_dot_product_attention(Q, K, V, mask.unsqueeze(-3))
        + found = F.scaled_dot_product_attention(Q, K, V, mask)
        """,
    "exact_gelu": """
        This is the exact GELU. GPT-2 has the approximation: `approximate="tanh"`.

        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + new = self.W_2(F.gelu(self.W_1(self.norm_2(X))))
        """,
    "relu": """
        The activation is a ReLU. GPT-2 has the GELU, approximated by tanh.

        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + new = self.W_2(F.relu(self.W_1(self.norm_2(X))))
        """,
    "one_norm_for_both": """
        Both sublayers use the same normalization. The second one has its own, norm_2.

        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + new = self.W_2(F.gelu(self.W_1(self.norm_1(X)), approximate="tanh"))
        """,
    "residual_from_the_normalized": """
        The update is added to the normalized vectors. It belongs on the vectors as they came in.

        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        + X = Y + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        """,
    "residuals_from_the_normalized": """
        Both updates are added to the normalized vectors, so nothing goes through the block as it came.
        Normalize what a sublayer reads, and add its update to the vectors before the normalization.

        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + X = self.norm_2(Y + self.dropout(self.W_O(found.transpose(1, 2).flatten(2))))
        + new = self.W_2(F.gelu(self.W_1(X), approximate="tanh"))
        """,
    "second_residual_from_the_normalized": """
        The update of the feed-forward network is added to what norm_2 returns. It belongs on the vectors
        before that normalization.

        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + X = self.norm_2(X)
        + new = self.W_2(F.gelu(self.W_1(X), approximate="tanh"))
        """,
    "network_beside_the_attention": """
        The feed-forward network reads what the attention reads. It comes after it and reads the sum.

        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        + X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        """,
    "without_W_O": """
        The heads are concatenated, but W_O is missing.

        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        + X = X + self.dropout(found.transpose(1, 2).flatten(2))
        """,
    "heads_not_transposed_back": """
        Tokens and heads are mixed up when the heads are put together. Move the axis of the heads
        behind that of the tokens first.

        - X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
        + X = X + self.dropout(self.W_O(found.reshape(X.shape)))
        """,
    "reshapes_into_heads": """
        Reshaping (B, T, d_model) straight to (B, H, T, d_k) mixes tokens and heads. Split the last
        axis first, then transpose.

        - W(Y).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        + W(Y).reshape(len(Y), self.n_heads, Y.shape[1], -1)
        """,
    "no_dropout_on_the_network": """
        The dropout acts on the attention only. It belongs on the output of both sublayers.

        - return X + self.dropout(new), K, V
        + return X + new, K, V
        """,
    "any_number_of_heads": """
        A number of heads that does not divide d_model should raise a ValueError when the block is
        made.

        -     if d_model % n_heads:
        -         raise ValueError(f"{n_heads} heads cannot share {d_model} dimensions equally")
        """,
    "dropout_on_the_hidden_layer": """
        The second dropout acts inside the feed-forward network. It acts on the network's output,
        before that is added.

        - new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
        - return X + self.dropout(new), K, V
        + new = self.W_2(self.dropout(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh")))
        + return X + new, K, V
        """,
}

FURTHER = """
In this order: norm_1 of X; W_Q, W_K and W_V of that, split into heads; the past in front of keys and
values; the mask, torch.ones(T, L).tril(L - T) as booleans if there is none; attention; heads together,
W_O, dropout, plus X. Then norm_2 of the sum, W_1, GELU, W_2, dropout, plus the sum.
"""

RIGHT = {
    "attends_step_by_step": """
        - found = F.scaled_dot_product_attention(Q, K, V, mask.unsqueeze(-3))
        + scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        + scores = scores.masked_fill(~mask.unsqueeze(-3), -math.inf)
        + found = scores.softmax(dim=-1) @ V
        """,
    "positions_compared": """
        - if mask is None:
        -     T, L = Q.shape[2], K.shape[2]
        -     mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + if mask is None:
        +     P = 0 if past is None else past[0].shape[2]
        +     row = P + torch.arange(X.shape[1])[:, None]
        +     mask = torch.arange(P + X.shape[1]) <= row
        """,
    "functions_for_parts": """
        class CausalBlock(nn.Module):
            def __init__(self, d_model, n_heads, dropout=0.1):
                super().__init__()
                if d_model % n_heads != 0:
                    raise ValueError("heads")
                self.H = n_heads
                for name in ("W_Q", "W_K", "W_V", "W_O"):
                    setattr(self, name, nn.Linear(d_model, d_model))
                self.W_1 = nn.Linear(d_model, d_model * 4)
                self.W_2 = nn.Linear(d_model * 4, d_model)
                self.norm_1 = nn.LayerNorm(d_model)
                self.norm_2 = nn.LayerNorm(d_model)
                self.dropout = nn.Dropout(dropout)

            def heads(self, X):
                B, T, d = X.shape
                return X.reshape(B, T, self.H, d // self.H).permute(0, 2, 1, 3)

            def network(self, X):
                return self.W_2(nn.GELU(approximate="tanh")(self.W_1(X)))

            def forward(self, X, mask=None, past=None):
                Y = self.norm_1(X)
                q, k, v = self.heads(self.W_Q(Y)), self.heads(self.W_K(Y)), self.heads(self.W_V(Y))
                if past:
                    k = torch.cat((past[0], k), -2)
                    v = torch.cat((past[1], v), -2)
                if mask is None:
                    mask = torch.ones(q.size(2), k.size(2)).tril(k.size(2) - q.size(2)) == 1
                if mask.dim() == 3:
                    mask = mask[:, None]
                z = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                z = z.permute(0, 2, 1, 3).reshape(X.shape)
                X = X + self.dropout(self.W_O(z))
                X = X + self.dropout(self.network(self.norm_2(X)))
                return X, k, v
        """,
}

EQUIVALENT = {
    "the past is a pair of keys and values": """
        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[-1], V], dim=2)
        """,
    "there are as many values as keys, all on one device": """
        -            T, L = Q.shape[2], K.shape[2]
        +            T, L = Q.shape[2], V.shape[2]

        -            mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +            mask = torch.ones(T, L, dtype=torch.bool, device=Q.device).tril(L - T)

        -            mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +            mask = torch.ones(T, L, dtype=torch.bool, device=K.device).tril(L - T)

        -            mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +            mask = torch.ones(T, L, dtype=torch.bool, device=V.device).tril(L - T)

        -            mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +            mask = torch.ones(T, L, dtype=torch.bool, device=Y.device).tril(L - T)
        """,
}
