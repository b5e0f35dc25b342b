"""The limits that are left to a notebook while it runs: time, a cell's output, room for outputs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from autograder.grading.limits import Limits, slowdown

#: A cell's time after others were stopped, at least.
_MIN_SECONDS = 5.0
_INTERRUPT_EVERY = 1.0  # seconds
#: Output beside an answer, once the submission has sent one that was too large.
_BESIDE_ANSWER = 2**20


@dataclass
class Allowance:
    """The limits that are left to a run.

    Attributes
    ----------
    limits : Limits
        The limits at the start of the run.
    begun : float
        Monotonic time of the start of the run.
    slowest : float
        The highest `slowdown` so far: a notebook that has waited is not stopped for it later.
    cell_seconds : float
        Wall time of one cell; less after each that was stopped.
    cell_bytes, allowed_bytes : int
        The output of the cell that runs, and its limit.
    room : int
        Bytes of output that the notebook can still keep.
    oversized : bool
        Whether an answer was larger than any can be: from then on, answers get less.
    """

    limits: Limits
    begun: float = field(default_factory=time.monotonic)
    slowest: float = 1.0
    cell_seconds: float = field(init=False)
    cell_bytes: int = 0
    allowed_bytes: int = field(init=False)
    room: int = field(init=False)
    oversized: bool = False
    _interrupted: float = 0.0

    def __post_init__(self) -> None:
        """Take the changing limits from `limits`."""
        self.cell_seconds = self.limits.cell_seconds
        self.allowed_bytes = self.limits.output_bytes
        self.room = self.limits.notebook_output_bytes

    def seconds(self) -> float:
        """Return the seconds that are left to the notebook."""
        self.slowest = max(self.slowest, slowdown())
        return self.limits.notebook_seconds * self.slowest - (time.monotonic() - self.begun)

    def timeout(self) -> int:
        """Return the seconds that the next cell gets."""
        return max(1, round(min(self.cell_seconds * slowdown(), self.seconds())))

    def shorten(self) -> None:
        """Give later cells less time, after one that was stopped: it is often called again."""
        self.cell_seconds = max(min(_MIN_SECONDS, self.cell_seconds), self.cell_seconds / 2)

    def new_cell(self) -> None:
        """Start to count the output of another cell."""
        self.cell_bytes, self.allowed_bytes = 0, self.limits.output_bytes

    def new_answer(self, most: int) -> None:
        """Start to count the output of a question, whose answer may have `most` bytes."""
        beside = _BESIDE_ANSWER if self.oversized else self.limits.output_bytes
        self.cell_bytes, self.allowed_bytes = 0, beside + most

    def is_flooded(self, size: int) -> tuple[bool, bool]:
        """Count output of the cell; return whether it is too much, and whether it was before."""
        before, self.cell_bytes = self.cell_bytes, self.cell_bytes + size
        return self.cell_bytes > self.allowed_bytes, before > self.allowed_bytes

    def has_room(self, size: int) -> tuple[bool, bool]:
        """Count output to keep; return whether the notebook can keep it, and could before."""
        before, self.room = self.room, self.room - size
        return self.room >= 0, before >= 0

    def may_interrupt(self) -> bool:
        """Tell whether to interrupt a flooding cell now; repeatedly, as code may swallow it."""
        now = time.monotonic()
        due = now - self._interrupted > _INTERRUPT_EVERY
        if due:
            self._interrupted = now
        return due
