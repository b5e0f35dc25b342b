"""What every exercise of the course must keep, whatever seed grading draws its cases from."""

import pytest
from checkout import ROOT, shared_assignment

from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED, draw, record_reference
from autograder.course.second_calls import TURNS
from autograder.grading.record_misconceptions import record_assignment
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

pytestmark = pytest.mark.proof
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5))]


@pytest.fixture(scope="module", params=Course(ROOT).assignments())
def assignment(request):
    return shared_assignment(request.param)


@pytest.mark.parametrize("seed", SEEDS)
def test_alternatives_earn_everything_and_misconceptions_never_do(assignment, seed):
    for name, recorded in record_assignment(assignment, seed).items():
        for misconception in recorded["misconceptions"]:
            outcomes = [
                wrong or case["expected"]
                for wrong, case in zip(misconception["outcomes"], recorded["cases"], strict=True)
            ]
            assert not judge(recorded, outcomes).passed, (name, misconception["name"])
            assert len(misconception["hint"]) > 20
        for alternative in assignment.exercises[name].alternatives:
            answer = assignment.solution.run_answer(name, assignment.typed(alternative))
            verdict = judge(recorded, run_cases(answer, recorded["cases"]))
            assert verdict.passed, (name, alternative.name, verdict.headline)


def test_the_cases_can_be_drawn_with_every_class_seed(assignment):
    for name, exercise in assignment.exercises.items():
        reference = assignment.solution.definitions[name]
        for seed in range(100, 110):
            for turn in range(1 + TURNS):
                assert draw(exercise, reference, seed, turn), (name, seed, turn)


def test_a_table_of_the_recorded_answers_earns_nothing(assignment):
    unknown = {"status": "error", "type": "KeyError", "message": "not in my table"}
    for name, recorded in record_assignment(assignment, 1).items():
        known = record_reference(assignment, name, RECORDING_SEED)["cases"]
        table = {_key(case): case["expected"] for case in known}
        answers = [table.get(_key(case), unknown) for case in recorded["cases"]]
        assert judge(recorded, answers).points == 0, name


def _key(case):
    return repr([case.get(key) for key in ("args", "kwargs", "state", "then")])
