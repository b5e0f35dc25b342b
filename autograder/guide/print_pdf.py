"""Printing of a page to PDF with a browser of this machine: Chromium or one of its kin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from autograder.errors import MachineError

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
#: Where playwright keeps the browsers that it downloads, and where macOS has applications.
_PLACES = (
    "~/.cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "~/Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_SECONDS = 180


def find_browser() -> str | None:
    """Return the path of a browser that can print, or None."""
    for name in _NAMES:
        if program := shutil.which(name):
            return program
    for place in _PLACES:
        path = Path(place).expanduser()
        for path_found in sorted(
            Path(path.anchor).glob(str(path.relative_to(path.anchor))), reverse=True
        ):
            return str(path_found)
    return None


def print_pdf(browser: str, page: Path) -> bytes:
    """Return a page of our own as PDF.

    Raises
    ------
    MachineError
        The browser fails or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "page.pdf")
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append(
                "--no-sandbox"
            )  # root cannot have one; the page is ours and has no script
        try:
            subprocess.run(
                [*command, page.resolve().as_uri()],
                check=True,
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            return made.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise MachineError(
                f"{browser} could not print the guide ({type(error).__name__}); the HTML pages are"
                " written, so print them yourself, or use --no-pdf."
            ) from error


def count_pages(pdf: bytes) -> int:
    """Count the pages of a PDF, as browsers write them."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))
