"""Chapter of the site: the student notebook with the outputs of the cells that only show something.

The outputs come from the solution notebook, whose given cells are those of the student notebook. What a
student is to write, and what would answer a question, stays out: `secrets` says what that is.
"""

from __future__ import annotations

import ast
import copy

import nbformat
from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import DEFINITIONS, asked_exercise, parse
from autograder.publishing.failing_check import as_details, failing_verdict
from autograder.publishing.secrets import TAG, answering_cells, secrets
from coursekit.checking.stored_recordings import read

#: Said in place of an output.
WITHHELD = (
    "What this cell shows would answer a question of the assignment. It appears when you run the"
    " notebook."
)
_FOLDED = "hide-input"  # MyST's tag
_SETUP = "# Set-up"


def chapter(assignment: Assignment) -> NotebookNode:
    """Return the student notebook with outputs, folded cells and a failing check per exercise.

    Raises
    ------
    CourseError
        A notebook is missing or cannot be read.
    """
    notebook = copy.deepcopy(assignment.release)
    shown = {cell.id: cell for cell in assignment.solution.code}
    hidden, secret = answering_cells(notebook), secrets(assignment)
    recorded = read(assignment.course.recordings / f"{assignment.name}.json")["exercises"]
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs = []
        exercise = asked_exercise(cell)
        if exercise in recorded:
            verdict = failing_verdict(recorded[exercise])
            cell.outputs = [_html(as_details(verdict))] if verdict else []
        elif not cell.metadata.get("nbgrader"):
            _fold(cell)
            solved = shown.get(cell.id)
            if solved is None or solved.source != cell.source or not solved.outputs:
                continue
            if cell.id in hidden or any(map(secret.in_output, solved.outputs)):
                tags = cell.metadata.get("tags", [])
                cell.metadata["tags"] = [tag for tag in tags if tag != TAG]  # the note stays
                cell.outputs = [_html(f'<p class="withheld">{WITHHELD}</p>')]
            else:
                cell.outputs = copy.deepcopy(solved.outputs)
    return notebook


def is_setup(source: str) -> bool:
    """Tell whether a cell is the set-up cell."""
    return source.startswith(_SETUP)


def is_imports(source: str) -> bool:
    """Tell whether a cell mostly imports and defines nothing."""
    body = parse(source).body
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return 2 * len(imports) > len(body) and not any(isinstance(n, DEFINITIONS) for n in body)


def _fold(cell: NotebookNode) -> None:
    """Tag a set-up or import cell, so that the site folds it."""
    words = "Set-up" if is_setup(cell.source) else "Imports" if is_imports(cell.source) else ""
    if words:
        tags = cell.metadata.setdefault("tags", [])
        tags.append(_FOLDED)
        prompts = {"code_prompt_show": f"Show: {words}", "code_prompt_hide": f"Hide: {words}"}
        cell.metadata["mystnb"] = prompts


def _html(text: str) -> NotebookNode:
    """Return a notebook output with this HTML."""
    output: NotebookNode = nbformat.v4.new_output("display_data", {"text/html": text})
    return output
