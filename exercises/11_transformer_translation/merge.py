"""merge: tokens of one word and a pair, also one that overlaps with itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number
from .common import draw_words

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def tokens() -> list[str]:
        return ["▁", *draw_words(rng, 1)[0]]

    def case(group: str, tokens: list[str], i: int, title: str = "") -> Case:
        return Case(group, [tokens, tuple(tokens[i : i + 2])], title=title)

    word = tokens()
    yield case("values", word, number(rng, 1, len(word) - 3))
    word = tokens()
    yield case("values", ["▁" + word[1], word[2] + word[3], *word[4:]], 0, "longer tokens")
    yield case("values", tokens(), 0, "the pair at the start")
    word = tokens()
    yield case("values", word, len(word) - 2, "the pair at the end")
    a, b, c = rng.permutation(list("aeioulmn"))[:3].tolist()
    yield case("values", ["▁", a, b, c, a, b], 1, "the pair twice")
    yield case("values", ["▁", a, b, a, b, a, b], 2, "the pair again and again")
    yield Case("edges", [["▁", b, a, c], (a, b)], title="the two tokens in the other order")
    yield Case("edges", [["▁", a, c, b], (a, b)], title="the two tokens, but not side by side")
    yield Case("edges", [["▁", a + b, c], (a, b)], title="a token that has both inside")
    yield Case(
        "edges", [["▁" + a, b + c], (a, b + c)], title="a token that only ends like the pair"
    )
    yield case(
        "edges",
        ["▁", *[a] * (2 * number(rng, 2, 3) + 1)],
        1,
        "one letter repeated: from left to right",
    )
    yield Case("edges", [["▁" + a], ("▁", a)], title="a single token")
    yield Case("edges", [[], (a, b)], title="no token")
    yield Case("edges", [["▁", a, a + b, c], (a, b + c)], title="other tokens, the same characters")


WRONG = {
    "only_the_first": """
        Only the first occurrence is merged. A word may have the pair several times: go on after it.

        - step = 2 if tuple(tokens[i : i + 2]) == pair else 1
        + first = "".join(pair) not in merged
        + step = 2 if first and tuple(tokens[i : i + 2]) == pair else 1
        """,
    "keeps_the_second": """
        After a merge the second token of the pair is still there. It has become a part of the new
        token: go on behind it.

        - i += step
        + i += 1
        """,
    "replaces_text": """
        The merge works on the text of the word. It also finds the characters of the pair inside or
        across other tokens. Compare tokens.

        def merge(tokens, pair):
            return " ".join(tokens).replace(" ".join(pair), "".join(pair)).split()
        """,
    "either_order": """
        The pair is also merged where its two tokens stand in the other order. A pair has a left and
        a right token.

        - step = 2 if tuple(tokens[i : i + 2]) == pair else 1
        + step = 2 if tuple(tokens[i : i + 2]) in (pair, pair[::-1]) else 1
        """,
    "overlaps": """
        With one letter repeated, tokens are merged that are already part of another one. Walk from
        left to right, and go on behind a merged pair.

        def merge(tokens, pair):
            merged, i = [], 0
            while i < len(tokens):
                if tuple(tokens[i : i + 2]) == pair:
                    merged.append("".join(pair))
                    again = tuple(tokens[i + 1 : i + 3]) == pair
                    i += 1 if again else 2
                else:
                    merged.append(tokens[i])
                    i += 1
            return merged
        """,
    "from_the_right": """
        With one letter repeated, the merges begin at the end of the word. Walk from left to right.

        def merge(tokens, pair):
            merged, i = [], len(tokens)
            while i > 0:
                step = 2 if i > 1 and tuple(tokens[i - 2 : i]) == pair else 1
                merged.insert(0, "".join(tokens[i - step : i]))
                i -= step
            return merged
        """,
    "loses_the_last": """
        The last token is lost when it is not part of a pair. It has no right neighbor, but it stays.

        - while i < len(tokens):
        + while i < len(tokens) - 1:
        """,
    "appends_a_pair": """
        The merged pair is still two strings in a tuple. Concatenate them: a token is one string.

        - merged.append("".join(tokens[i : i + step]))
        + merged.append("".join(tokens[i : i + step]) if step == 1 else pair)
        """,
    "compares_joined_strings": """
        Two tokens are merged whenever they spell the same characters as the pair does. Compare left
        with left and right with right: `chat` `s` is not the pair (`cha`, `ts`).

        - step = 2 if tuple(tokens[i : i + 2]) == pair else 1
        + step = 2 if "".join(tokens[i : i + 2]) == "".join(pair) and len(tokens[i : i + 2]) == 2 else 1
        """,
}

RIGHT = {
    "look_back": """
        def merge(tokens, pair):
            left, right = pair
            merged, free = [], False
            for token in tokens:
                if free and merged[-1] == left and token == right:
                    merged[-1] = left + right
                    free = False
                else:
                    merged.append(token)
                    free = True
            return merged
        """,
    "recursion": """
        def merge(tokens, pair):
            if len(tokens) < 2:
                return list(tokens)
            if tokens[0] == pair[0] and tokens[1] == pair[1]:
                return [pair[0] + pair[1]] + merge(tokens[2:], pair)
            return [tokens[0]] + merge(tokens[1:], pair)
        """,
    "copy_and_delete": """
        def merge(tokens, pair):
            tokens = list(tokens)
            i = 0
            while i + 1 < len(tokens):
                if (tokens[i], tokens[i + 1]) == tuple(pair):
                    tokens[i : i + 2] = ["".join(pair)]
                i += 1
            return tokens
        """,
}

EQUIVALENT = {
    "i never skips the end: two tokens are taken only where there are two": """
        -    while i < len(tokens):
        +    while i != len(tokens):
        """,
}
