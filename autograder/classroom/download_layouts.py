"""The naming schemes of the LMSs, which tell the submitter of a file in a download.

Only the part of a path that the LMS wrote is read, from its beginning. Students choose the rest (the
file's own name, folders, everything in an archive), and may choose another student's name there.
"""

from __future__ import annotations

import datetime
import re
import statistics
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from autograder.classroom.date_parsing import in_iso_order
from autograder.errors import CourseError
from autograder.gradebook.timestamps import read_naive

_BRIGHTSPACE = (
    r"(?P<number>\d+)-\d+ - (?P<name>[^/]+?)"
    r" - (?P<time>(?:(?! - )[^/])*?\d{4},? \d{1,2}:?\d\d(?: ?[AaPp][Mm])?)"
)
#: Anonymous names have a space before the number in some languages, or nothing.
_MOODLE = r"(?P<name>[^/]+?)(?:_|(?<=[^\W\d_]) ?)(?P<number>\d+)_assignsubmission_file"
#: How each LMS names the files of its download. Lazy where text of the student follows.
LAYOUTS = {
    "canvas": (
        # anon_aB3xZ_67890_05_transformer_block.ipynb, with anonymous grading
        r"(?P<late>LATE_)?(?P<name>anon_(?P<number>[A-Za-z0-9]{5}))_\d+_(?P<file>[^/]+)",
        # lastfirst_LATE_12345_67890_05_transformer_block-1.ipynb, or a group's name, with `_`
        r"(?P<name>(?:(?!_\d+_(?!LATE_)|_attempt_\d{4}-)[^/])+?)_(?P<late>LATE_)?(?P<number>\d+)"
        r"_(?P<attachment>\d+)_(?P<file>[^/]+)",
    ),
    "moodle": (
        # Ada Lovelace_1234567_assignsubmission_file_/05_transformer_block.ipynb
        _MOODLE + r"_?/(?P<file>.+)",
        # Ada Lovelace_1234567_assignsubmission_file_05_transformer_block.ipynb
        _MOODLE + r"_(?P<file>[^/]+)",
    ),
    # Transformers_alovelace_attempt_2026-01-30-15-00-00_05_transformer_block.ipynb; where the title
    # ends and the user name begins says `blackboard_users`
    "blackboard": (r"(?P<name>[^/]*?_[^/]+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})_(?P<file>[^/]+)",),
    # submission_123456/05_transformer_block.ipynb; its metadata file says whose it is
    "gradescope": (r"(?P<name>submission_\d+)/(?P<file>.+)",),
    "brightspace": (
        # 12345-67890 - Ada Lovelace - Jan 28, 2026 1105 AM/05_transformer_block.ipynb
        _BRIGHTSPACE + r"/(?P<file>.+)",
        _BRIGHTSPACE + r" - (?P<file>[^/]+)",
    ),
    # Assignment 5/Lovelace, Ada(alovelace)/Submission attachment(s)/05_transformer_block.ipynb
    "sakai": (
        r"(?:[^/]+/)?(?P<label>(?P<name>[^/]+?)\((?P<number>[^()/]+)\))"
        r"/Submission attachment\(s\)/(?P<file>.+)",
    ),
    # alovelace/05_transformer_block.ipynb or alovelace.zip
    "folder": (r"(?P<name>[^/]+)/(?P<file>.+)", r"(?P<file>(?P<name>[^/]+)\.[zZ][iI][pP])"),
}
#: In Sakai's download, what instructors gave back.
GIVEN_BACK = re.compile(r"(?:^|/)Feedback Attachment\(s\)/")
#: In the number that may end a group's name, as in "lab_group_3".
_MAX_GROUP_DIGITS = 3


@dataclass(frozen=True)
class Submitter:
    """The student who handed in a file, as the LMS names them.

    Attributes
    ----------
    name : str
        The student's name.
    number : str
        The LMS's number of the student, "" if the file name has none.
    is_user : bool
        Whether the name is a user name (Blackboard), which only its own LMS can compare.
    label : str
        What the student's folder is named by, if not by the name.
    email : str
        The student's address, "" if unknown.
    """

    name: str
    number: str = ""
    is_user: bool = False
    label: str = ""
    email: str = ""


