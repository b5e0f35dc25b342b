"""Fetch the files of real data sets: from the cache, the mirror or the internet, always verified.

A file's checksum is compared at every use, wherever it comes from. That costs about a
millisecond per megabyte or less, so nothing needs to be remembered about which files were
already found good.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from coursekit.data.errors import DamagedFile, DataError, FetchError
from coursekit.data.places import (
    CACHE_VARIABLE,
    MIRROR_VARIABLE,
    cache_folder,
    mirror,
    write_atomically,
)
from coursekit.data.registry import Dataset, File, readable

# Seconds to wait for a connection, and for the next piece of a file.
TIMEOUT = (10, 30)


@dataclass(frozen=True)
class Problem:
    """Why one place could not give a file."""

    place: str
    reason: str
    kind: str  # "unreachable", "missing", "refused", "cut" or "checksum"


def fetch(dataset: Dataset, name: str) -> Path:
    """Make one file of a data set available on this machine, with the right content.

    Looks in the cache first; then in the mirror when ``COURSEKIT_MIRROR`` is set, otherwise
    at the file's public addresses, one after another; then does the same for the file that
    can stand in for it. A mirror folder is read in place, everything else goes through the
    cache. Several processes may fetch the same file at once.

    Parameters
    ----------
    dataset : Dataset
        The registry's entry.
    name : str
        The file, as the entry names it.

    Returns
    -------
    Path
        The file, or the archive that the registry names in its stead.

    Raises
    ------
    FetchError
        No place could give it, or the cache cannot be written to.
    DamagedFile
        The mirror's copy has the wrong checksum.
    DataError
        ``COURSEKIT_MIRROR`` names a folder that does not exist.
    """
    file = dataset.files[name]
    problems: list[Problem] = []
    path = _obtain(file, problems)
    if path is not None:
        return path
    gone = isinstance(mirror(), str) and problems[-1].kind == "unreachable"
    if file.instead is not None and not gone:
        other = dataset.files[file.instead]
        path = _obtain(other, problems)
        if path is not None:
            return _unpack(path, file) if file.member else path
    raise _explain(file, problems)


def matches(path: Path, checksum: str) -> bool:
    """Whether a file's content has this checksum (``sha256:...`` or ``md5:...``)."""
    algorithm, _, expected = checksum.partition(":")
    digest = hashlib.new(algorithm)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest() == expected


def _obtain(file: File, problems: list[Problem]) -> Path | None:
    """The file from the cache, the mirror or an address; None after noting the problems."""
    cached = cache_folder() / file.name
    damaged = False
    if os.path.isfile(cached):
        with suppress(OSError):
            if matches(cached, file.checksum):
                return cached
            damaged = True
    place = mirror()
    if isinstance(place, Path):
        path = _from_folder(place, file, problems)
    else:
        addresses = file.addresses if place is None else [f"{place}/{quote(file.name)}"]
        path = next((p for a in addresses if (p := _download(a, file, cached, problems))), None)
    if damaged and path != cached:
        with suppress(OSError):
            cached.unlink()
    return path


def _from_folder(folder: Path, file: File, problems: list[Problem]) -> Path | None:
    path = folder / file.name
    if not os.path.isfile(path):
        problems.append(Problem("it", "has no such file", "missing"))
        return None
    try:
        if matches(path, file.checksum):
            return path
    except OSError as error:
        problems.append(
            Problem(str(path), f"cannot be read ({error.strerror or error})", "refused")
        )
        return None
    problems.append(Problem(str(path), "has the wrong checksum", "checksum"))
    return None


