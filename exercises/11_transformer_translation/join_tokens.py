"""join_tokens: tokens of whole sentences, and what a model may write: no mark, a mark without word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number
from .common import draw_words

POINTS = {"values": 1, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def split(word: str) -> list[str]:
        """A word as two or three tokens."""
        i = number(rng, 1, len(word) - 2)
        j = number(rng, i + 1, len(word) - 1)
        return ["▁" + word[:i], word[i:j], word[j:]]

    words = draw_words(rng, 6)
    yield Case("values", [["▁" + words[0], "▁" + words[1], "▁."]], title="each word is one token")
    yield Case("values", [split(words[0])], title="one word")
    tokens = [*split(words[1]), "▁" + words[2], *split(words[3]), "▁."]
    yield Case("values", [tokens], title="a sentence")
    yield Case("values", [["▁", *words[4], "▁", *words[5]]], title="all characters are tokens")
    yield Case(
        "edges", [split(words[2])[1:] + split(words[3])], title="the first token has no mark"
    )
    tokens = ["▁" + words[0], "▁", "▁" + words[1]]
    yield Case("edges", [tokens], title="a mark without a word after it")
    yield Case("edges", [[*split(words[4]), "▁"]], title="a mark at the end")
    yield Case("edges", [["▁", "▁", words[5]]], title="two marks at the start")
    yield Case("edges", [[]], title="no token")
    yield Case("edges", [[words[1]]], title="one token without a mark")
    yield Case("edges", [["▁" + words[2], "-", words[3]]], title="a hyphen is a character")


WRONG = {
    "keeps_marks": """
        The words still have their marks. "▁" only says where a word begins; take it off.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return ["▁" + word for word in "".join(tokens).split("▁") if word]
        """,
    "each_token_a_word": """
        Each token is a word of its own. A token without "▁" continues the word before it.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return [token.replace("▁", "") for token in tokens if token != "▁"]
        """,
    "empty_words": """
        There are empty words, where a "▁" has no characters after it, or before the first one.
        Leave them out.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return "".join(tokens).split("▁")
        """,
    "drops_the_first": """
        What comes before the first "▁" is lost. A model may well begin with such a token; treat it as
        a word.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return [word for word in "".join(tokens).split("▁")[1:] if word]
        """,
    "loses_the_last": """
        The last word is lost. No mark follows it: it ends where the tokens end.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return [word for word in "".join(tokens).split("▁")[:-1] if word]
        """,
    "continues_no_word": """
        A token without a mark is added to the last word, but if it is the first token there is no word
        yet. A model may well begin with such a token: then it begins a word.

        raises IndexError

        def join_tokens(tokens):
            words = []
            for token in tokens:
                if token.startswith("▁"):
                    words.append(token[1:])
                else:
                    words[-1] += token
            return [word for word in words if word]
        """,
    "returns_a_string": """
        The result should be a list of words, not one string: BLEU counts words.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return "".join(tokens).replace("▁", " ").strip()
        """,
    "mark_ends_words": """
        The mark is taken as the end of a word. "▁" begins a new word.

        def join_tokens(tokens):
            words, word = [], ""
            for token in tokens:
                word += token.replace("▁", "")
                if "▁" in token:
                    words.append(word)
                    word = ""
            return [word for word in [*words, word] if word]
        """,
    "cuts_off_the_first": """
        What comes before the first "▁" is cut off, though it may be a word, and empty words further
        on are kept. Leave out empty words only, wherever they are.

        - return [word for word in "".join(tokens).split("▁") if word]
        + return "".join(tokens).split("▁")[1:]
        """,
    "keeps_bare_marks": """
        A "▁" with nothing after it becomes an empty word. A model may well write one; leave out
        words without characters.

        def join_tokens(tokens):
            words = []
            for token in tokens:
                if token.startswith("▁") or not words:
                    words.append(token.removeprefix("▁"))
                else:
                    words[-1] += token
            return words
        """,
    "skips_bare_marks": """
        A token that is only a "▁" is left out before the words are put together, so the word after
        it is glued to the one before. Leave out empty words instead, once the words are complete.

        - return [word for word in "".join(tokens).split("▁") if word]
        + text = "".join(token for token in tokens if token != "▁")
        + return [word for word in text.split("▁") if word]
        """,
}

RIGHT = {
    "split_at_spaces": """
        def join_tokens(tokens):
            return "".join(tokens).replace("▁", " ").split()
        """,
    "token_by_token": """
        def join_tokens(tokens):
            words = [""]
            for token in tokens:
                if token.startswith("▁"):
                    words.append("")
                words[-1] += token.lstrip("▁")
            return [word for word in words if word != ""]
        """,
    "filter": """
        def join_tokens(tokens):
            text = ""
            for token in tokens:
                text = text + token
            return list(filter(None, text.split("▁")))
        """,
}
