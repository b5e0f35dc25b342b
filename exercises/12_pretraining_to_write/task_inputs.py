"""task_inputs: the four kinds of tasks, sequences that are too long, and wrong numbers of parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number
from .common import some_ids

POINTS = {"kinds": 2, "shortening": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, kind: str, lengths: list[int], most: int, title: str, **more: Any) -> Case:
        ids = some_ids(rng, sum(lengths))
        parts = [[ids.pop() for _ in range(length)] for length in lengths]
        special = [901 + int(i) for i in rng.permutation(90)[:3]]
        return Case(group, [parts, kind, *special, most], title=title, **more)

    n = number(rng, 3, 5)
    yield case("kinds", "single", [n], 20, "one text")
    yield case("kinds", "pair", [n, n - 1], 20, "premise and hypothesis")
    yield case("kinds", "similarity", [2, n], 20, "two texts, in both orders")
    yield case("kinds", "choice", [n, 2, 1, 3], 20, "a context and three answers")
    yield case("kinds", "choice", [n, 2], 20, "a single answer")

    yield case("shortening", "single", [n + 6], n + 3, "one text that is too long")
    yield case("shortening", "pair", [9, n], n + 8, "the first text is longer")
    yield case("shortening", "pair", [n, 9], n + 8, "the second text is longer")
    yield case("shortening", "pair", [8, 8], 2 * number(rng, 4, 6) + 4, "equally long")
    # once both have 5 tokens, 1 or 3 more are lost: in which text the odd one is depends on the order
    yield case("shortening", "similarity", [7, 5], 10 + 2 * (n % 2), "in both orders")
    yield case("shortening", "choice", [9, 2, 6, 12], 14, "answers of different lengths")
    yield case("shortening", "single", [n], n + 2, "it just fits")
    same = some_ids(rng, 5)
    inputs = [[same, [*same]], "similarity", 901, 902, 903, 11]
    yield Case("shortening", inputs, title="a text and the same text")
    inputs = [[same, [7], [*same], [7]], "choice", 901, 902, 903, 20]
    yield Case("kinds", inputs, title="an answer that comes twice, and one like the context")
    yield case("edges", "pair", [0, n + 4], n + 3, "an empty text beside a long one")
    yield case("edges", "pair", [4, 2], 3, "room for the special tokens only")

    lengths = [n] * number(rng, 2, 4)
    yield case("edges", "single", lengths, 20, "single with several texts", judge=VALUE_ERROR)
    yield case("edges", "single", [], 20, "single without a text", judge=VALUE_ERROR)
    yield case("edges", "pair", [n], 20, "a pair with one text", judge=VALUE_ERROR)
    yield case("edges", "pair", [n, 2, 2], 20, "a pair with three", judge=VALUE_ERROR)
    yield case("edges", "similarity", [n], 20, "similarity of one", judge=VALUE_ERROR)
    yield case("edges", "similarity", [n] * 3, 20, "similarity of three", judge=VALUE_ERROR)
    yield case("edges", "choice", [n], 20, "no answer to choose", judge=VALUE_ERROR)
    for kind, lengths in (("tagging", [n]), ("tagging", [n, 2]), ("answers", [n, 2])):
        yield case("edges", kind, lengths, 20, "a task that there is not", judge=VALUE_ERROR)


WRONG = {
    "similarity_once": """
        Similarity has no order, so both orders are read: two sequences.

        - groups = [[parts[0], parts[1]], [parts[1], parts[0]]]
        + groups = [[parts[0], parts[1]]]
        """,
    "pair_in_both_orders": """
        A pair with an order, such as premise and hypothesis, is read once. Both orders are for
        similarity.

        - groups = [[parts[0], parts[1]]]
        + groups = [[parts[0], parts[1]], [parts[1], parts[0]]]
        """,
    "all_answers_in_one": """
        All answers are in one sequence. Each answer gets its own, with the context in front.

        - groups = [[parts[0], answer] for answer in parts[1:]]
        + groups = [list(parts)]
        """,
    "answers_without_the_context": """
        The context is missing: each sequence is context, delimiter, answer.

        - groups = [[parts[0], answer] for answer in parts[1:]]
        + groups = [[answer] for answer in parts[1:]]
        """,
    "without_delimiter": """
        The delimiter between the two texts is missing, so nobody can tell where the second begins.

        - row += [delim, *text]
        + row += text
        """,
    "extract_missing": """
        The last token, extract, is missing. Its state is what the linear layer reads.

        - rows.append([*row, extract])
        + rows.append(row)
        """,
    "cuts_the_sequence": """
        The finished sequence is cut, so it loses its last token, extract. Shorten the texts before
        you put them together.

        - while sum(map(len, texts)) > max_length - len(texts) - 1:
        -     max(texts, key=len).pop()
        - row = [start, *texts[0]]
        + row = [start, *texts[0]]
        ...
        - rows.append([*row, extract])
        + rows.append([*row, extract][:max_length])
        """,
    "shortens_the_second": """
        The second text always gives way. It should be the longer one.

        - max(texts, key=len).pop()
        + ([text for text in texts if text] or texts)[-1].pop()
        """,
    "shortens_the_first": """
        The first text always gives way. It should be the longer one.

        - max(texts, key=len).pop()
        + next(text for text in texts if text).pop()
        """,
    "shortened_once_for_both_orders": """
        The texts are shortened once and then swapped. Each order is a sequence of its own: if the two get
        equally long, it is its own first text that gives way.

        - for group in groups:
        -     texts = [list(text) for text in group]
        -     while sum(map(len, texts)) > max_length - len(texts) - 1:
        -         max(texts, key=len).pop()
        + once = None
        + for group in groups:
        +     if kind == "similarity" and once:
        +         texts = once[::-1]
        +     else:
        +         texts = [list(text) for text in group]
        +     while sum(map(len, texts)) > max_length - len(texts) - 1:
        +         max(texts, key=len).pop()
        +     once = texts
        """,
    "second_of_equal_ones": """
        Of two equally long texts the second is shortened. It should be the first.

        - max(texts, key=len).pop()
        + max(reversed(texts), key=len).pop()
        """,
    "loses_the_beginning": """
        A text that is too long loses its first tokens. It should lose its last ones.

        - max(texts, key=len).pop()
        + max(texts, key=len).pop(0)
        """,
    "one_too_few": """
        The sequence is one token shorter than it may be. Count the special tokens: one more than
        there are texts.

        - while sum(map(len, texts)) > max_length - len(texts) - 1:
        + while sum(map(len, texts)) > max_length - len(texts) - 2:
        """,
    "special_tokens_not_counted": """
        The special tokens are not counted, so the sequences are too long.

        - while sum(map(len, texts)) > max_length - len(texts) - 1:
        + while sum(map(len, texts)) > max_length:
        """,
    "any_number_of_parts": """
        A wrong number of parts should raise a ValueError: one for "single", two for "pair" and
        "similarity", two or more for "choice".

        - if kind == "single" and len(parts) == 1:
        + if kind == "single":
        ...
        - elif kind == "pair" and len(parts) == 2:
        + elif kind == "pair":
        +     parts = [*parts, []]
        ...
        - elif kind == "similarity" and len(parts) == 2:
        + elif kind == "similarity":
        ...
        - elif kind == "choice" and len(parts) >= 2:
        + elif kind == "choice":
        """,
    "shortens_the_input": """
        The lists that were given are shortened in place, so the second answer meets a context that
        is too short. Copy them first.

        - texts = [list(text) for text in group]
        + texts = group
        """,
    "three_for_a_single_text": """
        A single text has no delimiter, so only two special tokens need room there. It is cut one
        token too early.

        - while sum(map(len, texts)) > max_length - len(texts) - 1:
        + while sum(map(len, texts)) > max_length - 3:
        """,
}

FURTHER = """
First a list of groups: which texts stand in each sequence, one or two. Then for each group, with copies
of its texts: while all of them together are longer than max_length minus the special tokens (one more
than there are texts), the longest loses its last token. max(texts, key=len) takes the first of equals.
"""

RIGHT = {
    "recursion": """
        def task_inputs(parts, kind, start, delim, extract, max_length):
            n = len(parts)
            right = {"single": n == 1, "pair": n == 2, "similarity": n == 2, "choice": n > 1}
            if not right.get(kind, False):
                raise ValueError(kind)

            def pair(a, b):
                a, b = list(a), list(b)
                while len(a) + len(b) + 3 > max_length:
                    if len(a) >= len(b):
                        a = a[:-1]
                    else:
                        b = b[:-1]
                return [start] + a + [delim] + b + [extract]

            if kind == "single":
                return [[start] + list(parts[0])[: max(0, max_length - 2)] + [extract]]
            if kind == "choice":
                return [pair(parts[0], answer) for answer in parts[1:]]
            rows = [pair(*parts)]
            return rows + [pair(parts[1], parts[0])] if kind == "similarity" else rows
        """,
    "lengths_first": """
        - texts = [list(text) for text in group]
        - while sum(map(len, texts)) > max_length - len(texts) - 1:
        -     max(texts, key=len).pop()
        + sizes = [len(text) for text in group]
        + while sum(sizes) + len(sizes) + 1 > max_length:
        +     sizes[sizes.index(max(sizes))] -= 1
        + texts = [list(text[:size]) for text, size in zip(group, sizes)]
        """,
}

EQUIVALENT = {
    "the number of parts is known: the last one is the first, or the second": """
        -        groups = [[parts[0]]]
        +        groups = [[parts[-1]]]

        -        groups = [[parts[0], parts[1]]]
        +        groups = [[parts[0], parts[-1]]]

        -        groups = [[parts[0], parts[1]], [parts[1], parts[0]]]
        +        groups = [[parts[0], parts[-1]], [parts[1], parts[0]]]

        -        groups = [[parts[0], parts[1]], [parts[1], parts[0]]]
        +        groups = [[parts[0], parts[1]], [parts[-1], parts[0]]]
        """,
    "texts are copies of the group's": """
        -        while sum(map(len, texts)) > max_length - len(texts) - 1:
        +        while sum(map(len, texts)) > max_length - len(group) - 1:
        """,
    "a sequence has one text or two": """
        -        for text in texts[1:]:
        +        for text in list(texts[1:])[:1]:

        -        for text in texts[1:]:
        +        for text in list(texts[1:])[::-1]:

                     row += [delim, *text]
        +            break
                 rows.append([*row, extract])
        """,
}
