"""Words numbered by falling count; the cases have ties, rare words, and counts at the limits."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import some_words
from .common import WORDS, draw_texts

POINTS = {"values": 2, "limits": 2}
FORBIDDEN = ("coursekit.text.Vocabulary",)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    ordered = {"order": True}
    words = some_words(rng, WORDS, 7)
    yield Case("values", [draw_texts(rng, 4, words)], judge=ordered)
    # Here the number of texts and the number of occurrences order the words differently.
    often, wide, once = some_words(rng, WORDS, 3)
    spread = [[often] * int(rng.integers(4, 7)), [wide], [wide], [often, wide], [once]]
    yield Case("values", [spread], title="a word frequent in few texts", judge=ordered)
    tied = sorted(some_words(rng, WORDS, 5), reverse=True)
    twice = [tied[:3], tied[3:], tied]
    yield Case("values", [twice], title="all equally frequent", judge=ordered)
    often, wide, once = some_words(rng, WORDS, 3)
    same = [[often]] * int(rng.integers(4, 7)) + [[wide] * 3, [once]]
    yield Case(
        "values", [[[*text] for text in same]], title="the same text several times", judge=ordered
    )
    for least in (2, 3):
        texts = draw_texts(rng, 6, words)
        yield Case("limits", [texts], {"min_count": least}, judge=ordered)
    first, second = sorted(words[1:3])
    exact = [[words[0]] * 3, [second, first] * 2, [words[3]]]
    title = "a word seen exactly min_count times stays"
    yield Case("limits", [exact], {"min_count": 2}, title=title, judge=ordered)
    largest = int(rng.integers(2, 5))
    yield Case("limits", [draw_texts(rng, 5, words)], {"max_size": largest}, judge=ordered)
    late = [[words[3]], [words[4]] * 2, [words[0]] * int(rng.integers(3, 6))]
    title = "the most frequent words stay, wherever they first occur"
    yield Case("limits", [late], {"max_size": 2}, title=title, judge=ordered)
    title = "two words are equally frequent, and one fits in"
    yield Case("limits", [exact], {"max_size": 2}, title=title, judge=ordered)
    yield Case(
        "limits",
        [exact],
        {"max_size": 50},
        title="max_size is larger than the vocabulary",
        judge=ordered,
    )
    yield Case(
        "limits", [exact], {"max_size": 0}, title="max_size is 0: no word is kept", judge=ordered
    )
    yield Case("limits", [[[], []]], title="empty texts", judge=ordered)


FURTHER = """
Count all words of all texts with one `Counter`, keep those with at least min_count, and sort them
with `key=lambda word: (-counts[word], word)`: tuples are compared first by the count, then by the
alphabet. `words[:None]` is the whole list, so the cut needs no `if`.
"""

WRONG = {
    "equal_texts_once": """
        Texts that say the same count once here. Every occurrence of a word counts, in whatever text.

        - counts = Counter(word for text in texts for word in text)
        + counts = Counter(word for text in {tuple(text) for text in texts} for word in text)
        """,
    "breaks_ties_by_appearance": """
        Equally frequent words come in order of appearance. Break ties alphabetically.

        - kept.sort(key=lambda word: (-counts[word], word))
        + kept.sort(key=lambda word: -counts[word])
        """,
    "breaks_ties_backwards": """
        Equally frequent words come from Z to A: reverse only the counts, not the alphabet.

        - kept.sort(key=lambda word: (-counts[word], word))
        + kept.sort(key=lambda word: (counts[word], word), reverse=True)
        """,
    "rarest_first": """
        The rarest words come first. The most frequent word has index 0.

        - kept.sort(key=lambda word: (-counts[word], word))
        + kept.sort(key=lambda word: (counts[word], word))
        """,
    "orders_by_texts": """
        The words are ordered by document frequency. Here every occurrence in a text counts.

        - counts = Counter(word for text in texts for word in text)
        + counts = Counter(word for text in texts for word in set(text))
        """,
    "min_count_is_excluded": """
        A word seen exactly min_count times is lost: min_count is the smallest count that stays.

        - kept = [word for word in counts if counts[word] >= min_count]
        + kept = [word for word in counts if counts[word] > min_count]
        """,
    "cuts_before_it_sorts": """
        The words are cut to max_size before they are sorted: the first ones of the texts stay, not
        the most frequent ones. Sort first, then cut.

        - kept = [word for word in counts if counts[word] >= min_count]
        + kept = [word for word in counts if counts[word] >= min_count][:max_size]
        """,
    "takes_zero_for_no_limit": """
        With max_size=0 all words are kept: `if max_size` is False for 0 as well as for None. Ask
        `is None`, or leave the question out: `[:None]` is everything.

        - return {word: index for index, word in enumerate(kept[:max_size])}
        + if max_size:
        +     kept = kept[:max_size]
        + return {word: index for index, word in enumerate(kept)}
        """,
    "starts_at_one": """
        The first word has index 1. The indices are positions in a vector, and those start at 0.

        - return {word: index for index, word in enumerate(kept[:max_size])}
        + return {word: index for index, word in enumerate(kept[:max_size], start=1)}
        """,
    "cuts_before_it_breaks_ties": """
        Where two words are equally frequent and only one fits in, the wrong one stays:
        `most_common(max_size)` keeps the one that appeared first. Sort with the alphabet first,
        then cut.

        - counts = Counter(word for text in texts for word in text)
        + counts = dict(Counter(word for text in texts for word in text).most_common(max_size))
        """,
    "gives_the_counts": """
        The values are the counts of the words. A vocabulary gives each word its index: 0, 1, 2, ...
        in this order.

        - return {word: index for index, word in enumerate(kept[:max_size])}
        + return {word: counts[word] for word in kept[:max_size]}
        """,
    "only_alphabetical": """
        The words are in alphabetical order. The most frequent come first; the alphabet decides only
        between words that are equally frequent.

        - kept.sort(key=lambda word: (-counts[word], word))
        + kept.sort()
        """,
    "indices_as_keys": """
        Keys and values are swapped: the dictionary should give the index of a word, not the word of
        an index.

        - return {word: index for index, word in enumerate(kept[:max_size])}
        + return dict(enumerate(kept[:max_size]))
        """,
}

RIGHT = {
    "two_sorts": """
        def build_vocabulary(texts, min_count=1, max_size=None):
            counts = Counter(sum(texts, []))
            words = sorted(counts)
            words.sort(key=counts.get, reverse=True)  # stable: ties stay in alphabetical order
            words = [word for word in words if counts[word] >= min_count][:max_size]
            return dict(zip(words, range(len(words))))
        """,
    "numpy": """
        def build_vocabulary(texts, min_count=1, max_size=None):
            import numpy as np

            every = np.array([word for text in texts for word in text], dtype=str)
            words, counts = np.unique(every, return_counts=True)  # in alphabetical order
            order = np.argsort(-counts, kind="stable")[:max_size]
            return {str(words[i]): n for n, i in enumerate(order) if counts[i] >= min_count}
        """,
}

EQUIVALENT = {
    "every word occurs at least once": """
        -    texts: list[list[str]], min_count: int = 1, max_size: int | None = None
        +    texts: list[list[str]], min_count: int = 0, max_size: int | None = None

        -    texts: list[list[str]], min_count: int = 1, max_size: int | None = None
        +    texts: list[list[str]], min_count: int = (-1), max_size: int | None = None
        """,
    "sorting removes the order of the words": """
        -    counts = Counter(word for text in texts for word in text)
        +    counts = Counter(word for text in list(texts)[::-1] for word in text)

        -    counts = Counter(word for text in texts for word in text)
        +    counts = Counter(word for text in texts for word in list(text)[::-1])

        -    kept = [word for word in counts if counts[word] >= min_count]
        +    kept = [word for word in list(counts)[::-1] if counts[word] >= min_count]
        """,
}
