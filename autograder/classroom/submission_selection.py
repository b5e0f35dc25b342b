"""Selection of the notebook that counts: a student's last one in which anything is answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from autograder.classroom.import_submissions import Candidate, sources
from autograder.course.assignment import Assignment
from autograder.grading.has_attempt import has_answers
from autograder.grading.submissions import UnreadableSubmission, parse_submission


class Work:
    """Search for answers in notebooks; each content is parsed once."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        notebook = assignment.course.notebook(assignment.name)
        self._released = sources(notebook) if notebook.exists() else None
        self._known: dict[bytes, bool] = {}

    def is_in(self, content: bytes) -> bool:
        """Tell whether anything is answered in the content of a notebook's file."""
        digest = hashlib.sha256(content).digest()
        if digest not in self._known:
            self._known[digest] = self._looked_for(content)
        return self._known[digest]

    def is_changed(self, content: bytes) -> bool:
        """Tell whether the content of a notebook's file is more than what students were given."""
        return sources(content) != self._released

    def in_order(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Sort a student's notebooks, those without work first; the last one counts."""
        found = list(candidates)
        if len(found) > 1:  # looking takes a while
            found.sort(key=lambda one: (self.is_in(one.file.path.read_bytes()), *one.order))
        return found

    def _looked_for(self, content: bytes) -> bool:
        """Tell whether anything is answered, without the cache."""
        if self._released is None or not self.is_changed(content):
            return self._released is None
        try:
            notebook = parse_submission(content, self._assignment.name)
            return has_answers(notebook, self._assignment.release)
        except UnreadableSubmission:
            return False
        except Exception:  # grading says what is wrong; here it costs only the order
            return True
