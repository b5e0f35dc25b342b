"""Student notebooks with answers filled in: for the demo, for `try`, tests and benchmarks."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping

from nbformat import NotebookNode

from autograder.course.assignment import Assignment

#: Where the marking guide of a question begins, which is for graders only.
_GUIDE = re.compile(r"^[ \t]*[*_#>\s-]*Marking guide\b", re.MULTILINE)


def filled(assignment: Assignment, sources: Mapping[str, str | None] | None = None) -> NotebookNode:
    """Return the student notebook, every TODO and question answered as in the solution notebook.

    Parameters
    ----------
    sources : mapping of str to str or None, optional
        Answers to use instead, by exercise; None leaves the TODO as released.
    """
    sources = sources or {}
    notebook = copy.deepcopy(assignment.release)
    for cell in notebook.cells:
        metadata = cell.metadata.get("nbgrader", {})
        if metadata.get("solution"):
            name = metadata["grade_id"]
            source = sources.get(name, assignment.solution.written_cells[name])
            cell.source = cell.source if source is None else without_guide(source)
    return notebook


def without_guide(answer: str) -> str:
    """Cut the marking guide off the model answer to a question."""
    return _GUIDE.split(answer, maxsplit=1)[0].rstrip()
