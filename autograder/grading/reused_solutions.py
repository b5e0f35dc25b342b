"""What students pasted from earlier assignments: where it is asked its own cases, and which is right.

It earns no points, but exercises call it. What passes its own check is not at fault when they fail, so
they need not be judged again with a right one in its place (`error_carried_forward`).
"""

from __future__ import annotations

from collections.abc import Collection

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import reused_from
from autograder.course.helpers import Helpers, pasted_in
from coursekit.checking import stored_recordings
from coursekit.checking.recording_format import RecordedExercise

#: Metadata of the cell behind which pasted functions and classes are asked: their names.
PASTED = "coursekit_pasted"


def recorded_pasted(helpers: Helpers) -> dict[str, RecordedExercise]:
    """What is pasted into an assignment and called by its exercises, with the cases of its check."""
    called = {name for exercise in helpers.assignment.exercises for name in helpers.of(exercise)}
    names = helpers.pasted & called & set(stored_recordings.names())
    return {name: stored_recordings.find(name) for name in sorted(names)}


def mark_pasted(notebook: NotebookNode, assignment: Assignment, asked: Collection[str]) -> None:
    """Mark the cells of a sanitized submission with the names that belong into them, in place.

    Parameters
    ----------
    asked : collection of str
        The names that are asked; no others are marked.
    """
    pasted = pasted_in(assignment.solution.code)
    for cell in notebook.cells:
        cell.metadata.pop(PASTED, None)
        if cell.cell_type == "code" and (earlier := reused_from(cell)):
            cell.metadata[PASTED] = [name for name in pasted.get(earlier, ()) if name in asked]


def pasted_names(cell: NotebookNode) -> list[str]:
    """The names that belong into a cell, if it has been marked."""
    names: list[str] = cell.metadata.get(PASTED, [])
    return names
