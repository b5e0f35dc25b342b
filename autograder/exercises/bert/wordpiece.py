"""wordpiece: greedy splitting into pieces; the vocabularies are full of tempting other pieces."""

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
    pieces = {first, *_inside(middle, last)}
    yield Case("values", [word, pieces])
    traps = {middle, last, *_inside(first, middle[-1] + last)}
    letters = {first[0], *_inside(*word)}
    yield Case("values", [word, pieces | traps | letters], title="many pieces to choose from")
    yield Case("values", [word, pieces | letters | {word}], title="the whole word is a piece")
    first, middle, last = parts()
    pieces = {first, middle, *_inside(first, last)}
    yield Case("values", [middle + last, pieces], title="two pieces")
    word = first + middle + last
    pieces = {first, first + middle[:-1], *_inside(middle, last, *word)}
    yield Case("values", [word, pieces])
    first, middle, last = parts()
    pieces = {first, middle, last, *_inside(middle, *last)}
    title = "the ending is a piece at the start of a word only"
    yield Case("values", [first + middle + last, pieces], title=title)

    first, middle, last = parts()
    pieces = {first, *first, last, *last, *_inside(*first, last, *last)}
    title = "no piece has the letter in the middle"
    yield Case("unknown", [first + pick("øßñç") + last, pieces], title=title)
    pieces = {first, *_inside(middle, *middle)}
    title = "no piece has the last letter"
    yield Case("unknown", [first + middle + pick("éöåü"), pieces], title=title)
    first, middle, last = parts()
    pieces = {first, first + middle[:2], *_inside(middle)}
    title = "the longest first piece is a dead end"
    yield Case("unknown", [first + middle, pieces], title=title)
    title = "both parts are pieces inside a word only"
    yield Case("unknown", [middle + last, _inside(middle, last)], title=title)
    first, middle, last = parts()
    pieces = {first, *_inside(middle, last)}
    yield Case("unknown", [first + middle + last, pieces], title="every part is a piece")

    yield Case("edges", ["", {first, middle, *_inside(last)}], title="an empty word")
    letter, other = rng.permutation(list("abcdefghijk"))[:2].tolist()
    yield Case("edges", [letter, {letter, *_inside(other)}], title="one letter")
    yield Case("edges", [letter, {other, *_inside(other)}], title="one letter, not a piece")
    n = int(rng.choice([6, 7, 9]))  # for these, splitting from the right gives other pieces
    pieces = {letter, 2 * letter, *_inside(letter, 3 * letter)}
    yield Case("edges", [n * letter, pieces], title="one letter repeated")
    first, middle, _ = parts()
    word = (first + middle).capitalize()
    pieces = {first, word[: len(first)], *_inside(middle)}
    yield Case("edges", [word, pieces], title="a capital letter, which a piece has too")
    # This case comes last: an answer that never ends on it is not run on any further case.
    title = 'the sign "#" is a piece, too, and no piece has the last letter'
    yield Case("edges", [first + pick("éöåü"), {first, "#", "###"}], title=title)


WRONG = {
    "takes_the_shortest": """
        It takes the shortest piece that fits, so words fall apart into letters. Try the longest
        slice first, and shorten it only if it is not a piece.

        - ends = range(len(word), start, -1)
        + ends = range(start + 1, len(word) + 1)
        """,
    "ignores_marks": """
        Inside a word it looks up pieces without ##. In the vocabulary a piece that continues a
        word has ## in front; the same letters without it begin a word.

        - mark = "##" if start else ""
        + mark = ""
        """,
    "drops_marks": """
        The pieces are looked up with ## but returned without. The marks are part of their names:
        "able" and "##able" are two different pieces.

        - found.append(mark + word[start:end])
        + found.append(word[start:end])
        """,
    "marks_the_first": """
        The first piece is looked up with ##, too. The marks say that a piece continues a word, so
        the piece that begins the word has none.

        - mark = "##" if start else ""
        + mark = "##"
        """,
    "finds_no_second_piece": """
        Every word of more than one piece becomes [UNK]. Print what you look up after the first
        piece: ## and all of the rest, then ## and ever fewer letters of it. Stop when no letter is
        left: a rest of only "##" is not empty.

        - mark = "##" if start else ""
        + mark = "#" if start else ""
        """,
    "never_reaches_the_end": """
        Every word becomes [UNK], even one that is itself a piece. Print the slices that you look up
        for a short word. The first is the whole word, and each that follows has one letter less at
        the end; `range` counts down with a step of -1 and excludes its stop.

        - ends = range(len(word), start, -1)
        + ends = range(len(word) - 1, start, -1)
        """,
    "never_a_single_letter": """
        A piece of a single letter is never found. `range` excludes its stop, so check that the
        last slice it gives still has one letter.

        - ends = range(len(word), start, -1)
        + ends = range(len(word), start + 1, -1)
        """,
    "keeps_the_beginning": """
        When nothing fits, the pieces found so far are kept and [UNK] follows them. A single spot
        where nothing fits makes the whole word unknown, and [UNK] is the only result.

        - return ["[UNK]"]
        + return [*found, "[UNK]"]
        """,
    "skips_unknown_letters": """
        A letter without a piece is silently skipped, so different words get the same pieces. If
        nothing fits at some position, the whole word is [UNK].

        -         return ["[UNK]"]
        +         start += 1
        +         continue
        """,
    "marks_unknown_letters": """
        Each letter without a piece becomes an [UNK] and the rest of the word is split as usual.
        The word as a whole should become a single [UNK].

        -         return ["[UNK]"]
        +         found.append("[UNK]")
        +         start += 1
        +         continue
        """,
    "goes_back": """
        When the longest piece is a dead end, shorter ones are tried. That splits more words, but
        WordPiece is greedy: it keeps the longest piece and never goes back.

        def wordpiece(word, pieces):
            def split(start):
                if start == len(word):
                    return []
                mark = "##" if start else ""
                for end in range(len(word), start, -1):
                    rest = split(end) if mark + word[start:end] in pieces else None
                    if rest is not None:
                        return [mark + word[start:end], *rest]
                return None

            found = split(0)
            return ["[UNK]"] if found is None else found
        """,
    "empty_is_unknown": """
        An empty word gives [UNK]. It has no letters, hence no pieces: return an empty list.

        - return found
        + return found or ["[UNK]"]
        """,
    "lowers": """
        The word is lowercased. Whether a model knows capitals was settled earlier, when the text
        was split into words: look the word up as it is.

        - found: list[str] = []
        + word, found = word.lower(), []
        """,
}

RIGHT = {
    "by_recursion": """
        def wordpiece(word, pieces):
            def split(rest, mark):
                if rest == "":
                    return []
                for end in range(len(rest), 0, -1):
                    if mark + rest[:end] in pieces:
                        others = split(rest[end:], "##")
                        return None if others is None else [mark + rest[:end], *others]
                return None

            found = split(word, "")
            return ["[UNK]"] if found is None else found
        """,
    "by_searching_the_vocabulary": """
        def wordpiece(word, pieces):
            found, rest, mark = [], word, ""
            while rest:
                fitting = [p for p in pieces if len(p) > len(mark) and (mark + rest).startswith(p)]
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
    "no piece is empty after its ##": """
        -        ends = range(len(word), start, -1)
        +        ends = range(len(word), 0, -1)
        """,
}
