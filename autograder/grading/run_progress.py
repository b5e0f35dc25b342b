"""The progress of a run, and the callbacks that are told of it."""

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
    """The callbacks of a run, called at once, as the process that runs it may die at any cell.

    Attributes
    ----------
    answered : callable
        Called with an exercise, its outcomes, and the reason if there are none.
    begun : callable
        Called with the index of each cell before it runs.
    called : callable
        Called with the exercise that is judged again, and a call of a right helper; returns the
        answer.
    """

    answered: Callable[[str, Outcomes | None, str], None] = _tell_nobody
    begun: Callable[[int], None] = _tell_nobody
    called: Callable[[str, str], str] = _answer_nothing


@dataclass
class Progress:
    """The progress of a run.

    Attributes
    ----------
    skipped : collection of int
        Cells that ended the process of an earlier run; only their definitions run.
    at : int
        Index of the cell that runs, or ran last; -1 before the first.
    ended : list[int]
        The cells that ended a kernel.
    end : str
        The reason why the run ended early, one sentence, or "".
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
        """Add a kernel's usage: the sum of processor times, the maximum of memory."""
        for name, together in (("cpu_seconds", sum), ("memory_bytes", max)):
            if name in used:
                self.used[name] = together((used[name], self.used.get(name, 0)))
