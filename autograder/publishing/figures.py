"""Export of a course's drawings as SVG and PDF, and of its result figures, with a license.

Drawings are drawn anew, as vectors. The figures of results are what the notebooks store, PNG files: to
draw them anew would be to train every model again.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.authoring.attach_drawings import read_drawing, shown_drawings
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.publishing.chapter import chapter
from coursekit.data.paths import write_atomically

_IMG = re.compile(r"<img\b[^>]*>")
_ALT = re.compile(r'\balt="([^"]*)"')
_SOURCE = re.compile(r'\bsrc="data:image/png;base64,([^"]+)"')


@dataclass(frozen=True)
class Figure:
    """Picture of a result.

    Attributes
    ----------
    png : bytes
        The file.
    alt : str
        What it shows, in words.
    """

    png: bytes
    alt: str


def figures_of(output: NotebookNode) -> Iterator[Figure]:
    """Yield the pictures in an output, with their descriptions."""
    data = output.get("data", {})
    if "image/png" in data:
        yield Figure(base64.b64decode(data["image/png"]), data.get("text/plain", ""))
    for tag in _IMG.findall(data.get("text/html", "")):
        if source := _SOURCE.search(tag):
            alt = _ALT.search(tag)
            yield Figure(base64.b64decode(source[1]), html.unescape(alt[1]) if alt else "")


def write_figures(course: Course, assignments: list[str], folder: Path) -> list[Path]:
    """Write the drawings and the result figures of assignments into a folder, with a list of them.

    A result that answers a question of the notebook is left out, as on the site.

    Parameters
    ----------
    folder : Path
        It gets a subfolder for each assignment, and README.md.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    CourseError
        A drawing cannot be drawn, or a file not written.
    """
    rights = course.config.license
    written: list[Path] = []
    lines = [f"# {course.config.title}: drawings and figures", ""]
    if rights:
        lines += [f"{rights}. Keep this line where you show them.", ""]
    lines += [
        "Drawings are vectors (SVG, PDF). Figures of results are PNG files, as the notebooks stored them"
        " when they ran.",
        "",
    ]
    try:
        for name in assignments:
            lines += [f"## {name}", ""]
            for path, content, said in _files(Assignment(course, name), rights):
                place = folder / name / path
                place.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(place, content)
                written.append(place)
                lines.append(f"- `{name}/{path}`: {said}")
            lines.append("")
        listed = folder / "README.md"
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(listed, "\n".join(lines).encode())
    except OSError as error:
        raise CourseError(f"cannot write {folder}: {error.strerror}.") from error
    return [*written, listed]


def _files(assignment: Assignment, rights: str) -> Iterator[tuple[str, bytes, str]]:
    """Yield the name, the content and the description of each file of an assignment."""
    drawings = assignment.course.drawings(assignment.name)
    number = 0
    for cell in chapter(assignment).cells:
        for alt, name in shown_drawings(cell.source) if cell.cell_type == "markdown" else ():
            canvas = read_drawing(drawings, name, assignment.name)
            for kind in ("svg", "pdf"):
                yield f"{name}.{kind}", canvas.vector(kind, alt, rights), alt
        for output in cell.get("outputs", []):
            for figure in figures_of(output):
                number += 1
                yield f"result-{number:02}.png", figure.png, figure.alt
