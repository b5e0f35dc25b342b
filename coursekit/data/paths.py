"""Paths of data: the cache, the mirror, and the files that come with the course."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from coursekit.data.errors import DataError

CACHE_VARIABLE = "COURSEKIT_CACHE"
MIRROR_VARIABLE = "COURSEKIT_MIRROR"
_PACKAGE = Path(__file__).resolve().parents[1]
#: In an installed package, and in a checkout.
_SHIPPED = (_PACKAGE / "shipped", _PACKAGE.parent / "data")


def cache_folder() -> Path:
    """Return the folder for downloaded and prepared files; it need not exist yet.

    `COURSEKIT_CACHE` names it; the default is the system's usual cache folder
    (`~/.cache/coursekit` on Linux). It is laid out like a mirror (`sst2-glue/train.tsv`, ...), so a
    filled cache can serve as the mirror of a class.
    """
    chosen = os.environ.get(CACHE_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("coursekit"))


def mirror() -> Path | str | None:
    """Return what `COURSEKIT_MIRROR` names: a folder, the URL of a server, or None if it is unset.

    Raises
    ------
    DataError
        It names a folder that does not exist.
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
            "correct it, or unset it to download data from the internet."
        )
    return folder


def shipped(path: str) -> Path:
    """Find a file that comes with the course.

    Parameters
    ----------
    path : str
        Relative to the shipped data, for example "reviews/train.tsv".

    Raises
    ------
    DataError
        The file is missing.
    """
    for folder in _SHIPPED:
        if (folder / path).is_file():
            return folder / path
    raise DataError(
        f"The file {path} should have come with the course but is missing; "
        "install coursekit again or restore the repository's data folder."
    )


def shipped_files(folder: str, pattern: str) -> list[Path]:
    """Return the files in a folder of the shipped data that match a glob pattern, sorted."""
    for data in _SHIPPED:
        if (data / folder).is_dir():
            return sorted((data / folder).glob(pattern))
    return []


def write_atomically(path: Path, content: bytes, private: bool = False) -> None:
    """Write a file, and its folder if needed, so that other processes see it whole or not at all.

    Parameters
    ----------
    private : bool
        Whether only the owner may read it.

    Raises
    ------
    OSError
        The disk is full or the folder is not writable; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if not private:  # mkstemp makes private files, but one cache may serve a whole class
            os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
