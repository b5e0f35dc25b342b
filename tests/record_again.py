"""Records assignments anew, in the environment that it is started in: a test's other machine.

``python tests/record_again.py THREADS`` reads the name of an assignment from each line, and answers
with the exercises whose stored recording is stale here and a digest of the cases of three classes.
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
    for line in sys.stdin:
        name = line.strip()
        print(json.dumps([stale_exercises(course, name), drawn(course, name)]), flush=True)
