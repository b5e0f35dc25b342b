"""Measures the encoders of assignment 08 on real sentences, and the batched Tree-LSTM's speed.

Models and trees are those of the solution notebook, the word vectors those of IMDb; they are frozen,
except on TREC. Tasks:

- sst: the Stanford Sentiment Treebank, five classes. "phrases" trains on the labels of all phrases
  (their words, for the encoders of sequences), otherwise on whole sentences. SST-2 is the same
  model: on sentences that are not neutral, it compares P(positive) with P(negative).
- trec: six classes of questions. The last tenth of the training questions is for validation.
- sick: relatedness of two sentences, Pearson's r, from `pair_features` of a shared encoder.
- speed: seconds of a Tree-LSTM on a batch of trees, node by node and height by height.

Epoch and settings are chosen on validation data (seed 0); the test data are used once per seed.
Each finished run is written to `data/results/sentence_encoders.json` and not repeated, so that an
interrupted command resumes.

    python benchmarks/sentence_encoders.py --tasks sst trec sick speed
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from _results import results, store
from torch import nn

from autograder.course.reference import Solution
from coursekit import Vocabulary, batches, fit, load, load_vectors, pad_batch, predict, tokenize
from coursekit.data import TextDataset
from coursekit.text import Batches

NOTEBOOK = Solution(
    Path(__file__).parent.parent / "solutions/08_sentence_encoders/08_sentence_encoders.ipynb"
).definitions
NAME = "sentence_encoders"
SST = {  # epochs, learning rate, hidden size, dropout, batch size
    "mean": (20, 3e-3, 0, 0.2, 50),
    "Tree-LSTM, phrases": (4, 2e-3, 120, 0.4, 25),
    "recursive": (4, 2e-3, 100, 0.3, 25),
    "TextCNN": (2, 1e-3, 100, 0.4, 100),
    "BiLSTM": (2, 2e-3, 100, 0.3, 100),
    "Tree-LSTM": (6, 2e-3, 100, 0.4, 25),
    "RNN": (2, 1e-3, 100, 0.3, 100),
    "transformer": (2, 1e-3, 100, 0.3, 100),
}
# A mean of phrases, half of them neutral, says little about whole sentences.
ON_SENTENCES = ("mean", "Tree-LSTM")  # all others learn from the labels of phrases
TREC = {
    "TextCNN": (8, 1e-3, 100, 0.5, 50),
    "mean": (12, 3e-3, 0, 0.3, 50),
    "BiLSTM": (5, 2e-3, 100, 0.4, 50),
}
SICK = {
    "BiLSTM": (6, 1e-3, 100, 0.2, 50),
    "mean": (20, 1e-3, 0, 0.1, 50),
}


class Measurement:
    """One task and model: a model per seed, and what it reaches."""

    def __init__(self, settings: tuple[int, float, int, float, int], name: str, seed: int) -> None:
        self.epochs, self.lr, self.hidden, self.dropout, self.batch_size = settings
        self.name, self.seed = name, seed
        self.vectors = load_vectors("imdb")

    def model(self, vocabulary: Vocabulary, n_classes: int) -> nn.Module:
        """The notebook's model of this name, with these settings."""
        settings = {"hidden": self.hidden, "dropout": self.dropout}
        NOTEBOOK["SETTINGS"]["benchmark"] = settings
        NOTEBOOK["CLASSES"]["benchmark"] = n_classes
        make = "make_tree_model" if self.name in NOTEBOOK["ON_TREES"] else "make_model"
        return NOTEBOOK[make]("benchmark", self.name, vocabulary, self.vectors, self.seed)

    def fit(self, model: nn.Module, learned: Any, watched: Any) -> float:
        """Train; the processor seconds."""
        start = time.process_time()
        history = fit(model, learned, watched, epochs=self.epochs, lr=self.lr, seed=self.seed)
        if history.interrupted:
            raise KeyboardInterrupt
        self.validated = max(history.validation_accuracy)
        return time.process_time() - start

    def text_batches(
        self, texts: list[list[str]], labels: list[int], vocabulary: Vocabulary, shuffle: bool
    ) -> Batches:
        data = TextDataset("texts", "", [" ".join(words) for words in texts], labels)
        return batches(
            data, vocabulary, self.batch_size, shuffle=shuffle, seed=self.seed, tokenizer=str.split
        )


