"""Trains the translators of assignment 09 on real sentence pairs and scores them.

With and without attention, on three data sets: `ja-en` is small_parallel_enja; `en-fr` is the part
of Tatoeba with at most 10 tokens on each side, all among the most frequent words; `en-fr-long` is all
of Tatoeba up to 30 tokens, for the scores by length. The last epoch counts, the learning rate falls
to zero; nothing is chosen on the test sentences. Shipped weights are written to
`data/pretrained/translators/` in half precision, scores to `data/results/translation.json`. Training
resumes after an interruption. ja-en and en-fr-long take about 25 minutes of processor time per model,
en-fr about eight.

`bilingual` trains the notebook's own models on its own sentences, for its 600 steps and for four
times as many, and keeps only scores (about seven minutes of processor time).

    python benchmarks/translation.py            # or: bilingual ja-en-attention ja-en-plain ...
"""

from __future__ import annotations

import argparse
import random
import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from _pairs import with_cells
from _results import results, store
from safetensors.torch import save_file
from torch import nn

from autograder.course.reference import Solution
from coursekit import Vocabulary, load
from coursekit.data import Bitext
from coursekit.data.paths import cache_folder

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/09_translation/09_translation.ipynb"


class Settings(NamedTuple):
    """How the models of a data set are made and trained.

    Attributes
    ----------
    words : sizes of the source and of the target vocabulary.
    d_e, d : dimensions of a word embedding and of a state.
    dropout : on the word vectors of encoder and decoder in training.
    longest : tokens of the longest sentences, on each side.
    edges : of the buckets of source lengths.
    """

    words: tuple[int, int]
    d_e: int
    d: int
    epochs: int
    dropout: float
    longest: int
    edges: tuple[int, ...] = (1, 5, 9, 13, 17)


SETTINGS = {
    "ja-en": Settings((4000, 4000), 128, 192, 14, 0.2, 16),
    "en-fr": Settings((1000, 1400), 96, 160, 8, 0.0, 10),
    "en-fr-long": Settings((3000, 4000), 128, 192, 6, 0.1, 30, (1, 6, 11, 16, 21, 31)),
}
BATCH, PEAK, LONGEST = 64, 2e-3, 40
#: Share of the words that are replaced by the unknown word in what encoder and decoder read.
DROPPED = 0.1
#: Training steps of the comparison on the notebook's own sentences.
STEPS = (600, 2400)
SHIPPED = ("en-fr-attention", "en-fr-plain", "ja-en-attention")
MODELS = ["bilingual", *SHIPPED, "ja-en-plain", "en-fr-long-attention", "en-fr-long-plain"]
SPLITS = ("train", "validation", "test")
#: Marks at the start and the end of a target sentence, and their ids.
MARKS, BOS, EOS = ["<s>", "</s>"], 2, 3

Pairs = list[tuple[list[str], list[str]]]
_TOKEN = re.compile(r"aujourd'hui|\w+'|[\w-]+|[^\w\s]")


class Data(NamedTuple):
    """The splits of a data set as tokens, and the vocabularies of the training part."""

    splits: dict[str, Pairs]
    source: Vocabulary
    target: Vocabulary


def tokens(sentence: str, language: str) -> list[str]:
    """The tokens of a raw sentence; in French an apostrophe ends a token (l' arbre)."""
    sentence = sentence.lower().replace("’", "'").replace("\u202f", " ")
    return _TOKEN.findall(sentence if language == "fr" else sentence.replace("'", " ' "))


def settings_of(model: str) -> Settings:
    """The settings of a model, such as `ja-en-plain`."""
    return SETTINGS[model.rpartition("-")[0]]


def prepare(name: str) -> Data:
    """Load and tokenize a data set, and number its words."""
    settings = SETTINGS[name]
    if name == "ja-en":
        found = {split: load("small-parallel-enja", split) for split in SPLITS}
        pairs = {s: [(a.split(), b.split()) for a, b, _ in bitext] for s, bitext in found.items()}
    else:
        found = {split: load("tatoeba-fra-eng", split) for split in SPLITS}
        pairs = {split: _tatoeba(bitext, settings.longest) for split, bitext in found.items()}
    source, target = (
        _vocabulary([pair[side] for pair in pairs["train"]], size)
        for side, size in enumerate(settings.words)
    )
    if name == "en-fr":
        known = set(source.words), set(target.words)
        pairs = {
            s: [p for p in rows if all(set(p[i]) <= known[i] for i in (0, 1))]
            for s, rows in pairs.items()
        }
    if name != "ja-en":
        pairs["test"], pairs["validation"] = _once(pairs["test"]), _once(pairs["validation"])
    return Data(pairs, source, target)


