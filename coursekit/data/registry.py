"""Registry of data sets: splits, files, checksums, addresses, license and citation.

They are in `registry.json`, which this module reads.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from coursekit.data.errors import UnknownName, UnknownSplit

REGISTRY = Path(__file__).with_name("registry.json")


@dataclass(frozen=True)
class File:
    """File of a real data set.

    Attributes
    ----------
    name : str
        `folder/file`: its path in a mirror and in the cache.
    checksum : str
        `sha256:...` (or `md5:...` if the publisher gives only that).
    bytes : int
        Its size.
    addresses : tuple of str
        Where it can be downloaded, best first.
    fallback : str, optional
        Another file of the data set, used if this one is unavailable.
    member : str, optional
        The path of this file inside the archive `fallback`. Without it, the archive is used as
        it is.
    """

    name: str
    checksum: str
    bytes: int
    addresses: tuple[str, ...] = ()
    fallback: str | None = None
    member: str | None = None


@dataclass(frozen=True)
class Dataset:
    """Entry of the registry: a data set's facts, and the files of each split.

    Attributes
    ----------
    name, title, description, license, citation : str
        What `describe` shows.
    splits : dict of str to list of str
        The files of each split; the first split is the default of `load`.
    files : dict of str to File
        The files of a real data set; empty for a shipped one.
    content : dict of str to str
        Checksums of what is inside the archive, for sets that have several archives.
    """

    name: str
    title: str
    description: str
    license: str
    citation: str
    splits: dict[str, list[str]]
    files: dict[str, File] = field(default_factory=dict)
    content: dict[str, str] = field(default_factory=dict)

    @property
    def is_shipped(self) -> bool:
        """True if it comes with the course."""
        return not self.files


@lru_cache(maxsize=1)
def registry() -> dict[str, Dataset]:
    """Return all data sets by name, in the order of the registry."""
    entries = json.loads(REGISTRY.read_text(encoding="utf-8"))
    found = {}
    for name, entry in entries.items():
        files = {
            file: File(file, **{**facts, "addresses": tuple(facts["addresses"])})
            for file, facts in entry.pop("files", {}).items()
        }
        found[name] = Dataset(name=name, files=files, **entry)
    return found


def names() -> list[str]:
    """Return the names of all data sets, shipped ones first.

    Examples
    --------
    >>> names()[0]
    'reviews'
    """
    return list(registry())


def find(name: str) -> Dataset:
    """Return the registry's entry for a name.

    Raises
    ------
    UnknownName
        There is no such data set; the message lists close matches and all names.
    """
    known = registry()
    if isinstance(name, str) and name in known:
        return known[name]
    close = difflib.get_close_matches(str(name).lower().replace("_", "-"), known, n=2)
    guess = f"did you mean {' or '.join(map(repr, close))}? The" if close else "the"
    raise UnknownName(
        f"There is no data set called {name!r}; {guess} course has {', '.join(known)}."
    )


def find_split(dataset: Dataset, split: str | None) -> str:
    """Return the split to load: the data set's first if None is given.

    Raises
    ------
    UnknownSplit
        The data set has no such split; the message lists those it has.
    """
    if split is None:
        return next(iter(dataset.splits))
    if split in dataset.splits:
        return split
    has = ", ".join(map(repr, dataset.splits))
    if len(dataset.splits) == 1:
        raise UnknownSplit(f"{dataset.name} has no split {split!r}; it has only {has}.")
    raise UnknownSplit(f"{dataset.name} has no split {split!r}; choose one of {has}.")


def describe(name: str) -> str:
    """Describe a data set: content, splits, size, license, citation and source.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    str
        Several lines, for `print`.

    Raises
    ------
    UnknownName
        There is no such data set.
    """
    dataset = find(name)
    fetched = [file for file in dataset.files.values() if file.addresses]
    hosts = list(dict.fromkeys(address.split("/")[2] for f in fetched for address in f.addresses))
    lines = [
        f"{dataset.name}: {dataset.title}",
        f"  what      {dataset.description}",
        f"  splits    {', '.join(dataset.splits)}",
        f"  size      {_size_of(dataset)}",
        f"  license   {dataset.license}",
        f"  cite      {dataset.citation}",
        f"  from      {', '.join(hosts) or 'comes with the course'}",
    ]
    return "\n".join(lines)


def _size_of(dataset: Dataset) -> str:
    """Describe the size of a data set."""
    if dataset.is_shipped:
        return "small; works without network"
    files = {dataset.files[name] for split in dataset.splits.values() for name in split}
    # A file without an address of its own comes from the archive that contains it.
    needed = {file if file.addresses else dataset.files[file.fallback or ""] for file in files}
    total = readable(sum(file.bytes for file in needed))
    return f"{total} in {len(needed)} file{'s' if len(needed) > 1 else ''}"


def readable(count: int) -> str:
    """Format a number of bytes: `3.8 MB`."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
