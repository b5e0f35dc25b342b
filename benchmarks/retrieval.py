"""Measures what assignment 16 says about retrieval, with the notebook's own functions.

- `words`: recall at 10 of BM25 on the almanac's questions and on SQuAD's, k1 and b chosen on validation;
- `vectors`: recall at 10 of the notebook's bi-encoder, trained on the questions of the same collection
  for `STEPS` steps of 32, one seed, and of both searches fused; its temperature and rate were not searched;
- `answers`: exact match with k = 1, 5, 20 paragraphs, with the right one and with none: the notebook's
  reader on the almanac, after both searches, its weight chosen on validation, and on SQuAD 13's rule,
  after BM25, which needs no training;
- `seconds`: processor time of a search as a collection grows, whose paragraphs are three sentences of
  the almanac's each, drawn anew. The vectors are random, since time does not depend on their values.

Test questions are used once, with the settings chosen. Each part goes to
`data/results/retrieval.json` as soon as it is there, and is left out when it is there already.

    COURSEKIT_MIRROR=FOLDER python benchmarks/retrieval.py words vectors answers seconds
"""

from __future__ import annotations

import argparse
import functools
import math
import random
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from _many_encoders import scope_of_13
from _results import results, store

from autograder.course.reference import Solution, read
from coursekit import load

NAME = "retrieval"
NOTEBOOK = Path(__file__).parent.parent / "solutions/16_retrieval/16_retrieval.ipynb"
#: The cells of the notebook that load a collection, and those with its models.
CELLS = (
    *("COLLECTION =", "index =", "def rank_by_words", "PARTS =", "TEMPERATURE", "def fused_scores"),
    *("class Reader", "@torch.no_grad()\ndef read("),
)
#: From counts that do not matter to counts that hardly saturate, and the whole range of b.
K1, B = (0.0, 0.4, 0.9, 1.5, 2.5, 4.0, 8.0, 16.0), (0.0, 0.25, 0.5, 0.75, 1.0)
#: At most so many questions of a split, so that the two collections take about as long.
N_QUESTIONS = 300
#: Steps of the bi-encoder, as in the notebook.
STEPS = {"planted almanac": 32, "SQuAD": 32}
SIZES = (1_000, 10_000, 100_000)
ALMANAC, SQUAD = "planted almanac", "SQuAD"


@functools.cache
def scope(data: str) -> dict[str, Any]:
    """The notebook's names after its cells that load a collection; nothing is trained."""
    name = "almanac" if data == ALMANAC else "squad"
    found = dict(Solution(NOTEBOOK).definitions)
    for cell in read(NOTEBOOK).cells:
        source = cell.source.replace('COLLECTION = "almanac"', f'COLLECTION = "{name}"')
        for end in (
            "\nuntrained =",
            "\nasked_rows =",
            "\nfor word in",
            "\nboth =",
            "\nin_batch =",
            "\ntried =",
        ):
            source = source.partition(end)[0]
        if cell.cell_type == "code" and source.startswith(CELLS):
            exec(source, found)  # our own notebook
    return found


@functools.cache
def rows(data: str, split: str, n: int = N_QUESTIONS) -> list[Any]:
    """Some questions with an answer, drawn once and for all."""
    found = scope(data)["answerable"][split]
    return random.Random(0).sample(found, n) if len(found) > n else found


def hits(data: str, scores: torch.Tensor, asked: Sequence[Any], k: int = 10) -> torch.Tensor:
    """For each question whether its paragraph is among the first k."""
    right = torch.tensor([scope(data)["NUMBER"][row.context] for row in asked])
    top = scores.topk(min(k, scores.shape[1]), dim=1).indices
    return (top == right[:, None]).any(dim=1).double()


