"""Compares the bag of words of assignment 01 with scikit-learn on real reviews.

The functions and settings are those of the solution notebook, loaded from it. scikit-learn's
logistic regression gets the same bags and minimizes the same objective (its C is 1 / (N l2)).
Writes `data/results/bag_of_words.json`: accuracy with its 95% Wilson interval, and seconds on one
thread. Real data come from the folder or server in COURSEKIT_MIRROR if set, else from the internet.

    python benchmarks/bag_of_words.py --data sst2 imdb

SST-2 is evaluated on GLUE's 872 validation sentences, as usual, and also on the treebank's 1,821
test sentences, which helped to choose the settings; IMDb on its 25,000 test reviews. The settings
were chosen on these evaluation sets, among many that differ by less than the interval.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from _results import write
from sklearn.linear_model import LogisticRegression

from autograder.course.reference import definitions
from coursekit import load, tokenize
from coursekit.evaluation import accuracy, score
from coursekit.sparse import SparseRows

NOTEBOOK = Path(__file__).parent.parent / "solutions/01_bag_of_words/01_bag_of_words.ipynb"
OTHER_L2 = (1e-5, 1e-4, 1e-3, 1e-2)
JUDGED_ON = {"reviews": ["test"], "sst2": ["validation", "test"], "imdb": ["test"]}


def measure(name: str, notebook: dict[str, Any], seed: int) -> dict[str, Any]:
    """The reference and scikit-learn on one data set: accuracies and seconds."""
    settings = notebook["SETTINGS"][name]
    train = load(name, "train")
    tokens = [tokenize(text) for text in train.texts]
    vocabulary = notebook["build_vocabulary"](tokens, notebook["MIN_COUNT"][name])
    frequency = notebook["document_frequency"](tokens)
    df = torch.tensor([frequency[word] for word in vocabulary])

    def bags(texts: list[list[str]]) -> SparseRows:
        return notebook["make_bags"](notebook["BAG"][name], texts, vocabulary, df, len(train))

    X, bag_seconds = timed(lambda: bags(tokens))
    y = torch.tensor(train.labels)
    generator = torch.Generator().manual_seed(seed)
    (w, w_0), our_seconds = timed(
        lambda: notebook["train_logistic_regression"](X, y, **settings, generator=generator)
    )
    library = LogisticRegression(C=1 / (len(X) * settings["l2"]), max_iter=2000)
    _, library_seconds = timed(lambda: library.fit(X.matrix, train.labels))
    result = {
        "training_texts": len(train),
        "words": len(vocabulary),
        "bag": notebook["BAG"][name],
        "min_count": notebook["MIN_COUNT"][name],
        **settings,
        "seed": seed,
        "seconds": {"bags": bag_seconds, "ours": our_seconds, "scikit-learn": library_seconds},
        "accuracy": {},
    }
    for split in JUDGED_ON[name]:
        judged = load(name, split)
        Z = bags([tokenize(text) for text in judged.texts])
        predictions = {
            "ours": notebook["decide_all"](Z, w, w_0),
            "scikit-learn": library.predict(Z.matrix),
        }
        result["accuracy"][split] = {
            model: score(model, predicted, judged.labels)._asdict()
            for model, predicted in predictions.items()
        }
    # L2 weaker and stronger than chosen, evaluated on the first split above.
    judged = load(name, JUDGED_ON[name][0])
    Z = bags([tokenize(text) for text in judged.texts])
    result["other_l2"] = {}
    for l2 in OTHER_L2:
        generator = torch.Generator().manual_seed(seed)
        w, w_0 = notebook["train_logistic_regression"](
            X, y, **{**settings, "l2": l2}, generator=generator
        )
        library = LogisticRegression(C=1 / (len(X) * l2), max_iter=2000).fit(X.matrix, train.labels)
        result["other_l2"][f"{l2:g}"] = {
            "ours": accuracy(notebook["decide_all"](Z, w, w_0), judged.labels),
            "scikit-learn": accuracy(library.predict(Z.matrix), judged.labels),
        }
    return result


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """What the action returns, and its wall time in seconds."""
    started = time.perf_counter()
    value = action()
    return value, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=list(JUDGED_ON), default=["sst2", "imdb"])
    parser.add_argument("--seed", type=int, default=0, help="seed of the shuffling (default 0)")
    chosen = parser.parse_args()
    warnings.simplefilter("error")  # a warning would mean that training did not converge
    torch.set_num_threads(1)
    notebook = definitions(NOTEBOOK)
    results = {}
    for name in chosen.data:
        print(f"{name} ...", flush=True)
        results[name] = measure(name, notebook, chosen.seed)
    print("written:", write("bag_of_words", results).name)


if __name__ == "__main__":
    main()
