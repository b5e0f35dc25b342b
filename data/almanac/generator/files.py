"""Writes the almanac's compressed files, or says which line of one is stale."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path


def refresh(path: Path, lines: Iterable[str], check: bool, program: str) -> int:
    """Write lines to a file compressed with gzip if it has others.

    Parameters
    ----------
    check : bool
        Write nothing, and print the first line that differs.
    program : str
        What to run, for the message.

    Returns
    -------
    int
        1 if `check` found other lines, else 0.
    """
    new = "".join(f"{line}\n" for line in lines).encode()
    # The text is compared, not the file: other versions of zlib compress it to other bytes.
    old = gzip.decompress(path.read_bytes()) if path.exists() else b""
    if old == new:
        return 0
    if not check:
        path.write_bytes(gzip.compress(new, compresslevel=9, mtime=0))
        return 0
    pairs = zip(old.split(b"\n"), new.split(b"\n"), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    print(f"{path.name} is stale from line {same + 1} on; run {program}.")
    return 1
