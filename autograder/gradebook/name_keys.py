"""Comparison keys for students' names: without case, accents, order and separators."""

from __future__ import annotations

import unicodedata

#: Letters that Unicode does not decompose into a letter and an accent.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
_APOSTROPHES = "'\u2018\u2019\u02bc`\u00b4"


def fold(text: str) -> str:
    """Return the text without case, accents and apostrophes, which Canvas drops."""
    text = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in text if not "\u0300" <= c <= "\u036f" and c not in _APOSTROPHES)
    return "".join(kept).translate(_LETTERS)


def words(name: str) -> tuple[str, ...]:
    """Return the parts of a name, folded, in order.

    All characters that are no letters, digits or marks separate parts.
    """
    separated = "".join(
        c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in fold(name)
    )
    return tuple(separated.split())


def title_words(title: str) -> tuple[str, ...]:
    """Return the parts of a title as `words` does, with numbers without leading zeros."""
    return tuple(str(int(word)) if word.isdecimal() else word for word in words(title))


def first_and_last(name: str) -> tuple[str, str]:
    """Return the first and last name, of "Ada Lovelace" and of "Lovelace, Ada"."""
    if "," in name:
        last, _, first = name.partition(",")
    else:
        first, _, last = name.strip().rpartition(" ")
    return first.strip(), last.strip()


def are_alike(one: str, other: str) -> bool:
    """Tell whether two texts may be one person's name.

    Canvas writes last and first name as one word. Therefore one word is also compared with several
    words, joined in each rotation. Two single words are never alike: they may be user names, which
    only their own LMS can compare.
    """
    first, second = words(one), words(other)
    if len(first) > 1 and len(second) > 1:
        return sorted(first) == sorted(second)
    if len(first) == len(second) or not first or not second:
        return False
    (single,), several = sorted((first, second), key=len)
    return single in {"".join(several[i:] + several[:i]) for i in range(len(several))}
