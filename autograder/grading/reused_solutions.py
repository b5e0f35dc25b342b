"""The helpers that students pasted from earlier assignments, and where they are checked.

They earn no points, but exercises call them. One that passes its own check is not at fault when an
exercise fails, which then need not be judged again with a right one (`error_carried_forward`).
"""

from __future__ import annotations

from collections.abc import Collection

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import reused_from
from autograder.course.helpers import Helpers, pasted_in
from coursekit.checking import stored_recordings
from coursekit.checking.recording_format import RecordedExercise

#: Metadata of the cell after which pasted functions and classes are checked: their names.
PASTED = "coursekit_pasted"


def recorded_pasted(helpers: Helpers) -> dict[str, RecordedExercise]:
    """Return the pasted helpers that the assignment's exercises call, with their cases."""
    called = {name for exercise in helpers.assignment.exercises for name in helpers.of(exercise)}
    names = helpers.pasted & called & set(stored_recordings.names())
    return {name: stored_recordings.find(name) for name in sorted(names)}


def mark_pasted(notebook: NotebookNode, assignment: Assignment, asked: Collection[str]) -> None:
    """Mark in place the cells of a sanitized submission with the names that belong into them.

    Parameters
    ----------
    asked : collection of str
        The names that are checked; no others are marked.
    """
    pasted = pasted_in(assignment.solution.code)
    for cell in notebook.cells:
        cell.metadata.pop(PASTED, None)
        if cell.cell_type == "code" and (earlier := reused_from(cell)):
            cell.metadata[PASTED] = [name for name in pasted.get(earlier, ()) if name in asked]


def pasted_names(cell: NotebookNode) -> list[str]:
    """Return the names that belong into a cell; none if it is not marked."""
    names: list[str] = cell.metadata.get(PASTED, [])
    return names
