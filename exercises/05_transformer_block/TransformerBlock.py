"""The post-norm block; a dropout of 1 shows without any chance what is dropped, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, TO_EVAL, TO_HALF, causal, lengths_mask, normal
from .common import block_state, draw_sizes

POINTS = {"values": 2, "masking": 1, "dropout": 1, "options": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        *inputs: torch.Tensor,
        n_heads: int = 2,
        options: dict[str, Any] | None = None,
        hooks: dict[str, Any] | None = None,
        later: list[tuple[Any, ...]] | None = None,
        **more: Any,
    ) -> Case:
        d_model = inputs[0].shape[-1]
        d_ff = d_model + int(rng.integers(1, 3))
        state = block_state(rng, d_model, d_ff) | (hooks or {})
        kwargs = {"dropout": 0.0} if options is None else options
        then = [("__call__", *inputs), *(later or [])]
        return Case(group, [d_model, n_heads, d_ff], kwargs, state=state, then=then, **more)

    (length,) = draw_sizes(rng, (3, 4))
    yield case("values", normal(rng, 1, length, 4))
    X, order = normal(rng, 1, 4, 4), rng.permutation(4)
    title = "the same tokens in another order: each has the same vector as before"
    yield case("values", X, later=[("__call__", X[:, order])], title=title)
    yield case("values", normal(rng, 2, 2, 6), n_heads=3, title="three heads")
    title = "what training changes"
    X = normal(rng, 1, 3, 4)
    yield case("values", X, title=title, gradient="all")
    padded = lengths_mask([int(rng.integers(1, 3)), 3])[:, None, :]
    yield case("masking", normal(rng, 2, 3, 4), padded, title="padding")
    yield case("masking", normal(rng, 1, length, 4), causal(length), title="a causal mask")
    empty = lengths_mask([0, int(rng.integers(1, 3))], 2)[:, None, :]
    yield case("masking", normal(rng, 2, 2, 4), empty, title="a text without tokens")
    X, always = normal(rng, 1, 2, 4), {"dropout": 1.0}
    title = "dropout 1 in training: only the residual connections are left"
    yield case("dropout", X, options=always, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    rate = [(".dropout.p",)]
    yield case("dropout", X, options=always, hooks=TO_EVAL, later=rate, title=title)
    gelu = {"dropout": 0.0, "activation": "gelu", "eps": 1e-12}
    yield case("options", normal(rng, 1, 3, 4), options=gelu, title="as in BERT")
    eps = {"dropout": 0.0, "eps": float(rng.uniform(0.2, 0.5))}
    yield case("options", normal(rng, 1, 3, 4), options=eps, title="a large eps")
    silent = {"attention.W_O.weight": torch.zeros(4, 4), "attention.W_O.bias": torch.zeros(4)}
    title = "the default eps, on small numbers"
    yield case("options", normal(rng, 1, 3, 4) / 128, hooks=silent, title=title)
    X, title = normal(rng, 2, 4, 2), "the default dropout, in evaluation"
    random = ("drops_in_evaluation",)  # versions of torch draw other numbers
    options: dict[str, Any] = {"options": {}, "undefined": random}
    yield case("options", X.mT, hooks=TO_EVAL, later=rate, title=title, **options)
    yield case("options", X.mT, title="a tensor that is not contiguous")
    half = normal(rng, 1, 2, 4).half()
    yield case("options", half, hooks=TO_HALF, title="half precision", judge=HALF)


WRONG = {
    "normalizes_first": """
        This is a pre-norm block, which normalizes before attention and network (as GPT-2 does).
        Here each sum is normalized, after adding.

        - found, _ = self.attention(X, mask)
        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + found, _ = self.attention(self.norm_1(X), mask)
        + Z = X + self.dropout(found)
        + return Z + self.dropout(self.feed_forward(self.norm_2(Z)))
        """,
    "normalizes_before_adding": """
        The outputs of attention and network are normalized and then added. Add first: it is the
        sum that is normalized.

        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + Z = X + self.norm_1(self.dropout(found))
        + return Z + self.norm_2(self.dropout(self.feed_forward(Z)))
        """,
    "adds_output_and_weights": """
        MultiHeadAttention returns two things, the output and the weights. Use only the first.

        raises TypeError

        - found, _ = self.attention(X, mask)
        + found = self.attention(X, mask)
        """,
    "attention_without_residual": """
        The output of the attention replaces the input. Add it to the input: the first residual
        connection is missing.

        - Z = self.norm_1(X + self.dropout(found))
        + Z = self.norm_1(self.dropout(found))
        """,
    "network_without_residual": """
        The output of the network replaces its input. Add it: the second residual connection is
        missing.

        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + return self.norm_2(self.dropout(self.feed_forward(Z)))
        """,
    "second_residual_adds_input": """
        The second residual connection adds X, the input of the block. Add what went into the
        network: the output of the first normalization.

        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + return self.norm_2(X + self.dropout(self.feed_forward(Z)))
        """,
    "one_norm_for_both": """
        Both sums go through the same normalization. Each has its own gamma and beta: norm_1
        after the attention, norm_2 after the network.

        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + return self.norm_1(Z + self.dropout(self.feed_forward(Z)))
        """,
    "block_ignores_mask": """
        The mask is ignored: pass it on to the attention, which must not see padding or the future.

        - found, _ = self.attention(X, mask)
        + found, _ = self.attention(X)
        """,
    "drops_the_sum": """
        Dropout acts on the sums, so it drops the residual connections too. Apply it to the
        outputs of attention and network, before they are added.

        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + Z = self.norm_1(self.dropout(X + found))
        + return self.norm_2(self.dropout(Z + self.feed_forward(Z)))
        """,
    "without_dropout": """
        Nothing is dropped in training: `dropout` is ignored.

        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + Z = self.norm_1(X + found)
        + return self.norm_2(Z + self.feed_forward(Z))
        """,
    "drops_only_attention": """
        Dropout acts on the output of the attention only. Apply it to the output of the
        feed-forward network as well, before it is added.

        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + return self.norm_2(Z + self.feed_forward(Z))
        """,
    "drops_in_evaluation": """
        Dropout stays on in evaluation. eval() switches off every nn.Dropout that the module
        registers as an attribute; F.dropout does not know about it.

        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + Z = self.norm_1(X + F.dropout(found, self.dropout.p))
        + return self.norm_2(Z + F.dropout(self.feed_forward(Z), self.dropout.p))
        """,
    "ignores_activation": """
        `activation` does not reach the network, which always uses the ReLU. BERT needs the GELU.

        - self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
        + self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        """,
    "ignores_eps": """
        `eps` does not reach the normalizations. Pass it to both as an argument.

        - self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        + self.norm_1 = nn.LayerNorm(d_model)
        ...
        - self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        + self.norm_2 = nn.LayerNorm(d_model)
        """,
    "drops_after_normalizing": """
        Dropout acts on the normalized sums. Apply it to the outputs of attention and network, before
        they are added.

        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + Z = self.dropout(self.norm_1(X + found))
        + return self.dropout(self.norm_2(Z + self.feed_forward(Z)))
        """,
    "eps_for_first_norm_only": """
        `eps` reaches the first normalization only; the second uses its default. Pass it to both.

        - self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        + self.norm_2 = nn.LayerNorm(d_model)
        """,
}

FURTHER = """
Each half has the same form: `norm(input + dropout(sublayer(input)))`. In the first half the
sublayer is the attention, which returns two things; the input of the second half is the output
of the first. `norm_1` and `norm_2` are two separate modules, both with `eps=eps`.
"""

RIGHT = {
    "block_by_parts": """
        - found, _ = self.attention(X, mask)
        - Z = self.norm_1(X + self.dropout(found))
        - return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
        + parts = (lambda x: self.attention(x, mask)[0], self.norm_1), (self.feed_forward, self.norm_2)
        + for part, norm in parts:
        +     X = norm(self.dropout(part(X)) + X)
        + return X
        """,
    "block_functional": """
        class TransformerBlock(nn.Module):
            def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
                super().__init__()
                self.eps, self.dropout = eps, nn.Dropout(dropout)
                self.attention = MultiHeadAttention(d_model, n_heads)
                self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
                self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

            def forward(self, X, mask=None):
                def add_and_norm(x, new, norm):
                    x = x + F.dropout(new, self.dropout.p, self.training)
                    return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, self.eps)

                Z = add_and_norm(X, self.attention(X, mask)[0], self.norm_1)
                return add_and_norm(Z, self.feed_forward(Z), self.norm_2)
        """,
}
