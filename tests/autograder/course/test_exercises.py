"""What every exercise of the course must keep, whatever seed grading draws its cases from."""

import pytest
from checkout import ROOT

from autograder.course import catalog
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record_assignment
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

COURSE = Course(ROOT)
EXERCISES = [
    (assignment, name)
    for assignment in COURSE.assignments()
    for name in catalog.exercises(COURSE, assignment)
]
SEEDS = (1, 2, 3, 4, 5)


@pytest.fixture(params=EXERCISES, ids=lambda pair: pair[1])
def exercise(request):
    assignment, name = request.param
    return assignment, catalog.exercises(COURSE, assignment)[name]


def test_each_has_three_misconceptions_with_hints_and_two_alternatives(exercise):
    _, own = exercise
    assert len(own.misconceptions) >= 3
    assert len(own.alternatives) >= 2
    hints = [misconception.hint for misconception in own.misconceptions]
    assert len(set(hints)) == len(hints)
    assert all(len(hint) > 20 for hint in hints)


def test_alternatives_earn_everything_and_misconceptions_never_do(exercise):
    assignment, own = exercise
    for seed in SEEDS:
        recorded = record_assignment(COURSE, assignment, seed)[own.name]
        for alternative in own.alternatives:
            verdict = judge(recorded, run_cases(alternative, recorded["cases"]))
            assert verdict.passed, (alternative.__name__, seed, verdict.headline)
        for misconception in own.misconceptions:
            verdict = judge(recorded, run_cases(misconception.implementation, recorded["cases"]))
            assert not verdict.passed, (misconception.name, seed)


def test_a_table_of_the_recorded_answers_earns_nothing(exercise):
    assignment, own = exercise
    known = record_assignment(COURSE, assignment, RECORDING_SEED)[own.name]
    fresh = record_assignment(COURSE, assignment, 1)[own.name]
    keys = ("args", "kwargs", "state", "then")
    table = {repr([case.get(k) for k in keys]): case["expected"] for case in known["cases"]}
    unknown = {"status": "error", "type": "KeyError", "message": "not in my table"}
    answers = [table.get(repr([case.get(k) for k in keys]), unknown) for case in fresh["cases"]]
    assert judge(fresh, answers).points == 0
