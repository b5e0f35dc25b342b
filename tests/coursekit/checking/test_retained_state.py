"""An answer that remembers an earlier call is told that, and where."""

import pytest

from coursekit.checking.recording_format import SECOND_CALL
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

ONE = {"group": "values", "names": ["x"], "seed": 0}
CASES = [{**ONE, "args": [2.0]}, {**ONE, "args": [3.0]}]
TWICE = {**ONE, "args": [5.0], "again": [([2.0], {})], "title": SECOND_CALL}
LAYER = [
    {**ONE, "args": [], "then": [["add", [2.0], {}]]},
    {**ONE, "args": [], "then": [["add", [5.0], {}], ["add", [2.0], {}]], "title": SECOND_CALL},
]
RIGHT_LAYER = "class total:\n    def add(self, x): return x"


def headline(source, cases=(*CASES, TWICE), right="def total(x): return x"):
    scope, reference = {"__name__": "__main__"}, {}
    exec(source, scope)
    exec(right, reference)
    expected = run_cases(reference["total"], cases)
    recorded = [{**case, "expected": outcome} for case, outcome in zip(cases, expected)]
    exercise = {"name": "total", "groups": {"values": 2}, "cases": recorded, "misconceptions": []}
    return judge(exercise, run_cases(scope["total"], cases)).headline


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (
            "def total(x, seen=[]):\n    seen.append(x)\n    return sum(seen)",
            "default value of `seen`",
        ),
        (
            "def total(x, *, first={}):\n    return first.setdefault('x', x)",
            "default value of `first`",
        ),
        (
            "def total(x):\n    total.n = getattr(total, 'n', 0.0) + x\n    return total.n",
            "attribute `n`",
        ),
        ("SEEN = []\ndef total(x):\n    SEEN.append(x)\n    return sum(SEEN)", "variable `SEEN`"),
        ("n = 0.0\ndef total(x):\n    global n\n    n += x\n    return n", "variable `n`"),
        (
            "import functools\nn = []\n@functools.lru_cache\ndef total(x):\n    return 2 * x",
            "the cache around it",
        ),
        (
            "class total(float):\n    seen = []\n    def __new__(cls, x):\n"
            "        cls.seen.append(x)\n        return sum(cls.seen)",
            "attribute `seen` of the class",
        ),
    ],
)
def test_the_place_where_something_is_kept_is_named(source, place):
    found = headline(source)
    assert "its result may depend on an earlier call: it keeps something in" in found
    assert place in found


def test_what_only_a_second_call_gets_wrong_is_said_to_depend_on_the_first():
    source = (
        "class total:\n    n = 0\n    def add(self, x):\n        self.n += x\n        return self.n"
    )
    found = headline(source, LAYER, RIGHT_LAYER)
    assert found.startswith(
        "in result[1]: expected 2, got 7; its result depends on an earlier call"
    )
    assert "a default value that can change, an attribute, or a cache" in found


def test_nothing_is_said_of_an_answer_that_is_wrong_at_once_or_right():
    assert "earlier call" not in headline("def total(x): return x + 1")
    assert "earlier call" not in headline("def total(x): return 7.0 if x == 5 else x")
    assert headline("def total(x, seen=[]):\n    seen.append(x)\n    return x").startswith("every")
