"""Which code the outputs of a solution notebook belong to.

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
    """Store that the outputs belong to the code as it is now, in place."""
    notebook.metadata[METADATA] = {_EXECUTED: _digest(notebook)}


def is_executed(assignment: str, notebook: NotebookNode) -> bool:
    """Whether a stamped solution notebook stores its outputs; no if it never did.

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
    """The same for the same code: comments on lines of their own, and the set-up cell, do not count.

    That cell depends on the version and the address of the wheel, and shows nothing.
    """
    code = hashlib.sha256()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.source.startswith("# Set-up"):
            lines = (line.rstrip() for line in cell.source.splitlines())
            kept = [line for line in lines if line and not line.lstrip().startswith("#")]
            code.update("\n".join([*kept, ""]).encode())
    return code.hexdigest()[:16]
