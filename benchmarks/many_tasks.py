"""Measures what assignment 13 says about many tasks, with the notebook's own functions.

- `squad`: exact match and F1 of two published systems on SQuAD's development questions;
- `overlap`: which of XQuAD's English paragraphs share their 8-grams with SQuAD's development set;
- `table`: majority, a rule, and five encoders on real and planted tasks; every encoder has the same
  examples, steps and head, and the better of two learning rates by the task's validation split;
- `blind`: classifiers of pairs that see the hypothesis only;
- `heads`: the notebook's heads beside those of `transformers`, on the same encoder.

Scores go to `data/results/many_tasks.json`, each as soon as it is there; an interrupted command goes
on where it stopped. No setting was searched on test data. `--device cuda` trains on a GPU.

    python benchmarks/many_tasks.py squad overlap
    python benchmarks/many_tasks.py table --tasks SICK RTE --systems rule BERT
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from _device import compute_on
from _library_heads import library_heads
from _many_encoders import make, scope_of_13
from _results import results, store

from coursekit import load

NAME = "many_tasks"
SYSTEMS = ["majority", "rule", "BiLSTM", "biLM", "GPT", "BERT", "distilled"]
STEPS, HEAD_STEPS = 1000, 300
N_TRAIN, N_VALIDATION, N_TEST, SEEDS = 20_000, 500, 1000, 3
#: SQuAD's scores are published with three digits behind the point.
DIGITS = 5
#: Learning rates to choose from: for transformers, and for LSTMs, which bear larger ones.
ENCODER_RATES, LSTM_RATES = (2e-4, 4e-4), (1e-3, 3e-3)
RATES = {"BiLSTM": LSTM_RATES, "biLM": LSTM_RATES}
SETTINGS = {"steps": STEPS, "batch": 16, "most_train": N_TRAIN, "most_test": N_TEST}
PUBLISHED = ("bert-ensemble", "logistic-baseline")


@dataclass
class Task:
    """A task: its kind, its data set, its measure, and whether a program planted its answers."""

    kind: str
    data: str
    measure: str
    test: str = "test"
    planted: bool = False


TASKS = {
    "EWT tags": Task("tag", "english-ewt", "accuracy"),
    "WNUT-17": Task("tag", "wnut17", "F1"),
    "CoLA": Task("text", "cola", "MCC"),
    "RTE": Task("pair", "rte", "accuracy"),
    "SICK": Task("pair", "sick-entailment", "accuracy"),
    "SQuAD sentence": Task("question", "squad", "F1"),
    "SQuAD": Task("question", "squad", "F1"),
    "entities": Task("tag", "almanac-entities", "F1", planted=True),
    "new entities": Task("tag", "almanac-entities", "F1", "test-unseen", planted=True),
    "entailment": Task("pair", "almanac-entailment", "accuracy", planted=True),
    "choices": Task("choice", "almanac-choices", "accuracy", planted=True),
    "questions": Task("question", "almanac-questions", "F1", planted=True),
}
#: What each example adds: to a mean, to entity counts, or to the four counts of a correlation.
Rows = list[tuple[float, ...]]


@functools.cache
def examples(task: str, split: str, n: int) -> list[Any]:
    """At most n examples of a task, drawn once and for all."""
    scope, of = scope_of_13(), TASKS[task]
    if of.kind == "tag":
        found = scope["load_sentences"](of.data, split)
    elif of.kind == "text":
        data = load(of.data, split)
        found = [(text, None, label) for text, label in zip(data.texts, data.labels, strict=True)]
    else:
        found = list(load(of.data, split))
    if task == "SQuAD sentence":
        found = [with_sentence(row) for row in found]
    if len(found) > n:
        found = random.Random(0).sample(found, n)
    return found


def with_sentence(row: Any) -> Any:
    """A question with the sentence of its first answer in place of the paragraph."""
    text, start = row.answers[0]
    begins = [0, *(m.end() for m in re.finditer(r"(?<=[.!?]) +(?=[A-Z0-9\"(])", row.context))]
    begin = max(b for b in begins if b <= start)
    end = min([b for b in begins if b >= start + len(text)], default=len(row.context))
    sentence = row.context[begin:end]
    inside = [(t, s - begin) for t, s in row.answers if begin <= s and s + len(t) <= end]
    others = [(t, sentence.find(t)) for t, s in row.answers if (t, s - begin) not in inside]
    return row._replace(context=sentence, answers=(*inside, *others))


def simple(task: str, system: str, train: Sequence[Any], test: Sequence[Any]) -> list[Any]:
    """The predictions of the majority or the rule."""
    scope, kind = scope_of_13(), TASKS[task].kind
    if kind == "tag":
        tags = Counter(tag for _, labels in train for tag in labels)
        most = tags.most_common(1)[0][0]
        if system == "majority":
            return [[most] * len(words) for words, _ in test]
        if TASKS[task].measure == "F1":
            names = {
                tuple(words[a:b]): kind
                for words, labels in train
                for a, b, kind in scope["labels_to_spans"](labels)
            }
            return [scope["label_by_dictionary"](names, words) for words, _ in test]
        seen: dict[str, Counter[str]] = {}
        for words, labels in train:
            for word, tag in zip(words, labels, strict=True):
                seen.setdefault(word.lower(), Counter())[tag] += 1
        best = {word: counts.most_common(1)[0][0] for word, counts in seen.items()}
        return [
            [best.get(w.lower(), "PROPN" if w[:1].isupper() else most) for w in words]
            for words, _ in test
        ]
    if kind == "question":
        if system == "rule":
            return [scope["answer_by_rule"](row) for row in test]
        common = Counter(row.answers[0][0] for row in train).most_common(1)[0][0]
        return [common] * len(test)
    if kind == "choice":
        if system == "majority":
            return [Counter(row.label for row in train).most_common(1)[0][0]] * len(test)
        return [scope["choice_rule"](train, row) for row in test]
    if system == "majority":
        return [Counter(row[2] for row in train).most_common(1)[0][0]] * len(test)
    if kind == "pair":
        return list(scope["pair_rule"](train, test))
    return words_of(train, test)


def words_of(train: Sequence[Any], test: Sequence[Any]) -> list[int]:
    """Logistic regression on single words and pairs of words (assignment 01), for single texts."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=2000))
    model.fit([row[0] for row in train], [row[2] for row in train])
    return list(model.predict([row[0] for row in test]).tolist())


