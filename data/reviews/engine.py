"""Turn frames into text: choose, agree, conjugate, and tidy up.

A frame is a line of text with

* ``{name}``: another frame or a word of that name, with the current polarity; ``{name!}`` flips the
  polarity, ``{name+}`` and ``{name-}`` set it;
* ``[this|that|]``: one of the choices;
* ``~verb``: the verb, agreeing with the subject named last, in the tense of the review.

In a block of frames, ``# name`` starts a list for both polarities, ``# name +`` and ``# name -``
one for a single polarity, and ``3x `` in front of a frame makes it three times as likely. A line
that starts with ``||`` belongs to the line before it.
"""

from __future__ import annotations

import random
import re

from lexicon import (
    ADJECTIVES,
    ASPECTS,
    COMPARATIVES,
    DENIABLE,
    GENERAL,
    GENRES,
    NOT_OF_PEOPLE,
    PLAIN_WORDS,
    PREDICATES,
)

Table = dict[tuple[str, int], list[str]]

PAST = {
    "be": "was", "have": "had", "do": "did", "go": "went", "keep": "kept", "hold": "held",
    "pay": "paid", "build": "built", "grip": "gripped", "give": "gave", "make": "made",
    "fall": "fell", "run": "ran", "feel": "felt", "leave": "left", "steal": "stole",
    "light": "lit", "shine": "shone", "find": "found", "break": "broke", "win": "won",
    "bring": "brought", "sink": "sank", "strike": "struck", "get": "got", "take": "took",
    "hurt": "hurt", "put": "put", "fit": "fit", "spoil": "spoiled", "let": "let",
    "show": "showed", "hit": "hit", "come": "came",
    "drag": "dragged", "grow": "grew", "stay": "stayed", "drive": "drove", "ring": "rang",
    "lay": "laid", "tie": "tied", "die": "died", "drown": "drowned", "bear": "bore", "say": "said",
    "stop": "stopped", "begin": "began", "lose": "lost", "think": "thought", "beat": "beat",
    "become": "became", "sag": "sagged", "spend": "spent", "send": "sent", "rise": "rose",
    "sing": "sang", "fly": "flew", "know": "knew", "mean": "meant", "speak": "spoke",
}  # fmt: skip
ADVERBS = {
    "graded": "very very really so remarkably quite pretty unusually consistently".split(),
    "ungraded": "absolutely simply truly just really frankly".split(),
    1: "wonderfully delightfully refreshingly surprisingly genuinely wonderfully truly".split(),
    -1: "painfully hopelessly depressingly surprisingly embarrassingly unbearably utterly".split(),
}
VOWEL_SOUND = re.compile(r"\b([Aa])(n?) (?=(\"?)(\w[\w-]*))")
CONTRACTIONS = [
    (re.compile(rf"\b{long}" + ("" if long.endswith(")") else r"\b")), short)
    for long, short in [
        ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"), ("were not", "weren't"),
        ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("cannot", "can't"),
        ("could not", "couldn't"), ("would not", "wouldn't"), ("will not", "won't"),
        ("have not", "haven't"), ("has not", "hasn't"), ("had not", "hadn't"),
        ("should not", "shouldn't"),
        (r"(?<!about )(?<!in )it is", "it's"), ("It is", "It's"), ("that is", "that's"),
        ("There is", "There's"), ("there is", "there's"), ("I am", "I'm"),
        (r"I have (?=never|seen|already|rarely|booked|not slept)", "I've "), ("I would", "I'd"),
        (r"I had (?=forgotten|never|lost)", "I'd "), ("you are", "you're"), ("you will", "you'll"),
        ("we are", "we're"), ("What is", "What's"),
    ]
]  # fmt: skip


def read_frames(*blocks: str) -> Table:
    """Read blocks of frames into lists keyed by name and polarity (0 when it serves both)."""
    table: Table = {}
    key = ("", 0)
    for line in "\n".join(blocks).splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("# "):
            name, _, sign = line[2:].partition(" ")
            key = (name, {"": 0, "+": 1, "-": -1}[sign])
            table.setdefault(key, [])
            continue
        if line.startswith("|| "):  # the second half of a pair
            table[key][-1] += " " + line
            continue
        times = re.match(r"(\d+)x ", line)
        table[key] += [line[times.end() :]] * int(times[1]) if times else [line]
    return table


def plural_of(noun: str) -> str:
    """Return the plural of a genre ("comedy", "car-chase movie")."""
    if noun.endswith("noir") or noun == "anime feature":
        return noun + "s"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


