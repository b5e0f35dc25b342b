"""llama_costs: every size by itself, so that no two of them can be exchanged; large models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"tied": 2, "own head": 1, "large": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, sizes: list[int], title: str, tied: bool = True) -> Case:
        return Case(group, sizes, kwargs={} if tied else {"tied": False}, title=title)

    def some(heads: int, key_heads: int) -> list[int]:
        d = heads * 2 * number(rng, 1, 6)
        vocabulary, hidden = number(rng, 20, 90), number(rng, 5, 40)
        return [vocabulary, d, heads, key_heads, hidden, number(rng, 2, 5), number(rng, 3, 30)]

    yield case("tied", [10, 4, 2, 1, 6, 1, 3], "the example of the text")
    yield case("tied", [number(rng, 11, 99), 4, 2, 1, 6, 1, 3], "a larger vocabulary")
    yield case("tied", some(2, 2), "as many key heads as heads")
    yield case("tied", some(6, 2), "six heads, two key heads")
    yield case("tied", [*some(4, 1)[:6], 1], "a single token")
    yield case("own head", some(4, 2), "a head that is not tied", tied=False)
    yield case("own head", some(3, 1), "three heads, one key head", tied=False)
    length = number(rng, 3000, 9000)
    # making this one fails at once, where one of eight billion parameters would fill the memory first
    huge = [10**11 + number(rng, 1, 99), 4096, 32, 8, 14_336, 32, length]
    yield case("large", huge, "Llama 3, with more tokens than a computer has room for", tied=False)
    yield case("large", [49_152, 576, 9, 3, 1536, 30, length], "SmolLM2")


WRONG = {
    "one_operation": """
        A product that is added counts as one operation here. It counts as two.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": length * (matrices + words) + pairs // 2,
        """,
    "attention_is_free": """
        The scores and the weighted sums of the attention are missing from the operations.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": 2 * length * (matrices + words),
        """,
    "half_of_the_pairs": """
        The attention has half of its operations. Scores and weighted sums both count, each for all
        L × L pairs: what the mask removes is computed, too.

        - pairs = n_layers * 2 * 2 * length * length * d_model
        + pairs = n_layers * 2 * length * length * d_model
        """,
    "pairs_of_key_heads": """
        The attention's operations are counted for the key heads. Every query head makes its own
        scores.

        - pairs = n_layers * 2 * 2 * length * length * d_model
        + pairs = n_layers * 2 * 2 * length * length * n_key_heads * d_k
        """,
    "head_is_free": """
        The head's product is missing from the operations. It is a matrix like the others, tied or
        not.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": 2 * length * matrices + pairs,
        """,
    "embedding_costs": """
        An untied model counts two products with the vocabulary. The embedding is looked up and costs
        nothing.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": 2 * length * (matrices + (words if tied else 2 * words)) + pairs,
        """,
    "tied_head_counts": """
        The tied head is counted as parameters of its own.

        - "parameters": matrices + norms + (words if tied else 2 * words),
        + "parameters": matrices + norms + 2 * words,
        """,
    "head_forgotten": """
        The head that is not tied is missing from the parameters.

        - "parameters": matrices + norms + (words if tied else 2 * words),
        + "parameters": matrices + norms + words,
        """,
    "norms_forgotten": """
        The gains of the normalizations are missing from the parameters: two in each block, and one
        after the last.

        - "parameters": matrices + norms + (words if tied else 2 * words),
        + "parameters": matrices + (words if tied else 2 * words),
        """,
    "last_norm_forgotten": """
        The normalization after the last block is missing.

        - norms = (2 * n_layers + 1) * d_model
        + norms = 2 * n_layers * d_model
        """,
    "all_heads_in_the_cache": """
        The cache is counted for all heads. It has the key heads only.

        - "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        + "cache_bytes": 2 * 2 * n_layers * d_model * length,
        """,
    "only_keys": """
        The cache has keys *and* values.

        - "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        + "cache_bytes": 2 * n_layers * n_key_heads * d_k * length,
        """,
    "four_bytes": """
        Each number of the cache is counted with 4 bytes. It has 2.

        - "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        + "cache_bytes": 2 * 4 * n_layers * n_key_heads * d_k * length,
        """,
    "four_full_projections": """
        W_K and W_V are counted with d_model outputs. They have those of the key heads only.

        - attention = 2 * d_model * d_model + 2 * d_model * n_key_heads * d_k
        + attention = 4 * d_model * d_model
        """,
    "two_matrices_in_the_network": """
        The network is counted with two matrices. SwiGLU has three.

        - matrices = n_layers * (attention + 3 * d_model * d_hidden)
        + matrices = n_layers * (attention + 2 * d_model * d_hidden)
        """,
    "all_parameters_multiply": """
        Every parameter is counted with two operations. Gains of the normalizations are left out, and
        an embedding is looked up: only matrices count.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": 2 * length * (matrices + norms + (words if tied else 2 * words)) + pairs,
        """,
    "cache_of_one_block": """
        The cache is that of one block. Every block has its own keys and values.

        - "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        + "cache_bytes": 2 * 2 * n_key_heads * d_k * length,
        """,
    "causal_pairs_only": """
        The attention is counted for the pairs that the mask allows. All L × L count: what the mask
        removes is computed, too.

        - pairs = n_layers * 2 * 2 * length * length * d_model
        + pairs = n_layers * 2 * length * (length + 1) * d_model
        """,
    "head_at_the_last_token": """
        The head is counted for one token. Reading a text at once, it makes scores at each of the L
        tokens.

        - "operations": 2 * length * (matrices + words) + pairs,
        + "operations": 2 * (length * matrices + words) + pairs,
        """,
}

FURTHER = """
Count the numbers in the matrices of a block once: 2 d² for W_Q and W_O, 2 d G d_k for W_K and W_V,
3 d d_hidden for the network. Each is used once for every token: 2 L operations per number, and so is the
head. The scores take 2 L L d_k operations per head, and the weighted sum as many.
"""

RIGHT = {
    "matrix_by_matrix": """
        def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
            d_k = d_model // n_heads
            shapes = []
            for _ in range(n_layers):
                shapes += [(d_model, d_model)] * 2 + [(d_model, n_key_heads * d_k)] * 2
                shapes += [(d_model, d_hidden)] * 2 + [(d_hidden, d_model)]
            shapes.append((d_model, n_tokens))
            operations = sum(2 * length * a * b for a, b in shapes)
            operations += n_layers * n_heads * (2 * length * d_k * length + 2 * length * length * d_k)
            parameters = sum(a * b for a, b in shapes) + d_model * (2 * n_layers + 1)
            if not tied:
                parameters += n_tokens * d_model
            cache = 2 * n_layers * n_key_heads * d_k * length
            return {"parameters": parameters, "cache_bytes": 2 * cache, "operations": operations}
        """,
    "other_order": """
        - pairs = n_layers * 2 * 2 * length * length * d_model
        - return {
        -     "parameters": matrices + norms + (words if tied else 2 * words),
        -     "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        -     "operations": 2 * length * (matrices + words) + pairs,
        - }
        + found = dict(operations=2 * length * matrices + 2 * length * words)
        + found["operations"] += 4 * n_layers * n_heads * d_k * length**2
        + found["parameters"] = matrices + norms + words + (0 if tied else words)
        + found["cache_bytes"] = 4 * n_layers * (d_model * n_key_heads // n_heads) * length
        + return found
        """,
}
