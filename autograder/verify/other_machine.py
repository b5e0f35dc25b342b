"""Releases of assignments as another machine would make them: without vector instructions, two threads.

`python -m autograder.verify.other_machine FOLDER` reads the name of an assignment from each line, and
answers with the files that are stale there and a digest of the cases of a few classes.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.release import release
from autograder.course.assignment import Assignment
from autograder.course.layout import Course, find_course
from autograder.course.record_cases import draw_assignment
from autograder.errors import CourseError

_CLASS_SEEDS = (1, 2, 3)
_THREADS = "2"
#: Torch and OpenBLAS choose their kernels by these.
_PLAIN_PROCESSOR = {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Prescott"}


@dataclass(frozen=True)
class ReleasedElsewhere:
    """A release of an assignment on the other machine.

    Attributes
    ----------
    stale : str
        The files that it would write, or the error with which it stops; "" if it writes none.
    drawn : str
        A digest of the cases of a few classes.
    """

    stale: str
    drawn: str


def released_elsewhere(course: Course, assignment: str) -> ReleasedElsewhere:
    """Release an assignment, without writing, in a process that stands for another machine.

    The process is started once and asked again.

    Raises
    ------
    CourseError
        The process has ended.
    """
    process = _machine(course.root)
    assert process.stdin is not None  # both are pipes
    assert process.stdout is not None
    print(assignment, file=process.stdin, flush=True)
    line = process.stdout.readline()
    if not line:
        raise CourseError(
            f"the process that releases {assignment} as on another machine has ended with exit"
            f" status {process.wait()}; free memory, and run the command again."
        )
    return ReleasedElsewhere(*json.loads(line))


def drawn_digest(assignment: Assignment) -> str:
    """Return a digest of the cases of a few classes."""
    cases = [draw_assignment(assignment, seed) for seed in _CLASS_SEEDS]
    return hashlib.sha256(json.dumps(cases).encode()).hexdigest()


@functools.cache
def _machine(root: Path) -> subprocess.Popen[str]:
    """Start the process that stands for another machine; it ends with this one."""
    environment = {
        **os.environ,
        **_PLAIN_PROCESSOR,
        "OMP_NUM_THREADS": _THREADS,
        "PYTHONHASHSEED": "2",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path[1:]]),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder.verify.other_machine"],
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    process.wait()


def _stale(course: Course, name: str) -> str:
    try:
        return ", ".join(release(course, [name], check=True).stale)
    except CourseError as error:
        return str(error)


def main() -> None:
    """Answer one line for each assignment that standard input names."""
    course = find_course()
    if "torch" in course.config.imports:
        import torch

        torch.set_num_threads(int(_THREADS))
    for line in sys.stdin:
        name = line.strip()
        with contextlib.redirect_stdout(sys.stderr):
            found = [_stale(course, name), drawn_digest(Assignment(course, name))]
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
