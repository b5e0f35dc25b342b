"""nbgrader's `release_feedback`, from a class's folder that only its owner can read."""

from __future__ import annotations

import contextlib
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback


class ReleaseFeedback(ExchangeReleaseFeedback):  # type: ignore[misc]  # nbgrader has no types
    """Lets students read the pages in the exchange: nbgrader copies them with their permissions.

    There, nobody can list the folder, and only a page's own student knows its name.
    """

    def copy_files(self) -> None:
        super().copy_files()
        for page in Path(self.dest_path).glob("*.html"):
            with contextlib.suppress(PermissionError):  # another instructor's
                page.chmod(0o644)
