"""Marking of quiz notebooks that students have handed in, without running anything in them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.errors import ClassError, CourseError
from autograder.escaping import for_spreadsheet
from autograder.grading import notebook_json
from autograder.grading.student_files import read_regular, walk
from autograder.own_code.question_kinds import LETTERS
from autograder.own_code.question_sheets import MARK
from coursekit.data.paths import write_atomically

#: No part of it can match much: a cell may hold a million spaces.
_ANSWER = re.compile(
    r"[ \t]{0,9}answer_(\d{1,4})[ \t]{0,9}=[ \t]{0,9}[\"'][ \t]{0,9}([A-Za-z]?)[ \t]{0,9}[\"']"
)
_SEVERAL = "there are several notebooks of this student; leave the one that counts"


@dataclass(frozen=True)
class Marked:
    """Marked quiz.

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
    the questions that were drawn for this student. Of several notebooks of a student none counts: a
    student could hand in every combination of letters.

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
    handed = [
        (Path(name).parts[0] if "/" in name else Path(name).stem, name, path, wrong)
        for name, path, wrong in walk(handed_in)
        if name.endswith(".ipynb") and ".ipynb_checkpoints" not in name
    ]
    several = Counter(student for student, *_ in handed)
    found = []
    for student, name, path, wrong in handed:
        if several[student] > 1:
            found.append(Marked(student, problem=_SEVERAL))
        elif wrong:
            found.append(Marked(student, problem=f"{name}: {wrong}"))
        else:
            found.append(_mark(key, student, path))
    if not found:
        raise ClassError(
            f"there is no notebook in {handed_in}; it should hold STUDENT.ipynb or"
            " STUDENT/NAME.ipynb."
        )
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["student", "right", "of", "answers"])
    table.writerows(
        [for_spreadsheet(one.student), one.right, one.of, for_spreadsheet(one.answers)]
        for one in found
        if not one.problem
    )
    path = place / "points.csv"
    try:
        write_atomically(path, text.getvalue().encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror}.") from error
    return path, found


def _mark(key: dict[str, Any], student: str, path: Path) -> Marked:
    """Return a student's marked quiz; a notebook that cannot count has a problem instead."""
    if student not in key:
        return Marked(student, problem="no questions were drawn for a student of this name")
    wanted = key[student]
    try:
        notebook = notebook_json.load(read_regular(path))
        mark = notebook["metadata"].get(MARK, {})
        sources = ["".join(cell["source"]) for cell in notebook["cells"]]
        kinds = [cell["cell_type"] for cell in notebook["cells"]]
        given = dict(mark)
    except (
        *(OSError, ValueError, LookupError, TypeError, AttributeError),
        *(RecursionError, MemoryError),
    ):
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
        for found in map(_ANSWER.match, source.splitlines()):
            number, letter = (int(found[1]), found[2].upper()) if found else (0, "")
            if 1 <= number <= len(right) and letter in LETTERS:
                letters[number - 1] = letter or "-"
    count = sum(one == two for one, two in zip(letters, right))
    return Marked(student, "".join(letters), count, len(right))
