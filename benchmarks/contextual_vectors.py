"""Measures what is in the contextual vectors of assignment 10, on real text.

The code is that of the solution notebook. Tasks:

- tags: a linear probe for the universal parts of speech on each layer, with its control task, on the
  English Web Treebank; training on the first 4,000 of its 12,544 training sentences. The mixes learn
  a softmax over the layers of a model along with the probe.
- senses: ten pairs of words, each pair made one pseudoword (Schütze 1992), in reviews of IMDb's test
  set; the word is hidden from the encoder, and a probe is to tell from its vector which one it was.
  Half of the reviews of each word train the probe, a fifth stops it, and the rest tests it.
- tagger: a BiLSTM tagger with 300, 1,500 and all 12,544 training sentences, alone and with frozen
  layers. The epoch is chosen on validation sentences.

The settings are those of the notebook, and none was searched; the epoch is chosen on validation data,
and the test data are used once per seed.
Each finished run is written to `data/results/contextual_vectors.json` and not repeated, so that an
interrupted command resumes.

    python benchmarks/contextual_vectors.py --tasks tags senses tagger
"""

from __future__ import annotations

import argparse
import copy
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from _results import results, store

from autograder.course.reference import Solution
from coursekit import Vocabulary, load, load_vectors, set_seed

NOTEBOOK = Solution(
    Path(__file__).parent.parent / "solutions/10_contextual_vectors/10_contextual_vectors.ipynb"
).definitions
NAME = "contextual_vectors"
PAIRS = (
    *(("king", "car"), ("music", "money"), ("horse", "train"), ("doctor", "song")),
    *(("dog", "book"), ("camera", "brother"), ("war", "food"), ("church", "computer")),
    *(("game", "baby"), ("city", "teacher")),
)
CONTEXTS, REACH = 250, 20  # contexts of each word at most, and words to each side
N_PROBED = 4_000  # training sentences of the probes
PROBE = {"lr": 0.1, "batch_size": 1024, "max_epochs": 8, "patience": 1}
SENSE_PROBE = {"lr": 0.01, "batch_size": 32, "max_epochs": 20, "patience": 2}
TAGGER = {300: (10, 16), 1500: (6, 16), 12544: (3, 32)}  # epochs at most, batch size
_WORD = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\.\.\.|--|\w+(?:[-.,]\w+)*|[^\w\s]")


def prepare() -> None:
    """Give the notebook's functions what its cells would have made before them."""
    torch.set_num_threads(1)
    NOTEBOOK["DATA"] = "english-ewt"
    NOTEBOOK["vectors"] = load_vectors("imdb")
    NOTEBOOK["bilm"] = NOTEBOOK["Reader"]()


def add(task: str, name: str, seed: int, value: float) -> None:
    """Write the result of one run."""
    found = results(NAME)
    runs = found.setdefault(task, {}).setdefault(name, {"runs": []})["runs"]
    runs.append(value)
    print(task, name, seed, f"{value:.4f}", flush=True)
    store(NAME, found)


def done(task: str, name: str) -> int:
    """How many seeds have been run."""
    return len(results(NAME).get(task, {}).get(name, {}).get("runs", []))


def encoders() -> Iterator[tuple[str, Any]]:
    """The models that give contextual vectors, one after another."""
    yield "biLM", NOTEBOOK["bilm"]
    yield "BERT", NOTEBOOK["Bert"]()
    yield "CoVe", NOTEBOOK["Translator"]()


# --- parts of speech


def fit_mix(
    layers: list[torch.Tensor], labels: list[torch.Tensor], n_classes: int, seed: int
) -> float:
    """The test accuracy of a probe on a learned mix of layers; lists of training, validation, test."""
    set_seed(seed)
    mix = NOTEBOOK["ScalarMix"](len(layers[0]))
    output = torch.nn.Linear(layers[0].shape[-1], n_classes)
    parameters = [*mix.parameters(), *output.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=5e-3)

    def scores(part: torch.Tensor) -> torch.Tensor:
        mask = torch.ones(1, part.shape[1], dtype=torch.bool)
        found: torch.Tensor = output(mix(part.unsqueeze(1), mask)[0])
        return found

    best, lowest = 0.0, float("inf")
    for _ in range(6):
        for rows in torch.randperm(layers[0].shape[1]).split(512):
            optimizer.zero_grad()
            F.cross_entropy(scores(layers[0][:, rows]), labels[0][rows]).backward()
            optimizer.step()
        with torch.no_grad():
            loss = F.cross_entropy(scores(layers[1]), labels[1]).item()
            if loss >= lowest:
                break
            lowest = loss
            best = (scores(layers[2]).argmax(dim=1) == labels[2]).float().mean().item()
    return best


def probe(
    parts: list[torch.Tensor], labels: list[torch.Tensor], n: int, seed: int, settings: Any
) -> float:
    """The test accuracy of the notebook's probe; parts are standardized."""
    X, X_validation, X_test = NOTEBOOK["standardize"](*parts)
    draw = torch.Generator().manual_seed(seed)
    W, b = NOTEBOOK["fit_probe"](X, labels[0], X_validation, labels[1], n, draw, **settings)
    return ((X_test @ W.T + b).argmax(dim=1) == labels[2]).float().mean().item()