def _tatoeba(bitext: Bitext, longest: int) -> Pairs:
    pairs = [(tokens(english, "en"), tokens(french, "fr")) for english, french, _ in bitext]
    return [pair for pair in pairs if max(map(len, pair)) <= longest]


def _once(pairs: Pairs) -> Pairs:
    """One pair for each source sentence: a test sentence with ten translations counts once."""
    first: dict[str, tuple[list[str], list[str]]] = {}
    for pair in pairs:
        first.setdefault(" ".join(pair[0]), pair)
    return list(first.values())


def _vocabulary(sentences: list[list[str]], size: int) -> Vocabulary:
    found = Vocabulary.build(sentences, max_size=size - len(MARKS))
    return Vocabulary([*MARKS, *found.words[2:]])


def make(name: str, data: Data) -> nn.ModuleDict:
    """The encoder and the decoder, with the notebook's classes."""
    notebook = Solution(NOTEBOOK).definitions
    d_e, d = settings_of(name).d_e, settings_of(name).d
    if name.endswith("plain"):
        decoder = notebook["TranslationDecoder"](len(data.target), d_e, d)
    else:
        attention = notebook["LuongAttention"](d, 2 * d, "general")
        decoder = notebook["AttentionDecoder"](len(data.target), d_e, d, attention)
    encoder = notebook["TranslationEncoder"](len(data.source), d_e, d)
    return nn.ModuleDict({"encoder": encoder, "decoder": decoder})


def order(pairs: Pairs, seed: int) -> Iterator[list[int]]:
    """Shuffled batches of pairs whose sources have about the same length."""
    draw = random.Random(seed)
    shuffled = list(range(len(pairs)))
    draw.shuffle(shuffled)
    batches = []
    for start in range(0, len(pairs), 50 * BATCH):
        pool = sorted(shuffled[start : start + 50 * BATCH], key=lambda i: len(pairs[i][0]))
        batches += [pool[i : i + BATCH] for i in range(0, len(pool), BATCH)]
    draw.shuffle(batches)
    yield from batches


def without_some_words(ids: torch.Tensor) -> torch.Tensor:
    """Some of the ids, (B, L), replaced by the unknown word; special tokens stay."""
    dropped = (torch.rand(ids.shape) < DROPPED) & (ids > EOS)
    return ids.masked_fill(dropped, 1)


def drop_out(embedding: nn.Embedding, p: float) -> None:
    """Let an embedding drop components of its vectors while it is trained."""
    embedding.register_forward_hook(
        lambda module, _, vectors: nn.functional.dropout(vectors, p, module.training)
    )


def train(name: str, data: Data) -> tuple[nn.ModuleDict, float]:
    """Train a model, or go on where it was interrupted; return it and its processor seconds."""
    notebook = Solution(NOTEBOOK).definitions
    torch.manual_seed(0)
    model = make(name, data)
    for half in model.values():
        drop_out(half.embedding, settings_of(name).dropout)
    pairs, epochs = data.splits["train"], settings_of(name).epochs
    ids = [(data.source.encode(s), data.target.encode(t)) for s, t in pairs]
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK)
    steps = epochs * -(-len(pairs) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    saved = cache_folder() / "training" / f"{name}.pt"
    done, seconds = 0, 0.0
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        done, seconds = state["epoch"], state["seconds"]
    for epoch in range(done, epochs):
        start, losses = time.process_time(), []
        for chosen in order(pairs, epoch):
            sources, targets = zip(*(ids[i] for i in chosen), strict=True)
            source, mask, y_in, y_out = notebook["translation_batch"](sources, targets, BOS, EOS)
            H, s = model["encoder"](without_some_words(source), mask)
            more = () if name.endswith("plain") else (H, mask)
            logits = model["decoder"](without_some_words(y_in), s, *more)[0]
            loss = notebook["translation_loss"](logits, y_out)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        seconds += time.process_time() - start
        saved.parent.mkdir(parents=True, exist_ok=True)
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
                "epoch": epoch + 1,
                "seconds": seconds,
            },
            saved,
        )
        found = translate(name, model, data, "validation")
        score = bleu(found, data.splits["validation"])
        mean = sum(losses) / len(losses)
        print(
            f"{name} epoch {epoch + 1}: loss {mean:.3f}, {seconds:.0f} s, BLEU {score:.1f}",
            flush=True,
        )
    return model, seconds


