"""Write the trees of the data set `reviews`.

Run ``python data/reviews/trees.py`` to rewrite the four files in `trees/`, one tree per review in
the order of the `.tsv` files, byte for byte the same on every machine; with ``--check`` nothing is
written, and the exit status is 1 when a file differs from what would be written.

A tree is written as in the Stanford Sentiment Treebank: a label, then a word or two nodes, in
brackets. The phrases of generated reviews are those that the grammar expanded. Its labels, 0
negative, 1 neutral and 2 positive, are the polarity with which a phrase was expanded; a phrase in
between has the polarity of the phrases in it if these agree with each other and with the phrase
around it, and otherwise 1. What the grammar leaves flat, and all of the challenge set, which no
grammar wrote, is divided by a rule: at the ends of sentences, then at punctuation, then before
`but` and `and`, and then after the first word. In the challenge set only the roots have labels
other than 1.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate
from engine import CONTRACTIONS, Writer

from coursekit.text import tokenize

FOLDER = Path(__file__).resolve().parent
END_OF_SENTENCE = {".", "!", "?", "..."}
PUNCTUATION = {",", ";", ":", "--"}
CONJUNCTIONS = {"but", "and"}
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}


class Expansion:
    """What the grammar wrote for one name: its text, its polarity if it has one, and its parts."""

    def __init__(self, name: str, sign: int) -> None:
        self.name, self.sign = name, sign
        self.text = ""
        self.parts: list[Expansion] = []


class Recorder(Writer):
    """A `Writer` that keeps how the last review was expanded."""

    #: Names that are not lists of frames and have a polarity.
    POLAR = frozenset("adj nadj gadj vadj NP NPbare vp adjgenre fadj cmp pos".split())

    def begin(self) -> None:
        super().begin()
        self.open = [Expansion("", 0)]

    def name(self, name: str, sign: int) -> str:
        plain = name.rstrip("!+-")
        effective = {"!": -sign, "+": 1, "-": -1}.get(name[-1], sign)
        polar = plain in self.POLAR or (plain, effective) in self.table
        made = Expansion(plain, effective if polar else 0)
        self.open[-1].parts.append(made)
        self.open.append(made)
        text = super().name(name, sign)
        self.open.pop()
        made.text = contracted(text) if self.contracts else text
        return text


def contracted(text: str) -> str:
    """The text as `tidy` contracts it."""
    for long, short in CONTRACTIONS:
        text = long.sub(short, text)
    return text


class Span(NamedTuple):
    """A phrase: its first token, the token after its last one, and its polarity."""

    start: int
    stop: int
    sign: int


def spans(expansion: Expansion, tokens: list[str], start: int, stop: int) -> list[Span]:
    """The phrases of an expansion's parts in these tokens; parts that are not found are left out."""
    found, at = [], start
    for part in expansion.parts:
        words = [same(token) for token in tokenize(part.text)]
        first = search(words, tokens, at, stop)
        if first is None:
            first = search(words, tokens, start, stop)
        if first is None:
            found += spans(part, tokens, start, stop)
            continue
        at = first + len(words)
        found.append(Span(first, at, part.sign))
        found += spans(part, tokens, first, at)
    return found


def same(token: str) -> str:
    """The token, with one form for both articles: they are adapted after the expansion."""
    return "a" if token == "an" else token


def search(words: list[str], tokens: list[str], start: int, stop: int) -> int | None:
    """Where the words first occur in tokens[start:stop]."""
    if not words:
        return None
    for first in range(start, stop - len(words) + 1):
        if [same(token) for token in tokens[first : first + len(words)]] == words:
            return first
    return None


