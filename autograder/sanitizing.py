"""Puts a submission's graded cells back in order, so that no accident loses what was earned.

Runs inside nbgrader's sanitize step, before nbgrader overwrites the locked cells. A cell that
lost its marks is known by what it holds: ``check(name)``, or the definition of ``name``.
"""

from __future__ import annotations

import copy
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course import find_course
from autograder.reference import defined_names, read
from autograder.run import checked_exercise


class RestoreCells(NbGraderPreprocessor):
    """Marks cells that lost their marks, and inserts cells of the release that are missing."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        release = read(find_course().notebook(resources["nbgrader"]["assignment"]))
        for repair in restore(nb, release):
            self.log.warning(repair)
        return nb, resources


def restore(notebook: NotebookNode, release: NotebookNode) -> list[str]:
    """Repair the submission in place; say what was done, a sentence each.

    Of cells with the same grade id the last keeps it, as in nbgrader. A missing solution cell
    comes back as the TODO that was released, a missing check as itself.
    """
    wanted = {
        cell.metadata["nbgrader"]["grade_id"]: cell for cell in release.cells if _marked(cell)
    }
    repairs: list[str] = []
    present: dict[str, NotebookNode] = {}
    for cell in reversed(notebook.cells):
        if "nbgrader" in cell.metadata and not _marked(cell):
            del cell.metadata["nbgrader"]  # nbgrader's own mark of a copied cell
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in wanted and grade_id not in present:
            present[grade_id] = cell
            if cell.cell_type != wanted[grade_id].cell_type:
                _retype(cell, wanted[grade_id].cell_type)
                repairs.append(f"the cell {grade_id} had become another type of cell")
        elif grade_id is not None:
            del cell.metadata["nbgrader"]
            repairs.append(f"a second or foreign cell {grade_id} no longer counts")
    for grade_id, original in wanted.items():
        if grade_id in present:
            continue
        found = _find(notebook, grade_id, original, present)
        if found is not None:
            found.metadata["nbgrader"] = copy.deepcopy(original.metadata["nbgrader"])
            present[grade_id] = found
            repairs.append(f"the cell {grade_id} had lost its marks and was known by its content")
    _insert_missing(notebook, release, wanted, present, repairs)
    return repairs


def sanitized(notebook: NotebookNode, release: NotebookNode) -> NotebookNode:
    """The submission as nbgrader's sanitize step leaves it: repaired, locked cells as released."""
    notebook = copy.deepcopy(notebook)
    restore(notebook, release)
    locked = {
        cell.metadata["nbgrader"]["grade_id"]: cell.source
        for cell in release.cells
        if _marked(cell) and cell.metadata["nbgrader"].get("locked")
    }
    for cell in notebook.cells:
        if _marked(cell):
            cell.source = locked.get(cell.metadata["nbgrader"]["grade_id"], cell.source)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def _marked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade_id"))


def _retype(cell: NotebookNode, cell_type: str) -> None:
    cell.cell_type = cell_type
    for key in ("outputs", "execution_count", "attachments"):
        cell.pop(key, None)
    if cell_type == "code":
        cell.outputs, cell.execution_count = [], None


def _find(
    notebook: NotebookNode, grade_id: str, original: NotebookNode, present: dict[str, NotebookNode]
) -> NotebookNode | None:
    """The last unmarked cell that holds what the released cell is for."""
    checked = checked_exercise(original.source)
    for cell in reversed(notebook.cells):
        if cell.cell_type != original.cell_type or _marked(cell):
            continue
        if checked is None and grade_id in defined_names(cell.source):
            return cell
        if checked is not None and checked_exercise(cell.source) == checked:
            return cell
    return None


def _insert_missing(
    notebook: NotebookNode,
    release: NotebookNode,
    wanted: dict[str, NotebookNode],
    present: dict[str, NotebookNode],
    repairs: list[str],
) -> None:
    """Insert each missing cell behind the one that came before it in the release.

    But a TODO comes before, and a check after, whatever cell defines the same name: answers that
    were merged into one cell or moved count as they are.
    """
    before: NotebookNode | None = None
    for cell in (cell for cell in release.cells if _marked(cell)):
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        if grade_id not in present:
            new = copy.deepcopy(cell)
            name = checked_exercise(cell.source) or grade_id
            defining = [
                i
                for i, c in enumerate(notebook.cells)
                if c.cell_type == "code" and name in defined_names(c.source)
            ]
            place = _place(notebook, before, present)
            if name == grade_id:
                place = defining[0] if defining else place
            else:
                place = max([place, *(i + 1 for i in defining)])
            notebook.cells.insert(place, new)
            present[grade_id] = new
            repairs.append(f"the cell {grade_id} was missing and was put back as released")
        before = present[grade_id]


def _place(
    notebook: NotebookNode, before: NotebookNode | None, present: dict[str, NotebookNode]
) -> int:
    """Behind the cell `before`, or before the first that is present, or at the end."""
    if before is not None:
        return next(i for i, c in enumerate(notebook.cells) if c is before) + 1
    known = {id(cell) for cell in present.values()}
    places = [i for i, c in enumerate(notebook.cells) if id(c) in known]
    return places[0] if places else len(notebook.cells)
