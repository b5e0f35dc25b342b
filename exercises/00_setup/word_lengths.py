"""word_lengths: lists of words with odd characters, one word, the empty word, no words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 1, "empty": 1}

_COMMON = "I we the a it was is not very but movie film plot music ending loved liked bored ! ..."
_ODD = ["don't", "well-made", "masterpiece"]
_ACCENTS = ["café", "naïve"]  # of more bytes than characters


def _with_a_repetition(rng: np.random.Generator, words: list[str]) -> list[str]:
    """The words, the first of which occurs once more, so that a set of them is always smaller."""
    place = int(rng.integers(1, len(words) + 1))
    return [*words[:place], words[0], *words[place:]]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    pool = [*_COMMON.split(), *_ODD, *_ACCENTS]
    for count in (2, 5, int(rng.integers(6, 9))):
        words = [str(word) for word in rng.choice(pool, size=count)]
        words.insert(int(rng.integers(count)), str(rng.choice(["...", "don't", "well-made"])))
        words.insert(int(rng.integers(count)), str(rng.choice(_ACCENTS)))
        words.append("a" * int(rng.integers(3, 12)))
        yield Case("values", [_with_a_repetition(rng, words)])
    single = str(rng.choice(["movie", "film", "music", "ending", "loved"]))
    yield Case("values", [[single]], title="a single word")
    yield Case("empty", [[]], title="no words at all")
    # of letters only, which all differ and have one byte each
    pool = [word for word in pool if word.isalpha() and len(set(word)) == len(word.encode())]
    words = [str(word) for word in rng.choice(pool, size=int(rng.integers(4, 7)))]
    words = _with_a_repetition(rng, words)
    yield Case("empty", [[*words, ""]], title="a word without letters has length 0")


WRONG = {
    "counts_words": """
        `len(words)`, with an s, is how many words there are. What is wanted is how many
        characters each single word has.

        - return [len(word) for word in words]
        + return [len(words) for word in words]
        """,
    "ignores_its_argument": """
        The answer is the same for every input: it belongs to the sentence further up. Use what
        the function is given, its argument `words`.

        - return [len(word) for word in words]
        + return [1, 5, 3, 5, 1]
        """,
    "returns_in_the_loop": """
        Only the first word is processed, as if the function ended in the first iteration: is there
        a `return` inside the loop?

        - return [len(word) for word in words]
        + lengths = []
        + for word in words:
        +     lengths.append(len(word))
        +     return lengths
        """,
    "starts_at_one": """
        The first word is missing. Python counts from 0: a range or a slice that begins at 1 skips
        words[0].

        - return [len(word) for word in words]
        + return [len(words[i]) for i in range(1, len(words))]
        """,
    "adds_up": """
        All lengths are added up. Keep one number per word, in a list.

        - return [len(word) for word in words]
        + return sum(len(word) for word in words)
        """,
    "returns_the_number_of_words": """
        `len(words)` is one number: how many words there are. Take the words one by one and collect
        the length of each, `len(word)`, in a list.

        - return [len(word) for word in words]
        + return len(words)
        """,
    "returns_the_first_length": """
        Only the length of the first word comes back: the `return` inside the loop ends the
        function. Collect the lengths in a list and return it after the loop.

        - return [len(word) for word in words]
        + for word in words:
        +     return len(word)
        """,
    "stops_before_the_last": """
        The last word is missing. `range(n)` and a slice `[:n]` already stop before n, so use
        `len(words)` without the `- 1`.

        - return [len(word) for word in words]
        + return [len(words[i]) for i in range(len(words) - 1)]
        """,
    "counts_letters_only": """
        Only letters are counted. Every character counts, also those of `...` and an apostrophe.

        - return [len(word) for word in words]
        + return [sum(character.isalpha() for character in word) for word in words]
        """,
    "returns_a_tensor": """
        The lengths come as a tensor. What is wanted here is a plain list of int.

        - return [len(word) for word in words]
        + return torch.tensor([len(word) for word in words])
        """,
    "counts_each_word_once": """
        A word that occurs twice is counted once: a dict or a set keeps each word a single time. The
        result has one length for each place in the list, so collect the lengths in a list.

        - return [len(word) for word in words]
        + return [len(word) for word in dict.fromkeys(words)]
        """,
    "counts_bytes": """
        Bytes are counted, not characters: in UTF-8, é is one character but two bytes. Measure the
        word itself, without encoding it.

        - return [len(word) for word in words]
        + return [len(word.encode("utf-8")) for word in words]
        """,
    "counts_different_characters": """
        The different characters of each word are counted: a set keeps a repeated letter once. Every
        character counts, as often as it occurs.

        - return [len(word) for word in words]
        + return [len(set(word)) for word in words]
        """,
}

RIGHT = {
    "with_loop": """
        def word_lengths(words):
            lengths = []
            for word in words:
                lengths.append(len(word))
            return lengths
        """,
    "with_map": """
        def word_lengths(words):
            return list(map(len, words))
        """,
}
