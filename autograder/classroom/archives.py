"""Unpacks an LMS's download: a zip archive, or a folder of files and archives, none of it trusted.

A zip archive can lie about where its files go and how large they are. Files are therefore extracted
under numbers, never to a path that the archive names, and their sizes are counted while they are
read. `collect` decides whose file is whose.
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

#: Limits for one file, and for all extracted files together.
MAX_FILE_BYTES = 100 * 2**20
MAX_TOTAL_BYTES = 20 * 2**30
MAX_FILES = 100_000
#: Compression ratio. Deflate reaches about 1,000 for zeros; notebooks with figures reach 2 to 20.
MAX_RATIO = 200
#: Nested archives: one per student in the download, as Canvas and Moodle make them, and no deeper.
MAX_DEPTH = 2
_BLOCK = 1 << 20
_LINK = "symbolic link"


@dataclass(frozen=True)
class UnpackedFile:
    """One file of the download.

    Attributes
    ----------
    name : path in the download, with slashes; nested archives count as folders.
    path : where its content is now.
    modified : modification time according to the download.
    """

    name: str
    path: Path
    modified: datetime.datetime


@dataclass
class Unpacked:
    """The unpacked files, and the (name, reason) of each file that was refused."""

    files: list[UnpackedFile] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    total_bytes: int = 0
    count: int = 0


def unpack(source: Path, target: Path) -> Unpacked:
    """Unpack all files of a zip archive, or of a folder and the archives in it.

    Parameters
    ----------
    source : the archive or folder; it is not changed.
    target : an empty folder for the files, which are named 000001, 000002, ...

    Raises
    ------
    CourseError
        There is no such archive or folder, or it is not a zip archive.
    """
    result = Unpacked()
    if source.is_dir():
        for name, path in _walk(source, result):
            modified = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.timezone.utc)
            if path.suffix.lower() == ".zip":
                _unzip(path, name, target, result, depth=1)
            elif path.stat().st_size > MAX_FILE_BYTES:
                result.refused.append((name, _too_large(path.stat().st_size)))
            else:
                with open(path, "rb") as file:
                    _copy(file, name, modified, target, result, packed=None)
    elif source.is_file() and zipfile.is_zipfile(source):
        _unzip(source, "", target, result, depth=1)
    elif source.is_file():
        raise CourseError(
            f"{source} is not a zip archive; pass the archive downloaded from the LMS, or a folder."
        )
    else:
        raise CourseError(f"no such archive or folder: {source}.")
    return result


def _walk(folder: Path, result: Unpacked) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            result.refused.append((name, _LINK))
        elif path.is_file() and not any(parent.is_symlink() for parent in _parents(path, folder)):
            yield name, path


def _parents(path: Path, folder: Path) -> list[Path]:
    """The folders between `folder` and `path`."""
    return [parent for parent in path.parents if folder in parent.parents]


def _unzip(archive: Path, name: str, target: Path, result: Unpacked, depth: int) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > MAX_FILES:
                reason = f"contains {len(members):,} files; the limit is {MAX_FILES:,}"
                result.refused.append((name or archive.name, reason))
                return
            for member in members:
                if not member.is_dir():
                    _unzip_member(opened, member, name, target, result, depth)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, OSError) as error:
        result.refused.append((name or archive.name, f"damaged archive ({error})"))


def _unzip_member(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    outer: str,
    target: Path,
    result: Unpacked,
    depth: int,
) -> None:
    name = f"{outer}/{member.filename}" if outer else member.filename
    reason = _reason_to_refuse(member)
    if reason:
        result.refused.append((name, reason))
        return
    try:
        modified = datetime.datetime(*member.date_time, tzinfo=datetime.timezone.utc)
    except ValueError:
        modified = datetime.datetime(1980, 1, 1, tzinfo=datetime.timezone.utc)
    try:
        with archive.open(member) as file:
            copied = _copy(file, name, modified, target, result, packed=member.compress_size)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        result.refused.append((name, f"cannot be extracted ({error})"))
        return
    if copied is not None and name.lower().endswith(".zip"):
        result.files.remove(copied)
        if depth == MAX_DEPTH:
            result.refused.append((name, f"archives are nested more than {MAX_DEPTH} deep"))
        else:
            _unzip(copied.path, name, target, result, depth + 1)
        copied.path.unlink()


def _reason_to_refuse(member: zipfile.ZipInfo) -> str:
    """Why a member is not extracted, or ""."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in (path.parts or ("",))[0]:
        return "path points outside the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return _LINK
    if member.flag_bits & 1:
        return "encrypted"
    if member.file_size > MAX_FILE_BYTES and path.suffix.lower() != ".zip":
        return _too_large(member.file_size)
    if member.file_size > MAX_RATIO * max(member.compress_size, 1_000):
        ratio = member.file_size // max(member.compress_size, 1)
        return f"zip bomb? It would expand {ratio:,} times; the limit is {MAX_RATIO}"
    return ""


def _too_large(size: int) -> str:
    return f"too large: {size / 2**20:,.0f} MiB; the limit is {MAX_FILE_BYTES >> 20} MiB"


def _copy(
    file: IO[bytes],
    name: str,
    modified: datetime.datetime,
    target: Path,
    result: Unpacked,
    packed: int | None,
) -> UnpackedFile | None:
    """Copy the content and count its bytes: the size that an archive declares may be false."""
    limit = MAX_TOTAL_BYTES if name.lower().endswith(".zip") else MAX_FILE_BYTES
    if packed is not None:
        limit = min(limit, MAX_RATIO * max(packed, 1_000))
    result.count += 1
    path = target / f"{result.count:06d}"
    size = 0
    with open(path, "wb") as out:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > limit or result.total_bytes + size > MAX_TOTAL_BYTES:
                break
            out.write(block)
    if size > limit or result.total_bytes + size > MAX_TOTAL_BYTES:
        path.unlink()
        reason = "expands far beyond its declared size" if packed else _too_large(size)
        result.refused.append((name, reason))
        return None
    result.total_bytes += size
    copied = UnpackedFile(name, path, modified)
    result.files.append(copied)
    return copied
