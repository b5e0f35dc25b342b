"""A cache of digests, so that unchanged submissions are not graded again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.canonical_source import bare, judged
from autograder.course.helpers import pasted_in
from autograder.gradebook.class_folder import Classroom
from autograder.grading.grader_digest import grader_digest, text_digest
from autograder.grading.limits import Limits
from autograder.grading.submissions import digest as submission_digest
from autograder.grading.verdicts import class_seed
from coursekit.checking import stored_recordings
from coursekit.data.paths import write_atomically

#: Key in graded.json for the digests of the code by assignment: of its text, and of what decides.
_CODE = "code"


class RegradeCache:
    """The graded submissions, with a digest of everything that determined their score.

    That is the submission, release, cases, references, seed, limits and grader; not its time, the due
    date and extensions, which `late_penalties` takes into account without grading again. Stored in
    graded.json, next to the gradebook, as assignment -> student -> digest.

    Everything that decides no score is left out, so that a change of it grades no class again:
    comments and docstrings; the tool's packages that only show something; of the solution all but
    code and points; of the exercises right and wrong answers and hints. So after `autograder
    adopt`, or with a hint in better words, scores stay, and a feedback page keeps the hint that was
    shown when the submission was graded; `autograder grade --regrade` brings the new one.
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
        course = classroom.course
        parts = [
            repr(limits),
            str(class_seed(classroom.folder)),
            course.notebook(assignment).read_text("utf-8"),
            self._code_digest(),
        ]
        self.rest = hashlib.sha256(json.dumps(parts).encode())

    def _code_digest(self) -> str:
        """Return a digest of the grader, exercises, references and configuration.

        Only what decides a score is included. The digest is made anew only if one of the files has
        changed, which takes 0.2 seconds.
        """
        course = self.classroom.course
        solution, config = course.solution(self.assignment), course.root / "nbgrader_config.py"
        cases = [*sorted(course.cases(self.assignment).glob("*.py")), *course.shared_cases()]
        text = hashlib.sha256(text_digest().encode())
        for path in (solution, config, *cases):
            text.update(f"{path.name}\n".encode() + path.read_bytes())
        pasted = pasted_in(map(NotebookNode, json.loads(solution.read_bytes())["cells"]))
        for assignment in pasted:
            text.update(f"{assignment} {stored_recordings.revision(assignment)}\n".encode())
        known = self.all.setdefault(_CODE, {}).get(self.assignment, {})
        if known.get("text") != text.hexdigest():
            parts = [grader_digest(), _code(solution), bare(config.read_text("utf-8"))]
            for path in cases:
                parts += [path.name, bare(judged(path.read_text("utf-8")))]
            for name in sorted({name for names in pasted.values() for name in names}):
                if name in stored_recordings.names():  # a score may depend on whether it is right
                    parts += [name, json.dumps(stored_recordings.find(name)["cases"])]
            made = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
            known = {"text": text.hexdigest(), "digest": made}
            self.all[_CODE][self.assignment] = known
        digest: str = known["digest"]
        return digest

    def _state(self, student: str) -> str:
        """Return the digest of everything that determines a student's score."""
        digest = self.rest.copy()
        digest.update(submission_digest(self.classroom.submission(student, self.assignment)))
        return digest.hexdigest()

    def holds(self, student: str) -> bool:
        """Tell whether a student has a score and everything that determined it is unchanged."""
        graded = self.classroom.autograded(student, self.assignment)
        return (
            graded.exists()
            and self.classroom.database.exists()
            and self.own.get(student, {}).get("state") == self._state(student)
        )

    def forget(self, students: list[str]) -> None:
        """Count these submissions as not graded until `keep`, as grading them may be cut off."""
        if [self.own.pop(student) for student in students if student in self.own]:
            self._write()

    def reason(self, student: str) -> str:
        """Return the reason why a kept submission could not be run, or ""."""
        reason: str = self.own[student]["unread"]
        return reason

    def keep(self, student: str, unread: str) -> None:
        """Count a submission as graded, if there is an autograded notebook."""
        if self.classroom.autograded(student, self.assignment).exists():
            self.own[student] = {"state": self._state(student), "unread": unread}
            self._write()

    def _write(self) -> None:
        write_atomically(self.path, json.dumps(self.all, indent=1).encode(), private=True)


def _code(notebook: Path) -> str:
    """Return the code of a solution notebook and its cells' nbgrader metadata, as JSON."""
    cells = json.loads(notebook.read_bytes())["cells"]
    return json.dumps(
        [
            (
                bare("".join(cell["source"])) if cell["cell_type"] == "code" else "",
                cell["metadata"].get("nbgrader"),
            )
            for cell in cells
        ]
    )
