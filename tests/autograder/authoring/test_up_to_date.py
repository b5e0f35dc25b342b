"""What is generated from each assignment is up to date, and every machine generates the same."""

import json
import os
import subprocess
import sys

import pytest
from checkout import ROOT, shared_assignment
from release_elsewhere import drawn

from autograder.authoring import proved
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED
from autograder.grading.record_misconceptions import record
from coursekit.checking.recording_format import Recording

COURSE = Course(ROOT)
SLOW = pytest.mark.slow
ASSIGNMENTS = COURSE.assignments()
#: Processors without, or with only some of, this one's vector instructions.
PROCESSORS = {
    "default": {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Prescott"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell"},
    "best": {},
}
ELSEWHERE = [  # the one that differs most from this machine stands for the others
    pytest.param(processor, threads, marks=[] if (processor, threads) == ("default", 2) else SLOW)
    for processor in PROCESSORS
    for threads in (1, 2)
]


def started(program, **environment):
    return subprocess.Popen(
        [sys.executable, *program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def release_on():
    """What `release_elsewhere` finds on a machine: one process each, asked many times."""
    machines = {}

    def found(processor, threads, assignment):
        if (processor, threads) not in machines:
            program = [ROOT / "tests" / "release_elsewhere.py", str(threads)]
            environment = {"OMP_NUM_THREADS": str(threads), "PYTHONHASHSEED": str(threads)}
            machines[processor, threads] = started(program, **environment, **PROCESSORS[processor])
        machine = machines[processor, threads]
        print(assignment, file=machine.stdin, flush=True)
        return json.loads(machine.stdout.readline())

    yield found
    for machine in machines.values():
        machine.communicate()


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_what_is_there_is_what_a_release_has_proved(assignment):
    stored = proved.read(COURSE).get(assignment)
    assert stored == proved.digest(COURSE, assignment), "run `autograder release` and commit"


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_recording_has_each_field_of_its_format(assignment):
    stored = json.loads((COURSE.recordings / f"{assignment}.json").read_text("utf-8"))
    assert stored.keys() == Recording.__annotations__.keys()


@pytest.mark.proof
@pytest.mark.parametrize(("processor", "threads"), ELSEWHERE)
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_another_machine_proves_and_generates_the_same(assignment, processor, threads, release_on):
    stale, cases = release_on(processor, threads, assignment)
    assert stale == [], "run `autograder release` and commit what it writes"
    assert cases == drawn(COURSE, assignment)


@pytest.mark.slow
def test_a_machine_in_another_language_and_with_another_hash_seed_generates_the_same():
    language = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program = ["-m", "autograder", "release", "--check"]
    said, _ = started(program, **language, PYTHONHASHSEED="3").communicate()
    assert f"{len(ASSIGNMENTS)} assignments up to date" in said


def test_a_dictionary_in_the_order_of_a_set_is_recorded_in_the_order_of_its_keys():
    recorded = record(shared_assignment("01_bag_of_words"), "document_frequency", RECORDING_SEED)
    once = [case for case in recorded["cases"] if "again" not in case]
    found = [case["expected"]["value"]["$dict"] for case in once]
    keys = [[key for key, _ in pairs] for pairs in found]
    assert keys == [sorted(one) for one in keys]
    assert max(map(len, keys)) > 3
