"""Where data lies: the cache, the mirror, and the files that come with the course."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from coursekit.data.errors import DataError

CACHE_VARIABLE = "COURSEKIT_CACHE"
MIRROR_VARIABLE = "COURSEKIT_MIRROR"
_PACKAGE = Path(__file__).resolve().parents[1]


def cache_folder() -> Path:
    """The folder that fetched and prepared files are kept in.

    It is laid out like a mirror (``sst2-glue/train.tsv``, ...), so a filled cache can be
    handed to a class as its mirror.

    Returns
    -------
    Path
        What ``COURSEKIT_CACHE`` names, otherwise the usual cache folder of the system
        (``~/.cache/coursekit`` on Linux). It need not exist yet.
    """
    chosen = os.environ.get(CACHE_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("coursekit"))


def mirror() -> Path | str | None:
    """The place that ``COURSEKIT_MIRROR`` names, to take real data from.

    Returns
    -------
    Path | str | None
        A folder, the address of a server without its last slash, or None when the variable
        is not set.

    Raises
    ------
    DataError
        The variable names a folder that does not exist.
    """
    chosen = os.environ.get(MIRROR_VARIABLE, "").strip()
    if not chosen:
        return None
    if chosen.lower().startswith(("http://", "https://")):
        return chosen.rstrip("/")
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise DataError(
            f"{MIRROR_VARIABLE} names the folder {folder}, which does not exist; "
            "correct it, or unset it to fetch data from the internet."
        )
    return folder


def shipped(path: str) -> Path:
    """Find a file that comes with the course.

    Parameters
    ----------
    path : str
        Its path below the shipped data, for example ``"reviews/train.tsv"``.

    Returns
    -------
    Path
        The file in the installed package (``coursekit/shipped/``) or, in a checkout, in the
        repository's ``data/``.

    Raises
    ------
    DataError
        Neither place has the file.
    """
    for folder in (_PACKAGE / "shipped", _PACKAGE.parent / "data"):
        if (folder / path).is_file():
            return folder / path
    raise DataError(
        f"The file {path} should have come with the course but is missing; "
        "install coursekit again or restore the repository's data folder."
    )


def shipped_files(folder: str, pattern: str) -> list[Path]:
    """The files in a folder of the shipped data whose names fit a pattern, sorted."""
    for data in (_PACKAGE / "shipped", _PACKAGE.parent / "data"):
        if (data / folder).is_dir():
            return sorted((data / folder).glob(pattern))
    return []


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that other processes see it whole or not at all.

    Parameters
    ----------
    path : Path
        The file to write; its folder is made when missing.
    content : bytes
        What to write.

    Raises
    ------
    OSError
        The disk is full or the folder cannot be written to; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp makes private files, but one cache may serve a whole class.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
