"""Collects submissions from what an LMS lets instructors download.

Who a file belongs to stands in its name, in the manner of the LMS; which assignment it belongs to
is decided by its content, because students and LMSs rename files. The files are then handed to
nbgrader's own zip collection, which puts them into `submitted/` with a timestamp.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from autograder.classroom.archives import Taken, unpack
from autograder.course.layout import Course
from autograder.errors import CourseError

if TYPE_CHECKING:
    from autograder.grading.gradebook import Classroom

#: How the file of a student is called, by LMS; the first that fits most notebooks is taken.
LAYOUTS = {
    # lastfirst_LATE_12345_67890_05_transformer_block-1.ipynb
    "canvas": r"(?:.*/)?(?P<student>[^_/]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>[^/]+)",
    # Ada Lovelace_1234567_assignsubmission_file_/05_transformer_block.ipynb
    "moodle": r"(?:.*/)?(?P<student>[^/]+)_(?P<number>\d+)_assignsubmission_file_?[/_](?P<file>.+)",
    # Transformers_alovelace_attempt_2026-01-30-15-00-00_05_transformer_block.ipynb
    "blackboard": (
        r"(?:.*/)?[^/]*_(?P<student>[^_/]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})_(?P<file>[^/]+)"
    ),
    # alovelace/05_transformer_block.ipynb
    "folder": r"(?P<student>[^/]+)/(?P<file>.+)",
}
_TRIAL = re.compile(r"(?:-| ?\()(\d+)\)?(?=\.ipynb$)")
#: A notebook belongs to the assignment that it shares at least this part of its marks with.
_ENOUGH = 0.2


@dataclass(frozen=True)
class Submission:
    """One notebook of one student.

    Attributes
    ----------
    student, number : as the LMS calls them; the number is "" where it has none.
    handed_in : when, as far as the download knows.
    fit : the share of the assignment's marked cells that it has.
    """

    student: str
    number: str
    handed_in: datetime.datetime
    trial: int
    file: Taken
    fit: float


@dataclass
class Collected:
    """What a collection did: names of the download, each with words.

    Attributes
    ----------
    students : student -> the file that counts.
    earlier : earlier submissions that were kept beside, student -> files.
    unchanged : students whose submission was there already.
    unmatched, refused : files that belong to nobody, or were not even opened: (name, reason).
    layout : the LMS in whose manner the names were read.
    """

    layout: str = ""
    students: dict[str, str] = field(default_factory=dict)
    earlier: dict[str, list[str]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    unmatched: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, object]:
        return {
            "layout": self.layout,
            "students": self.students,
            "earlier": self.earlier,
            "unchanged": self.unchanged,
            "unmatched": [{"file": name, "reason": reason} for name, reason in self.unmatched],
            "refused": [{"file": name, "reason": reason} for name, reason in self.refused],
        }


def collect(
    course: Course,
    assignment: str,
    source: Path,
    folder: Path | None = None,
    layout: str | None = None,
) -> Collected:
    """Put the submissions of an LMS's download into `submitted/`, the latest of each student.

    Parameters
    ----------
    source : a zip archive or a folder, as the LMS made it.
    folder : the folder of the class; the course's own by default.
    layout : one of `LAYOUTS`; None to find out.

    Raises
    ------
    CourseError
        No such download, no notebook in it, or names in no known manner.
    """
    from autograder.grading.gradebook import Classroom

    if layout is not None and layout not in LAYOUTS:
        raise CourseError(f"no layout is called {layout}; there are {', '.join(LAYOUTS)}.")
    room = Classroom(course, folder)
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = unpack(source, Path(temporary))
        result = Collected(refused=unpacked.refused)
        notebooks = [f for f in unpacked.files if _is_notebook(f.name)]
        for file in unpacked.files:
            if not _is_notebook(file.name) and not _is_noise(file.name):
                result.unmatched.append((file.name, "it is no notebook"))
        if not notebooks:
            found = f"; it holds {len(unpacked.files)} other files" if unpacked.files else ""
            raise CourseError(f"{source} holds no notebook (.ipynb){found}.")
        result.layout = layout or _layout([f.name for f in notebooks])
        found_for: dict[tuple[str, str], list[Submission]] = defaultdict(list)
        marks = {name: _release_marks(course, name) for name in course.assignments()}
        for file in notebooks:
            submission = _read(file, result, assignment, marks)
            if submission is not None:
                found_for[submission.student, submission.number].append(submission)
        chosen = _choose(found_for, result)
        _hand_over(room, assignment, chosen, result)
    return result


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb") and not _is_hidden(name)


def _is_noise(name: str) -> bool:
    """What systems add by themselves: hidden files, Blackboard's receipts, folders of macOS."""
    return _is_hidden(name) or bool(re.search(r"_attempt_\d{4}(-\d\d){5}\.txt$", name))


