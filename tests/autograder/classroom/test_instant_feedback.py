"""Gradescope answers at once, as often as one likes: what a table of all that it says earns."""

import json
import sys

import pytest
from checkout import ROOT

from autograder.classroom.grade_in_gradescope import _number, submission_seed
from autograder.classroom.gradescope_json import results
from autograder.course.assignment import Assignment
from autograder.course.record_cases import draw_assignment, record_reference
from coursekit.checking import codec
from coursekit.checking.format import show
from coursekit.checking.verdict import judge


@pytest.fixture(scope="module")
def attack():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import instant_feedback
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return instant_feedback


@pytest.fixture(scope="module")
def setup(course):
    return Assignment(course, "00_setup")


def test_after_fifty_submissions_a_table_of_what_was_told_earns_nothing(attack, setup):
    assert attack.earned(setup, "word_lengths", told=False)[0] == 0
    # the attack itself works: told the failing case of the same cases each time, it earns points
    assert attack.earned(setup, "word_lengths", told=True)[0] > 0


def test_the_results_tell_no_input_and_no_expected_value(setup):
    for name in setup.exercises:
        exercise = record_reference(setup, name, 1)
        for answer in ({"status": "value", "value": None}, {"status": "value", "value": 0.25}):
            verdict = judge(exercise, [answer] * len(exercise["cases"]))
            told = json.dumps(results([verdict], values=False), ensure_ascii=False)
            assert "call: " not in told
            assert "expected: " not in told
            for case in exercise["cases"]:
                if case["expected"]["status"] == "value":
                    text = show(codec.decode_views(case["expected"]["value"]))
                    assert len(text) < 8 or text not in told


def test_each_submission_has_cases_of_its_own_and_the_same_ones_when_it_is_graded_again(
    setup, tmp_path
):
    (tmp_path / "work.ipynb").write_text("{}")
    assert _number(tmp_path, tmp_path / "work.ipynb") == _number(tmp_path, tmp_path / "work.ipynb")
    (tmp_path / "submission_metadata.json").write_text('{"id": 901}')
    assert _number(tmp_path, tmp_path / "work.ipynb") == "901"
    one, again, other = (
        draw_assignment(setup, submission_seed(7, number)) for number in ("901", "901", "902")
    )
    assert one == again
    assert all(one[name] != other[name] for name in one)
