"""Reproducible zip archives, and the file names that Windows reserves."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from coursekit.data.paths import write_atomically

#: Names that Windows keeps for devices, with any ending and in any case.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=$|[. ])", re.I)


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


def is_device(name: str) -> bool:
    """Tell whether Windows takes a file's or folder's name for a device, as `nul` and `aux.txt`."""
    return bool(_DEVICES.match(name))