class Writer:
    """Write one review at a time; everything random comes from `rng`."""

    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table, self.rng = table, rng
        self.begin()

    def begin(self) -> None:
        """Forget the last review and draw the habits of the next reviewer."""
        self.used: set[str] = set()
        self.groups: list[str] = []
        self.has_genre, self.genre_group = False, "film"
        self.plural, self.group = False, "film"
        self.past = self.rng.random() < 0.4
        self.contracts = self.rng.random() < 0.65

    def pick(self, options: list[str]) -> str:
        """Choose an option this review has not used yet (if one turns up in twenty draws)."""
        for _ in range(20):
            choice = self.rng.choice(options)
            if choice not in self.used:
                break
        self.used.add(choice)
        return choice

    # -- words that depend on what came before ------------------------------------------------

    def subject(self, kinds: str = "cmpd", definite: bool = True) -> tuple[str, str]:
        """Choose a judged thing; return its words and its kind (c, m, p or d)."""
        while True:
            group = self.rng.choice(list(ASPECTS))
            if group in self.groups and self.rng.random() < 0.9:
                continue
            pool = [(kind, noun) for kind in kinds for noun in ASPECTS[group].get(kind, [])]
            if pool:
                break
        kind, noun = pool[self.rng.randrange(len(pool))]
        if noun in self.used:
            return self.subject(kinds, definite)
        self.used.add(noun)
        self.groups.append(group)
        noun, _, number = noun.partition("/")
        noun = self.expand(noun, 1)
        self.group = group
        self.plural = kind == "p" or number == "P" or noun.endswith("performances")
        if kind != "d" and definite:
            its = self.rng.random() < 0.06 and group != "part"
            noun = ("its " if its else "the ") + noun
        return noun, kind

    def adjective(self, sign: int, group: str, general: float = 0.35) -> str:
        """Choose an adjective that suits the group, caret and all."""
        pool = GENERAL[sign] if self.rng.random() < general else ADJECTIVES[group][sign]
        while (word := self.pick(pool)) in NOT_OF_PEOPLE and group in ("person", "acting"):
            pass
        return word

    def graded(self, sign: int) -> str:
        """Choose an adjective for the last subject, often with an adverb."""
        word = self.adjective(sign, self.group)
        draw = self.rng.random()
        if draw < 0.55 or " " in word or "-" in word:
            return word.rstrip("^")
        kind = "ungraded" if word.endswith("^") else "graded" if draw < 0.85 else sign
        adverb = self.rng.choice(ADVERBS[kind])
        if adverb in self.used:
            return word.rstrip("^")
        self.used.add(adverb)
        return f"{adverb} {word.rstrip('^')}"

    def noun_phrase(self, sign: int) -> str:
        """Write "a clever plot", "wooden acting" or "funny lines"."""
        noun, kind = self.subject("cmp", definite=False)
        word = self.adjective(sign, self.group).rstrip("^")
        return f"a {word} {noun}" if kind == "c" else f"{word} {noun}"

    def special(self, name: str, sign: int) -> str | None:
        """Write the names that are not plain lists; None when `name` is one."""
        if name == "asp":
            return self.subject()[0]
        if name == "adj":
            return self.adjective(sign, self.group).rstrip("^")
        if name == "nadj":  # what can sensibly be denied: graded, and no superlative
            if self.rng.random() < 0.6:
                return self.pick(DENIABLE[sign])
            while (word := self.adjective(sign, self.group, 0)).endswith("^"):
                pass
            return word
        if name == "gadj":
            return self.pick(GENERAL[sign]).rstrip("^")
        if name == "vadj":
            return self.graded(sign)
        if name == "NP":
            return self.noun_phrase(sign)
        if name == "NPbare":
            return self.noun_phrase(sign).removeprefix("a ")
        if name == "villain":
            self.plural, self.group = False, "person"
            return None
        if name == "slang":
            self.group, number, phrase = self.pick(self.table["slangword", 0]).split(" ", 2)
            self.plural = number == "p"
            return phrase
        if name == "vp":
            entry = self.pick(PREDICATES[self.group][sign])
            if "/~" in entry:
                entry = entry.split("/")[self.plural]
            return self.told(self.expand(entry, sign))
        if name in ("genre", "genres"):
            if self.has_genre:  # one film, one genre
                return self.rng.choice(["film", "movie"]) + "s" * (name == "genres")
            self.has_genre = True
            self.genre_group = self.rng.choice(list(GENRES))
            genre = self.pick(GENRES[self.genre_group])
            self.plural, self.group = False, "film"
            return plural_of(genre) if name == "genres" else genre
        if name == "adjgenre":
            genre = self.special("genre", sign)
            group = self.genre_group if self.rng.random() < 0.3 else "film"
            return f"{self.adjective(sign, group, 0.25).rstrip('^')} {genre}"
        if name == "fadj":
            return self.adjective(sign, "film", 0.25).rstrip("^")
        if name == "cmp":
            return self.pick(COMPARATIVES[sign])
        if name == "pos":
            return self.pick(PLAIN_WORDS[sign])
        if name in ("it", "singular"):
            self.plural, self.group = False, "film"
            return self.expand("[it|it|this|the {film}|this {film}]", sign) if name == "it" else ""
        if name == "plural":
            self.plural = True
            return ""
        return None

    def told(self, predicate: str) -> str:
        """Let a review in the past speak of its writer: "kept me guessing", not "kept you"."""
        if not self.past:
            return predicate
        return re.sub(r"\byou(r?)\b", lambda hit: "my" if hit[1] else "me", predicate)

    # -- frames -------------------------------------------------------------------------------

    def expand(self, frame: str, sign: int) -> str:
        """Write out a frame with polarity `sign` (1 or -1)."""
        out, at = [], 0
        while at < len(frame):
            char = frame[at]
            if char == "{":
                end = frame.index("}", at)
                out.append(self.name(frame[at + 1 : end], sign))
                at = end + 1
            elif char == "[":
                end, options = self.choices(frame, at)
                out.append(self.expand(self.rng.choice(options), sign))
                at = end
            elif char == "~":
                verb = re.match(r"[a-z]+", frame[at + 1 :])[0]
                out.append(self.conjugate(verb))
                at += 1 + len(verb)
            else:
                out.append(char)
                at += 1
        return "".join(out)

    @staticmethod
    def choices(frame: str, start: int) -> tuple[int, list[str]]:
        """Split the bracket at `start` into its choices; return where it ends, and them."""
        depth, options, current = 0, [], ""
        for at in range(start, len(frame)):
            char = frame[at]
            if char == "[":
                depth += 1
                if depth == 1:
                    continue
            elif char == "]":
                depth -= 1
                if depth == 0:
                    return at + 1, [*options, current]
            elif char == "|" and depth == 1:
                options.append(current)
                current = ""
                continue
            current += char
        raise ValueError(f"The bracket that opens at {start} is never closed in {frame!r}.")

    def name(self, name: str, sign: int) -> str:
        """Write the word or frame called `name`, with its polarity mark if it has one."""
        if name[-1] in "!+-":
            sign = {"!": -sign, "+": 1, "-": -1}[name[-1]]
            name = name[:-1]
        written = self.special(name, sign)
        if written is not None:
            return written
        options = self.table.get((name, 0), []) + self.table.get((name, sign), [])
        if not options:
            raise KeyError(f"No frame is called {name!r}.")
        frame = self.rng.choice(options) if name in ("film", "thing") else self.pick(options)
        if name == "cast":
            self.plural = not frame.startswith(("a ", "an "))
        if name == "FVP":
            return self.told(self.expand(frame, sign))
        if name not in ("plot", "deedp"):
            return self.expand(frame, sign)
        tense, self.past = self.past, False  # plots are told in the present
        written, self.past = self.expand(frame, sign), tense
        return written

    def conjugate(self, verb: str) -> str:
        """Make a verb agree with the last subject, in the tense of the review."""
        if verb == "would":
            return verb
        if verb in ("was", "is"):
            return {"was": ("was", "were"), "is": ("is", "are")}[verb][self.plural]
        if verb == "be":
            return (("was", "were") if self.past else ("is", "are"))[self.plural]
        if self.past:
            if verb in PAST:
                return PAST[verb]
            return (
                verb[:-1] + "ied"
                if verb.endswith("y") and verb[-2] not in "aeiou"
                else (verb + "d" if verb.endswith("e") else verb + "ed")
            )
        if self.plural:
            return verb
        if verb == "have":
            return "has"
        if verb.endswith(("s", "sh", "ch", "x", "zz", "o")):
            return verb + "es"
        return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"

    def tidy(self, text: str) -> str:
        """Mend spaces, articles and capitals; contract if this reviewer does."""
        text = re.sub(r"\s+", " ", text).strip()
        text = re.sub(r" ([,.;:!?])", r"\1", text)
        text = re.sub(r"([!?])[.,;:]", r"\1", text)
        text = VOWEL_SOUND.sub(lambda hit: hit[1] + ("n " if sounds_open(hit[4]) else " "), text)
        text = re.sub(r"(^|[.!?] )(\"?)([a-z])", lambda hit: hit[1] + hit[2] + hit[3].upper(), text)
        if self.contracts:
            for long, short in CONTRACTIONS:
                text = long.sub(short, text)
        return text


def sounds_open(word: str) -> bool:
    """Tell whether a word takes "an"."""
    word = word.lower()
    if word.startswith(("one", "uni", "use", "eu", "once")) and not word.startswith("unin"):
        return False
    return word[0] in "aeiou" or word.startswith(("hour", "honest", "heir")) or word in ("8", "11")