def nested(found: list[Span]) -> list[Span]:
    """The spans without those that cross one before them or repeat it."""
    kept: list[Span] = []
    for span in found:
        crosses = any(
            max(span.start, other.start) < min(span.stop, other.stop)
            and not (other.start <= span.start and span.stop <= other.stop)
            and not (span.start <= other.start and other.stop <= span.stop)
            for other in kept
        )
        twins = [other for other in kept if other[:2] == span[:2]]
        if not crosses and (not twins or (span.sign and not any(twin.sign for twin in twins))):
            kept = [other for other in kept if other not in twins] + [span]
    return kept


def bracket(
    tokens: list[str], found: list[Span], start: int, stop: int, sign: int, around: int = 0
) -> str:
    """The tree of tokens[start:stop].

    Its polarity is `sign`, 0 if the grammar gives none; that of the phrase around it is `around`.
    """
    inside = [s for s in found if start <= s.start and s.stop <= stop and s[:2] != (start, stop)]
    sign = sign or (mixed(inside) if mixed(inside) * around >= 0 else 0)
    if stop - start == 1:
        return f"({1 + sign} {BRACKETS.get(tokens[start], tokens[start])})"
    top = [
        s
        for s in inside
        if not any(o != s and o.start <= s.start and s.stop <= o.stop for o in inside)
    ]
    middle = divide(tokens, top, start, stop)
    parts = []
    for first, last in pairwise((start, middle, stop)):
        own = next((s.sign for s in found if s[:2] == (first, last)), 0)
        parts.append(bracket(tokens, found, first, last, own, sign or around))
    return f"({1 + sign} {parts[0]} {parts[1]})"


def mixed(inside: list[Span]) -> int:
    """The polarity of all phrases inside if they agree, else 0."""
    signs = {span.sign for span in inside} - {0}
    return signs.pop() if len(signs) == 1 else 0


def divide(tokens: list[str], top: list[Span], start: int, stop: int) -> int:
    """Where the right part of a phrase begins; never inside one of the phrases `top`."""
    covered = {i for span in top for i in range(span.start + 1, span.stop)}
    free = [i for i in range(start + 1, stop) if i not in covered]
    for marks, offset in ((END_OF_SENTENCE, 1), (PUNCTUATION, 0), (CONJUNCTIONS, 0)):
        for i in free:
            if tokens[i - offset] in marks and not (offset and tokens[i] in marks):
                return i
        if tokens[stop - 1] in marks and stop - 1 in free:
            return stop - 1
    return free[0]


def generated() -> dict[str, list[str]]:
    """The trees of the generated splits."""
    expansions: dict[str, Expansion] = {}
    write = generate.one_or_two

    def recorded(writer: Recorder, *arguments) -> list[tuple]:
        made = write(writer, *arguments)
        for text, _ in made:
            expansions.setdefault(text, writer.open[0])
        return made

    generate.Writer, generate.one_or_two = Recorder, recorded
    splits = generate.generate()
    return {
        split: [tree(text, label, expansions[text]) for text, label, _ in rows]
        for split, rows in splits.items()
    }


def tree(text: str, label: int, expansion: Expansion | None = None) -> str:
    """The tree of a review with the label 0 or 1."""
    tokens = tokenize(text)
    found = nested(spans(expansion, tokens, 0, len(tokens))) if expansion else []
    found = [s for s in found if s[:2] != (0, len(tokens))]
    return bracket(tokens, found, 0, len(tokens), 2 * label - 1)


def by_rule() -> list[str]:
    """The trees of the challenge set."""
    lines = (FOLDER / "challenge.tsv").read_text("utf-8").splitlines()[1:]
    return [tree(text, int(label)) for text, label, _ in (line.split("\t") for line in lines)]


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    stale = 0
    for split, trees in (*generated().items(), ("challenge", by_rule())):
        path, text = FOLDER / "trees" / f"{split}.txt.gz", "".join(f"{t}\n" for t in trees)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        elif not path.exists() or gzip.decompress(path.read_bytes()).decode() != text:
            stale = 1
            print(f"{path.name} is stale; run data/reviews/trees.py.")
    return stale


if __name__ == "__main__":
    sys.exit(main())
