"""Assignment 16 agrees with bm25s, scikit-learn, pytrec_eval and a full product, and its data is sound."""

from __future__ import annotations

import functools
import math
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from autograder.course.reference import Solution
from coursekit import load

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "solutions/16_retrieval/16_retrieval.ipynb"
WORDS = "the a of in camel river norway bakery krone hay sails tail piano oak".split()


@functools.cache
def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


def some_documents(seed: int, n: int) -> list[list[str]]:
    draw = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(WORDS))]
    return [draw.choices(WORDS, weights, k=draw.randint(1, 12)) for _ in range(n)]


def search(documents: list[list[str]], query: list[str], *settings: float) -> torch.Tensor:
    index = notebook("inverted_index")(documents)
    return notebook("bm25_scores")(query, index, [len(words) for words in documents], *settings)


@pytest.mark.parametrize("settings", [(), (0.9, 0.4), (2.0, 0.0)])
def test_16_bm25_is_the_formula_written_out(settings):
    k1, b = settings or (1.5, 0.75)
    documents = some_documents(1, 40)
    N, mean = len(documents), sum(map(len, documents)) / 40
    for query in (["krone", "the"], ["oak"], ["the", "the", "zebra"]):
        expected = [
            sum(
                math.log(1 + (N - n + 0.5) / (n + 0.5))
                * words.count(w)
                / (words.count(w) + k1 * (1 - b + b * len(words) / mean))
                for w in query
                for n in [sum(w in other for other in documents)]
            )
            for words in documents
        ]
        assert search(documents, query, *settings).tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("settings", [(1.5, 0.75), (0.9, 0.4)])
def test_16_bm25_is_that_of_bm25s(settings):
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed")
    documents = some_documents(2, 60)
    k1, b = settings
    library = bm25s.BM25(method="lucene", k1=k1, b=b)
    library.index(documents, show_progress=False)
    for query in (["krone", "hay"], ["the"], ["piano", "oak", "of"]):
        expected = library.get_scores(query)
        assert np.allclose(search(documents, query, k1, b).numpy(), expected, atol=1e-5)


def test_16_a_search_with_nothing_to_go_by_is_defined():
    documents = [["a", "camel"], [], ["a"]]
    assert search(documents, []).tolist() == [0.0, 0.0, 0.0]
    assert search(documents, ["zebra"]).tolist() == [0.0, 0.0, 0.0]
    assert search([["camel"]], ["camel"]).tolist() == pytest.approx([math.log(4 / 3) / 2.5])
    with pytest.raises(ValueError, match="needs a document"):
        search([], ["camel"])


@pytest.mark.parametrize("k", [1, 4, 10, 50])
def test_16_ndcg_is_that_of_scikit_learn(k):
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(k)
    gains, scores = rng.integers(0, 4, (20, 12)).astype(float), rng.normal(size=(20, 12))
    gains[3] = 0
    ours = notebook("ndcg")(torch.from_numpy(gains), torch.from_numpy(scores), k)
    assert ours == pytest.approx(ndcg_score(gains, scores, k=k))


def test_16_recall_and_reciprocal_rank_are_those_of_pytrec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    draw = random.Random(0)
    rankings = [draw.sample(range(40), 30) for _ in range(25)]
    relevant = [draw.sample(range(40), draw.randint(1, 6)) for _ in range(25)]
    qrels = {f"q{i}": {str(d): 1 for d in right} for i, right in enumerate(relevant)}
    run = {
        f"q{i}": {str(d): 1.0 / (r + 1) for r, d in enumerate(ranking)}
        for i, ranking in enumerate(rankings)
    }
    measures = pytrec_eval.RelevanceEvaluator(qrels, {"recall_10", "recip_rank"}).evaluate(run)
    means = [sum(row[m] for row in measures.values()) / 25 for m in ("recall_10", "recip_rank")]
    assert notebook("ranking_scores")(rankings, relevant, 10) == pytest.approx(means)


def test_16_info_nce_is_the_cross_entropy_of_all_pairs():
    generator = torch.Generator().manual_seed(0)
    Q, P, hard = (torch.randn(n, 8, generator=generator) for n in (6, 6, 4))
    ours = notebook("info_nce")(Q, P, torch.arange(6), 0.1, hard)
    scores = Q @ torch.cat([P, hard]).T / 0.1
    expected = torch.nn.functional.cross_entropy(scores, torch.arange(6))
    assert torch.allclose(ours, expected)


