"""Records assignments anew, in the process and environment that this is run in: a test's other machine.

``python tests/record_again.py NUMBER_OF_THREADS ASSIGNMENT...`` prints as JSON, by assignment, the
exercises whose stored recording is stale here, and a digest of the cases that classes would get.
"""

import hashlib
import json
import sys

from checkout import ROOT

from autograder.authoring.release import is_fresh
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, draw_assignment, record_assignment

CLASS_SEEDS = (1, 2, 3)


def stale_exercises(course, assignment):
    path = course.recordings / f"{assignment}.json"
    stored = json.loads(path.read_text("utf-8"))["exercises"]
    again = json.loads(json.dumps(record_assignment(course, assignment, RECORDING_SEED)))
    assert list(stored) == list(again)
    return [name for name in again if not is_fresh(stored[name], again[name])]


def drawn(course, assignment):
    cases = [draw_assignment(course, assignment, seed) for seed in CLASS_SEEDS]
    return hashlib.sha256(json.dumps(cases).encode()).hexdigest()


if __name__ == "__main__":
    import torch

    torch.set_num_threads(int(sys.argv[1]))
    course = Course(ROOT)
    found = {name: [stale_exercises(course, name), drawn(course, name)] for name in sys.argv[2:]}
    print(json.dumps(found))
