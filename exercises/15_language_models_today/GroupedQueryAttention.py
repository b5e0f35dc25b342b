"""GroupedQueryAttention: groups of heads, rotation, a past, head counts that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, normal, number
from .common import attention, cached

POINTS = {"values": 2, "past": 2, "training": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, sizes: list[Any], *inputs: Any, **more: Any) -> Case:
        state = attention(rng, "", *sizes[:3])
        return Case(group, sizes, state=state, then=[("__call__", *inputs)], **more)

    n = number(rng, 3, 5)
    yield case("values", [4, 2, 2], normal(rng, 2, n, 4), title="as many key heads as heads")
    yield case("values", [8, 4, 2], normal(rng, 1, n, 8), title="two heads share a key head")
    yield case("values", [12, 6, 2], normal(rng, 1, 4, 12), title="three heads share a key head")
    yield case("values", [8, 2, 1], normal(rng, 2, n, 8), title="a single key head")
    yield case("values", [4, 1, 1, 20.0], normal(rng, 2, n, 4), title="one head, another base")

    past = cached(rng, 2, 2, n, 2)
    yield case("past", [8, 4, 2], normal(rng, 2, 1, 8), past, title="one new token after others")
    past = cached(rng, 1, 1, 2, 2)
    yield case("past", [4, 2, 1], normal(rng, 1, 3, 4), past, title="three new tokens after two")
    past = cached(rng, 1, 2, 200, 4)
    yield case("past", [8, 2, 2], normal(rng, 1, 2, 8), past, title="two tokens after two hundred")

    X = normal(rng, 2, 3, 8)
    yield case("training", [8, 4, 2], X, title="what training changes", gradient="all")

    yield case("edges", [4, 2, 1], normal(rng, 2, 1, 4), title="a single token")
    yield case("edges", [4, 2, 2], normal(rng, 2, 4, n).mT, title="a tensor that is not contiguous")
    refused = {
        "three heads cannot share that": [6 * number(rng, 1, 3) + 2, 3, 1],
        "four heads cannot share three key heads": [8, 4, 3],
        "more key heads than heads": [8, 2, 4],
        "no key head": [8, 4, 0],
        "three heads cannot share two key heads": [6, 3, 2],
        "heads of odd size cannot be rotated": [6, 2, 1],
        "four heads of odd size cannot either": [12, 4, 2],
    }
    for title, sizes in refused.items():
        yield Case("edges", sizes, title=title, judge=VALUE_ERROR)


WRONG = {
    "not_rotated": """
        Queries and keys are not rotated, so the order of the tokens is lost.

        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        """,
    "values_rotated": """
        The values are rotated, too. Only queries and keys carry positions.

        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q, K, V = (rotate(Y, positions, self.base) for Y in (Q, K, V))
        """,
    "only_queries_rotated": """
        Only the queries are rotated. Their product with the keys is relative only if both are.

        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q = rotate(Q, positions, self.base)
        """,
    "past_rotated_again": """
        The keys of the past are rotated a second time. What the cache holds is rotated already.

        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q = rotate(Q, positions, self.base)
        ...
        -         T, L = Q.shape[2], K.shape[2]
        +         T, L = Q.shape[2], K.shape[2]
        +         K = rotate(K, torch.arange(L), self.base)
        """,
    "positions_from_zero": """
        With a past the new tokens begin at position 0 again. They begin where the past ends.

        - positions = torch.arange(start, start + X.shape[1], device=X.device)
        + positions = torch.arange(X.shape[1], device=X.device)
        """,
    "groups_interleaved": """
        The heads of a group are not neighbors: head 1 has key head 1. With 4 heads and 2 key heads
        it should be 0 0 1 1, not 0 1 0 1.

        - keys, values = (Y.repeat_interleave(self.group, dim=1) for Y in (K, V))
        + keys, values = (Y.repeat(1, self.group, 1, 1) for Y in (K, V))
        """,
    "repeated_in_the_cache": """
        The returned keys and values are repeated for every query head. Then the cache is as large
        as before: return the key heads only.

        - return self.W_O(found.transpose(1, 2).flatten(2)), K, V
        + return self.W_O(found.transpose(1, 2).flatten(2)), keys, values
        """,
    "sees_the_future": """
        Every token attends to all others. A token may see itself and earlier ones only.

        - mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + mask = torch.ones(T, L, dtype=torch.bool, device=X.device)
        """,
    "diagonal_at_the_start": """
        With a past, the new tokens see too little. Move the diagonal P columns to the right.

        - mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        + mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril()
        """,
    "forgets_the_past": """
        The past is not used. Its keys and values come in front of the new ones.

        -             K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +             pass
        """,
    "past_behind": """
        The past stands behind the new keys and values. Put it in front.

        - K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        + K, V = torch.cat([K, past[0]], dim=2), torch.cat([V, past[1]], dim=2)
        """,
    "heads_not_transposed_back": """
        Tokens and heads are mixed up when the heads are put together. Move the axis of the heads
        behind that of the tokens first.

        - return self.W_O(found.transpose(1, 2).flatten(2)), K, V
        + return self.W_O(found.reshape(X.shape)), K, V
        """,
    "default_base": """
        The base that was given does not reach `rotate`.

        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q, K = rotate(Q, positions), rotate(K, positions)
        """,
    "any_key_heads": """
        A number of key heads that does not divide the heads should be a ValueError, and so should
        0.

        -         if n_key_heads < 1 or n_heads % n_key_heads:
        -             raise ValueError(f"{n_heads} query heads cannot share {n_key_heads} key heads equally")
        """,
    "any_heads": """
        Heads that cannot share the dimensions equally, or have an odd number of them, should be a
        ValueError.

        -         if d_model % n_heads or d_model // n_heads % 2:
        -             raise ValueError(f"{n_heads} heads cannot have an even share of {d_model} dimensions")
        """,
    "scaled_by_d_model": """
        The scores are divided by the root of d_model. A head has d_k components: divide by the root
        of d_k.

        - found = F.scaled_dot_product_attention(Q, keys, values, mask)
        + found = F.scaled_dot_product_attention(Q, keys, values, mask, scale=X.shape[-1] ** -0.5)
        """,
    "not_scaled": """
        The scores are not divided. As in 05, divide them by the root of d_k before the softmax.

        - found = F.scaled_dot_product_attention(Q, keys, values, mask)
        + found = F.scaled_dot_product_attention(Q, keys, values, mask, scale=1.0)
        """,
    "split_without_a_transpose": """
        Tokens and heads are mixed up when the projections are split. Cut the last axis into heads
        first, (B, T, heads, d_k), and exchange the two axes in the middle then.

        -             W(X).unflatten(-1, (-1, self.d_k)).transpose(1, 2) for W in (self.W_Q, self.W_K, self.W_V)
        +             W(X).reshape(len(X), -1, X.shape[1], self.d_k) for W in (self.W_Q, self.W_K, self.W_V)
        """,
    "without_W_O": """
        The heads are put together and returned as they are. Project them with W_O.

        - return self.W_O(found.transpose(1, 2).flatten(2)), K, V
        + return found.transpose(1, 2).flatten(2), K, V
        """,
    "rotated_before_the_split": """
        Queries and keys are rotated before they are split into heads, so the heads do not all have the
        same angles. Split first; then each head is rotated for itself.

        -             W(X).unflatten(-1, (-1, self.d_k)).transpose(1, 2) for W in (self.W_Q, self.W_K, self.W_V)
        -         )
        +             W(X) for W in (self.W_Q, self.W_K, self.W_V)
        +         )
        ...
        -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        +         Q, K, V = (Y.unflatten(-1, (-1, self.d_k)).transpose(1, 2) for Y in (Q, K, V))
        """,
    "with_biases": """
        The layers have biases. Take bias=False for all four.

        - self.W_Q = nn.Linear(d_model, d_model, bias=False)
        - self.W_K = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        - self.W_V = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        - self.W_O = nn.Linear(d_model, d_model, bias=False)
        + self.W_Q = nn.Linear(d_model, d_model)
        + self.W_K = nn.Linear(d_model, n_key_heads * self.d_k)
        + self.W_V = nn.Linear(d_model, n_key_heads * self.d_k)
        + self.W_O = nn.Linear(d_model, d_model)
        """,
    "base_for_the_queries_only": """
        The keys are rotated with the default base, the queries with the one that was given. Both
        need the same.

        - Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        + Q, K = rotate(Q, positions, self.base), rotate(K, positions)
        """,
    "odd_heads_accepted": """
        Heads with an odd number of dimensions are accepted. They cannot be rotated in pairs: a
        ValueError, already when the layer is made.

        - if d_model % n_heads or d_model // n_heads % 2:
        + if d_model % n_heads:
        """,
}

FURTHER = """
W(X).unflatten(-1, (-1, d_k)).transpose(1, 2) splits any of the three projections into its heads. Then
rotate Q and K with positions from P to P + T - 1, put the past in front of K and V, and repeat both
with repeat_interleave(n_heads // n_key_heads, dim=1) for F.scaled_dot_product_attention only.
"""

RIGHT = {
    "step_by_step": """
        - keys, values = (Y.repeat_interleave(self.group, dim=1) for Y in (K, V))
        - found = F.scaled_dot_product_attention(Q, keys, values, mask)
        + B, H = Q.shape[:2]
        + grouped = Q.reshape(B, H // self.group, self.group, T, self.d_k)
        + scores = grouped @ K[:, :, None].mT / math.sqrt(self.d_k)
        + weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        + found = (weights @ V[:, :, None]).reshape(B, H, T, self.d_k)
        """,
    "of_the_library": """
        - keys, values = (Y.repeat_interleave(self.group, dim=1) for Y in (K, V))
        - found = F.scaled_dot_product_attention(Q, keys, values, mask)
        + found = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, enable_gqa=True)
        """,
    "indexed": """
        - keys, values = (Y.repeat_interleave(self.group, dim=1) for Y in (K, V))
        + which = torch.arange(Q.shape[1]) // self.group
        + keys, values = K[:, which], V[:, which]
        """,
}

EQUIVALENT = {
    "They are on one device, and keys and values are equally many.": """
        -        positions = torch.arange(start, start + X.shape[1], device=X.device)
        +        positions = torch.arange(start, start + X.shape[1], device=Q.device)

        -        positions = torch.arange(start, start + X.shape[1], device=X.device)
        +        positions = torch.arange(start, start + X.shape[1], device=K.device)

        -        positions = torch.arange(start, start + X.shape[1], device=X.device)
        +        positions = torch.arange(start, start + X.shape[1], device=V.device)

        -        T, L = Q.shape[2], K.shape[2]
        +        T, L = Q.shape[2], V.shape[2]

        -        mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +        mask = torch.ones(T, L, dtype=torch.bool, device=Q.device).tril(L - T)

        -        mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +        mask = torch.ones(T, L, dtype=torch.bool, device=K.device).tril(L - T)

        -        mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
        +        mask = torch.ones(T, L, dtype=torch.bool, device=V.device).tril(L - T)
        """,
    "What is no whole number was refused before.": """
        -        if d_model % n_heads or d_model // n_heads % 2:
        +        if d_model % n_heads or (d_model / n_heads) % 2:
        """,
    "A remainder of 0 has no sign, and a pair has a last one, the second, as large as the first.": """
        -        if d_model % n_heads or d_model // n_heads % 2:
        +        if d_model % n_heads or d_model // n_heads % (-2):

        -        start = 0 if past is None else past[0].shape[2]
        +        start = 0 if past is None else past[1].shape[2]

        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[-1], V], dim=2)
        """,
    "The bases have no more digits, and the positions are the same numbers.": """
        -        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, base
        +        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, int(base)

        -        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, base
        +        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, round(base, 2)

        -        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, base
        +        self.d_k, self.group, self.base = d_model // n_heads, n_heads // n_key_heads, torch.tensor(base)

        -        start = 0 if past is None else past[0].shape[2]
        +        start = float(0 if past is None else past[0].shape[2])
        """,
    "Keys and values are equally many.": """
        -        start = 0 if past is None else past[0].shape[2]
        +        start = 0 if past is None else past[-1].shape[2]
        """,
    "No model is trained with a past.": """
        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K], dim=2).detach(), torch.cat([past[1], V], dim=2)

        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K.detach()], dim=2), torch.cat([past[1], V], dim=2)

        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2).detach()

        -            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V], dim=2)
        +            K, V = torch.cat([past[0], K], dim=2), torch.cat([past[1], V.detach()], dim=2)
        """,
}
