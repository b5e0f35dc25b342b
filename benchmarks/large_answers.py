"""Grades a class with and without submissions whose answers are as large as a kernel can send.

    python benchmarks/large_answers.py                   # 10 such submissions among 20
    python benchmarks/large_answers.py --size 3 --assignment 00_setup

Both classes have as many submissions, half of them right; of the other half, all answers are wrong:
small numbers in one class, megabytes in the other. What is printed is the ratio of wall times and of
processor times, and the processor time of the process that writes grades.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path

import nbformat

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.gradebook.grade_class import grade_class
from autograder.sandbox.launch import stop_server

ROOT = Path(__file__).parent.parent
SMALL = "def {name}(*args, **kwargs):\n    return 0"
#: Sends megabytes, past the limit that the course's own code keeps to in the kernel.
LARGE = """\
def {name}(*args, **kwargs):
    from coursekit.checking import codec
    codec.Encoder.__init__.__defaults__ = (2**40, 2**40)
    return {value}
"""
VALUES = ("[[float(i)] * 1000 for i in range(100)]", "__import__('torch').zeros(900, 1000)")


def measure(size: int, name: str, large: bool) -> tuple[float, float, float, float]:
    """Wall time, processor time of all processes and of this one, and the points of the others."""
    assignment = Assignment(Course(ROOT), name)
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        for i in range(2 * size):
            answers = {}
            if i >= size:
                value = VALUES[i % len(VALUES)]
                text = LARGE if large else SMALL
                answers = {e: text.format(name=e, value=value) for e in assignment.exercises}
            path = room / "submitted" / f"student{i:02}" / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(filled(assignment, answers), path)
        shutil.copy(ROOT / "nbgrader_config.py", room)
        begun, own, all_ = time.perf_counter(), time.process_time(), _processor_seconds()
        graded = grade_class(Course(ROOT), name, room)
        wall, own = time.perf_counter() - begun, time.process_time() - own
        stop_server()
        lost = [v.max_points - v.points for v in graded.verdicts["student00"]]
        return wall, _processor_seconds() - all_, own, sum(lost)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--assignment", default="00_setup")
    given = parser.parse_args()
    without = measure(given.size, given.assignment, large=False)
    with_large = measure(given.size, given.assignment, large=True)
    for words, before, now in zip(("wall", "processor", "writing process"), without, with_large):
        print(f"{words}: {before:.1f} s, {now:.1f} s, ratio {now / before:.2f}")
    print(f"points that an honest student lost: {without[3]:g}, {with_large[3]:g}")
