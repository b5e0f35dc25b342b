"""Division of the submissions that a person has to grade among several graders."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autograder.errors import ClassError
from autograder.escaping import for_spreadsheet
from autograder.gradebook.class_folder import Classroom
from coursekit.data.paths import write_atomically


def share_out(
    classroom: Classroom, assignment: str, graders: Sequence[str]
) -> tuple[dict[str, list[str]], Path]:
    """Divide students among graders in equal shares; students keep a grader they already have.

    Returns
    -------
    tuple of (dict of str to list of str, Path)
        The shares, and the CSV file in `exports/` that remembers them.

    Raises
    ------
    ClassError
        Nothing waits for a person, or a grader is named twice.
    """
    if len(set(graders)) < len(graders):
        raise ClassError("a grader is named twice; name each once.")
    path = classroom.folder / "exports" / f"{assignment}-shares.csv"
    waiting = {s for s, score in classroom.scores(assignment).items() if score.waiting}
    known = _read(path)
    students = sorted((waiting | known.keys()) - classroom.dropped())
    if not students:
        raise ClassError(f"no submission of {assignment} waits for a person.")
    given = {s: known[s] for s in students if known.get(s) in graders}
    sizes = Counter(dict.fromkeys(graders, 0)) + Counter(given.values())
    for student in students:
        if student not in given:
            given[student] = min(graders, key=lambda grader: sizes[grader])
            sizes[given[student]] += 1
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "grader"])
    writer.writerows([for_spreadsheet(s), for_spreadsheet(given[s])] for s in students)
    write_atomically(path, out.getvalue().encode(), private=True)
    return {g: [s for s in students if given[s] == g] for g in graders}, path


def _read(path: Path) -> dict[str, str]:
    """Read the earlier shares: student -> grader."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["student"]: row["grader"] for row in csv.DictReader(file)}
