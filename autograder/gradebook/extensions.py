"""Extensions that were granted before nbgrader's gradebook knew the submission.

nbgrader keeps an extension with a submission, so there is no place for one before the student hands
in. `extensions.json`, next to the gradebook, keeps it until then: assignment -> student -> seconds.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from autograder.errors import ClassError
from coursekit.data.paths import write_atomically


def _path(folder: Path) -> Path:
    """Return the path of the file with the extensions."""
    return folder / "extensions.json"


def _read(folder: Path) -> dict[str, dict[str, float]]:
    """Return assignment -> student -> seconds; raise a `ClassError` if the file is damaged."""
    path = _path(folder)
    try:
        found = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return {
            assignment: {student: float(seconds) for student, seconds in own.items()}
            for assignment, own in found.items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise ClassError(f"{path} is damaged; repair it, or delete it and grant again.") from error


def granted(folder: Path, assignment: str) -> dict[str, timedelta]:
    """Return student -> extension, from the folder of a class.

    Raises
    ------
    ClassError
        The file is damaged.
    """
    own = _read(folder).get(assignment, {})
    return {student: timedelta(seconds=seconds) for student, seconds in own.items()}


def keep(folder: Path, assignment: str, extensions: dict[str, timedelta]) -> None:
    """Store extensions; remove those of no time."""
    known = _read(folder)
    own = known.setdefault(assignment, {})
    for student, extension in extensions.items():
        own.pop(student, None)
        if extension:
            own[student] = extension.total_seconds()
    content = json.dumps(known, indent=1, sort_keys=True).encode()
    write_atomically(_path(folder), content, private=True)
