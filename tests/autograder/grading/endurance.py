"""Grades a large mixed class in one unattended run, during which everything goes wrong once.

    python tests/autograder/grading/endurance.py 1000

A tenth of the submissions is hostile, a fifth odd, the rest honest, right or not. While the first
assignment is graded, the disk of the class is full for a while; during the second, another program
locks the gradebook, and the grader's clock is set back by a day (`set_back.c`); during the third,
every process of the grader is killed, and the command is run again. The report, as JSON, lists what
is not as it should be; its lists are empty if all is well. It needs root or user namespaces, and cc.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from checkout import shared_assignment
from honest import CELLS, LINES
from hostile import DAMAGED, Hostile, hostile_submissions
from nbformat.v4 import new_code_cell

from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.grading.record_misconceptions import record
from coursekit.checking.verdict import judge

ROOT = Path(__file__).parents[3]
COURSE = Course(ROOT)
ASSIGNMENTS = ("00_setup", "01_bag_of_words", "04_attention")
SEED = 1
_DAY = 86_400


def honest(assignment: str) -> Iterator[Hostile]:
    """Complete notebooks, and those whose last exercise is missing or wrong, by turns."""
    last, exercise = list(shared_assignment(assignment).exercises.items())[-1]
    total = sum(sum(e.points.values()) for e in shared_assignment(assignment).exercises.values())
    recorded = record(shared_assignment(assignment), last, SEED)
    answers: list[tuple[str | None, float]] = [(None, sum(exercise.points.values()))]
    for wrong, made in zip(exercise.misconceptions, recorded["misconceptions"], strict=True):
        pairs = zip(made["outcomes"], recorded["cases"], strict=True)
        verdict = judge(recorded, [outcome or case["expected"] for outcome, case in pairs])
        answers.append(
            (shared_assignment(assignment).typed(wrong), verdict.max_points - verdict.points)
        )
    while True:
        yield submission(assignment, filled(shared_assignment(assignment)), total)
        for source, lost in answers:
            yield submission(
                assignment, filled(shared_assignment(assignment), {last: source}), total - lost
            )


def odd(assignment: str) -> Iterator[Hostile]:
    """Complete notebooks as accidents, Colab, Kaggle or VS Code leave them."""
    catalogue = submissions(assignment)
    whole = catalogue["copied_checks"].earned
    cells = [*LINES.values(), *CELLS.values()]
    while True:
        for name in DAMAGED:
            yield catalogue[name]
            for source in (cells.pop(0), cells.pop(0)):
                cells.append(source)
                notebook = filled(shared_assignment(assignment))
                notebook.cells.insert(0, new_code_cell(source))
                yield submission(assignment, notebook, whole)


def hostile(assignment: str) -> Iterator[Hostile]:
    catalogue = submissions(assignment)
    while True:
        yield from (one for name, one in catalogue.items() if name not in DAMAGED)


@functools.lru_cache(maxsize=1)
def submissions(assignment: str) -> dict[str, Hostile]:
    return hostile_submissions(COURSE, assignment)


def submission(assignment: str, notebook: nbformat.NotebookNode, earned: float) -> Hostile:
    return Hostile({f"{assignment}.ipynb": nbformat.writes(notebook).encode()}, float(earned))


@dataclass
class Class:
    """The class in a folder, and what each of its submissions has earned."""

    folder: Path
    expected: dict[str, dict[str, Hostile]]

    @classmethod
    def make(cls, folder: Path, size: int) -> Class:
        (folder / "class_seed").write_text(f"{SEED}\n")
        expected: dict[str, dict[str, Hostile]] = {}
        for n, assignment in enumerate(ASSIGNMENTS):
            kinds = [hostile, odd, odd, *[honest] * 7]  # in tenths
            makers = {kind: kind(assignment) for kind in kinds}
            own = expected[assignment] = {}
            for number in range(n, size, len(ASSIGNMENTS)):
                kind = kinds[number // len(ASSIGNMENTS) % len(kinds)]
                student = f"s{number:04}_{kind.__name__}"
                own[student] = next(makers[kind])
                own[student].write(folder / "submitted" / student / assignment)
        return cls(folder, expected)

    def graded(self, assignment: str) -> int:
        try:
            return len(json.loads((self.folder / "graded.json").read_text())[assignment])
        except (OSError, ValueError, KeyError):
            return 0

    def scores(self, assignment: str) -> dict[str, float]:
        with sqlite3.connect(f"file:{self.folder}/gradebook.db?mode=ro", uri=True) as book:
            rows = book.execute(
                "SELECT submitted_assignment.student_id, COALESCE(SUM(grade.auto_score), 0)"
                " FROM submitted_assignment"
                " JOIN assignment ON assignment.id = submitted_assignment.assignment_id"
                " JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id"
                " JOIN grade ON grade.notebook_id = submitted_notebook.id"
                " WHERE assignment.name = ? GROUP BY submitted_assignment.student_id",
                (assignment,),
            )
            return dict(rows.fetchall())


@functools.cache
def clock_library() -> Path:
    """What sets the clock of the grader's processes; libfaketime breaks `time.sleep` of Python."""
    library = Path(os.environ["ENDURANCE_FOLDER"]) / "set_back.so"
    source = Path(__file__).parent / "set_back.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    return library


