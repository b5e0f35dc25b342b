"""Write the planted tasks of assignment 13: entities, entailment, questions, multiple choice.

Run ``python data/almanac/tasks.py`` to rewrite the files in `tasks/`; with ``--check`` nothing is
written, and the exit status is 1 if a file differs from what would be written.

Everything comes from the almanac's tables of facts and from the frames below, so each answer is known
by construction:

- entities: sentences with places, groups and works, `word/LABEL/-`; the countries, cities and titles
  of the split test-unseen are in no other split;
- entailment: templates, where each hypothesis comes with three premises, one for each class, so that
  the hypothesis alone says nothing;
- questions: paragraphs with the same facts about two countries; the countries of the test split are
  in no training paragraph;
- choices: the beginning of a sentence and three ways to finish it; the wrong ones finish the same
  sentence about another animal, job or country, and the same facts are asked in every split, with
  other wrong options.

The same on every machine and version of Python: only `random()` of a seeded generator is used.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generator.facts import load_lists, load_tables
from generator.files import refresh

FOLDER = Path(__file__).resolve().parent / "tasks"
SEED = 13
Item = TypeVar("Item")

ENTITY_FRAMES = """the train from {place} to {place} was late again .
we spent a week in {place} and then flew to {place} .
he plays for the {group} on Saturdays .
the {group} won the match by two goals .
she wrote to the {group} about the bill .
the {group} opened a new office in {place} .
my sister reads {work} to the children every evening .
I saw {work} twice and liked it .
the author of {work} was born in {place} .
they sang a song from {work} at the wedding .
a storm hit the coast near {place} on {weekday} .
in {place} , people eat {dish} in the morning .
the {job} moved to {place} last {month} .
nobody in {place} had heard of {work} .
the flight {place} {place} leaves at noon .
our {job} works for the {group} now .
the {color} {thing} stood beside the {tree} .
the {job} bought a {color} {thing} and a {fruit} .
it rained all {weekday} and the {job} stayed at home .
the {thing} came from {place} , not from {place} .
the {group} and the {group} share a building .
{work} is about a {job} who finds a {thing} .
in {month} the {job} paints the {thing} {color} .
the bank near the river was closed on {weekday} .
the {sport} club meets at the school .
she studies at the {group} in {place} .""".splitlines()

#: For each class of facts: the sentence, the question, and the columns of the name and the answer.
COUNTRY_FACTS = {
    "capital": ("The capital of {x} is {y}.", "What is the capital of {x}?"),
    "currency": ("People in {x} pay with the {y}.", "Which money do people in {x} use?"),
    "language": ("In {x}, most people speak {y}.", "Which language is spoken in {x}?"),
    "goods": ("{x} sells {y} to other countries.", "What does {x} sell?"),
    "land": ("Visitors of {x} remember its {y}.", "What do visitors of {x} remember?"),
}
#: For each class of facts: the table, the column of the answer, and beginnings that it finishes.
CHOICE_FACTS = {
    "home": ("animal", "the {x} lives in the", "in the evening the {x} goes back to the"),
    "food": ("animal", "the {x} likes to eat", "we gave the {x} some"),
    "young": ("animal", "the {x} looks after her", "behind the {x} runs a small"),
    "place": ("job", "the {x} works at the", "every morning the {x} goes to the"),
    "capital": ("country", "the capital of {x} is", "the parliament of {x} meets in"),
}


class Draw:
    """Picks that depend on nothing but a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[int(self.random() * len(items))]

    def sample(self, items: Sequence[Item], n: int) -> list[Item]:
        """n different items, in any order."""
        return sorted(items, key=lambda _: self.random())[:n]


TABLES, LISTS = load_tables(), load_lists()
COUNTRIES = sorted(
    (row for row in TABLES["country"] if row["capital"]), key=lambda row: row["country"]
)
JOBS = sorted({row["job"][0] for row in TABLES["job"] if " " not in row["job"][0]})


def held_out(items: Sequence[Item], unseen: bool) -> list[Item]:
    """Of every five items the last, or the four others."""
    return [item for i, item in enumerate(items) if (i % 5 == 4) == unseen]


def entities(split: str, n: int) -> Iterator[str]:
    """Tagged sentences of a split."""
    draw, unseen = Draw(SEED + len(split)), split == "test-unseen"
    countries = held_out(COUNTRIES, unseen)
    places = [
        name for row in countries for name in (*row["country"], *row["capital"], *row["city"])
    ]
    adjectives = [row["adjective"][0] for row in TABLES["adjective"]]
    nouns = [row["thing"][0] for row in TABLES["thing"] if " " not in row["thing"][0]]
    adjectives, nouns = held_out(adjectives, unseen), held_out(nouns, unseen)

    def group() -> str:
        row = draw.pick(countries)
        place, country = draw.pick(row["capital"] + row["city"]), row["country"][0]
        sport = draw.pick(LISTS["sport"]).capitalize()
        forms = (
            f"{place} {sport} Club",
            f"Bank of {country}",
            f"University of {place}",
            f"{row['demonym'][0]} National Orchestra",
            f"{place} Museum",
        )
        return draw.pick(forms)

    def work() -> str:
        title = (draw.pick(adjectives).capitalize(), draw.pick(nouns).capitalize())
        forms = (f"The {title[0]} {title[1]}", f"A {title[1]} in {draw.pick(places)}")
        return draw.pick((*forms, f"{title[0]} {title[1]} Songs"))

    plain = {name: LISTS[name] for name in ("dish", "color", "tree", "fruit", "sport")}
    plain |= {"job": JOBS, "thing": nouns}
    plain |= {"weekday": LISTS["weekday"], "month": LISTS["month"]}
    for _ in range(n):
        found = []
        for token in draw.pick(ENTITY_FRAMES).split():
            slot = token.strip("{}")
            if not token.startswith("{"):
                found.append((token, "O"))
            elif slot in plain:
                found += [(word, "O") for word in draw.pick(plain[slot]).split()]
            else:
                name = {"place": lambda: draw.pick(places), "group": group, "work": work}[slot]()
                marks = "B" + "I" * name.count(" ")
                words = zip(name.split(), marks, strict=True)
                found += [(word, f"{mark}-{slot}") for word, mark in words]
        yield " ".join(f"{word}/{label}/-" for word, label in found)


