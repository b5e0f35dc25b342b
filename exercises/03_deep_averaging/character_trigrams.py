"""character_trigrams: short words, an empty one, and words in which trigrams repeat."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import draw_letters

POINTS = {"values": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [str(rng.choice(["great", "movie", "awesome"]))])
    for length in (4, 7, int(rng.integers(8, 12))):
        yield Case("values", [draw_letters(rng, length)])
    again = draw_letters(rng, 2) * int(rng.integers(3, 5))
    yield Case("values", [again], title="trigrams that repeat")
    yield Case("values", [draw_letters(rng, 5).capitalize()], title="a capital letter")
    yield Case("edges", [draw_letters(rng, 1)], title="one letter")
    yield Case("edges", [draw_letters(rng, 2)], title="two letters")
    yield Case("edges", ["!"], title="a punctuation mark")
    yield Case("edges", [""], title="the empty word")


WRONG = {
    "forgets_the_marks": """
        The marks < and > are missing. They say where the word begins and ends: `<gr` differs
        from a `gr` in the middle of a word.

        - marked = f"<{word}>"
        + marked = word
        """,
    "misses_the_last": """
        The last trigram is missing. Either the mark > is, or one step of the loop: a word with both
        of its marks, n characters in all, has n - 2 trigrams, and range() excludes its end.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(len(marked) - 3)]
        """,
    "cuts_into_pieces": """
        The trigrams should overlap: the next one starts one character further, not three.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(0, len(marked) - 2, 3)]
        """,
    "removes_duplicates": """
        Every distinct trigram appears only once. `banana` contains `ana` twice, and both count.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return list(dict.fromkeys(marked[i : i + 3] for i in range(len(marked) - 2)))
        """,
    "runs_over_the_end": """
        The end of the word gives pieces of one and two characters. Stop when fewer than three
        are left.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(len(marked))]
        """,
    "one_too_many": """
        The last item has only two characters: range() goes one step too far. A word with both of
        its marks, n characters in all, has n - 2 trigrams.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(len(marked) - 1)]
        """,
    "counts_without_the_marks": """
        The last two trigrams are missing: the number of trigrams is taken from the word without its
        marks. Use the length of the marked word, less 2.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(len(word) - 2)]
        """,
    "marks_of_nothing": """
        The empty word gives `<>`, which has two characters and so is no trigram. It should give an
        empty list.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 3] for i in range(max(1, len(marked) - 2))]
        """,
    "sorts_a_set": """
        The trigrams are sorted, and each appears only once. Keep them in the order of the word,
        with all repetitions: a list, not a set.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return sorted({marked[i : i + 3] for i in range(len(marked) - 2)})
        """,
    "cuts_pairs": """
        The pieces have two characters. A slice excludes its end: for three, it runs from i to i +
        3.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return [marked[i : i + 2] for i in range(len(marked) - 2)]
        """,
    "adds_the_whole_word": """
        The whole word comes after the trigrams. Some methods do that (fastText, for example); here
        the list holds trigrams only.

        - return [marked[i : i + 3] for i in range(len(marked) - 2)]
        + trigrams = [marked[i : i + 3] for i in range(len(marked) - 2)]
        + return trigrams + [marked] if len(marked) > 3 else trigrams
        """,
}

RIGHT = {
    "zip": """
        def character_trigrams(word):
            marked = "<" + word + ">"
            return ["".join(three) for three in zip(marked, marked[1:], marked[2:])]
        """,
    "regex": """
        def character_trigrams(word):
            import re

            return re.findall("(?=(...))", "<" + word + ">", re.DOTALL)
        """,
}
