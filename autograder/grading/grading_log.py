"""The notes of grading on a submission besides points: repairs, suspicions, time and memory.

The notes are stored in the metadata of the autograded notebook, so they exist however the submission
was graded (`autograder grade`, plain `nbgrader autograde`, formgrader's button).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from nbformat import NotebookNode

_KEY = "coursekit"


@dataclass(frozen=True)
class Repair:
    """A repair of a submission before it ran.

    Attributes
    ----------
    what : str
        A sentence on the repair.
    doubtful : bool
        Whether an instructor should check it.
    """

    what: str
    doubtful: bool = False


@dataclass(frozen=True)
class Usage:
    """Time and memory of a submission's run.

    Attributes
    ----------
    seconds : float
        Wall time.
    cpu_seconds : float or None
        CPU time of all its processes; None without a sandbox.
    memory_bytes : int or None
        Peak memory of its kernel, libraries included; None without a sandbox.
    sandboxed : bool
        Whether it ran in a sandbox.
    end : str
        The reason why the run ended early, one sentence, or "".
    """

    seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    sandboxed: bool = True
    end: str = ""

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of two runs of a submission; `end` is that of the second."""
        cpu = [u.cpu_seconds for u in (self, other) if u.cpu_seconds is not None]
        memory = [u.memory_bytes for u in (self, other) if u.memory_bytes is not None]
        return Usage(
            seconds=round(self.seconds + other.seconds, 2),
            cpu_seconds=sum(cpu) if cpu else None,
            memory_bytes=max(memory, default=None),
            sandboxed=self.sandboxed and other.sandboxed,
            end=other.end,
        )


@dataclass
class Notes:
    """All notes on one submission.

    Attributes
    ----------
    suspicions : list of str
        Signs of manipulation, one sentence each; they cost no points.
    unread : str
        The reason why the submission could not be run at all, or "".
    """

    repairs: list[Repair] = field(default_factory=list)
    suspicions: list[str] = field(default_factory=list)
    unread: str = ""
    usage: Usage | None = None

    def write(self, notebook: NotebookNode) -> None:
        """Store the notes in the notebook's metadata, replacing any earlier ones."""
        notebook.metadata[_KEY] = asdict(self)


def read_notes(notebook: NotebookNode) -> Notes:
    """Return the notes in an autograded notebook; empty if it has none."""
    found: dict[str, Any] = notebook.metadata.get(_KEY, {})
    usage = found.get("usage")
    return Notes(
        [Repair(**repair) for repair in found.get("repairs", [])],
        list(found.get("suspicions", [])),
        found.get("unread", ""),
        Usage(**usage) if usage else None,
    )
