"""interpolated_probability: the last words of the context, contexts that were never seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from .common import as_counters, draw_table

POINTS = {"values": 2, "unseen": 2}

_WORDS = ["cat", "dog", "sees", "sleeps", "</s>"]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(
        n: int, word: int | str, *missing: int, fixed: bool = False, other_words: int = 0
    ) -> list[Any]:
        """Tables of order 1 to n, without the context of some orders; a word of the unigrams.

        In the table of order `other_words` the context is followed by other words only.
        """
        context = tuple(("sees", "the", "cat")[3 - (n - 1) :])
        other = tuple(reversed(("dog", "the", "sees")))
        tables = []
        for m in range(1, n + 1):
            end, start = context[n - m :], context[: m - 1]
            contexts = [c for c in (end, start, other[: m - 1]) if m not in missing or c != end]
            tables.append(draw_table(rng, list(dict.fromkeys(contexts)), _WORDS))
        words = list(tables[0][()])
        word = word if isinstance(word, str) else words[word % len(words)]
        if other_words:
            tables[other_words - 1][context[n - other_words :]].pop(word, None)
        numbers = rng.integers(1, 10, size=n)
        weights = [float(w) for w in numbers / numbers.sum()]
        return [as_counters(tables, fixed), weights, word, context]

    for n, other_words in ((2, 0), (3, 0), (3, 3), (4, 0)):
        given = inputs(n, int(rng.integers(5)), other_words=other_words)
        yield Case("values", given, title=f"orders 1 to {n}")
    yield Case("values", inputs(1, int(rng.integers(5))), title="unigrams only")
    yield Case("values", inputs(3, "fish"), title="a word that was never seen")
    title = "the longest context was never seen"
    yield Case("unseen", inputs(3, int(rng.integers(5)), 3), title=title)
    title = "only the unigrams know the context"
    yield Case("unseen", inputs(3, int(rng.integers(5)), 2, 3), title=title)
    title = "no context of four words was seen"
    yield Case("unseen", inputs(4, int(rng.integers(5)), 3, 4, other_words=2), title=title)
    title = "the counts stay as they are"
    yield Case("values", inputs(2, "fish", fixed=True), title=title)
    yield Case("unseen", inputs(3, int(rng.integers(5)), 3, fixed=True), title=title)


WRONG = {
    "first_words": """
        You take the first m - 1 words of the context. The last ones count, those right before
        the word.

        - following = counts.get(context[len(context) - m + 1 :])
        + following = counts.get(context[: m - 1])
        """,
    "minus_zero": """
        context[-0:] is the whole context, not an empty one, so your unigrams find nothing. Let the
        slice begin at len(context) - m + 1.

        - following = counts.get(context[len(context) - m + 1 :])
        + following = counts.get(context[-(m - 1) :])
        """,
    "weights_reversed": """
        The weights are in reverse order: weights[0] belongs to the unigrams.

        - for m, (counts, weight) in enumerate(zip(tables, weights), start=1):
        + for m, (counts, weight) in enumerate(zip(tables, weights[::-1]), start=1):
        """,
    "not_renormalized": """
        Where a context was never seen, the weights that are left sum to less than 1, and so do your
        probabilities. Divide by the sum of the weights that you used.

        - return total / used
        + return total
        """,
    "backs_off": """
        This is the estimate of the longest context that was seen, alone. Interpolation adds up
        all orders, each with its weight.

        - total += weight * following.get(word, 0) / sum(following.values())
        - used += weight
        + total = weight * following.get(word, 0) / sum(following.values())
        + used = weight
        """,
    "unweighted": """
        All orders have the same weight here. Multiply each estimate by its own.

        - total += weight * following.get(word, 0) / sum(following.values())
        - used += weight
        + total += following.get(word, 0) / sum(following.values())
        + used += 1
        """,
    "skips_unseen_words": """
        An order is left out because the *word* did not follow the context. That is an estimate
        of 0, and counts with its weight; only an order whose *context* was never seen is left out.

        - if following:
        + if following and word in following:
        ...
        - return total / used
        + return total / used if used else 0.0
        """,
    "mixes_counts": """
        You mix the counts themselves. Each order gives a probability first: the count, divided by
        the sum of the counts after this context.

        - total += weight * following.get(word, 0) / sum(following.values())
        + total += weight * following.get(word, 0)
        """,
    "unseen_weight_to_unigrams": """
        The weight of an order whose context was never seen goes to the unigrams. Divide by the sum of the
        weights that are left: then all of them grow alike.

        - return total / used
        + words = tables[0][()]
        + return total + (sum(weights) - used) * words.get(word, 0) / sum(words.values())
        """,
    "unseen_context_is_uniform": """
        After a context that was never seen, all words count as equally probable. Leave that order out
        instead, and divide by the sum of the weights that are left.

        - return total / used
        + return total + (sum(weights) - used) / len(tables[0][()])
        """,
    "unseen_context_is_an_error": """
        A context that was never seen is no key of its table. Leave that order out, and divide by the sum of
        the weights that are left.

        raises KeyError

        - following = counts.get(context[len(context) - m + 1 :])
        + following = counts[context[len(context) - m + 1 :]]
        """,
    "divides_by_the_number_of_orders": """
        You divide by the number of orders. The weights make it a mean already: divide by the sum of those
        that were used.

        - used += weight
        + used += 1
        """,
}

RIGHT = {
    "calls_add_k": """
        def interpolated_probability(tables, weights, word, context):
            n, total, used = len(tables), 0, 0
            for m in range(n):
                part = context[n - 1 - m :]
                if part in tables[m]:
                    total += weights[m] * add_k_probability(tables[m], word, part, 1)
                    used += weights[m]
            return total / used
        """,
    "shortens_the_context": """
        def interpolated_probability(tables, weights, word, context):
            found = []
            for table, weight in zip(reversed(tables), reversed(weights)):
                if context in table:
                    row = table[context]
                    found.append((weight, row[word] / row.total() if hasattr(row, "total")
                                  else row[word] / sum(row.values())))
                context = context[1:]
            return sum(w * p for w, p in found) / sum(w for w, _ in found)
        """,
    "numpy_average": """
        def interpolated_probability(tables, weights, word, context):
            import numpy as np

            keep, p = [], []
            for m, table in enumerate(tables):
                row = table.get(tuple(context[len(context) - m :]), Counter())
                keep.append(len(row) > 0)
                p.append(row[word] / max(sum(row.values()), 1))
            return float(np.average(p, weights=np.array(weights) * keep))
        """,
}

EQUIVALENT = {
    "the order of a sum, or of the keys of a dictionary, is free": """
        - for m, (counts, weight) in enumerate(zip(tables, weights), start=1):
        + for m, (counts, weight) in list(enumerate(zip(tables, weights), start=1))[::-1]:
        """,
}
