"""Compares grading with stock nbgrader on the same submissions, and measures large classes.

    python benchmarks/grading.py speed --assignment 05_transformer_block --size 100
    python benchmarks/grading.py speed --capability avx2 --size 12 --stock-size 2
    python benchmarks/grading.py scores --size 9       # for every assignment
    python benchmarks/grading.py seeds --assignment 05_transformer_block --size 50
    python benchmarks/grading.py memory
    python benchmarks/grading.py mixed --size 500

"Stock" is `nbgrader autograde` with nbgrader's own preprocessors: one kernel at a time, without a
sandbox. NBGRADER_EXECUTION is set for both, so both train for the same few steps, and so is
`--capability`, what torch's kernels may use of the processor. Where other work shares the machine,
the ratio of processor times says more than the one of wall times. `scores` compares
right and wrong answers cell by cell, in notebooks that also hold what `_oddities` lists. Each command
updates its part of `data/results/grading.json`.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from _class import make_class
from _results import results, write
from nbgrader.api import Gradebook

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED
from autograder.course.reference import Solution
from autograder.gradebook.class_folder import Classroom
from autograder.grading.grading_log import read_notes
from autograder.grading.isolated_run import run_notebook
from autograder.grading.record_misconceptions import record
from coursekit.checking.hints import choose, wrong_outcomes
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

ROOT = Path(__file__).parent.parent
COURSE = Course(ROOT)
STOCK = """c = get_config()
c.CourseDirectory.root = {folder!r}
c.CourseDirectory.db_url = "sqlite:///{folder}/gradebook.db"
c.Execute.timeout = 300
"""
Scores = dict[str, dict[str, float]]


def _cpu() -> float:
    """Processor time of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _call(*command: str, folder: Path) -> tuple[float, float]:
    """Run a Python module; return (wall time, processor time) in seconds."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    begun, cpu = time.perf_counter(), _cpu()
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PIP_NO_INDEX": "1"},  # students' `!pip` installs nothing
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stderr[-3000:]}")
    return time.perf_counter() - begun, _cpu() - cpu


def grade_stock(folder: Path, assignment: str) -> tuple[float, float]:
    """Stock nbgrader's autograde of a class; (wall time, processor time)."""
    Classroom(COURSE, folder).register(assignment)
    (folder / "nbgrader_config.py").write_text(STOCK.format(folder=str(folder)))
    return _call("nbgrader", "autograde", assignment, folder=folder)


def grade_ours(folder: Path, assignment: str, *more: str) -> tuple[float, float]:
    """`autograder grade` of a class; (wall time, processor time)."""
    command = ("autograder", "grade", assignment, "--folder", str(folder), "--json", *more)
    return _call(*command, folder=ROOT)


def scores(folder: Path, assignment: str) -> Scores:
    """student -> graded cell -> points, from the class's gradebook."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        return {
            s.student.id: {g.name: g.score for n in s.notebooks for g in n.grades}
            for s in gradebook.assignment_submissions(assignment)
        }


def max_scores(folder: Path, assignment: str) -> dict[str, float]:
    """graded cell -> its points, from the class's gradebook."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        notebooks = gradebook.find_assignment(assignment).notebooks
        return {cell.name: cell.max_score for n in notebooks for cell in n.grade_cells}


def _notes(folder: Path) -> list[Any]:
    paths = sorted(folder.glob("autograded/*/*/*.ipynb"))
    return [read_notes(nbformat.read(path, as_version=4)) for path in paths]


def _processor() -> str:
    """The processor's name, where the system says it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _capability() -> str:
    """What torch's kernels use of the processor in a new process, such as AVX2."""
    command = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    return done.stdout.strip()


