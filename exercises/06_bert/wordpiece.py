"""wordpiece: greedy splitting into tokens; the vocabularies are full of tempting other tokens."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "unknown": 1, "edges": 1}

_BEGINNINGS = ["un", "over", "re", "mis", "under", "out", "pre", "inter"]
_MIDDLES = ["watch", "play", "direct", "think", "cast", "read", "film", "laugh", "stand"]
_ENDINGS = ["able", "ing", "er", "less", "ed", "ful", "ness"]


def _inside(*parts: str) -> set[str]:
    return {f"##{part}" for part in parts}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def pick(words: list[str] | str) -> str:
        return words[int(rng.integers(len(words)))]

    def parts() -> tuple[str, str, str]:
        return pick(_BEGINNINGS), pick(_MIDDLES), pick(_ENDINGS)

    first, middle, last = parts()
    word = first + middle + last
    vocabulary = {first, *_inside(middle, last)}
    yield Case("values", [word, vocabulary])
    traps = {middle, last, *_inside(first, middle[-1] + last)}
    letters = {first[0], *_inside(*word)}
    yield Case("values", [word, vocabulary | traps | letters], title="many tokens to choose from")
    yield Case("values", [word, vocabulary | letters | {word}], title="the whole word is a token")
    first, middle, last = parts()
    vocabulary = {first, middle, *_inside(first, last)}
    yield Case("values", [middle + last, vocabulary], title="two tokens")
    word = first + middle + last
    vocabulary = {first, first + middle[:-1], *_inside(middle, last, *word)}
    yield Case("values", [word, vocabulary])
    first, middle, last = parts()
    vocabulary = {first, middle, last, *_inside(middle, *last)}
    title = "the ending is a token at the start of a word only"
    yield Case("values", [first + middle + last, vocabulary], title=title)

    first, middle, last = parts()
    vocabulary = {first, *first, last, *last, *_inside(*first, last, *last)}
    title = "no token has the letter in the middle"
    yield Case("unknown", [first + pick("øßñç") + last, vocabulary], title=title)
    vocabulary = {first, *_inside(middle, *middle)}
    title = "no token has the last letter"
    yield Case("unknown", [first + middle + pick("éöåü"), vocabulary], title=title)
    first, middle, last = parts()
    vocabulary = {first, first + middle[:2], *_inside(middle)}
    title = "the longest first token is a dead end"
    yield Case("unknown", [first + middle, vocabulary], title=title)
    title = "both parts are tokens inside a word only"
    yield Case("unknown", [middle + last, _inside(middle, last)], title=title)
    first, middle, last = parts()
    vocabulary = {first, *_inside(middle, last)}
    yield Case("unknown", [first + middle + last, vocabulary], title="every part is a token")

    yield Case("edges", ["", {first, middle, *_inside(last)}], title="an empty word")
    letter, other = rng.permutation(list("abcdefghijk"))[:2].tolist()
    yield Case("edges", [letter, {letter, *_inside(other)}], title="one letter")
    yield Case("edges", [letter, {other, *_inside(other)}], title="one letter, not a token")
    n = int(rng.choice([7, 10, 13]))  # for these, splitting from the right gives other tokens
    vocabulary = {letter, 2 * letter, *_inside(letter, 3 * letter)}
    yield Case("edges", [n * letter, vocabulary], title="one letter repeated")
    first, middle, _ = parts()
    word = (first + middle).capitalize()
    vocabulary = {first, word[: len(first)], *_inside(middle)}
    yield Case("edges", [word, vocabulary], title="a capital letter, which a token has too")
    # This case comes last: an answer that never ends on it is not run on any further case.
    title = 'the sign "#" is a token, too, and no token has the last letter'
    yield Case("edges", [first + pick("éöåü"), {first, "#", "###"}], title=title)


WRONG = {
    "takes_the_shortest": """
        It takes the shortest token that fits, so words fall apart into letters. Try the longest
        slice first, and shorten it only if it is not a token.

        - ends = range(len(word), start, -1)
        + ends = range(start + 1, len(word) + 1)
        """,
    "ignores_marks": """
        Inside a word it looks up tokens without ##. In the vocabulary a token that continues a
        word has ## in front; the same letters without it begin a word.

        - mark = "##" if start else ""
        + mark = ""
        """,
    "drops_marks": """
        The tokens are looked up with ## but returned without. The marks are part of their names:
        "able" and "##able" are two different tokens.

        - found.append(mark + word[start:end])
        + found.append(word[start:end])
        """,
    "marks_the_first": """
        The first token is looked up with ##, too. The marks say that a token continues a word, so
        the token that begins the word has none.

        - mark = "##" if start else ""
        + mark = "##"
        """,
    "finds_no_second_token": """
        Every word of more than one token becomes [UNK]. Print what you look up after the first
        token: ## and all of the rest, then ## and ever fewer letters of it. Stop when no letter is
        left: a rest of only "##" is not empty.

        - mark = "##" if start else ""
        + mark = "#" if start else ""
        """,
    "never_reaches_the_end": """
        Every word becomes [UNK], even one that is itself a token. Print the slices that you look up
        for a short word. The first is the whole word, and each that follows has one letter less at
        the end; `range` counts down with a step of -1 and excludes its stop.

        - ends = range(len(word), start, -1)
        + ends = range(len(word) - 1, start, -1)
        """,
    "never_a_single_letter": """
        A token of a single letter is never found. `range` excludes its stop, so check that the
        last slice it gives still has one letter.

        - ends = range(len(word), start, -1)
        + ends = range(len(word), start + 1, -1)
        """,
    "keeps_the_beginning": """
        When nothing fits, the tokens found so far are kept and [UNK] follows them. A single spot
        where nothing fits makes the whole word unknown, and [UNK] is the only result.

        - return ["[UNK]"]
        + return [*found, "[UNK]"]
        """,
    "skips_unknown_letters": """
        A letter without a token is silently skipped, so different words get the same tokens. If
        nothing fits at some position, the whole word is [UNK].

        -         return ["[UNK]"]
        +         start += 1
        +         continue
        """,
    "marks_unknown_letters": """
        Each letter without a token becomes an [UNK] and the rest of the word is split as usual.
        The word as a whole should become a single [UNK].

        -         return ["[UNK]"]
        +         found.append("[UNK]")
        +         start += 1
        +         continue
        """,
    "goes_back": """
        When the longest token is a dead end, shorter ones are tried. That splits more words, but
        WordPiece is greedy: it keeps the longest token and never goes back.

        def wordpiece(word, vocabulary):
            def split(start):
                if start == len(word):
                    return []
                mark = "##" if start else ""
                for end in range(len(word), start, -1):
                    rest = split(end) if mark + word[start:end] in vocabulary else None
                    if rest is not None:
                        return [mark + word[start:end], *rest]
                return None

            found = split(0)
            return ["[UNK]"] if found is None else found
        """,
    "empty_is_unknown": """
        An empty word gives [UNK]. It has no letters, hence no tokens: return an empty list.

        - return found
        + return found or ["[UNK]"]
        """,
    "lowers": """
        The word is lowercased. Whether a model knows capitals was settled earlier, when the text
        was split into words: look the word up as it is.

        - found: list[str] = []
        + word, found = word.lower(), []
        """,
    "looks_up_without_the_mark": """
        The marks are added after the lookup. Inside a word the token is looked up with its mark: "##ing"
        is in the vocabulary, or it is not, whatever "ing" is.

        - end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        + end = next((end for end in ends if word[start:end] in vocabulary), None)
        """,
    "counts_the_marks_as_letters": """
        After a token with ##, two letters too many are cut from the rest of the word. The length of
        the token counts its ##, which the word does not contain.

        - start = end
        + start += len(found[-1])
        """,
    "falls_back_to_no_mark": """
        Inside a word, a token without ## is accepted as well if it is longer or the only one that
        fits. Such a token begins a word: after the first one, only tokens with ## count.

        - end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        + texts = ((end, m + word[start:end]) for end in ends for m in dict.fromkeys((mark, "")))
        + end, token = next(((e, text) for e, text in texts if text in vocabulary), (None, ""))
        ...
        - found.append(mark + word[start:end])
        + found.append(token)
        """,
}

FURTHER = """
Keep two indices, `start` and `end`. Let `end` run from the length of the word down to `start +
1`; the first slice that is in the vocabulary, with ## in front unless `start` is 0, is the next
token, and `start` moves to its end.
"""

RIGHT = {
    "by_recursion": """
        def wordpiece(word, vocabulary):
            def split(rest, mark):
                if rest == "":
                    return []
                for end in range(len(rest), 0, -1):
                    if mark + rest[:end] in vocabulary:
                        others = split(rest[end:], "##")
                        return None if others is None else [mark + rest[:end], *others]
                return None

            found = split(word, "")
            return ["[UNK]"] if found is None else found
        """,
    "by_searching_the_vocabulary": """
        def wordpiece(word, vocabulary):
            found, rest, mark = [], word, ""
            while rest:
                fitting = [t for t in vocabulary if len(t) > len(mark)]
                fitting = [t for t in fitting if (mark + rest).startswith(t)]
                if not fitting:
                    return ["[UNK]"]
                found.append(max(fitting, key=len))
                rest, mark = rest[len(found[-1]) - len(mark) :], "##"
            return found
        """,
}

EQUIVALENT = {
    "start never passes the end of the word": """
        -    while start < len(word):
        +    while start != len(word):
        """,
    "no token is empty after its ##": """
        -        ends = range(len(word), start, -1)
        +        ends = range(len(word), 0, -1)
        """,
}
