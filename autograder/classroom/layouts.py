"""Who handed in a file of a download: the naming schemes of Canvas, Moodle, Blackboard, Gradescope.

Only the part of a path that the LMS wrote is read, from its beginning. Students choose the rest (the
file's own name, folders, everything in an archive), and may choose another student's name there.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

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
    # submission_123456/05_transformer_block.ipynb; its metadata file says whose it is
    "gradescope": (r"(?P<name>submission_\d+)/(?P<file>.+)",),
    # alovelace/05_transformer_block.ipynb or alovelace.zip
    "folder": (r"(?P<name>[^/]+)/(?P<file>.+)", r"(?P<file>(?P<name>[^/]+)\.[zZ][iI][pP])"),
}


@dataclass(frozen=True)
class Submitter:
    """Who handed in a file, in the LMS's words.

    Attributes
    ----------
    name : str
        The student's name.
    number : str
        The LMS's number of the student, "" if the file name has none.
    head : str
        The text before the name as well, where the naming scheme does not say where the name begins
        (Blackboard): different texts are different students.
    """

    name: str
    number: str = ""
    head: str = ""


@dataclass(frozen=True)
class Submission:
    """Who handed in a submission, as a metadata file says.

    Attributes
    ----------
    time : str
        When: `%Y-%m-%d-%H-%M-%S` in UTC, "" if unknown.
    problem : str
        Why it is not collected, "" if it is.
    """

    submitters: tuple[Submitter, ...]
    time: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Named:
    """What a name in the download says.

    Attributes
    ----------
    file : str
        The part that the student chose.
    time : str
        The submission time in the name, "" if there is none.
    others : tuple of Submitter
        Who else handed it in, in a group submission.
    problem : str
        Why it is not collected, "" if it is.
    """

    submitter: Submitter
    file: str
    time: str = ""
    others: tuple[Submitter, ...] = ()
    problem: str = ""

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
    """A naming scheme.

    Attributes
    ----------
    scheme : str
        A key of `LAYOUTS`.
    wrapper : str
        The folders around the whole download, "" or with a slash at the end.
    submissions : mapping of str to Submission
        Who handed in what and when, by folder, where a metadata file says so (Gradescope).
    """

    scheme: str
    wrapper: str = ""
    submissions: Mapping[str, Submission] = field(default_factory=dict)

    def parse(self, name: str) -> Named | None:
        """What a name in the download says; None if it does not follow the scheme."""
        if not name.startswith(self.wrapper):
            return None
        for pattern in LAYOUTS[self.scheme]:
            if match := re.fullmatch(pattern, name[len(self.wrapper) :], re.DOTALL):
                found = match.groupdict()
                if self.submissions:
                    return self._from_metadata(found["name"], found["file"])
                submitter = Submitter(
                    found["name"], found.get("number") or "", found.get("head") or ""
                )
                return Named(submitter, found["file"], found.get("time") or "")
        return None

    def _from_metadata(self, folder: str, file: str) -> Named | None:
        submission = self.submissions.get(folder)
        if submission is None:
            return None
        first, *others = submission.submitters
        return Named(first, file, submission.time, tuple(others), submission.problem)

    def fits(self, names: list[str]) -> int:
        """How many of the names follow the scheme."""
        return sum(self.parse(name) is not None for name in names)


def find_layout(
    names: list[str], scheme: str | None = None, no_students: Collection[str] = ()
) -> Layout:
    """The naming scheme that most names follow.

    Folders that each hold everything are taken as folders around the class, down to the first that
    holds a notebook, archives or more than one folder.

    Parameters
    ----------
    names : list of str
        Notebooks and archives of the download itself, without what is in these archives.
    scheme : str, optional
        A key of `LAYOUTS`; detected if None. With "folder", the top folders are the students.
    no_students : collection of str
        Names of folders that a student has, such as an assignment's.

    Raises
    ------
    CourseError
        No scheme fits, or more than one does: then names would be read as those of other students.
    """
    around = ["", *_lone_folders(names)]
    if scheme is not None:
        layouts = [Layout(scheme, wrapper) for wrapper in around]
        fitting = [layout for layout in layouts if layout.fits(names)]
        return fitting[0] if fitting and scheme != "folder" else layouts[0]
    fits = {key: Layout(key).fits(names) for key in LAYOUTS}
    most = max(fits.values())
    best = [key for key in LAYOUTS if fits[key] == most and key != "folder"] or ["folder"]
    if not most:
        raise CourseError(
            f"the file names do not identify the students (the first is {names[0]}); pass the"
            " download of Canvas, Moodle, Blackboard or Gradescope with its original file names, or"
            " a folder with one subfolder per student."
        )
    if best == ["folder"]:
        for wrapper in around[1:]:
            inside = [key for key in LAYOUTS if Layout(key, wrapper).fits(names)]
            if inside and inside != ["folder"]:
                raise CourseError(
                    f"everything is in the folder {wrapper} and could be one student's work or a"
                    f" download of {inside[0].capitalize()}; choose with --layout folder or"
                    f" --layout {inside[0]}."
                )
        return Layout("folder", _around_students(names, no_students))
    if len(best) > 1:
        raise CourseError(
            f"the file names fit {' and '.join(best)} (the first is {names[0]}); choose with"
            " --layout."
        )
    return Layout(best[0])


def _lone_folders(names: list[str]) -> list[str]:
    """The folders that each hold all names, from the outside, each with a slash at its end."""
    parts = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*parts):
        if len(set(level)) > 1 or not level[0]:
            break
        common.append(level[0])
    return ["/".join(common[: n + 1]) + "/" for n in range(len(common))]


def _around_students(names: list[str], no_students: Collection[str]) -> str:
    """The lone folders around the students' folders or archives, "" if there is none."""
    wrapper = ""
    for folder in _lone_folders(names):
        inside = [name[len(folder) :] for name in names]
        files = [name for name in inside if "/" not in name]
        if (
            any(not name.lower().endswith(".zip") for name in files)
            or len(inside) == len(files) == 1
        ):
            break
        if {name.partition("/")[0] for name in inside} <= set(no_students):
            break
        wrapper = folder
    return wrapper
