"""Compares the transformer of assignment 05 with counted words, on equal terms.

All models get the same 4,000 labels and the same words: the tokens of each text up to the 64th,
with the same vocabulary and the same `<unk>`. Three models: logistic regression on counts; the
transformer; the transformer without positions, to which word order is invisible as well. Every
setting is chosen on validation texts: features and L2 strength of the regression, learning rate and
number of epochs of the transformer (the other seeds reuse the first one's learning rate). The test
texts are used once, by the chosen models. Writes `data/results/counted_words.json`.

    python benchmarks/counted_words.py --data reviews sst2
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _results import results, write
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from autograder.course.reference import Solution
from coursekit import Vocabulary, batches, fit, load, predict, set_seed, tokenize
from coursekit.data import TextDataset
from coursekit.evaluation import accuracy, wilson_interval

NOTEBOOK = (
    Path(__file__).parent.parent / "solutions/05_transformer_block/05_transformer_block.ipynb"
)
N_LABELS, N_VALIDATION, LONGEST = 4_000, 1_000, 64
C = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
RATES, EPOCHS = (1e-3, 3e-3), 5


def splits(data: str) -> dict[str, TextDataset]:
    """Training, validation and test texts; SST-2's validation texts are training phrases."""
    if data == "reviews":
        texts = {name: load(data, name) for name in ("train", "validation", "test")}
        return texts | {"train": texts["train"].subset(N_LABELS)}
    some = load(data, "train").subset(N_LABELS + N_VALIDATION)
    return {
        "train": some[:N_LABELS],
        "validation": some[N_LABELS:],
        "test": load(data, "validation"),  # GLUE's; the labels of its test set are not public
    }


def counted(texts: dict[str, TextDataset], vocabulary: Vocabulary) -> dict[str, Any]:
    """Logistic regression on the counts of the tokens that the transformer reads."""

    def features(split: str, binary: bool) -> csr_matrix:
        rows = [vocabulary.encode(tokenize(text))[:LONGEST] for text in texts[split].texts]
        where = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        columns = np.array(list(itertools.chain.from_iterable(rows)))
        shape = (len(rows), len(vocabulary))
        counts = csr_matrix((np.ones(len(columns)), (where, columns)), shape)
        return counts.sign() if binary else counts

    def trained(binary: bool, c: float) -> LogisticRegression:
        model = LogisticRegression(C=c, max_iter=1000)
        return model.fit(features("train", binary), texts["train"].labels)

    def right(model: LogisticRegression, split: str, binary: bool) -> float:
        return float(model.score(features(split, binary), texts[split].labels))

    tried = {
        (binary, c): right(trained(binary, c), "validation", binary)
        for binary in (False, True)
        for c in C
    }
    binary, c = max(tried, key=lambda setting: tried[setting])
    return {
        "chosen": {"features": "binary" if binary else "counts", "C": c},
        "validation": tried[binary, c],
        "accuracy": right(trained(binary, c), "test", binary),
    }


def transformer(
    texts: dict[str, TextDataset], vocabulary: Vocabulary, positions: bool, seeds: int
) -> dict[str, Any]:
    """The transformer of the notebook; its first seed chooses the learning rate."""
    notebook = Solution(NOTEBOOK).definitions

    def fed(split: str) -> Any:
        shuffle = split == "train"
        return batches(texts[split], vocabulary, 32, max_length=LONGEST, shuffle=shuffle)

    def run(seed: int, lr: float) -> tuple[torch.nn.Module, float]:
        set_seed(seed)
        model = notebook["TransformerClassifier"](len(vocabulary), 32, 4, 64, 1, 0.1, LONGEST)
        with torch.no_grad():
            model.embedding.weight *= 0.1
        if not positions:
            model.positions.zero_()
        history = fit(
            model,
            fed("train"),
            fed("validation"),
            epochs=EPOCHS,
            lr=lr,
            weight_decay=0.01,
            schedule="linear",
            warmup=0.1,
            seed=seed,
        )
        found = max(history.validation_accuracy)
        print(positions, seed, lr, found, file=sys.stderr, flush=True)
        return model, found

    tried = {lr: run(0, lr) for lr in RATES}
    lr = max(tried, key=lambda rate: tried[rate][1])
    models = [tried[lr][0], *(run(seed, lr)[0] for seed in range(1, seeds))]
    runs = [
        float(accuracy((predict(model, fed("test")) > 0).long(), texts["test"].labels))
        for model in models
    ]
    return {
        "chosen": {"lr": lr},
        "validation": tried[lr][1],
        "accuracy": statistics.mean(runs),
        "runs": runs,
    }


def measure(data: str, seeds: int) -> dict[str, Any]:
    """What the three models get on one data set."""
    texts = splits(data)
    vocabulary = Vocabulary.build(map(tokenize, texts["train"].texts), min_count=2)
    models = {
        "counted words": counted(texts, vocabulary),
        "transformer without positions": transformer(texts, vocabulary, False, seeds),
        "transformer": transformer(texts, vocabulary, True, seeds),
    }
    n = len(texts["test"])
    for found in models.values():
        found["low"], found["high"] = wilson_interval(round(found["accuracy"] * n), n)
    return {
        "texts": {name: len(split) for name, split in texts.items()},
        "words": len(vocabulary),
        "models": models,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["reviews"], choices=["reviews", "sst2"])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for data in options.data:
        found = measure(data, options.seeds)
        write("counted_words", results("counted_words") | {data: found})


if __name__ == "__main__":
    main()
