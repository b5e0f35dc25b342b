"""Compares the skip-gram of assignment 02 with gensim's, in one run on the same text.

Both get the same sentences, words, dimension, window, negatives, subsampling, epochs and number of
threads; gensim runs with its default learning rate and with ours. For each seed, they run one after
the other. Writes `data/results/word2vec.json`: words per second (of the text before subsampling),
the speed relative to gensim's, similarity and analogies. Install gensim with `pip install -c
constraints.txt gensim`.

    python benchmarks/word2vec.py --data imdb --seeds 2
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import torch
from _results import write
from _words import judged, notebook, numbered, sentences

from coursekit import WordVectors

MIN_COUNT = {"almanac": 5, "imdb": 20}
SAME = {"window": 5, "negatives": 5, "dim": 100}


def ours(
    ids: list[list[int]],
    counts: torch.Tensor,
    words: list[str],
    settings: dict[str, Any],
    seed: int,
) -> tuple[WordVectors, float]:
    train = notebook()["train_skip_gram"]
    start = time.perf_counter()
    E, _ = train(ids, counts, **SAME, **settings, seed=seed)
    return WordVectors(words, E), time.perf_counter() - start


def gensims(
    ids: list[list[int]], words: list[str], settings: dict[str, Any], seed: int, threads: int
) -> tuple[WordVectors, float]:
    from gensim.models import Word2Vec

    known = [[words[i] for i in text] for text in ids]
    model = Word2Vec(
        vector_size=SAME["dim"],
        window=SAME["window"],
        negative=SAME["negatives"],
        sg=1,
        min_count=1,
        sample=settings["threshold"],
        alpha=settings["lr"],
        workers=threads,
        seed=seed,
    )
    model.build_vocab(known)
    start = time.perf_counter()
    model.train(known, total_examples=len(known), epochs=settings["epochs"])
    seconds = time.perf_counter() - start
    return WordVectors(model.wv.index_to_key, torch.from_numpy(model.wv.vectors)), seconds


def measure(name: str, seeds: int, threads: int, epochs: int) -> dict[str, Any]:
    words, ids, counts = numbered(sentences(name), MIN_COUNT[name])
    n_words = int(counts.sum())
    settings = {**notebook()["SETTINGS"][name], "epochs": epochs}
    settings.setdefault("lr", 0.05)
    runs: dict[str, list[dict[str, Any]]] = {}
    for seed in range(seeds):
        trained = {
            "ours": ours(ids, counts, words, settings, seed),
            "gensim, its learning rate": gensims(
                ids, words, {**settings, "lr": 0.025}, seed, threads
            ),
            "gensim, our learning rate": gensims(ids, words, settings, seed, threads),
        }
        for who, (vectors, seconds) in trained.items():
            speed = n_words * epochs / seconds
            run = {"seed": seed, "words_per_second": speed, **judged(name, vectors)}
            print(name, who, run, file=sys.stderr)
            runs.setdefault(who, []).append(run)
    speeds = {w: statistics.median(r["words_per_second"] for r in own) for w, own in runs.items()}
    return {
        "texts": len(ids),
        "words_of_text": n_words,
        "words": len(words),
        "threads": threads,
        **SAME,
        **settings,
        "ours_to_gensim_in_speed": speeds["ours"] / speeds["gensim, its learning rate"],
        "runs": runs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["almanac", "imdb"], choices=list(MIN_COUNT))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    try:
        import gensim  # noqa: F401
    except ImportError:
        sys.exit("benchmarks/word2vec.py needs gensim: pip install -c constraints.txt gensim")
    torch.set_num_threads(options.threads)
    results = {
        name: measure(name, options.seeds, options.threads, options.epochs) for name in options.data
    }
    write("word2vec", results)


if __name__ == "__main__":
    main()
