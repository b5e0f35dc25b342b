"""Writes archives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from coursekit.data.paths import write_atomically


def write_zip(output: Path, contents: dict[str, bytes], executable: tuple[str, ...] = ()) -> None:
    """Write an archive with these files, the same bytes at any time, that only its owner can read."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o755 << 16 if name in executable else 0o644 << 16
            archive.writestr(about, content)
    write_atomically(output, made.getvalue(), private=True)
