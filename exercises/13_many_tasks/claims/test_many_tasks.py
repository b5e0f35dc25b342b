"""Assignment 13 agrees with scikit-learn, SciPy, conlleval's rules, enumeration and SQuAD's numbers."""

from __future__ import annotations

import functools
import itertools
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from autograder.course.reference import Solution
from coursekit import load
from coursekit.results import load_results

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "solutions/13_many_tasks/13_many_tasks.ipynb"
#: Exact match and F1, in percent, of the stored answers of two systems to SQuAD\'s development questions.
SQUAD = {"bert-ensemble": (86.206, 92.196), "logistic-baseline": (40.142, 50.982)}


@functools.cache
def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


def test_13_spans_and_labels_are_inverse():
    spans_of, labels_of = notebook("labels_to_spans"), notebook("spans_to_labels")
    draw = random.Random(0)
    for _ in range(200):
        spans, at = [], draw.randint(0, 2)
        while at < 12:
            end = min(12, at + draw.randint(1, 3))
            spans.append((at, end, draw.choice(["place", "creative-work"])))
            at = end + draw.randint(0, 2)
        assert spans_of(labels_of(spans, 12)) == spans


def test_13_repair_counts_like_conlleval():
    spans_of = notebook("labels_to_spans")
    assert spans_of("O I-x I-x O I-y B-y I-x".split()) == [
        (1, 3, "x"),
        (4, 5, "y"),
        (5, 6, "y"),
        (6, 7, "x"),
    ]


def test_13_all_o_has_no_f1():
    gold = [[(0, 1, "place")], [], [(2, 4, "work")]]
    assert notebook("entity_scores")(gold, [[], [], []]) == (0.0, 0.0, 0.0)
    assert notebook("entity_scores")([[]], [[]]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("K", [2, 3, 5])
def test_13_viterbi_is_enumeration_for_five_words(K):
    generator = torch.Generator().manual_seed(K)
    scores = torch.randn(4, 5, K, generator=generator)
    transitions, start = torch.randn(K, K, generator=generator), torch.randn(K, generator=generator)
    transitions[0, 1] = start[K - 1] = -math.inf
    lengths = [5, 3, 1, 4]
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]
    found = notebook("viterbi")(scores, mask, transitions, start).tolist()
    for row, n, path in zip(scores, lengths, found, strict=True):

        def total(labels, row=row):
            value = start[labels[0]] + sum(row[t, k] for t, k in enumerate(labels))
            return value + sum(transitions[a, b] for a, b in itertools.pairwise(labels))

        best = max(itertools.product(range(K), repeat=n), key=total)
        assert path == [*best, *[-100] * (5 - n)]


def test_13_viterbi_reads_forty_words_with_seventeen_labels():
    viterbi, mask = notebook("viterbi"), torch.ones(8, 40, dtype=torch.bool)
    scores = torch.randn(8, 40, 17, generator=torch.Generator().manual_seed(0))
    # Enumeration of 17 ** 40 sequences would not end.
    alone = scores.argmax(dim=-1)
    assert torch.equal(viterbi(scores, mask, torch.zeros(17, 17), torch.zeros(17)), alone)


def test_13_matthews_is_that_of_scikit_learn():
    from sklearn.metrics import matthews_corrcoef

    rng = np.random.default_rng(0)
    for share in (0.1, 0.5, 0.9, 1.0):
        gold, found = ((rng.random(60) < s).astype(int).tolist() for s in (share, 0.6))
        ours = notebook("matthews")(gold, found)
        assert ours == pytest.approx(matthews_corrcoef(gold, found), abs=1e-12)


def test_13_the_bootstrap_agrees_with_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(1)
    a, b = rng.random(80), rng.random(80) * 0.9
    mean, low, high = notebook("paired_bootstrap")(
        torch.from_numpy(a), torch.from_numpy(b), 9999, torch.Generator().manual_seed(0)
    )
    theirs = bootstrap((a - b,), np.mean, n_resamples=9999, method="percentile", rng=rng)
    assert mean == pytest.approx((a - b).mean())
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.004)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.004)


def test_13_windows_lead_back_to_the_answers_characters():
    windows_of = notebook("answer_windows")
    draw = random.Random(3)
    for _ in range(100):
        offsets, at = [], 0
        for _ in range(draw.randint(1, 30)):
            end = at + draw.randint(1, 6)
            offsets.append((at, end))
            at = end + draw.randint(0, 1)
        i, j = sorted(draw.choices(range(len(offsets)), k=2))
        question, stride = [7] * draw.randint(1, 4), draw.randint(1, 5)
        windows = windows_of(
            question,
            list(range(100, 100 + len(offsets))),
            offsets,
            (offsets[i][0], offsets[j][1]),
            *(1, 2, len(question) + 8, stride),
        )
        covered = set()
        for ids, first, (a, b) in windows:
            assert len(ids) <= len(question) + 8
            inside = ids[len(question) + 2 : -1]
            assert inside == list(range(100 + first, 100 + first + len(inside)))
            covered |= set(inside)
            if (a, b) != (0, 0):
                assert (ids[a], ids[b]) == (100 + i, 100 + j)
        assert len(covered) == len(offsets)


def test_13_the_stored_squad_scores_are_the_published_ones():
    measured = load_results("many_tasks")["squad_metric"]
    for system, published in SQUAD.items():
        assert [round(x, 3) for x in measured[system]] == list(published)


def test_13_planted_tasks_are_what_their_program_writes():
    command = [sys.executable, str(ROOT / "data/almanac/tasks.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_13_a_planted_hypothesis_says_nothing_about_its_class():
    for split in ("train", "validation", "test"):
        classes: dict[str, Counter[int]] = {}
        for _, hypothesis, label in load("almanac-entailment", split):
            classes.setdefault(hypothesis, Counter())[label] += 1
        assert all(counts == Counter({0: 1, 1: 1, 2: 1}) for counts in classes.values())


def test_13_planted_answers_stand_where_they_should():
    train, test = (load("almanac-questions", split) for split in ("train", "test"))
    for row in [*train, *test]:
        ((text, start),) = row.answers
        assert row.context[start : start + len(text)] == text
    assert not {row.title for row in train} & {row.title for row in test}


def test_13_unseen_names_are_in_no_other_split():
    names = {}
    for split in ("train", "validation", "test", "test-unseen"):
        names[split] = set()
        for text in load("almanac-entities", split):
            rows = [token.rsplit("/", 2) for token in text.split(" ")]
            spans = notebook("labels_to_spans")([label for _, label, _ in rows])
            names[split] |= {" ".join(w for w, _, _ in rows[a:b]) for a, b, _ in spans}
    assert not names["test-unseen"] & (names["train"] | names["validation"])


def test_13_choices_have_three_options_and_one_right_position():
    places = Counter(row.label for row in load("almanac-choices", "train"))
    assert all(len(set(row.options)) == 3 for row in load("almanac-choices", "test"))
    assert max(places.values()) < 0.4 * sum(places.values())