@functools.cache
def train_model() -> Any:
    """The notebook's training loop, before a rate is put into it."""
    return scope_of_13()["train_model"]


def neural(
    task: str,
    system: str,
    train: Sequence[Any],
    others: Sequence[Any],
    seed: int,
    lr: float,
    steps: int = STEPS,
) -> Callable[[Sequence[Any]], list[Any]]:
    """Train a system's encoder under the notebook's head; what it returns predicts examples.

    `others` are all examples that will be predicted: a tagger has to know the names of their tags.
    """
    scope, kind = scope_of_13(), TASKS[task].kind
    scope["set_seed"](seed)
    encoder = make(system)
    scope["train_model"] = functools.partial(train_model(), lr=lr)
    if kind == "tag":
        names = sorted({tag for _, labels in [*train, *others] for tag in labels})
        model = scope["train_tagger"](encoder, train, names, steps, seed)

        def tags(test: Sequence[Any]) -> list[Any]:
            scores = scope["word_scores"](model, test, names)
            if TASKS[task].measure == "F1":
                return list(scope["decode_legally"](scores, names))
            return [[names[i] for i in row.argmax(dim=1).tolist()] for row in scores]

        return tags
    if kind == "choice":
        model = scope["train_choices"](encoder, train, steps, seed)

        def options(test: Sequence[Any]) -> list[Any]:
            found: list[int] = []
            for start in range(0, len(test), 50):
                *inputs, _ = scope["choice_batch"](test[start : start + 50])
                with torch.no_grad():
                    found += scope["choice_scores"](model, *inputs).argmax(dim=1).tolist()
            return found

        return options
    if kind == "question":
        model = scope["train_reader"](encoder, train, steps, seed)
        answers = scope["answers_of"]
        return lambda test: [(answers(model, row, 1) or [(0.0, "")])[0][1] for row in test]
    rows = [tuple(row) for row in train]
    model = scope["train_pairs"](encoder, rows, 1 + max(row[2] for row in rows), steps, seed)
    return lambda test: list(scope["predict_pairs"](model, test))


