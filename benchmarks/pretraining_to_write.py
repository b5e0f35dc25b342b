"""Measures what assignment 12 says about a small GPT, with the notebook's own classes and functions.

- `perplexity`: of the GPT that ships and of 07's Kneser-Ney, per WordPiece and in bits per character,
  on test reviews of IMDb;
- `classification`: zero-shot with every prompt, calibrated, and fine-tuned with few labels, beside the
  encoders of 06, whose scores are taken from the ladder;
- `transfer`: fine-tuned with the first n blocks pretrained;
- `generation`: writing with the cache, without it, and with transformers;
- `headlines`: the first sentences of real news made into headlines by the GPT with the prefix mask, by
  their first words, and by a sentence at random (ROUGE, in percent);
- `rouge`: how far our ROUGE is from Google's `rouge-score`, if that is installed.

Scores go to `data/results/pretraining_to_write.json`, each as soon as it is there; an interrupted
command goes on where it stopped, and `--again` begins anew. No setting was searched.

    python benchmarks/pretraining_to_write.py            # or: perplexity classification ...
"""

from __future__ import annotations

import argparse
import functools
import math
import random
import re
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch
from _device import compute_on
from _pairs import with_cells
from _results import results, store

from autograder.course.reference import Solution
from coursekit import load, load_results
from coursekit.data import DataError

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/12_pretraining_to_write/12_pretraining_to_write.ipynb"
COUNTED = ROOT / "solutions/07_language_models/07_language_models.ipynb"
NAME = "pretraining_to_write"
PARTS = ["perplexity", "generation", "transfer", "classification", "headlines", "rouge"]
DATA = ("reviews", "sst2")
SIZES = (100, 300, 1000)
LADDER_SIZES = (100, 1000)
#: Steps of 16 articles, and articles that are tested.
HEADLINE_STEPS, N_HEADLINES = 600, 300
#: Reviews that Kneser-Ney counts, and test reviews on which all models are measured.
N_COUNTED, N_TEST = 3_000, 60


@functools.cache
def notebook() -> dict[str, Any]:
    """The notebook's definitions, with its tokens, its model and its settings."""
    starts = ("encoder =", "SIZES =", "def load_gpt", "def draw_weights", "DATA =", "NOTHING =")
    return with_cells(NOTEBOOK, *starts, "LONGEST =")


class Kept:
    """The results so far; what is set is stored at once."""

    def __init__(self, again: bool, parts: list[str]) -> None:
        self.found = results(NAME)
        if again:
            self.found = {part: v for part, v in self.found.items() if part not in parts}

    def get(self, *path: str) -> Any:
        """What is kept at a path, or None."""
        place: Any = self.found
        for key in path:
            if key not in place:
                return None
            place = place[key]
        return place

    def set(self, value: Any, *path: str) -> None:
        place = self.found
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
        store(NAME, self.found)
        print(" / ".join(path), value, flush=True)


@torch.no_grad()
def gpt_nats(texts: list[list[int]]) -> float:
    """All nats of texts of ids, their ends included; each token sees at least half a window."""
    scope = notebook()
    model, total = scope["gpt"], 0.0
    length = model.positions.num_embeddings
    for text in texts:
        ids, done = torch.tensor([scope["START"], *text, scope["END"]]), 0
        while done < len(ids) - 1:
            begin = 0 if done == 0 else done - length // 2
            part = ids[None, begin : begin + length + 1]
            log_p = model(part[:, :-1])[0].log_softmax(dim=-1)
            losses = -log_p.gather(1, part[0, 1:, None])[:, 0]
            total += float(losses[done - begin :].sum())
            done = begin + len(losses)
    return total


