"""Download of the files of real data sets, with pooch, and their verification.

What pooch does not do: several addresses per file, a mirror folder that is read in place, and
errors of one sentence. A checksum is compared at every use, which costs about a millisecond per
megabyte.
"""

from __future__ import annotations

import errno
import hashlib
import os
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from coursekit.data.errors import DamagedFile, DataError, FetchError
from coursekit.data.paths import (
    CACHE_VARIABLE,
    MIRROR_VARIABLE,
    cache_folder,
    mirror,
    write_atomically,
)
from coursekit.data.registry import Dataset, File, readable
from coursekit.progress import progress_bar

# Seconds to wait for a connection, and for the next piece of a file.
TIMEOUT = (10, 30)


@dataclass(frozen=True)
class Problem:
    """Reason why a source could not provide a file."""

    source: str
    reason: str
    kind: str = "other"  # or "unreachable", "missing", "checksum"


def fetch(dataset: Dataset, name: str) -> Path:
    """Make one file of a data set available on this machine, verified.

    It comes from the cache, or else from the mirror if `COURSEKIT_MIRROR` is set, or else from its
    public addresses, tried in order; or else from the archive that contains it, in the same way. A
    mirror folder is read in place. Several processes may fetch the same file at once.

    Parameters
    ----------
    dataset : Dataset
        The registry's entry.
    name : str
        The file, as the entry names it.

    Returns
    -------
    Path
        The file, or the archive that the registry names as its fallback.

    Raises
    ------
    FetchError
        No source could provide it, or the cache is not writable.
    DamagedFile
        The mirror's copy has the wrong checksum.
    DataError
        `COURSEKIT_MIRROR` names a folder that does not exist.
    """
    file = dataset.files[name]
    problems: list[Problem] = []
    path = _obtain(file, problems)
    if path is not None:
        return path
    mirror_is_gone = isinstance(mirror(), str) and problems[-1].kind == "unreachable"
    if file.fallback is not None and not mirror_is_gone:
        path = _obtain(dataset.files[file.fallback], problems)
        if path is not None:
            return _unpack(path, file, file.member) if file.member else path
    raise _explain(file, problems)


def matches(path: Path, checksum: str) -> bool:
    """Tell whether a file has this checksum (`sha256:...` or `md5:...`)."""
    import pooch

    algorithm, _, expected = checksum.partition(":")
    found: str = pooch.file_hash(str(path), alg=algorithm)
    return found == expected


def _obtain(file: File, problems: list[Problem]) -> Path | None:
    """Find or download a file; None after adding to the problems."""
    cached = cache_folder() / file.name
    damaged = False
    if os.path.isfile(cached):
        with suppress(OSError):
            if matches(cached, file.checksum):
                return cached
            damaged = True
    source = mirror()
    if isinstance(source, Path):
        path = _from_folder(source, file, problems)
    else:
        addresses = file.addresses if source is None else [f"{source}/{quote(file.name)}"]
        path = next((p for a in addresses if (p := _download(a, file, cached, problems))), None)
    if damaged and path != cached:
        with suppress(OSError):
            cached.unlink()
    return path


def _from_folder(folder: Path, file: File, problems: list[Problem]) -> Path | None:
    """Return the file in a mirror folder after verifying it; None if it is not there."""
    path = folder / file.name
    try:
        if matches(path, file.checksum):
            return path
        problems.append(Problem(str(path), "has the wrong checksum", "checksum"))
    except FileNotFoundError:
        problems.append(Problem("it", "has no such file", "missing"))
    except OSError as error:
        problems.append(Problem(str(path), f"cannot be read ({error.strerror or error})"))
    return None


