"""French words in a sentence: verb forms, agreement, contraction, elision."""

from __future__ import annotations

from faces.lexicon import Adjective, Verb, french_plural

#: Definite articles while a sentence is built: unlike the clitic pronouns le, la, les, they contract.
LE, LA, LES = "le°", "la°", "les°"
_ELIDED = {
    "le": "l'",
    "la": "l'",
    "de": "d'",
    "je": "j'",
    "me": "m'",
    "ne": "n'",
    "que": "qu'",
    "ce": "c'",
}
_CONTRACTED = {("de", LE): "du", ("de", LES): "des", ("à", LE): "au", ("à", LES): "aux"}
_NO_ELISION = ("huit", "onze")
_BEFORE_VOWEL = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
_FUTURE = ("ai", "a", "ons", "ez", "ont")
_IMPERFECT = ("ais", "ait", "ions", "iez", "aient")


def starts_with_vowel(word: str) -> bool:
    """Whether words elide before this one; no noun of the lexicon has an aspirated h."""
    return word[:1] in "aàâeéèêëiîïoôœuûh" and word not in _NO_ELISION


def join(tokens: list[str]) -> list[str]:
    """Contract and elide the tokens of a sentence: de le° ami, je ai -> de l' ami, j' ai."""
    done: list[str] = []
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        plain = token.rstrip("°")
        if plain == "si" and following in ("il", "ils"):
            done.append("s'")
        elif plain in _ELIDED and _elides(plain, following):
            done.append(_ELIDED[plain])
        elif done and (done[-1], token) in _CONTRACTED:
            done[-1] = _CONTRACTED[done[-1], token]
        else:
            done.append(plain)
    return done


def _elides(word: str, following: str) -> bool:
    if word == "ce":  # only the pronoun of c'est; before a noun it is cet, which needs no elision
        return following in ("est", "était")
    return starts_with_vowel(following) or following == "y"


def person_index(person: int, plural: bool) -> int:
    """Where a form stands in je, il, nous, vous, ils; vous is 2, singular or plural."""
    if person == 2:
        return 3
    return {(1, False): 0, (3, False): 1, (1, True): 2, (3, True): 4}[person, plural]


def finite(verb: Verb, tense: str, index: int) -> str:
    """A form of the present, future or imperfect tense."""
    if tense == "present":
        return verb.present[index]
    if tense == "future":
        return verb.future + _FUTURE[index]
    return verb.imperfect + _IMPERFECT[index]


def agree(participle: str, feminine: bool, plural: bool) -> str:
    """A past participle that agrees: allé, allée, allés, allées."""
    form = participle + ("e" if feminine else "")
    return form + ("s" if plural and not form.endswith("s") else "")


def adjective_form(adjective: Adjective, feminine: bool, plural: bool, following: str = "") -> str:
    """An adjective that agrees; `following` is the noun after it, if it stands before one."""
    form = adjective.feminine if feminine else adjective.masculine
    if " " in form:
        return form
    if plural:
        return french_plural(form)
    if form in _BEFORE_VOWEL and following and starts_with_vowel(following):
        return _BEFORE_VOWEL[form]
    return form
