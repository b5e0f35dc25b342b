"""Which folder of `submitted/` belongs to which student of an LMS, so that no two share one.

`students.json`, next to the gradebook, remembers it: student -> the LMS's name, and the number by
LMS. Two names that differ only in case, or in characters that no folder should have, would otherwise
become the same student.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.classroom.layouts import Submitter
from autograder.course.files import is_device
from autograder.errors import CourseError
from coursekit.data.paths import write_atomically

_MAX_NAME_BYTES = 120


def folder_name(name: str) -> str:
    """A student's name as a folder name that nbgrader accepts; "" if nothing is left of it.

    Every system can have the folder: a name that Windows keeps for a device gets an underscore.
    """
    marks = "_.@+-"
    kept = "".join(
        c if c.isalnum() or c in marks or unicodedata.category(c)[0] == "M" else " "
        for c in unicodedata.normalize("NFC", name)
    )
    found = "_".join(kept.split()).strip("_.")
    stem, dot, rest = found.partition(".")
    return f"{stem}_{dot}{rest}" if is_device(found) else found


class Students:
    """The students of a class, by folder.

    Parameters
    ----------
    folder : Path
        The class's folder.
    scope : str
        Where the numbers of `Submitter` identify a student.

    Raises
    ------
    CourseError
        `students.json` is damaged.
    """

    def __init__(self, folder: Path, scope: str) -> None:
        self.path = folder / "students.json"
        self.scope = scope
        self._saved = self.path.read_text("utf-8") if self.path.exists() else "{}"
        try:
            found = json.loads(self._saved)
            for known in found.values():
                known["name"], known["numbers"].items()
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise CourseError(
                f"{self.path} is damaged; repair it, or delete it if no names clash."
            ) from error
        self._known: dict[str, dict[str, Any]] = found
        submitted = folder / "submitted"
        names = [path.name for path in submitted.iterdir()] if submitted.is_dir() else []
        self._folders = {name.casefold(): name for name in [*names, *found]}

    def assign(
        self, submitters: Iterable[Submitter]
    ) -> tuple[dict[Submitter, str], dict[Submitter, str]]:
        """The students' folders, and why a submitter gets none. `save` makes it last."""
        folders: dict[Submitter, str] = {}
        refused: dict[Submitter, str] = {}
        wanted = defaultdict(list)
        for submitter in sorted(set(submitters), key=lambda s: (s.name, s.number, s.head)):
            name = folder_name(submitter.name)
            if not name:
                refused[submitter] = "no student name in the file name; rename the file"
            elif len(f"{name}{submitter.number}".encode()) > _MAX_NAME_BYTES:
                refused[submitter] = f"the student's name is longer than {_MAX_NAME_BYTES} bytes"
            elif known := self._find(submitter):
                folders[submitter] = known
            else:
                wanted[name.casefold()].append(submitter)
        for group in wanted.values():
            for submitter in group:
                name = self._free(submitter, group)
                if name:
                    folders[submitter] = name
                    self._keep(submitter, name)
                else:
                    refused[submitter] = self._clash(submitter, group)
        return folders, refused

    def save(self) -> None:
        """Remember the folders given by `assign`."""
        text = json.dumps(self._known, indent=1, sort_keys=True)
        if text != self._saved:
            write_atomically(self.path, text.encode(), private=True)

    def _find(self, submitter: Submitter) -> str:
        """The folder that the submitter has been given before, or ""."""
        if not submitter.number:
            return ""
        for student, known in self._known.items():
            if known["name"] == submitter.name and self._number(student) == submitter.number:
                return student
        return ""

    def _number(self, student: str) -> str:
        number: str = self._known[student]["numbers"].get(self.scope, "")
        return number

    def _free(self, submitter: Submitter, group: list[Submitter]) -> str:
        """A folder name that is this submitter's alone, or ""."""
        name = folder_name(submitter.name)
        exact = [other for other in group if other.name == folder_name(other.name)]
        if (len(group) == 1 or exact == [submitter]) and self._is_free(name, submitter):
            return name
        if submitter.number and not submitter.head:  # namesakes: the LMS's number tells them apart
            name = f"{name}_{submitter.number}"
            return name if self._is_free(name, submitter) else ""
        return ""

    def _is_free(self, name: str, submitter: Submitter) -> bool:
        if self._folders.get(name.casefold(), name) != name:
            return False
        if name not in self._known:
            return True
        number = self._number(name)
        return self._known[name]["name"] == submitter.name and number in ("", submitter.number)

    def _keep(self, submitter: Submitter, name: str) -> None:
        known = self._known.setdefault(name, {"name": submitter.name, "numbers": {}})
        if submitter.number:
            known["numbers"][self.scope] = submitter.number
        self._folders[name.casefold()] = name

    def _clash(self, submitter: Submitter, group: list[Submitter]) -> str:
        name = folder_name(submitter.name)
        others = [other.head or other.name for other in group if other != submitter]
        if not others:
            present = self._folders.get(name.casefold(), name)
            known = self._known.get(present, {}).get("name", present)
            others = [f"{known}, who has the folder {present}"]
        return (
            f"{submitter.head or submitter.name} would share a folder with {', '.join(others)};"
            " rename one of them"
        )