class Grader:
    """`autograder grade` of one assignment, in a process group of its own."""

    def __init__(self, made: Class, assignment: str, clock: Path) -> None:
        # closed in `end`
        self.output, self.errors = (tempfile.TemporaryFile("w+") for _ in "12")  # noqa: SIM115
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        environment |= {"LD_PRELOAD": str(clock_library()), "CLOCK_OFFSET": str(clock)}
        command = ["grade", assignment, "--folder", str(made.folder), "--json"]
        command += ["--cell-seconds", "30"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder", *command],
            cwd=ROOT,
            env=environment,
            stdout=self.output,
            stderr=self.errors,
        )

    def wait_until(self, condition: Callable[[], bool]) -> None:
        while self.process.poll() is None and not condition():
            time.sleep(0.1)

    def waits(self) -> bool:
        """Tell whether the grader has said that it waits, once for each time before."""
        self.errors.flush()
        said = Path(f"/proc/self/fd/{self.errors.fileno()}").read_text()
        return "; waiting" in said

    def kill_everything(self) -> None:
        """Kill the grader and all its descendants at once, as a power cut does."""
        os.kill(self.process.pid, signal.SIGSTOP)
        for number in sorted(descendants(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):  # it ended with its parent
                os.kill(number, signal.SIGKILL)
        self.process.kill()

    def end(self) -> tuple[int, str, dict[str, Any]]:
        """Exit status, errors, and the report that it printed."""
        status = self.process.wait()
        texts = []
        for file in (self.output, self.errors):
            with file:
                file.seek(0)
                texts.append(file.read())
        return status, texts[1], json.loads(texts[0]) if texts[0].strip() else {}


def descendants(parent: int) -> set[int]:
    """All processes below one."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(words[1]), []).append(int(path.parent.name))
    found, left = set(), [parent]
    while left:
        inner = children.get(left.pop(), [])
        found |= set(inner)
        left += inner
    return found


def fill_the_disk(made: Class, grader: Grader) -> None:
    ballast = made.folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"0" * 2**16):
            pass
    grader.wait_until(grader.waits)
    ballast.unlink()


def lock_the_gradebook(made: Class, grader: Grader) -> None:
    other = sqlite3.connect(made.folder / "gradebook.db", timeout=60)
    other.execute("BEGIN EXCLUSIVE")
    grader.wait_until(grader.waits)
    other.rollback()
    other.close()


def left_behind(made: Class, temporary: Path) -> dict[str, list[str]]:
    """Processes, mounts and temporary files of the grader."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(made.folder) in line or str(temporary) in line:
            processes.append(line)
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    parts = [str(path) for path in made.folder.rglob("*") if path.name.startswith(".part-")]
    journal = made.folder / "gradebook.db-journal"
    return {
        "processes": processes,
        "mounts": [line for line in mounts if str(temporary) in line],
        "temporary files": sorted(path.name for path in temporary.iterdir()),
        "parts of files": parts + [str(journal)] * journal.exists(),
    }


def differences(made: Class, assignment: str, report: dict[str, Any]) -> list[str]:
    """Scores other than earned, and points lost without the reason."""
    found = []
    scores = made.scores(assignment)
    for student, one in made.expected[assignment].items():
        verdicts = report["verdicts"].get(student, [])
        points = sum(v["points"] for v in verdicts)
        words = " ".join([v["headline"] for v in verdicts] + [report["unread"].get(student, "")])
        words += " ".join(g["reason"] for v in verdicts for g in v["groups"])
        lost = [v for v in verdicts if v["points"] < v["max_points"]]
        if not verdicts or points != one.earned or scores.get(student) != one.earned:
            found.append(
                f"{assignment} {student}: {points}, in the gradebook {scores.get(student)},"
                f" instead of {one.earned}: {words[:300]}"
            )
        elif not re.search(one.reason, words) or any(not v["headline"] for v in lost):
            found.append(f"{assignment} {student}: no reason {one.reason!r} in {words[:300]!r}")
    return found


def run(folder: Path, temporary: Path, size: int) -> dict[str, Any]:
    """Grade the class twice; what is not as it should be."""
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    clock = folder / "clock"
    clock.write_text("0\n")
    made = Class.make(folder, size)
    before = set(temporary.iterdir())
    report: dict[str, Any] = {"submissions": size, "troubles": [], "not as earned": []}
    statuses, reports = {}, {}

    def half(assignment: str) -> Callable[[], bool]:
        return lambda: made.graded(assignment) >= len(made.expected[assignment]) // 3

    for number, assignment in enumerate(ASSIGNMENTS):
        grader = Grader(made, assignment, clock)
        grader.wait_until(half(assignment))
        at = f"{made.graded(assignment)} of {len(made.expected[assignment])} of {assignment}"
        if grader.process.poll() is not None:
            pass
        elif number == 0:
            fill_the_disk(made, grader)
            report["troubles"].append(f"the disk was full after {at}")
        elif number == 1:
            clock.write_text(f"-{_DAY}\n")
            report["troubles"].append(f"the clock went back by a day after {at}")
            lock_the_gradebook(made, grader)
            report["troubles"].append(f"the gradebook was locked after {at}")
        else:
            grader.kill_everything()
            report["troubles"].append(f"everything was killed after {at}")
            grader.end()
            grader = Grader(made, assignment, clock)
        statuses[assignment], errors, reports[assignment] = grader.end()
        if statuses[assignment]:
            report["not as earned"].append(f"{assignment} ended with {errors[-2000:]}")
        else:
            waits = [line for line in errors.splitlines() if "waiting" in line]
            report["troubles"] += waits
            report["not as earned"] += differences(made, assignment, reports[assignment])
        # a long run that is ended has said how far it came
        print(assignment, report, file=sys.stderr, flush=True)
    report["left behind"] = left_behind(made, temporary)
    assert set(temporary.iterdir()) >= before
    report["changed by a second run"] = second_run(made, reports, clock)
    return report


def second_run(made: Class, first: dict[str, Any], clock: Path) -> list[str]:
    """What another run of the command changes or grades again."""
    stored = {path: path.read_bytes() for path in (made.folder / "autograded").rglob("*.ipynb")}
    changed = []
    for assignment in ASSIGNMENTS:
        scores = made.scores(assignment)
        status, errors, report = Grader(made, assignment, clock).end()
        if status:
            changed.append(f"{assignment} ended with {errors[-500:]}")
            continue
        again = set(report["verdicts"]) - set(report["kept"])
        changed += [f"{assignment}: {student} was graded again" for student in sorted(again)]
        if report["verdicts"] != first[assignment].get("verdicts"):
            changed.append(f"{assignment}: other verdicts")
        if made.scores(assignment) != scores:
            changed.append(f"{assignment}: other scores")
    changed += [str(path) for path, content in stored.items() if path.read_bytes() != content]
    return changed


def main(size: int) -> None:
    """Run in a mount namespace of its own, where the class has a small disk."""
    if os.environ.get("ENDURANCE_FOLDER") is None:
        with tempfile.TemporaryDirectory(prefix="endurance-", dir="/tmp") as folder:
            roots = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            command = ["unshare", "--mount", *roots, sys.executable, __file__, str(size)]
            environment = {**os.environ, "ENDURANCE_FOLDER": folder}
            search = [str(ROOT), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, search))
            sys.exit(subprocess.run(command, env=environment).returncode)
    folder = Path(os.environ["ENDURANCE_FOLDER"])
    disk, temporary = folder / "class", folder / "tmp"
    disk.mkdir()
    temporary.mkdir()
    megabytes = 100 + 2 * size
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)], check=True
    )
    print(json.dumps(run(disk, temporary, size), indent=1))


if __name__ == "__main__":
    main(int(sys.argv[1]))
