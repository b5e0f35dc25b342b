"""cbow_examples: one example per position; a word may be its own neighbor or have none at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import window_cases

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    return window_cases(rng, {})


WRONG = {
    "id_0_is_no_word": """
        The id 0 was taken for nothing: to Python 0 is false. Here it is the id of a word like any other.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = [w for w in ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window] if w]
        """,
    "context_holds_the_center": """
        The word to be predicted is among its own context words. Leave it out.

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
        A word without any context cannot be predicted, so it gives no example.

        - if context:
        -     examples.append((context, center))
        + examples.append((context, center))
        """,
    "negative_start": """
        The first words lose their left neighbors: a slice with a negative start counts from the end.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[i - window : i] + ids[i + 1 : i + 1 + window]
        """,
    "only_whole_windows": """
        Words near the edges have no example. Cut the window off there, and keep what is left of it.

        - for i, center in enumerate(ids):
        + for i in range(window, len(ids) - window):
        +     center = ids[i]
        """,
    "leaves_out_equal_words": """
        A context word that equals the center is left out. Compare positions, not words.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = [w for w in ids[max(0, i - window) : i + 1 + window] if w != center]
        """,
    "one_example_per_pair": """
        Each pair is an example. In CBOW all context words of a center make one example together.

        - if context:
        -     examples.append((context, center))
        + for word in context:
        +     examples.append(([word], center))
        """,
    "one_too_few_on_the_right": """
        The last context word on the right is missing: the end of a slice is not included.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[max(0, i - window) : i] + ids[i + 1 : i + window]
        """,
    "less_than_the_window": """
        A word exactly `window` positions away is missing, on either side. It belongs to the window.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[max(0, i - window + 1) : i] + ids[i + 1 : i + window]
        """,
    "only_words_before": """
        Only the words before the center are given. Its context is on both sides.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[max(0, i - window) : i]
        """,
    "positions_for_ids": """
        The examples hold positions in the text. They should hold the ids at these positions.

        def cbow_examples(ids, window):
            examples = []
            for i in range(len(ids)):
                near = range(max(0, i - window), min(len(ids), i + window + 1))
                context = [j for j in near if j != i]
                if context:
                    examples.append((context, i))
            return examples
        """,
    "nearest_first": """
        The context words are right, but the nearest come first. They should come from left to right, as in
        the text.

        def cbow_examples(ids, window):
            examples = []
            for i, center in enumerate(ids):
                context = []
                for distance in range(1, window + 1):
                    if i >= distance:
                        context.append(ids[i - distance])
                    if i + distance < len(ids):
                        context.append(ids[i + distance])
                if context:
                    examples.append((context, center))
            return examples
        """,
    "position_by_index": """
        `ids.index` finds the first position of a word. A word that occurs again has its neighbors somewhere
        else: count the positions, with `enumerate`.

        - for i, center in enumerate(ids):
        + for center in ids:
        +     i = ids.index(center)
        """,
    "removes_the_first_equal_word": """
        `remove` takes away the first word that equals the center, which may be a neighbor. Leave out the
        center by its position.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = ids[max(0, i - window) : i + 1 + window]
        + context.remove(center)
        """,
    "neighbors_from_the_end": """
        The first words get neighbors from the end of the text: an index below 0 counts from the end. The
        window begins at position 0 at the earliest.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + near = range(i - window, min(len(ids), i + 1 + window))
        + context = [ids[j] for j in near if j != i and j >= -len(ids)]
        """,
    "sorted_context": """
        The context words are sorted by their ids. They should come from left to right, as in the
        text.

        - context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        + context = sorted(ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window])
        """,
    "each_context_word_once": """
        A context word that occurs twice in a window is given once. Each position counts: do not go
        through a set or the keys of a dictionary.

        - if context:
        -     examples.append((context, center))
        + if context:
        +     examples.append((list(dict.fromkeys(context)), center))
        """,
}

RIGHT = {
    "positions": """
        def cbow_examples(ids, window):
            examples = []
            for i in range(len(ids)):
                near = range(max(0, i - window), min(len(ids), i + window + 1))
                examples.append(([ids[j] for j in near if j != i], ids[i]))
            return [example for example in examples if example[0]]
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
