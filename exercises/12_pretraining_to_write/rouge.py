"""rouge: n-grams and common subsequences, repeated words, several references, none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, draw_words, number, some_words

POINTS = {"n-grams": 2, "subsequence": 2, "references": 1, "edges": 1}

_WORDS = "a danish baker found ring in the old harbor and sold it twice".split()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, one: list[str], others: list[list[str]], kind: int | str, **more: Any
    ) -> Case:
        return Case(group, [one, others, kind], **more)

    def pair(n: int) -> tuple[list[str], list[str]]:
        """Two texts with words in common, in almost the same order."""
        reference = some_words(rng, _WORDS, n + 2)
        summary = [word for word in reference if rng.random() < 0.7] or reference[:1]
        summary[1:1] = some_words(rng, ["mayor", "yesterday", "quietly", "blue"], number(rng, 1, 3))
        return summary, reference

    def few(n: int) -> list[str]:
        return draw_words(rng, ["the", "old", "dog"], n)

    def many(n: int) -> list[str]:
        """A long text, in which no word occurs twice."""
        return [*some_words(rng, _WORDS, 10), *map(str, range(n))]

    n = number(rng, 5, 8)
    one, other = pair(n)
    yield case("n-grams", one, [other], 1, title="words")
    one, other = pair(n)
    yield case("n-grams", one, [other], 2, title="pairs")
    yield case("n-grams", few(n + 1), [few(n)], 2, title="words that occur several times")
    yield case("n-grams", few(9), [few(8)], 3, title="three in a row")
    yield case("n-grams", few(9), [few(4)], 1, title="a summary that repeats itself")
    twice = ["the", "old", "dog", "the", "old"]
    yield case("n-grams", twice, [[*twice, *few(n)]], 1, title="words that both repeat")

    one, other = pair(n)
    one = [*(word for word in one if word != other[-1]), other[-1]]
    yield case("subsequence", one, [other], "L", title="in order, with gaps, the same last word")
    one, other = few(number(rng, 8, 30)), few(number(rng, 5, 20))
    yield case("subsequence", one, [other], "L", title="words that occur several times")
    words = some_words(rng, _WORDS, n)
    yield case("subsequence", words, [words[::-1]], "L", title="the other way round")
    moved = [words[-1], *words[:-1]]
    yield case("subsequence", moved, [words], "L", title="the last word comes first")
    words = some_words(rng, _WORDS, 12)
    one, other = [*words[: number(rng, 3, 6)], "mayor"], [words[0], *words]
    yield case("subsequence", one, [other], "L", title="a long reference that repeats a word")

    one, other = pair(n + 3)
    long = many(number(rng, 4, 50))
    yield case("references", long, [few(n), other, pair(n)[1]], 1, title="the best of three")
    yield case("references", one, [other, few(3)], "L", title="the best of two")
    yield case(
        "references", one, [few(2), pair(n + 1)[1], other], 2, title="pairs, the best of three"
    )

    words = some_words(rng, _WORDS, 10)
    four, ten = words[:4], words[:1] + words[9:3:-1] + words[1:4]
    title = "the first reference has the best recall, the second the best F1"
    yield case("references", four, [four[:1], ten], 1, title=title)
    title = "the second reference has the best precision, the first the best F1"
    yield case("references", four, [four[:2], ten], 1, title=title)
    yield case("edges", [], [other], 1, title="an empty summary")
    yield case("edges", [], [other, []], "L", title="an empty summary, an empty reference")
    yield case("edges", one, [[]], "L", title="an empty reference")
    yield case("edges", one[:1], [other, other[:1]], 2, title="too short for a pair")
    yield case("edges", ["nothing", "here"], [other], 1, title="nothing in common")
    yield case("edges", other, [other], 2, title="the same text")
    yield case("edges", long, [other[: n // 2]], 1, title="a short reference")
    long = many(number(rng, 4, 50))
    yield case("edges", long, [other[:2]], "L", title="a short reference, in order")
    yield case("edges", one, [], 1, title="no reference", judge=VALUE_ERROR)


WRONG = {
    "recall": """
        This is the recall. F1 weighs precision as much: 2PR / (P + R), which is twice what is in
        common, divided by both totals together.

        - best = max(best, 2 * common / sum(totals))
        + best = max(best, common / totals[1])
        """,
    "precision": """
        This is the precision. F1 weighs recall as much: 2PR / (P + R), which is twice what is in
        common, divided by both totals together.

        - best = max(best, 2 * common / sum(totals))
        + best = max(best, common / totals[0])
        """,
    "mean_of_both": """
        This is the mean of precision and recall. F1 is the harmonic mean, 2PR / (P + R).

        - best = max(best, 2 * common / sum(totals))
        + best = max(best, (common / totals[0] + common / totals[1]) / 2)
        """,
    "counts_each_once": """
        Each n-gram counts once, however often it occurs. It counts as often as the side that has it
        less often.

        - common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        + common, totals = len(mine & theirs), (len(mine), len(theirs))
        """,
    "not_clipped": """
        An n-gram of the summary counts as often as it occurs there, so repeating a word pays. It
        counts as often as the side that has it less often.

        - common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        + common = sum(count for gram, count in mine.items() if gram in theirs)
        + totals = mine.total(), theirs.total()
        """,
    "always_words": """
        `kind` is ignored: single words are compared. Compare n-grams of that length.

        - mine, theirs = grams(summary, kind), grams(reference, kind)
        + mine, theirs = grams(summary, 1), grams(reference, 1)
        """,
    "totals_in_words": """
        The n-grams in common are divided by the numbers of words. There are n - 1 n-grams fewer than
        words.

        - common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        + common, totals = (mine & theirs).total(), (len(summary), len(reference))
        """,
    "common_substring": """
        This finds the longest run of neighbors in common. A subsequence may have gaps: where the
        words differ, the table goes on with the larger of its two neighbors.

        - above = [0] * (len(other) + 1)
        + above, longest = [0] * (len(other) + 1), 0
        ...
        -         row.append(above[j] + 1 if word == same else max(above[j + 1], row[j]))
        -     above = row
        - return above[-1]
        +         row.append(above[j] + 1 if word == same else 0)
        +     above, longest = row, max(longest, *row)
        + return longest
        """,
    "order_ignored": """
        The words in common are counted in any order. For ROUGE-L they must occur in the same order.

        - common, totals = common_subsequence(summary, reference), (len(summary), len(reference))
        + common = (Counter(summary) & Counter(reference)).total()
        + totals = len(summary), len(reference)
        """,
    "greedy_subsequence": """
        The next word that fits is always taken. A later one may leave more room: the table compares
        both ways.

        - common, totals = common_subsequence(summary, reference), (len(summary), len(reference))
        + common, at = 0, 0
        + for word in summary:
        +     if word in reference[at:]:
        +         at = reference.index(word, at) + 1
        +         common += 1
        + totals = len(summary), len(reference)
        """,
    "first_reference": """
        Only the first reference counts. The best one should.

        - for reference in references:
        + for reference in references[:1]:
        """,
    "best_of_each": """
        The best precision and the best recall may come from two references here. Work out the F1 for each
        reference, then take the best F1.

        - best = 0.0
        + best = P = R = 0.0
        ...
        - best = max(best, 2 * common / sum(totals))
        + P, R = max(P, common / totals[0]), max(R, common / totals[1])
        + best = 2 * P * R / (P + R)
        """,
    "mean_over_references": """
        The mean over the references is returned. The best one counts.

        - best = max(best, 2 * common / sum(totals))
        + best += 2 * common / sum(totals) / len(references)
        """,
    "zero_without_references": """
        Without a reference there is nothing to compare with: a ValueError, not 0.

        - if not references:
        -     raise ValueError("a summary needs a reference")
        """,
    "in_percent": """
        The result is in percent. It should be between 0 and 1.

        - return best
        + return 100 * best
        """,
    "common_ones_once": """
        An n-gram that both sides have several times counts once in what is common. It counts there
        as often as the side that has it less often.

        - common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        + common, totals = len(mine & theirs), (mine.total(), theirs.total())
        """,
}

FURTHER = """
F1 is 2 * common / (total of the summary + total of the reference). For n-grams, two Counters of tuples:
(mine & theirs).total() keeps the smaller counts. For "L", keep the row above of the table and build the
next one from left to right; the last entry of the last row is the length.
"""

RIGHT = {
    "precision_and_recall": """
        def rouge(summary, references, kind):
            if len(references) == 0:
                raise ValueError("no reference")
            scores = []
            for reference in references:
                if kind == "L":
                    m, n = len(summary), len(reference)
                    c = [[0] * (n + 1) for _ in range(m + 1)]
                    for i in range(1, m + 1):
                        for j in range(1, n + 1):
                            if summary[i - 1] == reference[j - 1]:
                                c[i][j] = c[i - 1][j - 1] + 1
                            else:
                                c[i][j] = max(c[i - 1][j], c[i][j - 1])
                    common = c[m][n]
                else:
                    a = [tuple(summary[i : i + kind]) for i in range(len(summary) - kind + 1)]
                    b = [tuple(reference[i : i + kind]) for i in range(len(reference) - kind + 1)]
                    m, n = len(a), len(b)
                    common = sum(min(a.count(gram), b.count(gram)) for gram in set(a))
                if common == 0:
                    scores.append(0.0)
                    continue
                P, R = common / m, common / n
                scores.append(2 * P * R / (P + R))
            return max(scores)
        """,
    "recursive_subsequence": """
        def rouge(summary, references, kind):
            from functools import lru_cache

            if not references:
                raise ValueError("references")

            def f1(one, other):
                if kind == "L":
                    @lru_cache(None)
                    def length(i, j):
                        if i == 0 or j == 0:
                            return 0
                        if one[i - 1] == other[j - 1]:
                            return 1 + length(i - 1, j - 1)
                        return max(length(i - 1, j), length(i, j - 1))

                    common, total = length(len(one), len(other)), len(one) + len(other)
                else:
                    split = lambda words: list(zip(*(words[i:] for i in range(kind))))
                    a, b = Counter(split(one)), Counter(split(other))
                    common = sum((a & b).values())
                    total = sum(a.values()) + sum(b.values())
                return 2 * common / total if total else 0.0

            return max(f1(summary, reference) for reference in references)
        """,
}

EQUIVALENT = {
    "the order in which n-grams are counted and references are compared is free": """
        -        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        +        return Counter(tuple(words[i : i + n]) for i in list(range(len(words) - n + 1))[::-1])

        -    for reference in references:
        +    for reference in list(references)[::-1]:

        -            best = max(best, 2 * common / sum(totals))
        +            best = max(2 * common / sum(totals), best)
        """,
    "the row above the first has only zeros, and none is read beyond the words": """
        -        above = [0] * (len(other) + 1)
        +        above = [0] * (len(other) + 2)
        """,
    "whole numbers are the same as floats": """
        -        return above[-1]
        +        return float(above[-1])

        -            common, totals = common_subsequence(summary, reference), (len(summary), len(reference))
        +            common, totals = float(common_subsequence(summary, reference)), (len(summary), len(reference))

        -            common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        +            common, totals = float((mine & theirs).total()), (mine.total(), theirs.total())
        """,
    "what is in common, and the sum of the totals, do not depend on which text is which": """
        -            common, totals = common_subsequence(summary, reference), (len(summary), len(reference))
        +            common, totals = common_subsequence(reference, summary), (len(summary), len(reference))

        -            common, totals = common_subsequence(summary, reference), (len(summary), len(reference))
        +            common, totals = common_subsequence(summary, reference), (len(reference), len(summary))

        -            mine, theirs = grams(summary, kind), grams(reference, kind)
        +            mine, theirs = (grams(reference, kind), grams(summary, kind))

        -            common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
        +            common, totals = (mine & theirs).total(), (theirs.total(), mine.total())
        """,
}
