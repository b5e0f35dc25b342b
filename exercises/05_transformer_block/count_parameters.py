"""Counting a model's parameters; all widths differ, so that one taken for another shows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def sizes(**fixed: int) -> list[int]:
        drawn = {
            "vocab_size": int(rng.integers(50, 40000)),
            "d_model": int(rng.integers(5, 200)),
            "n_heads": int(rng.integers(2, 13)),
            "d_k": int(rng.integers(3, 40)),
            "d_v": int(rng.integers(41, 100)),
            "d_ff": int(rng.integers(201, 900)),
            "n_blocks": int(rng.integers(2, 13)),
        }
        return list((drawn | fixed).values())

    for _ in range(2):
        yield Case("values", sizes())
    lecture = sizes(vocab_size=32000, d_model=100, d_k=37, d_v=100, d_ff=512)
    yield Case("values", lecture, title="the sizes of the lecture")
    yield Case("edges", sizes(n_heads=1), title="one head")
    yield Case("edges", sizes(n_blocks=1), title="one block")
    yield Case("edges", sizes(n_blocks=0), title="no block: only the embedding")


WRONG = {
    "counts_no_biases": """
        The biases are not counted: every one of these layers has one.

        - head = 2 * (d_model * d_k + d_k) + (d_model * d_v + d_v)
        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        - feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
        + head = 2 * d_model * d_k + d_model * d_v
        + attention = n_heads * head + n_heads * d_v * d_model
        + feed_forward = d_model * d_ff + d_ff * d_model
        """,
    "counts_no_head_biases": """
        The biases of W_Q, W_K and W_V are not counted: a head has d_k + d_k + d_v of them.

        - head = 2 * (d_model * d_k + d_k) + (d_model * d_v + d_v)
        + head = 2 * d_model * d_k + d_model * d_v
        """,
    "counts_no_output_bias": """
        The bias of W_O is not counted: it has d_model numbers.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = n_heads * head + n_heads * d_v * d_model
        """,
    "counts_output_bias_per_head": """
        The bias of W_O is counted once per head. W_O is one layer for all heads together, with a
        single bias of d_model numbers.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = n_heads * (head + d_v * d_model + d_model)
        """,
    "counts_no_network_biases": """
        The biases of the feed-forward network are not counted: W_1 has d_ff of them, W_2 has
        d_model.

        - feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
        + feed_forward = d_model * d_ff + d_ff * d_model
        """,
    "counts_no_output_layer": """
        W_O is not counted: it belongs to the attention of each block.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = n_heads * head
        """,
    "counts_square_output_layer": """
        W_O is counted as a square matrix. Its input is the concatenation of all heads, n_heads *
        d_v numbers; only in the usual case are these as many as d_model.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = n_heads * head + (d_model * d_model + d_model)
        """,
    "counts_output_layer_per_head": """
        W_O is counted once per head, each time for the numbers of all heads. It is one layer, which
        reads their concatenation once.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = n_heads * (head + n_heads * d_v * d_model + d_model)
        """,
    "counts_values_as_keys": """
        W_V is counted as wide as W_K. Queries and keys have d_k numbers, values have d_v.

        - head = 2 * (d_model * d_k + d_k) + (d_model * d_v + d_v)
        + head = 3 * (d_model * d_k + d_k)
        """,
    "counts_one_head": """
        The attention counts a single head; a block has n_heads of them.

        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + attention = head + (n_heads * d_v * d_model + d_model)
        """,
    "counts_all_heads_as_one": """
        "head" counts all heads together. It is W_Q, W_K and W_V of a single head.

        - "head": head,
        + "head": n_heads * head,
        """,
    "counts_one_norm": """
        A single normalization is counted. A block has two, each with a gamma and a beta.

        - norms = 2 * 2 * d_model
        + norms = 2 * d_model
        """,
    "counts_one_block": """
        The total counts a single block. There are n_blocks of them, each with its own weights.

        - "total": vocab_size * d_model + n_blocks * block,
        + "total": vocab_size * d_model + block,
        """,
    "counts_embedding_per_block": """
        The total counts the embedding once per block. The model has one, before its first block.

        - "total": vocab_size * d_model + n_blocks * block,
        + "total": n_blocks * (vocab_size * d_model + block),
        """,
    "counts_embedding_in_the_block": """
        The block counts the embedding, and the total counts it with every block. The embedding is
        no part of a block: the model has one, before its first block.

        - block = attention + feed_forward + norms
        + block = vocab_size * d_model + attention + feed_forward + norms
        ...
        - "total": vocab_size * d_model + n_blocks * block,
        + "total": n_blocks * block,
        """,
    "counts_network_output_bias_as_d_ff": """
        The second bias of the feed-forward network is counted as long as the first. A bias has one
        number for each output: W_1 has d_ff outputs, W_2 only d_model.

        - feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
        + feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_ff)
        """,
    "values_have_d_k_everywhere": """
        The values are counted with d_k numbers. They have d_v: so many does W_V put out, and W_O
        reads n_heads * d_v.

        - head = 2 * (d_model * d_k + d_k) + (d_model * d_v + d_v)
        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + head = 3 * (d_model * d_k + d_k)
        + attention = n_heads * head + (n_heads * d_k * d_model + d_model)
        """,
    "counts_no_attention_biases": """
        The biases of the attention are not counted: those of W_Q, W_K and W_V, d_k + d_k + d_v for
        a head, and the d_model of W_O.

        - head = 2 * (d_model * d_k + d_k) + (d_model * d_v + d_v)
        - attention = n_heads * head + (n_heads * d_v * d_model + d_model)
        + head = 2 * d_model * d_k + d_model * d_v
        + attention = n_heads * head + n_heads * d_v * d_model
        """,
}

FURTHER = """
A linear layer from m to n dimensions has m * n weights and n biases. A head has three such
layers; W_O reads all heads, n_heads * d_v dimensions; each normalization has a gamma and a
beta. If "attention", "block" or "total" is wrong, first check the parts it is the sum of.
"""

RIGHT = {
    "count_by_layers": """
        def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
            def linear(into, out):
                return (into + 1) * out

            parts = {"embedding": vocab_size * d_model}
            parts["head"] = linear(d_model, d_k) + linear(d_model, d_k) + linear(d_model, d_v)
            parts["attention"] = n_heads * parts["head"] + linear(n_heads * d_v, d_model)
            parts["feed_forward"] = linear(d_model, d_ff) + linear(d_ff, d_model)
            parts["norms"] = 2 * (d_model + d_model)
            parts["block"] = parts["attention"] + parts["feed_forward"] + parts["norms"]
            parts["total"] = parts["embedding"] + n_blocks * parts["block"]
            return parts
        """,
    "count_by_shapes": """
        def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
            def size(*shapes):
                return sum(math.prod(shape) for shape in shapes)

            head = [(d_model, d) for d in (d_k, d_k, d_v)] + [(d_k,), (d_k,), (d_v,)]
            output = [(n_heads * d_v, d_model), (d_model,)]
            count = {"embedding": size((vocab_size, d_model)), "head": size(*head)}
            count["attention"] = size(*n_heads * head, *output)
            count["feed_forward"] = size((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))
            count["norms"] = size(*4 * [(d_model,)])
            count["block"] = count["attention"] + count["feed_forward"] + count["norms"]
            count["total"] = count["embedding"] + sum(count["block"] for _ in range(n_blocks))
            return count
        """,
}
