"""character_ngrams: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import ngram_word

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [ngram_word(rng, 5)])
    yield Case("values", ["interlink"], title="the word of the lecture")
    yield Case("values", [ngram_word(rng, int(rng.integers(7, 10)))])
    yield Case("values", [ngram_word(rng, 6)], {"shortest": 2, "longest": 4})
    a, b = ngram_word(rng, 2)
    title = "the same piece several times"
    yield Case("edges", ["".join([b, a, a + a, a, b])], title=title)
    yield Case("edges", [ngram_word(rng, 2)], title="a short word is one of its own pieces")
    yield Case("edges", [""], title="the empty word")


WRONG = {
    "without_brackets": """
        The brackets < and > are missing. They mark where the word begins and ends.

        - marked = f"<{word}>"
        + marked = word
        """,
    "pieces_without_brackets": """
        Only the whole word has its brackets. Put them on first: the pieces at the beginning and
        at the end of the word have one of them, too.

        def character_ngrams(word, shortest=3, longest=6):
            lengths = range(shortest, longest + 1)
            pieces = [word[i : i + n] for n in lengths for i in range(len(word) - n + 1)]
            return list(dict.fromkeys([*pieces, f"<{word}>"]))
        """,
    "without_the_whole_word": """
        The whole word is missing: it is one more piece, however long it is.

        - return list(dict.fromkeys([*pieces, marked]))
        + return list(dict.fromkeys(pieces))
        """,
    "whole_word_without_brackets": """
        The whole word comes without its brackets. As a piece it is <word>, brackets and all.

        - return list(dict.fromkeys([*pieces, marked]))
        + return list(dict.fromkeys([*pieces, word]))
        """,
    "without_the_longest": """
        The pieces of `longest` letters are missing: the end of a range is not included.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest) for i in range(len(marked) - n + 1)
        """,
    "without_the_last_piece": """
        The last piece of each length is missing, the one with the closing bracket. A word of L
        letters has L - n + 1 pieces of n letters.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n)
        """,
    "both_ranges_too_short": """
        The longest pieces and the last piece of each length are missing: twice the end of a
        range that is not included.

        def character_ngrams(word, shortest=3, longest=6):
            marked, lengths = f"<{word}>", range(shortest, longest)
            pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n)]
            return list(dict.fromkeys([*pieces, marked]))
        """,
    "pieces_in_alphabetical_order": """
        The pieces are right, but in alphabetical order. They should come by length, those of
        one length from left to right, and the whole word last.

        - return list(dict.fromkeys([*pieces, marked]))
        + return sorted(dict.fromkeys([*pieces, marked]))
        """,
    "with_stumps": """
        At the end of the word there are pieces that are too short: a slice past the end just
        gets shorter.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + n)
        """,
    "keeps_repetitions": """
        A piece that comes twice is listed twice (also the whole word of a short word). The
        pieces are a set: each one once.

        - return list(dict.fromkeys([*pieces, marked]))
        + return list([*pieces, marked])
        """,
    "short_word_twice": """
        A short word that is one of its own pieces is listed twice. The pieces are a set: each
        one once.

        - return list(dict.fromkeys([*pieces, marked]))
        + return list([*dict.fromkeys(pieces), marked])
        """,
    "place_by_place": """
        The pieces come place by place. They should come by length: all of three letters from
        left to right, then all of four.

        - marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        + marked[i : i + n]
        + for i in range(len(marked))
        + for n in range(shortest, longest + 1)
        + if i + n <= len(marked)
        """,
    "whole_word_first": """
        The whole word comes first. It should be the last piece.

        - return list(dict.fromkeys([*pieces, marked]))
        + return list(dict.fromkeys([marked, *pieces]))
        """,
    "always_three_to_six": """
        The pieces have always 3 to 6 letters. Use the arguments `shortest` and `longest`.

        - pieces = [
        -     marked[i : i + n] for n in range(shortest, longest + 1) for i in range(len(marked) - n + 1)
        - ]
        + pieces = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
        """,
}

RIGHT = {
    "character_ngrams_loop": """
        def character_ngrams(word, shortest=3, longest=6):
            marked, found = "<" + word + ">", []
            for n in range(shortest, longest + 1):
                start = 0
                while start + n <= len(marked):
                    if marked[start : start + n] not in found:
                        found.append(marked[start : start + n])
                    start += 1
            if marked not in found:
                found.append(marked)
            return found
        """,
    "character_ngrams_zip": """
        def character_ngrams(word, shortest=3, longest=6):
            letters = ["<", *word, ">"]
            found = {}
            for n in range(shortest, longest + 1):
                for piece in zip(*(letters[i:] for i in range(n))):
                    found.setdefault("".join(piece))
            found.setdefault("".join(letters))
            return [*found]
        """,
}
