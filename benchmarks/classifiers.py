"""The networks of assignments 03 to 05 on real reviews, each with several seeds.

The models, settings and training functions are those of the solution notebooks, loaded from them.
Writes `data/results/classifiers.json`: accuracy per seed with its 95% Wilson interval, the mean
over the seeds, parameters and seconds of training. SST-2 is judged on GLUE's 872 validation
sentences, IMDb on its 25,000 test reviews, reviews on its test set and its challenge set. Real data
come from the folder or server that COURSEKIT_MIRROR names, else the internet.

    python benchmarks/classifiers.py --data sst2 imdb --seeds 3
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import torch
from _results import results, write

from autograder.reference import definitions
from coursekit import load, load_vectors, predict
from coursekit.evaluation import accuracy_by, score

SOLUTIONS = Path(__file__).parent.parent / "solutions"
NOTEBOOKS = {
    "mean of random vectors": "04_attention",
    "DAN, random vectors": "03_deep_averaging",
    "DAN, vectors of 02": "03_deep_averaging",
    "attention": "04_attention",
    "transformer from scratch": "05_transformer_block",
}
JUDGED_ON = {"reviews": "test", "sst2": "validation", "imdb": "test"}


def train(
    which: str, data: str, seed: int
) -> tuple[torch.nn.Module, Any, Any, tuple[float, float]]:
    """The trained model, how it is fed, its vocabulary, and training's wall and processor seconds."""
    notebook = definitions(SOLUTIONS / NOTEBOOKS[which] / f"{NOTEBOOKS[which]}.ipynb")
    learned_from = load(data, "train")
    watched = None
    more = ()
    if which == "DAN, vectors of 02":
        vectors = load_vectors(notebook["VECTORS"][data])
        more = (vectors.words,)
    if "SPLITS" in notebook:
        learned_from, watched, _ = notebook["load_splits"](data)
    vocabulary = notebook["make_vocabulary"](data, learned_from, *more)

    def fed(texts: Any, shuffle: bool = False) -> Any:
        return notebook["make_batches"](data, texts, vocabulary, shuffle=shuffle)

    model = notebook["make_model"](data, vocabulary, seed)
    if which == "DAN, vectors of 02":
        notebook["start_from"](model, vocabulary, vectors, seed)
    if which == "mean of random vectors":  # attention whose vector v stays at zeros
        model.v.requires_grad_(False)
    batches = [fed(learned_from, shuffle=True)]
    if watched is not None:
        batches.append(fed(watched))
    start = time.perf_counter(), time.process_time()
    notebook["train_model"](data, model, *batches, seed=seed)
    seconds = time.perf_counter() - start[0], time.process_time() - start[1]
    return model, fed, vocabulary, seconds


def measure(which: str, data: str, seeds: int) -> dict[str, Any]:
    judged = load(data, JUDGED_ON[data])
    runs = []
    for seed in range(seeds):
        model, fed, vocabulary, seconds = train(which, data, seed)
        decided = predict(model, fed(judged)) > 0
        run = {
            "seed": seed,
            "seconds": seconds[0],
            "processor_seconds": seconds[1],
            **score(which, decided, judged.labels)._asdict(),
        }
        if data == "reviews":
            challenge = load("reviews", "challenge")
            found = accuracy_by(
                challenge.phenomena, predict(model, fed(challenge)) > 0, challenge.labels
            )
            run["challenge"] = {kind.name: kind.accuracy for kind in found}
        runs.append(run)
        print(data, json.dumps(run), file=sys.stderr, flush=True)
    return {
        "accuracy": statistics.mean(run["accuracy"] for run in runs),
        "seconds": statistics.mean(run["seconds"] for run in runs),
        "words": len(vocabulary),
        "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
        "runs": runs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["reviews", "sst2"], choices=list(JUDGED_ON))
    parser.add_argument("--models", nargs="+", default=list(NOTEBOOKS), choices=list(NOTEBOOKS))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for data in options.data:
        for which in options.models:
            found = measure(which, data, options.seeds)
            measured = results("classifiers")  # another process may have written meanwhile
            measured.setdefault(data, {})[which] = found
            write("classifiers", measured)


if __name__ == "__main__":
    main()
