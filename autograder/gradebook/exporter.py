"""The exporter by which nbgrader reads submissions (see `nbgrader_config.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_notebook

from autograder.errors import TookTooLong
from autograder.gradebook.fault_log import (
    fault_file,
    forget_fault,
    is_of_the_grader,
    keep_fault,
)
from autograder.grading.grade_submission import OF_THE_SUBMISSION, STEP_SECONDS, why_unread
from autograder.grading.submissions import read_submission
from coursekit.checking.time_limit import time_limit

#: Key in the resources for the reason why a submission cannot be graded.
UNREAD = "coursekit_unread"
#: The exported notebook's text (nbconvert's annotation calls it a node) and the resources.
_Exported = tuple[Any, dict[str, Any]]


class SubmissionExporter(NotebookExporter):
    """The exporter that reads and sanitizes a submission within the limits of `autograder grade`.

    A submission that cannot be read, or only with much time or memory, goes on as a notebook
    without cells, and `RestoreCells` and `Grade` give it zeros with the reason. The file of
    nbgrader's second pass, which holds the sanitized notebook, is read as it is.

    A fault of the grader in either pass is nbgrader's failure: it gives no points and goes on with
    the class. The traceback is also kept where `autograder grade` keeps it.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> _Exported:
        """Export a submitted notebook; keep the traceback if the grader fails."""
        if self.config.Grade.get("graded"):  # `autograder grade` keeps its faults itself
            return super().from_filename(filename, resources, **kw)
        about = (resources or {})["nbgrader"]
        folder = class_folder(about["db_url"])
        assignment, student = about["assignment"], about["student"]
        fault = fault_file(folder, assignment, student)
        try:
            if getattr(self.parent, "_sanitizing", False):
                return self._sanitized(Path(filename), resources, **kw)
            graded = super().from_filename(filename, resources, **kw)
        except Exception as error:
            if is_of_the_grader(error):
                keep_fault(fault, f"grading {assignment} of {student}", error)
                self.log.error("The autograder has failed; %s has the traceback.", fault)
            raise
        forget_fault(fault)
        return graded

    def _sanitized(self, path: Path, resources: dict[str, Any] | None, **kw: Any) -> _Exported:
        """Export a submission as it was read, or an empty notebook with the reason."""
        try:
            with time_limit(STEP_SECONDS, TookTooLong):
                exported: _Exported
                exported = self.from_notebook_node(read_submission(path), resources, **kw)
        except OF_THE_SUBMISSION as error:
            marked = {**(resources or {}), UNREAD: why_unread(error)}
            exported = self.from_notebook_node(new_notebook(), marked, **kw)
        return exported


def class_folder(database: str) -> Path:
    """Return the folder of the class whose gradebook has this address.

    It may lie outside the course.
    """
    return Path(database.removeprefix("sqlite:///")).parent.resolve()
