"""character_ngrams: by length, from left to right, each once; very short words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import letters

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [letters(rng, 5)])
    yield Case("values", ["interlink"], title="the word of the lecture")
    yield Case("values", [letters(rng, int(rng.integers(7, 10)))])
    yield Case("values", [letters(rng, 6)], {"shortest": 2, "longest": 4})
    a, b, c = letters(rng, 3)
    yield Case("edges", [f"{c}{a}{b}{a}{b}{a}"], title="the same n-gram several times")
    yield Case("edges", [letters(rng, 2)], title="a short word is one of its own n-grams")
    yield Case("edges", [""], title="the empty word")


WRONG = {
    "without_brackets": """
        The brackets < and > are missing. They mark where the word begins and ends.

        - marked = f"<{word}>"
        + marked = word
        """,
    "brackets_around_the_whole_word_only": """
        Only the whole word has brackets. Add them before you cut: the first and the last n-gram of
        each length contain one, such as `<in` and `nk>`.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + word[i : i + n] for n in range(shortest, longest + 1) for i in range(len(word) - n + 1)
        """,
    "without_the_whole_word": """
        The whole word is missing: <word> is always included, however long it is.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return list(dict.fromkeys(ngrams))
        """,
    "without_the_longest": """
        The n-grams of `longest` letters are missing: the end of a range is not included.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest) for i in range(len(marked) - n + 1)
        """,
    "without_the_last": """
        The last n-gram of each length is missing: a string of length L has L - n + 1 of them.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n)
        """,
    "too_short_at_the_end": """
        The n-grams at the end are too short: a slice that goes past the end just gets shorter.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked))
        """,
    "by_position": """
        The n-grams come by position. They should come by length, and from left to right within one.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n]
        + for i in range(len(marked))
        + for n in range(shortest, min(longest, len(marked) - i) + 1)
        """,
    "keeps_repetitions": """
        An n-gram that occurs twice is listed twice. They are a set: list each one once.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return [*ngrams, marked]
        """,
    "always_three_to_six": """
        The n-grams always have 3 to 6 letters. Use the arguments `shortest` and `longest`.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)
        """,
    "whole_word_without_brackets": """
        The whole word at the end lacks its brackets: it is listed as <word>.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return list(dict.fromkeys([*ngrams, word]))
        """,
    "brackets_not_counted": """
        The n-grams that end with > are missing, and those before them: there are as many as letters allow.
        The brackets count as characters.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(word) - n + 1)
        """,
    "in_alphabetical_order": """
        The n-grams are sorted by the alphabet. They should come by length, and from left to right within
        one.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return sorted({*ngrams, marked})
        """,
    "whole_word_first": """
        The whole word comes first. It should come last.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return list(dict.fromkeys([marked, *ngrams]))
        """,
    "whole_word_twice": """
        A short word such as `<by>` is one of its own n-grams, and you list it again at the end. List it once.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return [*dict.fromkeys(ngrams), marked]
        """,
    "nothing_for_the_empty_word": """
        The empty word has no n-gram here. It has one: the whole word with its brackets, <>.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return list(dict.fromkeys([*ngrams, marked])) if word else []
        """,
    "keeps_the_last_place": """
        An n-gram that occurs twice is listed at its last position. List it where it comes first.

        - return list(dict.fromkeys([*ngrams, marked]))
        + return list(dict.fromkeys([*ngrams, marked][::-1]))[::-1]
        """,
}

RIGHT = {
    "loop": """
        def character_ngrams(word, shortest=3, longest=6):
            marked, found = "<" + word + ">", []
            for n in range(shortest, longest + 1):
                for end in range(n, len(marked) + 1):
                    if marked[end - n : end] not in found:
                        found.append(marked[end - n : end])
            return found if marked in found else [*found, marked]
        """,
    "zip": """
        def character_ngrams(word, shortest=3, longest=6):
            marked, found = f"<{word}>", {}
            for n in range(shortest, longest + 1):
                for ngram in zip(*(marked[i:] for i in range(n))):
                    found["".join(ngram)] = True
            return [*found] if marked in found else [*found, marked]
        """,
}

EQUIVALENT = {
    "The end of the word gives shorter ngrams, which have been listed before.": """
        -        marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        +        marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - shortest + 1)
        """,
}
