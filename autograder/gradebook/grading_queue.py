"""The queue of a class's submissions: one is graded after another, while the next ones run."""

from __future__ import annotations

import contextlib
import copy
import glob
import logging
import re
import shutil
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from traitlets.config import Config

from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.fault_log import (
    fault_file,
    forget_fault,
    is_of_the_grader,
    keep_fault,
)
from autograder.gradebook.retry import patiently
from autograder.grading.grade_submission import Grading, Running, Task, grade_submission
from autograder.grading.judge_pool import Judge, Judging
from autograder.grading.submissions import copy_files, ensure_secret
from autograder.grading.verdicts import read_verdicts
from autograder.grading.worker_pool import Runner
from autograder.sandbox.scratch import scratch
from coursekit.checking.verdict import Verdict

#: Message on a folder name that nbgrader's paths, its database or its pages cannot have.
_RENAME = (
    'its name has control characters, <, > or ", spaces at an end, or is not UTF-8;'
    " rename the folder"
)
_UNUSABLE = re.compile(r"^\s|\s$|[<>\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
#: Where nbgrader writes a notebook, in `autograded/`, until it has saved the points, too.
_NEW = ".new"
_RESTORE_SECONDS = 30.0
_POLL_SECONDS = 0.02
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Done:
    """The result of grading a submission.

    Attributes
    ----------
    unread : str
        The reason why it could not be run at all, or ""; it then has zero points.
    fault : Path or None
        The file with the traceback, if the grader has failed; the verdicts are then the earlier
        ones, if there are any.
    """

    student: str
    verdicts: list[Verdict]
    unread: str = ""
    fault: Path | None = None


@dataclass
class Desk:
    """The queue of submissions of one assignment."""

    classroom: Classroom
    assignment: str
    config: Config
    task: Task
    runner: Runner
    judge: Judge
    earlier: dict[str, list[Verdict]]

    def grade(self, students: list[str]) -> Iterator[Done]:
        """Grade these students' submissions, in about this order; none waits for a slower one."""
        # twice as many as run at a time: no slot is idle, and no more wait in a larger class
        most = 1 + 2 * self.runner.slots
        coming = deque(students)
        waiting: list[tuple[Running | Judging, Grading[Done]]] = []
        while coming or waiting:
            if coming and len(waiting) < most:
                grading = self._one(coming.popleft())
            else:
                grading = _first_done(waiting)
            try:
                waiting.append((next(grading), grading))  # it runs, or runs again
            except StopIteration as done:
                yield done.value

    def _one(self, student: str) -> Grading[Done]:
        """Grade the submission of one student; keep the traceback if the grader fails."""
        if glob.escape(student) != student:
            why = "nbgrader cannot handle [, * or ? in a name; rename the folder"
            return Done(student, [], why)
        if _UNUSABLE.search(student):
            return Done(student, [], _RENAME)
        path = self.classroom.submission(student, self.assignment)
        earlier = self.earlier.get(student, [])
        fault = fault_file(self.classroom.folder, self.assignment, student)

        def save(notebook: NotebookNode) -> None:
            self._save(student, notebook)

        _log.info("%s: grading", student)
        try:
            reason = yield from grade_submission(
                path, self.task, self.runner.start, save, earlier, self.judge
            )
            result = self.classroom.autograded(student, self.assignment)
            saved = read_verdicts(nbformat.read(result, as_version=4))
        except Exception as error:
            if not is_of_the_grader(error):
                raise
            _log.debug("%s: the grader has failed", student, exc_info=error)
            keep_fault(fault, f"grading {self.assignment} of {student}", error)
            return Done(student, earlier, fault=fault)
        forget_fault(fault)
        _log.info("%s: %g points", student, sum(verdict.points for verdict in saved))
        return Done(student, saved, reason)

    def _save(self, student: str, notebook: NotebookNode) -> None:
        """Let nbgrader score and save a graded notebook; if it fails, restore the earlier entry.

        nbgrader scores only what it sanitizes itself. So the graded notebook, put into a `submitted`
        folder of its own, goes through nbgrader's steps once more, and `Grade` copies the outputs.
        """
        before = patiently(lambda: self.classroom.entry(self.assignment, student))
        try:
            patiently(lambda: self._have_saved(student, notebook))
        except BaseException:
            with contextlib.suppress(CourseError):
                patiently(
                    lambda: self.classroom.restore(self.assignment, student, before),
                    _RESTORE_SECONDS,
                )
            raise

    def _have_saved(self, student: str, notebook: NotebookNode) -> None:
        """Run nbgrader's steps on a graded notebook in a temporary folder."""
        new = self.classroom.folder / "autograded" / _NEW
        _log.debug("%s: nbgrader saves the points", student)
        with scratch() as folder:
            graded = Path(folder) / "graded.ipynb"
            nbformat.write(notebook, graded)
            path = Path(folder) / "submitted" / student / self.assignment
            copy_files(self.classroom.submission(student, self.assignment).parent, path)
            path.mkdir(parents=True, exist_ok=True)
            ensure_secret(path)
            shutil.copyfile(graded, path / f"{self.assignment}.ipynb")
            config = copy.deepcopy(self.config)  # nbgrader's converters write into it
            config.CourseDirectory.submitted_directory = str(path.parents[1])
            config.CourseDirectory.autograded_directory = str(new)
            config.Grade.graded = str(graded)
            config.SubmissionExporter.optimistic_validation = True  # once, not after each step
            try:
                self.classroom.autograde(self.assignment, student, config)
                self._replace(student, new)
            finally:
                shutil.rmtree(new, ignore_errors=True)

    def _replace(self, student: str, new: Path) -> None:
        """Replace the autograded folder of a submission by the one that nbgrader has written."""
        place = self.classroom.autograded(student, self.assignment).parent
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            place.rename(new / "before")
        (new / student / self.assignment).rename(place)


def _first_done(waiting: list[tuple[Running | Judging, Grading[Done]]]) -> Grading[Done]:
    """Remove and return the first grading that can go on, as soon as one can."""
    while True:
        for i, (awaited, grading) in enumerate(waiting):
            if awaited.done():
                del waiting[i]
                return grading
        time.sleep(_POLL_SECONDS)
