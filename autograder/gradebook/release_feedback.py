"""nbgrader's `release_feedback`, from a class's folder that only its owner can read."""

from __future__ import annotations

import contextlib
import glob
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback


class ReleaseFeedback(ExchangeReleaseFeedback):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's exporter of feedback pages, which makes them readable for students.

    nbgrader copies the pages with their permissions. In the exchange nobody can list the folder,
    and only a page's own student knows its name. Students who handed in by an LMS cannot fetch
    there, and are left out.
    """

    def copy_files(self) -> None:
        """Copy the pages to the exchange, and make them readable."""
        self._leave_out_who_came_another_way()
        super().copy_files()
        for page in Path(self.dest_path).glob("*.html"):
            with contextlib.suppress(PermissionError):  # another instructor's
                page.chmod(0o644)

    def _leave_out_who_came_another_way(self) -> None:
        """Exclude submissions without a time, at which nbgrader would stop.

        Only submissions that the exchange collected are sure to have a time.
        """
        folders = [Path(name) for name in sorted(glob.glob(self.src_path))]
        others = [
            folder.parent.name for folder in folders if not (folder / "timestamp.txt").exists()
        ]
        if others:
            excluded = self.coursedir.student_id_exclude
            self.coursedir.student_id_exclude = ",".join(filter(None, [excluded, *others]))
            self.log.warning(
                "Not in the exchange, since they did not hand in there: %s. `autograder feedback"
                " --for` packs the pages of all for the LMS.",
                ", ".join(others),
            )