def counted(task: str, test: Sequence[Any], predicted: Sequence[Any]) -> Rows:
    """What each test example adds to the measure."""
    scope, of = scope_of_13(), TASKS[task]
    spans: Callable[[Sequence[str]], list[Any]] = scope["labels_to_spans"]
    if of.kind == "tag" and of.measure == "F1":
        rows = [
            (set(spans(labels)), set(spans(found)))
            for (_, labels), found in zip(test, predicted, strict=True)
        ]
        return [(len(gold & found), len(gold), len(found)) for gold, found in rows]
    if of.kind == "tag":
        return [
            (sum(a == b for a, b in zip(labels, found, strict=True)), len(labels))
            for (_, labels), found in zip(test, predicted, strict=True)
        ]
    if of.kind == "question":
        score = scope["answer_scores"]
        return [
            (score(found, [text for text, _ in row.answers])[1], 1)
            for row, found in zip(test, predicted, strict=True)
        ]
    if of.measure == "MCC":
        cells = [(1, 1), (0, 0), (0, 1), (1, 0)]
        return [
            tuple(float(cell == (row[2], found)) for cell in cells)
            for row, found in zip(test, predicted, strict=True)
        ]
    return [(float(row[2] == found), 1) for row, found in zip(test, predicted, strict=True)]


def measure(task: str, sums: torch.Tensor) -> torch.Tensor:
    """The measure in percent, from sums of what examples add, (..., n)."""
    kind = TASKS[task].measure
    if kind == "MCC":
        tp, tn, fp, fn = sums.unbind(-1)
        below = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)).sqrt()
        return 100 * (tp * tn - fp * fn) / below.clamp(min=1)
    if sums.shape[-1] == 3:
        right, gold, found = sums.unbind(-1)
        return 200 * right / (gold + found).clamp(min=1)
    return 100 * sums[..., 0] / sums[..., 1]


def cell(task: str, rows: Rows) -> dict[str, Any]:
    """The score of a system with its 95% interval by the bootstrap over test examples."""
    with torch.device("cpu"):
        table = torch.tensor(rows, dtype=torch.float64)
        generator = torch.Generator("cpu").manual_seed(0)
        drawn = torch.randint(len(table), (1000, len(table)), generator=generator)
        values = measure(task, table[drawn].sum(dim=1))
        low, high = values.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        return {"score": measure(task, table.sum(dim=0)).item(), "low": low, "high": high}


def cells(
    task: str, system: str, kept: dict[str, Any], seeds: int, device: str
) -> Iterator[dict[str, Any]]:
    """A system's cell of the table, again and again with one run more.

    The learning rate is the one of two with the better score on the validation split, by the first
    seed; score and interval are the first seed's, too.
    """
    train, test = examples(task, "train", N_TRAIN), examples(task, TASKS[task].test, N_TEST)
    if system in ("majority", "rule"):
        if not kept:
            new = cell(task, counted(task, test, simple(task, system, train, test)))
            yield {**new, "seeds": [new["score"]]}
        return
    checked = examples(task, "validation", N_VALIDATION)
    kept = {"validation": {}, "seeds": [], **kept, "trained_on": device}
    tried: dict[str, float] = kept["validation"]
    for lr in RATES.get(system, ENCODER_RATES):
        if str(lr) in tried:
            continue
        predict = neural(task, system, train, [*checked, *test], 0, lr)
        value = cell(task, counted(task, checked, predict(checked)))["score"]
        if value > max(tried.values(), default=-1000.0):
            new = cell(task, counted(task, test, predict(test)))
            kept |= {**new, "seeds": [new["score"]]}
        tried[str(lr)] = value
        yield kept
    best = max(tried, key=lambda lr: tried[lr])
    for seed in range(len(kept["seeds"]), seeds):
        predict = neural(task, system, train, [*checked, *test], seed, float(best))
        kept["seeds"].append(cell(task, counted(task, test, predict(test)))["score"])
        yield kept