def tags(seeds: list[int]) -> None:
    """Probes for parts of speech, and their control tasks."""
    parts = [NOTEBOOK["load_sentences"](split) for split in ("train", "validation", "test")]
    parts[0] = parts[0][:N_PROBED]
    names = sorted({tag for sentence in parts[0] for tag in sentence.tags})
    words, labels = zip(*(NOTEBOOK["probe_data"](part, names) for part in parts), strict=True)
    most_frequent_tag(words, labels)
    types = {word: n for n, word in enumerate(sorted({w for part in words for w in part}))}
    numbers = [torch.tensor([types[word] for word in part]) for part in words]
    sizes = [len(part) for part in labels]
    texts = [[sentence.words for sentence in part] for part in parts]

    def measure(name: str, X: list[torch.Tensor]) -> None:
        for seed in seeds[done("tags", name) :]:
            add("tags", name, seed, probe(X, list(labels), len(names), seed, PROBE))
        for seed in seeds[done("control", name) :]:
            draw = torch.Generator().manual_seed(1000 + seed)
            control = NOTEBOOK["control_labels"](torch.cat(numbers), torch.cat(labels), draw)
            found = probe(X, list(control.split(sizes)), len(names), seed, PROBE)
            add("control", name, seed, found)

    static = [
        torch.cat([NOTEBOOK["static_vectors"](sentence) for sentence in part]) for part in texts
    ]
    measure("word vectors", static)
    for name, encoder in encoders():
        layers = [torch.cat(encoder.layers(part), dim=1) for part in texts]
        for number in range(len(layers[0])):
            column = name if len(layers[0]) == 1 else f"{name} {number}"
            measure(column, [part[number] for part in layers])
        if len(layers[0]) > 1:
            for seed in seeds[done("tags", f"{name} mix") :]:
                add("tags", f"{name} mix", seed, fit_mix(layers, list(labels), len(names), seed))


def most_frequent_tag(words: Any, labels: Any) -> None:
    """Write the accuracy of the word's most frequent tag, or of the most frequent one if unseen."""
    by_word: dict[str, Counter[int]] = {}
    for word, tag in zip(words[0], labels[0].tolist(), strict=True):
        by_word.setdefault(word, Counter())[tag] += 1
    usual = Counter(labels[0].tolist()).most_common(1)[0][0]
    guesses = [by_word[w].most_common(1)[0][0] if w in by_word else usual for w in words[2]]
    found = results(NAME)
    right = (torch.tensor(guesses) == labels[2]).float().mean().item()
    found.setdefault("most_frequent", {})["tag"] = right
    store(NAME, found)


# --- senses


def contexts() -> dict[str, list[tuple[list[str], int]]]:
    """For each word windows with their positions, at most one from each of IMDb's test reviews."""
    wanted = {word for pair in PAIRS for word in pair}
    found: dict[str, list[tuple[list[str], int]]] = {word: [] for word in wanted}
    for text in load("imdb", "test").texts:
        text = re.sub(r"<br\s*/?>", " ", text).translate({0x2019: "'", 0x2018: "'"})
        words, seen = _WORD.findall(text), set()
        for at, word in enumerate(words):
            if word in wanted and word not in seen and len(found[word]) < CONTEXTS:
                seen.add(word)
                start = max(0, at - REACH)
                found[word].append((words[start : at + REACH + 1], at - start))
    return found


def hidden(name: str, rows: list[tuple[list[str], int]]) -> list[list[str]]:
    """The windows with the word hidden: as [MASK] for BERT, as an unknown string for the others."""
    gap = "[MASK]" if name == "BERT" else "Xqzx"
    return [[*words[:at], gap, *words[at + 1 :]] for words, at in rows]


def sense_vectors(
    pair: tuple[str, str], found: Any
) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """The vectors of all contexts of a pair, by representation, and which word each hides."""
    rows = [row for word in pair for row in found[word]]
    labels = torch.tensor([n for n, word in enumerate(pair) for _ in found[word]])
    at = torch.tensor([position for _, position in rows])
    X = [NOTEBOOK["static_vectors"](words) for words in hidden("", rows)]
    mask = torch.arange(max(map(len, X))) < torch.tensor([len(part) for part in X]).unsqueeze(1)
    padded = torch.nn.utils.rnn.pad_sequence(X, True)
    vectors = {"mean of the context": NOTEBOOK["context_vectors"](padded, mask, at, REACH)}
    for name, encoder in encoders():
        layers = encoder.layers(hidden(name, rows))
        for number in range(len(layers[0])):
            column = name if len(layers[0]) == 1 else f"{name} {number}"
            vectors[column] = torch.stack(
                [part[number, position] for part, (_, position) in zip(layers, rows, strict=True)]
            )
        if name == "biLM":
            states = torch.nn.utils.rnn.pad_sequence([part[-1] for part in layers], True)
            around = NOTEBOOK["context_states"](*states.chunk(2, dim=-1), mask)
            vectors["biLM before, after"] = around[torch.arange(len(rows)), at]
    return vectors, labels