def _layout(names: list[str]) -> str:
    counts = {
        name: sum(bool(re.fullmatch(pattern, file)) for file in names)
        for name, pattern in LAYOUTS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    if counts[best]:
        return best
    raise CourseError(
        f"the names do not say which student a file belongs to (the first is {names[0]}); give an "
        "archive of Canvas, Moodle or Blackboard, or a folder with one folder per student."
    )


def _release_marks(course: Course, assignment: str) -> set[str]:
    """What a notebook of the assignment is known by: ids of cells and names that they define."""
    path = course.notebook(assignment)
    return _marks(path.read_bytes()) if path.exists() else set()


def _marks(content: bytes) -> set[str]:
    try:
        cells = json.loads(content)["cells"]
        found = set()
        for cell in cells:
            grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
            source = "".join(cell["source"])
            found |= {f"id {grade_id}"} if grade_id else set()
            found |= {f"check {name}" for name in re.findall(r"^check\((\w+)\)", source, re.M)}
            found |= {f"def {name}" for name in re.findall(r"^(?:def|class) (\w+)", source, re.M)}
        return found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


def _read(
    file: Taken, result: Collected, assignment: str, marks: dict[str, set[str]]
) -> Submission | None:
    """The submission in a file, or None after noting why it is none."""
    match = re.fullmatch(LAYOUTS[result.layout], file.name)
    if match is None:
        result.unmatched.append((file.name, f"its name is not in the manner of {result.layout}"))
        return None
    parts = match.groupdict()
    student = _plain_name(re.sub(r"\.zip$", "", parts["student"], flags=re.IGNORECASE))
    if not student:
        result.unmatched.append((file.name, "its name gives no student"))
        return None
    content = file.path.read_bytes()
    own = _marks(content)
    fits = {name: len(own & wanted) / max(1, len(wanted)) for name, wanted in marks.items()}
    best = max(fits, key=lambda name: (fits[name], name == assignment))
    named = assignment in PurePosixPath(parts["file"]).name
    if fits[assignment] < _ENOUGH and not (named and not own):
        other = f"it looks like {best}" if fits[best] >= _ENOUGH else "it is another notebook"
        result.unmatched.append((file.name, f"{other}, not {assignment}"))
        return None
    if fits[best] > 2 * fits[assignment]:
        result.unmatched.append((file.name, f"it looks like {best}, not {assignment}"))
        return None
    handed_in = file.modified
    if parts.get("time"):
        handed_in = datetime.datetime.strptime(parts["time"], "%Y-%m-%d-%H-%M-%S").replace(
            tzinfo=datetime.timezone.utc
        )
    trial = _TRIAL.search(parts["file"])
    return Submission(
        student,
        parts.get("number") or "",
        handed_in,
        int(trial[1]) if trial else 0,
        file,
        fits[assignment],
    )


def _plain_name(name: str) -> str:
    """A student's name as the name of a folder that nbgrader can book."""
    return re.sub(r"[^\w.@+-]+", "_", name.strip()).strip("_.")


def _choose(
    found_for: dict[tuple[str, str], list[Submission]], result: Collected
) -> dict[str, list[Submission]]:
    """For each student the submissions, the one that counts last."""
    names = defaultdict(set)
    for student, number in found_for:
        names[student].add(number)
    chosen = {}
    for (student, number), submissions in sorted(found_for.items()):
        # two students of one name: the LMS's number tells them apart
        key = f"{student}_{number}" if len(names[student]) > 1 else student
        chosen[key] = sorted(submissions, key=lambda s: (s.handed_in, s.trial, s.fit, s.file.name))
        result.students[key] = chosen[key][-1].file.name
        if len(submissions) > 1:
            result.earlier[key] = [s.file.name for s in chosen[key][:-1]]
    return chosen


def _hand_over(
    room: Classroom, assignment: str, chosen: dict[str, list[Submission]], result: Collected
) -> None:
    """Let nbgrader collect the chosen files; what was submitted before is kept beside."""
    from autograder.grading.gradebook import zip_collect

    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / assignment / "archive"
        archive.mkdir(parents=True)
        for student, submissions in chosen.items():
            latest = submissions[-1]
            target = room.submission(student, assignment)
            for submission in submissions[:-1]:
                _keep_beside(room, assignment, student, submission.file.path, submission.handed_in)
            if target.exists():
                if target.read_bytes() == latest.file.path.read_bytes():
                    result.unchanged.append(student)
                    continue
                before = _handed_in(target)
                if before > latest.handed_in:  # an older download, collected late
                    _keep_beside(room, assignment, student, latest.file.path, latest.handed_in)
                    result.earlier.setdefault(student, []).append(latest.file.name)
                    result.students[student] = "what was submitted later"
                    result.unchanged.append(student)
                    continue
                _keep_beside(room, assignment, student, target, before)
                shutil.rmtree(target.parent)
            stamp = latest.handed_in.strftime("%Y-%m-%d %H:%M:%S")
            shutil.copy(latest.file.path, archive / f"{student}_attempt_{stamp}_{assignment}.ipynb")
        if any(archive.iterdir()):
            zip_collect(room, assignment, Path(folder))


def _handed_in(notebook: Path) -> datetime.datetime:
    """When a notebook in `submitted/` was handed in: nbgrader's timestamp, else the file's."""
    from nbgrader.utils import parse_utc

    try:
        stamp = parse_utc((notebook.parent / "timestamp.txt").read_text("utf-8").strip())
        return stamp.replace(tzinfo=datetime.timezone.utc)
    except (OSError, ValueError):
        return datetime.datetime.fromtimestamp(notebook.stat().st_mtime, datetime.timezone.utc)


def _keep_beside(
    room: Classroom, assignment: str, student: str, file: Path, handed_in: datetime.datetime
) -> None:
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:8]
    stamp = handed_in.strftime("%Y-%m-%d-%H-%M-%S")
    path = room.folder / "earlier" / student / assignment / f"{stamp}-{digest}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
