"""Digest of the code to which a solution notebook's stored outputs belong.

`autograder execute` stores a digest of the code that it ran. A release refuses outputs of other
code: so the cells that only show something, which a release does not run, have run as they are. A
notebook without outputs and digest is a first draft, which a release accepts.
"""

from __future__ import annotations

import hashlib

from nbformat import NotebookNode

from autograder.errors import CourseError

#: The key of the notebook's metadata, and the one below it.
METADATA, _EXECUTED = "autograder", "executed"


def mark_executed(notebook: NotebookNode) -> None:
    """Store in the notebook that its outputs belong to its current code."""
    notebook.metadata[METADATA] = {_EXECUTED: _digest(notebook)}


def is_executed(assignment: str, notebook: NotebookNode) -> bool:
    """Tell whether a stamped solution notebook has stored outputs.

    Raises
    ------
    CourseError
        The outputs are those of other code.
    """
    stored = notebook.metadata.get(METADATA, {}).get(_EXECUTED)
    if stored is None and not any(cell.get("outputs") for cell in notebook.cells):
        return False
    if stored != _digest(notebook):
        raise CourseError(
            f"{assignment}: its outputs were stored for other code; run"
            f" `autograder execute {assignment}`."
        )
    return True


def _digest(notebook: NotebookNode) -> str:
    """Return a digest of the code without comment lines and set-up cell.

    The set-up cell depends on the version and the address of the wheel, and shows nothing.
    """
    code = hashlib.sha256()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.source.startswith("# Set-up"):
            lines = (line.rstrip() for line in cell.source.splitlines())
            kept = [line for line in lines if line and not line.lstrip().startswith("#")]
            code.update("\n".join([*kept, ""]).encode())
    return code.hexdigest()[:16]
