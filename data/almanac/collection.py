"""Write the planted collection of assignment 16: paragraphs to be searched, and questions.

Run ``python data/almanac/collection.py`` to rewrite its files in `tasks/`; with ``--check`` nothing is
written, and the exit status is 1 if a file differs from what would be written.

Everything comes from the almanac's tables of facts and from the frames below, so it is known by
construction which paragraph answers a question. A paragraph states one fact, and mentions two other
names. Each fact can be asked for in two wordings: a near one, which repeats the words of the
statement, some in another form, and a far one, which shares with it nothing but the name and words
such as *the*. One fact in ten is in no paragraph: its questions have no answer in the collection. Of
every five names the fourth is asked about for validation and the fifth for testing only.

The same on every machine and version of Python: only `random()` of a seeded generator is used.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from generator.files import refresh
from tasks import COUNTRIES, FOLDER, LISTS, TABLES, Draw

SEED = 16
#: For each fact: its table and column, the statement, a near and a far question.
FRAMES = """\
country capital | The capital of {x} is {y}. | What is the capital of {x}? | From which city do ministers govern {x}?
country currency | People in {x} pay with the {y}. | What do people in {x} pay with? | Which money does one need for shopping across {x}?
country language | In {x}, most people speak {y}. | What do most people in {x} speak? | Which language would a pupil from {x} learn first?
country goods | {x} sells {y} to other countries. | What does {x} sell to other countries? | Which exports bring wealth for {x}?
country land | Visitors of {x} remember its {y}. | What do visitors of {x} remember? | Which sights attract tourists toward {x}?
country river | Ships cross {x} on the {y}. | On what do ships cross {x}? | Which river flows through {x}?
animal home | {x} makes its home in the {y}. | Where does {x} make its home? | Which habitat would a zoo build for {x}?
animal food | {x} likes to eat {y}. | What does {x} like to eat? | Which diet keeps {x} healthy?
animal trait | Every keeper calls {x} {y}. | What does every keeper call {x}? | Which temper has {x} by nature?
animal body | You will know {x} by its {y}. | By what will you know {x}? | Which part did a sculptor of {x} carve most carefully?
job tool | {x} never leaves without the {y}. | What does {x} never leave without? | Which equipment belongs to {x}?
job place | Each morning {x} goes to the {y}. | Where does {x} go each morning? | At which workplace could customers find {x}?
job makes | By noon {x} has made {y}. | What has {x} made by noon? | Which products come from {x}?
food taste | Most children call {x} {y}. | What do most children call {x}? | Which flavor has {x}?
food color | Painters show {x} in {y}. | In what do painters show {x}? | Which color could one expect from {x}?
food source | {x} comes to us from {y}. | Where does {x} come to us from? | Which spot should farmers harvest for {x}?
food with | Good cooks serve {x} with {y}. | What do good cooks serve {x} with? | Which ingredient goes nicely beside {x}?
thing place | {x} stands in the {y}. | Where does {x} stand? | Which room or spot should one search for {x}?
thing use | Thanks to {x} one can {y}. | What can one do thanks to {x}? | Which purpose had people who invented {x}?"""
#: What a paragraph says besides its fact.
ASIDES = """\
On {weekday} somebody talked about {x}.
A song about {x} was heard in {month}.
The newspaper had a page on {x} in {month}.
A photograph of {x} hangs in the {room}.
Nobody had a question about {x}.
There was a film about {x} on {weekday}.
A letter mentioned {x} twice.
The radio had news of {x} in {month}.""".splitlines()


class Fact(NamedTuple):
    """A fact with its statement and two questions, and whether the collection states it."""

    name: str
    answer: str
    statement: str
    start: int
    near: str
    far: str
    stated: bool


def capital(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]


def facts() -> dict[str, list[Fact]]:
    """The facts about each name, the names in the order of their tables."""
    draw = Draw(SEED)
    found: dict[str, list[Fact]] = {}
    for table in ("country", "animal", "job", "food", "thing"):
        for row in COUNTRIES if table == "country" else TABLES[table]:
            name = row[table][0] if table == "country" else f"the {row[table][0]}"
            if name in found:  # a job stands in its table twice
                continue
            found[name] = []
            for line in FRAMES.splitlines():
                key, statement, near, far = line.split(" | ")
                if key.split()[0] != table or not row[key.split()[1]]:
                    continue
                answer = draw.pick(row[key.split()[1]])
                begin = capital(statement.partition("{y}")[0].format(x=name))
                whole = capital(statement.format(x=name, y=answer))
                questions = near.format(x=name), far.format(x=name)
                stated = draw.random() >= 0.1
                found[name].append(Fact(name, answer, whole, len(begin), *questions, stated))
    return found


def paragraphs(known: dict[str, list[Fact]]) -> dict[str, tuple[str, int]]:
    """For each statement its paragraph and the character at which it begins there."""
    draw, names = Draw(SEED + 1), list(known)

    def aside() -> str:
        words = {name: draw.pick(LISTS[name]) for name in ("weekday", "month", "room")}
        return draw.pick(ASIDES).format(x=draw.pick(names), **words)

    found = {}
    for rows in known.values():
        for fact in rows:
            if fact.stated:
                sentences = draw.sample([fact.statement, aside(), aside()], 3)
                text = " ".join(sentences)
                found[fact.statement] = (text, text.index(fact.statement))
    return found


def questions(
    known: dict[str, list[Fact]], texts: dict[str, tuple[str, int]], split: str
) -> Iterator[list[object]]:
    """Questions of a split: both wordings for training, one of them otherwise."""
    draw, rows = Draw(SEED + len(split)), []
    kept = {"train": (0, 1, 2), "validation": (3,), "test": (4,)}[split]
    for number, asked in enumerate(known.values()):
        for fact in asked if number % 5 in kept else []:
            for wording in ("near", "far") if split == "train" else [draw.pick(("near", "far"))]:
                rows.append((fact, wording))
    for number, (fact, wording) in enumerate(draw.sample(rows, len(rows))):
        context, answers = "", []
        if fact.stated:
            context, start = texts[fact.statement]
            answers = [[fact.answer, start + fact.start]]
        question = fact.near if wording == "near" else fact.far
        yield [f"{split}-{number}-{wording}", question, context, answers, fact.name]


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    known = facts()
    texts = paragraphs(known)
    order = Draw(SEED + 2).sample(list(texts.values()), len(texts))
    program = "data/almanac/collection.py"
    stale = [refresh(FOLDER / "paragraphs-all.txt.gz", (text for text, _ in order), check, program)]
    for split in ("train", "validation", "test"):
        lines = (json.dumps(row, ensure_ascii=False) for row in questions(known, texts, split))
        path = FOLDER / f"open-questions-{split}.txt.gz"
        stale.append(refresh(path, lines, check, program))
    return max(stale)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(main())
