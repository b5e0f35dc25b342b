import torch

from coursekit.checking import codec
from coursekit.checking.failure_patterns import distinguish, passing


def case(group="values", mask=None, **inputs):
    args = [codec.encode(value) for value in inputs.values()]
    kwargs = {} if mask is None else {"mask": codec.encode(mask)}
    return {"group": group, "args": args, "names": list(inputs), "kwargs": kwargs}


def test_what_passes_is_counted_by_group():
    cases = [case("values", n=1), case("values", n=2), case("edges", n=0), case("more", n=3)]
    assert passing(cases, [1, 3]) == "1 of 2 in values, all of edges"
    assert passing(cases, [0, 1, 2, 3]) == ""


def test_a_failing_case_is_told_by_what_no_passing_one_has():
    usual, negative = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, 2.0])
    cases = [case(x=usual), case(x=negative), case(x=torch.tensor([-3.0, 5.0])), case(x=2 * usual)]
    assert distinguish(cases, [1, 2]) == "x contains negative numbers"
    for inputs, fact in (
        ({"x": torch.zeros(0)}, "x is empty"),
        ({"x": torch.tensor([1.0, 1.0])}, "x contains equal numbers"),
        ({"x": usual.half()}, "x has dtype float16"),
        ({"x": [1, 1]}, "x has equal elements"),
    ):
        assert fact in distinguish([case(x=usual), case(**inputs)], [1])


def test_a_mask_that_only_the_failing_cases_lack_is_named():
    x, mask = torch.ones(2), torch.tensor([True, False])
    cases = [case(x=x), case(x=x, mask=mask)]
    assert distinguish(cases, [0]).startswith("mask is not given")
    assert distinguish(cases, [1]) == "mask is given"


def test_of_a_method_that_only_failing_cases_call_it_is_said_that_it_is_called():
    x = codec.encode(torch.ones(2, 3))
    made = {"group": "values", "args": [2], "names": ["size"], "kwargs": {}}
    read = {**made, "then": [[".size", [], {}]]}
    for method, words in (("__call__", "the object is called"), ("pool", "pool is called")):
        called = {**made, "then": [[method, [x, x], {}]]}
        assert distinguish([read, called], [1]) == words
        ones = {**made, "then": [[method, [codec.encode(torch.ones(2)), x], {}]]}
        assert "has 2 axes" in distinguish([ones, called], [1])


def test_nothing_is_said_where_nothing_is_true_of_the_failing_cases_only():
    x = torch.tensor([1.0, 2.0])
    assert distinguish([case(x=x), case(x=x + 1)], [1]) == ""
    assert distinguish([case(x=x), case(x=x + 1)], [0, 1]) == ""
