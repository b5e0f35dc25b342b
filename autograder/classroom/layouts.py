"""Who handed in a file of an LMS's download: the naming schemes of Canvas, Moodle and Blackboard.

Only the part of a path that the LMS wrote is read, from its beginning. Students choose the rest (the
file's own name, folders, everything in an archive), and may choose another student's name there.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from autograder.errors import CourseError

#: How each LMS names the files of its download. Lazy where text of the student follows.
LAYOUTS = {
    # lastfirst_LATE_12345_67890_05_transformer_block-1.ipynb
    "canvas": (r"(?P<name>[^_/]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>[^/]+)",),
    "moodle": (
        # Ada Lovelace_1234567_assignsubmission_file_/05_transformer_block.ipynb
        r"(?P<name>[^/]+)_(?P<number>\d+)_assignsubmission_file_?/(?P<file>.+)",
        # Ada Lovelace_1234567_assignsubmission_file_05_transformer_block.ipynb
        r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_file_(?P<file>[^/]+)",
    ),
    # Transformers_alovelace_attempt_2026-01-30-15-00-00_05_transformer_block.ipynb
    "blackboard": (
        r"(?P<head>[^/]*?_(?P<name>[^_/]+))_attempt_(?P<time>\d{4}(?:-\d\d){5})_(?P<file>[^/]+)",
    ),
    # alovelace/05_transformer_block.ipynb or alovelace.zip
    "folder": (r"(?P<name>[^/]+)/(?P<file>.+)", r"(?P<file>(?P<name>[^/]+)\.[zZ][iI][pP])"),
}


@dataclass(frozen=True)
class Submitter:
    """Who handed in a file, in the LMS's words.

    Attributes
    ----------
    name : the student's name.
    number : the LMS's number of the student, "" if the file name has none.
    head : the text before the name as well, where the naming scheme does not say where the name
        begins (Blackboard): different texts are different students.
    """

    name: str
    number: str = ""
    head: str = ""


@dataclass(frozen=True)
class Named:
    """What a name in the download says.

    Attributes
    ----------
    file : the part that the student chose.
    time : the submission time in the name, "" if there is none.
    """

    submitter: Submitter
    file: str
    time: str = ""

    def submitted(self) -> datetime.datetime | None:
        """The submission time in the name; None if there is none.

        Raises
        ------
        ValueError
            There is no such date.
        """
        if not self.time:
            return None
        found = datetime.datetime.strptime(self.time, "%Y-%m-%d-%H-%M-%S")
        if found.year < 1980:
            raise ValueError(f"no submission is from the year {found.year}")
        return found.replace(tzinfo=datetime.timezone.utc)


@dataclass(frozen=True)
class Layout:
    """A naming scheme, and the folder around the whole download ("" or with a slash)."""

    scheme: str
    wrapper: str = ""

    def parse(self, name: str) -> Named | None:
        """What a name in the download says; None if it does not follow the scheme."""
        if not name.startswith(self.wrapper):
            return None
        for pattern in LAYOUTS[self.scheme]:
            if match := re.fullmatch(pattern, name[len(self.wrapper) :], re.DOTALL):
                found = match.groupdict()
                submitter = Submitter(
                    found["name"], found.get("number") or "", found.get("head") or ""
                )
                return Named(submitter, found["file"], found.get("time") or "")
        return None

    def fits(self, names: list[str]) -> int:
        """How many of the names follow the scheme."""
        return sum(self.parse(name) is not None for name in names)


def find_layout(names: list[str], scheme: str | None = None) -> Layout:
    """The naming scheme that most names follow.

    Parameters
    ----------
    names : notebooks and archives of the download itself, without what is in these archives.
    scheme : a key of `LAYOUTS`; detected if None.

    Raises
    ------
    CourseError
        No scheme fits, or more than one does: then names would be read as those of other students.
    """
    wrapper = _common_folder(names)
    if scheme is not None:
        layout = Layout(scheme)
        wrapped = Layout(scheme, wrapper)
        return wrapped if scheme != "folder" and not layout.fits(names) else layout
    fits = {key: Layout(key).fits(names) for key in LAYOUTS}
    most = max(fits.values())
    best = [key for key in LAYOUTS if fits[key] == most and key != "folder"] or ["folder"]
    inside = [key for key in LAYOUTS if key != "folder" and Layout(key, wrapper).fits(names)]
    if not most:
        raise CourseError(
            f"the file names do not identify the students (the first is {names[0]}); pass the"
            " download of Canvas, Moodle or Blackboard with its original file names, or a folder"
            " with one subfolder per student."
        )
    if best == ["folder"] and wrapper and inside:
        raise CourseError(
            f"everything is in the folder {wrapper} and could be one student's work or a download"
            f" of {inside[0].capitalize()}; choose with --layout folder or --layout {inside[0]}."
        )
    if len(best) > 1:
        raise CourseError(
            f"the file names fit {' and '.join(best)} (the first is {names[0]}); choose with"
            " --layout."
        )
    return Layout(best[0])


def _common_folder(names: list[str]) -> str:
    """The top folder that holds all names, with a slash, or ""."""
    folders = {name.partition("/")[0] if "/" in name else "" for name in names}
    only = folders.pop() if len(folders) == 1 else ""
    return f"{only}/" if only else ""
