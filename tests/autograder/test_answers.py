"""Answers as students would type them, written from the student notebooks alone.

`exercises/NN_topic/answers/right.py` holds right answers in many styles, `wrong.py` wrong ones. A cell begins with ``# %% EXERCISE: in words``; for a wrong answer the misconception
whose hint it gets follows after ``|``, or nothing where no hint fits. `python benchmarks/answers.py`
judges the right ones with class seeds and stores how many there are.
"""

import json
from collections import Counter

import pytest
from checkout import ROOT, shared_assignment
from typed_answers import COURSE, answers, verdict_on

from autograder.course.recording import record_reference
from coursekit.checking.recordings import find

STYLES = 3  # right answers to each exercise, at least: typed here, or an alternative in its module
RESULTS = ROOT / "data" / "results" / "answers.json"


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_right_answers_in_any_style_pass_the_check(assignment):
    for name, words, _, source in answers("right", assignment):
        verdict = verdict_on(assignment, find(name), source)
        assert verdict.passed, (name, words, verdict.headline, verdict.detail)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_right_answers_in_any_style_earn_full_points(assignment, seed):
    recorded = {}
    for name, words, _, source in answers("right", assignment):
        if name not in recorded:
            recorded[name] = record_reference(shared_assignment(assignment), name, seed)
        verdict = verdict_on(assignment, recorded[name], source)
        assert verdict.passed, (name, words, verdict.headline, verdict.detail)


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_every_exercise_has_right_answers_in_several_styles(assignment):
    found = answers("right", assignment)
    styles = Counter(name for name, *_ in found)
    assert set(styles) == set(shared_assignment(assignment).exercises)
    for name, exercise in shared_assignment(assignment).exercises.items():
        assert styles[name] + len(exercise.alternatives) >= STYLES, name
    assert len({source for *_, source in found}) == len(found)
    assert len({(name, words) for name, words, *_ in found}) == len(found)


def test_all_right_answers_were_judged_with_class_seeds():
    stored = json.loads(RESULTS.read_text("utf-8"))
    assert stored["answers"] == {name: len(answers("right", name)) for name in stored["answers"]}
    assert stored["seeds"] >= 3
    assert stored["lost points"] == []


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_wrong_answers_lose_points_and_get_the_hint_that_names_the_mistake(assignment):
    for name, words, misconception, source in answers("wrong", assignment):
        verdict = verdict_on(assignment, find(name), source)
        assert not verdict.passed, (name, words)
        assert verdict.misconception == misconception, (name, words, verdict.headline)
