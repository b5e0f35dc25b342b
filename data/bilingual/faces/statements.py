"""Sentences of one clause, of a dozen kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from faces.clauses import ADVERBS, BeClause, Clause, be_form, tail
from faces.french import adjective_form, finite
from faces.idioms import IDIOMS, STATES
from faces.lexicon import (
    AVOIR,
    CITIES,
    COUNTRIES,
    ETRE,
    NUMBERS,
    VILLES,
    Adjective,
    Verb,
    adjectives,
    conjugate,
    nouns_of,
    verbs,
)
from faces.phrases import (
    CLITICS,
    NOBODY,
    PRONOUNS,
    Clitic,
    Draw,
    Phrase,
    assemble,
    noun_phrase,
    subject,
    words,
)

PERSON = frozenset({"person"})
ALIVE = frozenset({"person", "animal"})

TENSES = [("present", 30), ("past", 40), ("future", 16), ("progressive", 14)]
TIMES = {
    "present": {"every day": "tous les jours", "on monday": "le lundi", "in summer": "en été",
                "in the evening": "le soir", "in winter": "en hiver", "every week": "chaque semaine"},
    "past": {"yesterday": "hier", "last week": "la semaine dernière", "two days ago": "il y a deux jours",
             "this morning": "ce matin", "last year": "la° année dernière", "three months ago": "il y a trois mois"},
    "future": {"tomorrow": "demain", "next week": "la semaine prochaine", "tonight": "ce soir",
               "next year": "la° année prochaine", "in two weeks": "dans deux semaines", "in an hour": "dans une heure"},
    "progressive": {"now": "maintenant", "at the moment": "en ce moment"},
}  # fmt: skip
_JOBS = (
    "médecin professeur boulanger étudiant fermier avocat actrice chanteuse serveur infirmière "
    "jardinier peintre musicien policier ingénieur journaliste"
).split()
SPORTS = {"tennis": "à le° tennis", "football": "à le° football", "chess": "à les° échecs",
          "cards": "à les° cartes", "the piano": "de le° piano", "the violin": "de le° violon",
          "the guitar": "de la° guitare", "the flute": "de la° flûte"}  # fmt: skip


PLAY = Verb("play", "played", "playing", "jouer", *conjugate("jouer"), "alone", PERSON, PERSON)


@dataclass(frozen=True)
class Said:
    """A sentence or clause in both languages, French still without contraction, and its labels."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    labels: frozenset[str]
    tense: str = "present"

    @staticmethod
    def of(clause: Clause) -> Said:
        labels = frozenset(clause.all_labels())
        return Said(tuple(clause.english()), tuple(clause.french()), labels, clause.tense)


