"""A test for answers in a notebook: it tells an attempt from the released notebook."""

from __future__ import annotations

import re

from nbformat import NotebookNode

from autograder.course.cells import checked_exercise
from autograder.grading.answer_recovery import is_unanswered
from autograder.grading.sanitize import sanitize


def has_answers(notebook: NotebookNode, release: NotebookNode) -> bool:
    """Tell whether a notebook has an answer: a changed answer cell, or an exercise's definition.

    The cells are those that grading would look at: lost metadata and answers outside their cells
    are found first.
    """
    repaired, _ = sanitize(notebook, release)
    answers = {
        marks["grade_id"]: cell
        for cell in release.cells
        if (marks := cell.metadata.get("nbgrader", {})).get("solution")
    }
    for cell in repaired.cells:
        original = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if original is not None and not is_unanswered(cell.source, original):
            return True
    released = {cell.source.strip() for cell in release.cells}
    wanted = {checked_exercise(cell.source) for cell in release.cells} - {None}
    names = "|".join(map(re.escape, sorted(filter(None, wanted))))
    defines = re.compile(
        rf"^\s*(?:(?:async\s+)?def|class)\s+(?:{names})\b|^\s*(?:{names})\s*[:=]", re.M
    )
    return bool(names) and any(
        cell.cell_type == "code" and defines.search(cell.source)
        for cell in repaired.cells
        if cell.source.strip() not in released
    )
