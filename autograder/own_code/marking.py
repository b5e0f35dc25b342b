"""Marks quiz notebooks that students have handed in; nothing of them is run."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import ClassError, CourseError
from autograder.grading.student_files import read_regular, walk
from autograder.own_code.kinds import LETTERS
from autograder.own_code.sheets import MARK
from coursekit.data.paths import write_atomically

_ANSWER = re.compile(r"^\s*answer_(\d+)\s*=\s*[\"']\s*([A-Za-z]?)\s*[\"']", re.M)


@dataclass(frozen=True)
class Marked:
    """A marked quiz.

    Attributes
    ----------
    answers : str
        The letters that the student wrote, ``-`` for none.
    problem : str
        Why it was not marked, one sentence, or "".
    """

    student: str
    answers: str = ""
    right: int = 0
    of: int = 0
    problem: str = ""


def mark(place: Path, handed_in: Path) -> tuple[Path, list[Marked]]:
    """Mark the quiz notebooks in a folder; write points.csv beside the key and return its path.

    A notebook belongs to the student after whom its file or folder is called, and counts only with
    the questions that were drawn for this student.

    Parameters
    ----------
    place : Path
        Where `write_questions` has written the key.
    handed_in : Path
        A folder with STUDENT.ipynb or STUDENT/ANY-NAME.ipynb.

    Raises
    ------
    ClassError
        There is no key, or no notebook.
    CourseError
        The points cannot be written.
    """
    try:
        key: dict[str, Any] = json.loads((place / "key.json").read_bytes())
    except (OSError, ValueError) as error:
        raise ClassError(
            f"there is no key in {place}; draw the questions first, without --mark."
        ) from error
    found = []
    for name, path, wrong in walk(handed_in):
        if not name.endswith(".ipynb") or ".ipynb_checkpoints" in name:
            continue
        parts = Path(name).parts
        student = parts[0] if len(parts) > 1 else Path(name).stem
        found.append(
            Marked(student, problem=f"{name}: {wrong}") if wrong else _mark(key, student, path)
        )
    if not found:
        raise ClassError(
            f"there is no notebook in {handed_in}; it should hold STUDENT.ipynb or"
            " STUDENT/NAME.ipynb."
        )
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["student", "right", "of", "answers"])
    table.writerows(
        [one.student, one.right, one.of, one.answers] for one in found if not one.problem
    )
    path = place / "points.csv"
    try:
        write_atomically(path, text.getvalue().encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror}.") from error
    return path, found


def _mark(key: dict[str, Any], student: str, path: Path) -> Marked:
    if student not in key:
        return Marked(student, problem="no questions were drawn for a student of this name")
    wanted = key[student]
    try:
        notebook = json.loads(read_regular(path))
        mark = notebook["metadata"].get(MARK, {})
        sources = ["".join(cell["source"]) for cell in notebook["cells"]]
        kinds = [cell["cell_type"] for cell in notebook["cells"]]
        given = dict(mark)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Marked(student, problem="this is no notebook that can be read")
    if given.get("questions") != wanted["questions"]:
        whose = str(given.get("student", ""))
        is_other = whose in key and whose != student
        what = f"the quiz of {whose}" if is_other else "no quiz that the key knows"
        return Marked(student, problem=f"this is {what}; it does not count")
    right = wanted["right"]
    letters = ["-"] * len(right)
    for kind, source in zip(kinds, sources):
        if kind != "code":
            continue
        for number, letter in _ANSWER.findall(source):
            if 1 <= int(number[:4]) <= len(right) and letter.upper() in LETTERS:
                letters[int(number[:4]) - 1] = letter.upper() or "-"
    count = sum(one == two for one, two in zip(letters, right))
    return Marked(student, "".join(letters), count, len(right))
