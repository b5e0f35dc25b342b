"""What is generated from each assignment is up to date, and every machine generates the same."""

import json
import os
import subprocess
import sys

import pytest
from checkout import ROOT
from record_again import drawn

from autograder.authoring.release import release
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record

COURSE = Course(ROOT)
ASSIGNMENTS = COURSE.assignments()
#: Processors without, or with only some of, this one's vector instructions.
PROCESSORS = {
    "default": {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Prescott"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Haswell"},
    "best": {},
}
ELSEWHERE = [(processor, threads) for processor in PROCESSORS for threads in (1, 2)]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_everything_generated_in_this_checkout_is_up_to_date(assignment):
    report = release(COURSE, [assignment], check=True)
    assert report.stale == [], "run `autograder release` and commit what it writes"


def run(program, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


def record_on(processor, threads, assignments, hash_seed):
    """What `record_again` finds on such a machine."""
    environment = {**PROCESSORS[processor], "PYTHONHASHSEED": str(hash_seed)}
    program = [ROOT / "tests" / "record_again.py", str(threads)]
    return json.loads(run(program, *assignments, OMP_NUM_THREADS=str(threads), **environment))


@pytest.mark.parametrize(
    ("assignment", "processor", "threads"),
    # each assignment on one of the two; all of them on all in the slow test below
    [(name, *[("default", 2), ("avx2", 1)][n % 2]) for n, name in enumerate(ASSIGNMENTS)],
)
def test_another_machine_records_the_same_and_gives_a_class_the_same_cases(
    assignment, processor, threads
):
    found = record_on(processor, threads, [assignment], hash_seed=1)
    assert found == {assignment: [[], drawn(COURSE, assignment)]}


@pytest.mark.slow
@pytest.mark.parametrize(("processor", "threads"), ELSEWHERE)
def test_every_machine_records_the_same_and_gives_a_class_the_same_cases(processor, threads):
    found = record_on(processor, threads, ASSIGNMENTS, hash_seed=2)
    assert found == {name: [[], drawn(COURSE, name)] for name in ASSIGNMENTS}


@pytest.mark.slow
def test_a_machine_in_another_language_and_with_another_hash_seed_generates_the_same():
    said = run(
        ["-m", "autograder.cli", "release", "--check"],
        **{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "3"},
    )
    assert f"{len(ASSIGNMENTS)} assignments up to date" in said


def test_a_dictionary_in_the_order_of_a_set_is_recorded_in_the_order_of_its_keys():
    recorded = record(COURSE, "01_bag_of_words", "document_frequency", RECORDING_SEED)
    found = [case["expected"]["value"]["$dict"] for case in recorded["cases"]]
    keys = [[key for key, _ in pairs] for pairs in found]
    assert keys == [sorted(one) for one in keys]
    assert max(map(len, keys)) > 3
