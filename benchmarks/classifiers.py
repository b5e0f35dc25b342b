"""Trains the networks of assignments 03 to 05 on real reviews, each with several seeds.

The models, settings and training functions are those of the solution notebooks, loaded from them.
Writes `data/results/classifiers.json`: accuracy per seed with its 95% Wilson interval, the mean
over the seeds, parameters and training time. SST-2 is evaluated on GLUE's 872 validation sentences,
IMDb on its 25,000 test reviews, reviews on its test set and its challenge set. Real data come from
the folder or server in COURSEKIT_MIRROR if set, else from the internet.

    python benchmarks/classifiers.py --data sst2 imdb --seeds 3
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from typing import Any

import torch
from _networks import IMDB_VECTORS, JUDGED_ON, NOTEBOOKS, train
from _results import results, write

from coursekit import load, predict
from coursekit.evaluation import accuracy_by, score

MODELS = [
    name
    for name, notebook in NOTEBOOKS.items()
    if name not in ("CBOW classifier", IMDB_VECTORS) and notebook < "06"
]


def measure(which: str, data: str, seeds: int) -> dict[str, Any]:
    judged = load(data, JUDGED_ON[data])
    runs = []
    for seed in range(seeds):
        trained = train(which, data, seed)
        decided = predict(trained.model, trained.fed(judged)) > 0
        run = {
            "seed": seed,
            "seconds": trained.seconds,
            "processor_seconds": trained.processor_seconds,
            **score(which, decided, judged.labels)._asdict(),
        }
        if data == "reviews":
            challenge = load("reviews", "challenge")
            decided = predict(trained.model, trained.fed(challenge)) > 0
            found = accuracy_by(challenge.phenomena, decided, challenge.labels)
            run["challenge"] = {kind.name: kind.accuracy for kind in found}
        runs.append(run)
        print(data, json.dumps(run), file=sys.stderr, flush=True)
    return {
        "accuracy": statistics.mean(run["accuracy"] for run in runs),
        "seconds": statistics.mean(run["seconds"] for run in runs),
        "words": trained.words,
        "parameters": trained.trained_parameters,
        "runs": runs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["reviews", "sst2"], choices=list(JUDGED_ON))
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for data in options.data:
        for which in options.models:
            found = measure(which, data, options.seeds)
            measured = results("classifiers")  # another process may have written in the meantime
            measured.setdefault(data, {})[which] = found
            write("classifiers", measured)


if __name__ == "__main__":
    main()
