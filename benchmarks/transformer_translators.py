"""Trains the transformer of assignment 11 with subwords on the real sentence pairs of assignment 09.

The pairs, their tokens and their batches are those of `translation.py`: `ja-en` is
small_parallel_enja, `en-fr` a part of Tatoeba. Byte-pair encoding is learned with the library
`tokenizers`, which learns the same merges as the notebook and is faster; from both sides together
for en-fr, from each side for ja-en, which share no letters. Nothing is chosen on the test
sentences. Weights are written to `data/pretrained/translators/` in half precision, with tokens and
merges as metadata, scores to `data/results/transformer_translators.json`. Training resumes after an
interruption.

    python benchmarks/transformer_translators.py            # or: en-fr ja-en
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import torch
import translation
from _results import results, store
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import nn
from translation import BOS, EOS, SPLITS, Pairs

from autograder.course.reference import Solution
from coursekit import Vocabulary
from coursekit.data.paths import cache_folder

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/11_transformer_translation/11_transformer_translation.ipynb"
SIZES = {
    "d_model": 160,
    "n_heads": 4,
    "d_ff": 320,
    "n_layers": 3,
    "norm_first": True,
    "max_length": 128,
}
TOKENS = {"ja-en": 4000, "en-fr": 1500}  # the size of a tokenizer's vocabulary
EPOCHS = {"ja-en": 8, "en-fr": 8}  # en-fr: as many as the recurrent models of assignment 09
WARMUP, PEAK, LONGEST = 400, 2e-3, 60


class Data(NamedTuple):
    """Pairs as words, the tokenizers of both sides, and the vocabularies of the training part."""

    splits: dict[str, Pairs]
    tokenizers: tuple[Tokenizer, Tokenizer]
    source: Vocabulary
    target: Vocabulary

    def ids(self, split: str) -> tuple[list[list[int]], list[list[int]]]:
        """Sources and targets of a split."""
        sides = zip(self.tokenizers, (self.source, self.target), strict=True)
        columns = [
            [vocabulary.encode(_split(tokenizer, pair[side])) for pair in self.splits[split]]
            for side, (tokenizer, vocabulary) in enumerate(sides)
        ]
        return columns[0], columns[1]


def learn(sentences: Iterable[list[str]], n_tokens: int) -> Tokenizer:
    """Byte-pair encoding of words that begin with "▁"."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=n_tokens, show_progress=False)
    text = (" ".join(f"▁{word}" for word in words) for words in sentences)
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


def _split(tokenizer: Tokenizer, words: list[str]) -> list[str]:
    return tokenizer.encode(" ".join(f"▁{word}" for word in words)).tokens


def prepare(name: str) -> Data:
    """The pairs of `translation.py`, split into subwords."""
    splits = translation.prepare(name).splits
    sides = [[pair[side] for pair in splits["train"]] for side in (0, 1)]
    if name == "ja-en":
        tokenizers = learn(sides[0], TOKENS[name]), learn(sides[1], TOKENS[name])
    else:
        both = learn([*sides[0], *sides[1]], TOKENS[name])
        tokenizers = both, both
    vocabularies = []
    for tokenizer, sentences in zip(tokenizers, sides, strict=True):
        found = Vocabulary.build(_split(tokenizer, words) for words in sentences)
        vocabularies.append(Vocabulary(["<s>", "</s>", *found.words[2:]]))
    return Data(splits, tokenizers, *vocabularies)


def rate(step: int) -> float:
    """The schedule of Vaswani et al., scaled to its peak."""
    schedule = Solution(NOTEBOOK).definitions["transformer_rate"]
    return PEAK * schedule(step, 1, WARMUP) / schedule(WARMUP, 1, WARMUP)


