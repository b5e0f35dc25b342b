"""LlamaBlock: two updates, each normalized before and added after; base and eps reach the parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import block, cached

POINTS = {"values": 1, "past": 1, "training": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, sizes: list[Any], *inputs: Any, **more: Any) -> Case:
        state = block(rng, "", *sizes[:4])
        return Case(group, sizes, state=state, then=[("__call__", *inputs)], **more)

    n = number(rng, 3, 5)
    yield case("values", [4, 2, 1, 3], normal(rng, 2, n, 4), title="two heads, one key head")
    yield case("values", [8, 2, 2, 6], normal(rng, 1, n, 8), title="two key heads")
    X = normal(rng, 1, 3, 4)
    yield case("values", [4, 1, 1, 5, 8.0, 0.7], X, title="another base, a large eps")
    X, past = normal(rng, 2, 1, 4), cached(rng, 2, 1, n, 2)
    yield case("past", [4, 2, 1, 3], X, past, title="one new token after others")
    X, past = normal(rng, 1, 3, 8), cached(rng, 1, 2, 200, 4)
    yield case("past", [8, 2, 2, 3], X, past, title="three new tokens after two hundred")
    X = normal(rng, 1, 3, 4)
    yield case("training", [4, 2, 1, 3], X, title="what training changes", gradient="all")


WRONG = {
    "post_norm": """
        The normalization comes after the sum. Each part normalizes its input, and the sum stays as
        it is.

        - Z, K, V = self.attention(self.norm_1(X), past)
        - X = X + Z
        - return X + self.network(self.norm_2(X)), K, V
        + Z, K, V = self.attention(X, past)
        + X = self.norm_1(X + Z)
        + return self.norm_2(X + self.network(X)), K, V
        """,
    "network_not_normalized": """
        The network reads the sum as it is. It has a normalization of its own, norm_2.

        - return X + self.network(self.norm_2(X)), K, V
        + return X + self.network(X), K, V
        """,
    "one_norm_for_both": """
        Both parts use the same normalization. The second one has its own, norm_2.

        - return X + self.network(self.norm_2(X)), K, V
        + return X + self.network(self.norm_1(X)), K, V
        """,
    "only_the_update": """
        The last sum is missing: the network's output is an update that is added.

        - return X + self.network(self.norm_2(X)), K, V
        + return self.network(self.norm_2(X)), K, V
        """,
    "added_to_the_normalized": """
        The update is added to the normalized vectors. It belongs on those that came in.

        - Z, K, V = self.attention(self.norm_1(X), past)
        - X = X + Z
        + X = self.norm_1(X)
        + Z, K, V = self.attention(X, past)
        + X = X + Z
        """,
    "side_by_side": """
        The network reads what the attention reads. It comes after it and reads the sum.

        - Z, K, V = self.attention(self.norm_1(X), past)
        - X = X + Z
        - return X + self.network(self.norm_2(X)), K, V
        + Z, K, V = self.attention(self.norm_1(X), past)
        + return X + Z + self.network(self.norm_2(X)), K, V
        """,
    "past_not_passed_on": """
        The past does not reach the attention.

        - Z, K, V = self.attention(self.norm_1(X), past)
        + Z, K, V = self.attention(self.norm_1(X))
        """,
    "eps_not_passed_on": """
        The normalizations have their default eps, not the one that was given.

        - self.norm_1, self.norm_2 = RMSNorm(d_model, eps), RMSNorm(d_model, eps)
        + self.norm_1, self.norm_2 = RMSNorm(d_model), RMSNorm(d_model)
        """,
    "base_not_passed_on": """
        The attention has its default base, not the one that was given.

        - self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base)
        + self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads)
        """,
    "attention_lost_from_the_sum": """
        The network reads the sum, but its update is added to what came in: what the attention found is
        lost. Add it to the sum.

        - X = X + Z
        - return X + self.network(self.norm_2(X)), K, V
        + return X + self.network(self.norm_2(X + Z)), K, V
        """,
    "network_added_to_the_normalized": """
        The network's update is added to the normalized tokens. It belongs on the sum as it was
        before the second normalization.

        - return X + self.network(self.norm_2(X)), K, V
        + X = self.norm_2(X)
        + return X + self.network(X), K, V
        """,
    "eps_for_norm_1_only": """
        norm_2 has its default eps, not the one that was given. Pass eps on to both normalizations.

        - self.norm_1, self.norm_2 = RMSNorm(d_model, eps), RMSNorm(d_model, eps)
        + self.norm_1, self.norm_2 = RMSNorm(d_model, eps), RMSNorm(d_model)
        """,
}

FURTHER = """
The attention gets norm_1 of X, and the past; its first result is added to X. The network gets norm_2 of
that sum, and is added to it. K and V are passed on as they come.
"""

RIGHT = {
    "names_for_all": """
        - Z, K, V = self.attention(self.norm_1(X), past)
        - X = X + Z
        - return X + self.network(self.norm_2(X)), K, V
        + normed = self.norm_1(X)
        + out = self.attention(normed, past=past)
        + middle = X + out[0]
        + update = self.network(self.norm_2(middle))
        + return middle + update, out[1], out[2]
        """,
    "starred": """
        - Z, K, V = self.attention(self.norm_1(X), past)
        - X = X + Z
        - return X + self.network(self.norm_2(X)), K, V
        + Z, *keys_and_values = self.attention(self.norm_1(X), past)
        + X = torch.add(X, Z)
        + return (torch.add(X, self.network(self.norm_2(X))), *keys_and_values)
        """,
}
