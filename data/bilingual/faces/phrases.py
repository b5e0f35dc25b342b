"""Subjects and objects: pronouns, names, and noun phrases with determiners and adjectives."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from faces.french import LA, LE, LES, adjective_form, starts_with_vowel
from faces.lexicon import MEN, NUMBERS, WOMEN, Adjective, Noun, adjectives_for, nouns_of

T = TypeVar("T")
Tokens = tuple[str, ...]


class Draw:
    """Random choices that are the same in every version of Python: they use only `random()`."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[int(self._random() * len(options))]

    def early(self, options: Sequence[T]) -> T:
        """One of the options, the first ones more often, as the words of a language are."""
        return options[int(self._random() ** 1.8 * len(options))]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """One of the options, each as often as its weight says."""
        rest = self._random() * sum(weight for _, weight in options)
        for option, weight in options:
            rest -= weight
            if rest < 0:
                return option
        return options[-1][0]


@dataclass(frozen=True)
class Phrase:
    """A subject or object in both languages.

    `bare` is the French without its determiner, for "pas de ..."; `article` is what a negation
    changes: "a", "some" (partitive or plural), or "" for all other determiners.
    """

    english: Tokens
    french: Tokens
    person: int = 3
    plural: bool = False
    feminine: bool = False
    bare: Tokens = ()
    article: str = ""
    noun: Noun | None = None
    negative: bool = False
    reordered: bool = False

    @property
    def singular_verb(self) -> bool:
        """Whether the English verb takes an s."""
        return self.person == 3 and not self.plural


@dataclass(frozen=True)
class Clitic:
    """An object pronoun: it follows the verb in English and precedes it in French."""

    english: str
    direct: str
    indirect: str
    person: int = 3
    plural: bool = False
    feminine: bool = False


def words(text: str) -> Tokens:
    return tuple(text.split())


PRONOUNS = [
    (Phrase(("he",), ("il",)), 5),
    (Phrase(("she",), ("elle",), feminine=True), 5),
    (Phrase(("i",), ("je",), person=1), 4),
    (Phrase(("they",), ("ils",), plural=True), 3),
    (Phrase(("we",), ("nous",), person=1, plural=True), 3),
    (Phrase(("you",), ("vous",), person=2, plural=True), 3),
]
NOBODY = Phrase(("nobody",), ("personne",), negative=True)
CLITICS = [
    Clitic("him", "le", "lui"),
    Clitic("her", "la", "lui", feminine=True),
    Clitic("them", "les", "leur", plural=True),
    Clitic("me", "me", "me", person=1),
    Clitic("us", "nous", "nous", person=1, plural=True),
    Clitic("you", "vous", "vous", person=2, plural=True),
]
_OWNERS = {
    "my": ("mon", "ma", "mes"), "your": ("votre", "votre", "vos"), "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"), "our": ("notre", "notre", "nos"), "their": ("leur", "leur", "leurs"),
}  # fmt: skip
_DETERMINERS = [("the", 38), ("a", 24), ("owner", 20), ("this", 7), ("number", 5), ("many", 3), ("several", 2), ("few", 2), ("all", 2), ("every", 1)]  # fmt: skip


def subject(draw: Draw, classes: frozenset[str], *, you: bool = True) -> Phrase:
    """A subject: for persons also pronouns and names. `you` may be singular or plural in French."""
    if "person" in classes and draw.chance(0.5):
        found = draw.weighted(PRONOUNS)
        return found if you or found.person != 2 else PRONOUNS[0][0]
    if "person" in classes and draw.chance(0.25):
        feminine = draw.chance(0.5)
        name = draw.early(WOMEN if feminine else MEN)
        return Phrase((name,), (name,), feminine=feminine)
    if "person" in classes and draw.chance(0.04):
        return NOBODY
    return noun_phrase(draw, classes, subject=True)


def noun_phrase(
    draw: Draw,
    classes: frozenset[str],
    *,
    determiners: Sequence[str] | None = None,
    plain: float = 0.72,
    subject: bool = False,
) -> Phrase:
    """A noun of one of the classes, with a determiner and perhaps adjectives."""
    kinds = sorted(classes)
    kind = draw.pick(kinds)
    noun = draw.early(nouns_of(kind))
    determiner = draw.pick(determiners) if determiners else draw.weighted(_DETERMINERS)
    mass = bool(noun.classes & {"mass", "drink"})
    if determiner == "owner" and noun.english in {"man", "woman"}:  # "sa femme" is his wife
        determiner = "the"
    if mass and determiner not in {"the", "owner", "this"}:
        determiner = "a"
    if subject and determiner in {"a", "many", "few", "several"} and draw.chance(0.6):
        determiner = "the"
    plural = not mass and (
        determiner in {"number", "many", "several", "few", "all"}
        or (determiner != "every" and draw.chance(0.3))
    )
    chosen = [] if draw.chance(plain) else _adjectives(draw, noun)
    return assemble(draw, noun, determiner, chosen, plural)


