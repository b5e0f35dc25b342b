"""Measures how hard `reviews` is, for bags of words and a small model that sees word order.

Writes `data/results/reviews.json` and prints the tables of the datasheet: accuracy by
phenomenon, on the test split and on the challenge set.

    python benchmarks/reviews.py
"""

from __future__ import annotations

import torch
from _results import write
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from torch import nn

from coursekit import Vocabulary, batches, fit, load, predict, tokenize
from coursekit.data import TextDataset
from coursekit.evaluation import accuracy_by, score


class Reader(nn.Module):
    """A bidirectional GRU with max pooling over the real words."""

    def __init__(self, words: int, width: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.drop, self.out = nn.Dropout(0.3), nn.Linear(2 * width, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits (B, 2) of texts (B, L) with the mask (B, L) of their real words."""
        states, _ = self.gru(self.drop(self.embed(ids)))
        pooled = states.masked_fill(~mask[:, :, None], -1e9).amax(dim=1)
        return self.out(self.drop(pooled))


def bag_of_words(longest: int, train: TextDataset, tests: list[TextDataset]) -> list[list[int]]:
    """Predictions of logistic regression on counts of 1- to `longest`-grams."""
    bags = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, longest))
    model = LogisticRegression(max_iter=2000).fit(bags.fit_transform(train.texts), train.labels)
    return [model.predict(bags.transform(test.texts)).tolist() for test in tests]


def gru(train: TextDataset, tests: list[TextDataset]) -> list[list[int]]:
    """Predictions of the GRU with its best weights on the validation split."""
    vocabulary = Vocabulary.build(tokenize(text) for text in train.texts)
    torch.manual_seed(0)
    model = Reader(len(vocabulary))

    def made(data: TextDataset, **more: object):
        return batches(data, vocabulary, 64, **more)

    validation = made(load("reviews", "validation"), shuffle=False)
    fit(model, made(train, seed=0), validation, epochs=12, lr=2e-3)
    return [predict(model, made(test, shuffle=False)).argmax(-1).tolist() for test in tests]


def main() -> None:
    torch.set_num_threads(1)
    train = load("reviews", "train")
    tests = [load("reviews", split) for split in ("test", "challenge")]
    models = {
        "unigrams": bag_of_words(1, train, tests),
        "uni+bigrams": bag_of_words(2, train, tests),
        "GRU": gru(train, tests),
    }
    results: dict[str, dict[str, dict[str, float]]] = {}
    for number, test in enumerate(tests):
        table: dict[str, dict[str, float]] = {}
        for name, predictions in models.items():
            groups = accuracy_by(test.phenomena, predictions[number], test.labels)
            for phenomenon in sorted(groups.names):
                table.setdefault(phenomenon, {"n": groups[phenomenon].n})
                table[phenomenon][name] = groups[phenomenon].accuracy
            table.setdefault("all", {"n": len(test)})
            table["all"][name] = score(name, predictions[number], test.labels).accuracy
        table["all"] = table.pop("all")
        results[test.split] = table
        print(f"\n| {test.split} | reviews | " + " | ".join(models) + " |")
        print("| --- | --: |" + " --: |" * len(models))
        for phenomenon, row in table.items():
            cells = [f"{row[name]:.3f}" for name in models]
            print(f"| {phenomenon} | {row['n']} | " + " | ".join(cells) + " |")
    write("reviews", results)


if __name__ == "__main__":
    main()
