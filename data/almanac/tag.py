"""Write the data set `almanac-tagged`: sentences of the almanac with parts of speech and senses.

Run ``python data/almanac/tag.py`` to rewrite the three files in `tagged/`; with ``--check`` nothing is
written, and the exit status is 1 if a file differs from what would be written.

The sentences are those of the almanac that its generator wrote from the frames of words with two
senses, in their order. `tagged/frames.txt` has the same frames with a part of speech behind each word
and a sense behind each word that has several; the generator runs as for the almanac and carries both
along. Training, validation and test sentences come from different frames, so that no test sentence
differs from a training sentence in one word only.

A line is a sentence; each token is written `word/TAG/sense`, with `-` where a word has one sense.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate
from generator.facts import load_frames, load_lists, load_tables
from generator.files import refresh
from generator.grammar import Below, Draft, Frame, Grammar
from generator.parse import Slot

FOLDER = Path(__file__).resolve().parent / "tagged"
SPLITS = {"0": "", "1": "train", "2": "validation", "3": "test"}
TAGS = dict(
    zip(
        "DNVXJRPACSTMO.",
        "DET NOUN VERB AUX ADJ ADV PRON ADP CCONJ SCONJ PART NUM PROPN PUNCT".split(),
        strict=True,
    )
)
#: The part of speech of a list's or a column's words; all others are nouns.
KINDS = dict.fromkeys(("color", "ordinal", "demonym"), "J")
KINDS |= dict.fromkeys(("number", "goals", "hour", "clock"), "M")
KINDS |= dict.fromkeys(
    ("city", "country", "capital", "month", "spring_month", "winter_month", "weekday"), "O"
)
#: Words of lists that have another part of speech than the rest of the list.
WORDS = {"the": "D", "a": "D", "an": "D", "this": "D", "my": "P", "in": "A", "on": "A", "of": "A"}
WORDS |= {
    "at": "A",
    "last": "J",
    "many": "J",
    "two": "M",
    "ago": "R",
    "o'clock": "R",
    "noon": "N",
    "midnight": "N",
}
WORDS |= dict.fromkeys(("ten", "hundred", "thousand", "million"), "M")
#: Phrases of lists, each with the parts of speech of its words.
PHRASES = dict(
    line.rsplit(" ", 1)
    for line in """of course RR
in fact AN
by the way ADN
as far as I know RRSPV
luckily R
to be honest TXJ
after all AP
in any case ADN
as a rule ADN
my grandmother says PNV
everyone in our street knows PAPNV
the guidebook says DNV
I once read PRV
the teacher told us DNVP
I have heard PXV
people say NV
you may know PXV
the newspaper wrote DNV
it is well known PXRJ
the encyclopedia says DNV
we learned in school PVAN
not everyone remembers TPV""".splitlines()
)
_TAG = re.compile(r"/[A-Z.](?:=(\w+))?(?=[ ]|$)")


class Tagger(Grammar):
    """The almanac's grammar, which keeps the last sentence with its tags and the last split."""

    tagging = False
    depth = 0
    split = text = ""

    def take(self, split_of: dict[int, str]) -> None:
        """Take the split of each tagged frame, by the frame's id; "" if it is that of its clause."""
        self.split_of = split_of

    def _clause(self, frame: Frame, below: Below) -> str:
        around, self.tagging = self.tagging, id(frame) in self.split_of
        self.depth += 1
        text = super()._clause(frame, below)
        self.depth -= 1
        self.tagging = around
        self.split = self.split_of.get(id(frame)) or self.split
        if self.depth:
            return text
        self.text = text
        return plain(text)

    def _value(self, slot: Slot, draft: Draft, below: Below) -> str:
        text = super()._value(slot, draft, below)
        if not self.tagging:
            return text
        if text in PHRASES:
            pairs = zip(text.split(), PHRASES[text], strict=True)
            return " ".join(f"{word}/{tag}" for word, tag in pairs)
        kind = KINDS.get(slot.column or slot.name, "N")
        return " ".join(
            word if "/" in word else f"{word}/{WORDS.get(word, kind)}" for word in text.split()
        )


def plain(text: str) -> str:
    """A text without its tags."""
    return _TAG.sub("", " ".join(text.split()))


def tagged_grammar() -> Tagger:
    """The almanac's grammar with tags in the frames that have some.

    Raises
    ------
    ValueError
        A tagged frame is no frame of the almanac.
    """
    lines = (FOLDER / "frames.txt").read_text(encoding="utf-8").splitlines()
    tagged = {}
    for line in lines:
        if line and not line.startswith("#"):
            number, _, frame = line.partition(" ")
            tagged[re.sub(r"/[A-Z.](?:=\w+)?", "", frame).replace(" ,", ",")] = (number, frame)
    sections = load_frames()
    marked = [
        (header, [tagged.get(line, ("", line))[1] for line in rows]) for header, rows in sections
    ]
    grammar = Tagger(load_tables(), load_lists(), marked)
    found = {line for _, rows in sections for line in rows}
    if set(tagged) - found:
        raise ValueError(f"frames of tagged/frames.txt are unknown: {sorted(set(tagged) - found)}")
    place, split_of = 0, {}
    for header, rows in sections:
        section = grammar.sections[place]
        place += int(header["weight"])
        for frame, line in zip(section, rows, strict=True):
            if line in tagged:
                split_of[id(frame)] = SPLITS[tagged[line][0]]
    grammar.take(split_of)
    return grammar


def sentences() -> Iterator[tuple[str, str]]:
    """Each tagged sentence of the almanac with its split.

    Raises
    ------
    ValueError
        The words of a sentence and its tags do not fit.
    """
    grammar = tagged_grammar()
    length = sum(1 for _ in generate.sentences())
    for sentence in islice(grammar.generate(generate.SEED), length):
        tokens = grammar.text.split()
        if not all(_TAG.search(token) for token in tokens):
            continue
        words = sentence.replace(",", " ,").removesuffix(".").split()
        if len(words) != len(tokens):
            raise ValueError(f"tags and words do not fit: {sentence}")
        line = []
        for word, token in zip(words, tokens, strict=True):
            code, _, sense = token.rpartition("/")[2].partition("=")
            line.append(f"{word}/{TAGS[code]}/{sense or '-'}")
        yield grammar.split, " ".join([*line, "./PUNCT/-"])


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    lines: dict[str, list[str]] = {split: [] for split in SPLITS.values() if split}
    for split, line in sentences():
        lines[split].append(line)
    stale = [
        refresh(FOLDER / f"{split}.txt.gz", found, check, "data/almanac/tag.py")
        for split, found in lines.items()
    ]
    return max(stale)


if __name__ == "__main__":
    sys.exit(main())
