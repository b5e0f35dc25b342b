"""add_special_tokens: one text or two with special tokens; lengths at and around the limit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_ids, number

POINTS = {"single": 1, "pairs": 1, "cutting": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, first: int, second: int | None, max_length: int, title: str = "") -> Case:
        cls_id, sep_id = rng.permutation(np.arange(1, 9))[:2].tolist()
        texts = [
            None if n is None else draw_ids(rng, 100, n, low=10).tolist() for n in (first, second)
        ]
        return Case(group, [*texts, max_length, cls_id, sep_id], title=title)

    n, m = number(rng, 2, 4), number(rng, 5, 7)
    yield case("single", n, None, n + number(rng, 4, 6))
    yield case("single", m, None, m - 1, title="too long")
    yield case("single", m + 4, None, m + 1, title="too long")
    yield case("single", n, None, n + 2, title="fits exactly")
    yield case("single", n + 1, None, n + 2, title="one token too long")
    yield case("single", 0, None, 5, title="an empty text")
    yield case("pairs", n, 2, n + number(rng, 6, 8))
    yield case("pairs", n, m, n + m + 3, title="a pair that fits exactly")
    yield case("pairs", n, 0, n + 5, title="an empty second text is still a second text")
    yield case("pairs", 0, n, n + 5, title="an empty first text")
    text = draw_ids(rng, 100, n, low=10).tolist()
    inputs = [[0, *text], [0, *text], 2 * n + 5, 101, 102]
    yield Case("pairs", inputs, title="the same text twice, which begins with the id 0")
    inputs = [[*text, *text], [*text, *text], 4 * n + number(rng, 0, 2), 101, 102]
    yield Case("cutting", inputs, title="the same text twice, too long")
    yield case("cutting", m + 2, 3, m + 4, title="the first text is longer")
    yield case("cutting", 2, m + 2, m + 3, title="the second text is longer")
    yield case("cutting", m, m, 2 * m + 2, title="equally long, one token too long")
    title = "the first text is longer only at the start"
    yield case("cutting", m + 3, m, m + 3 + m % 2, title=title)
    yield case("cutting", n, m, 3, title="no room for any token")


WRONG = {
    "without_last_sep": """
        The last [SEP] is missing. Every text ends with one, whether it stands alone, first or
        second.

        - return [cls_id, *first, sep_id], [0] * (len(first) + 2)
        + return [cls_id, *first], [0] * (len(first) + 1)
        ...
        - ids = [cls_id, *first, sep_id, *second, sep_id]
        - return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)
        + ids = [cls_id, *first, sep_id, *second]
        + return ids, [0] * (len(first) + 2) + [1] * len(second)
        """,
    "middle_sep_in_the_second": """
        The [SEP] between the texts is in segment 1. It ends the first text and belongs to it:
        segment 0.

        - return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)
        + return ids, [0] * (len(first) + 1) + [1] * (len(second) + 2)
        """,
    "one_segment": """
        The second text is in segment 0, too. Segments tell the model which text a position
        belongs to: the second text, with its [SEP], is in segment 1.

        - return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)
        + return ids, [0] * len(ids)
        """,
    "segments_from_one": """
        Every position is in segment 1. Segments are counted from 0: a single text, or the first
        text of a pair, is in segment 0.

        - return [cls_id, *first, sep_id], [0] * (len(first) + 2)
        + return [cls_id, *first, sep_id], [1] * (len(first) + 2)
        ...
        - return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)
        + return ids, [1] * len(ids)
        """,
    "cuts_the_end": """
        The special tokens are added first and then the end is cut off, the last [SEP] with it.
        Truncate the texts so that the special tokens still fit.

        def add_special_tokens(first, second, max_length, cls_id, sep_id):
            ids, segments = [cls_id, *first, sep_id], [0] * (len(first) + 2)
            if second is not None:
                ids, segments = [*ids, *second, sep_id], segments + [1] * (len(second) + 1)
            return ids[:max_length], segments[:max_length]
        """,
    "forgets_a_special_token": """
        A long pair ends up one longer than max_length. It needs room for three special tokens:
        [CLS] and two [SEP].

        - while len(first) + len(second) > max_length - 3:
        + while len(first) + len(second) > max_length - 2:
        """,
    "single_cut_like_a_pair": """
        A single text is truncated as if it were a pair. It has two special tokens, not three, so
        one more of its tokens fits.

        - first = first[: max_length - 2]
        + first = first[: max_length - 3]
        """,
    "slices_to_minus_zero": """
        A single text that is short enough loses tokens, or all of them: a slice that ends at -0
        is empty, and below that it counts from the front. Truncate only what is too long.

        - first = first[: max_length - 2]
        + too_many = len(first) - (max_length - 2)
        + first = first[:-too_many]
        """,
    "cuts_the_second": """
        A pair that is too long always loses tokens of the second text. Remove them from the
        longer one, so that a short text survives beside a long one.

        - (first if len(first) > len(second) else second).pop()
        + (second or first).pop()
        """,
    "compares_once": """
        All tokens are removed from the text that is longer at the start. Compare the lengths
        again after each token: once they are equal, the texts lose tokens in turn.

        - while len(first) + len(second) > max_length - 3:
        -     (first if len(first) > len(second) else second).pop()
        + longer = first if len(first) > len(second) else second
        + while longer and len(first) + len(second) > max_length - 3:
        +     longer.pop()
        """,
    "in_halves": """
        Each text gets half of the room, rounded down. A short text does not need its half: the
        long one may use what is left, and none of the room is wasted.

        - while len(first) + len(second) > max_length - 3:
        -     (first if len(first) > len(second) else second).pop()
        + if len(first) + len(second) > max_length - 3:
        +     half = (max_length - 3) // 2
        +     first, second = first[:half], second[:half]
        """,
    "equal_cuts_the_first": """
        Of two equally long texts the first one loses a token. It should be the second.

        - (first if len(first) > len(second) else second).pop()
        + (first if len(first) >= len(second) else second).pop()
        """,
    "changes_the_lists": """
        The lists that were passed in get shorter. The caller may need them again: truncate
        copies.

        - first = first[: max_length - 2]
        + del first[max_length - 2 :]
        ...
        - first, second = list(first), list(second)
        """,
    "empty_is_none": """
        An empty second text is treated as if there were none. Only None means a single text; an
        empty list is a text without tokens, and it still gets its [SEP].

        - if second is None:
        + if not second:
        """,
}

FURTHER = """
Truncate first: a pair may have `max_length - 3` tokens in all. While there are more, remove the
last token of the longer list, of the second when they are equally long; only then put the
special tokens in.
"""

RIGHT = {
    "by_counting": """
        def add_special_tokens(first, second, max_length, cls_id, sep_id):
            texts = [first] if second is None else [first, second]
            lengths = [len(text) for text in texts]
            while sum(lengths) + len(texts) + 1 > max_length:
                longest = max(range(len(texts)), key=lambda i: (lengths[i], i))
                lengths[longest] -= 1
            ids, segments = [cls_id], [0]
            for number, (text, length) in enumerate(zip(texts, lengths)):
                ids += [*text[:length], sep_id]
                segments += [number] * (length + 1)
            return ids, segments
        """,
    "without_a_loop": """
        def add_special_tokens(first, second, max_length, cls_id, sep_id):
            if second is None:
                ids = [cls_id, *first[: max_length - 2], sep_id]
                return ids, [0 for _ in ids]
            room = max_length - 3
            n, m = len(first), len(second)
            if n + m > room:
                n = max(min(n, room - room // 2), room - m)
                m = room - n
            ids = [cls_id, *first[:n], sep_id, *second[:m], sep_id]
            return ids, [int(i > n + 1) for i in range(len(ids))]
        """,
}
