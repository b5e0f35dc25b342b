"""Trains the networks of assignments 03 to 06 and 08 as their solution notebooks train them."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import torch

from autograder.course.reference import Solution
from coursekit import Vocabulary, batches, fit, load, load_vectors, tokenize
from coursekit.data import TextDataset
from coursekit.text import Batches

SOLUTIONS = Path(__file__).parent.parent / "solutions"
#: The encoder that was distilled from a larger one, fine-tuned.
DISTILLED = "encoder, distilled"
#: The network of 03 that starts from vectors of real text, whatever it learns from.
IMDB_VECTORS = "DAN, vectors of IMDb"
NOTEBOOKS = {
    "mean of random vectors": "04_attention",
    "CBOW classifier": "03_deep_averaging",
    "DAN, random vectors": "03_deep_averaging",
    "DAN, vectors of 02": "03_deep_averaging",
    IMDB_VECTORS: "03_deep_averaging",
    "attention": "04_attention",
    "keys and values": "04_attention",
    "3 heads": "04_attention",
    "hierarchical attention": "04_attention",
    "self-attention pooling": "08_sentence_encoders",
    "structured self-attention": "08_sentence_encoders",
    "RNN": "08_sentence_encoders",
    "BiLSTM": "08_sentence_encoders",
    "TextCNN": "08_sentence_encoders",
    "transformer from scratch": "05_transformer_block",
    "encoder, random weights": "06_bert",
    "encoder, frozen": "06_bert",
    "encoder, fine-tuned": "06_bert",
    DISTILLED: "06_bert",
}
#: The classes of 04 other than its AttentionClassifier, with their sizes.
KINDS: dict[str, tuple[str, dict[str, int]]] = {
    "keys and values": ("KeyValueClassifier", {}),
    "3 heads": ("MultiHeadClassifier", {"n_heads": 3}),
    "hierarchical attention": ("HierarchicalAttention", {}),
}
JUDGED_ON = {"reviews": "test", "sst2": "validation", "imdb": "test"}
STEPS = 250


class Trained(NamedTuple):
    """A trained network, its input pipeline, its sizes, and the training time in seconds."""

    model: torch.nn.Module
    fed: Callable[[TextDataset], Batches]
    words: int
    parameters: int
    trained_parameters: int
    seconds: float
    processor_seconds: float


@functools.cache
def definitions(assignment: str) -> dict[str, Any]:
    """What the solution notebook of an assignment defines; its settings are shared by all runs."""
    return Solution(SOLUTIONS / assignment / f"{assignment}.ipynb").definitions


@functools.lru_cache(maxsize=4)
def texts_of(data: str, split: str) -> TextDataset:
    return load(data, split)


def learned_from(data: str, size: int | None, seed: int) -> TextDataset:
    """The training texts: all, or a balanced sample of `size` texts that depends on the seed."""
    everything = texts_of(data, "train")
    return everything if size is None else everything.subset(size, seed)


def fewer(count: int, data: str, learned: TextDataset) -> int:
    """The minimum count of a word in these texts, scaled down from `count` in all texts."""
    return max(1, count * len(learned) // len(texts_of(data, "train")))


def train(which: str, data: str, seed: int, size: int | None = None) -> Trained:
    """Train one network with the functions and settings of its notebook.

    With only `size` labels, the number of epochs is raised to reach `STEPS` steps, the minimum word
    count is scaled down (`fewer`), and there is no validation set.

    Raises
    ------
    KeyboardInterrupt
        Also if `fit` was interrupted, which does not raise the exception itself.
    """
    notebook = definitions(NOTEBOOKS[which])
    learned, watched = learned_from(data, size, seed), None
    if "SPLITS" in notebook and size is None:
        learned, watched, _ = notebook["load_splits"](data)
    with _settings(notebook, data, learned):
        make = {"06_bert": _encoder, "08_sentence_encoders": _sentence_encoder}.get(
            NOTEBOOKS[which], _network
        )
        model, fed, words = make(notebook, which, data, seed, learned)
        fed_to = [fed(learned, shuffle=True)]
        if watched is not None:
            fed_to.append(fed(watched))
        start = time.perf_counter(), time.process_time()
        if make is _sentence_encoder:
            settings = notebook["SETTINGS"][data]
            history = fit(model, *fed_to, epochs=settings["epochs"], lr=settings["lr"], seed=seed)
        else:
            history = notebook["train_model"](data, model, *fed_to, seed=seed)
        seconds = time.perf_counter() - start[0], time.process_time() - start[1]
    if history.interrupted:
        raise KeyboardInterrupt
    parameters = sum(p.numel() for p in model.parameters())
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return Trained(model, fed, words, parameters, trained, *seconds)


@contextmanager
def _settings(notebook: dict[str, Any], data: str, learned: TextDataset) -> Iterator[None]:
    """Adapts the notebook's settings to few labels within the block."""
    everything = notebook["SETTINGS"]
    # 08 knows SST-2 and IMDb by the Treebank only: its settings are for real reviews
    settings = dict(everything[data] if data in everything else everything["sst"])
    if len(learned) < len(texts_of(data, "train")):
        per_epoch = -(-len(learned) // settings["batch_size"])
        for name in settings:
            if name.endswith("epochs"):
                settings[name] = max(settings[name], -(-STEPS // per_epoch))
        if "min_count" in settings:
            settings["min_count"] = fewer(settings["min_count"], data, learned)
    notebook["SETTINGS"] = {**everything, data: settings}
    try:
        yield
    finally:
        notebook["SETTINGS"] = everything


def _network(
    notebook: dict[str, Any], which: str, data: str, seed: int, learned: TextDataset
) -> tuple[torch.nn.Module, Callable[..., Batches], int]:
    more: tuple[Any, ...] = ()
    if which in ("DAN, vectors of 02", IMDB_VECTORS):
        vectors = load_vectors("imdb" if which == IMDB_VECTORS else notebook["VECTORS"][data])
        more = (vectors.words,)
    vocabulary = notebook["make_vocabulary"](data, learned, *more)

    make_batches = "make_sentence_batches" if which == "hierarchical attention" else "make_batches"

    def fed(texts: TextDataset, shuffle: bool = False) -> Batches:
        return notebook[make_batches](data, texts, vocabulary, shuffle=shuffle)

    if which == "CBOW classifier":
        sizes = notebook["SETTINGS"][data]
        model = notebook["CBOWClassifier"](len(vocabulary), sizes["dim"])
        notebook["initialize"](model, seed)
        notebook["init_embeddings"](model)
    elif which in KINDS:
        kind, other_sizes = KINDS[which]
        model = notebook["make_model"](data, vocabulary, seed, notebook[kind], **other_sizes)
    else:
        model = notebook["make_model"](data, vocabulary, seed)
    if more:
        notebook["initialize_from"](model, vocabulary, vectors, seed)
    if which == "mean of random vectors":  # attention with its vector v frozen at zero
        model.v.requires_grad_(False)
    return model, fed, len(vocabulary)


def _encoder(
    notebook: dict[str, Any], which: str, data: str, seed: int, learned: TextDataset
) -> tuple[torch.nn.Module, Callable[..., Batches], int]:
    name = "imdb-distilled" if which == DISTILLED else notebook["MODEL"]
    pretrained = notebook["load_pretrained"](name)

    def fed(texts: TextDataset, shuffle: bool = False) -> Batches:
        return notebook["make_batches"](data, texts, pretrained, shuffle=shuffle, seed=seed)

    kind = which.removeprefix("encoder, ")
    model = notebook["make_model"](
        data, pretrained, seed, frozen=kind == "frozen", scratch=kind == "random weights"
    )
    return model, fed, len(pretrained.tokens)


class _Logit(torch.nn.Module):
    """A classifier of two classes as a model of one logit: the difference of their scores."""

    def __init__(self, classifier: torch.nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The logits of the class 1, (B,)."""
        scores = self.classifier(ids, mask)
        return scores[:, 1] - scores[:, 0]


def _sentence_encoder(
    notebook: dict[str, Any], which: str, data: str, seed: int, learned: TextDataset
) -> tuple[torch.nn.Module, Callable[..., Batches], int]:
    vectors = load_vectors("imdb")
    seen = Vocabulary.build([tokenize(text) for text in learned.texts], 1)
    others = (word for word in vectors.words if word not in seen)
    vocabulary = Vocabulary([*seen.words[2:], *others])
    with patch.dict(notebook["CLASSES"], {data: 2}):
        model = _Logit(notebook["make_model"](data, which, vocabulary, vectors, seed))
    size = notebook["SETTINGS"][data]["batch_size"]

    def fed(texts: TextDataset, shuffle: bool = False) -> Batches:
        return batches(texts, vocabulary, size, shuffle=shuffle, seed=seed)

    return model, fed, len(vocabulary)
