"""A record of the definitions that a failing cell did not reach, and why."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from autograder.course.cells import NOT_PYTHON, defined_names, parse_start
from coursekit.checking.recording_format import Outcome

_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
#: Limit on the characters of a message that are read.
_MAX_MESSAGE_LENGTH = 500


@dataclass
class Stopped:
    """The reasons why definitions are missing, for the verdict on an exercise that is not defined.

    Attributes
    ----------
    why : dict[str, str]
        Name -> the reason why its cell did not define it.
    first : str
        The first cell that stopped, and how: it may be the cause of a later NameError.
    imports : dict[str, str]
        Name -> the reason why its cell did not import it, such as a package that is missing here.
    """

    why: dict[str, str] = field(default_factory=dict)
    first: str = ""
    imports: dict[str, str] = field(default_factory=dict)

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
        if content["ename"] in ("ModuleNotFoundError", "ImportError"):
            missing = f"cell {index + 1}, which imports it, stopped with {what}"
            self.imports |= dict.fromkeys(_imported_names(cell.source), missing)
        if content["ename"] != "NotImplementedError":
            self.first = self.first or f"cell {index + 1} had stopped with {what}"

    def note_end(self, cell: NotebookNode, index: int, end: str) -> None:
        """Note that a cell ended its kernel."""
        self.why |= dict.fromkeys(defined_names(cell.source), f"in its cell {end}")
        self.first = self.first or f"in cell {index + 1} {end}"

    def explain(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Return the outcomes, with the reason added where a name's import has failed."""
        return [self._explained(outcome) for outcome in outcomes]

    def _explained(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, dict) or outcome.get("type") != "NameError":
            return outcome  # it comes from the submission and may be anything
        found = _UNDEFINED.search(str(outcome.get("message", ""))[:_MAX_MESSAGE_LENGTH])
        why = self.imports.get(found[1], "") if found else ""
        return {**outcome, "message": f"{outcome['message']}: {why}"} if why else outcome

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.why.pop(name, None)


def _imported_names(source: str) -> list[str]:
    """Return the names that the import statements at a cell's top level would define."""
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return []
    aliases = [a for n in body if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
    return [(alias.asname or alias.name).partition(".")[0] for alias in aliases]