def speed(assignment: str, size: int, stock_size: int | None = None) -> dict[str, Any]:
    """Throughput of both, one after the other; processor time not spent in the student's cells."""
    stock_size = stock_size or size
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
    kernel = [run_notebook(empty, {}).usage.cpu_seconds for _ in range(5)][1:]
    with tempfile.TemporaryDirectory(prefix="class-") as temporary:
        ours, stock = Path(temporary, "ours"), Path(temporary, "stock")
        make_class(COURSE, assignment, ours, size)
        make_class(COURSE, assignment, stock, stock_size)
        ours_wall, ours_cpu = grade_ours(ours, assignment)
        stock_wall, stock_cpu = grade_stock(stock, assignment)
        usages = [notes.usage for notes in _notes(ours)]
        theirs, mine = scores(stock, assignment), scores(ours, assignment)
        again_wall, _ = grade_ours(ours, assignment)
    each = [usage.cpu_seconds for usage in usages]
    in_sandbox = sum(each)
    beyond = (ours_cpu - in_sandbox) / size + statistics.median(kernel)
    return {
        "processor": _processor(),
        "capability": _capability(),
        "submissions": {"ours": size, "stock": stock_size},
        "seconds": {"ours": ours_wall, "stock": stock_wall, "ours, nothing changed": again_wall},
        "seconds a submission": {"ours": ours_wall / size, "stock": stock_wall / stock_size},
        "cpu seconds a submission": {"ours": ours_cpu / size, "stock": stock_cpu / stock_size},
        "cpu seconds in the sandbox": in_sandbox / size,
        "cpu seconds in the sandbox, median": statistics.median(each),
        "cpu seconds in the sandbox, slowest": max(each),
        "cpu seconds beyond the cells": beyond,
        "times stock's cpu seconds": (stock_cpu / stock_size) / (ours_cpu / size),
        "times stock's throughput": (stock_wall / stock_size) / (ours_wall / size),
        # ours judges what calls a wrong helper again with a right one, so it may give more
        "cells with fewer points than stock's": sum(
            mine[name][cell] < points
            for name, own in theirs.items()
            for cell, points in own.items()
        ),
    }


def same_scores(assignment: str, size: int) -> dict[str, Any]:
    """Compare the scores of both, cell by cell.

    The submissions are honest: right, wrong and missing answers, and what students leave beside them.
    """
    with tempfile.TemporaryDirectory(prefix="class-") as temporary:
        folders = [Path(temporary, name) for name in ("ours", "stock")]
        for folder, grade in zip(folders, (grade_ours, grade_stock)):
            make_class(COURSE, assignment, folder, size, seed=1, odd=True)
            grade(folder, assignment)
        ours, stock = (scores(folder, assignment) for folder in folders)
        most = max_scores(folders[0], assignment)
    cells = [(student, cell) for student, own in ours.items() for cell in own]
    return {
        "submissions": len(ours),
        "cells": len(cells),
        "cells that lose points": sum(ours[s][cell] < most[cell] for s, cell in cells),
        "different": [
            f"{s} {cell}: ours {ours[s][cell]:g}, stock {stock[s][cell]:g}"
            for s, cell in cells
            if ours[s][cell] != stock[s][cell]
        ],
    }


def memory(sizes: list[int]) -> dict[str, Any]:
    """Peak memory of the grader's process, and seconds per submission, for several class sizes."""
    found = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="class-") as temporary:
            make_class(COURSE, "00_setup", Path(temporary), size)
            program = (
                "import resource, sys, time; from autograder.cli import main\n"
                f"sys.argv = ['autograder', 'grade', '00_setup', '--folder', {temporary!r}, '--json']\n"
                "begun = time.perf_counter()\n"
                "try: main()\n"
                "except SystemExit: pass\n"
                "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                "print(time.perf_counter() - begun, 1024 * peak, file=sys.stderr)"
            )
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
            )
            seconds, peak = map(float, done.stderr.splitlines()[-1].split())
        found[str(size)] = {"seconds a submission": seconds / size, "peak MiB": peak / 2**20}
        print(size, found[str(size)], flush=True)
    return found


