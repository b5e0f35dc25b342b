"""Unpacking of an LMS's download, a zip archive or a folder with archives, none of it trusted.

A zip archive can lie about where its files go and how large they are. Files are therefore extracted
under numbers, never to a path that the archive names, and their sizes are counted while they are
read. Each student has an allowance, so that nobody uses up another's.
`download_layouts` tells the student of a file.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import stat
import zipfile
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.classroom.archive_names import is_too_long, members
from autograder.classroom.outer_files import is_folder, opened
from autograder.errors import CourseError
from autograder.grading.student_files import open_below, walk

#: Limits for one file, and for all extracted files of one student together.
MAX_FILE_BYTES = 100 * 2**20
MAX_STUDENT_BYTES = 400 * 2**20
MAX_STUDENT_FILES = 10_000
#: In a student's archive; each is read as a notebook, which costs far more than a file.
MAX_STUDENT_NOTEBOOKS = 200
#: Compression ratio. Deflate reaches about 1,000 for zeros; notebooks with figures reach 2 to 20.
MAX_RATIO = 200
#: Nested archives: one per student in the download, as Canvas and Moodle make them, and no deeper.
MAX_DEPTH = 2
BLOCK = 1 << 20
_LINK = "symbolic link"
_TOO_LARGE = f"too large: the limit is {MAX_FILE_BYTES >> 20} MiB; clear its outputs"
_TOO_LONG_OUTPUT = (
    f"it expands more than {MAX_RATIO} times, as an endless print does: clear its outputs"
)
_ENTRY = b"PK\x01\x02"  # begins each entry of an archive's list of files
_FIRST_FILE = b"PK\x03\x04"  # begins an archive
_EPOCH = datetime.datetime(1980, 1, 1, tzinfo=datetime.timezone.utc)


@dataclass(frozen=True)
class UnpackedFile:
    """One notebook of the download.

    Attributes
    ----------
    name : str
        Path in the download, with slashes; nested archives count as folders.
    outer : str
        The part of `name` that is in the download itself: the student's archive, if it is in one.
        Only this part was named by the LMS.
    path : Path
        Where its content is now.
    received : datetime.datetime
        Date of `outer`; only this one was set by the LMS.
    modified : datetime.datetime
        Date of the file itself, in the archive that holds it.
    """

    name: str
    outer: str
    path: Path
    received: datetime.datetime
    modified: datetime.datetime


@dataclass
class Unpacked:
    """The content of a download.

    Attributes
    ----------
    files : list of UnpackedFile
        The notebooks, unpacked.
    others : list of str
        The names of files that are neither notebooks nor archives; they are not unpacked.
    refused : list of tuple of (str, str)
        (name, reason) of each file that was refused.
    """

    files: list[UnpackedFile] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def is_notebook(name: str) -> bool:
    """Tell by its name whether a file is a notebook; some browsers add .txt or .json."""
    return bool(re.search(r"\.ipynb(\.txt|\.json)?$", name, re.IGNORECASE))


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is a zip archive."""
    return name.lower().endswith(".zip")


def is_hidden(name: str) -> bool:
    """Tell whether a file or a folder around it is hidden, or was added by macOS."""
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _is_wanted(name: str) -> bool:
    return is_notebook(name) or is_archive(name)


def unpack(source: Path, target: Path, owner: Callable[[str], Hashable]) -> Unpacked:
    """Unpack all notebooks of a zip archive, or of a folder, and of the archives in it.

    Parameters
    ----------
    source : Path
        The archive or folder; it is not changed.
    target : Path
        An empty folder for the files, which are named 000001, 000002, ...
    owner : callable
        Says to whose allowance a name of `outer_names` counts.

    Raises
    ------
    CourseError
        There is no such archive or folder, it is not a zip archive, or the disk is full.
    """
    unpacking = _Unpacking(target, owner)
    if source.is_dir():
        unpacking.folder(source)
    else:
        with opened(source) as archive:
            for member in members(archive):
                if not is_folder(member):
                    unpacking.member(archive, member, None)
    return unpacking.result


