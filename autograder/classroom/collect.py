"""Collects submissions: sorts an LMS's download into `submitted/`, the latest of each student.

The name in the download identifies the student, in the LMS's naming scheme (`layouts`, `students`).
The content identifies the assignment, because students and LMSs rename files. `archives` unpacks the
download, and nbgrader's own zip collection puts the chosen files into `submitted/` with a timestamp.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import re
import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from autograder.classroom.archives import (
    UnpackedFile,
    is_archive,
    is_notebook,
    modification_date,
    outer_names,
    unpack,
)
from autograder.classroom.collected import Collected
from autograder.classroom.gradescope_export import METADATA, submissions_of
from autograder.classroom.layouts import LAYOUTS, Layout, Submitter, find_layout
from autograder.classroom.students import Students
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.origins import Origin, save_origins
from autograder.grading.notebook_json import load
from autograder.grading.student_files import read_regular, regular_file

if TYPE_CHECKING:
    from autograder.gradebook.class_folder import Classroom

#: The suffix of a resubmitted or downloaded-again file: `-1`, ` (1)`.
_COPY_NUMBER = re.compile(r"(?:-| ?\()(\d+)\)?(?=\.ipynb(?:\.\w+)?$)")
#: Archives that are not unpacked.
_PACKED = re.compile(r"\.(?:7z|rar|tar|tgz|gz|bz2|xz)$", re.IGNORECASE)
_OTHER_ARCHIVE = "an archive of another kind: unpack it, or ask for a .zip"
#: A notebook belongs to an assignment if it has at least this share of its features.
_MIN_OVERLAP = 0.2


@dataclass(frozen=True)
class Candidate:
    """A notebook in the download that could be a student's submission.

    Attributes
    ----------
    submitter : Submitter
        Who handed it in, in the LMS's words.
    submitted : datetime.datetime
        Submission time, as far as the download tells; what is in an archive has the archive's.
    copy : int
        Copy number in the file name, 0 if none.
    overlap : float
        Share of the assignment's features that it has, see `_features`.
    """

    submitter: Submitter
    submitted: datetime.datetime
    copy: int
    file: UnpackedFile
    overlap: float

    @property
    def order(self) -> tuple[object, ...]:
        """Later submissions are larger; those handed in together compare by what is in them."""
        return self.submitted, self.file.modified, self.copy, self.overlap, self.file.name


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
    source : Path
        The zip archive downloaded from the LMS, or a folder.
    folder : Path, optional
        The class's folder; the course's own if None.
    layout : str, optional
        The naming scheme, a key of `LAYOUTS`; detected if None.

    Raises
    ------
    CourseError
        There is no such download, it has no notebook, its file names fit no naming scheme, or the
        class's folder cannot be written.
    """
    from autograder.gradebook.class_folder import Classroom

    if layout is not None and layout not in LAYOUTS:
        raise CourseError(f"unknown layout {layout}; choose one of {', '.join(LAYOUTS)}.")
    classroom = Classroom(course, folder)
    names = [name for name in outer_names(source) if not _is_hidden(name)]
    could_hold = [name for name in names if is_notebook(name) or is_archive(name)]
    if not could_hold:
        found = f", only {len(names)} other files" if names else ""
        raise CourseError(f"there is no notebook (.ipynb) in {source}{found}.")
    scheme = _find_layout(course, source, names, could_hold, layout)
    classroom.require_writable()
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = unpack(source, Path(temporary), _Owner(scheme))
        notebooks = [file for file in unpacked.files if not _is_hidden(file.name)]
        result = Collected(scheme.scheme, scheme.wrapper, refused=unpacked.refused)
        result.unmatched = [
            (name, _OTHER_ARCHIVE if _PACKED.search(name) else "not a notebook (.ipynb)")
            for name in unpacked.others
            if not _is_junk(name) and name != f"{scheme.wrapper}{METADATA}"
        ]
        released = {name: _released_features(course, name) for name in course.assignments()}
        candidates: dict[Submitter, list[Candidate]] = defaultdict(list)
        for file in notebooks:
            fitting = _read(file, scheme, result, assignment, released)
            if not fitting:
                file.path.unlink()
            for candidate in fitting:
                candidates[candidate.submitter].append(candidate)
        scope = f"moodle {assignment}" if scheme.scheme == "moodle" else scheme.scheme
        students = Students(classroom.folder, scope)
        chosen = _choose(candidates, students, result)
        _import(classroom, assignment, chosen, result)
        if chosen:
            students.save()
            classroom.enter_names({name: own[-1].submitter.name for name, own in chosen.items()})
    return result