def perplexity(kept: Kept, options: argparse.Namespace) -> None:
    scope, counted = notebook(), Solution(COUNTED).definitions
    drawn = random.Random(0)
    test = drawn.sample(load("imdb", "test").texts, N_TEST)
    ids = [scope["encode"](text) for text in test]
    tokens, characters = sum(map(len, ids)) + len(ids), sum(map(len, test))

    def scores(nats: float) -> dict[str, float]:
        bits = nats / math.log(2) / characters
        return {"perplexity": math.exp(nats / tokens), "bits_per_character": bits}

    if not kept.get("perplexity", "our GPT"):
        kept.set(scores(gpt_nats(ids)), "perplexity", "our GPT")
    train = load("imdb", "unlabelled").texts[:N_COUNTED]
    sentences = None
    for n in (2, 3):
        name = f"Kneser-Ney, n = {n}"
        if kept.get("perplexity", name):
            continue
        if sentences is None:
            sentences = [[str(i) for i in scope["encode"](text)] for text in train]
        model = counted["KneserNey"](sentences, n, len(scope["TOKENS"]))
        log_p = counted["sentence_log_probability"]
        nats = -sum(log_p([str(i) for i in text], model.probability, n) for text in ids)
        kept.set(scores(nats), "perplexity", name)
    kept.set({"test reviews": N_TEST, "tokens": tokens, "counted reviews": N_COUNTED}, "texts")


def generation(kept: Kept, options: argparse.Namespace) -> None:
    """Seconds for 120 tokens, the median of three, and whether the tokens are the same."""
    if kept.get("generation"):
        return
    starts = ("encoder =", "SIZES =", "def draw_weights", "def load_gpt", "def step_of")
    scope = with_cells(NOTEBOOK, *starts, "def without_cache")
    seconds: dict[str, list[float]] = {name: [] for name in scope["ways"]}
    for _ in range(3):
        for name, way in scope["ways"].items():
            started = time.perf_counter()
            scope["written"][name] = way()
            seconds[name].append(time.perf_counter() - started)
    written = scope["written"]
    found: dict[str, Any] = {name: median(times) for name, times in seconds.items()}
    found["the same tokens"] = written["without the cache"] == written["with the cache"]
    kept.set(found, "generation")


def right(guesses: torch.Tensor, labels: list[int]) -> float:
    """The share of right guesses."""
    return float((guesses == torch.tensor(labels)).float().mean())


def classification(kept: Kept, options: argparse.Namespace) -> None:
    scope = notebook()
    for data in options.data:
        test = load(data, scope["TEST"][data])
        kept.set(len(test), "classification", data, "texts")
        path = "classification", data, "accuracy"
        for prompt in scope["PROMPTS"]:
            name = f"zero-shot, {prompt!r}"
            if kept.get(*path, f"{name}, calibrated"):
                continue
            p, preference = (
                scope["verbalizer_probabilities"](
                    scope["word_log_p"](scope["gpt"], texts, prompt), scope["CLASS_OF"]
                )
                for texts in (test.texts, scope["NOTHING"])
            )
            kept.set(right(p.argmax(dim=1), test.labels), *path, name)
            q = scope["calibrate"](p, preference)
            kept.set(right(q.argmax(dim=1), test.labels), *path, f"{name}, calibrated")
        for size in options.sizes:
            name = f"GPT, fine-tuned, {size:,} labels"
            if not kept.get(*path, name):
                done = kept.get("transfer", str(size)) if data == "reviews" else None
                runs = [run[-1] for run in done] if done else []
                more = range(len(runs), options.seeds)
                kept.set(mean([*runs, *(tuned(data, size, 3, seed) for seed in more)]), *path, name)
        ladder = load_results(f"ladder_{data}")
        for rung in ("encoder, fine-tuned", "encoder, distilled"):
            for size in LADDER_SIZES:
                found = _ladder_score(ladder, rung, str(size))
                if found is not None:
                    kept.set(found, *path, f"06's {rung}, {size:,} labels")
    kept.set(options.seeds, "seeds")


def _ladder_score(ladder: dict[str, Any], rung: str, size: str) -> float | None:
    """The accuracy of a model of the ladder, None if it has not been measured."""
    return ladder["rungs"].get(rung, {}).get(size, {}).get("accuracy")


def tuned(data: str, size: int, n_blocks: int, seed: int) -> float:
    """Accuracy on the whole test set after fine-tuning on a balanced part of the labels."""
    scope = notebook()
    train = load(data, "train").subset(size, seed=seed)
    test = load(data, scope["TEST"][data])
    model = scope["make_classifier"](seed, n_blocks)
    epochs = max(4, math.ceil(40 / math.ceil(size / 16)))
    scope["fine_tune"](model, train, epochs=epochs, seed=seed)
    return scope["accuracy"](model, test)


def transfer(kept: Kept, options: argparse.Namespace) -> None:
    for size in options.sizes:
        runs = kept.get("transfer", str(size)) or []
        for seed in range(len(runs), options.seeds):
            runs.append([tuned("reviews", size, n, seed) for n in range(4)])
            kept.set(runs, "transfer", str(size))


