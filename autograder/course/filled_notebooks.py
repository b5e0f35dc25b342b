"""Student notebooks with answers filled in: for the demo, for `try`, tests and benchmarks."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from nbformat import NotebookNode

from autograder.course.assignment import Assignment


def filled(assignment: Assignment, sources: Mapping[str, str | None] | None = None) -> NotebookNode:
    """The student notebook with every TODO answered as in the solution notebook.

    Parameters
    ----------
    sources : mapping of str to str or None, optional
        Mapping[str, str | None], optional Answers to use instead, by exercise; None leaves the TODO
        as released.
    """
    sources = sources or {}
    notebook = copy.deepcopy(assignment.release)
    for cell in notebook.cells:
        metadata = cell.metadata.get("nbgrader", {})
        if metadata.get("solution"):
            name = metadata["grade_id"]
            source = sources.get(name, assignment.solution.written_cells[name])
            cell.source = cell.source if source is None else source
    return notebook
