"""Draws hints at random to be judged against the mistake that each one was shown for.

    autograder audit
    python benchmarks/hints.py --size 200 --seed 1
    python benchmarks/hints.py --show 200     # the rows without a verdict, with the hints' texts

The mutants of the last audit (`.audit/`) that lost points and got a hint are drawn without
replacement, and judged again with the released recordings. `data/results/hints.tsv` gets a row for
each that still gets one: the edit that made the mutant, the misconception whose hint is shown, and
two columns to fill in, the verdict ("right", "partly" or "misleading") and the reason in one line.
Verdicts on the same edit and misconception are kept.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
from collections import Counter
from pathlib import Path

import torch
from tqdm.auto import tqdm

from autograder.authoring.audit.judge_mutants import CASE_SECONDS
from autograder.authoring.audit.mutants import as_edit
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.reference import Solution
from coursekit.checking.run_cases import run_cases
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import judge
from coursekit.data.paths import write_atomically

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "data" / "results" / "hints.tsv"
COLUMNS = ("exercise", "edit", "misconception", "verdict", "reason")
_KEY = COLUMNS[:3]


def hinted(course: Course) -> list[tuple[str, str, str]]:
    """Assignment, exercise and source of every mutant that got a hint in the last audit."""
    found = []
    for assignment in course.assignments():
        for name in Assignment(course, assignment).exercises:
            audited = json.loads((course.root / ".audit" / f"{name}.json").read_text("utf-8"))
            found += [
                (assignment, name, mutant["source"])
                for mutant in audited["mutants"]
                if mutant["status"] == "killed" and mutant["misconception"]
            ]
    return found


def judged(course: Course, assignment: str, name: str, source: str) -> dict[str, str] | None:
    """The row for a mutant; None if it is shown no hint now."""
    notebook, exercise = course.solution(assignment), find(name)
    outcomes = run_cases(
        Solution(notebook).run_answer(name, source), exercise["cases"], CASE_SECONDS
    )
    torch.set_grad_enabled(True)  # a mutant may have left it off
    misconception = judge(exercise, outcomes).misconception
    edit = as_edit(Solution(notebook).bare_sources[name], source)
    lines = [line for line in edit.splitlines() if line[:1] in ("-", "+")]
    shown = " / ".join(f"{line[0]} {line[1:].strip()}" for line in lines)
    row = {"exercise": name, "edit": shown, "misconception": misconception}
    return row if misconception else None


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a table that this script wrote; [] if there is none."""
    if not path.exists():
        return []
    text = path.read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def write_table(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows of one line each, since an edit is quoted code."""
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row.get(column) or "" for column in COLUMNS) for row in rows]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, help="print that many rows without a verdict, and end")
    options = parser.parse_args()
    course = Course(ROOT)
    if options.show:
        hints = {
            (name, wrong.name): wrong.hint
            for assignment in course.assignments()
            for name, exercise in Assignment(course, assignment).exercises.items()
            for wrong in exercise.misconceptions
        }
        waiting = [row for row in read_table(TABLE) if not row["verdict"]]
        for row in waiting[: options.show]:
            hint = hints[row["exercise"], row["misconception"]]
            print(f"{row['exercise']}\n  {row['edit']}\n  {row['misconception']}: {hint}")
        return
    known = {tuple(row[key] for key in _KEY): row for row in read_table(TABLE)}
    waiting = hinted(course)
    random.Random(options.seed).shuffle(waiting)
    table: list[dict[str, str]] = []
    for mutant in tqdm(waiting):
        row = judged(course, *mutant)
        if row is not None:
            table.append(known.get(tuple(row[key] for key in _KEY), row))
        if len(table) == options.size:
            break
    order = {name: i for i, (_, name, _) in enumerate(hinted(course))}
    table.sort(key=lambda row: (order[row["exercise"]], row["edit"]))
    write_table(TABLE, table)
    print(f"{len(table)} of {len(waiting)} hints:", dict(Counter(r.get("verdict") for r in table)))


if __name__ == "__main__":
    main()
