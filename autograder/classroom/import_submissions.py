"""Import of a download's submissions into `submitted/`; those they replace go to `earlier/`.

nbgrader's own zip collection writes them, with a timestamp where the time of submission is known.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.archives import UnpackedFile, modification_date
from autograder.classroom.collection import Collected
from autograder.classroom.download_layouts import Submitter
from autograder.gradebook.class_folder import Classroom, zip_collect
from autograder.gradebook.late_penalties import submission_time
from autograder.gradebook.upload_manifest import Origin, save_origins
from autograder.grading.notebook_json import load
from autograder.grading.student_files import read_regular, regular_file
from coursekit.data.paths import write_atomically

#: The form of `timestamp.txt`, in UTC.
STAMP = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True)
class Candidate:
    """A notebook in the download that could be a student's submission.

    Attributes
    ----------
    submitter : Submitter
        Who handed it in, in the LMS's words.
    submitted : datetime.datetime
        Submission time, as far as the download tells; what is in an archive has the archive's.
    known : bool
        Whether that is the time of submission, not only the date of a file.
    copy : int
        Copy number in the file name, 0 if none.
    overlap : float
        Share of the assignment's features that it has.
    late : bool
        Whether the LMS marked it as late.
    commit : str
        The commit that it is, of a clone of the student's repository; "" otherwise.
    group : str
        The group for which the student has it, "" for the student's own.
    """

    submitter: Submitter
    submitted: datetime.datetime
    known: bool
    copy: int
    file: UnpackedFile
    overlap: float
    late: bool = False
    commit: str = ""
    group: str = ""

    @property
    def order(self) -> tuple[object, ...]:
        """Sort key, larger for later submissions; those handed in together compare by content."""
        return self.submitted, self.file.modified, self.copy, self.overlap, self.file.name


class Placing:
    """Import of submissions into `submitted/`, which keeps those they replace in `earlier/`.

    Parameters
    ----------
    has_work : callable
        Whether anything is answered in the content of a notebook's file.
    left : mapping of str to str
        Student -> the group that they have left, of those who have its submission.
    origins : mapping of str to Origin
        Student -> where the submission in `submitted/` came from.
    """

    def __init__(
        self,
        classroom: Classroom,
        assignment: str,
        result: Collected,
        has_work: Callable[[bytes], bool],
        left: Mapping[str, str],
        origins: Mapping[str, Origin],
    ) -> None:
        self.classroom = classroom
        self.assignment = assignment
        self.result = result
        self.has_work = has_work
        self.left = left
        self.origins = origins

    def put_in_place(self, chosen: dict[str, list[Candidate]]) -> None:
        """Let nbgrader collect the last submission of each student; save earlier ones."""
        result = self.result
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / self.assignment / "archive"
            archive.mkdir(parents=True)
            for student, submissions in chosen.items():
                latest = submissions[-1]
                try:
                    if not self._prepare(student, submissions):
                        continue
                except OSError as error:
                    where = f"submitted/{student}/{self.assignment}"
                    reason = f"{where} cannot be replaced ({error.strerror or error}); look there"
                    result.refused.append((latest.file.name, reason))
                    del result.students[student]
                    continue
                time = latest.submitted.strftime(STAMP) if latest.known else "unknown"
                name = f"{student}_attempt_{time}_{self.assignment}.ipynb"
                shutil.copy(latest.file.path, archive / name)
            if any(archive.iterdir()):
                zip_collect(self.classroom, self.assignment, Path(folder))
        new: dict[str, Origin | None] = {
            student: _origin(own[-1], result.layout)
            for student, own in chosen.items()
            if result.students.get(student) == own[-1].file.name
        }
        for student in sorted(self.left.keys() - chosen.keys()):
            self._take_away(student)
            result.left[student] = self.left[student]
            new[student] = None
        save_origins(self.classroom.folder, self.assignment, new)

    def _prepare(self, student: str, submissions: list[Candidate]) -> bool:
        """Move the earlier submission to `earlier/`; tell whether the last one is to be imported.

        Raises
        ------
        OSError
            Something in `submitted/` is not what it should be.
        """
        latest = submissions[-1]
        target = self.classroom.submission(student, self.assignment)
        for folder in (target.parent.parent, target.parent):
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                raise NotADirectoryError(None, f"{folder.name} is not a folder")
        for earlier in submissions[:-1]:
            self._save_earlier(student, earlier.file.path.read_bytes(), earlier.submitted)
        if not target.parent.exists():
            return True
        if not regular_file(target):
            self._move_folder(target.parent, student)
            return True
        content, new = read_regular(target), latest.file.path.read_bytes()
        if content == new:
            self.result.unchanged.append(student)
            return False
        present, is_newer = _compare(target, self.origins.get(student), latest)
        # an old download may be collected after a newer one
        stays = is_newer and student not in self.left
        named = "the later submission in submitted/"
        if not latest.commit and student not in self.left:
            has_work = self.has_work(content)
            if has_work != self.has_work(new):
                stays, named = has_work, "the submission in submitted/, which has answers"
                if stays:
                    self.result.unanswered[student] = [latest.file.name]
        if stays:
            self._save_earlier(student, new, latest.submitted)
            self.result.earlier.setdefault(student, []).append(latest.file.name)
            self.result.students[student] = named
            self.result.unchanged.append(student)
            return False
        self._save_earlier(student, content, present)
        target.unlink()
        stamp = target.parent / "timestamp.txt"
        if regular_file(stamp):
            stamp.unlink()
        self._move_folder(target.parent, student)
        return True

    def _take_away(self, student: str) -> None:
        """Move a submission that is no longer the student's to `earlier/`, with what came of it."""
        for step in ("submitted", "autograded", "feedback"):
            folder = self.classroom.folder / step / student / self.assignment
            if folder.is_dir() and not folder.is_symlink():
                self._move_folder(folder, student)
        if self.classroom.database.exists():
            self.classroom.remove(self.assignment, student)

    def _save_earlier(self, student: str, content: bytes, submitted: datetime.datetime) -> None:
        """Save a submission in `earlier/`, named by its time and digest."""
        digest = hashlib.sha256(content).hexdigest()[:8]
        stamp = submitted.strftime("%Y-%m-%d-%H-%M-%S")
        path = self._earlier(student) / f"{stamp}-{digest}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _move_folder(self, folder: Path, student: str) -> None:
        """Move a student's folder to `earlier/`, however deep it is; remove it if it is empty."""
        if os.listdir(folder):
            target = self._earlier(student)
            target.mkdir(parents=True, exist_ok=True)
            taken = sum(path.name.startswith("folder-") for path in target.iterdir())
            folder.rename(target / f"folder-{taken + 1}")
        else:
            folder.rmdir()

    def _earlier(self, student: str) -> Path:
        return self.classroom.folder / "earlier" / student / self.assignment


