import pytest
import torch
from torch import nn

from autograder.course.stale_input_cases import (
    Input,
    caught,
    opened,
    replaced,
    turned,
    without_optional,
)
from coursekit.checking import codec


def called(*calls, method="__call__"):
    """A case with calls on an object, each a list of inputs."""
    steps = [[method, [codec.encode(one) for one in inputs], {}] for inputs in calls]
    return {"group": "values", "args": [], "names": [], "seed": 0, "then": steps}


def inputs_of(case, call=0):
    return [codec.decode(one) for one in case["then"][call][1]]


class Weighs(nn.Module):
    def forward(self, x, weights=None):
        return x if weights is None else x * weights


X, Y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
MASK = torch.tensor([[True, True, False], [True, False, False]])


def test_an_input_is_caught_if_the_earlier_one_would_change_the_result():
    case = called((X, MASK), (X, ~MASK))
    assert replaced(case) == caught(Weighs, case) == {Input("__call__", 1)}
    zeros = called((X * 0, MASK), (X * 0, ~MASK))
    assert replaced(zeros) == {Input("__call__", 1)}
    assert caught(Weighs, zeros) == set()


def test_inputs_of_other_shapes_are_not_replaced():
    assert replaced(called((X, MASK), (X.T, ~MASK.T))) == set()


def test_an_input_that_is_left_out_is_caught_also_after_a_call_of_its_own():
    out = Input("__call__", 1, left_out=True)
    assert caught(Weighs, called((X, MASK), (Y,))) == {out}
    assert out in caught(Weighs, called((X, MASK), (Y, None)))
    assert Input("__call__", 1) in caught(Weighs, called((X, MASK), (Y,), (X, ~MASK)))


def test_all_rows_of_a_batch_are_turned_together():
    x, mask, labels = inputs_of(turned(called((X, MASK, torch.tensor([4, 5])))))
    assert x.tolist() == X.flip(0).tolist()
    assert mask.tolist() == MASK.flip(0).tolist()
    assert labels.tolist() == [5, 4]
    half = X.bfloat16()
    assert torch.equal(inputs_of(turned(called((half,))))[0], half.flip(0))


@pytest.mark.parametrize(
    "inputs",
    [
        (X[:1], MASK[:1]),  # one row
        (X, MASK[:1]),  # not one batch
        (X[0], torch.tensor([1, 0, 2])),  # the places of one text
        (X, torch.tensor([True, False])),  # a mask of places
        (torch.eye(2), X),  # rows and columns may be the same things
        (X, [3, 2]),  # a list may have something for each row
        (X, torch.tensor(2.0)),
        (3,),
    ],
)
def test_rows_that_may_mean_something_else_in_another_place_are_left(inputs):
    assert turned(called(inputs)) is None


def test_a_mask_of_pairs_of_places_is_opened_and_one_of_padding_stays():
    causal = torch.ones(3, 3).tril() == 1
    x, pairs, padding = inputs_of(opened(called((X, causal, MASK))))
    assert pairs.all()
    assert torch.equal(x, X)
    assert torch.equal(padding, MASK)
    square = MASK[:, :2]
    assert torch.equal(inputs_of(opened(called((X[:, :2], square))))[1], square)


def test_optional_arrays_are_left_out_of_the_last_call():
    case = without_optional(Weighs, called((X, MASK), (Y, ~MASK)))
    assert inputs_of(case)[1].equal(MASK)
    assert inputs_of(case, 1)[1] is None
    assert without_optional(Weighs, called((X,))) is None
    assert without_optional(Weighs, called((X, None))) is None
    assert without_optional(dict, called(({},), method="update")) is None


def test_an_optional_array_of_a_function_may_be_named():
    def weighs(x, weights=None):
        return x

    case = {"group": "a", "args": [codec.encode(X)], "names": ["x"], "seed": 0}
    case["kwargs"] = {"weights": codec.encode(MASK)}
    assert without_optional(weighs, case)["kwargs"] == {"weights": None}
