"""KneserNey: orders 1 to 4, words and contexts that were never seen, other discounts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from .common import WORDS, draw_sentences

POINTS = {"bigrams": 2, "higher orders": 2, "edges": 2}
#: Sentences that raise an error when they are read while `probability` runs.
_READ_ONCE = (
    "(lambda allowed: (lambda kinds: kinds[0](map(kinds[1], {sentences})))("
    "[type('Sentences', (list,), {{"
    "**{{name: lambda self, *given, read=getattr(list, name): (allowed(), read(self, *given))[1]"
    " for name in ('__iter__', '__getitem__', '__len__', '__add__')}},"
    " '__radd__': lambda self, before: (allowed(), before + [*self])[1]}}) for _ in range(2)]))("
    "lambda: any(frame.f_code.co_name == 'probability' for frame, _ in __import__('traceback')"
    ".walk_stack(None)) and (_ for _ in ()).throw(RuntimeError("
    "'probability reads the sentences again; count once, in __init__')))"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        title: str,
        n: int,
        queries: list[tuple[str, ...]],
        size: int = 6,
        times: int = 1,
        **other: float,
    ) -> Case:
        """The probability of the last word of each query, after the others."""
        sentences = [*draw_sentences(rng, size, 4), *[["the", "cat", "sees", "the", "dog"]] * times]
        n_words = int(rng.integers(8, 15))
        then = [("probability", query[-1], query[:-1]) for query in queries]
        return Case(group, [sentences, n, n_words], other, title=title, then=then)

    def draw_queries(n: int, count: int) -> list[tuple[str, ...]]:
        rows = rng.integers(0, 4, size=(count, n))
        return [tuple(WORDS[int(i)] for i in row) for row in rows]

    pairs = [("the", "cat"), ("the", "dog"), ("cat", "sees"), ("dog", "</s>"), ("<s>", "the")]
    yield case("bigrams", "bigrams", 2, pairs)
    yield case("bigrams", "bigrams of more text", 2, [*draw_queries(2, 3), ("dog", "</s>")], 12)
    title = "a frequent word that follows only one other"
    pairs = [("cat", "dog"), ("the", "dog"), ("sees", "dog"), ("dog", "cat")]
    tied = [["the", "dog"]] * int(rng.integers(3, 6)) + [["the", "cat"], ["a", "cat"], ["cat", "a"]]
    then = [("probability", word, (context,)) for context, word in pairs]
    yield Case("bigrams", [tied, 2, int(rng.integers(5, 9))], title=title, then=then)
    triples = [("the", "cat", "sees"), ("sees", "the", "dog"), ("<s>", "<s>", "the")]
    triples += [("cat", "sees", "the"), ("the", "dog", "</s>")]
    yield case("higher orders", "trigrams", 3, triples, 8)
    triples = [*draw_queries(3, 3), ("fish", "cat", "sees")]
    yield case("higher orders", "trigrams of more text", 3, triples, 14)
    four = [("cat", "sees", "the", "dog"), ("<s>", "the", "cat", "sees"), *draw_queries(4, 2)]
    yield case("higher orders", "4-grams", 4, four, 10)
    yield case("edges", "a word that was never seen", 2, [("the", "fish"), ("cat", "fish")])
    unseen = [("fish", "cat"), ("fish", "the"), ("fish", "fish")]
    yield case("edges", "a context that was never seen", 2, unseen)
    unseen = [("fish", "the", "cat"), ("fish", "fish", "the"), ("the", "fish", "cat")]
    yield case("edges", "a trigram context that was never seen", 3, unseen, times=3)
    yield case("edges", "unigrams", 1, [("the",), ("cat",), ("fish",), ("</s>",)])
    text = [*draw_sentences(rng, 6, 4), ["the", "cat", "sees", "the", "dog"]]
    then = [("probability", query[-1], query[:-1]) for query in [*draw_queries(3, 1), *triples[:1]]]
    inputs = [codec.Source(_READ_ONCE.format(sentences=text)), 3, int(rng.integers(8, 15))]
    yield Case("edges", inputs, title="sentences that only `__init__` may read", then=then)
    discount = float(rng.integers(20, 60)) / 100 + 0.005
    pairs = [("the", "cat"), ("cat", "sees"), ("dog", "fish")]
    yield case("edges", "another discount", 2, pairs, discount=discount)


FURTHER = """
`__init__`: start with the table of order n. The table of order n - 1 comes from its keys: for each
context and each different word after it, add 1 for the word after context[1:]. Do that n - 1 times,
and keep all tables with their sums. `probability`: start with p = 1 / |V|; for each order from 1 to n
look up the last m - 1 words of the context; if they were seen, the new p is
(max(count - D, 0) + D * number of different words * p) / sum of the counts.
"""

WRONG = {
    "counts_in_every_call": """
        Every call of `probability` counts the n-grams of all sentences anew: a text of a hundred thousand
        tokens would take hours. Count once, in `__init__`, and keep the tables.

        raises RuntimeError

        class KneserNey:
            def __init__(self, sentences, n, n_words, discount=0.75):
                self.sentences, self.n, self.n_words, self.discount = sentences, n, n_words, discount

            def probability(self, word, context):
                tables = [count_ngrams(self.sentences, self.n)]
                for _ in range(self.n - 1):
                    lower = {}
                    for longer, following in tables[0].items():
                        lower.setdefault(longer[1:], Counter()).update(following.keys())
                    tables.insert(0, lower)
                p = 1 / self.n_words
                for m, table in enumerate(tables, start=1):
                    following = table.get(context[self.n - m :])
                    if following:
                        seen = max(following.get(word, 0) - self.discount, 0)
                        p = (seen + self.discount * len(following) * p) / sum(following.values())
                return p
        """,
    "plain_counts_everywhere": """
        The shorter contexts use plain counts. Below the highest order, count contexts: with how many
        different words in front does (context, w) occur? Only then a word like Francisco, frequent
        but always after San, gets a small probability elsewhere.

        - lower.setdefault(context[1:], Counter()).update(following.keys())
        + lower.setdefault(context[1:], Counter()).update(following)
        """,
    "continuation_counts_everywhere": """
        The highest order uses plain counts; continuation counts are for the orders below it.

        - self.tables = [table]  # from order 1 to n
        + self.tables = [{c: Counter(dict.fromkeys(ws, 1)) for c, ws in table.items()}]
        """,
    "no_interpolation": """
        The shorter context is asked only for words that never followed the longer one. In the
        interpolated form every word gets its share from below, on top of its discounted count.

        - seen = max(following.get(word, 0) - self.discount, 0)
        - p = (seen + self.discount * len(following) * p) / totals[shorter]
        + seen = max(following.get(word, 0) - self.discount, 0)
        + below = 0 if seen else self.discount * len(following) * p
        + p = (seen + below) / totals[shorter]
        """,
    "negative_counts": """
        A word that never followed has the count 0, and 0 - D is negative. Nothing can be taken from
        it: max(..., 0).

        - seen = max(following.get(word, 0) - self.discount, 0)
        + seen = following.get(word, 0) - self.discount
        """,
    "weight_without_number_of_words": """
        The weight of the shorter context is too small: D was taken from each different word that
        followed, so D times their number was taken in all.

        - p = (seen + self.discount * len(following) * p) / totals[shorter]
        + p = (seen + self.discount * p) / totals[shorter]
        """,
    "no_uniform": """
        A word that was never seen gets 0. Below the unigrams comes one more level, on which every
        word has the probability 1 / |V|.

        - p = 1 / self.n_words
        + p = 0.0
        """,
    "unseen_context_gives_zero": """
        A context that was never seen has nothing to say: its probability is that of the shorter
        context, not 0.

        - if following is None:  # then no longer context was seen either
        -     break
        + if following is None:
        +     return 0.0
        """,
    "unseen_context_gives_uniform": """
        After a context that was never seen you give every word 1 / |V|. The shorter context still
        knows something: keep its probability.

        - if following is None:  # then no longer context was seen either
        -     break
        + if following is None:
        +     return 1 / self.n_words
        """,
    "context_not_shortened_from_the_left": """
        You look up the first m - 1 words of the context. The last ones matter, those right before
        the word: a shorter context has lost its first words.

        - shorter = context[self.n - m :]
        + shorter = context[: m - 1]
        """,
    "minus_zero": """
        context[-0:] is the whole context, not an empty one, so the unigrams are never found. Let the
        slice begin at len(context) - (m - 1).

        - shorter = context[self.n - m :]
        + shorter = context[-(m - 1) :]
        """,
    "minus_zero_skipped": """
        Your unigrams are skipped: context[-0:] is the whole context, not an empty one. Let the slice
        begin at len(context) - (m - 1).

        - shorter = context[self.n - m :]
        + shorter = context[-(m - 1) :]
        ...
        - break
        + continue
        """,
    "only_unigrams_by_contexts": """
        Only your unigrams have continuation counts. All orders below n have them, bigrams below
        trigrams, too: apply the same step to each new table.

        - for _ in range(n - 1):
        -     lower = {}
        -     for context, following in table.items():
        -         lower.setdefault(context[1:], Counter()).update(following.keys())
        -     table = lower
        + for m in range(n - 1, 0, -1):
        +     table = count_ngrams(sentences, m)
        +     if m == 1:
        +         found = count_ngrams(sentences, 2)
        +         table = {(): Counter(w for following in found.values() for w in following)}
        """,
    "divides_by_plain_counts": """
        You divide continuation counts by sums of plain counts. Divide by the sum of the same
        counts, so that the probabilities sum to 1.

        - for table in self.tables
        + for table in (count_ngrams(sentences, m) for m in range(1, n + 1))
        """,
    "discount_is_fixed": """
        The discount is always 0.75, whatever was passed in. Keep the argument `discount`, and use
        it.

        - self.n, self.n_words, self.discount = n, n_words, discount
        + self.n, self.n_words, self.discount = n, n_words, 0.75
        """,
    "unigrams_are_shares": """
        Your unigrams are plain shares of the continuation counts. The formula holds for them, too: the
        discount is taken from each count, and goes to the level below, where every word has the
        probability 1 / |V|.

        - p = (seen + self.discount * len(following) * p) / totals[shorter]
        + p = (seen + self.discount * len(following) * p) / totals[shorter]
        + if m == 1:
        +     p = following.get(word, 0) / totals[shorter]
        """,
    "unigrams_are_shares_of_tokens": """
        Your unigrams are the words' shares of all tokens. They have continuation counts (unless n is 1):
        with how many different words in front does the word occur? And the discount is taken from
        them, too, for the level below, where every word has the probability 1 / |V|.

        - self.tables.insert(0, table)
        + self.tables.insert(0, table)
        + self.tables[0] = count_ngrams(sentences, 1)
        ...
        - p = (seen + self.discount * len(following) * p) / totals[shorter]
        + p = (seen + self.discount * len(following) * p) / totals[shorter]
        + if m == 1:
        +     p = following.get(word, 0) / totals[shorter]
        """,
    "unigrams_not_discounted": """
        Nothing is taken from your unigrams, and still every word gets a share of 1 / |V| on top, so they
        sum to more than 1. The discount is taken from their counts as from all others.

        - seen = max(following.get(word, 0) - self.discount, 0)
        + seen = max(following.get(word, 0) - (self.discount if m > 1 else 0), 0)
        """,
    "no_unigrams": """
        Your unigrams are left out: below the bigrams every word has the probability 1 / |V| at once.
        The empty context has continuation counts, too, and 1 / |V| stands below these.

        - following = table.get(shorter)
        - if following is None:  # then no longer context was seen either
        + if m == 1:
        +     continue
        + following = table.get(shorter)
        + if following is None:  # then no longer context was seen either
        """,
    "starts_are_no_contexts": """
        Contexts that begin with a start token are left out of the continuation counts. The
        beginning of a sentence is a context like any other: count it, too.

        - for context, following in table.items():
        -     lower.setdefault(context[1:], Counter()).update(following.keys())
        + for context, following in count_ngrams(sentences, n - len(self.tables) + 1).items():
        +     if context[0] != START:
        +         lower.setdefault(context[1:], Counter()).update(following.keys())
        """,
    "passes_on_the_discount_itself": """
        The weight of the shorter context is D, whatever followed. It is what was taken from this
        context: D times the number of different words that followed, divided by the sum of the
        counts.

        - p = (seen + self.discount * len(following) * p) / totals[shorter]
        + p = seen / totals[shorter] + self.discount * p
        """,
}

RIGHT = {
    "recursive_with_sets": """
        class KneserNey:
            def __init__(self, sentences, n, n_words, discount=0.75):
                self.n, self.V, self.D = n, n_words, discount
                self.rows = {}
                for context, row in count_ngrams(sentences, n).items():
                    self.rows[context] = dict(row)
                for m in range(n - 1, 0, -1):
                    before = {}
                    for context, row in count_ngrams(sentences, m + 1).items():
                        for w in row:
                            before.setdefault(context[1:], {}).setdefault(w, set()).add(context[0])
                    for context, row in before.items():
                        self.rows[context] = {w: len(seen) for w, seen in row.items()}
                self.sums = {c: sum(row.values()) for c, row in self.rows.items()}

            def probability(self, word, context):
                lower = self.probability(word, context[1:]) if context else 1 / self.V
                if context not in self.rows:
                    return lower
                row, total = self.rows[context], self.sums[context]
                share = self.D * len(row) / total
                return max(row.get(word, 0) - self.D, 0) / total + share * lower
        """,
    "flat_counters": """
        class KneserNey:
            def __init__(self, sentences, n, n_words, discount=0.75):
                grams = Counter()
                for s in sentences:
                    t = [START] * (n - 1) + s + [STOP]
                    grams.update(tuple(t[i : i + n]) for i in range(len(t) - n + 1))
                self.d, self.base = discount, 1 / n_words
                self.counts, self.sums, self.types = {}, Counter(), Counter()
                while True:
                    for gram, c in grams.items():
                        self.counts[gram] = c
                        self.sums[gram[:-1]] += c
                        self.types[gram[:-1]] += 1
                    if len(next(iter(grams))) == 1:
                        break
                    grams = Counter(gram[1:] for gram in grams)

            def probability(self, word, context):
                p = self.base
                for start in range(len(context), -1, -1):
                    c = context[start:]
                    if self.sums[c]:
                        kept = max(self.counts.get((*c, word), 0) - self.d, 0)
                        p = kept / self.sums[c] + self.d * self.types[c] / self.sums[c] * p
                return p
        """,
}

EQUIVALENT = {
    "the same number in another form": """
        - self.n, self.n_words, self.discount = n, n_words, discount
        + self.n, self.n_words, self.discount = n, float(n_words), discount
        """,
    "the order of a sum, or of the keys of a dictionary, is free": """
        - for context, following in table.items():
        + for context, following in list(table.items())[::-1]:

        - {context: sum(following.values()) for context, following in table.items()}
        + {context: sum(following.values()) for context, following in list(table.items())[::-1]}
        """,
    "these are two names of one table": """
        - self.tables.insert(0, table)
        + self.tables.insert(0, lower)
        """,
    "the tables are the model's own, and None says that a context was not seen": """
        - following = table.get(shorter)
        + following = table.setdefault(shorter)
        """,
    "then no longer context was seen either": """
        - break
        + continue
        """,
    "the larger of two numbers is the same in both orders": """
        - seen = max(following.get(word, 0) - self.discount, 0)
        + seen = max(0, following.get(word, 0) - self.discount)
        """,
    "the count of a word that was never seen is below the discount anyway": """
        - seen = max(following.get(word, 0) - self.discount, 0)
        + seen = max(following.get(word, -1) - self.discount, 0)
        """,
}