def _origin(candidate: Candidate, layout: str) -> Origin:
    dated = candidate.file.received.strftime(STAMP)
    return Origin(
        candidate.file.outer, layout, candidate.late, dated, candidate.commit, candidate.group
    )


def _compare(
    notebook: Path, origin: Origin | None, latest: Candidate
) -> tuple[datetime.datetime, bool]:
    """Return the date of a notebook in `submitted/`, and whether it is later than a candidate's.

    Times of submission are compared with each other, and so are dates of downloads.
    """
    time = submission_time(notebook.parent)
    known = time.replace(tzinfo=datetime.timezone.utc) if time is not None else None
    if latest.commit:  # another due date makes an earlier commit count
        return known or modification_date(notebook.lstat().st_mtime), False
    if known is not None and latest.known:
        return known, known > latest.submitted
    if origin is not None and origin.dated:
        with contextlib.suppress(ValueError):
            dated = datetime.datetime.strptime(origin.dated, STAMP)
            dated = dated.replace(tzinfo=datetime.timezone.utc)
            return known or dated, dated > latest.file.received
    present = known or modification_date(notebook.lstat().st_mtime)
    return present, present > latest.submitted


def write_time(folder: Path, time: datetime.datetime) -> None:
    """Write the time of a submission that is in `submitted/` already, in place of any link there."""
    utc = time.astimezone(datetime.timezone.utc)
    write_atomically(folder / "timestamp.txt", utc.strftime(STAMP).encode(), private=True)


def sources(notebook: Path | bytes) -> list[str] | None:
    """Return the texts of a notebook's cells; None if it cannot be read."""
    try:
        content = notebook.read_bytes() if isinstance(notebook, Path) else notebook
        return ["".join(cell["source"]) for cell in load(content)["cells"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, MemoryError):
        return None
