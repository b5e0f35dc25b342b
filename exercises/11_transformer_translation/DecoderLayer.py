"""DecoderLayer: source and target of different lengths, both masks, both orders of normalization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, causal, lengths_mask, normal, number
from .common import frozen_but, layer_state

POINTS = {"values": 2, "masking": 2, "options": 2}

#: Weights whose gradients show that all others learn, too.
_TRAINED = "W_K.weight", "W_1.bias", "norm.weight"


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        *inputs: torch.Tensor | None,
        n_heads: int = 2,
        options: dict[str, Any] | None = None,
        hooks: dict[str, Any] | None = None,
        more_calls: list[tuple] | None = None,
        **more: Any,
    ) -> Case:
        d_model, d_ff = inputs[0].shape[-1], number(rng, 5, 7)
        state = layer_state(rng, d_model, d_ff) | (hooks or {})
        if "gradient" in more:
            state |= frozen_but(state, *_TRAINED)
        kwargs = {"dropout": 0.0} if options is None else options
        then = [("__call__", *inputs), *(more_calls or [])]
        # which numbers an unwanted dropout leaves depends on the version of torch
        drawn = () if hooks else ("ignores_dropout", "ignores_both_options")
        sizes = [d_model, n_heads, d_ff]
        return Case(group, sizes, kwargs, state=state, then=then, undefined=drawn, **more)

    n = number(rng, 3, 4)
    yield case("values", normal(rng, 1, n, 4), normal(rng, 1, n + 1, 4))
    title = "the target is longer"
    yield case("values", normal(rng, 2, n, 6), normal(rng, 2, 2, 6), n_heads=3, title=title)
    yield case("values", normal(rng, 1, 1, 4), normal(rng, 1, 1, 4), title="one token each")

    Y, M = normal(rng, 1, n, 4), normal(rng, 1, n - 1, 4)
    yield case("masking", Y, M, causal(n), title="a causal mask")
    Y, M, mask = normal(rng, 2, n, 4), normal(rng, 2, 3, 4), lengths_mask([1, 3])[:, None]
    yield case("masking", Y, M, None, mask, title="padding in the source")
    Y, M = normal(rng, 2, n, 4), normal(rng, 2, n, 4)
    target = causal(n) & lengths_mask([number(rng, 1, n - 1), n])[:, None]
    mask, title = lengths_mask([n, 1])[:, None], "padding in both, equal lengths, two masks each"
    other = [("__call__", Y, M, target.flip(0), mask.flip(0))]
    yield case("masking", Y, M, target, mask, more_calls=other, title=title)
    Y, M, mask = normal(rng, 2, 2, 4), normal(rng, 2, 3, 4), lengths_mask([1, 3])[:, None]
    title = "what training changes"
    yield case("masking", Y, M, causal(2), mask, title=title, gradient="all")

    Y, M = normal(rng, 2, 2, 4), normal(rng, 2, n, 4)
    pre = {"dropout": 0.0, "norm_first": True}
    yield case("options", Y, M, causal(2), options=pre, title="pre-LN")
    title = "dropout 1 in training: only the residual connections are left"
    yield case("options", normal(rng, 1, n, 4), M[:1], options={"dropout": 1.0}, title=title)
    reads = [(f".add_{i}.dropout.p",) for i in (1, 2, 3)]
    title, Y = "the defaults, in evaluation", normal(rng, 1, n, 4)
    yield case("options", Y, M[:1], options={}, hooks=TO_EVAL, more_calls=reads, title=title)
    both = {"dropout": number(rng, 2, 4) / 8, "norm_first": True}
    title, Y = "both options, in evaluation", normal(rng, 1, n, 4)
    yield case("options", Y, M[:1], options=both, hooks=TO_EVAL, more_calls=reads, title=title)


WRONG = {
    "cross_attention_first": """
        The cross-attention comes before the self-attention. The order is self-attention,
        cross-attention, feed-forward network.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        """,
    "without_cross_attention": """
        The source plays no part: the cross-attention is missing.

        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_2(Y, lambda X: X)
        """,
    "same_attention_twice": """
        The self-attention is used for the source, too. The cross-attention has weights of its own.

        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_2(Y, lambda X: self.self_attention(X, M, source_mask)[0])
        """,
    "ignores_the_target_mask": """
        The self-attention has no mask, so every token sees those that come after it, which it should
        learn to predict.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        + Y = self.add_1(Y, lambda X: self.self_attention(X, X)[0])
        """,
    "ignores_the_source_mask": """
        The cross-attention has no mask, so it attends to padding in the source.

        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_2(Y, lambda X: self.cross_attention(X, M)[0])
        """,
    "swaps_the_masks": """
        The two masks are exchanged. target_mask belongs to the self-attention, source_mask to the
        cross-attention.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_1(Y, lambda X: self.self_attention(X, X, source_mask)[0])
        + Y = self.add_2(Y, lambda X: self.cross_attention(X, M, target_mask)[0])
        """,
    "one_add_and_norm": """
        All three sums go through the same AddAndNorm. Each sublayer has its own.

        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        - return self.add_3(Y, self.feed_forward)
        + Y = self.add_1(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + return self.add_1(Y, self.feed_forward)
        """,
    "keys_without_norm": """
        With pre-LN, keys and values of the self-attention are made from Y before the normalization.
        The function that you pass to AddAndNorm gets the right X: use it three times.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        + before = Y
        + Y = self.add_1(Y, lambda X: self.self_attention(X, before, target_mask)[0])
        """,
    "adds_the_weights": """
        The attention returns a pair, the output and the weights. Pass on only the output.

        raises TypeError

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        + Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask))
        """,
    "ignores_norm_first": """
        `norm_first` does not reach the AddAndNorms.

        - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + self.add_1 = AddAndNorm(d_model, dropout)
        + self.add_2 = AddAndNorm(d_model, dropout)
        + self.add_3 = AddAndNorm(d_model, dropout)
        """,
    "norm_first_not_in_the_third": """
        `norm_first` does not reach add_3, so with pre-LN the sum of the feed-forward network is
        still normalized after it. Pass it on to all three.

        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + self.add_3 = AddAndNorm(d_model, dropout)
        """,
    "ignores_dropout": """
        `dropout` does not reach the AddAndNorms, so they use their default, 0.1. Then even a layer with
        dropout=0.0 drops numbers in training.

        - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + self.add_1 = AddAndNorm(d_model, norm_first=norm_first)
        + self.add_2 = AddAndNorm(d_model, norm_first=norm_first)
        + self.add_3 = AddAndNorm(d_model, norm_first=norm_first)
        """,
    "ignores_both_options": """
        Neither `dropout` nor `norm_first` reaches the AddAndNorms: they use their defaults. Pass both on
        to each of them.

        - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + self.add_1 = AddAndNorm(d_model)
        + self.add_2 = AddAndNorm(d_model)
        + self.add_3 = AddAndNorm(d_model)
        """,
    "never_drops": """
        Nothing is dropped in the AddAndNorms: their dropout is always 0. Pass `dropout` on to each of
        them.

        - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + self.add_1 = AddAndNorm(d_model, 0.0, norm_first)
        + self.add_2 = AddAndNorm(d_model, 0.0, norm_first)
        + self.add_3 = AddAndNorm(d_model, 0.0, norm_first)
        """,
    "add_2_twice": """
        The feed-forward network goes through add_2 again. It has an AddAndNorm of its own, add_3.

        - return self.add_3(Y, self.feed_forward)
        + return self.add_2(Y, self.feed_forward)
        """,
    "uses_gelu": """
        The feed-forward network uses GELU. In this layer its activation is "relu".

        - self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        + self.feed_forward = PositionwiseFeedForward(d_model, d_ff, "gelu")
        """,
    "asks_with_the_first_Y": """
        The queries of the cross-attention are made from the Y that came into the layer. They should
        know what the self-attention has found: the function that you pass to AddAndNorm gets the
        right X.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + first = Y
        + Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        + Y = self.add_2(Y, lambda X: self.cross_attention(first, M, source_mask)[0])
        """,
    "loses_the_self_attention": """
        What the self-attention has found is lost: the second sublayer begins with the layer's input
        again. Give each sublayer the output of the one before.

        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        """,
    "cross_values_from_itself": """
        The second attention reads keys and values from the target itself. They come from the
        source: M.

        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        + Y = self.add_2(Y, lambda X: self.cross_attention(X, X, target_mask)[0])
        """,
}

FURTHER = """
Each sublayer goes into its AddAndNorm as a function of one argument, for example `lambda X:
self.self_attention(X, X, target_mask)[0]`. In the cross-attention X asks, and M gives keys and values.
The output of each AddAndNorm is the input of the next.
"""

RIGHT = {
    "inner_functions": """
        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        - return self.add_3(Y, self.feed_forward)
        + def look_at_target(X):
        +     output, _ = self.self_attention(X, X, target_mask)
        +     return output
        +
        + def look_at_source(X):
        +     K, V = self.cross_attention.keys_values(M)
        +     return self.cross_attention.attend(X, K, V, source_mask)[0]
        +
        + Y = self.add_2(self.add_1(Y, look_at_target), look_at_source)
        + return self.add_3(Y, lambda X: self.feed_forward(X))
        """,
    "loop": """
        - Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        - Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        - return self.add_3(Y, self.feed_forward)
        + sublayers = (
        +     (self.add_1, lambda X: self.self_attention(X, X, mask=target_mask)[0]),
        +     (self.add_2, lambda X: self.cross_attention(X, M, mask=source_mask)[0]),
        +     (self.add_3, self.feed_forward),
        + )
        + for add, sublayer in sublayers:
        +     Y = add(Y, sublayer)
        + return Y
        """,
    "made_in_a_loop": """
        - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        + for i in (1, 2, 3):
        +     self.add_module(f"add_{i}", AddAndNorm(d_model, norm_first=norm_first, dropout=dropout))
        """,
}
