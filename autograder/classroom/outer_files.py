"""The files of an LMS's download itself, an archive or a folder, without those in archives in it."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Collection
from pathlib import Path

from autograder.classroom.archive_names import members
from autograder.errors import CourseError
from autograder.grading.student_files import open_below, walk


def opened(source: Path) -> zipfile.ZipFile:
    """Open the download as an archive.

    Raises
    ------
    CourseError
        There is no such archive, or it is not a zip archive.
    """
    if not source.exists():
        raise CourseError(f"no such archive or folder: {source}.")
    try:
        return zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise CourseError(
            f"{source} is not a zip archive; pass the archive downloaded from the LMS, or a folder."
        ) from error


def is_folder(member: zipfile.ZipInfo) -> bool:
    """Tell whether a member of an archive is a folder; `is_dir` fails for one without a name."""
    return member.filename.endswith("/")


def outer_names(source: Path) -> list[str]:
    """Return the names of the files in a download, without those in the archives in it.

    Raises
    ------
    CourseError
        There is no such archive or folder, or it is not a zip archive.
    """
    if source.is_dir():
        return [name for name, _, problem in walk(source) if not problem]
    with opened(source) as archive:
        return [member.filename for member in members(archive) if not is_folder(member)]


def read_outer(source: Path, names: Collection[str], most: int) -> dict[str, bytes]:
    """Read the first bytes of files of the download itself, at most `most` of each, by name.

    What cannot be read is left out.
    """
    found = {}
    if source.is_dir():
        for name in names:
            with contextlib.suppress(OSError), open_below(source, name) as file:
                found[name] = file.read(most)
        return found
    with opened(source) as archive:
        for member in members(archive):
            if member.filename in names:
                with contextlib.suppress(Exception):  # a damaged archive fails in many ways
                    found.setdefault(member.filename, archive.open(member).read(most))
    return found