def _download(address: str, file: File, cached: Path, problems: list[Problem]) -> Path | None:
    """Download one address into the cache; None after adding to the problems."""
    import pooch
    import requests

    def problem(reason: str, kind: str = "other") -> None:
        problems.append(Problem(address.split("/")[2], reason, kind))

    # pooch announces every download with its address and target; the bar is enough.
    pooch.get_logger().setLevel("WARNING")
    # pooch's own bar does not name the file.
    bar = progress_bar(file.bytes, "B", desc=file.name, unit_scale=True, leave=False)
    # The bar moves by one chunk at a time, so a chunk has to be small compared with a small file.
    downloader = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 14, timeout=TIMEOUT)
    try:
        # pooch writes a temporary file and renames it only after comparing the checksum, so the
        # cache never holds half a file.
        pooch.retrieve(
            address, file.checksum, fname=cached.name, path=cached.parent, downloader=downloader
        )
        with suppress(OSError):
            cached.chmod(0o644)  # pooch makes private files, but one cache may serve a whole class
        return cached
    except requests.exceptions.HTTPError as error:
        status = error.response.status_code
        problem(f"answered with error {status}", "missing" if status in (404, 410) else "other")
    except (
        requests.exceptions.ChunkedEncodingError,
        requests.exceptions.ContentDecodingError,
    ):
        problem("broke off before the end of the file")
    except requests.exceptions.Timeout:
        problem("did not answer in time", "unreachable")
    except requests.exceptions.ConnectionError:
        problem("could not be reached", "unreachable")
    except requests.exceptions.RequestException as error:
        problem(f"failed ({type(error).__name__})")
    except ValueError:  # how pooch reports a wrong checksum
        problem("sent an incomplete file or one with the wrong checksum", "checksum")
    except OSError as error:
        raise _cache_error(error, file) from None
    finally:
        bar.close()
    return None


def _unpack(archive: Path, file: File, member: str) -> Path:
    """Extract one member of a zip archive into the cache, verified."""
    try:
        with zipfile.ZipFile(archive) as opened:
            if opened.getinfo(member).file_size != file.bytes:
                raise ValueError("not the size that the registry has")
            content = opened.read(member)
        algorithm, _, expected = file.checksum.partition(":")
        if hashlib.new(algorithm, content).hexdigest() != expected:
            raise ValueError("not the checksum that the registry has")
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise DamagedFile(
            f"The archive {archive} does not contain {file.member} as published; delete the "
            "archive so that it is downloaded again."
        ) from error
    target = cache_folder() / file.name
    try:
        write_atomically(target, content)
    except OSError as error:
        raise _cache_error(error, file) from None
    return target


def _cache_error(error: OSError, file: File) -> FetchError:
    """Return the error for a cache that cannot be written."""
    folder = cache_folder()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FetchError(
            f"The disk is full: {file.name} needs {readable(file.bytes)} in {folder}; free "
            f"some space, or set {CACHE_VARIABLE} to a folder on another disk."
        )
    # pooch replaces the system's message for a refused permission by a longer one.
    refused = "permission denied" if isinstance(error, PermissionError) else str(error)
    return FetchError(
        f"The cache folder {folder} is not writable ({error.strerror or refused}); set "
        f"{CACHE_VARIABLE} to a folder that you may write to."
    )


def _explain(file: File, problems: list[Problem]) -> DataError:
    """Return the error for a file that no source could provide."""
    source = mirror()
    wanted = f"{file.name} (or {file.fallback})" if file.fallback else file.name
    reasons = "; ".join(dict.fromkeys(f"{problem.source} {problem.reason}" for problem in problems))
    if isinstance(source, Path):
        # The fallback is worth mentioning only if it is there but damaged.
        worst = next((problem for problem in problems if problem.kind != "missing"), problems[0])
        if worst.kind == "checksum":
            return DamagedFile(
                f"The mirror's file {worst.source} is damaged (wrong checksum); copy it to the "
                f"mirror again, or unset {MIRROR_VARIABLE} to download it from the internet."
            )
        return FetchError(
            f"The mirror folder {source} cannot provide {wanted}, because {worst.source} "
            f"{worst.reason}; add it there, or unset {MIRROR_VARIABLE} to download it from the "
            "internet."
        )
    if source is not None:
        return FetchError(
            f"{wanted} could not be downloaded from the mirror {source}, because {reasons}; ask "
            f"whoever runs it, or unset {MIRROR_VARIABLE} to download it from the internet."
        )
    if all(problem.kind == "unreachable" for problem in problems):
        return FetchError(
            f"No network: {file.name} could not be downloaded, because none of its addresses "
            f"could be reached ({', '.join(problem.source for problem in problems)}); connect "
            f"to the internet, set {MIRROR_VARIABLE} to a folder or server that has the file, "
            'or use a data set that comes with the course, such as "reviews".'
        )
    return FetchError(
        f"{file.name} could not be downloaded, because {reasons}; try again later, or set "
        f"{MIRROR_VARIABLE} to a folder or server that has the file."
    )
