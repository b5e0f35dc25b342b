"""Idioms, sayings, and states that the two languages put into different words."""

from __future__ import annotations

from faces.lexicon import AVOIR, Verb, conjugate

_NOBODY: frozenset[str] = frozenset()


def _verb(english: str, past: str, progressive: str, french: str, forms: str = "") -> Verb:
    present, future, participle = conjugate(french) if french != "avoir" else ((), "", "")
    if forms:
        *listed, future, participle = forms.split()
        present = tuple(listed)
    if french == "avoir":
        present, future, participle = AVOIR.present, AVOIR.future, AVOIR.participle
    kind = "state" if not progressive else "idiom"
    return Verb(
        english, past, progressive, french, present, future, participle, kind, _NOBODY, _NOBODY
    )


_MANGER = _verb("eat", "ate", "eating", "manger")
_DORMIR = _verb(
    "sleep", "slept", "sleeping", "dormir", "dors dort dormons dormez dorment dormir dormi"
)

#: The verb, and what follows it in English and in French.
IDIOMS: list[tuple[Verb, str, str]] = [
    (_MANGER, "like a horse", "comme quatre"),
    (_DORMIR, "like a log", "comme une souche"),
    (_verb("have", "had", "", "avoir"), "a frog in the throat", "un chat dans la° gorge"),
    (_verb("have", "had", "", "avoir"), "other fish to fry", "de autres chats à fouetter"),
    (_verb("feel", "felt", "", "avoir"), "blue", "le° cafard"),
    (_verb("have", "had", "", "avoir"), "green fingers", "la° main verte"),
    (_verb("spill", "spilled", "spilling", "vendre"), "the beans", "la° mèche"),
    (
        _verb(
            "throw", "threw", "throwing", "jeter", "jette jette jetons jetez jettent jetter jeté"
        ),
        "in the towel",
        "le° éponge",
    ),
    (_verb("beat", "beat", "beating", "tourner"), "around the bush", "autour de le° pot"),
    (
        _verb(
            "call",
            "called",
            "calling",
            "appeler",
            "appelle appelle appelons appelez appellent appeller appelé",
        ),
        "a spade a spade",
        "un chat un chat",
    ),
    (_verb("build", "built", "building", "bâtir"), "castles in the air", "des châteaux en espagne"),
    (
        _verb("put", "put", "putting", "mettre", "mets met mettons mettez mettent mettr mis"),
        "the cart before the horse",
        "la° charrue avant les° bœufs",
    ),
    (
        _verb("pay", "paid", "paying", "payer", "paie paie payons payez paient paier payé"),
        "an arm and a leg",
        "les° yeux de la° tête",
    ),
    (_verb("turn", "turned", "turning", "tourner"), "the page", "la° page"),
    (_verb("miss", "missed", "missing", "rater"), "the boat", "le° coche"),
]

#: States that are adjectives in English and nouns with avoir in French.
STATES: list[tuple[Verb, str, str]] = [
    (AVOIR, "hungry", "faim"),
    (AVOIR, "thirsty", "soif"),
    (AVOIR, "sleepy", "sommeil"),
    (AVOIR, "cold", "froid"),
    (AVOIR, "hot", "chaud"),
    (AVOIR, "right", "raison"),
    (AVOIR, "wrong", "tort"),
    (AVOIR, "lucky", "de la° chance"),
    (AVOIR, "ashamed", "honte"),
    (AVOIR, "afraid of", "peur de"),
    (AVOIR, "years old", "ans"),
    (AVOIR, "years old", "ans"),
]

#: Whole clauses.
SAYINGS: list[tuple[str, str]] = [
    ("it is raining cats and dogs", "il pleut des cordes"),
    ("it is a piece of cake", "ce est de le° gâteau"),
    ("walls have ears", "les° murs ont des oreilles"),
    ("time is money", "le° temps est de le° argent"),
    ("it is snowing", "il neige"),
    ("it is raining", "il pleut"),
    ("it is hot", "il fait chaud"),
    ("it is cold", "il fait froid"),
    ("the weather is nice", "il fait beau"),
    ("it is late", "il est tard"),
    ("it is not his cup of tea", "ce ne est pas sa tasse de thé"),
    ("that costs an arm and a leg", "cela coûte les° yeux de la° tête"),
    ("every cloud has a silver lining", "après la° pluie vient le° beau temps"),
    ("the early bird catches the worm", "le° monde appartient à ceux qui se lèvent tôt"),
]
