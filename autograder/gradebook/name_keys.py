"""Names of students as people compare them: without case, accents, order and separators."""

from __future__ import annotations

import unicodedata

#: Letters that are not a letter with an accent to Unicode.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
_APOSTROPHES = "'\u2018\u2019\u02bc`\u00b4"


def fold(text: str) -> str:
    """The text without case and accents; apostrophes go, too: Canvas drops them."""
    text = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in text if not "\u0300" <= c <= "\u036f" and c not in _APOSTROPHES)
    return "".join(kept).translate(_LETTERS)


def words(name: str) -> tuple[str, ...]:
    """The parts of a name, folded, in order; whatever is no letter, digit or mark separates them."""
    separated = "".join(
        c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in fold(name)
    )
    return tuple(separated.split())


def title_words(title: str) -> tuple[str, ...]:
    """The parts of a title as `words` finds them; numbers without leading zeros."""
    return tuple(str(int(word)) if word.isdecimal() else word for word in words(title))


def first_and_last(name: str) -> tuple[str, str]:
    """First and last name, of "Ada Lovelace" and of "Lovelace, Ada"."""
    if "," in name:
        last, _, first = name.partition(",")
    else:
        first, _, last = name.strip().rpartition(" ")
    return first.strip(), last.strip()


def are_alike(one: str, other: str) -> bool:
    """Whether two texts may be one person's name.

    Canvas writes last and first name as one word. Therefore one word is compared with several, too,
    put together from each of them on. Two single words are never alike: they may be user names, which
    only their own LMS can compare.
    """
    first, second = words(one), words(other)
    if len(first) > 1 and len(second) > 1:
        return sorted(first) == sorted(second)
    if len(first) == len(second) or not first or not second:
        return False
    (single,), several = sorted((first, second), key=len)
    return single in {"".join(several[i:] + several[:i]) for i in range(len(several))}