def _download(address: str, file: File, cached: Path, problems: list[Problem]) -> Path | None:
    """Fetch one address into the cache with pooch; None after noting the problem."""
    import pooch
    import requests
    from tqdm import tqdm

    host = address.split("/")[2]
    # Given as a bar of our own because pooch's default one does not say what is fetched.
    bar = tqdm(total=file.bytes, desc=file.name, unit="B", unit_scale=True, leave=False)
    # The chunk is pooch's step for the bar, so it has to be small beside a small file.
    transfer = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 14, timeout=TIMEOUT)

    received = 0

    def measured(url: str, output_file: str, pooch_object: object) -> None:
        nonlocal received
        transfer(url, output_file, pooch_object)
        received = os.path.getsize(output_file)
        # pooch makes private files, but one cache may serve a whole class.
        os.chmod(output_file, 0o644)

    try:
        with _quiet(pooch.get_logger()):
            # pooch writes a temporary file beside the target and renames it only when the
            # checksum is right, so the cache never holds half a file.
            pooch.retrieve(
                address,
                known_hash=file.checksum,
                fname=cached.name,
                path=cached.parent,
                downloader=measured,
            )
        return cached
    except requests.exceptions.HTTPError as error:
        status = error.response.status_code
        kind = "missing" if status in (404, 410) else "refused"
        problems.append(Problem(host, f"answered with error {status}", kind))
    except (
        requests.exceptions.ChunkedEncodingError,
        requests.exceptions.ContentDecodingError,
    ):
        problems.append(Problem(host, "broke off before the end of the file", "cut"))
    except requests.exceptions.Timeout:
        problems.append(Problem(host, "did not answer in time", "unreachable"))
    except requests.exceptions.ConnectionError:
        problems.append(Problem(host, "could not be reached", "unreachable"))
    except requests.exceptions.RequestException as error:
        problems.append(Problem(host, f"failed ({type(error).__name__})", "refused"))
    except ValueError:  # how pooch reports a wrong checksum
        # Not every version of urllib3 notices that a body is shorter than announced.
        if received < file.bytes:
            got = f"{readable(received)} of {readable(file.bytes)}"
            problems.append(Problem(host, f"stopped after {got}", "cut"))
        else:
            problems.append(Problem(host, "sent a file with the wrong checksum", "checksum"))
    except OSError as error:
        raise _cache_trouble(error, file) from None
    finally:
        bar.close()
    return None


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    # pooch announces every download with its address and target, which the bar already says.
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _unpack(archive: Path, file: File) -> Path:
    """Take one member out of a zip archive into the cache, verified."""
    try:
        with zipfile.ZipFile(archive) as opened:
            if opened.getinfo(file.member).file_size != file.bytes:
                raise ValueError("not the size that the registry has")
            content = opened.read(file.member)
        algorithm, _, expected = file.checksum.partition(":")
        if hashlib.new(algorithm, content).hexdigest() != expected:
            raise ValueError("not the checksum that the registry has")
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise DamagedFile(
            f"The archive {archive} does not hold {file.member} as published; delete the "
            "archive so that it is fetched again."
        ) from error
    target = cache_folder() / file.name
    try:
        write_atomically(target, content)
    except OSError as error:
        raise _cache_trouble(error, file) from None
    return target


def _cache_trouble(error: OSError, file: File) -> FetchError:
    folder = cache_folder()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FetchError(
            f"The disk is full: {file.name} needs {readable(file.bytes)} in {folder}; free "
            f"some space, or set {CACHE_VARIABLE} to a folder on another disk."
        )
    # pooch words a refused permission anew, at length and without the system's own words.
    refused = "permission denied" if isinstance(error, PermissionError) else str(error)
    return FetchError(
        f"The cache folder {folder} cannot be written to ({error.strerror or refused}); set "
        f"{CACHE_VARIABLE} to a folder that you may write to."
    )


def _explain(file: File, problems: list[Problem]) -> DataError:
    """The one sentence for a file that no place could give."""
    place = mirror()
    wanted = f"{file.name} (or {file.instead})" if file.instead else file.name
    told = "; ".join(dict.fromkeys(f"{problem.place} {problem.reason}" for problem in problems))
    if isinstance(place, Path):
        # What stands in for a file is of interest only when it is there but bad.
        worst = next((problem for problem in problems if problem.kind != "missing"), problems[0])
        if worst.kind == "checksum":
            return DamagedFile(
                f"The mirror's file {worst.place} is damaged (wrong checksum); copy it to the "
                f"mirror again, or unset {MIRROR_VARIABLE} to fetch it from the internet."
            )
        return FetchError(
            f"The mirror folder {place} cannot give {wanted}, because {worst.place} "
            f"{worst.reason}; add it there, or unset {MIRROR_VARIABLE} to fetch it from the "
            "internet."
        )
    if place is not None:
        return FetchError(
            f"{wanted} could not be fetched from the mirror {place}, because {told}; ask "
            f"whoever runs it, or unset {MIRROR_VARIABLE} to fetch it from the internet."
        )
    if all(problem.kind == "unreachable" for problem in problems):
        return FetchError(
            f"No network: {file.name} could not be fetched, because none of its addresses "
            f"could be reached ({', '.join(problem.place for problem in problems)}); connect "
            f"to the internet, set {MIRROR_VARIABLE} to a folder or server that has the file, "
            'or use a data set that comes with the course, such as "reviews".'
        )
    return FetchError(
        f"{file.name} could not be fetched, because {told}; try again later, or set "
        f"{MIRROR_VARIABLE} to a folder or server that has the file."
    )