def train(name: str, data: Data) -> tuple[nn.Module, float]:
    """Train a model, or go on where it was interrupted; return it and its processor seconds."""
    notebook = Solution(NOTEBOOK).definitions
    model = notebook["CachedTransformer"](len(data.source), len(data.target), **SIZES)
    notebook["draw_weights"](model, 0)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    sources, targets = data.ids("train")
    saved = cache_folder() / "training" / f"{name}-transformer.pt"
    done, step, seconds = 0, 0, 0.0
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done, step, seconds = state["epoch"], state["step"], state["seconds"]
    for epoch in range(done, EPOCHS[name]):
        start, losses = time.process_time(), []
        model.train()
        for chosen in translation.order(data.splits["train"], epoch):
            step += 1
            rows = [sources[i] for i in chosen], [targets[i] for i in chosen]
            source, mask, y_in, y_out = notebook["translation_batch"](*rows, BOS, EOS)
            loss = notebook["smoothed_loss"](model(source, mask, y_in), y_out, 0.1)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for group in optimizer.param_groups:
                group["lr"] = rate(step)
            optimizer.step()
            losses.append(loss.item())
        seconds += time.process_time() - start
        saved.parent.mkdir(parents=True, exist_ok=True)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "epoch": epoch + 1, "step": step, "seconds": seconds}, saved)
        score = translation.bleu(greedy(model, data, "validation"), data.splits["validation"])
        mean = sum(losses) / len(losses)
        line = f"{name} epoch {epoch + 1}: loss {mean:.3f}, {seconds:.0f} s, BLEU {score:.1f}"
        print(line, flush=True)
    return model.eval(), seconds


def words_of(data: Data, ids: list[int]) -> list[str]:
    """The words of a translation."""
    return Solution(NOTEBOOK).definitions["join_tokens"]([data.target.words[i] for i in ids])


def greedy(model: nn.Module, data: Data, split: str) -> list[list[str]]:
    """The greedy translations of a split."""
    found = Solution(NOTEBOOK).definitions["greedy"](model, data.ids(split)[0], LONGEST)
    return [words_of(data, ids) for ids in found]


def with_beam(model: nn.Module, data: Data, split: str, beam: int = 4) -> list[list[str]]:
    """The translations of a split by beam search, with a length penalty of 0.6."""
    notebook, found = Solution(NOTEBOOK).definitions, []
    with torch.no_grad():
        for ids in data.ids(split)[0]:
            source, mask, _, _ = notebook["translation_batch"]([ids], [[]], BOS, EOS)
            state = model.start(source, mask)
            several = notebook["beam_search"](model.step, state, BOS, EOS, beam, LONGEST)
            found.append(words_of(data, notebook["rank_hypotheses"](several, 0.6, 1)[0][0]))
    return found


def measure(name: str, data: Data) -> dict[str, Any]:
    """Train, keep the weights in half precision, and score what was kept."""
    model, seconds = train(name, data)
    lists = {"source": data.source.words[2:], "target": data.target.words[2:]}
    for side, tokenizer in zip(("source", "target"), data.tokenizers, strict=True):
        merges = json.loads(tokenizer.to_str())["model"]["merges"]
        lists[f"{side} merges"] = [m if isinstance(m, str) else " ".join(m) for m in merges]
    translation.keep(f"{name}-transformer", model, lists)
    scores: dict[str, Any] = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "processor_seconds": seconds,
        "epochs": EPOCHS[name],
        "pairs": {split: len(data.splits[split]) for split in SPLITS},
        "tokens": [len(data.source), len(data.target)],
    }
    for split in ("validation", "test"):
        pairs = data.splits[split]
        scores[split] = translation.bleu(greedy(model, data, split), pairs)
        scores[f"{split}_beam_4"] = translation.bleu(with_beam(model, data, split), pairs)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(EPOCHS), help=" ".join(EPOCHS))
    torch.set_num_threads(1)
    for name in parser.parse_args().names:
        scores = measure(name, prepare(name))
        store("transformer_translators", results("transformer_translators") | {name: scores})


if __name__ == "__main__":
    main()
