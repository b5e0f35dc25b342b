"""Draws hints at random for a person to judge against the mistake that each one was shown for.

    autograder audit
    python benchmarks/hints.py --size 200 --seed 1
    python benchmarks/hints.py --show 200     # the rows without a verdict, with the hints' texts

The mutants of the last audit (`.audit/`) that lose points and get a hint are drawn without
replacement. `data/results/hints.tsv` gets a row for each: the edit that made the mutant, the
misconception whose hint is shown, and two columns to fill in, the verdict ("right", "partly" or
"misleading") and the reason in one line. Verdicts on the same edit and misconception are kept.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from autograder.authoring.audit.mutants import as_edit
from autograder.course import catalog
from autograder.course.layout import Course
from autograder.course.reference import bare_sources
from coursekit.data.paths import write_atomically

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "data" / "results" / "hints.tsv"
COLUMNS = ("exercise", "edit", "misconception", "verdict", "reason")
_KEY = COLUMNS[:3]


def shown_hints(course: Course) -> list[dict[str, str]]:
    """A row for every mutant of the last audit that was shown a hint, in the course's order."""
    rows = []
    for assignment in course.assignments():
        sources = bare_sources(course.solution(assignment))
        for name in catalog.exercises(course, assignment):
            audited = json.loads((course.root / ".audit" / f"{name}.json").read_text("utf-8"))
            rows += [_row(name, sources[name], mutant) for mutant in audited["mutants"]]
    return [row for row in rows if row["misconception"]]


def _row(name: str, reference: str, mutant: dict[str, Any]) -> dict[str, str]:
    misconception = mutant["misconception"] if mutant["status"] == "killed" else ""
    edit = as_edit(reference, mutant["source"]) if misconception else ""
    lines = [line for line in edit.splitlines() if line[:1] in ("-", "+")]
    shown = " / ".join(f"{line[0]} {line[1:].strip()}" for line in lines)
    return {"exercise": name, "edit": shown, "misconception": misconception}


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
            for name, exercise in catalog.exercises(course, assignment).items()
            for wrong in exercise.misconceptions
        }
        waiting = [row for row in read_table(TABLE) if not row["verdict"]]
        for row in waiting[: options.show]:
            hint = hints[row["exercise"], row["misconception"]]
            print(f"{row['exercise']}\n  {row['edit']}\n  {row['misconception']}: {hint}")
        return
    judged = {tuple(row[key] for key in _KEY): row for row in read_table(TABLE)}
    rows = shown_hints(course)
    drawn = sorted(random.Random(options.seed).sample(range(len(rows)), options.size))
    table = [judged.get(tuple(rows[i][key] for key in _KEY), rows[i]) for i in drawn]
    write_table(TABLE, table)
    print(f"{len(table)} of {len(rows)} hints:", dict(Counter(r.get("verdict") for r in table)))


if __name__ == "__main__":
    main()
