"""Clauses: a subject, a verb and what follows, in the word order of each language."""

from __future__ import annotations

from dataclasses import dataclass, field

from faces.french import agree, finite, person_index
from faces.lexicon import ALLER, AVOIR, DEVOIR, ETRE, POUVOIR, VOULOIR, Verb, third_person
from faces.phrases import Clitic, Phrase, Tokens, negated, words

MODALS = {"can": POUVOIR, "must": DEVOIR, "want to": VOULOIR, "be going to": ALLER}
#: The second part of a French negation.
NEGATIONS = {"not": "pas", "never": "jamais", "no longer": "plus"}
ADVERBS = {"often": "souvent", "always": "toujours", "sometimes": "parfois", "rarely": "rarement"}


@dataclass
class Clause:
    """What is said, before it is said in a language.

    Attributes
    ----------
    tense : "present", "progressive", "past" or "future"; a modal stands in the present.
    negation : "", or a key of `NEGATIONS`.
    adverb : "", or a key of `ADVERBS`.
    modal : "", or a key of `MODALS`.
    clitic : an object pronoun, and whether it is a direct object.
    rest : what follows the verb and its object, in both languages.
    """

    subject: Phrase
    verb: Verb
    tense: str = "present"
    negation: str = ""
    adverb: str = ""
    modal: str = ""
    object: Phrase | None = None
    clitic: Clitic | None = None
    direct: bool = True
    rest: list[tuple[Tokens, Tokens]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    asks: str = ""  # a question word whose answer is left out: "what" for the object

    def english(self, question: bool = False) -> list[str]:
        """The clause in English; as a question with the auxiliary before the subject."""
        auxiliary, verb = self._english_verb(question)
        subject = list(self.subject.english)
        tokens = [*auxiliary, *subject] if question else [*subject, *auxiliary]
        tokens += verb
        if self.clitic:
            if verb[-1] == "away":
                tokens.insert(-1, self.clitic.english)
            else:
                tokens.append(self.clitic.english)
        if self.object and self.asks != "what":
            tokens += self._object(question)[0]
        for english, _ in self.rest:
            tokens += english
        return tokens

    def french(self) -> list[str]:
        """The clause in French, before contraction and elision."""
        tokens = [*self.subject.french, *self._french_verb()]
        if self.object and self.asks != "what":
            tokens += self._object(False)[1]
        for _, french in self.rest:
            tokens += french
        return tokens

    def all_labels(self) -> set[str]:
        """The phenomena that the clause shows."""
        found = set(self.labels)
        if self.negation or self.subject.negative:
            found.add("negation")
        reordered = any(p is not None and p.reordered for p in (self.subject, self.object))
        if self.clitic or self.adverb or reordered:
            found.add("reordering")
        if self.tense == "past" and not self.modal and self._participle() != self.verb.participle:
            found.add("agreement")
        return found

    def _object(self, question: bool) -> tuple[Tokens, Tokens]:
        if self.verb.kind == "need" and self.object.article == "some":
            return negated(self.object)[
                0
            ] if self.negation else self.object.english, self.object.bare
        if self.verb.kind == "need":
            return self.object.english, self.object.french
        if self.negation or self.subject.negative:
            return negated(self.object)
        return self.object.english, self.object.french

    def _english_verb(self, question: bool) -> tuple[list[str], list[str]]:
        """The auxiliary and the verb; without an auxiliary, a statement has an empty list."""
        third, verb = self.subject.singular_verb, self.verb
        base, negation = verb.english.split(), self.negation.split()
        adverb = [self.adverb] if self.adverb else []
        if self.modal == "can":
            return ["cannot"] if negation == ["not"] else ["can", *negation], base
        if self.modal == "must":
            return ["must", *negation], base
        if self.modal == "be going to":
            return [be_form(self.subject, "present"), *negation], ["going", "to", *base]
        if self.modal == "want to":
            verb, base = VOULOIR, ["want", "to", *base]
        if self.tense == "progressive":
            return [be_form(self.subject, "present"), *negation], verb.progressive.split()
        if self.tense == "future":
            return ["will", *negation], base
        does = "did" if self.tense == "past" else "does" if third else "do"
        if negation == ["not"]:
            return [does, "not"], base
        if question:
            return [does], [*adverb, *base]
        if self.tense == "past":
            return [], [*negation, *adverb, *verb.past.split()]
        form = third_person(" ".join(base)).split() if third else base
        return [], [*negation, *adverb, *form]

    def _french_verb(self) -> list[str]:
        index = person_index(self.subject.person, self.subject.plural)
        negative = self.negation or self.subject.negative
        ne = ["ne"] if negative else []
        second = [NEGATIONS[self.negation]] if self.negation else []
        second += [ADVERBS[self.adverb]] if self.adverb else []
        clitic = []
        if self.clitic:
            clitic = [self.clitic.direct if self.direct else self.clitic.indirect]
        infinitive, *particle = self.verb.french.split()
        if self.modal:
            first = finite(MODALS[self.modal], "present", index)
            return [*ne, first, *second, *clitic, infinitive, *particle]
        tense = {"progressive": "present"}.get(self.tense, self.tense)
        if tense == "past" and self.verb.kind in {"state", "generic", "need"}:
            tense = "imperfect"
        if tense != "past":
            return [*ne, *clitic, finite(self.verb, tense, index), *second, *particle]
        auxiliary = ETRE if self.verb.takes_etre else AVOIR
        has = finite(auxiliary, "present", index)
        return [*ne, *clitic, has, *second, self._participle(), *particle]

    def _participle(self) -> str:
        """Agrees with the subject after être, with a direct object before avoir."""
        if self.verb.kind in {"state", "generic", "need"}:
            return self.verb.participle
        if self.verb.takes_etre:
            return agree(self.verb.participle, self.subject.feminine, self.subject.plural)
        if self.clitic and self.direct:
            return agree(self.verb.participle, self.clitic.feminine, self.clitic.plural)
        return self.verb.participle


@dataclass
class BeClause(Clause):
    """A clause with "be" in English; in French its verb is être, or avoir as in "avoir faim"."""

    def _english_verb(self, question: bool) -> tuple[list[str], list[str]]:
        negation = self.negation.split()
        adverb = [self.adverb] if self.adverb else []
        if self.tense == "future":
            return ["will", *negation], ["be"]
        form = be_form(self.subject, self.tense)
        return [form], [*negation, *adverb]

    def _french_verb(self) -> list[str]:
        index = person_index(self.subject.person, self.subject.plural)
        negative = self.negation or self.subject.negative
        tense = "imperfect" if self.tense == "past" else self.tense
        second = [NEGATIONS[self.negation]] if self.negation else []
        second += [ADVERBS[self.adverb]] if self.adverb else []
        return [*(["ne"] if negative else []), finite(self.verb, tense, index), *second]

    def _participle(self) -> str:
        return self.verb.participle


def be_form(subject: Phrase, tense: str) -> str:
    """am, is, are, was or were."""
    if subject.person == 1 and not subject.plural:
        return "am" if tense == "present" else "was"
    if subject.singular_verb:
        return "is" if tense == "present" else "was"
    return "are" if tense == "present" else "were"


def tail(english: str, french: str) -> tuple[Tokens, Tokens]:
    """Words that close a clause, in both languages."""
    return words(english), words(french)
