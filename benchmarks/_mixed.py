"""Grades a large class, a tenth of it hostile, in one run; finds what the run leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _class import make_class

from autograder.course.layout import Course

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "autograder" / "grading"))


def _machine_state() -> dict[str, set[str]]:
    """The grader's processes, mounts, named sockets and temporary files at this moment."""
    processes = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if "autograder" in line or "ipykernel" in line:
            processes.add(f"{path.parent.name} {line}")
    named = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return {
        "processes": processes,
        "mounts": set(Path("/proc/self/mounts").read_text().splitlines()),
        "sockets": {words[7] for words in named if len(words) > 7},
        "temporary files": {path.name for path in Path(tempfile.gettempdir()).iterdir()},
    }


def mixed(assignment: str, size: int) -> dict[str, Any]:
    """Grade the class in one run; report hostile submissions with unexpected scores, points lost
    without a reason, and whatever the run left behind.
    """
    from hostile import hostile_submissions

    course = Course(ROOT)
    with tempfile.TemporaryDirectory(prefix="class-") as folder_name:
        folder = Path(folder_name)
        hostile = list(hostile_submissions(course, assignment).items())
        count = size // 10
        make_class(course, assignment, folder, size - count)
        expected = {}
        for number in range(count):
            name, submission = hostile[number % len(hostile)]
            student = f"s{number * 9:04}x_{name}"  # among the others, in the order of grading
            submission.write(folder / "submitted" / student / assignment)
            expected[student] = submission.earned
        before = _machine_state()
        begun = time.perf_counter()
        command = ["grade", assignment, "--folder", folder_name, "--json", "--cell-seconds", "20"]
        done = subprocess.run(
            [sys.executable, "-m", "autograder", *command], cwd=ROOT, stdout=subprocess.PIPE
        )
        seconds = time.perf_counter() - begun
        time.sleep(2)
        after = _machine_state()
        graded = json.loads(done.stdout)
    found = graded["verdicts"]
    points = {name: sum(v["points"] for v in verdicts) for name, verdicts in found.items()}
    silent = [
        name
        for name, verdicts in found.items()
        if any(v["points"] < v["max_points"] and not v["headline"] for v in verdicts)
    ]
    return {
        "assignment": assignment,
        "submissions": len(found),
        "hostile": count,
        "kinds of hostile": len({name.split("x_", 1)[1] for name in expected}),
        "exit status": done.returncode,
        "seconds": seconds,
        "hostile with another score than earned": sorted(
            f"{name}: {points.get(name)} instead of {earned}"
            for name, earned in expected.items()
            if points.get(name) != earned
        ),
        "points lost without a reason": silent,
        "left behind": {kind: sorted(after[kind] - before[kind]) for kind in after},
    }