def _find_layout(
    course: Course, source: Path, names: list[str], could_hold: list[str], scheme: str | None
) -> Layout:
    """The naming scheme of a download, with the metadata that Gradescope's needs."""
    submissions = submissions_of(source, names) if scheme in (None, "gradescope") else {}
    no_students = {*course.assignments(), course.notebooks.name}
    layout = find_layout(could_hold, "gradescope" if submissions else scheme, no_students)
    if layout.scheme == "gradescope" and not submissions:
        raise CourseError(
            f"{METADATA} is missing, in which Gradescope says whose a submission is; download the"
            " submissions again, or choose --layout folder to name students by their folders."
        )
    return replace(layout, submissions=submissions)


@dataclass(frozen=True)
class _Owner:
    """Whose allowance a file of the download counts to."""

    layout: Layout

    def __call__(self, outer: str) -> object:
        named = self.layout.parse(outer)
        return named.submitter if named else None


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _is_junk(name: str) -> bool:
    """Whether a program added the file: hidden files, macOS metadata, Blackboard's receipts."""
    return _is_hidden(name) or bool(re.search(r"_attempt_\d{4}(-\d\d){5}\.txt$", name))


def _released_features(course: Course, assignment: str) -> set[str]:
    path = course.notebook(assignment)
    return _features(path.read_bytes()) if path.exists() else set()


def _features(content: bytes) -> set[str]:
    """What identifies a notebook's assignment: grade ids, checks, and the names it defines."""
    found: set[str] = set()
    try:
        cells = load(content)["cells"]
        for cell in cells:
            grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
            source = "".join(cell["source"])
            found |= {f"id {grade_id}"} if grade_id else set()
            found |= {f"check {name}" for name in re.findall(r"^check\((\w+)\)", source, re.M)}
            found |= {f"def {name}" for name in re.findall(r"^(?:def|class) (\w+)", source, re.M)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError):
        return set()
    return found


def _read(
    file: UnpackedFile,
    layout: Layout,
    result: Collected,
    assignment: str,
    released: dict[str, set[str]],
) -> list[Candidate]:
    """The candidate in a file, one for each who handed it in; [] after saying why there is none."""

    def unmatched(reason: str) -> list[Candidate]:
        result.unmatched.append((file.name, reason))
        return []

    named = layout.parse(file.outer)
    if named is None:
        return unmatched(f"file name does not follow the naming scheme of {layout.scheme}")
    if named.problem:
        result.refused.append((file.name, named.problem))
        return []
    try:
        submitted = named.submitted() or file.received
    except ValueError:
        return unmatched(f"there is no date {named.time}; correct it in the file name")
    chosen_name = PurePosixPath(named.file if file.name == file.outer else file.name).name
    own = _features(file.path.read_bytes())
    overlaps = {name: len(own & its) / max(1, len(its)) for name, its in released.items()}
    best = max(overlaps, key=lambda name: (overlaps[name], name == assignment))
    if overlaps[assignment] < _MIN_OVERLAP and (own or assignment not in chosen_name):
        known = overlaps[best] >= _MIN_OVERLAP
        return unmatched(
            f"looks like {best}, not {assignment}" if known else "not from this course"
        )
    if overlaps[best] > 2 * overlaps[assignment]:
        return unmatched(f"looks like {best}, not {assignment}")
    copy = _COPY_NUMBER.search(chosen_name)
    number = int(copy[1][-9:]) if copy else 0
    return [
        Candidate(submitter, submitted, number, file, overlaps[assignment])
        for submitter in (named.submitter, *named.others)
    ]


def _choose(
    candidates: dict[Submitter, list[Candidate]], students: Students, result: Collected
) -> dict[str, list[Candidate]]:
    """Student -> submissions, in order; the last one will be graded."""
    folders, refused = students.assign(candidates)
    for submitter, reason in refused.items():
        result.refused += [(candidate.file.name, reason) for candidate in candidates[submitter]]
    chosen = {}
    for student, submitter in sorted((name, who) for who, name in folders.items()):
        own = sorted(candidates[submitter], key=lambda candidate: candidate.order)
        chosen[student] = own
        result.students[student] = own[-1].file.name
        if len(own) > 1:
            result.earlier[student] = [candidate.file.name for candidate in own[:-1]]
    return chosen


