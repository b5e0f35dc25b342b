"""The queue of a class's submissions: one is graded after another, while the next ones run."""

from __future__ import annotations

import glob
import logging
import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.fault_log import (
    fault_file,
    forget_fault,
    is_of_the_grader,
    keep_fault,
)
from autograder.gradebook.save_submission import SubmissionSaver
from autograder.grading.grading_task import Task
from autograder.grading.judge_pool import Judge, Judging
from autograder.grading.pipeline import grade_submission
from autograder.grading.stages import Grading, Running
from autograder.grading.worker_pool import Runner
from coursekit.checking.verdict import Verdict

#: Message on a folder name that nbgrader's paths, its database or its pages cannot have.
_RENAME = (
    'its name has control characters, <, > or ", spaces at an end, or is not UTF-8;'
    " rename the folder"
)
_UNUSABLE = re.compile(r"^\s|\s$|[<>\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
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
    saver: SubmissionSaver
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
            self.saver.save(student, notebook)

        _log.info("%s: grading", student)
        try:
            graded = yield from grade_submission(
                path, self.task, self.runner.start, save, earlier, self.judge
            )
        except Exception as error:
            if not is_of_the_grader(error):
                raise
            _log.debug("%s: the grader has failed", student, exc_info=error)
            keep_fault(fault, f"grading {self.assignment} of {student}", error)
            return Done(student, earlier, fault=fault)
        forget_fault(fault)
        _log.info("%s: %g points", student, sum(verdict.points for verdict in graded.verdicts))
        return Done(student, graded.verdicts, graded.unread)


def _first_done(waiting: list[tuple[Running | Judging, Grading[Done]]]) -> Grading[Done]:
    """Remove and return the first grading that can go on, as soon as one can."""
    while True:
        for i, (awaited, grading) in enumerate(waiting):
            if awaited.done():
                del waiting[i]
                return grading
        time.sleep(_POLL_SECONDS)
