"""Recordings that ship with a course's package: one JSON file per assignment, made by a release.

A recording contains, for each exercise, its cases with the reference's outputs and the
misconceptions' outputs and hints, as plain data: all that `check` needs, and no solution.

A course with a package of its own names it in the entry point group `ENTRY_POINTS`; the recordings
are in the package's folder `recordings/`. Where it is not installed, the environment variable `VARIABLE` names that folder.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
from pathlib import Path

from coursekit.checking.recording_format import RecordedExercise, Recording

#: Bump when the recording format changes.
FORMAT = 2

#: The entry points by which installed courses name the package with their recordings.
ENTRY_POINTS = "coursekit.recordings"
#: The environment variable that names folders of recordings, separated as in PATH.
VARIABLE = "COURSEKIT_RECORDINGS"
_FOLDER = Path(__file__).parents[1] / "recordings"


class RecordingError(RuntimeError):
    """Error for a recording that is missing, damaged or of another version of coursekit."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [f"RecordingError: {self}"]


@functools.lru_cache(maxsize=1)
def index() -> dict[str, str]:
    """Map each recorded exercise to its assignment."""
    return {name: path.stem for name, path in _paths().items()}


@functools.lru_cache(maxsize=1)
def _paths() -> dict[str, Path]:
    """Map each exercise to its assignment's recording; the first folder that has it counts."""
    found: dict[str, Path] = {}
    for folder in _folders():
        path = folder / "index.json"
        try:
            assignments = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise RecordingError(_damaged(path)) from error
        for name, assignment in assignments.items():
            found.setdefault(name, folder / f"{assignment}.json")
    return found


def _folders() -> list[Path]:
    """Return the folders with recordings: of `VARIABLE`, of installed courses, and our own."""
    from importlib.metadata import entry_points

    found = [Path(one) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one]
    for point in entry_points(group=ENTRY_POINTS):
        with contextlib.suppress(ImportError, ValueError):  # a course that was half removed
            spec = importlib.util.find_spec(point.value)
            places = spec.submodule_search_locations if spec else None
            found += [Path(place) / "recordings" for place in places or ()]
    found.append(_FOLDER)
    filled = [folder for folder in dict.fromkeys(found) if (folder / "index.json").exists()]
    return filled or [_FOLDER]


def names() -> list[str]:
    """Return the names of all recorded exercises."""
    return list(index())


def find(name: str) -> RecordedExercise:
    """Return the recorded exercise called `name`.

    Raises
    ------
    RecordingError
        The file is missing, damaged or of another format.
    """
    path = _paths()[name]
    try:
        return read(path)["exercises"][name]
    except KeyError as error:
        raise RecordingError(_damaged(path)) from error


def layers(name: str) -> list[str]:
    """Return the attributes that a class's reference sets, in its order; [] for other exercises.

    Raises
    ------
    RecordingError
        The file is missing, damaged or of another format.
    """
    return read(_paths()[name]).get("layers", {}).get(name, []) if name in _paths() else []


def revision(assignment: str) -> int:
    """Return the revision of an assignment's recording on disk; 0 if there is none.

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
        paths = [folder / f"{assignment}.json" for folder in _folders()]
        path = next(path for path in paths if path.exists())
        return int(json.loads(path.read_text("utf-8"))["revision"])
    except (StopIteration, OSError, ValueError, KeyError, TypeError):
        return 0


@functools.lru_cache(maxsize=32)
def read(path: Path) -> Recording:
    """Return one assignment's recording.

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
    """Return the message for a recording that is missing or damaged."""
    return f"the recorded checks in {path.name} cannot be read; install coursekit again."
