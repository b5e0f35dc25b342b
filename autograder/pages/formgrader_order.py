"""Order of formgrader's page of a submission: first the cells that a person has to grade."""

from __future__ import annotations

from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.grading.run import NOT_RUN

#: So many cells above an answer are searched for its question.
_ABOVE = 6


class HandGradedFirst(Preprocessor):
    """Preprocessor that puts questions with their answers on top, without notes on cells not run.

    For the page only: the notebook in `autograded/` stays as it is. A notebook in which nothing is
    graded by hand keeps its order.
    """

    enabled = True

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Drop the notes on cells not run, and move the cells graded by hand to the top."""
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [one for one in cell.outputs if one.get("text") != NOT_RUN]
        first: list[int] = []
        for number, cell in enumerate(nb.cells):
            if _is_by_hand(cell):
                first += range(_question(nb.cells, number), number + 1)
        if first:
            moved = set(first)
            rest = [cell for i, cell in enumerate(nb.cells) if i not in moved]
            nb.cells = [
                new_markdown_cell("# To grade by hand"),
                *(nb.cells[i] for i in sorted(moved)),
                new_markdown_cell("# The rest of the notebook, graded by the checks"),
                *rest,
            ]
        return nb, resources


def _is_by_hand(cell: NotebookNode) -> bool:
    """Tell whether a person gives the points of a cell: an answer, or a task with its answer."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("task") or (marks.get("grade") and marks.get("solution")))


def _question(cells: list[NotebookNode], answer: int) -> int:
    """Return the index of the first cell of an answer: its question, or the cell above it."""
    first = answer
    for number in range(answer - 1, max(-1, answer - 1 - _ABOVE), -1):
        cell = cells[number]
        marks = cell.metadata.get("nbgrader", {})
        if any(marks.get(kind) for kind in ("solution", "grade", "task")):
            break
        if cell.cell_type == "markdown" and cell.source.startswith("**Question"):
            return number
        first = answer - 1
    return first
