"""Cases that ask for the gradients of all inputs and parameters."""

import pytest
import torch
from torch import nn

from coursekit.checking import codec
from coursekit.checking.judge_case import judge_case, same_outcome
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge


class Reference(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.W = nn.Linear(n, 1)
        self.v = nn.Parameter(torch.ones(n))

    def forward(self, X, mask):
        return self.W((X * self.v).relu()) * mask


def frozen(self, n):
    Reference.__init__(self, n)
    self.W.requires_grad_(False)


def unregistered(self, n):
    Reference.__init__(self, n)
    del self.v
    self.v = torch.ones(n)


def with_another_parameter(self, n):
    Reference.__init__(self, n)
    self.extra = nn.Parameter(torch.zeros(()))
    self.W.register_forward_hook(lambda *args: args[-1] + self.extra)


def with_an_unused_parameter(self, n):
    Reference.__init__(self, n)
    self.unused = nn.Parameter(torch.zeros(()))


def with_another_name(self, n):
    Reference.__init__(self, n)
    W = self.W
    del self.W
    self.layers = nn.Sequential(W)
    self.W = self.layers[0]


def answer(init=Reference.__init__, forward=Reference.forward):
    return type("Answer", (Reference,), {"__init__": init, "forward": forward})


@pytest.fixture(scope="module")
def exercise():
    X = torch.tensor([[0.5, -1.0, 2.0], [1.0, 3.0, -0.5]])
    inputs = [codec.encode(X), codec.encode(torch.tensor([[True], [True]]))]
    case = {
        "group": "values",
        "args": [3],
        "names": ["n"],
        "state": {"W.weight": codec.encode(torch.tensor([[0.3, -0.2, 0.7]]))},
        "then": [["__call__", inputs, {}]],
        "gradient": "all",
    }
    (case["expected"],) = run_cases(Reference, [case])
    names = codec.decode(case["expected"]["value"])
    assert list(names) == ["self.v", "self.W.weight", "self.W.bias", "input 1"]
    return {"name": "Answer", "groups": {"values": 1}, "cases": [case]}


@pytest.mark.parametrize(
    ("thing", "headline"),
    [
        (answer(), "every case"),
        (answer(with_an_unused_parameter), "every case"),
        (answer(with_another_name), "every case"),
        (
            answer(forward=lambda self, X, mask: self.W((X.detach() * self.v).relu()) * mask),
            "no gradient reaches input 1",
        ),
        (
            answer(forward=lambda self, X, mask: self.W((X * self.v).relu()).detach() * mask),
            "no gradient reaches self.v",
        ),
        (
            answer(forward=lambda self, X, mask: self.W((X * self.v).relu()) * mask * 2),
            "its gradient differs",
        ),
        (answer(frozen), "self.W.weight is not a parameter that training would change"),
        (answer(unregistered), "self.v is not a parameter that training would change"),
        (answer(with_another_parameter), "self.extra would be trained, but should be frozen"),
    ],
)
def test_what_would_not_be_trained_is_named(exercise, thing, headline):
    verdict = judge(exercise, run_cases(thing, exercise["cases"]))
    assert headline in verdict.headline
    assert verdict.passed == (headline == "every case")


@pytest.mark.parametrize(
    ("loss", "headline"),
    [
        (lambda self: 0 * self.W.weight.sum(), "every case"),
        (lambda self: torch.tensor(0.0), "its result has no gradient, so `backward()` raises"),
        (lambda self: torch.zeros((), requires_grad=True), "every case"),
        (lambda self: (0 * self.W.weight.sum()).detach(), "its result has no gradient"),
    ],
)
def test_a_loss_of_zero_that_is_a_constant_loses_a_case_of_all_gradients(loss, headline):
    steps = {"args": [3], "names": ["n"], "then": [["loss", [], {}]]}
    case = {"group": "values", **steps, "gradient": "all"}
    (expected,) = run_cases(
        type("Answer", (Reference,), {"loss": lambda self: self.v.sum() * 0}), [case]
    )
    recorded = {
        "name": "Answer",
        "groups": {"values": 1},
        "cases": [{**case, "expected": expected}],
    }
    verdict = judge(recorded, run_cases(type("Answer", (Reference,), {"loss": loss}), [case]))
    assert headline in verdict.headline
    assert verdict.passed == (headline == "every case")


def test_an_input_changed_in_place_loses_a_case_of_all_gradients(exercise):
    (case,) = exercise["cases"]

    def forward(self, X, mask):
        result = Reference.forward(self, X, mask.clone())
        mask.logical_not_()
        return result

    finding = judge_case(case, run_cases(answer(forward=forward), [case])[0])
    assert "in place" in finding.message


def test_a_gradient_of_zero_may_be_left_by_rounding(exercise):
    case = exercise["cases"][0]
    gradients = {"a": torch.tensor([100.0]), "b": torch.tensor([1e-4])}
    expected = {"status": "value", "value": codec.encode(gradients)}
    zero = {**gradients, "b": torch.tensor([0.0])}
    recorded = {**exercise, "cases": [{**case, "expected": expected}]}
    assert judge(recorded, [{"status": "value", "value": codec.encode(zero)}]).passed


def test_a_small_gradient_beside_large_ones_may_differ_by_their_rounding():
    def judged(small):
        values = [torch.tensor([4.0, number]) for number in (-0.001326, small)]
        expected, actual = ({"status": "value", "value": codec.encode(v)} for v in values)
        return judge_case({"expected": expected, "gradient": "x"}, actual)

    assert judged(-0.001328) is None
    assert judged(-0.0014) is not None
    assert judged(0.0) is not None


def test_wrong_values_are_explained_before_their_gradients(exercise):
    (case,) = exercise["cases"]
    values = {key: value for key, value in case.items() if key != "gradient"}
    (values["expected"],) = run_cases(Reference, [values])
    recorded = {**exercise, "cases": [case, values]}
    doubled = answer(forward=lambda self, X, mask: 2 * self.W((X * self.v).relu()) * mask)
    verdict = judge(recorded, run_cases(doubled, recorded["cases"]))
    assert verdict.case == 1
    assert "gradient" not in verdict.headline + verdict.groups[0].reason


@pytest.mark.parametrize(
    "forged",
    [
        {"self.v": "text", "self.W.weight": 1, "self.W.bias": None, "input 1": []},
        {"self.v": torch.zeros(3), 1: "x"},
        {},
        [1.0],
        "text",
    ],
    ids=str,
)
def test_forged_gradients_earn_nothing(exercise, forged):
    verdict = judge(exercise, [{"status": "value", "value": codec.encode(forged)}])
    assert verdict.points == 0
    assert verdict.headline


def test_misconceptions_are_compared_with_the_tolerance_of_gradients(exercise):
    case = exercise["cases"][0]
    one, two = (
        {
            "status": "value",
            "value": codec.encode({"a": torch.tensor([50.0]), "b": torch.tensor([b])}),
        }
        for b in (2e-6, -3e-6)
    )
    assert same_outcome(case, one, two)


@pytest.mark.filterwarnings("error")
def test_gradients_that_are_nan_are_compared_by_the_others(exercise):
    case = exercise["cases"][0]

    def outcome(b):
        gradients = {"a": torch.tensor([torch.nan, 50.0]), "b": torch.tensor([b])}
        return {"status": "value", "value": codec.encode(gradients)}

    assert same_outcome(case, outcome(2.0), outcome(2.00001))
    assert not same_outcome(case, outcome(2.0), outcome(3.0))


def test_the_tensors_of_a_tuple_are_followed_too():
    state = (torch.ones(2), torch.tensor([2.0, 3.0]), 7)
    data = {"args": [codec.encode(state)], "names": ["state"], "gradient": "all"}
    (outcome,) = run_cases(lambda state: state[0] * state[1], [data])
    found = codec.decode(outcome["value"])
    assert {name: gradient.tolist() for name, gradient in found.items()} == {
        "state[0]": [2.0, 6.0],
        "state[1]": [1.0, 2.0],
    }