def senses(seeds: list[int]) -> None:
    """Probes for the hidden word of each pair; the mean over the pairs is one run."""
    found = contexts()
    counted = [sorted(len(found[word]) for word in pair) for pair in PAIRS]
    stored = results(NAME)
    usual = sum(high / (low + high) for low, high in counted) / len(PAIRS)
    stored.setdefault("most_frequent", {})["sense"] = usual
    stored["contexts"] = {word: len(rows) for word, rows in sorted(found.items())}
    store(NAME, stored)
    right: dict[tuple[str, int], list[float]] = {}
    for pair in PAIRS:
        vectors, labels = sense_vectors(pair, found)
        for seed in seeds:
            order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
            n = len(order)
            split = order.split([n // 2, n // 5, n - n // 2 - n // 5])
            for name, X in vectors.items():
                parts, ys = [X[rows] for rows in split], [labels[rows] for rows in split]
                right.setdefault((name, seed), []).append(probe(parts, ys, 2, seed, SENSE_PROBE))
    for (name, seed), values in right.items():
        if seed in seeds[done("senses", name) :]:
            add("senses", name, seed, sum(values) / len(values))


# --- the tagger


def tagger(seeds: list[int], sizes: list[int]) -> None:
    """Taggers with few and many sentences, alone and with frozen layers."""
    parts = {split: NOTEBOOK["load_sentences"](split) for split in ("train", "validation", "test")}
    parts["validation"] = parts["validation"][:200]
    NOTEBOOK["tag_names"] = sorted({tag for sentence in parts["train"] for tag in sentence.tags})
    for name in ("alone", "biLM", "BERT"):
        need = [n for n in sizes if len(runs_of(n, name)) < len(seeds)]
        if not need:
            continue
        layers = {}
        for split, sentences in parts.items():
            some = sentences[: max(need)] if split == "train" else sentences
            texts = [sentence.words for sentence in some]
            if name in ("biLM", "BERT"):
                encoder = NOTEBOOK["bilm"] if name == "biLM" else NOTEBOOK["Bert"]()
                layers[split] = encoder.layers(texts)
            else:
                layers[split] = [NOTEBOOK["static_vectors"](words)[None] for words in texts]
        for n in need:
            for seed in seeds[len(runs_of(n, name)) :]:
                value = run_tagger(parts, layers, n, name != "alone", seed)
                found = results(NAME)
                row = found.setdefault("tagger", {}).setdefault(str(n), {})
                row.setdefault(name, {"runs": []})["runs"].append(value)
                print("tagger", n, name, seed, f"{value:.4f}", flush=True)
                store(NAME, found)


def runs_of(n: int, name: str) -> list[float]:
    """The runs of a tagger so far."""
    runs: list[float] = (
        results(NAME).get("tagger", {}).get(str(n), {}).get(name, {}).get("runs", [])
    )
    return runs


def run_tagger(parts: Any, layers: Any, n: int, with_layers: bool, seed: int) -> float:
    """The test accuracy at the best validation epoch."""
    epochs, size = TAGGER[n]
    sentences, given = parts["train"][:n], layers["train"][:n]
    lowered = [[word.lower() for word in sentence.words] for sentence in sentences]
    vocabulary = Vocabulary.build(lowered, 1)
    set_seed(seed)
    n_layers, _, layer_dim = given[0].shape
    shape = (n_layers if with_layers else 0, layer_dim, 64, len(NOTEBOOK["tag_names"]))
    model = NOTEBOOK["ContextualTagger"](len(vocabulary), 50, *shape, dropout=0.3)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    best, kept, waited = 0.0, copy.deepcopy(model.state_dict()), 0
    for _ in range(epochs):
        model.train()
        order = torch.randperm(n).tolist()
        for ids, H, mask, y in NOTEBOOK["tag_batches"](sentences, given, vocabulary, size, order):
            optimizer.zero_grad()
            F.cross_entropy(model(ids, H, mask).flatten(0, 1), y.flatten()).backward()
            optimizer.step()
        model.eval()
        accuracy = NOTEBOOK["tagging_accuracy"](
            model, vocabulary, parts["validation"], layers["validation"]
        )
        waited += 1
        if accuracy > best:
            best, kept, waited = accuracy, copy.deepcopy(model.state_dict()), 0
        if waited == 3:
            break
    model.load_state_dict(kept)
    value: float = NOTEBOOK["tagging_accuracy"](model, vocabulary, parts["test"], layers["test"])
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    tasks = ("tags", "senses", "tagger")
    parser.add_argument("--tasks", nargs="+", default=tasks, choices=tasks)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(TAGGER), choices=list(TAGGER))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    options = parser.parse_args()
    prepare()
    for task in options.tasks:
        if task == "tagger":
            tagger(options.seeds, options.sizes)
        else:
            {"tags": tags, "senses": senses}[task](options.seeds)


if __name__ == "__main__":
    main()
