"""Tests on text that people wrote what the challenge set says about the models of 01 to 06.

Each model is trained as in `benchmarks/ladder.py`, with three seeds, and judges two collections of
texts, phenomenon by phenomenon: the course's challenge set, which a language model wrote, and
`coursekit.data.published_challenge`, sentences of SST-2 and reviews of IMDb that people wrote and
labeled. A model learns from 10,000 labels, the encoders of 06 from 1,000 as in their notebook: of the
course's reviews, where that is all, or of SST-2.

    python benchmarks/published_challenge.py
    python benchmarks/published_challenge.py --data reviews --again

Writes `data/results/published_challenge.json`: the correct answers of every run, and the mean accuracy
with its 95% Wilson interval for that many texts. A run that is there is not repeated; `--again` repeats
all. `--table` prints the tables of `data/reviews/PUBLISHED.md`, and trains nothing. Real data come
from the folder or server in COURSEKIT_MIRROR if set, else from the internet.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from _networks import DISTILLED, IMDB_VECTORS, texts_of
from _results import results, store
from ladder import ONCE, Run, interval, learn
from tqdm import tqdm

from coursekit.data import DataError, TextDataset, published_challenge
from coursekit.evaluation import accuracy_by

NAME = "published_challenge"
BAG = "logistic regression, binary"
#: What each model learns from: the number of labels, by data set.
LABELS: dict[str, dict[str, str]] = {
    "reviews": {
        BAG: "all",
        "DAN, random vectors": "all",
        "DAN, vectors of 02": "all",
        IMDB_VECTORS: "all",
        "attention": "all",
        "transformer from scratch": "all",
        "encoder, fine-tuned": "1000",
        DISTILLED: "1000",
    },
    "sst2": {
        BAG: "10000",
        "DAN, vectors of 02": "10000",
        "attention": "10000",
        "transformer from scratch": "10000",
        "encoder, fine-tuned": "1000",
        DISTILLED: "1000",
    },
}
#: The two collections, by their names in the results and in the table.
SETS = {"challenge": "ours", "published": "people's"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="+", default=list(LABELS), choices=list(LABELS))
    parser.add_argument("--models", nargs="+", help="only these models, by name")
    parser.add_argument("--seeds", type=int, default=3, help="seeds per model (default 3)")
    parser.add_argument("--again", action="store_true", help="retrain finished models")
    parser.add_argument("--table", action="store_true", help="print the tables, train nothing")
    options = parser.parse_args()
    if options.table:
        print(tables(results(NAME)))
        return
    torch.set_num_threads(1)
    try:
        for data in options.data:
            judge(data, options)
    except KeyboardInterrupt:
        sys.exit("\nStopped; finished runs are saved. Run the same command again to resume.")
    except DataError as error:
        sys.exit(str(error))


def judge(data: str, options: argparse.Namespace) -> None:
    """Train the models on one data set, let them judge both collections, and store it."""
    collections = {
        "challenge": texts_of("reviews", "challenge"),
        "published": published_challenge(),
    }
    wanted = options.models or LABELS[data]
    runs = [run for run in plan(data, options.seeds) if run.rung in wanted]
    bar = tqdm(runs, unit="model", desc=data)
    for run in bar:
        bar.set_description(f"{run.rung}, {run.size} labels, seed {run.seed}")
        stored = results(NAME)
        found = stored.setdefault(data, {}).setdefault(run.rung, {"labels": run.size, "runs": []})
        if any(other["seed"] == run.seed for other in found["runs"]) and not options.again:
            continue
        decide, facts = learn(data, run)
        others = [other for other in found["runs"] if other["seed"] != run.seed]
        others.append(
            {
                "seed": run.seed,
                "processor_seconds": facts["processor_seconds"],
                **{name: correct(decide, texts) for name, texts in collections.items()},
            }
        )
        found["runs"] = sorted(others, key=lambda one: one["seed"])
        for name, texts in collections.items():
            found[name] = means(found["runs"], name, Counter(texts.phenomena))
        stored["texts"] = {name: Counter(texts.phenomena) for name, texts in collections.items()}
        store(NAME, stored)


def plan(data: str, seeds: int) -> Iterator[Run]:
    """The runs on one data set; a model without randomness learns from all labels once."""
    for rung, size in LABELS[data].items():
        once = rung in ONCE and size == "all"
        yield from (Run(rung, size, seed) for seed in range(1 if once else seeds))


def correct(decide: Any, texts: TextDataset) -> dict[str, int]:
    """The number of right decisions on each phenomenon."""
    found = accuracy_by(texts.phenomena, decide(texts), texts.labels)
    return {kind.name: kind.correct for kind in found}


def means(runs: list[dict[str, Any]], name: str, counts: Counter[str]) -> dict[str, list[float]]:
    """Accuracy, low and high of each phenomenon: the mean of the runs with its interval."""
    return {
        kind: list(interval([run[name][kind] / n for run in runs], n).values())
        for kind, n in counts.items()
    }


def tables(stored: dict[str, Any]) -> str:
    """Accuracies in percent: the range over the models, then each model with its interval."""
    measured = {
        data: {name: stored[data][name] for name in LABELS[data] if name in stored[data]}
        for data in LABELS
        if data in stored
    }
    kinds = list(stored["texts"]["published"])
    columns = [(data, name) for data in measured for name in SETS]
    heads = (f"learned from {data}: {SETS[name]}" for data, name in columns)
    lines = [f"| | {' | '.join(heads)} |", "| --- |" + " --: |" * len(columns)]
    for kind in kinds:
        cells = []
        for data, name in columns:
            means = [100 * found[name][kind][0] for found in measured[data].values()]
            cells.append(f"{min(means):.0f} to {max(means):.0f}")
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    parts = ["\n".join(lines)]
    for data, models in measured.items():
        lines = [
            f"| learned from {data} | whose texts | {' | '.join(models)} |",
            "| --- | --- |" + " --: |" * len(models),
        ]
        for kind in kinds:
            for name, whose in SETS.items():
                n = stored["texts"][name][kind]
                cells = [
                    "{:.0f} ({:.0f}-{:.0f})".format(*(100 * x for x in found[name][kind]))
                    for found in models.values()
                ]
                lines.append(f"| {kind} | {whose}, {n} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