def headlines(kept: Kept, options: argparse.Namespace) -> None:
    """ROUGE of headlines of AG news; texts are compared as the words that the GPT's tokens spell."""
    if kept.get("headlines"):
        return
    scope = notebook()
    scope["BREAK"] = scope["INDEX"]["[MASK]"]
    rouge_of, encode, decode = (scope[name] for name in ("rouge", "encode", "decode"))

    def spelled(text: str) -> list[str]:
        return decode(encode(text)).split()

    def pages(split: str) -> list[tuple[list[str], list[str]]]:
        rows = [([row.source], row.target.split()) for row in load("ag-news", split)]
        return [
            row
            for row in rows
            if len(scope["page_row"](*row)) <= scope["gpt"].positions.num_embeddings
        ]

    train, test = pages("train"), pages("test")[:N_HEADLINES]
    draw = random.Random(0)
    systems: dict[str, Any] = {
        "lead, 8 words": lambda text: spelled(text)[:8],
        "lead, 12 words": lambda text: spelled(text)[:12],
        "random sentence": lambda text: spelled(draw.choice(re.split(r"(?<=[.!?]) ", text))),
        "GPT, prefix mask": None,
    }
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in systems}
    for seed in range(options.seeds):
        scope["set_seed"](seed)
        model = scope["GPT"](**scope["SIZES"])
        model.load_state_dict(scope["gpt"].state_dict())
        scope["train_summarizer"](model, train, HEADLINE_STEPS, "sequence-to-sequence")
        systems["GPT, prefix mask"] = functools.partial(_title, scope, model)
        for name, system in systems.items():
            if name != "GPT, prefix mask" and seed:
                continue
            made = [(system(sentences[0]), spelled(" ".join(title))) for sentences, title in test]
            score = {
                f"ROUGE-{kind}": 100 * mean(rouge_of(s, [t], kind) for s, t in made)
                for kind in (1, 2, "L")
            }
            runs[name].append(score)
            print(name, seed, score, flush=True)
        examples = [
            {"article": sentences[0], "headline": " ".join(title), "written": " ".join(s)}
            for (sentences, title), (s, _) in zip(test[:6], made, strict=False)
        ]
        found = {
            name: {kind: mean(run[kind] for run in of) for kind in of[0]}
            for name, of in runs.items()
        }
        sizes = {"train": len(train), "test": len(test), "steps": HEADLINE_STEPS}
        kept.set({**sizes, "seeds": seed + 1, "systems": found, "examples": examples}, "headlines")


def _title(scope: dict[str, Any], model: torch.nn.Module, text: str) -> list[str]:
    """The headline that a model writes."""
    found: list[str] = scope["write_title"](model, [text])
    return found


def rouge(kept: Kept, options: argparse.Namespace) -> None:
    """The largest difference from rouge-score on 500 pairs of sentences of the almanac."""
    try:
        from rouge_score import rouge_scorer
    except ImportError:
        print("rouge-score is not installed; `pip install rouge-score` and run this part again")
        return
    ours = Solution(NOTEBOOK).definitions["rouge"]
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"])
    texts = [text.lower().replace("'", " ") for text in load("almanac").texts[:1000]]
    words = ["".join(c if c.isalnum() else " " for c in text).split() for text in texts]
    largest = 0.0
    for one, other in zip(words[::2], words[1::2], strict=True):
        theirs = scorer.score(" ".join(other), " ".join(one))
        for kind, name in ((1, "rouge1"), (2, "rouge2"), ("L", "rougeL")):
            largest = max(largest, abs(ours(one, [other], kind) - theirs[name].fmeasure))
    kept.set({"pairs": len(words) // 2, "largest difference": largest}, "rouge")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS, help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of labels")
    parser.add_argument("--data", nargs="+", default=DATA, help="data sets to classify")
    parser.add_argument("--again", action="store_true", help="measure anew what is there")
    parser.add_argument("--device", default="cpu", help="of the models")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(
            f"there is no part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}"
        )
    torch.set_num_threads(1)
    compute_on(options.device)
    kept = Kept(options.again, options.parts)
    for part in options.parts:
        try:
            globals()[part](kept, options)
        except DataError as error:
            print(f"{part}: {error}")


if __name__ == "__main__":
    main()