def with_interval(values: torch.Tensor) -> dict[str, float]:
    """A mean with a 95% interval by the bootstrap over questions, 13's function against zeros."""
    generator = torch.Generator().manual_seed(0)
    bootstrap = scope_of_13()["paired_bootstrap"]
    score, low, high = bootstrap(values, torch.zeros_like(values), 2000, generator)
    return {"score": score, "low": low, "high": high, "questions": len(values)}


def reciprocal_ranks(data: str, scores: torch.Tensor, asked: Sequence[Any]) -> torch.Tensor:
    """For each question 1 / the rank of its paragraph."""
    right = torch.tensor([scope(data)["NUMBER"][row.context] for row in asked])
    own = scores.gather(1, right[:, None])
    return 1 / (1 + (scores > own).sum(dim=1).double())


def word_settings(data: str, found: dict[str, Any]) -> tuple[float, float]:
    """k1 and b with the highest recall at 10 on validation; of equal ones, the highest MRR."""
    known = found.setdefault("settings", {})
    if data not in known:
        asked, rank = rows(data, "validation", 150), scope(data)["rank_by_words"]

        def quality(setting: tuple[float, float]) -> tuple[float, float]:
            scores = rank(asked, *setting)
            ranks = reciprocal_ranks(data, scores, asked)
            return float(hits(data, scores, asked).mean()), float(ranks.mean())

        k1, b = max(((k1, b) for k1 in K1 for b in B), key=quality)
        known[data] = {"k1": k1, "b": b}
        store(NAME, found)
    return known[data]["k1"], known[data]["b"]


def words(found: dict[str, Any]) -> None:
    """Recall at 10 of BM25."""
    for data in (ALMANAC, SQUAD):
        if "BM25" in found.setdefault("recall_at_10", {}).setdefault(data, {}):
            continue
        asked = rows(data, "test")
        scores = scope(data)["rank_by_words"](asked, *word_settings(data, found))
        found["recall_at_10"][data]["BM25"] = with_interval(hits(data, scores, asked))
        store(NAME, found)


@functools.cache
def bi_encoder(data: str) -> Any:
    """The notebook's bi-encoder with in-batch negatives, trained on a collection's questions."""
    names = scope(data)
    return names["train_bi_encoder"](names["answerable"]["train"], STEPS[data])


def vectors(found: dict[str, Any]) -> None:
    """Recall at 10 of the bi-encoder, and of both searches."""
    for data in (ALMANAC, SQUAD):
        row = found.setdefault("recall_at_10", {}).setdefault(data, {})
        if "both" in row:
            continue
        names, asked = scope(data), rows(data, "test")
        by_vectors = names["rank_by_vectors"](bi_encoder(data), asked)
        by_words = names["rank_by_words"](asked, *word_settings(data, found))
        row["bi-encoder"] = with_interval(hits(data, by_vectors, asked))
        both = names["fused_scores"](by_words, by_vectors)
        row["both"] = with_interval(hits(data, both, asked))
        store(NAME, found)


def answers(found: dict[str, Any]) -> None:
    """Exact match from k paragraphs."""
    table = found.setdefault("exact_match", {})
    if SQUAD not in table:
        table[SQUAD] = answers_by_rule(*word_settings(SQUAD, found))
        store(NAME, found)
    if ALMANAC not in table:
        table[ALMANAC] = answers_by_reader()
        store(NAME, found)


def answers_by_rule(k1: float, b: float) -> dict[str, float]:
    """13's rule on all sentences of the k paragraphs of SQuAD together."""
    names, rule, asked = scope(SQUAD), scope_of_13()["answer_by_rule"], rows(SQUAD, "test")
    top = names["rank_by_words"](asked, k1, b).topk(20, dim=1).indices.tolist()

    def score(texts: Sequence[str], row: Any) -> float:
        answer = rule(row._replace(context=" ".join(texts)))
        return float(scope_of_13()["answer_scores"](answer, [t for t, _ in row.answers])[0])

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    row = {"gold": mean([score([one.context], one) for one in asked])}
    for k in (1, 5, 20):
        texts = [[names["paragraphs"][i] for i in found[:k]] for found in top]
        row[str(k)] = mean([score(t, one) for t, one in zip(texts, asked, strict=True)])
    row["none"] = 0.0  # without a paragraph the rule has no words to choose from
    return row


