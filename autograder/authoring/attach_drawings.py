"""Attachment of the course's drawings to the text cells that show them.

The picture's bytes depend on the version of matplotlib. A cell therefore keeps its picture as long
as the fingerprint of what is drawn, kept in its metadata, stays the same.
"""

from __future__ import annotations

import base64
import re
import runpy
from pathlib import Path

from nbformat import NotebookNode

from autograder.authoring.canvas import MAX_WIDTH, Canvas
from autograder.errors import CourseError

#: The key of a cell's metadata: name of a drawing -> its fingerprint.
_KEY = "drawings"
_SHOWN = re.compile(r"!\[((?:(?!\]\().)*)\]\(attachment:([^)\s]+)\)")


def attach_drawings(cell: NotebookNode, folder: Path, where: str) -> None:
    """Fill in the cell's attachments from the drawings in `folder`, a module each.

    Raises
    ------
    CourseError
        A drawing is missing, cannot be drawn, is too wide for a phone, or has no alternative text.
    """
    before, stored = cell.pop("attachments", {}), cell.metadata.pop(_KEY, {})
    for alt, file in _SHOWN.findall(cell.source):
        name = file.removesuffix(".png")
        if name == file:
            raise CourseError(f"{where} shows {file}: write attachment:NAME.png.")
        if not alt.strip():
            raise CourseError(f"{where} shows {file} without a text: say in [] what it shows.")
        canvas = read_drawing(folder, name, where)
        picture = before.get(file)
        if picture is None or stored.get(name) != canvas.fingerprint():
            picture = {"image/png": base64.b64encode(canvas.png()).decode()}
        cell.setdefault("attachments", {})[file] = picture
        cell.metadata.setdefault(_KEY, {})[name] = canvas.fingerprint()


def shown_drawings(source: str) -> list[tuple[str, str]]:
    """Return the alternative text and the name of each drawing that a text shows."""
    return [(alt, file.removesuffix(".png")) for alt, file in _SHOWN.findall(source)]


def read_drawing(folder: Path, name: str, where: str) -> Canvas:
    """Return the drawing `name` of a folder; `where` names the place that shows it.

    Raises
    ------
    CourseError
        It is missing, cannot be drawn or is too wide for a phone.
    """
    path = folder / f"{name}.py"
    shown = f"drawings/{folder.name}/{name}.py"
    if not path.is_file():
        raise CourseError(f"{where} shows {name}.png, but there is no {shown}.")
    try:
        canvas: Canvas = runpy.run_path(str(path))["draw"]()
    except Exception as error:
        raise CourseError(f"{shown} cannot be drawn: {type(error).__name__}: {error}") from error
    if canvas.width > MAX_WIDTH:
        raise CourseError(f"{shown} is {canvas.width:g} wide; at most {MAX_WIDTH} fit on a phone.")
    return canvas