def seeds(assignment: str, name: str, count: int) -> dict[str, Any]:
    """Judge an exercise's reference, alternatives and misconceptions with many class seeds.

    Reference and alternatives must keep all points. A misconception must lose the same groups with
    each seed as with the recorded cases, and get its own hint.
    """
    notebook, exercise = COURSE.solution(assignment), Assignment(COURSE, assignment).exercises[name]
    right = {"reference": Solution(notebook).definitions[name]}
    for answer in exercise.alternatives:
        text = answer.source(Solution(notebook).bare_sources[name])
        right[answer.name] = Solution(notebook).run_answer(name, text)
    lost = _lost_groups(record(Assignment(COURSE, assignment), name, RECORDING_SEED))
    lost_points, other_groups, other_hints = [], [], []
    for seed in range(1000, 1000 + count):
        recorded = record(Assignment(COURSE, assignment), name, seed)
        for label, function in right.items():
            verdict = judge(recorded, run_cases(function, recorded["cases"]))
            if not verdict.passed:
                lost_points.append(f"{label}, {seed}: {verdict.headline}")
        for label, groups in _lost_groups(recorded).items():
            if groups != lost[label]:
                other_groups.append(f"{label}, {seed}: {sorted(groups)}")
        for label, hint in _hints(recorded).items():
            if hint != label:
                other_hints.append(f"{label}, {seed}: {hint}")
    return {
        "seeds": count,
        "alternatives": len(exercise.alternatives),
        "misconceptions": len(exercise.misconceptions),
        "lost points": lost_points,
        "other groups": other_groups,
        "other hints": other_hints,
    }


def _hints(recorded: dict[str, Any]) -> dict[str, str | None]:
    """By misconception, the one whose hint a student with this mistake gets."""
    found: dict[str, str | None] = {}
    for wrong in recorded["misconceptions"]:
        failing = list(wrong_outcomes(wrong))
        outcomes = [
            outcome if number in failing else case["expected"]
            for number, (outcome, case) in enumerate(zip(wrong["outcomes"], recorded["cases"]))
        ]
        if failing:
            hint = choose(recorded, outcomes, failing)
            found[wrong["name"]] = hint[0]["name"] if hint else None
    return found


def _lost_groups(recorded: dict[str, Any]) -> dict[str, set[str]]:
    """By misconception, the groups that it loses whatever rounding or chance may add."""
    cases = recorded["cases"]
    return {
        wrong["name"]: {cases[i]["group"] for i in wrong_outcomes(wrong)}
        for wrong in recorded["misconceptions"]
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=["speed", "scores", "seeds", "memory", "mixed"])
    parser.add_argument("--assignment", help="for speed and scores, all if not given")
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--stock-size", type=int, help="fewer submissions for stock, which is slow")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--only", nargs="+", default=[], help="these exercises of `seeds`")
    parser.add_argument(
        "--capability",
        choices=["avx2", "default"],
        help="the instructions that torch's kernels use in `speed`; the processor's best if not given",
    )
    options = parser.parse_args()
    assignment = options.assignment or "05_transformer_block"
    if options.part == "seeds":
        for name in options.only or Assignment(COURSE, assignment).exercises:
            keep(["seeds", assignment, name], seeds(assignment, name, options.size))
        return
    if options.part == "speed":
        if options.capability:
            os.environ["ATEN_CPU_CAPABILITY"] = options.capability  # of all processes started here
        for name in [options.assignment] if options.assignment else COURSE.assignments():
            found = speed(name, options.size, options.stock_size)
            keep(["speed", name, found["capability"]], found)
    elif options.part == "scores":
        for name in [options.assignment] if options.assignment else COURSE.assignments():
            keep(["scores", name], same_scores(name, options.size))
    elif options.part == "memory":
        keep(["memory"], memory(options.sizes))
    else:
        from _mixed import mixed

        keep(["mixed"], mixed(assignment, options.size))


def keep(path: list[str], part: dict[str, Any]) -> None:
    """Write one part of the results, at once: other processes may write others."""
    found = results("grading")
    whole = found
    for key in path[:-1]:
        whole = whole.setdefault(key, {})
    whole[path[-1]] = part
    write("grading", found)


if __name__ == "__main__":
    main()
