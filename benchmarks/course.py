"""Measures the times that students and authors wait for.

Writes `data/results/course.json`: the seconds to run each solution notebook, the milliseconds of
`check` per exercise (median of 5, after a warm-up), and import times on top of plain Python and of
torch. With `--fresh`, also the minutes of `make course` and `make test` in a fresh clone.

    python benchmarks/course.py [--fresh]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from _results import write
from nbclient import NotebookClient

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from coursekit import check
from coursekit.checking import stored_recordings

ROOT = Path(__file__).parent.parent
COURSE = Course(ROOT)


def notebook_seconds(assignment: str) -> float:
    """Wall time of one solution notebook, kernel start included."""
    path = COURSE.solution(assignment)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, kernel_name="python3", timeout=600, resources={"metadata": {"path": path.parent}}
    )
    started = time.perf_counter()
    client.execute()
    return time.perf_counter() - started


def check_milliseconds(assignment: str) -> dict[str, float]:
    """Median time of `check` on the reference, per exercise."""
    scope = Assignment(COURSE, assignment).solution.definitions
    times = {}
    for name, owner in stored_recordings.index().items():
        if owner != assignment:
            continue
        laps = []
        for _ in range(6):
            started = time.perf_counter()
            with contextlib.redirect_stdout(io.StringIO()):
                check(scope[name])
            laps.append(1000 * (time.perf_counter() - started))
        times[name] = statistics.median(laps[1:])
    return times


def import_milliseconds(statement: str, before: str = "pass") -> float:
    """Median time of an import in a new process, excluding the time of `before`."""
    code = (
        f"import time; {before}; t = time.perf_counter(); {statement};"
        " print(time.perf_counter() - t)"
    )
    laps = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    return 1000 * statistics.median(laps)


def fresh_minutes() -> dict[str, float]:
    """Minutes of the two set-up commands, run one after the other in a fresh clone."""
    minutes = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), f"{folder}/clone"], check=True)
        for command in ("course", "test"):
            started = time.perf_counter()
            subprocess.run(["make", command], cwd=f"{folder}/clone", check=True)
            minutes[f"make {command}"] = (time.perf_counter() - started) / 60
    return minutes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="also time the set-up commands")
    arguments = parser.parse_args()
    checks: dict[str, float] = {}
    for assignment in COURSE.assignments():
        checks |= check_milliseconds(assignment)
    results = {
        "notebook_seconds": {a: notebook_seconds(a) for a in COURSE.assignments()},
        "check_milliseconds": checks,
        "check_milliseconds_median": statistics.median(checks.values()),
        "import_milliseconds": {
            "torch": import_milliseconds("import torch"),
            "coursekit": import_milliseconds("import coursekit"),
            "coursekit.check, beyond torch": import_milliseconds(
                "from coursekit import check", "import torch"
            ),
            "everything of coursekit but figures, beyond torch": import_milliseconds(
                "from coursekit import check, load, tokenize, Vocabulary, fit", "import torch"
            ),
        },
    }
    if arguments.fresh:
        results["fresh_clone_minutes"] = fresh_minutes()
    write("course", results)


if __name__ == "__main__":
    main()