def _adjectives(draw: Draw, noun: Noun) -> list[Adjective]:
    fitting = adjectives_for(noun.classes)
    before = [a for a in fitting if a.position == "before"]
    after = [a for a in fitting if a.position == "after"]
    if before and after and draw.chance(0.12):
        return [draw.early(before), draw.early(after)]
    both = [pool for pool in (before, after) if pool]
    return [draw.early(draw.pick(both))] if both else []


def assemble(
    draw: Draw, noun: Noun, determiner: str, chosen: list[Adjective], plural: bool
) -> Phrase:
    """Put determiner, adjectives and noun in the order of each language."""
    mass = bool(noun.classes & {"mass", "drink"})
    name = words(noun.french_plural if plural else noun.french)
    before = [a for a in chosen if a.position == "before"]
    after = [a for a in chosen if a.position == "after"]
    bare = (
        *(adjective_form(a, noun.feminine, plural, name[0]) for a in before),
        *name,
        *(w for a in after for w in words(adjective_form(a, noun.feminine, plural))),
    )
    nominal = (
        *(a.english for a in chosen),
        *words(noun.english_plural if plural else noun.english),
    )
    english, french = _determine(
        draw, determiner, nominal, bare, noun.feminine, plural, mass, before
    )
    article = {"a": "some" if plural or mass else "a"}.get(determiner, "")
    return Phrase(
        english, french, 3, plural, noun.feminine, bare, article, noun, reordered=bool(after)
    )


def _determine(
    draw: Draw,
    determiner: str,
    nominal: Tokens,
    bare: Tokens,
    feminine: bool,
    plural: bool,
    mass: bool,
    before: list[Adjective],
) -> tuple[Tokens, Tokens]:
    """The noun phrase with its determiner, in both languages."""
    the = LES if plural else LA if feminine else LE
    vowel = starts_with_vowel(bare[0])
    if determiner == "the":
        return ("the", *nominal), (the, *bare)
    if determiner == "a" and mass:
        return (("some", *nominal) if draw.chance(0.4) else nominal), ("de", the, *bare)
    if determiner == "a" and plural:
        return ("some", *nominal), ("de" if before else "des", *bare)
    if determiner == "a":
        return (article(nominal[0]), *nominal), ("une" if feminine else "un", *bare)
    if determiner == "owner":
        owner = draw.pick(sorted(_OWNERS))
        masculine_form, feminine_form, plural_form = _OWNERS[owner]
        form = feminine_form if feminine and not vowel else masculine_form
        return (owner, *nominal), (plural_form if plural else form, *bare)
    if determiner == "this":
        form = "cette" if feminine else "cet" if vowel else "ce"
        return ("these" if plural else "this", *nominal), ("ces" if plural else form, *bare)
    if determiner == "number":
        number = draw.early(sorted(NUMBERS, key=list(NUMBERS).index))
        return (*words(number), *nominal), (NUMBERS[number], *bare)
    if determiner == "many":
        return ("many", *nominal), ("beaucoup", "de", *bare)
    if determiner == "several":
        return ("several", *nominal), ("plusieurs", *bare)
    if determiner == "few":
        return ("a", "few", *nominal), ("quelques", *bare)
    if determiner == "all":
        return ("all", "the", *nominal), ("toutes" if feminine else "tous", LES, *bare)
    return ("every", *nominal), ("chaque", *bare)


def article(word: str) -> str:
    """a or an."""
    vowel = word[0] in "aeiou" and not word.startswith(("uni", "use", "eu"))
    return "an" if vowel else "a"


def negated(phrase: Phrase) -> tuple[Tokens, Tokens]:
    """An object under a negation: "any" in English, "de" for an indefinite article in French."""
    if not phrase.article:
        return phrase.english, phrase.french
    english = phrase.english
    if phrase.article == "some":
        english = ("any", *(english[1:] if english[0] == "some" else english))
    return english, ("de", *phrase.bare)
