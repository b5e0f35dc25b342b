"""The sanitize stage: puts a submission's graded cells back in order, so that no accident costs points.

A cell that lost its nbgrader metadata is recognized by what it holds: ``check(name)``, or the
definition of ``name``.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.cells import checked_exercise, defined_names
from autograder.grading.notes import Notes, Repair
from autograder.grading.submissions import tidy

#: What no exercise needs, and tricks do.
_TRICKS = re.compile(
    r"coursekit\.(?:checking|recordings)|vnd\.coursekit|autograder|gradebook"
    r"|skip-execution|\b(?:sys\.(?:displayhook|meta_path|_getframe|settrace|setprofile)"
    r"|os\.(?:_exit|kill|fork|setsid)|ctypes|gc\.get_(?:objects|referrers)|inspect\.(?:stack|currentframe)"
    r"|ast_transformers|input_transformers\w*|run_code|run_ast_nodes|mprotect|ptrace)\b"
)


def sanitize(submission: NotebookNode, release: NotebookNode) -> tuple[NotebookNode, Notes]:
    """The sanitize stage: a copy that is repaired and without outputs, locked cells as released.

    Returns
    -------
    The notebook, and what was repaired or looks suspicious.
    """
    notebook = copy.deepcopy(submission)
    tidy(notebook)
    notes = Notes(suspicions=suspicions(notebook, release))
    notes.repairs = restore(notebook, release)
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
    return notebook, notes


def restore(notebook: NotebookNode, release: NotebookNode) -> list[Repair]:
    """Repair the submission in place; say what was done.

    Of cells with the same grade id the last keeps it, as in nbgrader. A cell without marks is
    known by its cell id, its text, what it defines or checks, or, last and with doubt, by standing
    between the same neighbors. A missing solution cell comes back as the TODO that was released, a
    missing check as itself.
    """
    wanted = {
        cell.metadata["nbgrader"]["grade_id"]: cell for cell in release.cells if _marked(cell)
    }
    repairs: list[Repair] = []
    present: dict[str, NotebookNode] = {}
    for cell in reversed(notebook.cells):
        if "nbgrader" in cell.metadata and not _marked(cell):
            del cell.metadata["nbgrader"]  # nbgrader's own mark of a copied cell
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in wanted and grade_id not in present:
            present[grade_id] = cell
            cell.metadata["nbgrader"] = copy.deepcopy(wanted[grade_id].metadata["nbgrader"])
            if cell.cell_type != wanted[grade_id].cell_type:
                _retype(cell, wanted[grade_id].cell_type)
                repairs.append(Repair(f"the cell {grade_id} had become another type of cell"))
        elif grade_id is not None:
            del cell.metadata["nbgrader"]
            same = grade_id in present and present[grade_id].source == cell.source
            repairs.append(
                Repair(f"a second or foreign cell {grade_id} no longer counts", doubtful=not same)
            )
    lost = [grade_id for grade_id in wanted if grade_id not in present]
    prose = {cell.source.strip() for cell in release.cells if not _marked(cell)}
    search = _Search(notebook, wanted, present, prose)
    ways = {"its id": search.by_id, "its content": search.by_content, "its place": search.by_place}
    for by, know in ways.items():
        for grade_id in [g for g in lost if g not in present]:
            found = know(grade_id)
            if not found:
                continue
            cell = found[-1]  # the last is what stands when the notebook has run
            cell.metadata["nbgrader"] = copy.deepcopy(wanted[grade_id].metadata["nbgrader"])
            present[grade_id] = cell
            what = f"the cell {grade_id} had lost its marks and was known by {by}"
            doubtful = len(found) > 1 or by == "its place"
            if len(found) > 1:
                what += f"; {len(found)} cells fit and the last counts"
            repairs.append(Repair(what, doubtful))
    _insert_missing(notebook, release, wanted, present, repairs)
    return repairs


def suspicions(notebook: NotebookNode, release: NotebookNode) -> list[str]:
    """What an honest submission would not hold, a sentence each. It costs nothing by itself."""
    wanted = {
        cell.metadata["nbgrader"]["grade_id"]: cell for cell in release.cells if _marked(cell)
    }
    released = {cell.source for cell in release.cells}
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        marks = cell.metadata.get("nbgrader", {})
        original = wanted.get(marks.get("grade_id"))
        if original is not None:
            own = original.metadata["nbgrader"]
            if own.get("locked") and cell.source.strip() != original.source.strip():
                found.append(f"the locked cell {own['grade_id']} had been edited")
            if any(marks.get(key) != own.get(key) for key in ("points", "grade", "locked")):
                found.append(f"the marks of the cell {own['grade_id']} had been changed")
            if cell.metadata.get("tags", []) != original.metadata.get("tags", []):
                tags = ", ".join(map(str, cell.metadata.get("tags", [])))
                found.append(f"the cell {own['grade_id']} had been tagged: {tags}"[:200])
        if cell.cell_type == "code" and cell.source not in released:
            words = sorted(set(_TRICKS.findall(cell.source)))
            if words:
                found.append(f"cell {number} mentions {', '.join(words)}, which no exercise needs")
    return found


def _marked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade_id"))


def _retype(cell: NotebookNode, cell_type: str) -> None:
    cell.cell_type = cell_type
    for key in ("outputs", "execution_count", "attachments"):
        cell.pop(key, None)
    if cell_type == "code":
        cell.outputs, cell.execution_count = [], None


@dataclass
class _Search:
    """Ways to know a cell that lost its marks; each gives the cells that could be the one."""

    notebook: NotebookNode
    wanted: dict[str, NotebookNode]
    present: dict[str, NotebookNode]
    prose: set[str]

    def _free(self, grade_id: str) -> list[NotebookNode]:
        """The cells of the right type that are not taken."""
        kind = self.wanted[grade_id].cell_type
        return [c for c in self.notebook.cells if c.cell_type == kind and not _marked(c)]

    def by_id(self, grade_id: str) -> list[NotebookNode]:
        own = self.wanted[grade_id].get("id")
        return [c for c in self._free(grade_id) if own and c.get("id") == own]

    def by_content(self, grade_id: str) -> list[NotebookNode]:
        """By what it defines or checks; text by the text itself."""
        original, free = self.wanted[grade_id], self._free(grade_id)
        if original.cell_type != "code":
            return [c for c in free if c.source.strip() == original.source.strip()]
        checked = checked_exercise(original.source)
        if checked is not None:
            return [c for c in free if checked_exercise(c.source) == checked]
        return [c for c in free if grade_id in defined_names(c.source)]

    def by_place(self, grade_id: str) -> list[NotebookNode]:
        """The only free cell between the two that stand around it in the release, itself not of it.

        Code whose name cannot be told is never taken: an answer under another name is not this one.
        """
        if self.wanted[grade_id].cell_type == "code":
            return []
        order = list(self.wanted)
        at = order.index(grade_id)
        place = {id(cell): i for i, cell in enumerate(self.notebook.cells)}
        present = {g: place[id(cell)] for g, cell in self.present.items()}
        begin = max((present[g] for g in order[:at] if g in present), default=-1)
        end = min((present[g] for g in order[at + 1 :] if g in present), default=len(place))
        free = [c for c in self._free(grade_id) if c.source.strip() not in self.prose]
        between = [c for c in free if begin < place[id(c)] < end]
        return between if len(between) == 1 else []


def _insert_missing(
    notebook: NotebookNode,
    release: NotebookNode,
    wanted: dict[str, NotebookNode],
    present: dict[str, NotebookNode],
    repairs: list[Repair],
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
            repairs.append(Repair(f"the cell {grade_id} was missing and was put back as released"))
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
