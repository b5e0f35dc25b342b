"""What is known of the definitions that a failing cell did not reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from autograder.course.cells import defined_names


@dataclass
class Stopped:
    """Why definitions are missing, for the verdict on an exercise that is not defined.

    Attributes
    ----------
    why : dict[str, str]
        Name -> why its cell did not define it.
    first : str
        The first cell that stopped, and how: what may be behind a later NameError.
    """

    why: dict[str, str] = field(default_factory=dict)
    first: str = ""

    def note_reply(self, cell: NotebookNode, index: int, content: dict[str, Any]) -> None:
        """Note how a cell ended, by the kernel's reply."""
        names = defined_names(cell.source)
        if content["status"] != "error":
            self._forget(names)
            return
        what = f"{content['ename']}: {content['evalue']}".partition("\n")[0][:200]
        text = f"its cell stopped with {what}"
        if content["ename"] == "NameError" and self.first:
            text += f" ({self.first})"
        self.why |= dict.fromkeys(names, text)
        if content["ename"] != "NotImplementedError":
            self.first = self.first or f"cell {index + 1} had stopped with {what}"

    def note_end(self, cell: NotebookNode, index: int, end: str) -> None:
        """Note that a cell ended its kernel."""
        self.why |= dict.fromkeys(defined_names(cell.source), f"in its cell {end}")
        self.first = self.first or f"in cell {index + 1} {end}"

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.why.pop(name, None)
