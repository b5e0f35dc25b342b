"""GPT: logits and states, with a cache of several lengths; the head is tied, positions run out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, VALUE_ERROR, draw_ids, normal, number
from .common import gpt_state

POINTS = {"logits": 2, "states": 1, "cache": 2, "training": 1, "edges": 1}

_HEADS, _D = 2, 4


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_tokens, max_length = number(rng, 8, 10), 6

    def case(group: str, *then: tuple, n_layers: int = 1, **more: Any) -> Case:
        V, d, H, longest = more.pop("sizes", (n_tokens, _D, _HEADS, max_length))
        state: dict[str, Any] = {}
        if "judge" not in more:
            state = gpt_state(rng, V, d, n_layers, longest) | more.pop("hooks", {})
        if more.get("gradient") == "all":  # blocks have a check of their own: one matrix of each
            frozen = [path for path in state if "blocks." in path and "W_1.weight" not in path]
            state |= {f"{path}.requires_grad": False for path in frozen}
        sizes = [V, d, H, n_layers, longest, more.pop("dropout", 0.0)]
        return Case(group, sizes, state=state, then=list(then), **more)

    def cache(batch: int, n: int, n_layers: int = 1) -> list[tuple[torch.Tensor, torch.Tensor]]:
        shape = batch, _HEADS, n, _D // _HEADS
        return [(normal(rng, *shape), normal(rng, *shape)) for _ in range(n_layers)]

    def ids(batch: int, n: int) -> torch.Tensor:
        return draw_ids(rng, n_tokens, batch, n)

    n = number(rng, 3, 5)
    yield case("logits", ("__call__", ids(2, n)), title="the logits of all positions")
    sizes, wide = (n_tokens + 3, 6, 3, max_length + 2), ids(1, max_length + 1)
    title = "two blocks, three heads"
    yield case("logits", ("__call__", wide), n_layers=2, sizes=sizes, title=title)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1, 0] = False
    calls = ("__call__", ids(2, 3), mask), ("__call__", ids(2, 3))
    yield case("logits", *calls, title="with a mask, then without one")

    yield case("states", ("states", ids(2, n)), title="states, keys and values")
    yield case("states", ("states", ids(1, 3), mask), n_layers=2, title="with a mask, two blocks")

    title = "one token after others"
    yield case("cache", ("states", ids(2, 1), None, cache(2, n)), title=title)
    title = "two blocks, each with its own keys and values"
    yield case("cache", ("states", ids(1, 2), None, cache(1, 2, 2)), n_layers=2, title=title)
    made, title = cache(1, 3), "two calls with the same cache: the first one leaves it as it was"
    calls = ("states", ids(1, 1), None, made), ("states", ids(1, 1), None, made)
    yield case("cache", *calls, title=title)

    title = "what training changes"
    yield case("training", ("__call__", ids(2, 3)), title=title, gradient="all")

    title = "all is dropped: what the last normalization makes of zeros"
    yield case("training", ("__call__", ids(2, 3)), title=title, dropout=1.0)
    title = "no dropout in evaluation"
    yield case("training", ("__call__", ids(2, 3)), title=title, dropout=1.0, hooks=TO_EVAL)
    sizes, title = (n_tokens, _D, _HEADS, 1), "the default dropout"
    rates = [(".dropout.p",), (".blocks.0.dropout.p",)]
    yield Case("training", sizes, title=title, then=rates)
    yield case("edges", ("__call__", ids(1, 1)), title="a text of one token")
    yield case("edges", ("__call__", ids(2, max_length)), title="as long as the positions")
    title = "longer than the positions"
    yield case("edges", ("__call__", ids(1, max_length + 1)), title=title, judge=VALUE_ERROR)
    title = "the default number of positions"
    yield Case("edges", sizes, title=title, then=[(".positions.num_embeddings",)])
    title = "no position left after those in the cache"
    then = "states", ids(1, n), None, cache(1, 4)
    yield case("edges", then, title=title, judge=VALUE_ERROR)
    yield case("edges", ("states", ids(2, 1), None, cache(2, 5)), title="the last position")


WRONG = {
    "positions_from_zero": """
        With a cache the positions begin at 0 again. They go on where the cache ends: at the number
        of tokens in it.

        - start = 0 if cache is None else cache[0][0].shape[2]
        + start = 0
        """,
    "past_from_another_axis": """
        With a cache the positions begin at the wrong number. The keys in it are (B, H, P, d_k), and P is
        how many tokens they belong to: take the size of that axis.

        - start = 0 if cache is None else cache[0][0].shape[2]
        + start = 0 if cache is None else cache[0][0].shape[1]
        """,
    "texts_for_tokens": """
        With a cache the positions begin at the number of texts in the batch, the first axis of the keys.
        The keys are (B, H, P, d_k), and P is how many tokens they belong to.

        - start = 0 if cache is None else cache[0][0].shape[2]
        + start = 0 if cache is None else len(cache[0][0])
        """,
    "blocks_for_tokens": """
        With a cache the positions begin at the number of blocks: the cache is a list with a pair for each
        of them. How many tokens have been read is an axis of the keys, (B, H, P, d_k).

        - start = 0 if cache is None else cache[0][0].shape[2]
        + start = 0 if cache is None else len(cache)
        """,
    "without_positions": """
        The positions are not added, so the model cannot tell the order of the tokens directly.

        - X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        + X = self.dropout(self.tokens(ids))
        """,
    "without_dropout": """
        There is no dropout on the sum of the two embeddings.

        - X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        + X = self.tokens(ids) + self.positions.weight[start:end]
        """,
    "dropout_on_the_tokens": """
        The dropout acts on the embeddings of the tokens alone. Drop elements of the sum.

        - X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        + X = self.dropout(self.tokens(ids)) + self.positions.weight[start:end]
        """,
    "without_norm": """
        The states have not gone through the last normalization. It is a part of `states`, after the
        last block.

        - return self.norm(X), longer
        + return X, longer
        """,
    "norm_twice": """
        The states are normalized twice: `states` has done it already.

        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + return self.norm(self.states(ids, mask)[0]) @ self.tokens.weight.T
        """,
    "scales_the_embeddings": """
        The embeddings are multiplied by the square root of d_model, as in the translator of 11. A GPT
        adds them as they are.

        - X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        + X = self.tokens(ids) * math.sqrt(self.tokens.embedding_dim)
        + X = self.dropout(X + self.positions.weight[start:end])
        """,
    "one_cache_for_all": """
        All blocks get the cache of the first one. Each has its own keys and values.

        - X, K, V = block(X, mask, None if cache is None else cache[i])
        + X, K, V = block(X, mask, None if cache is None else cache[0])
        """,
    "ignores_the_cache": """
        The blocks do not get the cache, so the new tokens see nothing of those before.

        - X, K, V = block(X, mask, None if cache is None else cache[i])
        + X, K, V = block(X, mask)
        """,
    "ignores_the_mask": """
        The mask is not passed on to the blocks.

        - X, K, V = block(X, mask, None if cache is None else cache[i])
        + X, K, V = block(X, None, None if cache is None else cache[i])
        """,
    "forward_ignores_the_mask": """
        `states` uses its mask, but forward does not pass it on.

        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + return self.states(ids)[0] @ self.tokens.weight.T
        """,
    "returns_the_old_cache": """
        The returned cache is the old one: the new tokens are missing from it.

        - return self.norm(X), longer
        + return self.norm(X), longer if cache is None else cache
        """,
    "probabilities": """
        These are probabilities. The logits are wanted, without a softmax.

        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + return (self.states(ids, mask)[0] @ self.tokens.weight.T).softmax(dim=-1)
        """,
    "accepts_long_texts": """
        More tokens than positions should raise a ValueError. Here the last position serves for all
        that come after it.

        -     if end > self.positions.num_embeddings:
        -         raise ValueError(f"{end} tokens are more than {self.positions.num_embeddings} positions")
        -     X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        +     last = self.positions.num_embeddings - 1
        +     X = self.dropout(self.tokens(ids) + self.positions(torch.arange(start, end).clamp(max=last)))
        """,
    "positions_of_the_new_only": """
        Only the new tokens are compared with the number of positions. Those in the cache have taken
        positions, too.

        raises RuntimeError

        -     if end > self.positions.num_embeddings:
        +     if ids.shape[1] > self.positions.num_embeddings:
        """,
    "positions_of_the_new_looked_up": """
        Only the new tokens are compared with the number of positions, so after a long cache the embedding
        is asked for a position that it does not have. Compare the tokens in the cache and the new ones
        together.

        raises IndexError

        -     if end > self.positions.num_embeddings:
        -         raise ValueError(f"{end} tokens are more than {self.positions.num_embeddings} positions")
        -     X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        +     if ids.shape[1] > self.positions.num_embeddings:
        +         raise ValueError("too long")
        +     X = self.dropout(self.tokens(ids) + self.positions(torch.arange(start, end)))
        """,
    "a_head_of_its_own": """
        The states are right, but the logits come from a layer of their own. The head is tied: the logits
        are the products of the states with the token embeddings.

        - self.norm = nn.LayerNorm(d_model)
        + self.norm = nn.LayerNorm(d_model)
        + self.head = nn.Linear(d_model, n_tokens, bias=False)
        ...
        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + return self.head(self.states(ids, mask)[0])
        """,
    "a_head_with_bias": """
        The logits come from a linear layer of their own, with a bias. The head is tied and has none: the
        logits are the products of the states with the token embeddings.

        - self.norm = nn.LayerNorm(d_model)
        + self.norm = nn.LayerNorm(d_model)
        + self.head = nn.Linear(d_model, n_tokens)
        ...
        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + return self.head(self.states(ids, mask)[0])
        """,
    "first_block_only": """
        Only the first block is applied. The tokens go through all of them, one after the other.

        - for i, block in enumerate(self.blocks):
        + for i, block in enumerate(self.blocks[:1]):
        """,
}

FURTHER = """
states: start is the number of tokens in the cache, cache[0][0].shape[2], or 0; the positions are those
from start on; each block gets its own pair of the cache and returns a longer pair for the new one; then
norm. forward: the states times tokens.weight transposed.
"""

RIGHT = {
    "functional": """
        - return self.states(ids, mask)[0] @ self.tokens.weight.T
        + H, _ = self.states(ids, mask)
        + return F.linear(H, self.tokens.weight)
        """,
    "looks_positions_up": """
        - X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
        + places = torch.arange(start, end, device=ids.device)
        + X = self.dropout(self.tokens(ids) + self.positions(places))
        """,
    "zips_the_cache": """
        - longer = []
        - for i, block in enumerate(self.blocks):
        -     X, K, V = block(X, mask, None if cache is None else cache[i])
        -     longer.append((K, V))
        - return self.norm(X), longer
        + pairs = [None] * len(self.blocks) if cache is None else cache
        + new = []
        + for block, pair in zip(self.blocks, pairs):
        +     X, *both = block(X, mask=mask, past=pair)
        +     new.append(tuple(both))
        + return self.norm(X), new
        """,
}

EQUIVALENT = {
    "every block has keys and values of the same tokens": """
        -        start = 0 if cache is None else cache[0][0].shape[2]
        +        start = 0 if cache is None else cache[0][-1].shape[2]

        -        start = 0 if cache is None else cache[0][0].shape[2]
        +        start = 0 if cache is None else cache[-1][0].shape[2]

        -        start = 0 if cache is None else cache[0][0].shape[2]
        +        start = 0 if cache is None else cache[0][1].shape[2]
        """,
}
