"""How nbgrader reads submissions; see `nbgrader_config.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_notebook

from autograder.errors import CourseError, TookTooLong
from autograder.grading.grade_submission import STEP_SECONDS, why_unread
from autograder.grading.submissions import read_submission
from coursekit.checking.time_limit import time_limit

#: Where preprocessors find why the submission cannot be graded.
UNREAD = "coursekit_unread"


class SubmissionExporter(NotebookExporter):
    """Reads and sanitizes a submission within the limits of `autograder grade`.

    What cannot be read, or only with much time or memory, goes on as a notebook without cells, and
    `RestoreCells` and `Grade` give it zeros with the reason. The file of nbgrader's second pass,
    which holds the sanitized notebook, is read as it is.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        if self.config.Grade.get("graded") or not getattr(self.parent, "_sanitizing", False):
            return super().from_filename(filename, resources, **kw)
        try:
            with time_limit(STEP_SECONDS, TookTooLong):
                return self.from_notebook_node(read_submission(Path(filename)), resources, **kw)
        except (OSError, CourseError):
            raise  # of this machine
        except Exception as error:  # whatever a student hands in gets a score
            marked = {**(resources or {}), UNREAD: why_unread(error)}
            return self.from_notebook_node(new_notebook(), marked, **kw)
