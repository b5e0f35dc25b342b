import itertools

import pytest
import torch

from autograder.course.second_calls import second_calls
from coursekit.checking import codec
from coursekit.checking.failed_cases import LastCase
from coursekit.checking.format import show_call
from coursekit.checking.judge_case import judge_case
from coursekit.checking.recording_format import SECOND_CALL
from coursekit.checking.run_cases import run_case, run_cases


def drawn(*args, then=None, group="values", **more):
    case = {"group": group, "args": [codec.encode(a) for a in args], "names": ["x"], "seed": 0}
    if then is not None:
        case["then"] = [[step[0], [codec.encode(a) for a in step[1:]], {}] for step in then]
    return case | more


def expecting(reference, cases):
    outcomes = run_cases(reference, cases)
    return [{**case, "expected": outcome} for case, outcome in zip(cases, outcomes)]


def added(reference, cases, others=()):
    """The cases that are added, with what the reference gives."""
    return expecting(reference, second_calls(reference, expecting(reference, cases), others))


class Total:
    """Adds to its start: a right one, which remembers nothing."""

    def __init__(self, start):
        self.start = start

    def add(self, x):
        return self.start + x


class FirstForever(Total):
    def add(self, x):
        self.x = getattr(self, "x", x)
        return self.start + self.x


class GoesOn(Total):
    def add(self, x):
        self.start = self.start + x
        return self.start


class SameTensor(Total):
    """Returns one tensor again and again, each time with other numbers."""

    def add(self, x):
        self.out = getattr(self, "out", torch.zeros(2))
        return self.out.copy_(self.start + x)


def numbers(*values):
    return torch.tensor([float(value) for value in values])


OBJECTS = [drawn(5.0, then=[("add", numbers(1, 2))]), drawn(5.0, then=[("add", numbers(3, 4))])]


@pytest.mark.parametrize("wrong", [FirstForever, GoesOn, SameTensor])
def test_an_object_that_remembers_fails_though_each_call_alone_is_right(wrong):
    cases = expecting(Total, OBJECTS)
    assert all(judge_case(case, run_case(wrong, case)) is None for case in cases)
    (twice,) = added(Total, OBJECTS)
    assert twice["title"] == SECOND_CALL
    assert judge_case(twice, run_case(Total, twice)) is None
    assert judge_case(twice, run_case(wrong, twice)) is not None


def test_an_object_that_is_made_alike_nowhere_is_called_with_the_same_input():
    one = [drawn(5.0, then=[("add", numbers(1, 2))])]
    (twice,) = added(Total, one)
    assert judge_case(twice, run_case(GoesOn, twice)) is not None


class Sums:
    """Adds up as many tensors as it is made for."""

    def __init__(self, count):
        self.count = count

    def add(self, xs):
        return sum(xs[: self.count])


def test_an_object_gets_no_list_of_tensors_that_was_made_for_another_one():
    cases = [drawn(n, then=[("add", [numbers(i + 1) for i in range(n)])]) for n in (1, 3)]
    found = added(Sums, cases)
    assert found
    for twice in found:
        (count,) = (codec.decode(arg) for arg in twice["args"])
        assert {len(codec.decode(xs)) for _, (xs,), _ in twice["then"]} == {count}


def test_the_case_drawn_again_is_the_other_input():
    one, again = ([drawn(5.0, then=[("add", numbers(*pair))])] for pair in ((1, 2), (3, 4)))
    (twice,) = added(Total, one, again)
    assert judge_case(twice, run_case(FirstForever, twice)) is not None


def test_a_reference_that_remembers_gets_no_such_case():
    assert added(GoesOn, OBJECTS) == []


def test_a_function_that_keeps_something_by_the_shape_of_its_input_fails():
    kept = {}

    def by_shape(x):
        return kept.setdefault(x.shape, x * 2)

    cases = [drawn(numbers(1, 2)), drawn(numbers(1)), drawn(numbers(5, 3, 4))]
    others = [drawn(numbers(7, 8)), drawn(numbers(9)), drawn(numbers(1, 1, 1))]
    (twice,) = added(lambda x: x * 2, cases, others)
    kept.clear()
    ours = expecting(lambda x: x * 2, cases)
    assert all(judge_case(case, run_case(by_shape, case)) is None for case in ours)
    assert judge_case(twice, run_case(by_shape, twice)) is not None