def test_16_a_repeated_paragraph_is_no_negative():
    Q, P = torch.eye(2), torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    assert notebook("info_nce")(Q, P, torch.tensor([7, 7]), 0.1).item() == pytest.approx(0.0)
    assert notebook("info_nce")(Q, P, torch.tensor([7, 8]), 0.1).item() > 0.5


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_16_blocks_give_the_full_product(size):
    generator = torch.Generator().manual_seed(size)
    queries, matrix = (torch.randn(n, 16, generator=generator) for n in (5, 500))
    values, numbers = notebook("top_inner_products")(queries, matrix.split(size), 20)
    expected = (queries @ matrix.T).topk(20, dim=1)
    assert torch.allclose(values, expected.values, atol=1e-5)
    assert torch.equal(numbers, expected.indices)


def test_16_an_answer_without_words_makes_no_negative_false():
    paragraphs = [["ice", "cream"], ["hay"], [], ["cream", "on", "ice"]]
    mined = notebook("hard_negatives")
    assert mined([3, 0, 2, 1], paragraphs, 1, [[]], 5) == [3, 0, 2]
    assert mined([3, 0, 2, 1], paragraphs, 1, [[], ["ice", "cream"]], 5) == [3, 2]
    assert mined([3, 0, 2, 1], paragraphs, -1, [], 2) == [3, 0]


def test_16_a_search_reads_its_blocks_one_by_one():
    """Blocks may come from a generator, so a collection need not be in memory."""
    alive = []

    def blocks():
        for i in range(3):
            alive.append(i)
            yield torch.full((2, 4), float(i))

    values, numbers = notebook("top_inner_products")(torch.ones(1, 4), blocks(), 3)
    assert alive == [0, 1, 2]
    assert values.tolist()[0] == [8.0, 8.0, 4.0]
    assert set(numbers.tolist()[0][:2]) == {4, 5}


def test_16_a_document_good_in_both_rankings_beats_one_that_is_first_in_one():
    fused = notebook("fuse_rankings")([[1, 2, 3], [4, 2, 5]])
    assert fused[0] == 2
    assert notebook("fuse_rankings")([]) == []


def test_16_an_answer_needs_to_exceed_the_threshold():
    choose = notebook("choose_answer")
    found = ([4.0, 1.0], [6.0, 1.0], [[(7.0, "krone"), (2.0, "fjords")], [(3.0, "euro")]])
    assert choose(*found, 0.0, -9.0) == ("euro", 1)
    assert choose(*found, 0.5, -9.0) == ("krone", 0)
    assert choose(*found, 0.5, 2.5) == ("", -1)
    assert choose([], [], [], 0.5, -9.0) == ("", -1)


def test_16_the_collection_is_what_its_program_writes():
    command = [sys.executable, str(ROOT / "data/almanac/collection.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_16_each_answer_stands_in_the_one_paragraph_that_states_it():
    paragraphs = list(load("almanac-paragraphs"))
    assert len(set(paragraphs)) == len(paragraphs) == 1033
    for split in ("train", "validation", "test"):
        for row in load("almanac-open-questions", split):
            if not row.answers:
                assert row.context == ""
                continue
            ((text, start),) = row.answers
            assert row.context in paragraphs
            assert row.context[start : start + len(text)] == text


def test_16_names_of_the_test_are_asked_about_in_no_other_split():
    names = {
        s: {r.title for r in load("almanac-open-questions", s)}
        for s in ("train", "validation", "test")
    }
    assert not names["test"] & (names["train"] | names["validation"])
    assert not names["validation"] & names["train"]


def test_16_a_tenth_of_the_questions_has_no_answer():
    for split in ("train", "validation", "test"):
        rows = load("almanac-open-questions", split)
        assert 0.04 < sum(not row.answers for row in rows) / len(rows) < 0.18


def test_16_a_far_question_shares_no_rare_word_but_the_name():
    paragraphs = [set(re.findall(r"\w+", text.lower())) for text in load("almanac-paragraphs")]
    counts = Counter(word for words in paragraphs for word in words)
    for row in load("almanac-open-questions", "test"):
        if row.answers and row.id.endswith("far"):
            statement = next(
                s for s in re.split(r"(?<=\.) ", row.context) if row.title.lower() in s.lower()
            )
            shared = {
                w
                for w in set(re.findall(r"\w+", row.question.lower()))
                & set(re.findall(r"\w+", statement.lower()))
                if w not in row.title.lower().split()
            }
            assert all(counts[word] > 100 for word in shared), (row.question, statement, shared)
