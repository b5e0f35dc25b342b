"""In how many texts each word occurs; words repeat, differ in case or lie inside other words."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import some_words
from .common import PLAIN_WORDS, WORDS, draw_texts

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 4, int(rng.integers(5, 8))):
        yield Case("values", [draw_texts(rng, n, some_words(rng, WORDS, 8))])
    word, other = some_words(rng, WORDS, 2)
    repeated = [[word] * int(rng.integers(2, 5)), [word, other, word]]
    yield Case("values", [repeated], title="a word several times in one text")
    twice = draw_texts(rng, 2, some_words(rng, WORDS, 8))
    yield Case("values", [[*twice, [*twice[0]]]], title="the same text twice")
    cased = [["Great", "film"], ["great", "Film"], ["great", *some_words(rng, PLAIN_WORDS[:7], 2)]]
    yield Case("values", [cased], title="words are taken as they are, upper case too")
    inside = [["party", *some_words(rng, ["long", "the", "is"], 2)], ["art"], ["along"]]
    yield Case("values", [inside], title="a word that is a substring of another word")
    yield Case("edges", [[[], some_words(rng, PLAIN_WORDS, 3), []]], title="empty texts")
    yield Case("edges", [[]], title="no texts at all")


WRONG = {
    "equal_texts_once": """
        Two texts that say the same count once here. The number of texts is wanted, and they are two.

        - for text in texts:
        + for text in {tuple(text) for text in texts}:
        """,
    "counts_occurrences": """
        A text that contains a word three times is still one text: count its distinct words only.

        - frequency.update(set(text))
        + frequency.update(text)
        """,
    "starts_at_one": """
        Every number is one too large: the first text that contains a word makes it 1, so start from
        0, as in `get(word, 0) + 1`.

        - return dict(frequency)
        + return {word: count + 1 for word, count in frequency.items()}
        """,
    "gives_proportions": """
        This is the proportion of texts. The document frequency is their number, an integer.

        - return dict(frequency)
        + return {word: count / len(texts) for word, count in frequency.items()}
        """,
    "lower_cases": """
        The words were lower-cased. Take them as they come: lower-casing is the tokenizer's job.

        - frequency.update(set(text))
        + frequency.update({word.lower() for word in text})
        """,
    "searches_joined_text": """
        The word is searched for in the joined text: `art` is found in `party`. Compare whole words.

        def document_frequency(texts):
            words = {word for text in texts for word in text}
            return {word: sum(word in " ".join(text) for text in texts) for word in words}
        """,
    "counts_for_all_texts_once": """
        Every word is counted once in all: the words seen so far are those of all texts. Each text
        begins with an empty set of its own.

        - frequency = Counter()
        - for text in texts:
        -     frequency.update(set(text))
        - return dict(frequency)
        + return {word: 1 for text in texts for word in text}
        """,
    "first_text_counts_zero": """
        Every number is one too small: the first text that contains a word makes it 1, not 0.

        - return dict(frequency)
        + return {word: count - 1 for word, count in frequency.items()}
        """,
}

RIGHT = {
    "loop": """
        def document_frequency(texts):
            frequency = {}
            for text in texts:
                for word in dict.fromkeys(text):
                    frequency[word] = frequency.get(word, 0) + 1
            return frequency
        """,
    "comprehension": """
        def document_frequency(texts):
            words = set().union(*map(set, texts))
            return {word: sum(word in text for text in texts) for word in words}
        """,
}

EQUIVALENT = {
    "the order of the texts does not matter": """
        -    for text in texts:
        +    for text in list(texts)[::-1]:
        """,
    "a Counter is a dictionary": """
        -    return dict(frequency)
        +    return frequency
        """,
}
