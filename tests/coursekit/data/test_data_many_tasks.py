"""The real data sets of assignment 13, its metric on published predictions, and a known overlap."""

from __future__ import annotations

import functools

import pytest
from checkout import ROOT

from autograder.course.reference import Solution
from coursekit.data import load

pytestmark = pytest.mark.usefixtures("real_data")

#: Exact match and F1, in percent, of the stored answers of two systems to SQuAD's development questions.
SQUAD = {"bert-ensemble": (86.206, 92.196), "logistic-baseline": (40.142, 50.982)}
NOTEBOOK = ROOT / "solutions/13_many_tasks/13_many_tasks.ipynb"


@functools.cache
def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


@pytest.mark.parametrize("system", SQUAD)
def test_squad_metric_gives_the_published_scores(system):
    answers, rows = load("squad-predictions", system), load("squad", "all")
    score = notebook("answer_scores")
    found = [score(answers.get(r.id, ""), [text for text, _ in r.answers]) for r in rows]
    means = [round(100 * sum(column) / len(found), 3) for column in zip(*found, strict=True)]
    assert means == list(SQUAD[system])


def test_all_paragraphs_of_xquad_are_in_squad():
    paragraphs = sorted({row.context for row in load("squad", "all")})
    shares = notebook("ngram_overlap")(
        [text.lower().split() for text in load("xquad-en")],
        [text.lower().split() for text in paragraphs],
        8,
    )
    assert len(shares) == 240
    assert min(shares) >= 0.9


def test_squad_is_split_by_article():
    titles = [{row.title for row in load("squad", s)} for s in ("train", "validation", "test")]
    assert [len(part) for part in titles] == [36, 6, 6]
    assert len(set.union(*titles)) == 48


def test_real_sets_have_the_published_sizes():
    sizes = {
        "wnut17": [3_394, 1_009, 1_287],
        "cola": [7_250, 1_301, 1_043],
        "rte": [2_241, 249, 277],
        "sick-entailment": [4_500, 500, 4_927],
        "snli-part": [1_146, 127, 1_254],
    }
    for name, expected in sizes.items():
        found = [len(load(name, split)) for split in ("train", "validation", "test")]
        assert found == expected, name
    assert sum(load("cola", "test").labels) == 721
