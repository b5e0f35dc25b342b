"""Llama: logits and states, tied and not, with a cache of several lengths; no room and no token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, draw_ids, normal, number
from .common import block, cached, gain

POINTS = {"logits": 2, "states": 1, "cache": 1, "edges": 1}

_D, _HEADS, _KEYS, _HIDDEN = 4, 2, 1, 3


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_tokens, most = number(rng, 6, 8), 6
    usual = (n_tokens, _D, _HEADS, _KEYS, _HIDDEN)
    wide = (n_tokens + 2, 8, 2, 2, 5)  # the base shows with four numbers in a head

    def case(
        group: str,
        *then: tuple,
        sizes: tuple[int, int, int, int, int] = usual,
        n_layers: int = 1,
        tied: bool = True,
        settings: tuple[float, ...] = (),
        defaults: bool = False,
        scale: float = 0.7,
        **more: Any,
    ) -> Case:
        state: dict[str, Any] = {}
        if "judge" not in more:
            state = {"tokens.weight": normal(rng, *sizes[:2], scale=scale)}
            for i in range(n_layers):
                state |= block(rng, f"blocks.{i}.", *sizes[1:])
            state |= gain(rng, "norm.", sizes[1])
            if not tied:
                state["head.weight"] = normal(rng, *sizes[:2])
        if more.get("gradient") == "all" and tied:  # once is enough for the blocks
            state |= {f"{path}.requires_grad": False for path in state if "blocks." in path}
        given = [*sizes, n_layers, *([] if defaults else [most, tied, *settings])]
        return Case(group, given, state=state, then=list(then), **more)

    def ids(batch: int, n: int) -> Any:
        return draw_ids(rng, n_tokens, batch, n)

    n = number(rng, 3, 5)
    yield case("logits", ("__call__", ids(2, n)), title="the logits of all positions")
    yield case("logits", ("__call__", ids(1, n)), n_layers=2, title="two blocks")
    yield case("logits", ("__call__", ids(2, 3)), sizes=wide, tied=False, title="a head of its own")
    calls = ("__call__", ids(2, 3))
    one_head, title = (n_tokens, _D, 1, 1, _HIDDEN), "another base, a large eps"
    yield case("logits", calls, sizes=one_head, settings=(9.0, 0.6), title=title)
    yield case("logits", calls, title="what training changes", gradient="all")
    title = "what training changes, with a head of its own"
    yield case("logits", ("__call__", ids(1, n)), tied=False, title=title, gradient="all")

    yield case("states", ("states", ids(2, n)), title="states, keys and values")
    yield case("states", ("states", ids(1, 3)), n_layers=2, title="of two blocks")

    past = [cached(rng, 2, _KEYS, n, 2)]
    yield case("cache", ("states", ids(2, 1), past), title="one token after others")
    past = [cached(rng, 1, _KEYS, 2, 2) for _ in range(2)]
    title = "two blocks, each with its own keys and values"
    yield case("cache", ("states", ids(1, 2), past), n_layers=2, title=title)
    past, title = [cached(rng, 1, _KEYS, 3, 2)], "twice the same cache: it stays as it was"
    yield case("cache", ("states", ids(1, 1), past), ("states", ids(1, 1), past), title=title)

    yield case("edges", ("__call__", ids(1, most)), title="as many tokens as there is room for")
    past = [cached(rng, 1, _KEYS, most - 1, 2)]
    yield case("edges", ("states", ids(1, 1), past), title="the last place")
    yield case("edges", ("__call__", ids(2, 1)), title="a single token")
    # small embeddings show the eps, and places far behind the base
    then = ("states", ids(1, 4), [cached(rng, 1, 2, 124, 4)])
    default: dict[str, Any] = {"sizes": wide, "defaults": True, "scale": 0.01}
    yield case("edges", then, ("__call__", ids(1, 3)), title="the default settings", **default)
    refused: dict[str, Any] = {"judge": VALUE_ERROR}
    then, title = ("states", ids(1, 5), [cached(rng, 1, 2, 124, 4)]), "129 tokens by default"
    yield case("edges", then, title=title, **default, **refused)
    yield case("edges", ("__call__", ids(1, most + 1)), title="one token too many", **refused)
    past = [cached(rng, 1, _KEYS, most - 1, 2)]
    title = "one token too many, with those of the cache"
    yield case("edges", ("states", ids(1, 2), past), title=title, **refused)
    yield case("edges", ("__call__", ids(1, 0)), title="no token at all", **refused)
    past = [cached(rng, 1, _KEYS, 3, 2)]
    yield case("edges", ("states", ids(1, 0), past), title="no new token", **refused)


WRONG = {
    "without_the_last_norm": """
        The last normalization is missing. It belongs to `states`, after the last block, so that the head
        reads normalized vectors.

        - return self.norm(X), longer
        + return X, longer
        """,
    "never_tied": """
        The head has a weight of its own although `tied` is True. Assign the embeddings' parameter
        to it.

        -         if tied:
        -             self.head.weight = self.tokens.weight
        """,
    "always_tied": """
        The head is tied although `tied` is False.

        -         if tied:
        -             self.head.weight = self.tokens.weight
        +         self.head.weight = self.tokens.weight
        """,
    "tied_by_copy": """
        The head got a copy of the embeddings. Tied means the same parameter, so that both learn
        together.

        - self.head.weight = self.tokens.weight
        + self.head.weight = nn.Parameter(self.tokens.weight.detach().clone())
        """,
    "the_same_block_again": """
        All blocks are one: the first block is applied again and again. Each has its own weights.

        - for i, block in enumerate(self.blocks):
        + for i, block in enumerate([self.blocks[0]] * len(self.blocks)):
        """,
    "cache_not_used": """
        The cache is not passed on to the blocks.

        - X, K, V = block(X, None if cache is None else cache[i])
        + X, K, V = block(X, None)
        """,
    "first_cache_for_all": """
        Every block gets the keys and values of the first one. Each has its own.

        - X, K, V = block(X, None if cache is None else cache[i])
        + X, K, V = block(X, None if cache is None else cache[0])
        """,
    "cache_changed": """
        The list that was given as cache is changed. Make a new one.

        - X, longer = self.tokens(ids), []
        + X, longer = self.tokens(ids), [] if cache is None else cache
        ...
        - longer.append((K, V))
        + if cache is None:
        +     longer.append((K, V))
        + else:
        +     longer[i] = (K, V)
        """,
    "reads_any_length": """
        More tokens than max_length should be a ValueError, and so should none at all.

        -         if not 0 < ids.shape[1] <= total <= self.max_length:
        -             raise ValueError(f"there should be 1 to {self.max_length} tokens, but there are {total}")
        """,
    "forgets_the_cached_tokens": """
        Only the new tokens are compared with max_length. Those in the cache count, too.

        - if not 0 < ids.shape[1] <= total <= self.max_length:
        + if not 0 < ids.shape[1] <= self.max_length:
        """,
    "one_token_less": """
        A text of exactly max_length tokens is refused. It fits.

        raises ValueError

        - if not 0 < ids.shape[1] <= total <= self.max_length:
        + if not 0 < ids.shape[1] <= total < self.max_length:
        """,
    "reads_nothing": """
        A text without a token should be a ValueError: there is nothing to go on from.

        - if not 0 < ids.shape[1] <= total <= self.max_length:
        + if total > self.max_length:
        """,
    "settings_not_passed_on": """
        The blocks have their default base and eps, not those that were given.

        - LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps) for _ in range(n_layers)
        + LlamaBlock(d_model, n_heads, n_key_heads, d_hidden) for _ in range(n_layers)
        """,
    "last_norm_with_default_eps": """
        The last normalization has its default eps, not the one that was given.

        - self.norm = RMSNorm(d_model, eps)
        + self.norm = RMSNorm(d_model)
        """,
    "embeddings_times_root_d": """
        The embeddings are multiplied by the root of d_model, as in assignment 11. Here they go into
        the blocks as they are.

        - X, longer = self.tokens(ids), []
        + X, longer = self.tokens(ids) * self.tokens.embedding_dim**0.5, []
        """,
    "normalizes_in_forward": """
        The logits are right, but `states` returns vectors before the last normalization. It promises
        those after it: normalize in `states`, and there only.

        - return self.norm(X), longer
        + return X, longer
        ...
        - return self.head(self.states(ids)[0])
        + return self.head(self.norm(self.states(ids)[0]))
        """,
    "normalizes_twice": """
        The vectors are normalized twice: `states` returns normalized ones already. The head reads them
        as they are.

        - return self.head(self.states(ids)[0])
        + return self.head(self.norm(self.states(ids)[0]))
        """,
    "normalizes_after_each_block": """
        The last normalization is applied after each block. It comes once, after the last one: in
        between, the vectors go on as they are.

        -             X, K, V = block(X, None if cache is None else cache[i])
        +             X, K, V = block(X, None if cache is None else cache[i])
        +             X = self.norm(X)
        ...
        - return self.norm(X), longer
        + return X, longer
        """,
}

FURTHER = """
Old tokens: cache[0][0].shape[2], or 0. Embed the ids, send them through each block with its own pair of
the cache, collect (K, V) in a new list, and normalize once at the end.
"""

RIGHT = {
    "zip_with_the_cache": """
        - for i, block in enumerate(self.blocks):
        -     X, K, V = block(X, None if cache is None else cache[i])
        -     longer.append((K, V))
        + pasts = [None] * len(self.blocks) if cache is None else cache
        + for block, past in zip(self.blocks, pasts):
        +     X, *pair = block(X, past)
        +     longer.append(tuple(pair))
        """,
    "product_with_the_weight": """
        - return self.head(self.states(ids)[0])
        + states, _ = self.states(ids)
        + return states @ self.head.weight.mT
        """,
}

EQUIVALENT = {
    "Whole numbers compare in the same way as floats.": """
        -        self.max_length = max_length
        +        self.max_length = float(max_length)

        -        total = ids.shape[1] + (0 if cache is None else cache[0][0].shape[2])
        +        total = float(ids.shape[1] + (0 if cache is None else cache[0][0].shape[2]))
        """,
    "Keys and values are equally many, in every block.": """
        -        total = ids.shape[1] + (0 if cache is None else cache[0][0].shape[2])
        +        total = ids.shape[1] + (0 if cache is None else cache[0][-1].shape[2])

        -        total = ids.shape[1] + (0 if cache is None else cache[0][0].shape[2])
        +        total = ids.shape[1] + (0 if cache is None else cache[-1][0].shape[2])

        -        total = ids.shape[1] + (0 if cache is None else cache[0][0].shape[2])
        +        total = ids.shape[1] + (0 if cache is None else cache[0][1].shape[2])
        """,
}
