"""Sentences of several clauses, questions and orders."""

from __future__ import annotations

from collections.abc import Iterator

from faces.clauses import BeClause, Clause
from faces.french import join
from faces.idioms import SAYINGS
from faces.lexicon import CROIRE, DIRE, ETRE, PENSER, SAVOIR, adjectives_for
from faces.phrases import NOBODY, PRONOUNS, Clitic, Phrase, noun_phrase, subject, words
from faces.statements import PERSON, TENSES, Said, Statements, affirmed

#: English sentences of this many tokens are labelled "length".
LONG = 15
SHORTEST, LONGEST = 3, 30
REPORT = [DIRE, PENSER, SAVOIR, CROIRE]
YOU = next(phrase for phrase, _ in PRONOUNS if phrase.person == 2)


class Sentences(Statements):
    """Draws sentences; the same seed gives the same ones."""

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Yield English, French and labels, without end; sentences may repeat."""
        while True:
            said, mark = self.sentence()
            french = join(list(said.french))
            labels = set(said.labels)
            if len(said.english) + 1 >= LONG:
                labels.add("length")
            sizes = len(said.english) + 1, len(french) + 1
            if min(sizes) >= SHORTEST and max(sizes) <= LONGEST:
                kinds = " ".join(sorted(labels)) or "plain"
                yield " ".join([*said.english, mark]), " ".join([*french, mark]), kinds

    def sentence(self) -> tuple[Said, str]:
        make, mark = self.draw.weighted(
            [
                ((self.statement, "."), 50),
                ((self.compound, "."), 26),
                ((self.antecedent, "."), 6),
                ((self.relative, "."), 6),
                ((self.question, "?"), 8),
                ((self.wh_question, "?"), 4),
                ((self.order, "."), 4),
            ]
        )
        return make(), mark

    # Several clauses.

    def compound(self) -> Said:
        kind = self.draw.weighted(
            [
                (self._joined, 12),
                (self._reported, 10),
                (self._conditional, 5),
                (self._saying, 2),
                (self._chain, 8),
            ]
        )
        return kind()

    def _joined(self) -> Said:
        tense = self.draw.weighted([("present", 4), ("past", 5), ("future", 2)])
        link, mot = self.draw.pick(
            [
                ("and", "et"),
                ("but", "mais"),
                ("because", "parce que"),
                ("because", "parce que"),
                ("when", "quand"),
            ]
        )
        if link == "when" and tense == "future":
            link, mot = "and", "et"
        return _link(self.statement(tense), self.statement(tense), words(link), words(mot))

    def _reported(self, inner: Said | None = None) -> Said:
        """Somebody says or thinks that something is so."""
        inner = inner or self.statement(self.draw.pick(["present", "past"]))
        verb = self.draw.pick(REPORT)
        who = subject(self.draw, PERSON)
        who = PRONOUNS[0][0] if who is NOBODY else who
        that = Said.of(Clause(who, verb, "present"))
        return _link(that, inner, ("that",), ("que",))

    def _conditional(self) -> Said:
        """If and the present, then the future, in both languages."""
        first, then = self.statement("present"), self.statement("future")
        english = ("if", *first.english, ",", *then.english)
        return Said(
            english, ("si", *first.french, ",", *then.french), first.labels | then.labels, "future"
        )

    def _saying(self) -> Said:
        english, french = self.draw.pick(SAYINGS)
        labels = {"idiom"} | ({"negation"} if " not " in english else set())
        saying = Said(words(english), words(french), frozenset(labels))
        reported = self._reported(saying)
        if self.draw.chance(0.6):
            return reported
        return _link(saying, self.statement("present"), ("and",), ("et",))

    def _chain(self) -> Said:
        """Three clauses: says that ... because ..., or ... and ..., but ..."""
        if self.draw.chance(0.5):
            return self._reported(self._joined())
        tense = self.draw.pick(["present", "past"])
        first = _link(self.statement(tense), self.statement(tense), (",",), (",",))
        last = self.draw.pick([("and", "et"), ("but", "mais")])
        return _link(first, self.statement(tense), (last[0],), (last[1],))

    def antecedent(self) -> Said:
        """I bought the apple and I ate it: the pronoun has the gender of the noun before."""
        draw = self.draw
        classes = draw.pick(["text", "thing", "clothing", "vehicle"])
        pool = [v for v in self.by_kind["direct"] if classes in v.objects]
        first, second = draw.pick(pool), draw.pick(pool)
        if first == second:
            return self.antecedent()
        who = subject(draw, PERSON)
        who = PRONOUNS[1][0] if who is NOBODY or who.noun else who
        thing = noun_phrase(draw, frozenset({classes}), determiners=["the", "a", "owner", "this"])
        pronoun = Clitic(
            "them" if thing.plural else "it",
            "les" if thing.plural else "la" if thing.feminine else "le",
            "",
            3,
            thing.plural,
            thing.feminine,
        )
        tense = draw.weighted([("past", 5), ("present", 2), ("future", 2)])
        again = (
            who
            if who.person != 3 or who.english[0] in {"he", "she", "they"}
            else PRONOUNS[int(who.feminine)][0]
        )
        one = Said.of(Clause(who, first, tense, object=thing))
        two = Clause(again, second, tense, clitic=pronoun)
        link, mot = draw.pick([("and", "et"), ("but", "mais")])
        two.negation = "not" if link == "but" else ""
        return _link(one, Said.of(two), (link,), (mot,))

    def relative(self) -> Said:
        """The man who ...; the apple that ..., after which the participle agrees."""
        draw = self.draw
        tense = draw.weighted([("past", 5), ("present", 3)])
        if draw.chance(0.45):
            head = noun_phrase(draw, PERSON, determiners=["the"], plain=0.85)
            inner = Clause(head, self._verb("direct", tense), tense)
            while "person" not in inner.verb.subjects:
                inner.verb = self._verb("direct", tense)
            inner.object = noun_phrase(draw, inner.verb.objects)
            who = Phrase((*head.english, "who", *inner.english()[len(head.english):]),
                         (*head.french, "qui", *inner.french()[len(head.french):]),
                         3, head.plural, head.feminine, noun=head.noun)  # fmt: skip
            labels = inner.all_labels()
        else:
            verb = self._verb("direct", tense)
            head = noun_phrase(
                draw, verb.objects - {"person"} or verb.objects, determiners=["the"], plain=0.85
            )
            agent = subject(draw, verb.subjects - {"animal"})
            agent = PRONOUNS[0][0] if agent is NOBODY else agent
            # A pronoun without words: the participle agrees with what stands before it.
            silent = Clitic("", "", "", 3, head.plural, head.feminine)
            inner = Clause(agent, verb, tense, clitic=silent)
            labels = inner.all_labels() - {"reordering"}
            who = Phrase((*head.english, "that", *filter(None, inner.english())),
                         (*head.french, "que", *filter(None, inner.french())),
                         3, head.plural, head.feminine, noun=head.noun)  # fmt: skip
        pool = [a for a in adjectives_for(head.noun.classes) if a.english not in {"good", "bad"}]
        if not pool:
            return self.relative()
        clause = BeClause(who, ETRE, draw.pick(["present", "present", "past"]))
        clause.rest.append(self._agreeing(clause, draw.pick(pool)))
        clause.labels |= labels | ({"reordering"} if head.reordered else set())
        return Said.of(clause)

    # Questions and orders.

    def question(self) -> Said:
        """Does he sleep? Est-ce qu'il dort?"""
        tense = self.draw.weighted(TENSES)
        make = self.draw.pick(
            [
                self.transitive,
                self.intransitive,
                self.moving,
                self.quality,
                self.giving,
                self.playing,
            ]
        )
        clause = make(tense)
        clause = affirmed(clause)
        return Said(tuple(clause.english(question=True)), ("est-ce", "que", *clause.french()),
                    frozenset(clause.all_labels() | {"reordering"}))  # fmt: skip

    def wh_question(self) -> Said:
        draw = self.draw
        tense = draw.weighted(TENSES)
        verb = self._verb("direct", tense)
        what = noun_phrase(draw, verb.objects)
        if draw.chance(0.3):
            who = Phrase(("who",), ("qui",))
            return Said.of(Clause(who, verb, tense, object=what))
        asks, mot = draw.pick(
            [("what", "que"), ("where", "où"), ("why", "pourquoi"), ("when", "quand")]
        )
        who = subject(draw, PERSON)
        who = PRONOUNS[0][0] if who is NOBODY else who
        clause = Clause(who, verb, tense, object=what)
        if asks == "what" and "person" not in verb.objects:
            clause.asks = "what"
        elif asks == "what":
            asks, mot = "why", "pourquoi"
        english = (asks, *clause.english(question=True))
        labels = clause.all_labels() if clause.asks != "what" else set()
        return Said(
            english, (mot, "est-ce", "que", *clause.french()), frozenset(labels | {"reordering"})
        )

    def order(self) -> Said:
        """Close the door; give me the book."""
        draw = self.draw
        polite = draw.chance(0.5)
        ending = ((",", "please"), (",", "si", "il", "vous", "plaît")) if polite else ((), ())
        if draw.chance(0.35):
            verb = self._verb("give", "present")
            thing = noun_phrase(draw, verb.objects, determiners=["the", "a", "this", "owner"])
            english, french = draw.pick(
                [
                    ("me", "-moi"),
                    ("him", "-lui"),
                    ("her", "-lui"),
                    ("us", "-nous"),
                    ("them", "-leur"),
                ]
            )
            return Said((*words(verb.english), english, *thing.english, *ending[0]),
                        (verb.present[3], french, *thing.french, *ending[1]), frozenset({"reordering"}))  # fmt: skip
        pool = [
            v
            for v in self.by_kind["direct"]
            if v.english not in {"see", "hear", "forget", "meet", "find", "lose", "steal", "break"}
        ]
        verb = draw.early(pool)
        what = noun_phrase(draw, verb.objects, determiners=["the", "this", "a"])
        negative = draw.chance(0.3)
        clause = Clause(YOU, verb, "present", "not" if negative else "", object=what)
        english = clause.english()[1:]
        labels = clause.all_labels()
        return Said((*english, *ending[0]), (*clause.french()[1:], *ending[1]), frozenset(labels))


def _link(first: Said, second: Said, english: tuple[str, ...], french: tuple[str, ...]) -> Said:
    """Two clauses with a conjunction or a comma between them."""
    return Said(
        (*first.english, *english, *second.english),
        (*first.french, *french, *second.french),
        first.labels | second.labels,
        second.tense,
    )