def table(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Fill the cells of the table that are missing."""
    found["systems"] = SYSTEMS
    found["settings"] = SETTINGS
    rows = found.setdefault("table", {})
    for system in options.systems:
        for task in options.tasks:
            of = TASKS[task]
            start = {"measure": of.measure, "planted": of.planted, "scores": {}}
            row = rows.setdefault(task, start)
            row["n_train"] = len(examples(task, "train", N_TRAIN))
            row["n_test"] = len(examples(task, of.test, N_TEST))
            kept = row["scores"].get(system, {})
            for new in cells(task, system, kept, options.seeds, options.trained_on):
                row["scores"][system] = new
                store(NAME, found, DIGITS)
                print(task, system, new, flush=True)
    found["table"] = {task: rows[task] for task in TASKS if task in rows}
    store(NAME, found, DIGITS)


def squad(found: dict[str, Any], options: argparse.Namespace) -> None:
    """The published systems' scores by the notebook's function."""
    totals = scope_of_13()["answer_scores"]
    rows = load("squad", "all")
    for system in PUBLISHED:
        answers = load("squad-predictions", system)
        scores = [totals(answers.get(r.id, ""), [text for text, _ in r.answers]) for r in rows]
        means = [round(100 * sum(c) / len(scores), 3) for c in zip(*scores, strict=True)]
        found.setdefault("squad_metric", {})[system] = means
    print(found["squad_metric"])


def overlap(found: dict[str, Any], options: argparse.Namespace) -> None:
    """XQuAD's paragraphs whose 8-grams are in SQuAD's development set."""
    others = sorted({row.context for row in load("squad", "all")})
    texts = [text.lower().split() for text in load("xquad-en")]
    shares = scope_of_13()["ngram_overlap"](texts, [text.lower().split() for text in others], 8)
    hits = sum(share >= 0.9 for share in shares)
    found["overlap"] = {"paragraphs": len(texts), "found": hits, "lowest": min(shares)}
    print(found["overlap"])


def blind(found: dict[str, Any], options: argparse.Namespace) -> None:
    """Logistic regression on the words of the hypothesis alone."""
    for task in ("SICK", "RTE", "entailment"):
        train, test = (examples(task, split, 10**6) for split in ("train", "test"))
        rows = [[(row[1], None, row[2]) for row in part] for part in (train, test)]
        predicted = words_of(*rows)
        found.setdefault("hypothesis_only", {})[task] = cell(
            task, counted(task, rows[1], predicted)
        )
    print(found["hypothesis_only"])


def heads(found: dict[str, Any], options: argparse.Namespace) -> None:
    """The notebook's heads and the library's, trained alike on the planted tasks."""
    rows, rate = found.setdefault("heads", {"steps": HEAD_STEPS}), max(ENCODER_RATES)
    for task in ("entities", "entailment", "choices", "questions"):
        train, test = examples(task, "train", N_TRAIN), examples(task, "test", N_TEST)
        for name in ("ours", "transformers"):
            seeds = rows.setdefault(task, {}).setdefault(name, [])
            own = name == "ours"
            with contextlib.nullcontext() if own else library_heads(TASKS[task].kind):
                for seed in range(len(seeds), options.seeds):
                    predict = neural(task, "distilled", train, test, seed, rate, HEAD_STEPS)
                    seeds.append(cell(task, counted(task, test, predict(test)))["score"])
                    store(NAME, found, DIGITS)
        both = [rows[task][name] for name in ("ours", "transformers")]
        means = [statistics.mean(seeds) for seeds in both]
        error = math.sqrt(sum(statistics.variance(seeds) / len(seeds) for seeds in both))
        rows[task] |= {"difference": means[0] - means[1], "standard_error": error}
        print(task, rows[task], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = {"squad": squad, "overlap": overlap, "table": table, "blind": blind, "heads": heads}
    parser.add_argument("parts", nargs="*", metavar="PART", default=list(parts))
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--device", default="cpu", help="of the encoders")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.trained_on = compute_on(options.device)
    found = results(NAME)
    for part in options.parts:
        parts[part](found, options)
        store(NAME, found, DIGITS)


if __name__ == "__main__":
    main()