def translate(name: str, model: nn.ModuleDict, data: Data, split: str) -> list[list[str]]:
    """The greedy translations of a split, in order."""
    notebook = Solution(NOTEBOOK).definitions
    pairs = data.splits[split]
    model.eval()
    found: list[list[str]] = []
    for start in range(0, len(pairs), 100):
        sources = [data.source.encode(s) for s, _ in pairs[start : start + 100]]
        source, mask, _, _ = notebook["translation_batch"](sources, [[]] * len(sources), BOS, EOS)
        with torch.no_grad():
            H, s = model["encoder"](source, mask)
            more = () if name.endswith("plain") else (H, mask)
            step = lambda y, s: model["decoder"](y, s, *more)[:2]  # noqa: B023, E731
            for ids in notebook["greedy_decode"](step, s, BOS, EOS, LONGEST):
                found.append([data.target.words[i] for i in ids])
    model.train()
    return found


def bleu(found: list[list[str]], pairs: Pairs) -> float:
    return Solution(NOTEBOOK).definitions["corpus_bleu"](found, [[target] for _, target in pairs])


def keep(name: str, model: nn.Module, lists: dict[str, list[str]]) -> None:
    """Write the weights in half precision, with lists of lines as metadata, and round the model's."""
    folder = ROOT / "data" / "pretrained" / "translators"
    halves = {key: value.half().contiguous() for key, value in model.state_dict().items()}
    metadata = {key: "\n".join(lines) for key, lines in lists.items()}
    save_file(halves, folder / f"{name}.safetensors", metadata=metadata)
    model.load_state_dict({key: value.float() for key, value in halves.items()})


def measure(name: str, data: Data) -> dict[str, Any]:
    """Train a model, keep its weights in half precision if they ship, and score what was kept."""
    model, seconds = train(name, data)
    if name in SHIPPED:
        keep(name, model, {"source": data.source.words[2:], "target": data.target.words[2:]})
    scores: dict[str, Any] = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "processor_seconds": seconds,
        "epochs": settings_of(name).epochs,
        "pairs": {split: len(pairs) for split, pairs in data.splits.items()},
        "words": [len(data.source), len(data.target)],
    }
    for split in ("validation", "test"):
        pairs = data.splits[split]
        found = translate(name, model, data, split)
        scores[split] = bleu(found, pairs)
        by_length = Solution(NOTEBOOK).definitions["bleu_by_length"]
        lengths = [len(source) for source, _ in pairs]
        references = [[target] for _, target in pairs]
        edges = settings_of(name).edges
        counts = Counter(bisect_right(edges, length) - 1 for length in lengths)
        scores[f"{split}_by_length"] = by_length(found, references, lengths, list(edges))
        scores[f"{split}_lengths"] = [counts[k] for k in range(len(edges) - 1)]
    return scores


def bilingual() -> dict[str, Any]:
    """BLEU of the notebook's two models after few and after many steps, in all and by length."""
    notebook = with_cells(NOTEBOOK, "DATA =", "BOS, EOS")
    test, edges = notebook["short"]["test"], notebook["EDGES"]
    lengths, references = [len(s.split()) for s in test.sources], notebook["references"](test)
    buckets = Counter(bisect_right(edges, length) - 1 for length in lengths)
    scores: dict[str, Any] = {"sentences": [buckets[k] for k in range(len(edges))], "steps": {}}
    for steps, attention in product(STEPS, (False, True)):
        model = _notebook_model(notebook, attention)
        start = time.process_time()
        losses = notebook["train_translator"](model, notebook["short"]["train"], steps)
        seconds = time.process_time() - start
        found = notebook["translations"](model, test)
        row = {
            "bleu": bleu(found, [(s.split(), t.split()) for s, t, _ in test]),
            "by_length": notebook["bleu_by_length"](found, references, lengths, edges),
            "loss": fmean(losses[-20:]),
            "processor_seconds": seconds,
        }
        name = "with attention" if attention else "without attention"
        scores["steps"].setdefault(str(steps), {})[name] = row
        print(steps, name, row, flush=True)
    return scores


def _notebook_model(notebook: dict[str, Any], attention: bool) -> nn.Module:
    d_e, d, n_words = notebook["D_E"], notebook["D"], len(notebook["french"])
    encoder = notebook["TranslationEncoder"](len(notebook["english"]), d_e, d)
    if attention:
        general = notebook["LuongAttention"](d, 2 * d, "general")
        decoder = notebook["AttentionDecoder"](n_words, d_e, d, general)
    else:
        decoder = notebook["TranslationDecoder"](n_words, d_e, d)
    model: nn.Module = notebook["Translator"](encoder, decoder)
    notebook["initialize"](model, 0)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS, help=" ".join(MODELS))
    chosen = parser.parse_args().models
    torch.set_num_threads(1)
    for name in chosen:
        scores = (
            bilingual() if name == "bilingual" else measure(name, prepare(name.rpartition("-")[0]))
        )
        store("translation", results("translation") | {name: scores})


if __name__ == "__main__":
    main()
