"""apply_merges: made-up merges over the words of a small text; the order decides which tokens come out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from autograder.course.exercise import Case

from ..draw import number
from .common import draw_words

POINTS = {"values": 2, "order": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def merges_of(word: str, *, whole: bool = True) -> list[tuple[str, str]]:
        """Merges that build up a word from the left, character by character."""
        parts = ["▁" + word[:i] for i in range(len(word))]
        return list(zip(parts, word))[: None if whole else len(word) // 2]

    words = draw_words(rng, 30)  # in which no two characters come twice
    first, second, third = [w for w in words if len(set(pairwise(w))) == len(w) - 1][:3]
    yield Case("values", [first, merges_of(first)], title="a whole word is a token")
    yield Case("values", [second, merges_of(second, whole=False)], title="the beginning is a token")
    ending = third[-2:]
    yield Case("values", [third, [tuple(ending)]], title="the ending is a token")
    many = [*merges_of(first, whole=False), tuple(second[-2:]), *merges_of(third, whole=False)]
    yield Case("values", [third, many], title="many merges")
    yield Case("values", [second, many], title="another word, the same merges")

    a, b, c, d = rng.permutation(list("aeioulmnrst"))[:4].tolist()
    pairs = [(c, d), (b, c), (b, c + d)]
    yield Case("order", [b + c + d, pairs], title="the pair on the right was learned first")
    pairs = [(b, c), (a, b), (a + b, c), (a, b + c)]
    title = "the pair in the middle was learned first"
    yield Case("order", [a + b + c, pairs], title=title)
    pairs = [(a, b), (b, c), (a + b, c), (c, d), (a, b + c)]
    yield Case("order", [a + b + c + d, pairs], title="the pair on the left was learned first")
    pairs = [(a, b), (c, d), (a + b, c + d)]
    yield Case("order", [a + b + c + d, pairs], title="a merge of two that were merged")
    pairs = [(a, b), (c, d), ("▁", a + b), ("▁" + a + b, c + d)]
    yield Case("order", [(a + b + c + d) * 2, pairs], title="four merges")

    yield Case("edges", [first, []], title="no merges")
    yield Case("edges", ["", merges_of(second)], title="an empty word")
    yield Case("edges", [a, [("▁", a)]], title="one character")
    other = f"{number(rng, 100, 999)}é{b}"
    yield Case("edges", [other, many], title="characters that no merge knows")
    letters = a * (2 * number(rng, 2, 3) + 1)
    yield Case("edges", [letters, [(a, a), (a + a, a)]], title="one letter repeated")
    yield Case("edges", [a + b, [("▁", b), ("▁", c)]], title="a merge for another beginning")


WRONG = {
    "without_mark": """
        The mark "▁" is missing. It stands in front of the characters of every word.

        - tokens = ["▁", *word]
        + tokens = [*word]
        """,
    "mark_at_the_end": """
        The mark "▁" stands at the end of the word, as some other tokenizers have it. Here it says where
        a word begins: put it in front of the characters.

        - tokens = ["▁", *word]
        + tokens = [*word, "▁"]
        """,
    "mark_glued_to_the_first": """
        The mark is part of the first character from the start. It is a token of its own, which the
        merges join with what follows.

        - tokens = ["▁", *word]
        + tokens = [*("▁" + word[:1],), *word[1:]]
        """,
    "nothing_for_an_empty_word": """
        An empty word has no tokens. The mark stands in front of the characters even if there are
        none: it is a token of its own.

        - tokens = ["▁", *word]
        + if not word:
        +     return []
        + tokens = ["▁", *word]
        """,
    "longest_token": """
        It looks for the longest token that fits, as WordPiece does. Byte-pair encoding starts with
        characters and applies the merges in the order in which they were learned.

        def apply_merges(word, merges):
            known = {"".join(pair) for pair in merges}
            rest, tokens = "▁" + word, []
            while rest:
                ends = range(len(rest), 0, -1)
                end = next((end for end in ends if rest[:end] in known), 1)
                tokens.append(rest[:end])
                rest = rest[end:]
            return tokens
        """,
    "last_merge_first": """
        Later merges are applied before earlier ones, as in the reverse order, or with the longest
        tokens first. The first one learned comes first: later ones are built from its result.

        - for pair in merges:
        + for pair in reversed(merges):
        """,
    "leftmost_pair_first": """
        It merges the leftmost pair that was ever learned. Which merge comes first is decided by the
        order in which they were learned, not by the position in the word.

        def apply_merges(word, merges):
            tokens, i = ["▁", *word], 0
            while i < len(tokens) - 1:
                if (tokens[i], tokens[i + 1]) in merges:
                    tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]
                    i = 0
                else:
                    i += 1
            return tokens
        """,
    "only_one_merge": """
        Only the first merge that fits is applied. Go on with the rest of the list.

        - tokens = merge(tokens, pair)
        + if merge(tokens, pair) != tokens:
        +     return merge(tokens, pair)
        """,
    "only_the_first_occurrence": """
        A merge is applied to the first occurrence of its pair only. `merge` joins all of them.

        - tokens = merge(tokens, pair)
        + i = next((i for i in range(len(tokens) - 1) if tuple(tokens[i : i + 2]) == pair), None)
        + if i is not None:
        +     tokens = [*tokens[:i], "".join(pair), *tokens[i + 2 :]]
        """,
    "stops_at_a_miss": """
        It stops at the first merge whose pair the word does not have. Most merges find nothing in a
        word; go on with the next one.

        - tokens = merge(tokens, pair)
        + if merge(tokens, pair) == tokens:
        +     break
        + tokens = merge(tokens, pair)
        """,
    "sorts_the_merges": """
        The merges are sorted by the alphabet. Apply them in the order in which they were learned.

        - for pair in merges:
        + for pair in sorted(merges):
        """,
}

RIGHT = {
    "reduce": """
        import functools


        def apply_merges(word, merges):
            return functools.reduce(merge, merges, ["▁"] + list(word))
        """,
    "inline": """
        def apply_merges(word, merges):
            tokens = list("▁" + word)
            for left, right in merges:
                i = 0
                while i < len(tokens) - 1:
                    if tokens[i] == left and tokens[i + 1] == right:
                        tokens[i] = left + tokens.pop(i + 1)
                    i += 1
            return tokens
        """,
    "recursion": """
        def apply_merges(word, merges):
            if not merges:
                return ["▁", *word]
            return merge(apply_merges(word, merges[:-1]), merges[-1])
        """,
    "lowest_rank_first": """
        def apply_merges(word, merges):
            ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
            tokens = ["▁", *word]
            while True:
                known = [pair for pair in zip(tokens, tokens[1:]) if pair in ranks]
                if not known:
                    return tokens
                tokens = merge(tokens, min(known, key=ranks.get))
        """,
}