@dataclass(frozen=True)
class Submission:
    """A submission's submitters and time, as a metadata file gives them.

    Attributes
    ----------
    time : datetime.datetime or None
        When; None if unknown.
    problem : str
        Why it is not collected, "" if it is.
    """

    submitters: tuple[Submitter, ...]
    time: datetime.datetime | None = None
    problem: str = ""


@dataclass(frozen=True)
class Named:
    """The parts of a file's name in the download.

    Attributes
    ----------
    file : str
        The part that the student chose.
    time : str
        The submission time in the name, as the LMS writes it, "" if there is none.
    given : datetime.datetime or None
        The submission time that a metadata file gives.
    others : tuple of Submitter
        Who else handed it in, in a group submission.
    late : bool
        Whether the LMS marked it as late.
    problem : str
        Why it is not collected, "" if it is.
    """

    submitter: Submitter
    file: str
    time: str = ""
    given: datetime.datetime | None = None
    others: tuple[Submitter, ...] = ()
    late: bool = False
    problem: str = ""

    def submitted(self) -> datetime.datetime | None:
        """Return the submission time, without zone if it is the LMS's local time; None if unknown.

        Raises
        ------
        ValueError
            There is no such date.
        """
        if not self.time:
            return self.given
        found = _brightspace_time(self.time) if " " in self.time else _blackboard_time(self.time)
        if found is not None and found.year < 1980:
            raise ValueError(f"no submission is from the year {found.year}")
        return found


