"""A built-in name that a notebook has given another meaning is named where an answer fails."""

import pytest

from coursekit.checking.judge_case import judge_case
from coursekit.checking.run_cases import run_case
from coursekit.checking.verdict import clean

COUNT = "def count(items):\n    return len(items)"
CASE = {"group": "values", "args": [[1, 2, 3]], "names": ["items"], "seed": 0}


def finding(*cells, name="count", expected=3, **case):
    scope = {"__name__": "__main__"}
    for cell in cells:
        exec(cell, scope)
    outcome = clean(run_case(scope[name], {**CASE, **case}))
    wanted = {"status": "value", "value": expected}
    return judge_case({**CASE, **case, "expected": wanted}, outcome)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("len = 5", "`len` a number"),
        ("len = 'abc'", "`len` a text"),
        ("len = [1]", "`len` a list"),
        ("len = None", "`len` None"),
        ("import torch\nlen = torch.ones(2)", "`len` a tensor"),
        ("from math import sqrt as len", "`len` a function of math"),
        ("for len in range(3): pass", "`len` a number"),
        ("def len(items):\n    return 7", "`len` a function of its own"),
        ("len, sum = 2, 5", "`len` a number"),
    ],
)
def test_a_shadowed_name_is_named(cell, words):
    found = finding(COUNT, cell)
    assert f"your notebook has made {words}: use another name there" in found.message
    assert "`sum`" not in found.message


@pytest.mark.parametrize(
    ("source", "case"),
    [
        ("def total(items): return len(items)\ndef count(items): return total(items)", {}),
        ("def count(items): return max([len(one) for one in [items]])", {}),
        (
            "class count:\n    def __init__(self, items): self.items = items\n"
            "    def get(self): return len(self.items)",
            {"then": [["get", [], {}]]},
        ),
        (
            "import functools\ndef _count(a, items): return len(items)\n"
            "count = functools.partial(_count, 1)",
            {},
        ),
    ],
)
def test_it_is_found_where_it_is_used(source, case):
    assert finding(source, **case) is None
    assert "made `len` a number" in finding(source, "len = 5", **case).message


def test_nothing_is_said_of_a_right_answer_or_of_names_that_are_not_used():
    assert finding(COUNT, "def len(items):\n    return items[-1]") is None
    assert finding(COUNT, "sum = 5") is None
    assert "notebook" not in finding(COUNT.replace("len(items)", "items + 1"), "len = 5").message


def test_a_name_that_a_kernel_sets_itself_is_not_the_notebooks():
    source = "def count(items):\n    return open(items)"
    assert "notebook" not in finding("from io import open", source).message
