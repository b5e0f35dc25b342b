"""What a release generates is the same on another machine, in another language, with another hash seed."""

import os
import subprocess
import sys

import pytest
from checkout import ROOT, shared_assignment

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED
from autograder.grading.record_misconceptions import record
from autograder.verify.other_machine import drawn_digest, released_elsewhere


def test_another_machine_proves_and_generates_the_same_and_says_what_is_stale(small_course):
    found = released_elsewhere(small_course, "07_topic")
    assert found.drawn == drawn_digest(Assignment(small_course, "07_topic"))
    assert found.stale == ""
    small_course.notebook("07_topic").write_text("{}")
    assert "07_topic.ipynb" in released_elsewhere(small_course, "07_topic").stale


@pytest.mark.slow
def test_a_machine_in_another_language_and_with_another_hash_seed_generates_the_same():
    language = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "3"}
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "release", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **language},
        capture_output=True,
        text=True,
    )
    assert f"{len(Course(ROOT).assignments())} assignments up to date" in done.stdout, done.stderr


def test_a_dictionary_in_the_order_of_a_set_is_recorded_in_the_order_of_its_keys():
    recorded = record(shared_assignment("01_bag_of_words"), "document_frequency", RECORDING_SEED)
    once = [case for case in recorded["cases"] if "again" not in case]
    found = [case["expected"]["value"]["$dict"] for case in once]
    keys = [[key for key, _ in pairs] for pairs in found]
    assert keys == [sorted(one) for one in keys]
    assert max(map(len, keys)) > 3