def entailment(split: str, n: int) -> Iterator[list[object]]:
    """Pairs of a split: n hypotheses, each with a premise of every class, in any order."""
    draw = Draw(SEED + len(split) + 100)
    instruments = [row["thing"][0] for row in TABLES["thing"] if row["class"] == ("instrument",)]
    vehicles = [row["thing"][0] for row in TABLES["thing"] if row["class"] == ("vehicle",)]
    places = "market station harbor museum school bridge theater hotel garden castle".split()
    simple = [row for row in TABLES["adjective"] if row["noun"] and row["opposite"]]
    rows, seen = [], set()
    while len(seen) < n:
        job, other, third = draw.sample(JOBS, 3)
        place, instrument = draw.pick(places), draw.pick(instruments)
        vehicle, row = draw.pick(vehicles), draw.pick(simple)
        noun, one, opposite = draw.pick(row["noun"]), row["adjective"][0], row["opposite"][0]
        here, there = draw.sample(COUNTRIES, 2)
        country, capital, far = here["country"][0], here["capital"][0], there["capital"][0]
        families = (
            (
                f"the {job} plays an instrument .",
                f"the {job} plays the {instrument} at the {place} .",
                f"the {job} carries the {instrument} to the {place} .",
                f"the {job} at the {place} has never played the {instrument} .",
            ),
            (
                f"the {job} sold a {vehicle} to the {other} .",
                f"the {other} bought a {vehicle} from the {job} .",
                f"the {other} bought a {vehicle} from the {third} .",
                f"the {job} refused to sell the {other} a {vehicle} .",
            ),
            (
                f"the {noun} is {one} .",
                f"the {noun} near the {place} is very {one} .",
                f"the {noun} is near the {place} .",
                f"the {noun} near the {place} is {opposite} .",
            ),
            (
                f"the {job} is in {country} .",
                f"the {job} is in {capital} , the capital of {country} .",
                f"the {job} wants to see {country} .",
                f"the {job} is in {far} , far from {country} .",
            ),
        )
        hypothesis, *premises = draw.pick(families)
        if hypothesis in seen:
            continue
        seen.add(hypothesis)
        rows += [[premise, hypothesis, label] for label, premise in enumerate(premises)]
    yield from draw.sample(rows, len(rows))


def questions(split: str, n: int) -> Iterator[list[object]]:
    """Paragraphs with a question; three kinds of facts about two countries each."""
    draw = Draw(SEED + len(split) + 200)
    countries = held_out(COUNTRIES, split == "test")
    for number in range(n):
        while True:
            kinds = draw.sample(sorted(COUNTRY_FACTS), 3)
            pair = draw.sample(countries, 2)
            kind = kinds[0]
            if all(set(pair[0][k]) != set(pair[1][k]) and pair[0][k] and pair[1][k] for k in kinds):
                break
        facts = [(row["country"][0], k, draw.pick(row[k])) for row in pair for k in kinds]
        name, answer = next((x, y) for x, k, y in facts if k == kind)
        context, start = "", 0
        for x, k, y in draw.sample(facts, len(facts)):
            sentence = COUNTRY_FACTS[k][0].format(x=x, y=y)
            if (x, k) == (name, kind):
                before = COUNTRY_FACTS[k][0].partition("{y}")[0]
                start = len(context) + len(before.format(x=x))
            context += sentence + " "
        context = context.rstrip()
        if context[start : start + len(answer)] != answer:
            raise ValueError(f"the answer is not where it should be: {context}")
        question = COUNTRY_FACTS[kind][1].format(x=name)
        yield [f"{split}-{number}", question, context, [[answer, start]], name]


def choices(split: str, n: int) -> Iterator[list[object]]:
    """The beginning of a sentence, and three ways to finish it, of which one agrees with the facts."""
    draw = Draw(SEED + len(split) + 300)
    for _ in range(n):
        column = draw.pick(sorted(CHOICE_FACTS))
        table, *frames = CHOICE_FACTS[column]
        rows = COUNTRIES if table == "country" else TABLES[table]
        row = draw.pick([row for row in rows if row[column]])
        right = row[column][0]
        others = sorted({value for r in rows for value in r[column][:1]} - set(row[column]))
        options = draw.sample([right, *draw.sample(others, 2)], 3)
        context = draw.pick(frames).format(x=row[table][0])
        yield [context, options, options.index(right)]


SIZES = {
    "entities": {"train": 800, "validation": 200, "test": 300, "test-unseen": 300},
    "entailment": {"train": 600, "validation": 70, "test": 200},
    "questions": {"train": 1500, "validation": 150, "test": 300},
    "choices": {"train": 2000, "validation": 150, "test": 300},
}
TASKS = {"entities": entities, "entailment": entailment, "questions": questions, "choices": choices}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for task, sizes in SIZES.items():
        for split, n in sizes.items():
            lines = (
                row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
                for row in TASKS[task](split, n)
            )
            path = FOLDER / f"{task}-{split}.txt.gz"
            stale.append(refresh(path, lines, check, "data/almanac/tasks.py"))
    return max(stale)


if __name__ == "__main__":
    sys.exit(main())