def sst(name: str, seed: int) -> dict[str, Any]:
    run = Measurement(SST[name], name, seed)
    trees = {s: NOTEBOOK["load_trees"]("sst", s) for s in ("train", "validation", "test")}
    vocabulary = NOTEBOOK["make_vocabulary"](trees["train"], run.vectors)
    model = run.model(vocabulary, 5)
    if name in NOTEBOOK["ON_TREES"]:
        known = {
            s: [NOTEBOOK["with_ids"](tree, vocabulary) for tree in found]
            for s, found in trees.items()
        }
        phrases = name not in ON_SENTENCES
        learned = NOTEBOOK["TreeBatches"](known["train"], run.batch_size, phrases, seed)
        watched = NOTEBOOK["TreeBatches"](known["validation"], 100)
    else:
        learned_from = [
            node
            for tree in trees["train"]
            for node in ([tree] if name in ON_SENTENCES else nodes(tree))
        ]
        examples = {" ".join(NOTEBOOK["leaves"](node)): node[0] for node in learned_from}
        texts = [text.split() for text in examples]
        learned = run.text_batches(texts, list(examples.values()), vocabulary, shuffle=True)
        watched = NOTEBOOK["text_batches"]("sst", trees["validation"], vocabulary)
    seconds = run.fit(model, learned, watched)
    scores_of = "tree_scores" if name in NOTEBOOK["ON_TREES"] else "predict_scores_of"
    scores = NOTEBOOK[scores_of](model, trees["test"], vocabulary)
    labels = torch.tensor([tree[0] for tree in trees["test"]])
    P, polar = scores.softmax(dim=1), labels != 2
    positive = P[:, 3] + P[:, 4] > P[:, 0] + P[:, 1]
    return {
        "seed": seed,
        "validation": run.validated,
        "sst5": (scores.argmax(dim=1) == labels).float().mean().item(),
        "sst2": (positive == (labels > 2))[polar].float().mean().item(),
        "processor_seconds": seconds,
    }


def nodes(tree: tuple) -> list[tuple]:
    """All nodes of a tree, its root last, so that a sentence keeps its own label."""
    return [tree] if len(tree) == 2 else [*nodes(tree[1]), *nodes(tree[2]), tree]


def trec(name: str, seed: int) -> dict[str, Any]:
    run = Measurement(TREC[name], name, seed)
    splits = {}
    for split in ("train", "validation", "test"):
        data = load("trec", split)
        splits[split] = ([tokenize(text) for text in data.texts], data.labels)
    seen = Vocabulary.build(splits["train"][0], 1)
    others = {word for texts, _ in splits.values() for words in texts for word in words}
    more = sorted(word for word in others if word in run.vectors and word not in seen)
    vocabulary = Vocabulary([*seen.words[2:], *more])
    model = run.model(vocabulary, 6)
    model.embedding.weight.requires_grad_(True)  # film reviews hardly ask questions
    fed = {s: run.text_batches(*splits[s], vocabulary, shuffle=s == "train") for s in splits}
    seconds = run.fit(model, fed["train"], fed["validation"])
    found = predict(model, fed["test"]).argmax(dim=1) == torch.tensor(splits["test"][1])
    return {
        "seed": seed,
        "validation": run.validated,
        "accuracy": found.float().mean().item(),
        "processor_seconds": seconds,
    }


class PairScorer(nn.Module):
    """Relatedness from 1 to 5 as the mean of a softmax over these five (Tai et al. 2015)."""

    def __init__(self, classifier: nn.Module, hidden: int = 50) -> None:
        super().__init__()
        self.classifier = classifier
        self.layer = nn.Linear(4 * classifier.encoder.size, hidden)
        self.output = nn.Linear(hidden, 5)

    def forward(self, first: tuple[torch.Tensor, ...], second: tuple[torch.Tensor, ...]) -> Any:
        """The log-probabilities of the scores 1 to 5, (B, 5)."""
        u, v = self.classifier.encode(*first), self.classifier.encode(*second)
        hidden = torch.tanh(self.layer(NOTEBOOK["pair_features"](u, v)))
        return F.log_softmax(self.output(self.classifier.dropout(hidden)), dim=1)

    def scores(self, first: tuple[torch.Tensor, ...], second: tuple[torch.Tensor, ...]) -> Any:
        return self(first, second).exp() @ torch.arange(1.0, 6.0)


def sick(name: str, seed: int) -> dict[str, Any]:
    run = Measurement(SICK[name], name, seed)
    splits = {s: load("sick", s) for s in ("train", "validation", "test")}
    tokens = {s: [[tokenize(p.text1), tokenize(p.text2)] for p in splits[s]] for s in splits}
    seen = Vocabulary.build([words for pair in tokens["train"] for words in pair], 1)
    more = [word for word in run.vectors.words if word not in seen]
    vocabulary = Vocabulary([*seen.words[2:], *more])
    model = PairScorer(run.model(vocabulary, 5))
    gold = {s: torch.tensor([pair.score for pair in splits[s]]) for s in splits}
    start = time.process_time()
    best, validated = None, -1.0
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=run.lr)
    for _ in range(run.epochs):
        model.train()
        order = torch.randperm(len(tokens["train"]), generator=draw).tolist()
        for at in range(0, len(order), run.batch_size):
            chosen = order[at : at + run.batch_size]
            target = spread(gold["train"][chosen])
            found = model(*fed([tokens["train"][i] for i in chosen], vocabulary))
            optimizer.zero_grad()
            F.kl_div(found, target, reduction="batchmean").backward()
            optimizer.step()
        r = correlation(model, tokens["validation"], gold["validation"], vocabulary)
        if r > validated:
            best, validated = copy.deepcopy(model.state_dict()), r
    model.load_state_dict(best)
    return {
        "seed": seed,
        "validation": validated,
        "r": correlation(model, tokens["test"], gold["test"], vocabulary),
        "processor_seconds": time.process_time() - start,
    }


