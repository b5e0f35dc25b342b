"""The exercises that the reference of an exercise calls, which a wrong answer to them can spoil."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import defined_names, reused_from, without_delimiters


def pasted_in(cells: Iterable[NotebookNode]) -> dict[str, list[str]]:
    """Return the names that students paste into cells of a notebook, by earlier assignment."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        if earlier := reused_from(cell):
            names = defined_names(without_delimiters("".join(cell.source)))
            found.setdefault(earlier, []).extend(names)
    return found


class Helpers:
    """The exercises that the references of an assignment call.

    Parameters
    ----------
    assignment : Assignment
        The assignment.
    """

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment

    @cached_property
    def pasted(self) -> set[str]:
        """The names that students paste from earlier assignments."""
        return {
            name for names in pasted_in(self.assignment.solution.code).values() for name in names
        }

    @cached_property
    def _used(self) -> dict[str, set[str]]:
        """Each definition of the solution, with the other definitions that its text names."""
        sources = self.assignment.solution.sources
        return {
            name: {
                node.id
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Name) and node.id in sources
            }
            - {name}
            for name, text in sources.items()
        }

    def of(self, exercise: str) -> list[str]:
        """Return the exercises, and pasted names, that a reference calls, directly or not.

        Parameters
        ----------
        exercise : str
            The exercise's name, or that of what was pasted.

        Returns
        -------
        list of str
            Their names, in the order of the notebook; never the exercise itself.
        """
        found: set[str] = set()
        waiting = [exercise]
        while waiting:
            new = self._used.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        known = {*self.assignment.exercises, *self.pasted} - {exercise}
        return [name for name in self.assignment.solution.sources if name in found & known]
