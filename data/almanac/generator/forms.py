"""The forms of an English word: plural, tenses, comparison. Rules plus a list of exceptions."""

from __future__ import annotations

from pathlib import Path

VOWELS = frozenset("aeiou")
KINDS = {"noun": "s", "verb": "dn", "adjective": "rt"}


def _read_irregular() -> dict[tuple[str, str], str]:
    table = {}
    text = (Path(__file__).parent / "tables" / "irregular.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            kind, base, *forms = line.split("\t")
            for code, form in zip(KINDS[kind], forms, strict=True):
                table[code, base] = form
    return table


IRREGULAR = _read_irregular()
# Verbs that keep one consonant, as the stress is not on their end (open, opening; stop, stopping).
SINGLE = {"answer", "listen", "open", "remember", "savor", "travel", "visit", "whisper"}


def inflect(word: str, form: str) -> str:
    """Return a form of a word; in a phrase, of its first word (verbs) or its last (nouns).

    Parameters
    ----------
    word
        The dictionary form: ``"wolf"``, ``"go"``, ``"big"``.
    form
        ``s`` plural noun, ``v`` third person, ``d`` past, ``n`` past participle,
        ``g`` -ing form, ``r`` comparative, ``t`` superlative.

    Returns
    -------
    str
        The inflected word or phrase.
    """
    if " " in word:
        if form == "s":
            rest, last = word.rsplit(" ", 1)
            return f"{rest} {inflect(last, form)}"
        first, rest = word.split(" ", 1)
        return f"{inflect(first, form)} {rest}"
    if (form, word) in IRREGULAR:
        return IRREGULAR[form, word]
    if form in "sv":
        return _add_s(word)
    if form == "n" and ("d", word) in IRREGULAR:
        return IRREGULAR["d", word]
    if form in "dn":
        return _add(word, "ed")
    if form == "g":
        if word.endswith("ie"):
            return word[:-2] + "ying"
        return _add(word, "ing")
    return _add(word, {"r": "er", "t": "est"}[form])


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh", "go")):
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _add(word: str, ending: str) -> str:
    """Join a word and an ending that begins with a vowel."""
    if word.endswith("e") and not (ending == "ing" and word.endswith(("ee", "ye", "oe"))):
        return word[:-1] + ending
    if word.endswith("y") and word[-2] not in VOWELS and ending != "ing":
        return word[:-1] + "i" + ending
    closed = (
        len(word) > 2
        and word[-1] not in VOWELS | set("wxy")
        and word[-2] in VOWELS
        and word[-3] not in VOWELS
    )
    if closed and word not in SINGLE:
        return word + word[-1] + ending
    return word + ending
