"""What every exercise of the course must keep, whatever seed grading draws its cases from."""

import pytest
from checkout import ROOT, shared_assignment

from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED
from autograder.course.reference import Solution
from autograder.grading.record_exercises import record
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

COURSE = Course(ROOT)
EXERCISES = [
    pytest.param(assignment, name, id=f"{assignment}-{name}")
    for assignment in COURSE.assignments()
    for name in shared_assignment(assignment).exercises
]
# a release proves seeds 0 and 1; it runs in the same process, so that both record them once
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4, 5))]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("assignment", "name"), EXERCISES)
def test_alternatives_earn_everything_and_misconceptions_never_do(assignment, name, seed):
    recorded = record(shared_assignment(assignment), name, seed)
    for misconception in recorded["misconceptions"]:
        outcomes = [
            wrong or case["expected"]
            for wrong, case in zip(misconception["outcomes"], recorded["cases"], strict=True)
        ]
        assert not judge(recorded, outcomes).passed, misconception["name"]
        assert len(misconception["hint"]) > 20
    notebook = COURSE.solution(assignment)
    reference = Solution(notebook).bare_sources[name]
    for alternative in shared_assignment(assignment).exercises[name].alternatives:
        answer = Solution(notebook).run_answer(name, alternative.source(reference))
        verdict = judge(recorded, run_cases(answer, recorded["cases"]))
        assert verdict.passed, (alternative.name, verdict.headline)


@pytest.mark.parametrize(("assignment", "name"), EXERCISES)
def test_a_table_of_the_recorded_answers_earns_nothing(assignment, name):
    known = record(shared_assignment(assignment), name, RECORDING_SEED)
    fresh = record(shared_assignment(assignment), name, 1)
    keys = ("args", "kwargs", "state", "then")
    table = {repr([case.get(k) for k in keys]): case["expected"] for case in known["cases"]}
    unknown = {"status": "error", "type": "KeyError", "message": "not in my table"}
    answers = [table.get(repr([case.get(k) for k in keys]), unknown) for case in fresh["cases"]]
    assert judge(fresh, answers).points == 0
