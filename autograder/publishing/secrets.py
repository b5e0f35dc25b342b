"""Parts of a solution notebook that must not be shown: solutions, and answers to questions."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import defined_names

#: The tag with which an author withholds the output of a cell, as MyST and Jupyter Book call it.
TAG = "remove-output"
#: Shorter lines of a solution, such as `else:`, say nothing.
_MIN_LINE = 8
_BLOCK = re.compile(r"### BEGIN SOLUTION[^\n]*\n(.*?)### END SOLUTION", re.DOTALL)
_HEADING = re.compile(r"^#{1,3}[ \t]+(?!BEGIN SOLUTION|END SOLUTION)\S", re.MULTILINE)
QUESTION = re.compile(r"\*\*Question \d+\b")
#: A question that asks for a guess before a cell of the notebook runs.
_GUESS = re.compile(
    r"\bbefore you run\b|\bnext (?:\w+ )?cells?\b|\bpredict before\b", re.IGNORECASE
)
_DATA = re.compile(r"data:[\w/+.-]+;base64,[\w+/=\s]+")
_TAG = re.compile(r"<[^>]*>")
_ALT = re.compile(r'\b(?:alt|title|aria-label)="([^"]*)"')


@dataclass(frozen=True)
class Secrets:
    """Texts that no output of an assignment may contain.

    Attributes
    ----------
    lines : frozenset of str
        Lines of code and text that students have to write, without the spaces around them.
    classes : frozenset of str
        Exercises whose printed form lists their parts, as that of a module of torch does.
    """

    lines: frozenset[str]
    classes: frozenset[str]

    def in_text(self, text: str) -> bool:
        """Tell whether a text has a line of a solution, or the parts of a class to be written."""
        return any(line in text for line in self.lines) or any(
            re.search(rf"\b{name}\(\n\s+\(", text) for name in self.classes
        )

    def in_output(self, output: NotebookNode) -> bool:
        """Tell whether an output's text, tables or picture descriptions have a secret."""
        return any(map(self.in_text, texts(output)))


def secrets(assignment: Assignment) -> Secrets:
    """Return the secrets of an assignment: what only its solution notebook has."""
    given = "\n".join(cell.source for cell in assignment.release.cells)
    blocks = [
        block
        for cell in assignment.solution.notebook.cells
        for block in _BLOCK.findall(cell.source)
    ]
    lines = {line.strip() for block in blocks for line in block.splitlines()}
    names = {name for cell in assignment.solution.code for name in defined_names(cell.source)}
    return Secrets(
        frozenset(line for line in lines if len(line) >= _MIN_LINE and line not in given),
        frozenset(names.intersection(assignment.solution.checked_names)),
    )


def texts(output: NotebookNode) -> list[str]:
    """Return the texts that an output shows, in each of its forms, without pictures."""
    data = output.get("data", {})
    found = [output.get("text", ""), data.get("text/plain", ""), *output.get("traceback", [])]
    markup = _DATA.sub("", data.get("text/html", "") + data.get("image/svg+xml", ""))
    return [*found, html.unescape(_TAG.sub("", markup)), *map(html.unescape, _ALT.findall(markup))]


def answering_cells(notebook: NotebookNode) -> set[str]:
    """Return the ids of a student notebook's cells whose outputs answer a question.

    These are the cells that an author has tagged `remove-output`, and those between a question that
    asks for a guess "before you run" something, or about "the next cell", and the next heading.
    """
    found: set[str] = set()
    guessing = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if QUESTION.match(cell.source):
                guessing = guessing or bool(_GUESS.search(cell.source))
            elif _HEADING.search(cell.source):
                guessing = False
        elif cell.cell_type == "code" and (guessing or TAG in cell.metadata.get("tags", [])):
            found.add(cell.id)
    return found
