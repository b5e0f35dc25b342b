"""ngram_overlap: repeated n-grams, borders of texts, short texts, and single words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_words, number

POINTS = {"values": 2, "borders": 1, "edges": 1}

_WORDS = "a cat sat on the mat and saw two dogs".split()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def texts(*lengths: int, words: list[str] = _WORDS) -> list[list[str]]:
        return [draw_words(rng, words, n) for n in lengths]

    n = number(rng, 5, 8)
    for size in (1, 2, 3):
        others = texts(n, n + 2)
        mixed = [others[0][:4] + texts(n)[0], [*others[1][1:], "bird"], texts(n)[0]]
        yield Case("values", [mixed, others, size], title=f"{size}-grams")
    few = ["on", "the", "mat"]
    yield Case(
        "values", [texts(n + 4, n + 6, words=few), texts(5, words=few), 2], title="repeated n-grams"
    )
    one, other = texts(4, 5)
    yield Case(
        "borders", [[one[-2:] + other[:2] + one], [one, other], 2], title="not across the others"
    )
    yield Case(
        "borders",
        [[one[:3], other[:3], one[3:] + other], [one[:3] + other], 3],
        title="not across texts",
    )
    yield Case("borders", [texts(4, 4), [["a"], ["cat"], *texts(6)], 2], title="single words")
    title = "other words with the same letters"
    yield Case("borders", [[["to", "day", "on"]], [["tod", "ay", "on", "the"]], 2], title=title)
    title = "parts of other words"
    yield Case("borders", [[["he", "cat", "sat"]], [["the", "cats", "sat", "on"]], 2], title=title)
    parts = texts(*(number(rng, 3, 6) for _ in range(4)))
    joined = [parts[0] + parts[1], parts[2] + parts[3], parts[1] + parts[2] + parts[0]]
    yield Case("borders", [joined, [*parts, *texts(9, 9)], 2], title="many texts")

    long = texts(n + 3)
    yield Case("edges", [[*long, long[0][:2], []], [long[0][1:]], 3], title="shorter than n")
    yield Case("edges", [[long[0][:3], *texts(6)], long, 3], title="exactly n words")
    yield Case("edges", [texts(n, 4), [], 2], title="nothing to compare with")
    yield Case("edges", [long, [long[0][:-1]], 2], title="all but the last")
    yield Case("edges", [[], long, 2], title="no texts")
    twice = texts(n, 4)
    yield Case("edges", [[*twice, [*twice[0]]], long, 1], title="the same text twice")
    several = texts(*(number(rng, 4, 9) for _ in range(5)))
    yield Case("edges", [several, texts(15), 1], title="several texts")


WRONG = {
    "counts_each_once": """
        Each n-gram of a text counts once. It counts as often as it occurs.

        - found = [[gram in known for gram in grams(words)] for words in texts]
        + found = [[gram in known for gram in set(grams(words))] for words in texts]
        """,
    "words_only": """
        Single words are compared, not runs of n words.

        - return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        + return [tuple(words[i : i + 1]) for i in range(len(words) - n + 1)]
        """,
    "last_gram_missing": """
        The last n-gram of each text is missing: there are len(words) - n + 1.

        - return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        + return [tuple(words[i : i + n]) for i in range(len(words) - n)]
        """,
    "shorter_runs": """
        At the end of a text, shorter runs are counted, too. An n-gram has n words.

        - return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        + return [tuple(words[i : i + n]) for i in range(len(words))]
        """,
    "across_texts": """
        N-grams go from one of the other texts into the next. They stay within a text.

        - known = {gram for words in others for gram in grams(words)}
        + known = set(grams([word for words in others for word in words]))
        """,
    "one_number": """
        A single number for all texts came out. Each text has a share of its own.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + hits = [hit for row in found for hit in row]
        + return [sum(hits) / len(hits) if hits else 0.0]
        """,
    "share_of_the_others": """
        The share is taken of the other texts' n-grams. It is that of the text itself.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + return [sum(hits) / len(known) if hits else 0.0 for hits in found]
        """,
    "divides_by_words": """
        The number of hits is divided by the number of words. There are n - 1 n-grams fewer.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + return [sum(hits) / len(words) if hits else 0.0 for hits, words in zip(found, texts)]
        """,
    "any_hit": """
        A text with one n-gram in common counts as found. The share is wanted.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + return [float(any(hits)) for hits in found]
        """,
    "one_for_short_texts": """
        A text without an n-gram has the share 0, not 1.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + return [sum(hits) / len(hits) if hits else 1.0 for hits in found]
        """,
    "words_glued_together": """
        The words of an n-gram are joined without anything between them, so different n-grams become
        equal: "to day" and "tod ay". Keep the words apart, as in a tuple.

        - return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        + return ["".join(words[i : i + n]) for i in range(len(words) - n + 1)]
        """,
    "short_texts_left_out": """
        A text of fewer than n words has no entry. Each text has one; this one's share is 0.

        - return [sum(hits) / len(hits) if hits else 0.0 for hits in found]
        + return [sum(hits) / len(hits) for hits in found if hits]
        """,
}

FURTHER = """
A set of tuples, words[i : i + n] for every i up to len(words) - n, of all other texts. Then for each text
the share of its own tuples that are in the set; 0.0 if it has none.
"""

RIGHT = {
    "zip": """
        def ngram_overlap(texts, others, n):
            def split(words):
                return list(zip(*(words[i:] for i in range(n))))

            seen = set()
            for words in others:
                seen.update(split(words))
            shares = []
            for words in texts:
                own = split(words)
                shares.append(sum(1 for gram in own if gram in seen) / len(own) if own else 0.0)
            return shares
        """,
    "joined": """
        def ngram_overlap(texts, others, n):
            seen = Counter(
                "\\n".join(words[i : i + n]) for words in others for i in range(len(words) - n + 1)
            )
            result = []
            for words in texts:
                total = max(0, len(words) - n + 1)
                hits = sum(seen["\\n".join(words[i : i + n])] > 0 for i in range(total))
                result.append(hits / total if total else 0.0)
            return result
        """,
}

EQUIVALENT = {
    "The n-grams are only looked up and counted, in any order.": """
        -        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        +        return tuple([tuple(words[i : i + n]) for i in range(len(words) - n + 1)])

        -        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        +        return [tuple(words[i : i + n]) for i in list(range(len(words) - n + 1))[::-1]]

        -    found = [[gram in known for gram in grams(words)] for words in texts]
        +    found = [[gram in known for gram in list(grams(words))[::-1]] for words in texts]
        """,
}
