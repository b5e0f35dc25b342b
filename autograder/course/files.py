"""Writes archives."""

from __future__ import annotations

import zipfile
from pathlib import Path


def write_zip(output: Path, contents: dict[str, bytes], executable: tuple[str, ...] = ()) -> None:
    """Write an archive with these files, the same bytes at any time."""
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o755 << 16 if name in executable else 0o644 << 16
            archive.writestr(about, content)
