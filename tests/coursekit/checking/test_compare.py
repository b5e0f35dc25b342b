import collections

import numpy as np
import pytest
import torch

from coursekit.checking import codec
from coursekit.checking.comparison import JUDGES


def judge(expected, actual, kind="close", **rules):
    views = [codec.decode_views(codec.encode(v)) for v in (expected, actual)]
    return JUDGES[kind](*views, rules)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1.0, 1),
        (0.5, np.float32(0.5)),
        (3, np.int64(3)),
        (True, np.bool_(True)),
        ("a", "a"),
        (np.ones(2), np.ones(2, np.float32)),
        (torch.ones(2), torch.ones(2, requires_grad=True)),
        (torch.tensor([1, 2]), torch.tensor([1, 2], dtype=torch.int32)),
        ({"a": 1}, collections.Counter("a")),
        ([1.0, [2.0]], [1.0, [2.0000001]]),
        ({1, 2}, {2, 1}),
        (np.float64(0.5), 0.5),
        (np.int64(5), 5),
        (np.bool_(True), True),
        ({1: 2}, {np.int64(1): np.int64(2)}),
        ({1, 2}, {np.int64(1), np.int64(2)}),
        ("a", np.str_("a")),
        (2**60, 2**60),
        (torch.tensor([float("-inf"), 1.0]), torch.tensor([float("-inf"), 1.0])),
        (torch.tensor([float("nan")]), torch.tensor([float("nan")])),
    ],
)
def test_equal_answers_pass(expected, actual):
    assert judge(expected, actual) is None


@pytest.mark.parametrize(
    ("expected", "actual", "stage", "words"),
    [
        (torch.ones(2), None, "type", "it returns None instead of a tensor"),
        (torch.ones(2), np.ones(2, np.float32), "type", "torch.from_numpy"),
        (torch.ones(2), [1.0, 1.0], "type", "a list instead of a tensor"),
        (1.0, torch.tensor(1.0), "type", ".item()"),
        (1.0, True, "type", "True or False"),
        (True, 1, "type", "a whole number instead of True or False"),
        (2, 2.0, "type", "a number instead of a whole number"),
        ([1], (1,), "type", "a tuple instead of a list"),
        (torch.ones(2, 3), torch.ones(3, 2), "shape", "(3, 2) instead of (2, 3)"),
        ([1, 2], [1], "shape", "1 element instead of 2"),
        (torch.ones(2), torch.ones(2, dtype=torch.long), "dtype", "`.float()`"),
        (torch.ones(2), torch.zeros(2, device="meta"), "dtype", "on meta"),
        (torch.ones(2), torch.tensor([1.0, float("nan")]), "property", "NaN"),
        (torch.ones(2), torch.tensor([1.0, float("inf")]), "property", "infinity"),
        (torch.ones(2), torch.tensor([1.0, 1.1]), "value", "1 of 2 numbers differ"),
        (torch.ones(2), torch.tensor([1.0, -1.0]), "value", "1 of 2 numbers has the wrong sign"),
        (torch.ones(3), torch.tensor([1.0, -1.0, -1.0]), "value", "2 of 3 numbers have the wrong"),
        (torch.ones(2), torch.tensor([-1.0, -2.0]), "value", "2 of 2 numbers differ"),
        ({"a": 1}, {"b": 1}, "value", "the key 'a' is missing"),
        ({"a": 1}, {"a": 1, "b": 2}, "value", "'b' should not be there"),
        ("good", "Good", "value", "expected 'good', got 'Good'"),
        ({1}, {2}, "value", "wrong elements"),
        (1.0, object(), "type", "an object of type object"),
        (30522, 30523, "value", "expected 30522, got 30523"),
        ([12000], [12001], "value", "expected 12000, got 12001"),
        (torch.tensor([30522, 1]), torch.tensor([30523, 1]), "value", "1 of 2 differ"),
        (torch.tensor([2**60]), torch.tensor([2**60 + 1]), "value", "got 1152921504606846977"),
        (1.0, 10**400, "property", "infinity"),
        (5.0, np.complex128(5 + 9j), "type", "instead of a number"),
        (torch.float32, torch.float64, "value", "expected float32, got float64"),
        (torch.eye(2), torch.eye(2).to_sparse(), "dtype", "sparse"),
    ],
)
def test_a_wrong_answer_is_found_at_its_stage_and_named(expected, actual, stage, words):
    finding = judge(expected, actual)
    assert finding.stage == stage
    assert words in finding.message


def test_the_largest_difference_is_shown_with_its_place():
    finding = judge(torch.zeros(2, 2), torch.tensor([[0.0, 0.1], [0.0, 0.5]]))
    assert finding.where == "at [1, 1]: expected 0, got 0.5"


