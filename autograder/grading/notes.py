"""What grading notes about a submission beside its points: repairs, suspicions, time and memory.

The record lies in the metadata of the autograded notebook, so that it is there however the
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
    cpu_seconds : processor time of all its processes; None without a box.
    memory_bytes : the most of its kernel at a time, libraries included; None without a box.
    sandboxed : whether it ran in a box.
    end : why the run ended early, one sentence; "" if it did not.
    """

    seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    sandboxed: bool = True
    end: str = ""


@dataclass
class Record:
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
        """Put the record into the notebook's metadata; whatever stood there is gone."""
        notebook.metadata[_KEY] = asdict(self)


def read_record(notebook: NotebookNode) -> Record:
    """The record that an autograded notebook carries; an empty one if it has none."""
    found: dict[str, Any] = notebook.metadata.get(_KEY, {})
    usage = found.get("usage")
    return Record(
        [Repair(**repair) for repair in found.get("repairs", [])],
        list(found.get("suspicions", [])),
        found.get("unread", ""),
        Usage(**usage) if usage else None,
    )
