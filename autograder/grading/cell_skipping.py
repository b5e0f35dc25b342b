"""The choice of the cells that need not run, as they only show training, tables or figures.

`release` tags them, after proving that the reference passes every case without them. A cell of a
submission that has the text of a tagged one is not run. If then an answer is missing or wrong, and
it is not proved that these cells cannot change it (`skip_safety`), the submission runs again with
every cell, and the better verdict counts: whatever a student writes, leaving cells out costs no
point. In that run a cell that only shows something is cut off after a few seconds of processor
time. If an answer may have needed the rest of it, the submission runs once more without this limit.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from nbformat import NotebookNode

from autograder.course.cells import asked_exercise
from autograder.errors import TookTooLong
from autograder.grading.outputs import TOO_LARGE
from autograder.grading.questions import Answers
from autograder.grading.skip_safety import cannot_differ
from coursekit.checking.time_limit import time_limit
from coursekit.checking.verdict import Verdict

#: The tag of a released cell that only shows something.
TAG = "only-shows"
#: Metadata of a submission's cell that is not run.
LEFT_OUT = "coursekit_left_out"
#: Metadata of such a cell when it is run after all: it has a time limit of its own.
LIMITED = "coursekit_limited"
#: Processor time of the proof that they change nothing; an honest notebook takes a tenth of a second.
_PROOF_SECONDS = 5.0
#: Code that may bind any name, and the signs of a line that binds one.
_DYNAMIC = re.compile(r"exec|eval|globals|setattr|get_ipython|^[ \t]*[%!]", re.MULTILINE)
_BINDS = re.compile(r"\b(?:def|class|import|as|for|global)\b|=")


def mark_left_out(notebook: NotebookNode, release: NotebookNode) -> None:
    """Mark in place the cells of a sanitized submission that need not run.

    A notebook with code that is graded by hand runs whole: that code may need any cell.
    """
    shows = {cell.source for cell in release.cells if TAG in cell.metadata.get("tags", [])}
    by_hand = any(
        marks.get("grade") and marks.get("solution")
        for marks in (
            cell.metadata.get("nbgrader", {}) for cell in notebook.cells if cell.cell_type == "code"
        )
    )
    for cell in notebook.cells:
        for key in (LEFT_OUT, LIMITED):
            cell.metadata.pop(key, None)
        given = cell.cell_type == "code" and not cell.metadata.get("nbgrader")
        if given and cell.source in shows and not by_hand:
            cell.metadata[LEFT_OUT] = True


def leave_out_other_checks(notebook: NotebookNode, exercise: str) -> None:
    """Mark the checks of all other exercises as left out."""
    for cell in notebook.cells:
        if (asked := asked_exercise(cell)) is not None:
            cell.metadata[LEFT_OUT] = asked != exercise


def shown_cells(notebook: NotebookNode) -> set[int]:
    """Return the indices of the cells that are left out because they only show something."""
    return {
        i
        for i, cell in enumerate(notebook.cells)
        if cell.metadata.get(LEFT_OUT) and asked_exercise(cell) is None
    }


def needs_every_cell(
    notebook: NotebookNode,
    release: NotebookNode,
    verdicts: list[Verdict],
    answers: Answers,
    cells: Collection[int],
) -> NotebookNode | None:
    """Return the notebook to run with every cell, as an answer is missing or wrong; else None.

    It ends with the check of the last such exercise, since nothing behind that can change it, and
    asks only for these exercises. One whose cell is still the released TODO stays unwritten
    however the notebook is run, and an answer that was larger than any right one is wrong. Nor does
    the notebook run again where that is proved to change no answer.

    Parameters
    ----------
    notebook : NotebookNode
        A submission that has run.
    release : NotebookNode
        The assignment as it was released.
    verdicts : list[Verdict]
        The verdict on each exercise.
    answers : Answers
        The answers of the run.
    cells : collection of int
        The cells that did not run, or not to their end.
    """
    released = {cell.source.strip() for cell in release.cells}
    own = "\n".join(c.source for c in notebook.cells if c.source.strip() not in released)
    wrong = {
        verdict.exercise
        for verdict in verdicts
        if not verdict.passed
        and (verdict.stage != "missing" or _may_define(own, verdict.exercise))
        and answers.ends.get(verdict.exercise) != TOO_LARGE
    }
    last = max(
        (i for i, cell in enumerate(notebook.cells) if asked_exercise(cell) in wrong),
        default=-1,
    )
    before = {i for i in cells if i < last}
    if not before:
        return None  # nothing wrong, or nothing left out before it
    whole = NotebookNode(notebook, cells=[_without_outputs(c) for c in notebook.cells[: last + 1]])
    if _ended_by_itself(notebook, wrong, answers) and _is_proved(whole, before, wrong):
        return None
    for i, cell in enumerate(whole.cells):
        asked = asked_exercise(cell)
        cell.metadata[LIMITED] = i in before
        cell.metadata[LEFT_OUT] = asked is not None and asked not in wrong
    return whole


def _is_proved(notebook: NotebookNode, cells: Collection[int], wrong: Collection[str]) -> bool:
    """Tell whether cells are proved to change no answer; False if the proof takes too long."""
    try:
        with time_limit(_PROOF_SECONDS, TookTooLong):
            return cannot_differ(notebook, cells, wrong)
    except TookTooLong:
        return False


def _ended_by_itself(notebook: NotebookNode, exercises: Collection[str], answers: Answers) -> bool:
    """Tell whether no cell or answer was stopped: one that was may not be the next time."""
    found = [answers.outcomes.get(name) for name in exercises]
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return all(
        outcomes is not None and all(outcome.get("status") != "timeout" for outcome in outcomes)
        for outcomes in found
    ) and all(output.get("ename") not in ("KernelEnded", "TimeLimit") for output in outputs)


def _without_outputs(cell: NotebookNode) -> NotebookNode:
    copy = NotebookNode(cell, metadata=NotebookNode(cell.metadata))
    if cell.cell_type == "code":
        copy.outputs, copy.execution_count = [], None
    return copy


def _may_define(source: str, name: str) -> bool:
    """Tell whether the student's code might bind a name; in doubt, True.

    Line by line, so that the time grows with the text alone, whatever a submission holds.
    """
    if _DYNAMIC.search(source):
        return True
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(_BINDS.search(line) and word.search(line) for line in source.splitlines())