@dataclass
class _Allowance:
    """The files and bytes that a student has unpacked so far."""

    files: int = 0
    notebooks: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class _Outer:
    """The student's archive that is being unpacked.

    Attributes
    ----------
    name : str
        Path in the download of the archive that is open now.
    outer, received : str and datetime.datetime
        Of the outermost one, see `UnpackedFile`.
    depth : int
        How many archives are open, the download included.
    """

    name: str
    outer: str
    received: datetime.datetime
    depth: int


class _Unpacking:
    def __init__(self, target: Path, owner: Callable[[str], Hashable]) -> None:
        self.target = target
        self.owner = owner
        self.result = Unpacked()
        self._allowances: dict[Hashable, _Allowance] = {}
        self._count = 0

    def folder(self, source: Path) -> None:
        """Unpack a folder of files and archives."""
        for name, _, problem in walk(source):
            if problem:
                self.result.refused.append((name, problem))
                continue
            if not _is_wanted(name):
                self._other(name, name)
                continue
            try:
                with open_below(source, name) as file:
                    modified = modification_date(os.fstat(file.fileno()).st_mtime)
                    self._file(name, file, MAX_STUDENT_BYTES, modified, None)
            except OSError as error:
                self.result.refused.append((name, f"cannot be opened ({error.strerror})"))

    def member(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, inside: _Outer | None
    ) -> None:
        """Unpack a member of an archive: the download itself, or one `inside` it."""
        # an archive made on Windows may have backslashes; outside of it the LMS chose the name
        within = member.filename.replace("\\", "/")
        name = f"{inside.name}/{within}" if inside else member.filename
        if reason := reason_to_refuse(member):
            self.result.refused.append((name, reason))
            return
        try:
            modified = datetime.datetime(*member.date_time, tzinfo=datetime.timezone.utc)
        except ValueError:
            modified = _EPOCH
        if not _is_wanted(name):
            self._other(name, inside.outer if inside else name)
            return
        try:
            file = archive.open(member)
        except Exception as error:  # a damaged archive fails in many ways
            self.result.refused.append((name, _damaged(error)))
            return
        with file:
            most = MAX_RATIO * max(member.compress_size, 1_000)
            self._file(name, file, most, modified, inside or _Outer(name, name, modified, 0))

    def _other(self, name: str, outer: str) -> None:
        """List a file that is no notebook or archive, if the student's allowance permits."""
        if self._allowed(name, outer) is not None:
            self.result.others.append(name)

    def _file(
        self,
        name: str,
        file: IO[bytes],
        most: int,
        modified: datetime.datetime,
        inside: _Outer | None,
    ) -> None:
        """Unpack a notebook or an archive that has at most `most` bytes."""
        outer = _Outer(name, name, modified, 0)
        if inside is not None:
            outer = replace(inside, name=name, depth=inside.depth + 1)
        allowance = self._allowed(name, outer.outer)
        if allowance is not None and name != outer.outer and is_notebook(name):
            allowance = self._one_more_notebook(name, allowance)
        path = None if allowance is None else self._copy(name, file, most, allowance)
        if path is None:
            return
        if is_archive(name) or _begins_as_archive(path):
            self._nested(path, outer)
            path.unlink()
        else:
            found = UnpackedFile(name, outer.outer, path, outer.received, modified)
            self.result.files.append(found)

    def _allowed(self, name: str, outer: str) -> _Allowance | None:
        """Count the file; return the student's allowance, or None after refusing the file."""
        allowance = self._allowances.setdefault(self.owner(outer), _Allowance())
        allowance.files += 1
        if allowance.files <= MAX_STUDENT_FILES:
            return allowance
        if allowance.files == MAX_STUDENT_FILES + 1:  # once, not for each of a million
            reason = f"more than {MAX_STUDENT_FILES:,} files of one student; the rest is left out"
            self.result.refused.append((name, reason))
        return None

    def _one_more_notebook(self, name: str, allowance: _Allowance) -> _Allowance | None:
        """Count a notebook in a student's archive; return None after refusing it, once of many."""
        allowance.notebooks += 1
        if allowance.notebooks <= MAX_STUDENT_NOTEBOOKS:
            return allowance
        if allowance.notebooks == MAX_STUDENT_NOTEBOOKS + 1:
            reason = (
                f"more than {MAX_STUDENT_NOTEBOOKS} notebooks in the archive; the rest is left out"
            )
            self.result.refused.append((name, reason))
        return None

    def _copy(self, name: str, file: IO[bytes], most: int, allowance: _Allowance) -> Path | None:
        """Copy the content and count its bytes: the size that an archive declares may be false."""
        self._count += 1
        path = self.target / f"{self._count:06d}"
        size, reason = 0, ""
        with writing(path) as out:
            while (block := _read(file)) and not reason:
                if isinstance(block, str):
                    reason = block
                    break
                size += len(block)
                if size > most:
                    reason = "expands far beyond its declared size"
                elif size > MAX_FILE_BYTES and is_notebook(name):
                    reason = _TOO_LARGE
                elif allowance.bytes + size > MAX_STUDENT_BYTES:
                    reason = f"more than {MAX_STUDENT_BYTES >> 20} MiB of one student"
                else:
                    out.write(block)
        allowance.bytes += size
        if reason:
            path.unlink()
            self.result.refused.append((name, reason))
            return None
        return path

    def _nested(self, path: Path, outer: _Outer) -> None:
        """Unpack a student's archive."""
        refuse = self.result.refused.append
        if outer.depth == MAX_DEPTH:
            refuse((outer.name, f"archives are nested more than {MAX_DEPTH} deep"))
            return
        if (listed := _count_entries(path)) > MAX_STUDENT_FILES:
            refuse((outer.name, f"contains {listed:,} files; the limit is {MAX_STUDENT_FILES:,}"))
            return
        try:
            archive = zipfile.ZipFile(path)
        except Exception as error:
            refuse((outer.name, f"damaged archive ({error})"))
            return
        with archive:
            for member in members(archive):
                if not is_folder(member):
                    self.member(archive, member, outer)


