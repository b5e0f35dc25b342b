"""Printing of a page to PDF with a browser of this machine: Chromium or one of its kin."""

from __future__ import annotations

import re
import shutil
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
_MAX_SECONDS = 180


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
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            running = playwright.chromium.launch(executable_path=browser)
            opened = running.new_page()
            opened.set_default_timeout(_MAX_SECONDS * 1000)
            opened.goto(page.resolve().as_uri())
            return opened.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
    except Error as error:
        raise MachineError(
            f"{browser} could not print the guide ({error.message.splitlines()[0]}); the HTML pages"
            " are written, so print them yourself, or use --no-pdf."
        ) from error


def count_pages(pdf: bytes) -> int:
    """Count the pages of a PDF, as browsers write them."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))
