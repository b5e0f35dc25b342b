"""cbow_examples: one example per position; a word may be its own neighbor or have none at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import window_cases

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    return window_cases(rng, {})


WRONG = {
    "context_holds_the_center": """
        The word to be predicted is among its own context words. Then there is nothing left to
        predict.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        - if context:
        + context = ids[max(0, i - window) : i + 1 + window]
        + if len(context) > 1:
        """,
    "center_first": """
        Each tuple should start with the context words; the center comes last.

        - examples.append((context, center))
        + examples.append((center, context))
        """,
    "keeps_empty_context": """
        The only word of a text has no context to be predicted from, so it gives no example.

        - if context:
        -     examples.append((context, center))
        + examples.append((context, center))
        """,
    "negative_start": """
        The left neighbors of the first words are lost: a negative start of a slice counts from
        the end of the list. Make sure that it never falls below 0.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[i - window : i] + ids[i + 1 : i + 1 + window]
        """,
    "only_whole_windows": """
        Only words whose whole window fits into the text are predicted. At the edges the window
        is cut off, and what is left of it counts.

        - for i, center in enumerate(ids):
        + for i in range(window, len(ids) - window):
        +     center = ids[i]
        """,
    "leaves_out_equal_words": """
        A context word is left out where it is the same word as the center. Leave out the
        center's position, not its number.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = [w for w in ids[max(0, i - window) : i + 1 + window] if w != center]
        """,
    "one_example_per_pair": """
        This has an example for every pair. In CBOW all context words of a center make one
        example together.

        - if context:
        -     examples.append((context, center))
        + for word in context:
        +     examples.append(([word], center))
        """,
    "one_example_per_word": """
        A word that comes several times has only its last example: a dictionary keeps one entry
        per key. Every position of the text is an example of its own.

        - return examples
        + return [(context, center) for center, context in {c: w for w, c in examples}.items()]
        """,
}

RIGHT = {
    "positions": """
        def cbow_examples(ids, window):
            examples = []
            for i in range(len(ids)):
                near = [j for j in range(i - window, i + window + 1) if 0 <= j < len(ids) and j != i]
                if near:
                    examples.append(([ids[j] for j in near], ids[i]))
            return examples
        """,
    "pop": """
        def cbow_examples(ids, window):
            examples = []
            for i, center in enumerate(ids):
                first = max(0, i - window)
                context = list(ids[first : i + window + 1])
                context.pop(i - first)
                examples.append((context, center))
            return examples if len(ids) > 1 else []
        """,
}
