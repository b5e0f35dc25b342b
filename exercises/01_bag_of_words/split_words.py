"""A text as tokens; the cases have apostrophes, numbers and punctuation in every position."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import some_words

POINTS = {"values": 1, "apostrophes": 2, "numbers": 1}
FORBIDDEN = ("coursekit.text.tokenize",)

WORDS = "film plot cast scene music ending great good bad dull fun long story actor joke".split()
ENDINGS = "'s 're 've 'll 'd 'm".split()
# What follows the apostrophe begins like one of the endings, but goes on.
NAMES = "o'dell o'malley d'souza o'reilly d'ville l'llano".split()
NOT = "didn't wasn't can't isn't doesn't couldn't".split()
HYPHENS = "well-made low-budget sci-fi mother-in-law over-long must-see".split()
# Letters that only some alphabets have; in "Ça" and "Éric" the capital has an accent.
ACCENTS = "Amélie café naïve Zoë Éric Ça".split()


def one(rng: np.random.Generator, words: list[str]) -> str:
    return some_words(rng, words, 1)[0]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    a, b, c, d, e, f = some_words(rng, WORDS, 6)
    yield Case("values", [f"The {a} is {b}, but its {c} ({d}) is {e}; so I {f}!"])
    title = "capital letters"
    yield Case("values", [f"{a.upper()} {b.capitalize()} and {c} McFly"], title=title)
    yield Case("values", [f"{a}!! {b}?! {c}"], title="several marks in a row")
    yield Case("values", [f"{a},{b} & {c}/{d}.{e.capitalize()} {f}"], title="no space at a mark")
    x, y = some_words(rng, ACCENTS, 2)
    yield Case("values", [f"{x} {a} {y}"], title="letters with accents")
    yield Case("values", [f"  {a}\n\n{b}\t {c} "], title="other white space than single spaces")
    yield Case("values", [one(rng, ["", " ", "\n"])], title="a text without tokens")

    x, y, z = some_words(rng, ENDINGS, 3)
    yield Case("apostrophes", [f"it{x} {a}, you{y} {b} and we{z} {c}."], title="short endings")
    for ending in ENDINGS:
        yield Case("apostrophes", [f"{one(rng, WORDS)}{ending}"], title="one ending")
    x, y = some_words(rng, NOT, 2)
    title = "an apostrophe inside a word"
    yield Case("apostrophes", [f"i {x} {a}; it {y} {b}"], title=title)
    x, y = some_words(rng, NAMES, 2)
    title = "what looks like an ending, but goes on"
    yield Case("apostrophes", [f"{x} and {y} {a}"], title=title)
    yield Case(
        "apostrophes", [f"{NAMES[int(rng.integers(6))]}'s {a}"], title="a name with an ending"
    )
    x, y = some_words(rng, HYPHENS, 2)
    yield Case("apostrophes", [f"a {x} {a}, {y} {b}"], title="hyphens inside words")
    title = "apostrophes and hyphens at the edge of a word"
    edge = one(rng, ["film", "plot", "good", "bad", "fun", "joke"])  # begins like no ending
    yield Case("apostrophes", [f"'{edge}' {b}- -{c} actors' '{edge}"], title=title)
    yield Case("apostrophes", [f"{a} - {b} ' {c}"], title="a hyphen between spaces")

    whole, part, year = (int(rng.integers(low, high)) for low, high in ((1, 10), (1, 10), (0, 100)))
    yield Case("numbers", [f"{whole}.{part} of 10 for {a}"], title="a decimal point")
    many = f"{whole},{int(rng.integers(100, 1000))}"
    yield Case("numbers", [f"{many} {a} and 1,{year:03d},{part}00"], title="commas in a number")
    yield Case("numbers", [f"in 19{year:02d}, {a} {whole}, {part}."], title="a mark after a number")
    yield Case("numbers", [f"{a}.{whole} {b},{part} {whole}.{c}"], title="a digit on one side only")
    yield Case("numbers", [f"the {whole}nd {a}, r2d{part}, 19{year:02d}s"], title="digits in words")
    yield Case("numbers", [f"{a}... {b} ...{whole}"], title="three points")
    yield Case("numbers", [f"{a}.. {b} {c}...."], title="two points, and four")


FURTHER = """
Write the forms of a token one after the other, with | between them: a word (a run of \\w, in which an
apostrophe or a hyphen may stand if \\w follows), an ending, three points, any other mark ([^\\w\\s]).
The first form that fits at a place is taken, so the longer ones come first. (?!...) asks that
something does not follow: before each apostrophe, ask that no ending begins there.
"""

WRONG = {
    "splits_at_spaces": """
        Commas and points still stick to the words: `split` cuts at white space only. Use a regular
        expression with a form for marks, too.

        def split_words(text):
            return text.lower().split()
        """,
    "keeps_capitals": """
        Capital letters are kept: `Great` and `great` would be two words. Lower-case the text.

        - return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        + return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text)
        """,
    "loses_the_marks": """
        Punctuation is lost. A mark is a token of its own.

        - return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        + return re.findall(rf"{word}|{ending}", text.lower())
        """,
    "cuts_words_at_every_mark": """
        Words are cut at apostrophes and hyphens, numbers at the point. With a letter or digit on both
        sides these marks belong to the word, and between digits a point or comma to the number.

        def split_words(text):
            return re.findall(r"\\w+|\\.\\.\\.|[^\\w\\s]", text.lower())
        """,
    "keeps_the_endings": """
        The endings stay at their words: `it's` should give `it` and `'s`. In front of an apostrophe
        that begins an ending, the word stops.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = r"['-]|(?<=\\d)[.,](?=\\d)"
        """,
    "cuts_inside_names": """
        A name is cut where something only looks like an ending: the `'d` of `o'dell` goes on, so it is
        none. An ending must be followed by the end of the word, in a regular expression `\\b`.

        - ending = r"'(?:s|re|ve|ll|d|m)\\b"
        + ending = r"'(?:s|re|ve|ll|d|m)"
        """,
    "cuts_every_apostrophe": """
        Words are cut at each apostrophe: `didn't` is one token. Only six endings are split off.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = r"[-]|(?<=\\d)[.,](?=\\d)"
        """,
    "cuts_off_what_follows_the_apostrophe": """
        Whatever follows an apostrophe is split off, as in `didn` and `'t`. Only the six endings are
        tokens of their own; `didn't` stays whole.

        - ending = r"'(?:s|re|ve|ll|d|m)\\b"
        + ending = r"'\\w+\\b"
        """,
    "splits_off_the_not": """
        `didn't` is split into `did` and `n't`, as treebanks do. By the rules here it stays whole.

        - ending = r"'(?:s|re|ve|ll|d|m)\\b"
        + ending = r"n't\\b|'(?:s|re|ve|ll|d|m)\\b"
        ...
        - word = rf"\\w+(?:(?:{inside})\\w+)*"
        + word = rf"(?:(?!n't\\b)\\w)+(?:(?:{inside})(?:(?!n't\\b)\\w)+)*"
        """,
    "cuts_at_hyphens": """
        Words are cut at the hyphen: `well-made` is one token. Only at the edge of a word is a hyphen a
        token of its own.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = rf"(?!{ending})[']|(?<=\\d)[.,](?=\\d)"
        """,
    "takes_marks_at_the_edge": """
        Apostrophes and hyphens at the edge of a word stick to it, as in `'great'`. They belong to a
        word only with a letter or digit on both sides.

        def split_words(text):
            ending = r"'(?:s|re|ve|ll|d|m)\\b"
            word = rf"(?:(?!{ending})[\\w'-])+(?:(?<=\\d)[.,](?=\\d)\\w+)*"
            return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        """,
    "cuts_numbers": """
        Numbers are cut at the point or comma: `3.5` is one token.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = rf"(?!{ending})['-]"
        """,
    "joins_words_at_a_point": """
        A point or comma between words that have no space there holds them together. It belongs to a
        token only between two digits.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = rf"(?!{ending})['-]|[.,]"
        """,
    "separates_the_three_points": """
        Three points in a row are three tokens; they should be one. Put that form in front of the one
        for a single mark.

        - return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        + return re.findall(rf"{word}|{ending}|[^\\w\\s]", text.lower())
        """,
    "joins_marks": """
        Marks in a row are one token. Only three points are; `!!` gives two tokens.

        - return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        + return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]+", text.lower())
        """,
    "takes_accents_for_marks": """
        Words are cut at letters with an accent, as if these were marks: `[a-z]` does not know them. `\\w`
        does.

        - word = rf"\\w+(?:(?:{inside})\\w+)*"
        - return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^\\w\\s]", text.lower())
        + word = rf"[a-z0-9]+(?:(?:{inside})[a-z0-9]+)*"
        + return re.findall(rf"{word}|{ending}|\\.\\.\\.|[^a-z0-9\\s]", text.lower())
        """,
    "knows_a_to_z_only": """
        Letters with an accent are lost, and cut their word: `[a-z]` does not know them. `\\w` does.

        - word = rf"\\w+(?:(?:{inside})\\w+)*"
        + word = rf"[a-z0-9]+(?:(?:{inside})[a-z0-9]+)*"
        """,
    "gives_groups": """
        These are parts of the tokens, or tuples of them: `re.findall` returns the groups if the
        expression has parentheses. Write them as (?:...), which make no group.

        - ending = r"'(?:s|re|ve|ll|d|m)\\b"
        + ending = r"'(s|re|ve|ll|d|m)\\b"
        """,
    "cuts_numbers_at_the_comma": """
        Numbers are cut at the comma: `1,000` is one token. Between two digits a comma belongs to
        the number, as a point does.

        - inside = rf"(?!{ending})['-]|(?<=\\d)[.,](?=\\d)"
        + inside = rf"(?!{ending})['-]|(?<=\\d)[.](?=\\d)"
        """,
    "marks_behind_a_word": """
        An apostrophe or a hyphen behind a word sticks to it, as in `dogs'`. It belongs to a word
        only with a letter or digit on both sides.

        - word = rf"\\w+(?:(?:{inside})\\w+)*"
        + word = rf"\\w+(?:(?:{inside})\\w*)*"
        """,
}

RIGHT = {
    "two steps": """
        def split_words(text):
            rough = re.findall(r"\\w+(?:['-]\\w+|(?<=\\d)[.,]\\d\\w*)*|\\.{3}|[^\\w\\s]", text.lower())
            tokens = []
            for token in rough:
                for ending in ("'s", "'re", "'ve", "'ll", "'d", "'m"):
                    if token.endswith(ending) and token != ending:
                        tokens += [token[: -len(ending)], ending]
                        break
                else:
                    tokens.append(token)
            return tokens
        """,
    "character by character": """
        def split_words(text):
            text, tokens, i = text.lower(), [], 0

            def in_word(c):
                return c.isalnum()

            while i < len(text):
                if text[i].isspace():
                    i += 1
                elif not in_word(text[i]):
                    length = 3 if text[i : i + 3] == "..." else 1
                    tokens.append(text[i : i + length])
                    i += length
                else:
                    j = i + 1
                    while j < len(text):
                        after = text[j + 1 : j + 2]
                        digits = text[j - 1].isdigit() and after.isdigit()
                        joins = text[j] in "'-" and in_word(after) or text[j] in ".," and digits
                        if not in_word(text[j]) and not joins:
                            break
                        j += 1
                    word = text[i:j]
                    endings = [e for e in ("'s", "'re", "'ve", "'ll", "'d", "'m") if word.endswith(e)]
                    tokens.append(word[: -len(endings[0])] if endings else word)
                    tokens += endings
                    i = j
            return tokens
        """,
    "marked with spaces": """
        def split_words(text):
            text = re.sub(r"(?<=\\w)('(?:s|re|ve|ll|d|m))\\b(?!['-]?\\w)", r" \\1 ", text.lower())
            tokens = []
            for piece in text.split():
                if re.fullmatch(r"'(?:s|re|ve|ll|d|m)", piece):
                    tokens.append(piece)
                    continue
                tokens += re.findall(
                    r"\\w+(?:(?:['-]|(?<=\\d)[.,](?=\\d))\\w+)*|\\.\\.\\.|[^\\w\\s]", piece
                )
            return tokens
        """,
}
