"""Compares the bag of words of assignment 01 with scikit-learn on real reviews.

The functions and settings are those of the solution notebook, loaded from it. scikit-learn's
logistic regression gets the same bags and minimizes the same objective (its C is 1 / (N l2)).
Writes `data/results/bag_of_words.json`: accuracy with its 95% Wilson interval, and seconds on one
thread. Real data come from the folder or server in COURSEKIT_MIRROR if set, else from the internet.

    python benchmarks/bag_of_words.py --data sst2 imdb

The strength of L2 is chosen on the validation split of the notebook's `load_splits` (SST-2: the
treebank's 1,821 test sentences; IMDb: a tenth of the training reviews), with scikit-learn, which
trains to convergence. Both models are then trained with it on all training texts and evaluated once,
on GLUE's 872 validation sentences and IMDb's 25,000 test reviews.
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

from autograder.course.reference import Solution
from coursekit import load, tokenize
from coursekit.data import TextDataset
from coursekit.evaluation import accuracy, score
from coursekit.sparse import SparseRows

NOTEBOOK = Path(__file__).parent.parent / "solutions/01_bag_of_words/01_bag_of_words.ipynb"
SPLITS = {"reviews": "test", "sst2": "validation", "imdb": "test"}  # what is evaluated on


class Bags:
    """Makes bags with the vocabulary and document frequencies of some training texts."""

    def __init__(self, name: str, train: TextDataset, notebook: dict[str, Any]) -> None:
        self.kind = notebook["BAG"][name]
        self.notebook = notebook
        self.train = train
        self.tokens = [tokenize(text) for text in train.texts]
        self.vocabulary = notebook["build_vocabulary"](self.tokens, notebook["MIN_COUNT"][name])
        frequency = notebook["document_frequency"](self.tokens)
        self.df = torch.tensor([frequency[word] for word in self.vocabulary])

    def __call__(self, texts: TextDataset | None = None) -> SparseRows:
        """The bags of the texts, (N, |V|); of the training texts when left out."""
        tokens = self.tokens if texts is None else [tokenize(text) for text in texts.texts]
        return self.notebook["make_bags"](
            self.kind, tokens, self.vocabulary, self.df, len(self.train)
        )


def fit_library(X: SparseRows, labels: list[int], l2: float) -> LogisticRegression:
    return LogisticRegression(C=1 / (len(X) * l2), max_iter=3000).fit(X.matrix, labels)


def choose(name: str, notebook: dict[str, Any]) -> dict[str, Any]:
    """The best strength of L2 on the validation split (on a tie the largest), and what was tried."""
    train, validation, _ = notebook["load_splits"](name)
    bags = Bags(name, train, notebook)
    X, Z = bags(), bags(validation)
    tried = {
        l2: accuracy(fit_library(X, train.labels, l2).predict(Z.matrix), validation.labels)
        for l2 in notebook["STRENGTHS"]
    }
    best = max(tried, key=lambda l2: (tried[l2], l2))
    by_l2 = {f"{l2:g}": value for l2, value in tried.items()}
    return {"l2": best, "validation": {"n": len(validation), "scikit-learn": by_l2}}


def measure(name: str, notebook: dict[str, Any], seed: int) -> dict[str, Any]:
    """The reference and scikit-learn on one data set: accuracies and seconds."""
    chosen = choose(name, notebook)
    train, l2 = load(name, "train"), chosen["l2"]
    bags = Bags(name, train, notebook)
    X, bag_seconds = timed(bags)
    settings = {**notebook["SETTINGS"][name], "l2": l2}
    generator = torch.Generator().manual_seed(seed)
    ours, our_seconds = timed(
        lambda: notebook["train_logistic_regression"](
            X, torch.tensor(train.labels), **settings, generator=generator
        )
    )
    library, library_seconds = timed(lambda: fit_library(X, train.labels, l2))
    test = load(name, SPLITS[name])
    Z = bags(test)
    predictions = {
        "ours": notebook["predict_all"](Z, *ours),
        "scikit-learn": library.predict(Z.matrix),
    }
    return {
        "training_texts": len(train),
        "words": len(bags.vocabulary),
        "bag": bags.kind,
        "min_count": notebook["MIN_COUNT"][name],
        "validation": chosen["validation"],
        **settings,
        "seed": seed,
        "seconds": {"bags": bag_seconds, "ours": our_seconds, "scikit-learn": library_seconds},
        "accuracy": {
            SPLITS[name]: {
                model: score(model, predicted, test.labels)._asdict()
                for model, predicted in predictions.items()
            }
        },
    }


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """What the action returns, and its wall time in seconds."""
    started = time.perf_counter()
    value = action()
    return value, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", choices=list(SPLITS), default=["sst2", "imdb"])
    parser.add_argument("--seed", type=int, default=0, help="seed of the shuffling (default 0)")
    chosen = parser.parse_args()
    warnings.simplefilter("error")  # a warning would mean that training did not converge
    torch.set_num_threads(1)
    notebook = Solution(NOTEBOOK).definitions
    results = {}
    for name in chosen.data:
        print(f"{name} ...", flush=True)
        results[name] = measure(name, notebook, chosen.seed)
    print("written:", write("bag_of_words", results).name)


if __name__ == "__main__":
    main()
