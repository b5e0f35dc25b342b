"""The files of an LMS's download that submissions came from, as feedback goes back by their names.

`collected.json`, next to the gradebook: assignment -> student -> the file's name in the download,
the naming scheme, and whether the LMS marked it as late.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from coursekit.data.paths import write_atomically


@dataclass(frozen=True)
class Origin:
    """The origin of a submission.

    Attributes
    ----------
    file : str
        The path of the file in the download, as the LMS wrote it.
    layout : str
        The naming scheme, such as "canvas".
    late : bool
        Whether the LMS marked it as late.
    dated : str
        The date of the file in the download, as it stands there. Where the time of submission is
        not known, it tells a later download from an earlier one.
    commit : str
        The commit that counts, for a clone of the student's repository; else "".
    group : str
        The group whose submission it is; "" for the student's own.
    """

    file: str
    layout: str
    late: bool = False
    dated: str = ""
    commit: str = ""
    group: str = ""


def read_origins(folder: Path, assignment: str) -> dict[str, Origin]:
    """Return student -> origin, for the submissions that `collect` imported."""
    try:
        found = json.loads((folder / "collected.json").read_text("utf-8"))
        return {student: Origin(**one) for student, one in found.get(assignment, {}).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save_origins(folder: Path, assignment: str, new: dict[str, Origin | None]) -> None:
    """Store the origins of newly collected submissions; remove those that are None."""
    path = folder / "collected.json"
    try:
        known = json.loads(path.read_text("utf-8"))
        own = known.setdefault(assignment, {})
    except (OSError, ValueError, AttributeError):
        known, own = {}, {}
    own.update({student: asdict(origin) for student, origin in new.items() if origin is not None})
    for student, origin in new.items():
        if origin is None:
            own.pop(student, None)
    known[assignment] = own
    content = json.dumps(known, indent=1, sort_keys=True).encode()
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content, private=True)
