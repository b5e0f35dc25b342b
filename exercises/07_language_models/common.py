"""What the cases of 07_language_models share: sentences, tables of counts, weights of cells."""

from __future__ import annotations

import numpy as np

from coursekit.checking import codec

WORDS = "the cat dog bird sees chases sleeps sings and".split()


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


#: A dictionary and a counter that refuse to be changed; their copies are ordinary ones.
_FIXED = (
    "[type('Table', (base,), {**dict.fromkeys(('__setitem__', '__delitem__', 'setdefault', 'pop'),"
    " lambda self, *_: (_ for _ in ()).throw(TypeError('it changes the counts; only read them'))),"
    " 'copy': lambda self, base=base: base(self),"
    " '__reduce__': lambda self, base=base: (base, (dict(self),))})"
    " for base in (dict, __import__('collections').Counter)]"
)


def as_counters(
    tables: dict[tuple[str, ...], dict[str, int]] | list[dict[tuple[str, ...], dict[str, int]]],
    fixed: bool = False,
) -> codec.Source:
    """A table of counts as `count_ngrams` gives it, or a list of them.

    With `fixed`, an attempt to change a table raises a TypeError.
    """
    if isinstance(tables, list):
        text = ", ".join(map(_counters, tables))
        text = f"[{text}]"
    else:
        text = _counters(tables)
    types = _FIXED if fixed else "[dict, __import__('collections').Counter]"
    return codec.Source(f"(lambda Table, Counter: {text})(*{types})")


def _counters(table: dict[tuple[str, ...], dict[str, int]]) -> str:
    rows = (f"{context!r}: Counter({row!r})" for context, row in table.items())
    return f"Table({{{', '.join(rows)}}})"


def draw_probability(rng: np.random.Generator, zeros: tuple[str, ...] = ()) -> codec.Source:
    """A made-up P(word | context): it depends on both, and is 0 for the words in `zeros`.

    The context must be hashable, as for a real model.
    """
    a, b = int(rng.integers(2, 9)), int(rng.integers(2, 9))
    value = (
        f"1 / ({a} + len(word) + len({{context}})"
        f" + sum(({b} + i) * len(c) for i, c in enumerate(context)))"
    )
    return codec.Source(f"lambda word, context: 0.0 if word in {zeros!r} else {value}")
