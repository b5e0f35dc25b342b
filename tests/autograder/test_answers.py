"""Answers as students would type them, written from the student notebooks alone.

`answers/right/` holds right answers in many styles, `answers/wrong/` wrong ones, a file per
assignment. A cell begins with ``# %% EXERCISE: in words``; for a wrong answer the misconception
whose hint it gets follows after ``|``, or nothing where no hint fits.
"""

import re

import pytest
from checkout import ROOT

from autograder.course.layout import Course
from autograder.course.recording import record_reference
from autograder.course.reference import run_answer
from coursekit.checking.recordings import find
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

COURSE = Course(ROOT)
ANSWERS = ROOT / "tests" / "autograder" / "answers"
_CELL = re.compile(r"^# %% (\w+): ([^|\n]+?)(?: \| ?(\w*))?\n(.*?)(?=^# %% |\Z)", re.M | re.S)


def answers(kind, assignment):
    """Exercise, description, misconception and source of each answer."""
    text = (ANSWERS / kind / f"{assignment}.py").read_text("utf-8")
    found = _CELL.findall(text)
    assert len(found) == text.count("# %% ")
    return found


def verdict_on(assignment, exercise, source):
    answer = run_answer(COURSE.solution(assignment), exercise["name"], source)
    return judge(exercise, run_cases(answer, exercise["cases"]))


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_right_answers_in_any_style_pass_the_check(assignment):
    for name, words, _, source in answers("right", assignment):
        verdict = verdict_on(assignment, find(name), source)
        assert verdict.passed, (name, words, verdict.headline, verdict.detail)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_right_answers_in_any_style_earn_full_points(assignment, seed):
    exercises = {}
    for name, words, _, source in answers("right", assignment):
        if name not in exercises:
            exercises[name] = record_reference(COURSE, assignment, name, seed)
        verdict = verdict_on(assignment, exercises[name], source)
        assert verdict.passed, (name, words, verdict.headline, verdict.detail)


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_wrong_answers_lose_points_and_get_the_hint_that_names_the_mistake(assignment):
    for name, words, misconception, source in answers("wrong", assignment):
        verdict = verdict_on(assignment, find(name), source)
        assert not verdict.passed, (name, words)
        assert verdict.misconception == misconception, (name, words, verdict.headline)
