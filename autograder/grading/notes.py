"""What grading notes about a submission beside its points: repairs, suspicions, time and memory.

The notes are kept in the metadata of the autograded notebook, so that it is there however the
submission was graded (`autograder grade`, plain `nbgrader autograde`, formgrader's button).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from nbformat import NotebookNode

_KEY = "coursekit"


@dataclass(frozen=True)
class Repair:
    """What was put right in a submission before it ran.

    Attributes
    ----------
    what : one sentence.
    doubtful : whether someone should look if it was meant so.
    """

    what: str
    doubtful: bool = False


@dataclass(frozen=True)
class Usage:
    """What running a submission took.

    Attributes
    ----------
    seconds : wall time.
    cpu_seconds : processor time of all its processes; None without a sandbox.
    memory_bytes : the most of its kernel at a time, libraries included; None without a sandbox.
    sandboxed : whether it ran in a sandbox.
    end : why the run ended early, one sentence; "" if it did not.
    """

    seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    sandboxed: bool = True
    end: str = ""

    def __add__(self, other: Usage) -> Usage:
        """What two runs of a submission took together; the end is the second one's."""
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
    """All that is noted about one submission.

    Attributes
    ----------
    suspicions : what an honest notebook would not hold, a sentence each; it cost no points.
    unread : why the submission could not be run at all; "" if it was.
    """

    repairs: list[Repair] = field(default_factory=list)
    suspicions: list[str] = field(default_factory=list)
    unread: str = ""
    usage: Usage | None = None

    def write(self, notebook: NotebookNode) -> None:
        """Put the notes into the notebook's metadata, in place of whatever was there."""
        notebook.metadata[_KEY] = asdict(self)


def read_notes(notebook: NotebookNode) -> Notes:
    """The notes that an autograded notebook carries; empty ones if it has none."""
    found: dict[str, Any] = notebook.metadata.get(_KEY, {})
    usage = found.get("usage")
    return Notes(
        [Repair(**repair) for repair in found.get("repairs", [])],
        list(found.get("suspicions", [])),
        found.get("unread", ""),
        Usage(**usage) if usage else None,
    )
