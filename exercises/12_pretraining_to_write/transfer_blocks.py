"""transfer_blocks: none, some and all blocks; more than ten; nothing is changed in place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"blocks": 2, "norm": 1, "many": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(numbers: range) -> dict[str, torch.Tensor]:
        names = [f"blocks.{i}.{layer}" for i in numbers for layer in ("norm_1.bias", "W_Q.weight")]
        names = ["tokens.weight", "positions.weight", *names, "norm.weight", "norm.bias"]
        sizes = {"tokens.weight": (3, 2), "positions.weight": (1, 2)}
        return {name: normal(rng, *sizes.get(name, (2,))) for name in names}

    def case(group: str, n_blocks: int, n: int, title: str) -> Case:
        both = weights(range(n_blocks)), weights(range(n_blocks))
        return Case(group, [*both, n], title=title, judge=EXACT)

    n = number(rng, 3, 5)
    yield case("blocks", n, 1, "the first block")
    yield case("blocks", n, n - 1, "all but the last")
    yield case("blocks", n, 0, "embeddings only")

    yield case("norm", n, n, "all blocks")
    yield case("norm", 2, number(rng, 3, 9), "more than there are")
    yield case("norm", 2, 1, "one of two")

    yield case("many", 12, 2, "two of twelve")
    yield case("many", 13, number(rng, 10, 12), "most of thirteen")


WRONG = {
    "one_block_too_many": """
        One block too many is transferred: the first n have the numbers 0 to n - 1.

        - transferred |= part == "blocks" and int(number) < n
        + transferred |= part == "blocks" and int(number) <= n
        """,
    "last_blocks": """
        The last n blocks are transferred. The first ones are wanted, which are nearest to the tokens.

        - transferred |= part == "blocks" and int(number) < n
        + transferred |= part == "blocks" and int(number) >= n_blocks - n
        """,
    "norm_always": """
        The last normalization is always transferred. It has learned what the last block puts out, so
        it comes only with all blocks.

        - transferred |= part == "norm" and n >= n_blocks
        + transferred |= part == "norm"
        """,
    "norm_only_for_the_exact_number": """
        The last normalization comes along only if n is exactly the number of blocks. An n above it means
        all of them, too.

        - transferred |= part == "norm" and n >= n_blocks
        + transferred |= part == "norm" and n == n_blocks
        """,
    "norm_never": """
        The last normalization is never transferred. If all blocks are, it belongs to them.

        - transferred |= part == "norm" and n >= n_blocks
        + pass
        """,
    "fresh_embeddings": """
        The embeddings are not transferred. They always are, also with n = 0.

        - transferred = part in ("tokens", "positions")
        + transferred = False
        """,
    "embeddings_with_blocks": """
        Without a block, the embeddings are not transferred either. They always are.

        - transferred = part in ("tokens", "positions")
        + transferred = part in ("tokens", "positions") and n > 0
        """,
    "tokens_only": """
        The positions are not transferred. Both embeddings are: tokens and positions.

        - transferred = part in ("tokens", "positions")
        + transferred = part == "tokens"
        """,
    "first_digit": """
        Only the first digit of a block's number is compared, so block 10 counts as block 1.

        - transferred |= part == "blocks" and int(number) < n
        + transferred |= part == "blocks" and int(number[0]) < n
        """,
    "compares_text": """
        The numbers are compared as text, in which "10" comes before "2". Make them integers.

        - transferred |= part == "blocks" and int(number) < n
        + transferred |= part == "blocks" and number < str(n)
        """,
    "exchanged": """
        Pretrained and fresh are exchanged.

        - chosen[name] = (pretrained if transferred else fresh)[name]
        + chosen[name] = (fresh if transferred else pretrained)[name]
        """,
    "only_what_is_transferred": """
        The fresh weights are missing: the new dictionary has all names.

        - chosen[name] = (pretrained if transferred else fresh)[name]
        + if transferred:
        +     chosen[name] = pretrained[name]
        """,
    "norms_in_the_blocks": """
        The normalizations inside the blocks come only with all blocks, like the last one. They
        belong to their block, whose number decides.

        - transferred |= part == "blocks" and int(number) < n
        + transferred |= part == "blocks" and int(number) < n and (n >= n_blocks or ".norm_" not in name)
        """,
}

FURTHER = """
Go through the names of `fresh`. name.split(".") begins with "tokens", "positions", "norm", or "blocks" and
the number. Count the blocks first: the last normalization is pretrained only if n is at least that many.
"""

RIGHT = {
    "copies_and_overwrites": """
        def transfer_blocks(pretrained, fresh, n):
            result = dict(fresh)
            numbers = {int(key.split(".")[1]) for key in fresh if key.startswith("blocks")}
            for key, tensor in pretrained.items():
                if key.startswith(("tokens.", "positions.")):
                    result[key] = tensor
                if key.startswith("norm.") and n >= len(numbers):
                    result[key] = tensor
                if key.startswith(tuple(f"blocks.{i}." for i in range(n))):
                    result[key] = tensor
            return result
        """,
    "asks_a_function": """
        def transfer_blocks(pretrained, fresh, n):
            depth = len({key.split(".")[1] for key in fresh if "blocks." in key})

            def source(key):
                first, second, *_ = key.split(".")
                if first == "blocks":
                    return pretrained if int(second) + 1 <= n else fresh
                if first == "norm":
                    return pretrained if depth <= n else fresh
                return pretrained

            return {key: source(key)[key] for key in fresh}
        """,
}

EQUIVALENT = {
    "whole numbers are the same as floats, and only what is 0 is false": """
        -    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks."))
        +    n_blocks = float(1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks.")))

        -        transferred |= part == "blocks" and int(number) < n
        +        transferred |= -(part == "blocks" and int(number) < n)

        -        transferred |= part == "norm" and n >= n_blocks
        +        transferred |= -(part == "norm" and n >= n_blocks)
        """,
    "a block has several names": """
        -    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks."))
        +    n_blocks = 1 + max(int(name.split(".")[1]) for name in list(fresh)[1:] if name.startswith("blocks."))

        -    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks."))
        +    n_blocks = 1 + max(int(name.split(".")[1]) for name in list(fresh)[:-1] if name.startswith("blocks."))
        """,
    "both models have the same names, whose order is free": """
        -    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks."))
        +    n_blocks = 1 + max(int(name.split(".")[1]) for name in pretrained if name.startswith("blocks."))

        -    for name in fresh:
        +    for name in list(fresh)[::-1]:

        -    for name in fresh:
        +    for name in pretrained:
        """,
    "the names are those of GPT: they begin with tokens, positions, blocks or norm": """
        -    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith("blocks."))
        +    n_blocks = 1 + max(int(name.split(".")[1]) for name in fresh if name.startswith('blocks'))

        -        transferred |= part == "blocks" and int(number) < n
        +        transferred |= (part <= "blocks") and int(number) < n
        """,
    "with all blocks, everything is transferred": """
        -        transferred |= part == "norm" and n >= n_blocks
        +        transferred |= n >= n_blocks

        -        transferred |= part == "norm" and n >= n_blocks
        +        transferred |= (part >= "norm") and n >= n_blocks

        -        transferred |= part == "norm" and n >= n_blocks
        +        transferred |= (part <= "norm") and n >= n_blocks
        """,
}