def _blackboard_time(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")


def _brightspace_time(text: str) -> datetime.datetime | None:
    """Parse "Jan 28, 2026 1105 AM" or "28 January, 2026 11:05"; None if it is not certain."""
    clock = re.sub(r"\b(\d{1,2}):?(\d\d)(?=(?: ?[AaPp][Mm])?$)", r"\1:\2", text)
    try:
        written = in_iso_order(clock)
    except CourseError:
        return None
    if written == clock:
        return None
    try:
        return read_naive(written)[0]
    except CourseError as error:
        raise ValueError(str(error)) from error


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
        Who handed in what and when, by the name that the scheme has found, where that alone does not
        say who it is (Gradescope, Blackboard).
    digits : tuple of (float, float) or None
        Of Canvas: how many digits the numbers of users and of files have in this download, as far
        as names have no further number that leaves it open.
    named : bool
        Whether the user has chosen the scheme.
    """

    scheme: str
    wrapper: str = ""
    submissions: Mapping[str, Submission] = field(default_factory=dict)
    digits: tuple[float, float] | None = None
    named: bool = False

    def parse(self, name: str) -> Named | None:
        """Parse a name in the download; return None if it does not follow the scheme."""
        if not name.startswith(self.wrapper):
            return None
        for pattern in LAYOUTS[self.scheme]:
            if match := re.fullmatch(pattern, name[len(self.wrapper) :], re.DOTALL):
                found = match.groupdict()
                if self.submissions:
                    return self._told(found)
                if found.get("attachment"):
                    found = self._of_canvas(found)
                # macOS takes accents off their letters
                name, number, label = (
                    unicodedata.normalize("NFC", found.get(part) or "")
                    for part in ("name", "number", "label")
                )
                submitter = Submitter(name, number, label=label)
                late = bool(found.get("late"))
                return Named(submitter, found["file"], found.get("time") or "", late=late)
        return None

    def _of_canvas(self, found: dict[str, str]) -> dict[str, str]:
        """Read `lab_group_3_12345_67890_x`: a group that ends in a number, or a student number 3.

        Canvas leaves open where the name ends. Numbers of users, or of files, have about as many
        digits as others of the same download; without others, a group's number is the short one.
        """
        further = re.fullmatch(r"(?P<attachment>[1-9]\d*)_(?P<file>.+)", found["file"], re.DOTALL)
        if further is None or found["late"]:
            return found
        user, file, third = (
            len(text) for text in (found["number"], found["attachment"], further["attachment"])
        )
        if self.digits is not None:
            users, files = self.digits
            as_group = abs(file - users) + abs(third - files) < abs(user - users) + abs(
                file - files
            )
        else:
            as_group = user <= _MAX_GROUP_DIGITS < min(file, third)
        if not as_group:
            return found
        name = f"{found['name']}_{found['number']}"
        return {**found, "name": name, "number": found["attachment"], **further.groupdict()}

    def _told(self, found: dict[str, str]) -> Named | None:
        """Return the name's parts with the submission known for it; None if none is."""
        submission = self.submissions.get(found["name"])
        if submission is None:
            return None
        first, *others = submission.submitters
        return Named(
            first,
            found["file"],
            found.get("time") or "",
            given=submission.time,
            others=tuple(others),
            problem=submission.problem,
        )

    def fits(self, names: list[str]) -> int:
        """Count the names that follow the scheme."""
        return sum(self.parse(name) is not None for name in names)


def _digits(names: list[str], wrapper: str) -> tuple[float, float] | None:
    """Return the median lengths of Canvas's user and file numbers in unambiguous names."""
    users, files = [], []
    for name in names:
        match = re.fullmatch(LAYOUTS["canvas"][1], name[len(wrapper) :], re.DOTALL)
        if match and (match["late"] or not re.match(r"[1-9]\d*_", match["file"])):
            users.append(len(match["number"]))
            files.append(len(match["attachment"]))
    return (statistics.median(users), statistics.median(files)) if users else None


#: What is left of Canvas's submissions.zip that somebody has unpacked, and maybe packed again.
_UNPACKED = "submissions/"


def find_layout(
    names: list[str], scheme: str | None = None, no_students: Collection[str] = ()
) -> Layout:
    """Return the naming scheme that most names follow.

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
    names = [name for name in names if not GIVEN_BACK.search(name)] or names
    around = ["", *lone_folders(names)]
    if scheme is not None:
        layouts = [Layout(scheme, w, digits=_digits(names, w), named=True) for w in around]
        fitting = [layout for layout in layouts if layout.fits(names)]
        return fitting[0] if fitting and scheme != "folder" else layouts[0]
    fits = {key: Layout(key).fits(names) for key in LAYOUTS}
    most = max(fits.values())
    named = max(fits[key] for key in LAYOUTS if key != "folder")
    if 2 * named > len(names):  # what else is there, somebody has added
        most = named
    best = [key for key in LAYOUTS if fits[key] == most and key != "folder"] or ["folder"]
    if not most:
        raise CourseError(
            f"the file names do not identify the students (the first is {names[0]}); pass the"
            " download of Canvas, Moodle, Blackboard, Gradescope, Brightspace or Sakai with its"
            " original file names, or a folder with one subfolder per student."
        )
    if best == ["folder"]:
        for wrapper in around[1:]:
            inside = [key for key in LAYOUTS if Layout(key, wrapper).fits(names)]
            of_lms = [key for key in inside if key != "folder"]
            if len(of_lms) == 1 and wrapper.casefold() == _UNPACKED:
                return Layout(of_lms[0], wrapper, digits=_digits(names, wrapper))
            if of_lms:
                raise CourseError(
                    f"everything is in the folder {wrapper} and could be one student's work or a"
                    f" download of {of_lms[0].capitalize()}; choose with --layout folder or"
                    f" --layout {of_lms[0]}."
                )
        return Layout("folder", _around_students(names, no_students))
    if len(best) > 1:
        raise CourseError(
            f"the file names fit {' and '.join(best)} (the first is {names[0]}); choose with"
            " --layout."
        )
    return Layout(best[0], digits=_digits(names, ""))


def lone_folders(names: list[str]) -> list[str]:
    """Return the folders that each hold all names, outermost first, each ending in a slash."""
    parts = [name.split("/")[:-1] for name in names]
    common = []
    for level in zip(*parts):
        if len(set(level)) > 1 or not level[0]:
            break
        common.append(level[0])
    return ["/".join(common[: n + 1]) + "/" for n in range(len(common))]


def _around_students(names: list[str], no_students: Collection[str]) -> str:
    """Return the lone folders around the students' folders or archives, "" if there is none."""
    wrapper = ""
    for folder in lone_folders(names):
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
