"""How far a run has come, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from autograder.grading.questions import Outcomes


def _tell_nobody(*_: Any) -> None:
    pass


def _answer_nothing(exercise: str, call: str) -> str:
    return '{"error": "RuntimeError", "message": "nothing can be called here"}'


@dataclass(frozen=True)
class Listener:
    """Who is told what happens, at once: the process that runs a notebook may die at any cell.

    Attributes
    ----------
    answered : callable
        Gets an exercise, its outcomes, and why there are none.
    begun : callable
        Gets the index of each cell before it runs.
    called : callable
        Gets the exercise that is judged again, and a call of a right helper; returns the answer.
    """

    answered: Callable[[str, Outcomes | None, str], None] = _tell_nobody
    begun: Callable[[int], None] = _tell_nobody
    called: Callable[[str, str], str] = _answer_nothing


@dataclass
class Progress:
    """How far a run has come.

    Attributes
    ----------
    skipped : collection of int
        Cells that ended the process of an earlier run; only what they define
        runs.
    at : int
        The cell that runs, or ran last; -1 before the first.
    ended : list[int]
        The cells that ended a kernel.
    end : str
        Why the run ended early, one sentence, or "".
    started : bool
        Whether a kernel could be started.
    used : dict[str, Any]
        The ``cpu_seconds`` and ``memory_bytes`` of its kernels.
    """

    skipped: Collection[int] = ()
    at: int = -1
    ended: list[int] = field(default_factory=list)
    end: str = ""
    started: bool = False
    used: dict[str, Any] = field(default_factory=dict)

    def add_use(self, used: dict[str, Any]) -> None:
        """Add what a kernel used: the sum of processor times, the highest memory."""
        for name, together in (("cpu_seconds", sum), ("memory_bytes", max)):
            if name in used:
                self.used[name] = together((used[name], self.used.get(name, 0)))
