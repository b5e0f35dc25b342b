"""Measures what assignment 11 says about transformers that translate the course's sentence pairs.

With the notebook's own classes and functions, on the short pairs of `bilingual`: subwords against
words (`models`), beams and length penalties (`beams`), post-LN against pre-LN without warm-up
(`norms`), and decoding with and without a cache (`cache`). Settings were chosen on the validation
pairs. Scores go to `data/results/transformer_translation.json`. All parts together take about ten
minutes of processor time.

    python benchmarks/transformer_translation.py            # or: models beams norms cache
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch
from _pairs import with_cells
from _results import results, store

from coursekit import Vocabulary
from coursekit.data import Bitext

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/11_transformer_translation/11_transformer_translation.ipynb"
PARTS = ["models", "beams", "norms", "cache"]
BEAMS, ALPHAS = (1, 2, 4, 8), (0.0, 0.6, 1.0)
#: The comparison of the two orders of normalization: a deep model, at a constant rate.
DEEP = {"d_model": 64, "n_heads": 4, "d_ff": 128, "n_layers": 6}
DEEP_STEPS, DEEP_RATE, SEEDS = 120, 1e-3, (0, 1, 2)


class Data(NamedTuple):
    """Pairs of sentences, how to split and join them, and the vocabularies of both sides."""

    bitexts: dict[str, Bitext]
    split: Callable[[str], list[str]]
    join: Callable[[list[str]], list[str]]
    source: Vocabulary
    target: Vocabulary

    def ids(self, split: str) -> tuple[list[list[int]], list[list[int]]]:
        """Sources and targets of a split."""
        bitext = self.bitexts[split]
        return (
            [self.source.encode(self.split(sentence)) for sentence in bitext.sources],
            [self.target.encode(self.split(sentence)) for sentence in bitext.targets],
        )

    def words(self, ids: list[int]) -> list[str]:
        """The words that the ids of a translation stand for."""
        return self.join([self.target.words[i] for i in ids])


def from_notebook() -> dict[str, Any]:
    """The notebook's definitions, with its pairs, merges, vocabularies and sizes."""
    return with_cells(NOTEBOOK, "DATA =", "N_MERGES =")


@functools.cache
def prepare(name: str) -> Data:
    """The data as `words` or as `subwords`."""
    notebook = from_notebook()
    short = notebook["short"]
    if name == "subwords":
        vocabularies = notebook["english"], notebook["french"]
        return Data(short, notebook["subwords"], notebook["join_tokens"], *vocabularies)
    sides = short["train"].sources, short["train"].targets
    vocabularies = (notebook["make_vocabulary"](sentences, str.split) for sentences in sides)
    return Data(short, str.split, list, *vocabularies)


@functools.cache
def train(name: str) -> tuple[torch.nn.Module, float]:
    """A model for `words` or `subwords`, as in the notebook, and its processor seconds."""
    notebook, data = from_notebook(), prepare(name)
    model = _untrained(data)
    started, steps, rate = time.process_time(), notebook["STEPS"], notebook["rate"]
    notebook["train_transformer"](model, *data.ids("train"), steps, rate)
    return model.eval(), time.process_time() - started


def _untrained(data: Data) -> torch.nn.Module:
    notebook = from_notebook()
    sizes = len(data.source), len(data.target)
    model = notebook["CachedTransformer"](*sizes, **notebook["SIZES"])
    notebook["draw_weights"](model, 0)
    return model


def bleu(data: Data, found: list[list[int]], split: str) -> float:
    references = [[target.split()] for target in data.bitexts[split].targets]
    return from_notebook()["corpus_bleu"]([data.words(ids) for ids in found], references)


def models() -> dict[str, Any]:
    """BLEU with subwords and with words, same pairs, same number of steps."""
    found = {}
    for name in ("subwords", "words"):
        data = prepare(name)
        model, seconds = train(name)
        scores: dict[str, Any] = {
            "parameters": sum(p.numel() for p in model.parameters()),
            "processor_seconds": seconds,
            "steps": from_notebook()["STEPS"],
            "vocabularies": [len(data.source), len(data.target)],
        }
        for split in ("validation", "test"):
            ids = from_notebook()["greedy"](model, data.ids(split)[0])
            scores[split] = bleu(data, ids, split)
        found[f"transformer, {name}"] = scores
    return found


def beams() -> dict[str, Any]:
    """BLEU on the test pairs by beam and length penalty, and seconds by beam."""
    notebook, data = from_notebook(), prepare("subwords")
    model, _ = train("subwords")
    sources, bos, eos = data.ids("test")[0], notebook["BOS"], notebook["EOS"]
    started = time.process_time()
    greedy = notebook["greedy"](model, sources)
    seconds = {"greedy, in batches": time.process_time() - started}
    scores: dict[str, dict[str, float]] = {str(alpha): {} for alpha in ALPHAS}
    for beam in BEAMS:
        started, hypotheses = time.process_time(), []
        with torch.no_grad():
            for ids in sources:
                source, mask, _, _ = notebook["translation_batch"]([ids], [[]], bos, eos)
                state = model.start(source, mask)
                hypotheses.append(notebook["beam_search"](model.step, state, bos, eos, beam, 40))
        seconds[f"beam {beam}"] = time.process_time() - started
        for alpha in ALPHAS:
            best = [notebook["rank_hypotheses"](some, alpha, 1)[0][0] for some in hypotheses]
            scores[str(alpha)][str(beam)] = bleu(data, best, "test")
    return {"greedy_bleu": bleu(data, greedy, "test"), "bleu": scores, "seconds": seconds}


def norms() -> dict[str, Any]:
    """The training loss of deep models without warm-up, as means of ten steps."""
    notebook, data = from_notebook(), prepare("subwords")
    sources, targets = data.ids("train")
    losses: dict[str, list[list[float]]] = {"post-LN": [], "pre-LN": []}
    for name, curves in losses.items():
        for seed in SEEDS:
            model = notebook["TranslationTransformer"](
                len(data.source), len(data.target), **DEEP, norm_first=name == "pre-LN"
            )
            notebook["draw_weights"](model, seed)
            curve = notebook["train_transformer"](
                model, sources, targets, DEEP_STEPS, lambda step: DEEP_RATE
            )
            curves.append([sum(curve[i : i + 10]) / 10 for i in range(0, len(curve), 10)])
            print(f"{name}, seed {seed}: {curves[-1][-1]:.2f}", flush=True)
    return {"sizes": DEEP, "rate": DEEP_RATE, "steps": DEEP_STEPS, "losses": losses}


def cache() -> dict[str, Any]:
    """How many times as fast 30 tokens for 200 sentences are with a cache; median of five."""
    notebook, data = from_notebook(), prepare("words")
    model = _untrained(data).eval()
    sources, ratios, equal = data.ids("test")[0][:200], [], 0.0
    with torch.no_grad():
        for _ in range(5):
            seconds, found = [], []
            for cached in (False, True):
                started = time.process_time()
                found.append(notebook["thirty_tokens"](model, sources, cached))
                seconds.append(time.process_time() - started)
            ratios.append(seconds[0] / seconds[1])
            equal = (found[0] == found[1]).double().mean().item()
    return {"times_as_fast": median(ratios), "ratios": ratios, "equal_tokens": equal}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS, help=" ".join(PARTS))
    torch.set_num_threads(1)
    for part in parser.parse_args().parts:
        scores = globals()[part]()
        store("transformer_translation", results("transformer_translation") | {part: scores})


if __name__ == "__main__":
    main()