def _import(
    classroom: Classroom, assignment: str, chosen: dict[str, list[Candidate]], result: Collected
) -> None:
    """Let nbgrader collect the chosen files; save earlier submissions in `earlier/`."""
    from autograder.gradebook.class_folder import zip_collect

    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / assignment / "archive"
        archive.mkdir(parents=True)
        for student, submissions in chosen.items():
            try:
                if not _prepare(classroom, assignment, student, submissions, result):
                    continue
            except OSError as error:
                name = submissions[-1].file.name
                where = f"submitted/{student}/{assignment}"
                reason = f"{where} cannot be replaced ({error.strerror or error}); look there"
                result.refused.append((name, reason))
                del result.students[student]
                continue
            latest = submissions[-1]
            stamp = latest.submitted.strftime("%Y-%m-%d %H:%M:%S")
            shutil.copy(latest.file.path, archive / f"{student}_attempt_{stamp}_{assignment}.ipynb")
        if any(archive.iterdir()):
            zip_collect(classroom, assignment, Path(folder))
    origins = {
        student: Origin(own[-1].file.outer, result.layout, _marked_late(own[-1].file.outer))
        for student, own in chosen.items()
        if result.students.get(student) == own[-1].file.name
    }
    save_origins(classroom.folder, assignment, origins)


def _marked_late(name: str) -> bool:
    """Whether Canvas marked a file of its download as late."""
    return bool(re.match(r"[^_/]+_LATE_\d+_\d+_", PurePosixPath(name).name))


def _prepare(
    classroom: Classroom,
    assignment: str,
    student: str,
    submissions: list[Candidate],
    result: Collected,
) -> bool:
    """Move to `earlier/` what was submitted before; whether the last submission is to be imported.

    Raises
    ------
    OSError
        Something in `submitted/` is not what it should be.
    """
    latest = submissions[-1]
    target = classroom.submission(student, assignment)
    for folder in (target.parent.parent, target.parent):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise NotADirectoryError(None, f"{folder.name} is not a folder")
    for earlier in submissions[:-1]:
        before = earlier.file.path.read_bytes()
        _save_earlier(classroom, assignment, student, before, earlier.submitted)
    if not target.parent.exists():
        return True
    if not regular_file(target):
        _move_folder(classroom, assignment, student)
        return True
    content = read_regular(target)
    if content == latest.file.path.read_bytes():
        result.unchanged.append(student)
        return False
    present = _submission_time(target)
    if present > latest.submitted:  # an old download, collected after a newer one
        new = latest.file.path.read_bytes()
        _save_earlier(classroom, assignment, student, new, latest.submitted)
        result.earlier.setdefault(student, []).append(latest.file.name)
        result.students[student] = "the later submission in submitted/"
        result.unchanged.append(student)
        return False
    _save_earlier(classroom, assignment, student, content, present)
    target.unlink()
    stamp = target.parent / "timestamp.txt"
    if regular_file(stamp):
        stamp.unlink()
    _move_folder(classroom, assignment, student)
    return True


def _submission_time(notebook: Path) -> datetime.datetime:
    """When a notebook in `submitted/` was submitted: nbgrader's timestamp, or the file's."""
    from nbgrader.utils import parse_utc

    stamp = notebook.parent / "timestamp.txt"
    with contextlib.suppress(Exception):  # the date parser raises many types
        found: datetime.datetime = parse_utc(read_regular(stamp, 100).decode().strip())
        return found.replace(tzinfo=datetime.timezone.utc)
    return modification_date(notebook.lstat().st_mtime)


def _save_earlier(
    classroom: Classroom,
    assignment: str,
    student: str,
    content: bytes,
    submitted: datetime.datetime,
) -> None:
    digest = hashlib.sha256(content).hexdigest()[:8]
    stamp = submitted.strftime("%Y-%m-%d-%H-%M-%S")
    path = classroom.folder / "earlier" / student / assignment / f"{stamp}-{digest}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _move_folder(classroom: Classroom, assignment: str, student: str) -> None:
    """Move what else is in a submission's folder to `earlier/`, however deep, and remove it."""
    folder = classroom.submission(student, assignment).parent
    if os.listdir(folder):
        target = classroom.folder / "earlier" / student / assignment
        target.mkdir(parents=True, exist_ok=True)
        taken = sum(path.name.startswith("folder-") for path in target.iterdir())
        folder.rename(target / f"folder-{taken + 1}")
    else:
        folder.rmdir()
