"""Trains the word vectors that ship with the course, with the skip-gram of assignment 02.

Writes `data/vectors/NAME.safetensors` (half precision, the most frequent words first) and their
scores to `data/results/vectors.json`. `almanac` takes seconds, `imdb` a few minutes; IMDb's text
comes from the folder or server in COURSEKIT_MIRROR if set, else from the internet.

    python benchmarks/vectors.py almanac imdb
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from _results import results, write
from _words import SPLITS, judged, notebook, numbered, sentences

from coursekit import WordVectors, load_vectors

FOLDER = Path(__file__).parent.parent / "data" / "vectors"
RECIPES = {
    "almanac": {"min_count": 5, "keep": 20_000, "epochs": 5, "lr": 0.05, "threshold": 1e-3},
    "imdb": {"min_count": 5, "keep": 20_000, "epochs": 5, "lr": 0.05, "threshold": 1e-4},
}
SEED = 0


def train(name: str) -> dict[str, object]:
    """Train one table, store its most frequent words, and evaluate the stored table."""
    recipe = dict(RECIPES[name])
    keep, min_count = int(recipe.pop("keep")), int(recipe.pop("min_count"))
    words, ids, counts = numbered(sentences(name), min_count)
    start = time.perf_counter()
    E, _ = notebook()["train_skip_gram"](ids, counts, **recipe, seed=SEED)
    seconds = time.perf_counter() - start
    about = {
        "text": f"{name}: {', '.join(SPLITS[name])}",
        "method": "skip-gram with negative sampling, assignment 02_word2vec",
        "settings": ", ".join(f"{k} {v}" for k, v in {**RECIPES[name], "seed": SEED}.items()),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.safetensors"
    WordVectors(words[:keep], E[:keep], about).save(path, half=True)
    stored = load_vectors(path)
    return {
        **RECIPES[name],
        "words_of_text": int(counts.sum()),
        "words": len(stored),
        "seconds": seconds,
        "bytes": path.stat().st_size,
        **judged(name, stored),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(RECIPES), choices=list(RECIPES))
    names = parser.parse_args().names
    torch.set_num_threads(1)
    write("vectors", results("vectors") | {name: train(name) for name in names})


if __name__ == "__main__":
    main()
