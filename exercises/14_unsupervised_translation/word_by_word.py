"""word_by_word: words without a translation stay, translations of several words become several."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import ENGLISH, draw_words

POINTS = {"values": 2, "edges": 1}
_FRENCH = "elle aime le blanc chat mais il ne voit un chien dans notre vieux jardin".split()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    both = dict(zip(ENGLISH, _FRENCH, strict=True))

    def drawn(n: int) -> list[str]:
        return draw_words(rng, ENGLISH, n)

    n = int(rng.integers(4, 8))
    yield Case("values", [drawn(1), both], title="one word")
    yield Case("values", [drawn(n), both])
    words = drawn(n)
    yield Case("values", [[*words, *words], both], title="words that come twice")
    names = ["marie", "paul", "paris"]
    some = drawn(n)
    some.insert(int(rng.integers(n)), names[int(rng.integers(3))])
    yield Case("values", [some, both], title="a name that is not in the dictionary")
    name, some = ENGLISH[int(rng.integers(len(ENGLISH)))].capitalize(), drawn(n)
    some.insert(int(rng.integers(n)), name)
    yield Case("edges", [some, both], title="a name that is spelled like a word")
    yield Case("edges", [drawn(n), {}], title="an empty dictionary")
    yield Case("edges", [[], dict(list(both.items())[:n])], title="a sentence without words")
    chain = {"car": "auto", "auto": "voiture", "bus": "bus"}
    order = rng.permutation(["car", "auto", "bus", "car"]).tolist()
    yield Case("edges", [order, chain], title="a translation that is a word of the source, too")
    long = rng.permutation(["cat", "never", "in", "garden", "sees"]).tolist()
    yield Case("edges", [[*long, "a", long[0]], both], title="a word that is part of another one")


WRONG = {
    "drops_unknown_words": """
        A word that is not in the dictionary disappears. Keep it as it is: names and numbers are
        the same in both languages.

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary[word] for word in sentence if word in dictionary]
        """,
    "unk": """
        A word that is not in the dictionary becomes <unk>. Keep it as it is: names and numbers are
        the same in both languages.

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary.get(word, "<unk>") for word in sentence]
        """,
    "fails_at_unknown_words": """
        A word that is not in the dictionary raises a KeyError. Keep it as it is.

        raises KeyError

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary[word] for word in sentence]
        """,
    "returns_a_string": """
        It returns one string. The other functions need a list of words.

        - return [dictionary.get(word, word) for word in sentence]
        + return " ".join(dictionary.get(word, word) for word in sentence)
        """,
    "translates_twice": """
        A translation is looked up again: if car is auto, and auto is voiture, then car becomes
        voiture. Translate each word once.

        - return [dictionary.get(word, word) for word in sentence]
        + once = [dictionary.get(word, word) for word in sentence]
        + return [dictionary.get(word, word) for word in once]
        """,
    "each_word_once": """
        A word that comes twice is translated only once. Keep all of them, in their order.

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary.get(word, word) for word in dict.fromkeys(sentence)]
        """,
    "none_for_unknown": """
        A word that is not in the dictionary becomes None. Keep the word itself: `get` takes a
        second argument for that.

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary.get(word) for word in sentence]
        """,
    "lowers_words": """
        Words are looked up in lower case, so a name such as Rose is taken for the flower. Look each
        word up as it is written.

        - return [dictionary.get(word, word) for word in sentence]
        + return [dictionary.get(word.lower(), word) for word in sentence]
        """,
    "replaces_inside_words": """
        The words are replaced in the joined text, also where they are a part of other words. Look
        up one word after the other in the list.

        - return [dictionary.get(word, word) for word in sentence]
        + text = " ".join(sentence)
        + for word in sentence:
        +     text = text.replace(word, dictionary.get(word, word), 1)
        + return text.split()
        """,
}

RIGHT = {
    "loop": """
        def word_by_word(sentence, dictionary):
            translation = []
            for word in sentence:
                if word in dictionary:
                    translation.append(dictionary[word])
                else:
                    translation.append(word)
            return translation
        """,
    "map": """
        def word_by_word(sentence, dictionary):
            return list(map(lambda word: dictionary.get(word, word), sentence))
        """,
    "merged_dictionaries": """
        def word_by_word(sentence, dictionary):
            complete = {word: word for word in sentence} | dict(dictionary)
            return [complete[word] for word in sentence]
        """,
}

EQUIVALENT = {}
