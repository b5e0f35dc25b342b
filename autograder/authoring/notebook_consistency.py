"""A solution notebook fits together: what its cells call is defined, and its text counts right.

An exercise that has been dropped leaves calls in later cells, and numbers in the text.
"""

from __future__ import annotations

import ast
import builtins
import re

from nbformat import NotebookNode

from autograder.errors import CourseError
from autograder.grading.global_names import Unsure, bindings, parsed, read_names

_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    "twenty",
)
#: "the twelve exercises" counts all; "the twelve exercises below" may not.
_COUNT = re.compile(
    rf"\b(?:the|all|has|have|contains|of|in)\s+(\d+|{'|'.join(_NUMBERS)})\s+exercises\b"
    r"(?!\s+(?:above|below|before|after|on|of|in|that|which|about|with))",
    re.IGNORECASE,
)
#: "Exercise 12", but not "Exercise 12 of assignment 03".
_NUMBER = re.compile(r"\bExercise (\d+)\b(?!\s+(?:of|in)\b)")
#: What IPython and a kernel define, and what a module has.
_GIVEN = {
    *dir(builtins),
    *("get_ipython", "display", "In", "Out", "exit", "quit", "_", "__", "___", "__file__"),
    *("__name__", "__doc__", "__annotations__", "__conditional_annotations__"),
}


def prove_consistent(name: str, cells: list[NotebookNode], count: int) -> None:
    """Every global name that a cell reads is defined in the notebook, and texts count its exercises.

    Parameters
    ----------
    name : str
        The assignment.
    cells : list of NotebookNode
        The cells of its stamped solution notebook.
    count : int
        How many exercises it has.

    Raises
    ------
    CourseError
        The first name or number that is wrong, with the cell.
    """
    _prove_names(name, cells)
    for number, cell in enumerate(cells, 1):
        if cell.cell_type != "markdown":
            continue
        for words in _COUNT.findall(cell.source):
            said = int(words) if words.isdecimal() else _NUMBERS.index(words.lower()) + 1
            if said != count:
                raise CourseError(
                    f"{name}, cell {number} says that there are {words} exercises, but there are"
                    f" {count}: correct the text."
                )
        for words in _NUMBER.findall(cell.source):
            if int(words) > count:
                raise CourseError(
                    f"{name}, cell {number} names Exercise {words}, but the notebook has {count}:"
                    " number the exercises anew, or take the text out."
                )


def _prove_names(name: str, cells: list[NotebookNode]) -> None:
    bound: set[str] = set()
    read: list[tuple[int, frozenset[str]]] = []
    try:
        for number, cell in enumerate(cells, 1):
            if cell.cell_type == "code" and not cell.source.lstrip().startswith("%%"):
                for node in ast.walk(parsed(cell.source)):
                    bound.update(_bound(node))
                read.append((number, read_names(cell.source)))
    except (Unsure, SyntaxError):
        return  # names come from where nothing is known of them
    for number, names in read:
        if unknown := sorted(names - bound - _GIVEN):
            raise CourseError(
                f"{name}, cell {number} uses {unknown[0]}, which no cell of the notebook defines: take"
                " what uses it out, too, or put its definition back."
            )


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        if any(alias.name == "*" for alias in node.names):
            raise Unsure("an import of unknown names")
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return bindings(node)