def test_a_function_that_returns_the_same_list_each_time_fails():
    shared = []

    def filled(x):
        shared[:] = [x, x]
        return shared

    (twice,) = added(lambda x: [x, x], [drawn(1), drawn(2)])
    assert judge_case(twice, run_case(filled, twice)) is not None


def test_each_group_gets_one_and_gradients_errors_and_other_judges_none():
    cases = [drawn(n, group=group) for group, n in itertools.product(("a", "b"), range(3))]
    cases += [drawn(1.0, group="c", judge={"kind": "between", "low": 0, "high": 9})]
    cases += [
        drawn(numbers(1), group="d", gradient="x"),
        drawn(numbers(2), group="d", gradient="x"),
    ]
    assert [case["group"] for case in added(lambda x: x, cases)] == ["a", "b"]


def test_both_calls_are_shown_and_can_be_run_again():
    (twice,) = added(lambda x: x + 1, [drawn(1), drawn(2)])
    text = show_call({"name": "f"}, twice)
    assert text.count("f(") == 2
    last = LastCase(lambda x: 0, twice, run_case(lambda x: 0, twice), "f")
    assert last.again == [([1], {})]
    assert last.run() == (0, 0)
    assert last.run(lambda x: x + 1) == last.expected


def test_an_input_changed_by_the_second_call_is_named():
    def sorts(x):
        if x[0] > 4:
            x.sort()
        return sum(x)

    case = {**drawn([1, 2]), "again": [[[[9, 3]], {}]]}
    assert run_case(sorts, case)["changed"] == ["x of the second call"]


class Masks:
    """Sets to 0 what is masked, if there is a mask: a right one."""

    def apply(self, x, mask=None):
        return x if mask is None else x * mask


class FirstMask(Masks):
    def apply(self, x, mask=None):
        if mask is not None and getattr(self, "mask", mask).shape == mask.shape:
            mask = self.mask = getattr(self, "mask", mask)
        return super().apply(x, mask)


class MaskOfBefore(Masks):
    def apply(self, x, mask=None):
        self.mask = getattr(self, "mask", None) if mask is None else mask
        return super().apply(x, self.mask)


def masked(*rows, **more):
    return drawn(then=[("apply", torch.ones(len(rows), 2), torch.tensor(rows) == 1)], **more)


def fails(wrong, cases):
    return [judge_case(case, run_case(wrong, case)) is not None for case in cases]


def test_an_answer_that_keeps_one_input_of_two_as_long_as_the_shapes_agree_fails():
    cases = [masked((1, 0), (1, 1)), masked((1, 0), (1, 1), (0, 1))]
    twice, further, _ = added(Masks, cases)
    assert not any(fails(FirstMask, [*expecting(Masks, cases), twice]))
    assert fails(FirstMask, [further]) == [True]
    assert fails(Masks, [further]) == [False]


def test_an_answer_that_goes_on_with_an_optional_input_that_is_left_out_fails():
    cases = [masked((1, 0), (1, 1))]
    *others, last = added(Masks, cases)
    assert not any(fails(MaskOfBefore, [*expecting(Masks, cases), *others]))
    assert fails(MaskOfBefore, [last]) == [True]
    assert fails(Masks, [last]) == [False]


def test_no_case_is_added_for_inputs_that_another_one_already_varies():
    both = [drawn(5.0, then=[("add", numbers(1, 2)), ("add", numbers(3, 4))])]
    assert len(added(Total, both)) == 1


def test_a_result_that_is_not_a_number_is_compared_in_no_made_up_call():
    class Mean:
        def mean(self, x, mask):
            return (x * mask).sum(-1) / mask.sum(-1)

    x, mask = torch.ones(2, 3), torch.tensor([[1, 0, 1], [0, 0, 0]]) == 1
    assert len(added(Mean, [drawn(then=[("mean", x, mask)])])) == 1
