"""Releases assignments in the environment that it is started in: a test's other machine.

``python tests/release_elsewhere.py THREADS`` reads the name of an assignment from each line, and
answers with the files that are stale here and a digest of the cases of three classes.
"""

import contextlib
import hashlib
import json
import sys

from checkout import ROOT

from autograder.authoring.release import release
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import draw_assignment
from autograder.errors import CourseError

CLASS_SEEDS = (1, 2, 3)


def stale(course, assignment):
    """The files that a release would write, or why it would stop."""
    try:
        return release(course, [assignment], check=True).stale
    except CourseError as error:
        return str(error)


def drawn(course, assignment):
    cases = [draw_assignment(Assignment(course, assignment), seed) for seed in CLASS_SEEDS]
    return hashlib.sha256(json.dumps(cases).encode()).hexdigest()


if __name__ == "__main__":
    import torch

    torch.set_num_threads(int(sys.argv[1]))
    course = Course(ROOT)
    for line in sys.stdin:
        name = line.strip()
        with contextlib.redirect_stdout(sys.stderr):
            found = [stale(course, name), drawn(course, name)]
        print(json.dumps(found), flush=True)
