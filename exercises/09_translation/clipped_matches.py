"""clipped_matches: repeated n-grams, several references, sentences shorter than n, token ids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_words
from .common import FRENCH, edited

POINTS = {"values": 2, "clipping": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def words(n: int) -> list[str]:
        return draw_words(rng, FRENCH, n)

    def ids(tokens: list[str], start: int) -> list[int]:
        return [start + FRENCH.index(token) for token in tokens]

    sentence = list(rng.permutation(FRENCH)[: int(rng.integers(6, 9))])
    sentence = [str(word) for word in sentence]
    repeated = [*edited(rng, sentence), *[sentence[0]] * 2]
    yield Case("values", [repeated, [sentence], 1])
    first, second, *others = sentence
    yield Case("values", [[second, first, *edited(rng, others)], [sentence], 2])
    yield Case("values", [edited(rng, sentence), [sentence], 3])
    yield Case("values", [sentence, [sentence], 4], title="the reference itself")
    one, two = (str(word) for word in rng.permutation(FRENCH)[:2])
    many, more, most = (int(n) for n in rng.integers(3, 12, size=3))
    yield Case("clipping", [[one] * many, [[two, one, two]], 1], title="one word again and again")
    title = "the reference repeats it more often"
    yield Case("clipping", [[one, two, one], [[one] * many + [two]], 1], title=title)
    inputs = [[one, two] * more, [[one, two, one], [two, one, one, one]], 1]
    yield Case("clipping", inputs, title="each reference has one of the words more often")
    inputs = [[one, two] * most, [[two, one, two], [one, two] * 2, [two]], 2]
    yield Case("clipping", inputs, title="three references")
    inputs = [[second, first, *others] * 2, [sentence, edited(rng, others)], 2]
    yield Case("clipping", inputs, title="a translation that says everything twice")
    inputs = [edited(rng, sentence) * 2, [sentence, edited(rng, sentence)], 2]
    yield Case("clipping", inputs, title="everything twice, with mistakes")
    half = len(sentence) // 2
    inputs = [sentence, [sentence[:half], sentence[half:]], 1]
    yield Case("clipping", inputs, title="each reference has half of the words")
    inputs = [[*sentence, *sentence[:2]], [sentence[:half], [*sentence[half - 1 :], first]], 2]
    yield Case("clipping", inputs, title="each reference has some of the bigrams")
    yield Case("edges", [[], [words(4)], 1], title="a translation without words")
    yield Case("edges", [words(2), [words(3)], 3], title="shorter than n")
    title = "shorter than n by more than one word"
    yield Case("edges", [words(2), [words(5)], 4], title=title)
    yield Case("edges", [sentence[:3], [sentence], 3], title="exactly n words")
    one, two = sentence[0], sentence[1]
    repeats = int(rng.integers(3, 11))
    inputs = [[one, two] * repeats + [one] * 3, [[one, two] * (repeats - 1) + [one] * 9], 3]
    yield Case("edges", inputs, title="n-grams that overlap themselves")
    large = [first.capitalize(), *sentence[1:]]
    yield Case("values", [large, [sentence], 1], title="a word with a capital is another token")
    glued = [[first + second, *others], [[first, second + others[0], *others[1:]]], 2]
    yield Case("edges", glued, title="the same letters, but other tokens")
    alone = words(int(rng.integers(4, 14)))
    yield Case("edges", [alone, [[]], 2], title="a reference without words")
    start = int(rng.integers(4, 90))
    inputs = [ids(edited(rng, sentence), start), [ids(sentence, start), ids(others, start)], 2]
    yield Case("values", inputs, title="token ids in place of words")
    inputs = [[0, 7, 0, 0, 8], [[0, 7, 0], [0, 0, 9, 8]], 2]
    yield Case("values", inputs, title="token ids, among them 0")


WRONG = {
    "without_clipping": """
        An n-gram counts every time it occurs in the translation. It counts at most as often as in a
        reference: "le le le le" has one right word if the reference has one "le".

        - return (counts & most).total(), counts.total()
        + return sum(c for gram, c in counts.items() if gram in most), counts.total()
        """,
    "counts_each_ngram_once": """
        An n-gram that is repeated counts once only. If a reference has it twice and the translation
        too, both count.

        - return (counts & most).total(), counts.total()
        + return len(counts.keys() & most.keys()), counts.total()
        """,
    "adds_up_references": """
        The counts of the references are added. Clip at the largest count in any one of them:
        otherwise more references would allow more repetitions.

        - most |= count(reference)
        + most += count(reference)
        """,
    "first_reference_only": """
        Only the first reference is used.

        - for reference in references:
        + for reference in references[:1]:
        """,
    "divides_by_the_reference": """
        The total is that of the reference. A precision asks how much of the *translation* is right,
        so the total is its own number of n-grams.

        - return (counts & most).total(), counts.total()
        + return (counts & most).total(), count(references[0]).total()
        """,
    "total_without_repeats": """
        The total counts each different n-gram once. Count all of them: len(tokens) - n + 1.

        - return (counts & most).total(), counts.total()
        + return (counts & most).total(), len(counts)
        """,
    "sets_of_ngrams": """
        N-grams are collected in sets, where a repeated one counts once: in the matches and in the
        total. Count them, with a Counter.

        - return (counts & most).total(), counts.total()
        + return len(counts.keys() & most.keys()), len(counts)
        """,
    "total_at_least_1": """
        Where there is no n-gram the total is 1. It should be 0: these counts are added up, and only
        the sum is divided by.

        - return (counts & most).total(), counts.total()
        + return (counts & most).total(), max(1, counts.total())
        """,
    "one_ngram_too_few": """
        The last n-gram is missing: a sentence of L tokens has L - n + 1 n-grams.

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n))
        """,
    "shorter_ngrams": """
        At the end of the sentence there are n-grams with fewer than n tokens. The last one starts at
        position L - n.

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens)))
        """,
    "words_in_any_order": """
        The words of an n-gram count in any order. The order is what longer n-grams are for: use
        tuples, not sorted tuples or sets.

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + return Counter(tuple(sorted(tokens[i : i + n])) for i in range(len(tokens) - n + 1))
        """,
    "total_below_zero": """
        A translation that is shorter than n has fewer than 0 n-grams. It has none: the total is never
        below 0.

        - return (counts & most).total(), counts.total()
        + return (counts & most).total(), len(hypothesis) - n + 1
        """,
    "best_reference_only": """
        The matches come from one reference, the one with the most. Every n-gram is looked up in all of
        them, and each may find its largest count in another one.

        - return (counts & most).total(), counts.total()
        + return max((counts & count(r)).total() for r in references), counts.total()
        """,
    "tokens_run_together": """
        The tokens of an n-gram are joined without a space: `le s` and `les` become one. Keep them apart,
        as a tuple does.

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        """,
    "strings_run_together": """
        The tokens of an n-gram are made strings and joined without anything between them: `le s`
        and `les` become one, and so do 1, 12 and 11, 2. Keep them apart, as a tuple does.

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + tokens = [str(token) for token in tokens]
        + return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        """,
    "joins_the_tokens": """
        The tokens of an n-gram are joined into a text, which works for words only: token ids are
        numbers, and `join` raises a TypeError. Count tuples, which can hold both.

        raises TypeError

        - return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        + return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        """,
    "total_of_words": """
        The total is the number of words. Count the n-grams: a translation of L words has L - n + 1
        of them.

        - return (counts & most).total(), counts.total()
        + return (counts & most).total(), len(hypothesis)
        """,
}

RIGHT = {
    "loops": """
        def clipped_matches(hypothesis, references, n):
            grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
            matches = 0
            for gram in set(grams):
                best = 0
                for reference in references:
                    found = 0
                    for i in range(len(reference) - n + 1):
                        if tuple(reference[i : i + n]) == gram:
                            found += 1
                    best = max(best, found)
                matches += min(best, grams.count(gram))
            return matches, len(grams)
        """,
    "zip_of_slices": """
        def clipped_matches(hypothesis, references, n):
            def grams(tokens):
                return Counter(zip(*(tokens[i:] for i in range(n))))

            allowed = [grams(reference) for reference in references]
            counts = grams(hypothesis)
            matches = sum(min(c, max(a[g] for a in allowed)) for g, c in counts.items())
            return matches, sum(counts.values())
        """,
    "strings": """
        def clipped_matches(hypothesis, references, n):
            def grams(words):
                starts = range(max(0, len(words) - n + 1))
                return [" ".join(str(word) for word in words[i : i + n]) for i in starts]

            ours = grams(hypothesis)
            theirs = [grams(reference) for reference in references]
            most = {g: max(t.count(g) for t in theirs) for g in ours}
            return sum(min(ours.count(g), most[g]) for g in most), len(ours)
        """,
}

EQUIVALENT = {
    "The order does not matter.": """
        -        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        +        return Counter(tuple(tokens[i : i + n]) for i in list(range(len(tokens) - n + 1))[::-1])

        -    for reference in references:
        +    for reference in list(references)[::-1]:
        """,
}
