"""The recordings that ship with the package: one JSON file per assignment, made by a release.

A recording contains, for each exercise, its cases with the reference's outputs and the
misconceptions' outputs and hints, as plain data: all that `check` needs, and no solution.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from coursekit.checking.records import RecordedExercise, Recording

#: Bump when the recording format changes.
FORMAT = 2

_FOLDER = Path(__file__).parents[1] / "recordings"


class RecordingError(RuntimeError):
    """A recording is missing, damaged or belongs to another version of coursekit."""

    def _render_traceback_(self) -> list[str]:
        return [f"RecordingError: {self}"]


@functools.lru_cache(maxsize=1)
def index() -> dict[str, str]:
    """Exercise name -> assignment, over all recordings."""
    path = _FOLDER / "index.json"
    try:
        found: dict[str, str] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RecordingError(_damaged(path)) from error
    return found


def names() -> list[str]:
    """The names of all recorded exercises."""
    return list(index())


def find(name: str) -> RecordedExercise:
    """The recorded exercise called `name`.

    Raises
    ------
    RecordingError
        The file is missing, damaged or of another format.
    """
    path = _FOLDER / f"{index()[name]}.json"
    try:
        return read(path)["exercises"][name]
    except KeyError as error:
        raise RecordingError(_damaged(path)) from error


def revision(assignment: str) -> int:
    """The revision of an assignment's recording on disk; 0 if there is none.

    Parameters
    ----------
    assignment : str
        The assignment's id.

    Returns
    -------
    int
        How often its content has changed, counted from 1.
    """
    try:
        recording = json.loads((_FOLDER / f"{assignment}.json").read_text("utf-8"))
        return int(recording["revision"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


@functools.lru_cache(maxsize=32)
def read(path: Path) -> Recording:
    """One assignment's recording.

    Raises
    ------
    RecordingError
        The file is missing, damaged or of another format.
    """
    try:
        recording: Recording = json.loads(path.read_text("utf-8"))
        version = recording["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordingError(_damaged(path)) from error
    if version != FORMAT:
        raise RecordingError(
            f"the checks in {path.name} were recorded for another version of coursekit (recording"
            f" format {version}, this version reads {FORMAT}); install coursekit again and restart"
            " the kernel."
        )
    return recording


def _damaged(path: Path) -> str:
    return f"the recorded checks in {path.name} cannot be read; install coursekit again."
