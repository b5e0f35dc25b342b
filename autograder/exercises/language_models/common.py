"""What the cases of 07_language_models share: sentences, tables of counts, weights of cells."""

from __future__ import annotations

import numpy as np
import torch

from coursekit.checking import codec

WORDS = "the cat dog bird sees chases sleeps sings and".split()


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(0, scale, size=shape), dtype=np.float32))


def draw_ids(rng: np.random.Generator, n_words: int, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.integers(0, n_words, size=shape))


def draw_sentences(rng: np.random.Generator, n: int, n_words: int = 5) -> list[list[str]]:
    """Sentences of 1 to 5 of the first words."""
    return [
        [WORDS[int(i)] for i in rng.integers(0, n_words, size=int(rng.integers(1, 6)))]
        for _ in range(n)
    ]


def draw_table(
    rng: np.random.Generator, contexts: list[tuple[str, ...]], words: list[str]
) -> dict[tuple[str, ...], dict[str, int]]:
    """Counts of 2 to 9 for at least two words after each context."""
    table = {}
    for context in contexts:
        chosen = rng.permutation(len(words))[: int(rng.integers(2, len(words)))]
        table[context] = {words[int(i)]: int(rng.integers(2, 10)) for i in chosen}
    return table


def as_counters(
    tables: dict[tuple[str, ...], dict[str, int]] | list[dict[tuple[str, ...], dict[str, int]]],
) -> codec.Source:
    """A table of counts as `count_ngrams` gives it, or a list of them."""
    if isinstance(tables, list):
        text = ", ".join(map(_counters, tables))
        text = f"[{text}]"
    else:
        text = _counters(tables)
    return codec.Source(f"(lambda Counter: {text})(__import__('collections').Counter)")


def _counters(table: dict[tuple[str, ...], dict[str, int]]) -> str:
    rows = (f"{context!r}: Counter({row!r})" for context, row in table.items())
    return f"{{{', '.join(rows)}}}"


def draw_probability(rng: np.random.Generator, zeros: tuple[str, ...] = ()) -> codec.Source:
    """A made-up P(word | context): it depends on both, and is 0 for the words in `zeros`."""
    a, b = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    value = f"1 / ({a} + len(word) + sum(({b} + i) * len(c) for i, c in enumerate(context)))"
    return codec.Source(f"lambda word, context: 0.0 if word in {zeros!r} else {value}")