def _read(file: IO[bytes]) -> bytes | str:
    """Return the next block, or the reason for a failure as text."""
    try:
        return file.read(BLOCK)
    except Exception as error:  # a damaged archive fails in many ways
        return _damaged(error)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to unpack to.

    Raises
    ------
    CourseError
        The disk is full.
    """
    try:
        with open(path, "wb") as out:
            yield out
    except OSError as error:
        raise CourseError(
            f"the download cannot be unpacked to {path.parent}: {error.strerror}; choose a folder"
            " with more space in the environment variable TMPDIR."
        ) from error


def _begins_as_archive(path: Path) -> bool:
    """Tell whether a file is an archive, whatever its name: some LMSs accept only .ipynb."""
    with open(path, "rb") as file:
        return file.read(len(_FIRST_FILE)) == _FIRST_FILE


def _count_entries(path: Path) -> int:
    """Return an upper bound of the files an archive lists, without reading the list into memory."""
    count, end = 0, b""
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            count += (end + block).count(_ENTRY)
            end = block[1 - len(_ENTRY) :]
    return count


def reason_to_refuse(member: zipfile.ZipInfo) -> str:
    """Return why a member is not extracted, or ""."""
    if is_too_long(member):
        return "its name is longer than file systems allow"
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in (path.parts or ("",))[0]:
        return "path points outside the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return _LINK
    if member.flag_bits & 1:
        return "encrypted"
    if member.file_size > MAX_FILE_BYTES and is_notebook(path.name):
        return _TOO_LARGE
    if member.file_size > MAX_RATIO * max(member.compress_size, 1_000):
        if is_notebook(path.name):
            return _TOO_LONG_OUTPUT
        ratio = member.file_size // max(member.compress_size, 1)
        return f"zip bomb? It would expand {ratio:,} times; the limit is {MAX_RATIO}"
    return ""


def _damaged(error: Exception) -> str:
    return f"cannot be extracted ({error or type(error).__name__})"


def modification_date(seconds: float) -> datetime.datetime:
    """Return a file's date; 1980 if it is earlier or not a valid date."""
    try:
        found = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        return _EPOCH
    return max(found, _EPOCH)