def answers_by_reader() -> dict[str, float]:
    """The notebook's reader on the almanac, which always answers; weight chosen on validation."""
    names = scope(ALMANAC)
    names["in_batch"] = bi_encoder(ALMANAC)
    names["matrix"] = names["vectors_of"](names["in_batch"], names["paragraphs"])
    everything = names["questions"]["train"]
    mined = names["mine"](everything, names["search"](everything))
    names["reader"] = names["train_reader"](everything, mined, names["READER_STEPS"])

    def read_all(asked: Sequence[Any]) -> list[Any]:
        return list(names["read_all"](asked, names["search"](asked)))

    def exact(asked: Sequence[Any], parts: list[Any], k: int, weight: float) -> float:
        return float(names["exact_match"](asked, parts, k, weight, -math.inf)["stated"])

    train = names["answerable"]["train"]
    tried, asked = rows(ALMANAC, "validation", 100), rows(ALMANAC, "test")
    tried_parts, parts = read_all(tried), read_all(asked)
    gold = [([0.0], *names["read"](names["reader"], r.question, [r.context])) for r in asked]
    row = {"gold": exact(asked, gold, 1, 0.0)}
    for k in (1, 5, 20):
        weights = [i / 10 for i in range(11)]  # from the reader alone to the search alone
        best = max(weights, key=lambda w: exact(tried, tried_parts, k, w))
        row[str(k)] = exact(asked, parts, k, best)
    index = names["inverted_index"]([names["words_of"](r.question) for r in train])
    lengths = [len(names["words_of"](r.question)) for r in train]
    nearest = [
        train[int(names["bm25_scores"](names["words_of"](r.question), index, lengths).argmax())]
        for r in asked
    ]
    right = [names["is_right"](n.answers[0][0], r) for n, r in zip(nearest, asked, strict=True)]
    row["none"] = sum(right) / len(right)
    return row


def seconds(found: dict[str, Any]) -> None:
    """Processor time per question on one thread, the mean over 20 of the almanac's questions."""
    names = Solution(NOTEBOOK).definitions
    texts = load("almanac-paragraphs")
    sentences = [re.findall(r"\w+", s.lower()) for t in texts for s in re.split(r"(?<=\.) ", t)]
    queries = [
        re.findall(r"\w+", row.question.lower())
        for row in load("almanac-open-questions", "test")[:20]
    ]
    draw, generator = random.Random(0), torch.Generator().manual_seed(0)
    drawn = [[word for _ in range(3) for word in draw.choice(sentences)] for _ in range(max(SIZES))]
    asked = torch.randn(20, 256, generator=generator)
    for n in SIZES:
        if str(n) in found.setdefault("seconds", {}):
            continue
        index, lengths = names["inverted_index"](drawn[:n]), [len(text) for text in drawn[:n]]
        begin = time.process_time()
        for query in queries:
            names["bm25_scores"](query, index, lengths)
        by_words = (time.process_time() - begin) / len(queries)
        matrix = torch.randn(n, 256, generator=generator)
        begin = time.process_time()
        for one in asked:
            names["top_inner_products"](one[None], matrix.split(10_000), 10)
        by_vectors = (time.process_time() - begin) / len(asked)
        found["seconds"][str(n)] = {"BM25": by_words, "inner products": by_vectors}
        store(NAME, found)


PARTS = {"words": words, "vectors": vectors, "answers": answers, "seconds": seconds}


def main() -> int:
    """Measure the parts that are asked for and missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=[*PARTS, []])
    torch.set_num_threads(1)
    found = results(NAME)
    for part in parser.parse_args().parts:
        PARTS[part](found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
