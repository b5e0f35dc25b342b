"""A wrong helper is named before the function that calls it, which may be right."""

import types

import pytest

from coursekit import check
from coursekit.checking import dependency_trace, stored_recordings
from coursekit.checking.check import CheckFailed

NUMBERS = ("halve", "third_of_half", "sum_of_halves")


def recorded(name, points, cases, hint="", wrong=None):
    """An exercise with one number as input; `cases` are pairs of input and output."""
    outcomes = [{"status": "value", "value": wrong(given)} for given, _ in cases] if wrong else []
    known = [{"name": "known", "hint": hint, "outcomes": outcomes}] if wrong else []
    return {
        "name": name,
        "groups": {"values": points},
        "cases": [
            {
                "group": "values",
                "args": [given],
                "names": ["x"],
                "seed": 0,
                "expected": {"status": "value", "value": wanted},
            }
            for given, wanted in cases
        ],
        "misconceptions": known,
    }


@pytest.fixture
def course(monkeypatch):
    """Three exercises, each of which can call the one before; the first is of an earlier assignment."""
    found = {
        "halve": recorded("halve", 2, [(4.0, 2.0), (6.0, 3.0)]),
        "third_of_half": recorded("third_of_half", 2, [(6.0, 1.0), (12.0, 2.0)]),
        "sum_of_halves": recorded(
            "sum_of_halves", 2, [(6.0, 4.0), (12.0, 8.0)], "False hint.", lambda x: 4 * x / 3
        ),
    }
    index = dict.fromkeys(found, "02_numbers") | {"halve": "01_halves"}
    monkeypatch.setattr(stored_recordings, "index", lambda: index)
    monkeypatch.setattr(stored_recordings, "names", lambda: list(index))
    monkeypatch.setattr(stored_recordings, "find", found.__getitem__)
    monkeypatch.setattr(dependency_trace, "_checked", {})
    return found


HALVE = "def halve(x):\n    return x / 2"
THIRD = "def third_of_half(x):\n    return halve(x) / 3"
SUM = "def sum_of_halves(x):\n    return halve(x) + third_of_half(x)"
WRONG = "def halve(x):\n    return x"


def notebook(*cells):
    module = types.ModuleType("__main__")
    for cell in cells:
        exec(cell, module.__dict__)
    return module.__dict__


def verdict(thing):
    with pytest.raises(CheckFailed) as failed:
        check(thing)
    return failed.value.verdict


def test_a_right_notebook_passes(course):
    scope = notebook(HALVE, THIRD, SUM)
    for name in NUMBERS:
        check(scope[name])


def test_the_wrong_helper_is_named_and_no_misconception(course, capsys):
    scope = notebook(WRONG, THIRD, SUM)
    for name in ("third_of_half", "sum_of_halves"):  # of two red ones, that which calls no other
        found = verdict(scope[name])
        words = "your `halve` of assignment 01 fails its own check; this one may be right"
        assert (found.headline, found.hint, found.misconception) == (words, "", "")
        assert found.of_helper
    assert "False hint" not in capsys.readouterr().out
    assert found.detail[0][0] == "in this one"
    assert check.last.expected == 4.0


def test_a_mistake_of_its_own_gets_its_hint(course):
    found = verdict(
        notebook(HALVE, THIRD, "def sum_of_halves(x):\n    return 4 * halve(x) * 2 / 3")[
            "sum_of_halves"
        ]
    )
    assert (found.hint, found.of_helper) == ("False hint.", False)


def test_a_helper_is_only_named_if_it_is_called(course):
    own = "def sum_of_halves(x):\n    third_of_half  # not called\n    return x"
    assert not verdict(notebook(WRONG, THIRD, own)["sum_of_halves"]).of_helper


@pytest.mark.parametrize(
    "text",
    [
        "h = halve\ndef third_of_half(x):\n    return h(x) / 3",
        "import functools\n@functools.lru_cache\ndef third_of_half(x):\n    return halve(x) / 3",
        "class third_of_half(float):\n    def __new__(cls, x):\n        return halve(x) / 3",
    ],
)
def test_calls_are_seen_however_they_are_written(course, text):
    assert verdict(notebook(WRONG, text)["third_of_half"]).of_helper


def test_a_helper_of_another_module_or_with_other_parameters_is_not_the_students(course):
    given = "def halve(vectors, words):\n    return vectors"
    own = "def third_of_half(x):\n    return halve(x, None) / 3"
    assert not verdict(notebook(given, own)["third_of_half"]).of_helper
    scope = notebook(WRONG, THIRD)
    scope["halve"].__module__ = "coursekit.given"
    assert not verdict(scope["third_of_half"]).of_helper


def test_a_skipped_paste_and_an_unwritten_exercise_are_named(course):
    found = verdict(notebook(THIRD)["third_of_half"])
    assert found.headline.startswith("it calls your `halve` of assignment 01, which is not defined")
    found = verdict(notebook(HALVE, SUM)["sum_of_halves"])
    assert found.headline == "it calls your `third_of_half`, which is not defined yet: run its cell"
    missing = notebook("def other(x):\n    return nothing(x)\ndef halve(x):\n    return other(x)")
    assert not verdict(missing["halve"]).of_helper


def test_a_helper_that_takes_long_is_said_to_be_unchecked(course, monkeypatch):
    monkeypatch.setattr(dependency_trace, "_SECONDS", -1.0)
    found = verdict(notebook(WRONG, THIRD)["third_of_half"])
    assert found.headline == (
        "your `halve` of assignment 01, which it calls, has not been checked: check that first"
    )
    scope = notebook(HALVE, "def third_of_half(x):\n    return halve(x)")
    check(scope["halve"])
    assert not verdict(scope["third_of_half"]).of_helper  # it was right when it was checked
    exec(WRONG, scope)  # defined anew
    assert verdict(scope["third_of_half"]).of_helper


@pytest.mark.parametrize(
    ("later", "why"),
    [
        (WRONG, "was defined again after its check had passed, and now fails its own check"),
        ("part = 1", "passed its check, but something that it uses was changed since"),
    ],
)
def test_a_helper_that_was_changed_since_its_check_passed_is_said_to_be(course, later, why):
    scope = notebook("part = 1 / 2", "def halve(x):\n    return x * part", THIRD)
    check(scope["halve"])
    exec(later, scope)
    for _ in range(2):
        assert f"your `halve` of assignment 01 {why}" in verdict(scope["third_of_half"]).headline
    exec("part = 1 / 2", scope)
    exec(HALVE, scope)
    check(scope["third_of_half"])


def test_a_profile_that_was_set_is_put_back(course):
    import sys

    seen = []

    def profile(*event):
        seen.append(event)

    sys.setprofile(profile)
    try:
        verdict(notebook(WRONG, THIRD)["third_of_half"])
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)


def test_no_further_hint_is_offered_for_another_ones_mistake(course, capsys):
    course["third_of_half"]["further"] = "Look further."
    scope = notebook(WRONG, THIRD)
    for _ in range(4):
        verdict(scope["third_of_half"])
    assert "Look further" not in capsys.readouterr().out
