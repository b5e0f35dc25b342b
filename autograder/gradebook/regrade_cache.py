"""A cache of digests, so that unchanged submissions are not graded again."""

from __future__ import annotations

import hashlib
import json

from autograder.gradebook.class_folder import Classroom
from autograder.grading.grader_digest import grader_digest
from autograder.grading.limits import Limits
from autograder.grading.submissions import digest as submission_digest
from autograder.grading.verdicts import class_seed
from coursekit.data.paths import write_atomically


class RegradeCache:
    """Graded submissions, with a digest of everything that determined their score.

    That is the submission, release, cases, seed, due date, limits and grader. Stored in graded.json,
    next to the gradebook, as assignment -> student -> digest.
    """

    def __init__(self, classroom: Classroom, assignment: str, limits: Limits) -> None:
        self.classroom = classroom
        self.assignment = assignment
        self.path = classroom.folder / "graded.json"
        try:
            self.all = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            self.all = {}
        self.own = self.all.setdefault(assignment, {})
        self.rest = hashlib.sha256(repr(limits).encode())
        self.rest.update(str(class_seed(classroom.folder)).encode())
        course = classroom.course
        for path in (
            course.notebook(assignment),
            course.solution(assignment),
            course.root / "nbgrader_config.py",
            *sorted(course.cases(assignment).glob("*.py")),
            *course.shared_cases(),
        ):
            self.rest.update(path.read_bytes())
        self.rest.update(str(classroom.due(assignment)).encode())
        self.rest.update(grader_digest().encode())

    def _state(self, student: str) -> str:
        digest = self.rest.copy()
        digest.update(submission_digest(self.classroom.submission(student, self.assignment)))
        return digest.hexdigest()

    def holds(self, student: str) -> bool:
        """Whether the student has a score and everything that determined it is unchanged."""
        graded = self.classroom.autograded(student, self.assignment)
        return (
            graded.exists()
            and self.classroom.database.exists()
            and self.own.get(student, {}).get("state") == self._state(student)
        )

    def reason(self, student: str) -> str:
        return self.own[student]["unread"]

    def keep(self, student: str, unread: str) -> None:
        if self.classroom.autograded(student, self.assignment).exists():
            self.own[student] = {"state": self._state(student), "unread": unread}
            write_atomically(self.path, json.dumps(self.all, indent=1).encode(), private=True)
