"""Takes files out of an LMS's download without trusting it.

A zip file says where its files want to lie and how large they are, and both can be lies. Nothing is
written to a place that a name in an archive asks for: each file that is taken gets a place of ours,
and what it was called is kept beside it as words.
"""

from __future__ import annotations

import datetime
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.errors import CourseError

#: No student's notebook is larger; nor do all files of a class together hold more.
FILE_BYTES = 100 * 2**20
TOTAL_BYTES = 20 * 2**30
FILES = 100_000
#: Deflate reaches about 1,000 for zeros; notebooks with pictures compress 2 to 20 times.
RATIO = 200
#: An archive in an archive (one per student, as Canvas and Moodle make them), but not another one.
DEPTH = 2
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Taken:
    """One file of the download.

    Attributes
    ----------
    name : its path in the download, with slashes; archives within it count as folders.
    path : where its content lies now.
    modified : when it was last changed, as far as the download knows.
    """

    name: str
    path: Path
    modified: datetime.datetime


@dataclass
class Unpacked:
    """What was taken from a download, and what was refused: a name and a reason each."""

    files: list[Taken] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    bytes: int = 0
    seen: int = 0


def unpack(source: Path, into: Path) -> Unpacked:
    """Take all files of a zip archive, or of a folder and the archives in it.

    Parameters
    ----------
    source : the archive or the folder; it stays as it is.
    into : an empty folder that receives the files, under numbers.

    Raises
    ------
    CourseError
        There is no such archive or folder, or it is not a zip file.
    """
    result = Unpacked()
    if source.is_dir():
        for name, path in _walk(source, result):
            modified = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.timezone.utc)
            if path.suffix.lower() == ".zip":
                _unzip(path, name, into, result, depth=1)
            elif path.stat().st_size > FILE_BYTES:
                result.refused.append((name, _too_large(path.stat().st_size)))
            else:
                with open(path, "rb") as file:
                    _take(file, name, modified, into, result, packed=None)
    elif source.is_file() and zipfile.is_zipfile(source):
        _unzip(source, "", into, result, depth=1)
    elif source.is_file():
        raise CourseError(
            f"{source} is not a zip archive; give the archive that the LMS made, or a folder."
        )
    else:
        raise CourseError(f"there is no archive or folder {source}.")
    return result


def _walk(folder: Path, result: Unpacked) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            result.refused.append((name, "it is a link"))
        elif path.is_file() and not any(part.is_symlink() for part in _above(path, folder)):
            yield name, path


def _above(path: Path, folder: Path) -> list[Path]:
    return [parent for parent in path.parents if folder in parent.parents]


def _unzip(archive: Path, name: str, into: Path, result: Unpacked, depth: int) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > FILES:
                result.refused.append((name or archive.name, f"it holds {len(members):,} files"))
                return
            for member in members:
                if not member.is_dir():
                    _take_member(opened, member, name, into, result, depth)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, OSError) as error:
        result.refused.append((name or archive.name, f"it is a damaged archive ({error})"))


def _take_member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    outer: str,
    into: Path,
    result: Unpacked,
    depth: int,
) -> None:
    name = f"{outer}/{member.filename}" if outer else member.filename
    reason = _why_not(member)
    if reason:
        result.refused.append((name, reason))
        return
    try:
        modified = datetime.datetime(*member.date_time, tzinfo=datetime.timezone.utc)
    except ValueError:
        modified = datetime.datetime(1980, 1, 1, tzinfo=datetime.timezone.utc)
    try:
        with archive.open(member) as file:
            taken = _take(file, name, modified, into, result, packed=member.compress_size)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        result.refused.append((name, f"it cannot be unpacked ({error})"))
        return
    if taken is not None and name.lower().endswith(".zip"):
        result.files.remove(taken)
        if depth == DEPTH:
            result.refused.append((name, "it is an archive in an archive in an archive"))
        else:
            _unzip(taken.path, name, into, result, depth + 1)
        taken.path.unlink()


def _why_not(member: zipfile.ZipInfo) -> str:
    """Why a member of an archive is not taken; "" if nothing speaks against it."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in (path.parts or ("",))[0]:
        return "its name leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link"
    if member.flag_bits & 1:
        return "it is encrypted"
    if member.file_size > FILE_BYTES and path.suffix.lower() != ".zip":
        return _too_large(member.file_size)
    if member.file_size > RATIO * max(member.compress_size, 1_000):
        return f"it would grow {member.file_size // max(member.compress_size, 1):,} times"
    return ""


def _too_large(size: int) -> str:
    return f"it has {size / 2**20:,.0f} MiB, and no notebook has more than {FILE_BYTES >> 20}"


def _take(
    file: IO[bytes],
    name: str,
    modified: datetime.datetime,
    into: Path,
    result: Unpacked,
    packed: int | None,
) -> Taken | None:
    """Copy the content, counting: what an archive says about sizes need not be true."""
    limit = TOTAL_BYTES if name.lower().endswith(".zip") else FILE_BYTES
    if packed is not None:
        limit = min(limit, RATIO * max(packed, 1_000))
    result.seen += 1
    path = into / f"{result.seen:06d}"
    size = 0
    with open(path, "wb") as out:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > limit or result.bytes + size > TOTAL_BYTES:
                break
            out.write(block)
    if size > limit or result.bytes + size > TOTAL_BYTES:
        path.unlink()
        reason = "it grows far beyond its size in the archive" if packed else _too_large(size)
        result.refused.append((name, reason))
        return None
    result.bytes += size
    taken = Taken(name, path, modified)
    result.files.append(taken)
    return taken
