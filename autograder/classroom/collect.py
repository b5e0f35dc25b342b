"""Collects submissions: sorts an LMS's download into `submitted/`, the latest of each student.

The file name identifies the student, in the LMS's naming scheme (`LAYOUTS`). The content identifies
the assignment, because students and LMSs rename files. `archives` unpacks the download, and
nbgrader's own zip collection puts the chosen files into `submitted/` with a timestamp.
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

from autograder.classroom.archives import UnpackedFile, unpack
from autograder.course.layout import Course
from autograder.errors import CourseError

if TYPE_CHECKING:
    from autograder.grading.gradebook import Classroom

#: How each LMS names the files of its download.
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
#: The suffix of a resubmitted or downloaded-again file: `-1`, ` (1)`.
_COPY_NUMBER = re.compile(r"(?:-| ?\()(\d+)\)?(?=\.ipynb$)")
#: A notebook belongs to an assignment if it has at least this share of its features.
_MIN_OVERLAP = 0.2


@dataclass(frozen=True)
class Candidate:
    """A notebook in the download that could be a student's submission.

    Attributes
    ----------
    student, number : name and ID in the LMS; the number is "" if the LMS gives none.
    submitted : submission time, as far as the download tells.
    copy : copy number in the file name, 0 if none.
    overlap : share of the assignment's features that it has, see `_features`.
    """

    student: str
    number: str
    submitted: datetime.datetime
    copy: int
    file: UnpackedFile
    overlap: float


@dataclass
class Collected:
    """The result of `collect`; files are named by their path in the download.

    Attributes
    ----------
    layout : the naming scheme that was used, a key of `LAYOUTS`.
    students : student -> the file that will be graded.
    earlier : student -> earlier submissions, which are saved in `earlier/`.
    unchanged : students whose submission in `submitted/` was kept.
    unmatched, refused : (file, reason) of files that are no submission, or were not unpacked.
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
    """Put the latest submission of each student in an LMS's download into `submitted/`.

    Parameters
    ----------
    source : the zip archive downloaded from the LMS, or a folder.
    folder : the class's folder; the course's own if None.
    layout : the naming scheme, a key of `LAYOUTS`; detected if None.

    Raises
    ------
    CourseError
        There is no such download, it has no notebook, or its file names fit no naming scheme.
    """
    from autograder.grading.gradebook import Classroom

    if layout is not None and layout not in LAYOUTS:
        raise CourseError(f"unknown layout {layout}; choose one of {', '.join(LAYOUTS)}.")
    classroom = Classroom(course, folder)
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = unpack(source, Path(temporary))
        result = Collected(refused=unpacked.refused)
        notebooks = [f for f in unpacked.files if _is_notebook(f.name)]
        for file in unpacked.files:
            if not _is_notebook(file.name) and not _is_junk(file.name):
                result.unmatched.append((file.name, "not a notebook (.ipynb)"))
        if not notebooks:
            found = f", only {len(unpacked.files)} other files" if unpacked.files else ""
            raise CourseError(f"there is no notebook (.ipynb) in {source}{found}.")
        result.layout = layout or _detect_layout([f.name for f in notebooks])
        candidates: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
        released = {name: _released_features(course, name) for name in course.assignments()}
        for file in notebooks:
            candidate = _read(file, result, assignment, released)
            if candidate is not None:
                candidates[candidate.student, candidate.number].append(candidate)
        chosen = _choose(candidates, result)
        _import(classroom, assignment, chosen, result)
    return result


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb") and not _is_hidden(name)


def _is_junk(name: str) -> bool:
    """Whether a program added the file: hidden files, macOS metadata, Blackboard's receipts."""
    return _is_hidden(name) or bool(re.search(r"_attempt_\d{4}(-\d\d){5}\.txt$", name))


def _detect_layout(names: list[str]) -> str:
    """The naming scheme that most file names fit, the first such one in `LAYOUTS`."""
    counts = {
        name: sum(bool(re.fullmatch(pattern, file)) for file in names)
        for name, pattern in LAYOUTS.items()
    }
    best = max(counts, key=lambda name: counts[name])
    if counts[best]:
        return best
    raise CourseError(
        f"the file names do not identify the students (the first is {names[0]}); pass the download"
        " of Canvas, Moodle or Blackboard with its original file names, or a folder with one"
        " subfolder per student."
    )


def _released_features(course: Course, assignment: str) -> set[str]:
    path = course.notebook(assignment)
    return _features(path.read_bytes()) if path.exists() else set()


