"""The sanitize stage, which restores a submission's graded cells so that no accident costs points.

A cell that lost its nbgrader metadata is recognized by its content: ``check(name)``, or the
definition of ``name``.
"""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course.cells import NOT_PYTHON, checked_exercise, defined_names, parse_start
from autograder.grading.answer_recovery import gather_answers, is_by_hand, is_unanswered
from autograder.grading.grading_log import Notes, Repair
from autograder.grading.submissions import tidy

#: Names that no exercise needs, but an attempt to manipulate the grader does.
_SUSPICIOUS = re.compile(
    r"coursekit\.(?:checking|recordings)|vnd\.coursekit|autograder|gradebook"
    r"|skip-execution|\b(?:sys\.(?:displayhook|meta_path|_getframe|settrace|setprofile)"
    r"|os\.(?:_exit|kill|fork|setsid)|ctypes|gc\.get_(?:objects|referrers)|inspect\.(?:stack|currentframe)"
    r"|ast_transformers|input_transformers\w*|run_code|run_ast_nodes|mprotect|ptrace)\b"
)


def sanitize(submission: NotebookNode, release: NotebookNode) -> tuple[NotebookNode, Notes]:
    """Return a repaired copy of the submission, without outputs and with locked cells as released.

    Returns
    -------
    tuple of (NotebookNode, Notes)
        The notebook, and notes on repairs and suspicions.
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
    """Repair the submission in place; return the repairs.

    Of several cells with the same grade id the one that differs from the release keeps it; of
    several code cells that differ the last, which is in effect after a run, of texts the first, and
    the others are added to it. A cell without nbgrader metadata is recognized by its cell id, its
    text, what it defines or checks, or, as a last and doubtful resort, by its position between the
    same neighbors. Missing cells are inserted as released: a solution cell as the TODO, a check as
    the check. Code that was typed into a check cell runs in a cell of its own. An answer to a
    question outside its cell is copied there (`answer_recovery`).
    """
    wanted = {
        cell.metadata["nbgrader"]["grade_id"]: cell for cell in release.cells if _marked(cell)
    }
    repairs: list[Repair] = []
    present, answers = _choose_among_copies(notebook, wanted, repairs)
    _move_code_out_of_checks(notebook, wanted, present, repairs)
    lost = [grade_id for grade_id in wanted if grade_id not in present]
    prose = {cell.source.strip() for cell in release.cells if not _marked(cell)}
    search = _Search(notebook, wanted, present, prose)
    methods = {
        "its id": search.by_id,
        "its content": search.by_content,
        "its position": search.by_position,
    }
    for by, search_for in methods.items():
        for grade_id in [g for g in lost if g not in present]:
            found = search_for(grade_id)
            if not found:
                continue
            own = [cell for cell in found if not is_unanswered(cell.source, wanted[grade_id])]
            found = own or found
            cell = found[-1]  # the last definition is the one in effect after a run
            cell.metadata["nbgrader"] = copy.deepcopy(wanted[grade_id].metadata["nbgrader"])
            present[grade_id] = cell
            what = f"the cell {grade_id} had lost its nbgrader metadata and was recognized by {by}"
            doubtful = len(found) > 1 or by == "its position"
            if len(found) > 1:
                what += f"; {len(found)} cells fit and the last counts"
            repairs.append(Repair(what, doubtful))
    _insert_missing(notebook, release, wanted, present, repairs)
    _leave_out_stubs(notebook, release, present, repairs)
    return repairs + gather_answers(notebook, release, answers)


def suspicions(notebook: NotebookNode, release: NotebookNode) -> list[str]:
    """Return signs of manipulation, one sentence each; they cost no points by themselves."""
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
                found.append(
                    f"the nbgrader metadata of the cell {own['grade_id']} had been changed"
                )
            if cell.metadata.get("tags", []) != original.metadata.get("tags", []):
                tags = ", ".join(map(str, cell.metadata.get("tags", [])))
                found.append(f"the cell {own['grade_id']} had been tagged: {tags}"[:200])
        if cell.cell_type == "code" and cell.source not in released:
            words = sorted(set(_SUSPICIOUS.findall(cell.source)))
            if words:
                found.append(f"cell {number} mentions {', '.join(words)}, which no exercise needs")
    return found


def _choose_among_copies(
    notebook: NotebookNode, wanted: dict[str, NotebookNode], repairs: list[Repair]
) -> tuple[dict[str, NotebookNode], dict[str, list[NotebookNode]]]:
    """Choose one cell per grade id; also return its copies with other answers, for a person.

    Both map grade ids. Among the copies, "" has the cells that are not in the release.
    """
    copies: dict[str, list[NotebookNode]] = {}
    answers: dict[str, list[NotebookNode]] = {}
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata and not _marked(cell):
            del cell.metadata["nbgrader"]  # nbgrader marks copied cells like this
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in wanted:
            copies.setdefault(grade_id, []).append(cell)
        elif grade_id is not None:
            del cell.metadata["nbgrader"]
            answers.setdefault("", []).append(cell)
            repairs.append(Repair(f"the release has no cell {grade_id}: it does not count"))
    present: dict[str, NotebookNode] = {}
    for grade_id, cells in copies.items():
        original = wanted[grade_id]
        own = [cell for cell in cells if not is_unanswered(cell.source, original)]
        kept = (own or cells)[0 if is_by_hand(original) else -1]
        others = [cell for cell in cells if cell is not kept]
        for cell in others:
            del cell.metadata["nbgrader"]
        different = [cell for cell in own if cell.source.strip() != kept.source.strip()]
        if different and is_by_hand(original):
            answers[grade_id] = different
        elif different:
            what = (
                f"the cell {grade_id} is there several times with different code; the last counts"
            )
            repairs.append(Repair(what, doubtful=True))
        elif others:
            repairs.append(Repair(f"a copy of the cell {grade_id} does not count"))
        kept.metadata["nbgrader"] = copy.deepcopy(original.metadata["nbgrader"])
        if kept.cell_type != original.cell_type:
            _retype(kept, original.cell_type)
            repairs.append(Repair(f"the cell {grade_id} had become another type of cell"))
        present[grade_id] = kept
        _remove(notebook, [cell for cell in others if cell not in own])
    return present, answers


def _leave_out_stubs(
    notebook: NotebookNode,
    release: NotebookNode,
    present: dict[str, NotebookNode],
    repairs: list[Repair],
) -> None:
    """Remove TODOs that are as released where they would replace an answer in an earlier cell."""
    released = {cell.source.strip() for cell in release.cells}
    todos = {
        cell.metadata["nbgrader"]["grade_id"]: cell
        for cell in release.cells
        if _marked(cell) and cell.cell_type == "code"
    }
    for grade_id, cell in present.items():
        if grade_id not in todos or grade_id not in defined_names(cell.source):
            continue
        place = {id(one): number for number, one in enumerate(notebook.cells)}
        free = [
            one
            for one in notebook.cells
            if one.cell_type == "code"
            and not _marked(one)
            and grade_id in defined_names(one.source)
        ]
        answers = [one for one in free if one.source.strip() not in released]
        if not is_unanswered(cell.source, todos[grade_id]):
            _remove(notebook, [c for c in free if is_unanswered(c.source, todos[grade_id])])
        elif answers and place[id(answers[-1])] < place[id(cell)]:
            answers[-1].metadata["nbgrader"] = cell.metadata.pop("nbgrader")
            present[grade_id] = answers[-1]
            _remove(notebook, [cell])
            what = f"{grade_id} is answered in a cell above its own, which counts"
            repairs.append(Repair(what, doubtful=True))


def _remove(notebook: NotebookNode, cells: list[NotebookNode]) -> None:
    gone = {id(cell) for cell in cells}
    notebook.cells = [cell for cell in notebook.cells if id(cell) not in gone]


def _move_code_out_of_checks(
    notebook: NotebookNode,
    wanted: dict[str, NotebookNode],
    present: dict[str, NotebookNode],
    repairs: list[Repair],
) -> None:
    """Move code in check cells into a cell of its own before the check.

    It may be an answer, or a cell that was merged with the check. Check cells are locked: their own
    text is replaced by the released one.
    """
    for grade_id, cell in present.items():
        if checked_exercise(wanted[grade_id].source) and _does_something(cell.source):
            index = next(i for i, c in enumerate(notebook.cells) if c is cell)
            notebook.cells.insert(index, new_code_cell(cell.source))
            cell.source = wanted[grade_id].source
            repairs.append(Repair(f"the code in the cell {grade_id} runs in a cell of its own"))


def _does_something(source: str) -> bool:
    """Tell whether code has statements besides expressions; in doubt, False."""
    try:
        return any(not isinstance(node, ast.Expr) for node in parse_start(source).body)
    except NOT_PYTHON:
        return False


def _marked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade_id"))


def _retype(cell: NotebookNode, cell_type: str) -> None:
    cell.cell_type = cell_type
    for key in ("outputs", "execution_count"):
        cell.pop(key, None)
    if cell_type == "code":
        cell.pop("attachments", None)
        cell.outputs, cell.execution_count = [], None


@dataclass
class _Search:
    """A search for cells that lost their nbgrader metadata; its methods return all matches."""

    notebook: NotebookNode
    wanted: dict[str, NotebookNode]
    present: dict[str, NotebookNode]
    prose: set[str]

    def _free(self, grade_id: str) -> list[NotebookNode]:
        """Return the cells of the right type without nbgrader metadata."""
        kind = self.wanted[grade_id].cell_type
        return [c for c in self.notebook.cells if c.cell_type == kind and not _marked(c)]

    def by_id(self, grade_id: str) -> list[NotebookNode]:
        """Return the cells with the released cell id."""
        own = self.wanted[grade_id].get("id")
        return [c for c in self._free(grade_id) if own and c.get("id") == own]

    def by_content(self, grade_id: str) -> list[NotebookNode]:
        """Return code cells by what they define or check, text cells by their source."""
        original, free = self.wanted[grade_id], self._free(grade_id)
        if original.cell_type != "code":
            return [c for c in free if c.source.strip() == original.source.strip()]
        checked = checked_exercise(original.source)
        if checked is not None:
            return [c for c in free if checked_exercise(c.source) == checked]
        return [c for c in free if grade_id in defined_names(c.source)]

    def by_position(self, grade_id: str) -> list[NotebookNode]:
        """Return the only free cell between the neighbors in the release.

        Released text never matches. Nor does a code cell: an answer that defines another name is not
        this answer.
        """
        if self.wanted[grade_id].cell_type == "code":
            return []
        order = list(self.wanted)
        at = order.index(grade_id)
        index = {id(cell): i for i, cell in enumerate(self.notebook.cells)}
        present = {g: index[id(cell)] for g, cell in self.present.items()}
        begin = max((present[g] for g in order[:at] if g in present), default=-1)
        end = min((present[g] for g in order[at + 1 :] if g in present), default=len(index))
        free = [c for c in self._free(grade_id) if c.source.strip() not in self.prose]
        between = [c for c in free if begin < index[id(c)] < end]
        return between if len(between) == 1 else []


def _insert_missing(
    notebook: NotebookNode,
    release: NotebookNode,
    wanted: dict[str, NotebookNode],
    present: dict[str, NotebookNode],
    repairs: list[Repair],
) -> None:
    """Insert each missing cell after its predecessor in the release.

    However, a TODO is inserted before and a check after all cells that define the same name, so that
    answers that were merged into one cell or moved still count.
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
            index = _insertion_index(notebook, before, present)
            if name == grade_id:
                index = defining[0] if defining else index
            else:
                index = max([index, *(i + 1 for i in defining)])
            notebook.cells.insert(index, new)
            present[grade_id] = new
            repairs.append(Repair(f"the cell {grade_id} was missing and was put back as released"))
        before = present[grade_id]


def _insertion_index(
    notebook: NotebookNode, before: NotebookNode | None, present: dict[str, NotebookNode]
) -> int:
    """Return the index after `before`, else of the first graded cell, else of the end."""
    if before is not None:
        return next(i for i, c in enumerate(notebook.cells) if c is before) + 1
    known = {id(cell) for cell in present.values()}
    indices = [i for i, c in enumerate(notebook.cells) if id(c) in known]
    return indices[0] if indices else len(notebook.cells)
