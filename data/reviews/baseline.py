"""Measure how hard `reviews` is: bags of words beside a small model that sees word order.

Run ``python data/reviews/baseline.py`` (seconds, needs scikit-learn), or with ``--gru`` to train a
small bidirectional GRU as well (about a minute on one core, needs torch). Prints
the datasheet's table.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
Split = tuple[list[str], list[int], list[str]]


def read(split: str) -> Split:
    """Read texts, labels and phenomena of a split."""
    rows = (FOLDER / f"{split}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts, labels, phenomena = zip(*(row.split("\t") for row in rows), strict=True)
    return list(texts), [int(label) for label in labels], list(phenomena)


def tokenize(text: str) -> list[str]:
    """Lower-case words (with their apostrophes) and punctuation marks."""
    return re.findall(r"[a-z0-9']+|[^\w\s]", text.lower())


def bag_of_words(longest: int, train: Split, test: Split) -> list[int]:
    """Predict the test labels by logistic regression on counts of 1- to `longest`-grams."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    bags = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, longest))
    model = LogisticRegression(max_iter=2000).fit(bags.fit_transform(train[0]), train[1])
    return model.predict(bags.transform(test[0])).tolist()


def gru(train: Split, validation: Split, test: Split, epochs: int = 12) -> list[int]:
    """Predict the test labels with a one-layer bidirectional GRU (64 units each way)."""
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

    torch.manual_seed(0)
    torch.set_num_threads(1)
    ids = {word: i + 2 for i, word in enumerate(sorted({w for t in train[0] for w in tokenize(t)}))}

    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(len(ids) + 2, 64, padding_idx=0)
            self.gru = nn.GRU(64, 64, batch_first=True, bidirectional=True)
            self.drop, self.out = nn.Dropout(0.3), nn.Linear(128, 1)

        def forward(self, texts: Sequence[str]) -> torch.Tensor:
            rows = [torch.tensor([ids.get(w, 1) for w in tokenize(text)]) for text in texts]
            lengths = torch.tensor([len(row) for row in rows])
            x = self.drop(self.embed(pad_sequence(rows, batch_first=True)))
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            states, _ = torch.nn.utils.rnn.pad_packed_sequence(
                self.gru(packed)[0], batch_first=True, padding_value=-1e9
            )
            return self.out(self.drop(states.max(dim=1).values)).squeeze(-1)

    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    def predict(texts: Sequence[str]) -> list[int]:
        model.eval()
        with torch.no_grad():
            return (model(texts) > 0).long().tolist()

    best, best_score = [], -1.0
    for _ in range(epochs):
        model.train()
        for batch in torch.randperm(len(train[0])).split(64):
            logits = model([train[0][i] for i in batch])
            target = torch.tensor([float(train[1][i]) for i in batch])
            loss = nn.functional.binary_cross_entropy_with_logits(logits, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = accuracy(predict(validation[0]), validation[1])
        if score > best_score:
            best, best_score = predict(test[0]), score
    return best


def accuracy(predicted: Sequence[int], labels: Sequence[int]) -> float:
    """Return the share of labels that are met."""
    return sum(p == y for p, y in zip(predicted, labels, strict=True)) / len(labels)


def main(arguments: list[str] | None = None) -> None:
    """Print accuracy on the test split by phenomenon as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gru", action="store_true", help="train the GRU too")
    with_gru = parser.parse_args(arguments).gru
    train, test = read("train"), read("test")
    models = {"unigrams": bag_of_words(1, train, test), "uni+bigrams": bag_of_words(2, train, test)}
    if with_gru:
        models["GRU"] = gru(train, read("validation"), test)
    print("| phenomenon | reviews | " + " | ".join(models) + " |")
    print("| --- | --: |" + " --: |" * len(models))
    for name in [*dict.fromkeys(sorted(test[2])), "all"]:
        rows = [i for i, p in enumerate(test[2]) if name in (p, "all")]
        scores = [
            f"{accuracy([predicted[i] for i in rows], [test[1][i] for i in rows]):.3f}"
            for predicted in models.values()
        ]
        print(f"| {name} | {len(rows)} | " + " | ".join(scores) + " |")


if __name__ == "__main__":
    main()