class Statements:
    """Draws statements; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.draw = Draw(seed)
        self.by_kind: dict[str, list[Verb]] = {}
        for verb in verbs():
            self.by_kind.setdefault(verb.kind, []).append(verb)

    def statement(self, tense: str = "") -> Said:
        """A sentence of one clause; with a tense, one that stands in it."""
        tense = tense or self.draw.weighted(TENSES)
        kinds: list[tuple[Callable[[str], Clause], int]] = [
            (self.transitive, 34),
            (self.intransitive, 9),
            (self.moving, 10),
            (self.giving, 8),
            (self.quality, 13),
            (self.state, 5),
            (self.comparison, 3),
            (self.playing, 3),
            (self.existence, 4),
            (self.idiom, 6),
            (self.needing, 2),
            (self.profession, 2),
        ]
        return Said.of(self.draw.weighted(kinds)(tense))

    def _verb(self, kinds: str, tense: str) -> Verb:
        pool = [verb for kind in kinds.split() for verb in self.by_kind[kind]]
        fitting = [verb for verb in pool if tense != "progressive" or verb.progressive]
        return self.draw.early(fitting)

    def _mood(self, clause: Clause, *, modal: bool = True, time: bool = True) -> Clause:
        """Perhaps a negation, an adverb or a modal verb, and a time."""
        draw, negative = self.draw, clause.subject.negative
        if clause.tense in {"present", "past", "future"} and not negative and draw.chance(0.16):
            options = ["not", "not", "never"] + ["no longer"] * (clause.tense == "present")
            clause.negation = draw.pick(options)
        if clause.tense == "present" and modal and draw.chance(0.3):
            clause.modal = draw.pick(["can", "must", "want to", "be going to"])
        elif (
            clause.tense == "present" and not clause.negation and not negative and draw.chance(0.25)
        ):
            clause.adverb = draw.pick(sorted(ADVERBS))
        plain = clause.tense if not clause.modal else ""
        if time and plain and not clause.negation and not clause.adverb and draw.chance(0.18):
            english = draw.pick(sorted(TIMES[plain]))
            clause.rest.append(tail(english, TIMES[plain][english]))
        return clause

    def transitive(self, tense: str) -> Clause:
        draw = self.draw
        verb = self._verb("direct direct direct direct state generic to", tense)
        who = subject(draw, verb.subjects)
        clause = Clause(who, verb, tense)
        pronoun = draw.chance(0.3) and self._clitic(who, tense)
        if "person" in verb.objects and pronoun and verb.kind != "generic":
            clause.clitic, clause.direct = pronoun, verb.kind != "to"
        elif verb.kind == "generic":
            clause.object = self._generic(verb)
        else:
            found = noun_phrase(draw, verb.objects)
            clause.object = found
            if verb.kind == "to":
                clause.object = _after("à", found)
        clause = self._mood(
            clause, modal=verb.kind not in {"generic", "state"}, time=verb.kind == "direct"
        )
        if verb.kind == "direct" and not clause.clitic and draw.chance(0.12):
            clause.rest.insert(0, self.where() if draw.chance(0.6) else self.company())
        return clause

    def _generic(self, verb: Verb) -> Phrase:
        """Things in general: "cats", les chats; or definite ones."""
        found = noun_phrase(self.draw, verb.objects, determiners=["the", "the", "this", "owner"])
        noun = found.noun
        if noun is not None and found.english[0] == "the" and self.draw.chance(0.7):
            mass = bool(noun.classes & {"mass", "drink"})
            made = assemble(self.draw, noun, "the", [], plural=not mass)
            return Phrase(made.english[1:], made.french, 3, made.plural, made.feminine, noun=noun)
        return found

    def _clitic(self, who: Phrase, tense: str) -> Clitic | None:
        """An object pronoun that is not the subject itself."""
        found = self.draw.pick(CLITICS)
        ambiguous = found.person == 2 and tense == "past"
        return None if found.person == who.person != 3 or ambiguous else found

    def intransitive(self, tense: str) -> Clause:
        verb = self._verb("alone alone+", tense)
        clause = self._mood(Clause(subject(self.draw, verb.subjects, you=False), verb, tense))
        if verb.kind == "alone" and self.draw.chance(0.4):
            clause.rest.insert(0, self.where() if self.draw.chance(0.6) else self.company())
        return clause

    def moving(self, tense: str) -> Clause:
        verb = self._verb("motion motion return arrive stay live", tense)
        clause = Clause(subject(self.draw, verb.subjects, you=False), verb, tense)
        clause.rest.append(self._goal(verb))
        return self._mood(clause, modal=verb.kind in {"motion", "stay"}, time=verb.kind != "live")

    def _goal(self, verb: Verb) -> tuple[tuple[str, ...], tuple[str, ...]]:
        draw, kind = self.draw, verb.kind
        place = noun_phrase(
            draw,
            frozenset({"place"}),
            determiners=["the", "the", "the", "this", "owner"],
            plain=0.85,
        )
        if place.plural:
            place = assemble(draw, place.noun, "the", [], plural=False)
        while kind == "arrive" and place.noun.at[0] != "at":
            place = noun_phrase(
                draw, place.noun.classes & {"place"}, determiners=["this", "the"], plain=1.0
            )
            place = assemble(draw, place.noun, "the", [], plural=False)
        if kind == "return":
            return ("from", *place.english), ("de", *place.french)
        if kind != "arrive" and draw.chance(0.3):
            return self._abroad("to" if kind == "motion" else "in")
        if kind == "motion":
            return ("to", *place.english), ("à", *place.french)
        at_en, at_fr = place.noun.at
        if kind == "live":
            at_en, at_fr = "near", "près de"
        if kind == "arrive":
            return ("at", *place.english), ("à", *place.french)
        return (at_en, *place.english), (*at_fr.split(), *place.french)

    def _abroad(self, preposition: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self.draw.chance(0.5):
            city = self.draw.early(CITIES)
            return (preposition, city), ("à", VILLES[CITIES.index(city)])
        country = self.draw.pick(sorted(COUNTRIES))
        return (preposition, country), words(COUNTRIES[country])

    def where(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A place where something happens."""
        noun = self.draw.early(nouns_of("place"))
        place = assemble(self.draw, noun, "the", [], plural=False)
        return (noun.at[0], *place.english), (noun.at[1], *place.french)

    def company(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """With whom something happens."""
        friend = noun_phrase(self.draw, PERSON, determiners=["the", "owner", "owner", "a"])
        return ("with", *friend.english), ("avec", *friend.french)

    def giving(self, tense: str) -> Clause:
        draw = self.draw
        verb = self._verb("give", tense)
        who = subject(draw, PERSON)
        thing = noun_phrase(draw, verb.objects)
        clause = Clause(who, verb, tense, object=thing)
        pronoun = self._clitic(who, "present")
        if pronoun and draw.chance(0.5):
            clause.clitic, clause.direct = pronoun, False
        else:
            target = noun_phrase(draw, PERSON, determiners=["the", "owner"], plain=0.9)
            clause.rest.append((("to", *target.english), ("à", *target.french)))
        return self._mood(clause)

    def quality(self, tense: str) -> Clause:
        """Somebody or something is tired, old, red."""
        draw = self.draw
        who, adjective = self._described()
        clause = BeClause(who, ETRE, "present" if tense == "progressive" else tense)
        clause.rest.append(self._agreeing(clause, adjective))
        clause = self._mood(clause, modal=False, time=False)
        if not adjective.comparative:  # nobody is often Italian
            clause.adverb = ""
        elif not clause.adverb and draw.chance(0.3):
            english, french = clause.rest[0]
            very, tres = draw.pick([("very", "très"), ("too", "trop")])
            clause.rest[0] = (very, *english), (tres, *french)
        return clause

    def _described(self) -> tuple[Phrase, Adjective]:
        draw = self.draw
        adjective = draw.pick([a for a in adjectives() if a.english not in {"good", "bad"}])
        kinds = adjective.classes - {"nature"} or adjective.classes
        who = subject(draw, kinds, you=False)
        if who is NOBODY or who.article or (who.noun and len(who.bare) > 1):
            who = noun_phrase(draw, kinds, determiners=["the", "owner", "this"], plain=1.0)
        return who, adjective

    def _agreeing(self, clause: Clause, adjective: Adjective, form: str = "") -> tuple:
        who = clause.subject
        french = adjective_form(adjective, who.feminine, who.plural)
        if french != adjective.masculine:
            clause.labels.add("agreement")
        return words(form or adjective.english), words(french)

    def comparison(self, tense: str) -> Clause:
        """Bigger than, as big as."""
        draw = self.draw
        pool = [a for a in adjectives() if a.comparative and " " not in a.masculine]
        adjective = draw.pick(pool)
        kind = frozenset({draw.pick(sorted(adjective.classes))})
        first, second = (
            noun_phrase(draw, kind, determiners=d, plain=1.0)
            for d in (["the", "owner"], ["the", "owner", "this"])
        )
        clause = BeClause(first, ETRE, "past" if tense == "past" else "present")
        _, french = self._agreeing(clause, adjective)
        if draw.chance(0.65):
            english, more = (adjective.comparative, "than"), ("plus", *french, "que")
        else:
            english, more = ("as", adjective.english, "as"), ("aussi", *french, "que")
        clause.rest.append(((*english, *second.english), (*more, *second.french)))
        return clause

    def state(self, tense: str) -> Clause:
        """Hungry, afraid, twelve years old: states for which French uses avoir."""
        draw = self.draw
        verb, english, french = draw.pick(STATES)
        who = subject(draw, PERSON)
        clause = BeClause(who, verb, "present" if tense == "progressive" else tense)
        clause.labels.add("idiom")
        if english == "years old":
            number = draw.early(list(NUMBERS)[2:])
            clause.rest.append(((*words(number), "years", "old"), (NUMBERS[number], "ans")))
            return clause
        clause.rest.append((words(english), words(french)))
        if english == "afraid of":
            feared = noun_phrase(draw, frozenset({"animal"}), determiners=["the", "this", "owner"])
            clause.rest.append((feared.english, feared.french))
        clause = self._mood(clause, modal=False, time=False)
        return affirmed(clause) if english == "lucky" else clause

    def profession(self, tense: str) -> Clause:
        """He is a doctor: no article in French."""
        jobs = [noun for noun in nouns_of("person") if noun.french in _JOBS]
        noun = self.draw.pick(jobs)
        who = self.draw.pick([PRONOUNS[0][0], PRONOUNS[2][0]])
        if noun.feminine:
            who = PRONOUNS[1][0]
        clause = BeClause(who, ETRE, "present" if tense == "progressive" else tense)
        made = assemble(self.draw, noun, "a", [], plural=False)
        clause.rest.append((made.english, made.bare))
        return self._mood(clause, modal=False, time=False)

    def playing(self, tense: str) -> Clause:
        english = self.draw.pick(sorted(SPORTS))
        clause = self._mood(Clause(subject(self.draw, PERSON), PLAY, tense))
        clause.rest.insert(0, tail(english, SPORTS[english]))
        return clause

    def existence(self, tense: str) -> Clause:
        """There is, there are: il y a."""
        classes = frozenset({"person", "animal", "thing", "food", "clothing", "furniture"})
        what = noun_phrase(self.draw, classes, determiners=["a", "a", "number", "many", "several"])
        place = self.where()
        negative = self.draw.chance(0.2) and bool(what.article)
        there = Phrase(("there",), ("il", "y"), plural=what.plural)
        form = ("will", "be") if tense == "future" else (be_form(there, tense),)
        if tense == "progressive":
            form = (be_form(there, "present"),)
        thing = ("no", *(what.english[1:])) if negative else what.english
        french_tense = {"past": "imperfect", "progressive": "present"}.get(tense, tense)
        has = finite(AVOIR, french_tense, 1)
        verb = (
            ("il", "ne", "y", has, "pas", "de", *what.bare)
            if negative
            else ("il", "y", has, *what.french)
        )
        labels = {"negation"} if negative else set()
        labels |= {"reordering"} if what.reordered else set()
        return Fixed(("there", *form, *thing, *place[0]), (*verb, *place[1]), labels, tense)

    def idiom(self, tense: str) -> Clause:
        verb, rest_en, rest_fr = self.draw.pick(IDIOMS)
        clause = Clause(subject(self.draw, PERSON, you=False), verb, tense)
        if tense == "progressive" and not verb.progressive:
            clause.tense = "present"
        clause.labels.add("idiom")
        clause = self._mood(clause)
        if rest_fr.startswith(("un chat dans", "de ", "des ")):  # "pas de chat dans la gorge"
            clause = affirmed(clause)
        clause.rest.insert(0, tail(rest_en, rest_fr))
        return clause

    def needing(self, tense: str) -> Clause:
        verb = self.by_kind["need"][0]
        tense = "present" if tense == "progressive" else tense
        clause = Clause(subject(self.draw, PERSON), verb, tense)
        clause.object = noun_phrase(self.draw, verb.objects, determiners=["a", "the", "owner"])
        clause = self._mood(clause, modal=False, time=False)
        return clause


@dataclass
class Fixed(Clause):
    """A clause whose words are known already."""

    def __init__(self, english: tuple, french: tuple, labels: set[str], tense: str) -> None:
        super().__init__(NOBODY, ETRE, tense, labels=labels)
        self.said = english, french

    def english(self, question: bool = False) -> list[str]:
        return list(self.said[0])

    def french(self) -> list[str]:
        return list(self.said[1])

    def all_labels(self) -> set[str]:
        return self.labels


def affirmed(clause: Clause) -> Clause:
    """The clause without a negation, for what a negation would change."""
    clause.negation = ""
    clause.subject = PRONOUNS[0][0] if clause.subject is NOBODY else clause.subject
    return clause


def _after(preposition: str, phrase: Phrase) -> Phrase:
    """The phrase after a French preposition; a negation no longer changes its article."""
    return replace(phrase, french=(preposition, *phrase.french), article="")
