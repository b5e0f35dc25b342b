"""Measures what assignment 14 says about translation without sentence pairs.

With the notebook's own functions and classes, on two corpora: `bilingual`, which comes with the
course, and `tatoeba`, the English half and the French half of Tatoeba. `runs` trains without pairs
from seed dictionaries of several sizes, `pairs` trains the same model on 100 to 10,000 pairs. Every
hundred steps a run is scored on validation sentences, by the round trip and, to know better, by the
pairs. Of the steps in which the model makes its own translations, the one with the best round trip
counts (with `pairs`: the best BLEU on validation pairs) and is scored once on the test pairs. The
round trip does not compare runs of different lengths: on Tatoeba, whose runs have 600 and 2,400
steps, it prefers the shorter one, which has fewer BLEU on the validation pairs. A run that was
interrupted starts again, finished ones are kept in `data/results/unsupervised_translation.json`. All
parts take about 30 minutes of processor time.

    python benchmarks/unsupervised_translation.py            # or: runs pairs tatoeba
"""

from __future__ import annotations

import argparse
import copy
import functools
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from _results import results, store
from translation import tokens

from autograder.course.reference import read
from coursekit import load
from coursekit.data import Bitext

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/14_unsupervised_translation/14_unsupervised_translation.ipynb"
PARTS = ["runs", "pairs", "tatoeba"]
#: Cells of the notebook that only show something, by their first words.
SHOWN = (
    *("check(", "# Set-up", "STEPS, FIRST", "def both_ways", "def round_trips", "measured ="),
    *("cat_dog", "likeness", "for name, table", "small =", "sentence =", "a, b ="),
    *("curve =", "by_pairs =", 'if "tatoeba"'),
)
#: Steps of a run by its seed dictionary, and how many of them the dictionary translates.
STEPS, FIRST = {"300 words": 1200, "all words": 800}, 200
#: Steps of the runs on Tatoeba, from 300 words.
TATOEBA_STEPS = (600, 2400)
PAIRS, PAIRED_STEPS = (100, 300, 1000, 3000, 10_000), 400
#: The most sentences of a language of Tatoeba from which word vectors are made.
SENTENCES = 30_000


