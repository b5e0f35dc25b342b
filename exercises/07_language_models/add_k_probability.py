"""add_k_probability: maximum likelihood and add-k, words and contexts that were never seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from .common import WORDS, as_counters, draw_table

POINTS = {"maximum likelihood": 1, "add-k": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    contexts = [(WORDS[int(i)],) for i in rng.permutation(5)[:3]]

    def inputs(seen_word: bool, seen_context: bool = True, fixed: bool = False) -> list[Any]:
        """A table, a word, a context, and a vocabulary larger than the table's."""
        table = draw_table(rng, contexts, [*WORDS[4:], "</s>"])
        context = contexts[int(rng.integers(3))]
        word = list(table[context])[int(rng.integers(2))] if seen_word else "fish"
        n_words = int(rng.integers(10, 20))
        return [as_counters(table, fixed), word, context if seen_context else ("fish",), n_words]

    for _ in range(2):
        yield Case("maximum likelihood", inputs(True))
    yield Case("maximum likelihood", inputs(False), title="a word that never followed")
    for k in (1, float(rng.integers(11, 99)) / 100, int(rng.integers(2, 6))):
        yield Case("add-k", [*inputs(True), k])
    yield Case("add-k", [*inputs(False), 0.5], title="a word that never followed")
    title = "a context that was never seen"
    yield Case("add-k", [*inputs(True, False), 0.25], title=title)
    small = float(rng.integers(1, 5)) / 100
    yield Case("add-k", [*inputs(True, False), small], title=f"{title}, a small k")
    yield Case("edges", inputs(True, False), title=f"{title}, k = 0")
    title = "the counts stay as they are"
    yield Case("edges", [*inputs(False, True, True), 0.5], title=title)
    yield Case("edges", [*inputs(True, False, True), 0.5], title=title)
    table = draw_table(rng, [()], WORDS)
    yield Case(
        "edges", [as_counters(table), WORDS[int(rng.integers(5))], (), 12, 2], title="unigrams"
    )
    table = draw_table(rng, [("the", "cat")], WORDS)
    word = next(iter(table["the", "cat"]))
    yield Case("edges", [as_counters(table), word, ("the", "cat"), 11, 0.5], title="trigrams")


WRONG = {
    "numerator_only": """
        These probabilities sum to more than 1: k was added to the count of this word, but not for
        all |V| words in the denominator.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values())
        """,
    "denominator_only": """
        The count of the word itself is still without k: a word that never followed should get
        k / (...), not 0.

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return following.get(word, 0) / total if total > 0 else 0.0
        """,
    "denominator_plus_k": """
        k was added once to the denominator. Each of the |V| words gets k more, so it grows by
        k times |V|.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values()) + k
        """,
    "adds_one": """
        You add 1 whatever k is.

        - total = sum(following.values()) + k * n_words
        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + total = sum(following.values()) + n_words
        + return (following.get(word, 0) + 1) / total
        """,
    "words_seen_here": """
        k is added for each word that followed this context. Add it for all n_words words: those
        never seen here are the ones that need it.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values()) + k * len(following)
        """,
    "number_of_different_words": """
        You divide by the number of different words after the context, not by the sum of
        their counts: sum(following.values()).

        - total = sum(following.values()) + k * n_words
        + total = len(following) + k * n_words
        """,
    "divides_by_all_counts": """
        You divide by all counts of the table. A conditional probability is a share of what followed
        *this* context.

        - total = sum(following.values()) + k * n_words
        + total = sum(sum(row.values()) for row in counts.values()) + k * n_words
        """,
    "unseen_context_is_an_error": """
        A context that was never seen is missing in the dictionary, and looking it up raises an
        error. `counts.get(context, {})` gives an empty one instead.

        raises KeyError

        - following = counts.get(context, {})
        + following = counts[context]
        """,
    "unseen_context_gives_zero": """
        After a context that was never seen you give every word 0, whatever k is. With k above 0 the
        formula still holds: k / (k |V|), the same for all words. Only with k = 0 it is 0 / 0.

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) + k) / total if following else 0.0
        """,
    "divides_by_zero": """
        0 / 0: with k = 0 and a context that was never seen there is nothing to divide by. Return 0.0.

        raises ZeroDivisionError

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) + k) / total
        """,
    "changes_the_counts": """
        A lookup should leave the counts as they are. `setdefault` adds what it does not find, and
        the counts are used again: take `get`.

        raises TypeError

        - following = counts.get(context, {})
        + following = counts.setdefault(context, Counter())
        """,
    "equal_although_k_is_zero": """
        After a context that was never seen all words are equally probable, with k = 0, too. Then nothing is
        known about them: return 0.0.

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) + k) / total if total > 0 else 1 / n_words
        """,
    "only_unseen_words_get_k": """
        Only words that were never seen here get k. Every word gets k more, those with a count as well.

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) or k) / total if total > 0 else 0.0
        """,
    "one_word_more": """
        k is added for n_words + 1 words. The stop token is among the n_words already, and the start token is
        never predicted.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values()) + k * (n_words + 1)
        """,
    "vocabulary_without_k": """
        The denominator grows by |V| whatever k is, as if k were 1. Each of the |V| words gets k more, so it grows
        by k times |V|.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values()) + n_words
        """,
    "k_plus_vocabulary": """
        The denominator grows by k plus |V|. Each of the |V| words gets k more, so it grows by k times |V|.

        - total = sum(following.values()) + k * n_words
        + total = sum(following.values()) + k + n_words
        """,
    "counts_times_vocabulary": """
        |V| multiplies the sum of the counts, too. It multiplies k alone: look at the parentheses.

        - total = sum(following.values()) + k * n_words
        + total = (sum(following.values()) + k) * n_words
        """,
    "one_in_the_numerator": """
        The count of the word grows by 1 whatever k is. It grows by k, as those of all other words do.

        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) + 1) / total if total > 0 else 0.0
        """,
}

RIGHT = {
    "conditions_first": """
        def add_k_probability(counts, word, context, n_words, k=0.0):
            if context not in counts:
                return 1 / n_words if k else 0.0
            row = counts[context]
            return (row[word] + k) / (sum(row.values()) + k * n_words)
        """,
    "in_numpy": """
        def add_k_probability(counts, word, context, n_words, k=0.0):
            import numpy as np

            row = counts.get(context) or Counter()
            total = float(np.sum(list(row.values()))) + k * n_words
            return float((row[word] + k) / total) if total else 0.0
        """,
    "error_caught": """
        def add_k_probability(counts, word, context, n_words, k=0.0):
            row = dict(counts.get(context, ()))
            try:
                return (row.get(word, 0) + k) / (sum(row.values()) + n_words * k)
            except ZeroDivisionError:
                return 0.0
        """,
}

EQUIVALENT = {
    "counts and k are never negative": """
        - return (following.get(word, 0) + k) / total if total > 0 else 0.0
        + return (following.get(word, 0) + k) / total if total != 0 else 0.0
        """,
}