def test_nested_results_name_the_part():
    finding = judge((torch.zeros(1), torch.zeros(2)), (torch.zeros(1), torch.zeros(3)))
    assert finding.message.startswith("in result[1]: its shape")


def test_half_precision_is_compared_with_its_own_tolerance():
    assert judge(torch.ones(1).half(), torch.tensor([1.002]).half()) is None


def test_weights_that_do_not_sum_to_one_are_named_before_their_values():
    finding = judge(
        torch.tensor([[0.5, 0.5]]), torch.tensor([[1.0, 1.0]]), properties={"sums_to_one": 1}
    )
    assert finding.stage == "property"
    assert "sum to 2" in finding.message


def test_weights_in_half_precision_sum_to_one_up_to_its_rounding():
    expected, actual = torch.tensor([0.5, 0.5]).half(), torch.tensor([0.498, 0.4985]).half()
    assert judge(expected, actual, properties={"sums_to_one": 0}) is None
    assert (
        judge(expected.float(), actual.float(), properties={"sums_to_one": 0}).stage == "property"
    )


def test_the_order_of_a_dictionary_counts_only_when_asked():
    assert judge({"a": 1, "b": 2}, {"b": 2, "a": 1}) is None
    assert judge({"a": 1, "b": 2}, {"b": 2, "a": 1}, order=True).stage == "value"


def test_predictions_are_judged_by_their_accuracy():
    expected = torch.tensor([1, 0, 1, 1])
    rules = {"labels": [1, 0, 1, 1], "at_least": 0.75}
    assert judge(expected, torch.tensor([1, 0, 1, 0]), "accuracy", **rules) is None
    finding = judge(expected, torch.tensor([0, 0, 1, 0]), "accuracy", **rules)
    assert "50%" in finding.message


def test_a_shuffle_must_hold_every_index_once():
    parts = [torch.tensor([0, 1]), torch.tensor([2])]
    assert judge(parts, [torch.tensor([2, 0]), torch.tensor([1])], "shuffled") is None
    double = judge(parts, [torch.tensor([2, 2]), torch.tensor([1])], "shuffled")
    assert "2 appears more than once" in double.message
    sizes = judge(parts, [torch.tensor([2]), torch.tensor([1, 0])], "shuffled")
    assert sizes.stage == "shape"


def test_a_number_may_be_asked_to_lie_in_a_range():
    assert judge(0.5, 0.4, "between", low=0.0, high=1.0) is None
    assert judge(0.5, 1.4, "between", low=0.0, high=1.0).stage == "value"
    assert judge(0.5, float("nan"), "between", low=0.0, high=1.0).stage == "value"
    several_calls = (torch.tensor(0.5), 0.5)
    assert judge(several_calls, (torch.tensor(0.2), 0.9), "between", low=0.0, high=1.0) is None
    assert judge(several_calls, (torch.tensor(0.2), 1.9), "between", low=0.0, high=1.0) is not None


def test_strings_of_equal_looking_numbers_are_not_numbers():
    assert judge(torch.ones(1), "tensor([1.])").stage == "type"


def test_shuffling_inside_the_parts_alone_is_no_shuffle():
    parts = [torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5])]
    neighbors = judge(parts, parts[::-1], "shuffled", must_shuffle=True)
    assert "shuffle before splitting" in neighbors.message


def test_an_order_turned_around_is_no_shuffle():
    parts = [torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5])]
    turned = [part.flip(0) for part in parts[::-1]]
    assert "turned around" in judge(parts, turned, "shuffled", must_shuffle=True).message
    each = [part.flip(0) for part in parts]
    assert "consecutive" in judge(parts, each, "shuffled", must_shuffle=True).message


def test_a_tensor_of_floats_has_the_expected_precision():
    x = torch.tensor([1.0, 2.0])
    for other in (x.double(), x.half()):
        assert judge(x, other).stage == judge(other, x).stage == "dtype"
        assert judge(x, other, dtype="family") is None


def test_only_the_expected_dtype_loosens_the_tolerance():
    x = torch.tensor([1.0, 2.0])
    assert judge(x.half(), (x + 1e-3).half()) is None
    assert judge(x.half(), x + 1e-3, dtype="family") is None
    assert judge(x, (x + 1e-3).half(), dtype="family").stage == "value"


def test_predictions_and_ranges_take_numpy_numbers():
    rules = {"labels": [1, 0], "at_least": 1.0}
    assert judge([1, 0], [np.int64(1), np.int64(0)], "accuracy", **rules) is None
    assert judge([0.5], [np.float64(0.4)], "between", low=0.0, high=1.0) is None
