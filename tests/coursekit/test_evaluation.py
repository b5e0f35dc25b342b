"""Accuracy, intervals and comparisons."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from coursekit.evaluation import (
    EvaluationError,
    accuracy,
    accuracy_by,
    compare_models,
    mcnemar,
    score,
    wilson_interval,
)


def test_importing_evaluation_imports_neither_torch_nor_scipy():
    code = "import sys, coursekit.evaluation; sys.exit('torch' in sys.modules or 'scipy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("form", [list, np.array, torch.tensor])
def test_accuracy_takes_lists_arrays_and_tensors(form):
    assert accuracy(form([1, 0, 1, 1]), form([1, 0, 0, 1])) == 0.75


def test_classes_may_be_booleans_or_whole_decimals():
    assert accuracy(torch.tensor([0.3, -2.0]) > 0, [1.0, 0.0]) == 1.0


@pytest.mark.parametrize(
    ("predictions", "labels", "sentence"),
    [
        ([1, 0], [1], "2 predictions but 1 labels"),
        ([], [], "empty"),
        ([0.2, 0.9], [0, 1], "probabilities or logits"),
        ([float("nan")], [0], "probabilities or logits"),
        (torch.zeros(2, 3), [0, 1], "argmax"),
        (["good"], [1], "'good'"),
        ([[1], [1, 2]], [0, 1], "not a list of classes"),
    ],
)
def test_predictions_that_are_no_classes_are_refused_in_a_sentence(predictions, labels, sentence):
    with pytest.raises(EvaluationError, match=sentence):
        accuracy(predictions, labels)


def test_the_wilson_interval_has_the_published_values():
    # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)


def test_more_examples_make_the_interval_narrower():
    (low, high), (lower, higher) = wilson_interval(80, 100), wilson_interval(8, 10)
    assert lower < low < 0.8 < high < higher


@pytest.mark.parametrize("n", [1, 7, 872])
def test_the_interval_of_all_right_and_of_none_right_ends_exactly_there(n):
    assert wilson_interval(n, n)[1] == 1
    assert wilson_interval(0, n)[0] == 0


@pytest.mark.parametrize(("correct", "n"), [(1, 0), (3, 2), (-1, 2)])
def test_an_impossible_interval_is_refused(correct, n):
    with pytest.raises(EvaluationError, match="0 <= correct"):
        wilson_interval(correct, n)


def test_without_an_answer_nothing_is_known():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_accuracy_by_phenomenon_keeps_their_order_and_counts():
    groups = ["plain", "irony", "plain", "irony", "plain"]
    scores = accuracy_by(groups, [1, 1, 1, 0, 0], [1, 0, 1, 1, 1])
    assert scores.names == ["plain", "irony"]
    plain = scores["plain"]
    assert (plain.n, plain.correct, plain.accuracy) == (3, 2, pytest.approx(2 / 3))
    assert plain[4:] == wilson_interval(2, 3)
    assert scores["irony"].accuracy == 0
    assert "66.7%" in repr(scores)
    assert "66.7%" in scores._repr_html_()
    with pytest.raises(KeyError, match="negation"):
        scores["negation"]


def test_accuracy_by_needs_a_group_for_every_example():
    with pytest.raises(EvaluationError, match="no groups"):
        accuracy_by(None, [1], [1])
    with pytest.raises(EvaluationError, match="1 groups but 2 labels"):
        accuracy_by(["a"], [1, 0], [1, 0])


def test_two_models_that_agree_cannot_be_told_apart():
    same = compare_models({"a": [1, 0, 1], "b": [1, 0, 1]}, [1, 1, 1])
    assert same.p_values == {"b": 1}


def test_the_exact_test_looks_at_disagreements_only():
    # First alone right once, second alone right 9 times: p = 2 * (1 + 10) / 2**10.
    labels = np.ones(50, dtype=int)
    first, second = labels.copy(), labels.copy()
    first[:9] = 0
    second[9] = 0
    result = compare_models({"first": first, "second": second}, labels)
    assert result.p_values["second"] == pytest.approx(22 / 1024)
    assert repr(result).endswith("+16.0  0.021")


def test_models_are_compared_with_the_first():
    labels = [1] * 40
    table = compare_models({"bag": [1] * 20 + [0] * 20, "attention": [1] * 40}, labels)
    assert table.names == ["bag", "attention"]
    lines = repr(table).splitlines()
    assert lines[0].split() == ["model", "accuracy", "interval", "against", "bag", "p"]
    assert lines[2].endswith("+50.0  < 0.001")
    assert "&lt; 0.001" in table._repr_html_()


def test_comparing_no_models_or_wrong_lengths_is_refused():
    with pytest.raises(EvaluationError, match="at least one model"):
        compare_models({}, [1])
    with pytest.raises(EvaluationError, match="2 predictions but 1 labels"):
        compare_models({"bag": [1, 0]}, [1])


def test_a_score_carries_its_interval():
    assert score("bag", [1, 0], [1, 1])[:4] == ("bag", 2, 1, 0.5)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(1, 9, 22 / 1024), (9, 1, 22 / 1024), (5, 5, 1), (0, 0, 1), (0, 5, 2 / 32)],
)
def test_mcnemar_counts_disagreements_only_and_both_ways(only_first, only_second, p):
    both = [True] * 7 + [False] * 4
    first = [True] * only_first + [False] * only_second + both
    second = [False] * only_first + [True] * only_second + both
    assert mcnemar(first, second) == pytest.approx(p)


def test_mcnemar_refuses_answers_to_different_numbers_of_examples():
    with pytest.raises(EvaluationError, match="1 answers of the first model but 2"):
        mcnemar([True], [True, False])


def test_tables_take_an_interval_and_a_test_of_ones_own():
    def interval(correct, n):
        return correct / n - 0.125, correct / n + 0.125

    labels, seen = [1, 1, 0, 0], []

    def test(first, second):
        seen.append((first, second))
        return 0.25

    table = compare_models(
        {"a": [1, 1, 0, 1], "b": np.array([0, 1, 0, 0])}, labels, interval=interval, test=test
    )
    assert seen == [([True, True, True, False], [False, True, True, True])]
    assert table.p_values == {"b": 0.25}
    assert table["a"][4:] == (0.625, 0.875)
    groups = accuracy_by(["x", "x", "y", "y"], [1, 1, 0, 1], labels, interval=interval)
    assert groups["y"][4:] == (0.375, 0.625)
    assert score("a", [1, 1, 0, 1], labels, interval=interval).low == 0.625