def spread(scores: torch.Tensor) -> torch.Tensor:
    """The distribution over 1 to 5 whose mean is the score, on its two neighbors (Tai et al.)."""
    distance = (scores[:, None] - torch.arange(1.0, 6.0)).abs()
    return (1 - distance).clamp(min=0)


def fed(pairs: list[list[list[str]]], vocabulary: Vocabulary) -> list[tuple[torch.Tensor, ...]]:
    return [pad_batch([vocabulary.encode(pair[k]) for pair in pairs]) for k in (0, 1)]


def correlation(
    model: PairScorer, pairs: list[list[list[str]]], gold: torch.Tensor, vocabulary: Vocabulary
) -> float:
    model.eval()
    with torch.no_grad():
        parts = [pairs[at : at + 100] for at in range(0, len(pairs), 100)]
        found = torch.cat([model.scores(*fed(part, vocabulary)) for part in parts])
    return NOTEBOOK["pearson_correlation"](found, gold)


def speed(repeats: int = 5) -> dict[str, Any]:
    """Forward and backward pass of a Tree-LSTM on 25 trees, one way and the other in turn."""
    trees = NOTEBOOK["load_trees"]("sst", "train")[:25]
    vocabulary = NOTEBOOK["make_vocabulary"](trees, load_vectors("imdb"))
    known = [NOTEBOOK["with_ids"](tree, vocabulary) for tree in trees]
    NOTEBOOK["set_seed"](0)
    model = NOTEBOOK["TreeClassifier"](len(vocabulary), 100, 100, 5)
    model.embedding.weight.requires_grad_(False)

    def by_height() -> torch.Tensor:
        words, left, right, height, _, roots = NOTEBOOK["number_nodes"](known)
        return model(words, left, right, height)[roots]

    def state(tree: tuple) -> tuple[torch.Tensor, torch.Tensor]:
        if len(tree) == 2:
            return model.cell.leaf(model.embedding.weight[tree[1]][None])
        return model.cell(state(tree[1]), state(tree[2]))

    def by_node() -> torch.Tensor:
        return model.output(torch.cat([state(tree)[0] for tree in known]))

    seconds: dict[str, list[float]] = {"node by node": [], "by height": []}
    found = {}
    for _ in range(repeats + 1):
        for name, run in (("node by node", by_node), ("by height", by_height)):
            start = time.process_time()
            found[name] = run()
            found[name].sum().backward()
            seconds[name].append(time.process_time() - start)
    times = {name: statistics.median(values[1:]) for name, values in seconds.items()}
    return {
        "trees": len(trees),
        "nodes": len(NOTEBOOK["number_nodes"](known).words),
        "seconds": times,
        "ratio": times["node by node"] / times["by height"],
        "largest_difference": (found["node by node"] - found["by height"]).abs().max().item(),
    }


TASKS = {"sst": (sst, SST), "trec": (trec, TREC), "sick": (sick, SICK)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    tasks = [*TASKS, "speed"]
    parser.add_argument("--tasks", nargs="+", default=tasks, choices=tasks)
    parser.add_argument("--models", nargs="+", help="names of models; by default all of a task")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for task in options.tasks:
        if task == "speed":
            store(NAME, {**results(NAME), "speed": speed()})
            continue
        measure, settings = TASKS[task]
        for seed in options.seeds:
            for name in options.models or settings:
                add(task, name, seed, measure)


def add(task: str, name: str, seed: int, measure: Any) -> None:
    """Measure one run, unless it is in the results, and write it with the means of its model."""
    runs = results(NAME).get(task, {}).get(name, {}).get("runs", [])
    if any(run["seed"] == seed for run in runs):
        return
    run = measure(name, seed)
    print(task, name, run, flush=True)
    found = results(NAME)  # another process may have written in the meantime
    runs = sorted(
        [*found.get(task, {}).get(name, {}).get("runs", []), run], key=lambda r: r["seed"]
    )
    means = {key: statistics.mean(r[key] for r in runs) for key in run if key != "seed"}
    found.setdefault(task, {})[name] = {**means, "runs": runs}
    store(NAME, found)


if __name__ == "__main__":
    main()
