"""The words of the corpus in both languages, read from the tables next to this file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TABLES = Path(__file__).with_name("tables")


@dataclass(frozen=True)
class Noun:
    """A noun: both languages, singular and plural, gender in French, and its classes."""

    english: str
    french: str
    english_plural: str
    french_plural: str
    feminine: bool
    classes: frozenset[str]
    at: tuple[str, str] = ("", "")  # of a place: "at" or "in", in both languages


@dataclass(frozen=True)
class Adjective:
    """An adjective: where it stands in French, and which classes of nouns it suits."""

    english: str
    masculine: str
    feminine: str
    position: str  # "before", "after", or "never": only after a form of to be
    classes: frozenset[str]
    comparative: str


@dataclass(frozen=True)
class Verb:
    """A verb with its forms in both languages.

    `present` has the forms of je, il, nous, vous, ils; `future` is the stem of the future tense.
    """

    english: str
    past: str
    progressive: str
    french: str
    present: tuple[str, ...]
    future: str
    participle: str
    kind: str
    subjects: frozenset[str]
    objects: frozenset[str]

    @property
    def imperfect(self) -> str:
        """The stem of the imperfect tense."""
        return "ét" if self.french == "être" else self.present[2].removesuffix("ons")

    @property
    def takes_etre(self) -> bool:
        """Whether the past tense is formed with être."""
        return self.kind in {"motion", "return", "arrive", "stay", "alone+"}


def english_plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


def french_plural(word: str) -> str:
    first, space, rest = word.partition(" ")
    if first.endswith(("s", "x", "z")):
        return word
    return first + ("x" if first.endswith(("eau", "eu")) else "s") + space + rest


def third_person(verb: str) -> str:
    """The English form for he, she, it: looks for, goes, carries."""
    first, space, rest = verb.partition(" ")
    if first in {"be", "have"}:
        return {"be": "is", "have": "has"}[first] + space + rest
    if first.endswith("y") and first[-2] not in "aeiou":
        return first[:-1] + "ies" + space + rest
    ending = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return first + ending + space + rest


def _rows(name: str) -> list[list[str]]:
    lines = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    width = len(lines[0].split("\t"))
    return [(line.split("\t") + [""] * width)[:width] for line in lines[1:]]


@lru_cache(maxsize=1)
def nouns() -> list[Noun]:
    """All nouns, places included, the common ones of a class first."""
    found = []
    for english, french, gender, classes, plural in _rows("nouns"):
        many, _, plusieurs = plural.partition("|")
        found.append(
            Noun(
                english,
                french,
                many or english_plural(english),
                plusieurs or french_plural(french),
                gender == "f",
                frozenset(classes.split()),
            )
        )
    for english, french, gender, at_en, at_fr, classes in _rows("places"):
        plurals = english_plural(english), french_plural(french)
        kinds = frozenset(classes.split())
        found.append(Noun(english, french, *plurals, gender == "f", kinds, (at_en, at_fr)))
    return found


@lru_cache
def nouns_of(kind: str) -> list[Noun]:
    """The nouns of a class."""
    return [noun for noun in nouns() if kind in noun.classes]


@lru_cache(maxsize=1)
def adjectives() -> list[Adjective]:
    """All adjectives."""
    return [
        Adjective(english, masculine, feminine, position, frozenset(classes.split()), comparative)
        for english, masculine, feminine, position, classes, comparative in _rows("adjectives")
    ]


@lru_cache
def adjectives_for(classes: frozenset[str]) -> list[Adjective]:
    """The adjectives that suit nouns of one of the classes."""
    return [adjective for adjective in adjectives() if adjective.classes & classes]


@lru_cache(maxsize=1)
def verbs() -> list[Verb]:
    """All verbs of the table; `AVOIR` and the like stand below."""
    found = []
    for row in _rows("verbs"):
        english, past, progressive, french, present, future, participle, kind, who, what = row
        forms = conjugate(french.split()[0])
        found.append(
            Verb(
                english,
                past,
                progressive,
                french,
                tuple(present.split()) or forms[0],
                future or forms[1],
                participle or forms[2],
                kind,
                frozenset(who.split()),
                frozenset(what.split()),
            )
        )
    return found


def conjugate(infinitive: str) -> tuple[tuple[str, ...], str, str]:
    """Present, stem of the future and past participle of a regular verb."""
    if infinitive == "avoir":
        return AVOIR.present, AVOIR.future, AVOIR.participle
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "er":
        us = stem + ("eons" if stem.endswith("g") else "ons")
        return (stem + "e", stem + "e", us, stem + "ez", stem + "ent"), infinitive, stem + "é"
    if ending == "ir":
        long = stem + "iss"
        forms = (stem + "is", stem + "it", long + "ons", long + "ez", long + "ent")
        return forms, infinitive, stem + "i"
    forms = (stem + "s", stem, stem + "ons", stem + "ez", stem + "ent")
    return forms, infinitive[:-1], stem + "u"


def _special(
    english: str, past: str, french: str, present: str, future: str, participle: str
) -> Verb:
    forms, nobody = tuple(present.split()), frozenset()
    return Verb(english, past, "", french, forms, future, participle, "special", nobody, nobody)


ETRE = _special("be", "was", "être", "suis est sommes êtes sont", "ser", "été")
AVOIR = _special("have", "had", "avoir", "ai a avons avez ont", "aur", "eu")
POUVOIR = _special("can", "", "pouvoir", "peux peut pouvons pouvez peuvent", "pourr", "pu")
VOULOIR = _special("want to", "", "vouloir", "veux veut voulons voulez veulent", "voudr", "voulu")
DEVOIR = _special("must", "", "devoir", "dois doit devons devez doivent", "devr", "dû")
ALLER = _special("go", "", "aller", "vais va allons allez vont", "ir", "allé")
DIRE = _special("say", "said", "dire", "dis dit disons dites disent", "dir", "dit")
SAVOIR = _special("know", "knew", "savoir", "sais sait savons savez savent", "saur", "su")
PENSER = _special(
    "think", "thought", "penser", "pense pense pensons pensez pensent", "penser", "pensé"
)
CROIRE = _special(
    "believe", "believed", "croire", "crois croit croyons croyez croient", "croir", "cru"
)
FAIRE = _special("do", "did", "faire", "fais fait faisons faites font", "fer", "fait")

NUMBERS = {
    "two": "deux", "three": "trois", "four": "quatre", "five": "cinq", "six": "six",
    "seven": "sept", "eight": "huit", "nine": "neuf", "ten": "dix", "eleven": "onze",
    "twelve": "douze", "thirteen": "treize", "fourteen": "quatorze", "fifteen": "quinze",
    "sixteen": "seize", "seventeen": "dix-sept", "eighteen": "dix-huit", "nineteen": "dix-neuf",
    "twenty": "vingt", "thirty": "trente", "forty": "quarante", "fifty": "cinquante",
    "sixty": "soixante", "seventy": "soixante-dix", "eighty": "quatre-vingts",
    "ninety": "quatre-vingt-dix", "a hundred": "cent",
}  # fmt: skip
MEN = "paul pierre thomas louis hugo nicolas antoine daniel martin victor oscar adam".split()
WOMEN = "marie julie claire sophie camille emma anna laura alice hélène sarah nina".split()
CITIES = "paris london berlin rome madrid tokyo geneva brussels lisbon vienna".split()
VILLES = "paris londres berlin rome madrid tokyo genève bruxelles lisbonne vienne".split()
COUNTRIES = {
    "france": "en france", "italy": "en italie", "spain": "en espagne", "japan": "au japon",
    "germany": "en allemagne", "portugal": "au portugal", "canada": "au canada",
    "england": "en angleterre", "morocco": "au maroc", "greece": "en grèce",
}  # fmt: skip