@functools.cache
def notebook(data: str) -> dict[str, Any]:
    """What the notebook's cells define, with its own data or with those of Tatoeba."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    for cell in read(NOTEBOOK).cells:
        source = cell.source
        if cell.cell_type != "code" or source.startswith(SHOWN) or "show(" in source:
            continue
        if data == "tatoeba" and source.startswith("DATA ="):
            scope |= tatoeba()
            continue
        if data == "tatoeba" and source.startswith("LONGEST, N_WORDS"):
            sizes = '12, {"en": 600, "fr": 840}'
            assert sizes in source, "the notebook's sizes have changed"
            source = source.replace(sizes, '10, {"en": 1000, "fr": 1400}')
        exec(source, scope)  # our own notebook
    return scope


def tatoeba() -> dict[str, Any]:
    """The splits of Tatoeba as tokens, and an English and a French text without a common pair."""
    found = {
        split: _tokenized(load("tatoeba-fra-eng", split))
        for split in ("train", "validation", "test")
    }
    sources = sorted(set(found["train"].sources))
    random.Random(0).shuffle(sources)
    english = set(sources[: len(sources) // 2])
    train = found["train"]
    paired = {t for s, t in zip(train.sources, train.targets, strict=True) if s in english}
    rest = [t for s, t in zip(train.sources, train.targets, strict=True) if s not in english]
    french = sorted(set(rest) - paired)
    random.Random(1).shuffle(french)
    text = {"en": sorted(english), "fr": french}
    random.Random(2).shuffle(text["en"])
    return found | {
        "text": {key: [s.split() for s in rows[:SENTENCES]] for key, rows in text.items()}
    }


def _tokenized(bitext: Bitext) -> Bitext:
    """Short pairs, tokenized; of several translations of a test sentence the first."""
    rows: list[tuple[str, str]] = []
    for source, target, _ in bitext:
        pair = tokens(source, "en"), tokens(target, "fr")
        if max(map(len, pair)) <= 15:
            rows.append((" ".join(pair[0]), " ".join(pair[1])))
    if bitext.split != "train":
        rows = list({source: (source, target) for source, target in reversed(rows)}.values())
    return Bitext(bitext.name, bitext.split, ("en", "fr"), *map(list, zip(*rows, strict=True)))


def seeds_of(scope: dict[str, Any], name: str) -> list[tuple[int, int]]:
    """The seed dictionary of this name."""
    return scope["SEEDS"][name] if name != "all words" else scope["pocket_dictionary"](10_000)


def word_by_word(scope: dict[str, Any], into: dict[str, dict[str, str]]) -> list[float]:
    """BLEU on the test pairs, into French and into English."""
    found, look = scope["pairs"]["test"], scope["word_by_word"]
    french = [look(english, into["fr"]) for english, _ in found]
    english = [look(french, into["en"]) for _, french in found]
    return [scope["bleu_of"](french, found, 1), scope["bleu_of"](english, found, 0)]


def best_of(
    scope: dict[str, Any], model: torch.nn.Module, train: Callable[[Callable], Any], judge: Callable
) -> dict[str, Any]:
    """Train, score every hundred steps, and score the best step on the test pairs."""
    curve: dict[str, dict[str, Any]] = {}
    kept: dict[str, Any] = {"score": -1.0}
    started = time.process_time()

    def after(step: int) -> None:
        if step % 100:
            return
        pairs = scope["pairs"]["validation"]
        score = judge(model)
        curve[str(step)] = {"score": score, "validation": list(scope["both_ways"](model, pairs))}
        print(step, curve[str(step)], f"{time.process_time() - started:.0f} s", flush=True)
        if step > FIRST and score > kept["score"]:  # before, the dictionary was the translator
            kept.update(score=score, step=step, weights=copy.deepcopy(model.state_dict()))

    train(after)
    model.load_state_dict(kept["weights"])
    return {
        "curve": curve,
        "step": kept["step"],
        "test": list(scope["both_ways"](model, scope["pairs"]["test"])),
        "processor_seconds": time.process_time() - started,
    }


def run(data: str, name: str, steps: int) -> dict[str, Any]:
    """Train without pairs, from a seed dictionary."""
    scope = notebook(data)
    exec(_cell("def both_ways"), scope)
    seeds = seeds_of(scope, name)
    scope["dictionary"] = into = scope["make_dictionaries"](scope["induce"](seeds, 0.3, 1.0), seeds)
    shares = [scope["share_right"](into["fr"], "en"), scope["share_right"](into["en"], "fr")]
    ids = {
        token: [scope["vocabulary"].encode(s) for s in scope["short"][key]]
        for key, token in scope["TOKENS"].items()
    }
    held_out = {
        token: [scope["vocabulary"].encode(pair[side]) for pair in scope["pairs"]["validation"]]
        for side, token in enumerate(scope["TOKENS"].values())
    }
    model = _model(scope, into["en"])
    found = best_of(
        scope,
        model,
        lambda after: scope["train_without_pairs"](model, ids, steps, FIRST, after=after),
        lambda model: scope["round_trip_bleu"](model.translate, held_out),
    )
    about = {"seeds": len(seeds), "right": shares, "word_by_word": word_by_word(scope, into)}
    return about | {"sentences": [len(rows) for rows in ids.values()]} | found


def paired(data: str, n: int) -> dict[str, Any]:
    """Train the same model on n sentence pairs, in both directions."""
    scope = notebook(data)
    exec(_cell("def both_ways"), scope)
    EN, FR, EOS, encode = scope["EN"], scope["FR"], scope["EOS"], scope["vocabulary"].encode
    rows = scope["short_pairs"](scope["train"])
    random.Random(0).shuffle(rows)
    ids = [(encode(english), encode(french)) for english, french in rows[:n]]
    model = _model(scope, {})
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / PAIRED_STEPS)

    def train(after: Callable[[int], None]) -> None:
        batches = _batches(ids)
        for step in range(1, PAIRED_STEPS + 1):
            english, french = zip(*next(batches), strict=True)
            batch = scope["translation_batch"]
            loss = model.loss(*batch(english, french, FR, EOS))
            loss = loss + model.loss(*batch(french, english, EN, EOS))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            after(step)

    pairs = scope["pairs"]["validation"]
    found = best_of(scope, model, train, lambda model: sum(scope["both_ways"](model, pairs)) / 2)
    return {"pairs": len(ids)} | found


def _batches(pairs: list):
    """Shuffled batches of 64 pairs without end."""
    draw, size = random.Random(0), 64
    while True:
        draw.shuffle(pairs)
        for start in range(0, len(pairs), size):
            yield pairs[start : start + size]


def _model(scope: dict[str, Any], into_english: dict[str, str]) -> torch.nn.Module:
    return scope["TwoWayTranslator"](scope["first_vectors"](into_english))


def _cell(start: str) -> str:
    """The definitions at the start of a cell of the notebook, without what it prints."""
    cells = read(NOTEBOOK).cells
    source = next(c.source for c in cells if c.cell_type == "code" and c.source.startswith(start))
    return source.partition("\n\n\nfor ")[0]


def keep(*path: str, value: Any) -> None:
    """Store a result under its path of names."""
    found = results("unsupervised_translation")
    place = found
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value
    store("unsupervised_translation", found)


def measure(part: str) -> None:
    """Make the results of a part that are missing."""
    data = "tatoeba" if part == "tatoeba" else "bilingual"
    done = results("unsupervised_translation").get(data, {})
    if part == "pairs":
        for n in PAIRS:
            if str(n) not in done.get("pairs", {}):
                keep(data, "pairs", str(n), value=paired(data, n))
        return
    perfect = lambda scope: scope["make_dictionaries"](scope["translations"], [])  # noqa: E731
    if "all pairs, word by word" not in done:
        scope = notebook(data)
        keep(data, "all pairs, word by word", value=word_by_word(scope, perfect(scope)))
    runs = [(name, name, steps) for name, steps in STEPS.items()]
    if data == "tatoeba":
        runs = [(f"{steps} steps", "300 words", steps) for steps in TATOEBA_STEPS]
    for name, seeds, steps in runs:
        if name not in done.get("runs", {}):
            print(name, flush=True)
            keep(data, "runs", name, value=run(data, seeds, steps))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS, help=" ".join(PARTS))
    torch.set_num_threads(1)
    for part in parser.parse_args().parts:
        measure(part)


if __name__ == "__main__":
    main()