def _features(content: bytes) -> set[str]:
    """What identifies a notebook's assignment: grade ids, checks, and the names it defines."""
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
    file: UnpackedFile, result: Collected, assignment: str, released: dict[str, set[str]]
) -> Candidate | None:
    """The candidate in a file, or None after adding the file to `result.unmatched`."""
    match = re.fullmatch(LAYOUTS[result.layout], file.name)
    if match is None:
        reason = f"file name does not follow the naming scheme of {result.layout}"
        result.unmatched.append((file.name, reason))
        return None
    parts = match.groupdict()
    student = _folder_name(re.sub(r"\.zip$", "", parts["student"], flags=re.IGNORECASE))
    if not student:
        result.unmatched.append((file.name, "no student name in the file name"))
        return None
    own = _features(file.path.read_bytes())
    overlaps = {name: len(own & its) / max(1, len(its)) for name, its in released.items()}
    best = max(overlaps, key=lambda name: (overlaps[name], name == assignment))
    named = assignment in PurePosixPath(parts["file"]).name
    if overlaps[assignment] < _MIN_OVERLAP and not (named and not own):
        known = overlaps[best] >= _MIN_OVERLAP
        reason = f"looks like {best}, not {assignment}" if known else "not from this course"
        result.unmatched.append((file.name, reason))
        return None
    if overlaps[best] > 2 * overlaps[assignment]:
        result.unmatched.append((file.name, f"looks like {best}, not {assignment}"))
        return None
    submitted = file.modified
    if parts.get("time"):
        submitted = datetime.datetime.strptime(parts["time"], "%Y-%m-%d-%H-%M-%S").replace(
            tzinfo=datetime.timezone.utc
        )
    copy = _COPY_NUMBER.search(parts["file"])
    return Candidate(
        student,
        parts.get("number") or "",
        submitted,
        int(copy[1]) if copy else 0,
        file,
        overlaps[assignment],
    )


def _folder_name(student: str) -> str:
    """A student's name as a folder name that nbgrader accepts."""
    return re.sub(r"[^\w.@+-]+", "_", student.strip()).strip("_.")


def _choose(
    candidates: dict[tuple[str, str], list[Candidate]], result: Collected
) -> dict[str, list[Candidate]]:
    """Student -> submissions, in order; the last one will be graded."""
    numbers = defaultdict(set)
    for student, number in candidates:
        numbers[student].add(number)
    chosen = {}
    for (student, number), own in sorted(candidates.items()):
        # namesakes: the LMS's number tells them apart
        key = f"{student}_{number}" if len(numbers[student]) > 1 else student
        chosen[key] = sorted(own, key=lambda c: (c.submitted, c.copy, c.overlap, c.file.name))
        result.students[key] = chosen[key][-1].file.name
        if len(own) > 1:
            result.earlier[key] = [c.file.name for c in chosen[key][:-1]]
    return chosen


def _import(
    classroom: Classroom, assignment: str, chosen: dict[str, list[Candidate]], result: Collected
) -> None:
    """Let nbgrader collect the chosen files; save earlier submissions in `earlier/`."""
    from autograder.grading.gradebook import zip_collect

    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / assignment / "archive"
        archive.mkdir(parents=True)
        for student, submissions in chosen.items():
            latest = submissions[-1]
            target = classroom.submission(student, assignment)
            for earlier in submissions[:-1]:
                _save_earlier(classroom, assignment, student, earlier.file.path, earlier.submitted)
            if target.exists():
                if target.read_bytes() == latest.file.path.read_bytes():
                    result.unchanged.append(student)
                    continue
                present = _submission_time(target)
                if present > latest.submitted:  # an old download, collected after a newer one
                    _save_earlier(
                        classroom, assignment, student, latest.file.path, latest.submitted
                    )
                    result.earlier.setdefault(student, []).append(latest.file.name)
                    result.students[student] = "the later submission in submitted/"
                    result.unchanged.append(student)
                    continue
                _save_earlier(classroom, assignment, student, target, present)
                shutil.rmtree(target.parent)
            stamp = latest.submitted.strftime("%Y-%m-%d %H:%M:%S")
            shutil.copy(latest.file.path, archive / f"{student}_attempt_{stamp}_{assignment}.ipynb")
        if any(archive.iterdir()):
            zip_collect(classroom, assignment, Path(folder))


def _submission_time(notebook: Path) -> datetime.datetime:
    """When a notebook in `submitted/` was submitted: nbgrader's timestamp, or the file's."""
    from nbgrader.utils import parse_utc

    try:
        stamp = parse_utc((notebook.parent / "timestamp.txt").read_text("utf-8").strip())
        return stamp.replace(tzinfo=datetime.timezone.utc)
    except (OSError, ValueError):
        return datetime.datetime.fromtimestamp(notebook.stat().st_mtime, datetime.timezone.utc)


def _save_earlier(
    classroom: Classroom, assignment: str, student: str, file: Path, submitted: datetime.datetime
) -> None:
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:8]
    stamp = submitted.strftime("%Y-%m-%d-%H-%M-%S")
    path = classroom.folder / "earlier" / student / assignment / f"{stamp}-{digest}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
