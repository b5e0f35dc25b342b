"""The merge of what several graders have given in copies of a class's gradebook.

Points, extra credit and comments of the other gradebooks are taken over where this one has none. Nothing
is overwritten: two different scores are a conflict, which a person decides; two comments are both kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Comment, Grade, Gradebook, MissingEntry, SubmittedAssignment

from autograder.course.cells import CHECK
from autograder.errors import ClassError
from autograder.gradebook.backups import NAME
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import settle_penalties
from autograder.gradebook.late_penalties import Settled
from autograder.gradebook.own_tables import GradedAnswer, SetAside


@dataclass
class Merged:
    """The result of merging gradebooks.

    Attributes
    ----------
    scores, comments : int
        Numbers of scores and comments that were taken over.
    conflicts : list of str
        Scores that two graders have given differently, a sentence each; they are not changed.
    missing : list of str
        Submissions of another gradebook that this one does not have.
    settled : list of Settled
        Late penalties that changed with the scores.
    """

    scores: int = 0
    comments: int = 0
    conflicts: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)


def merge(classroom: Classroom, others: Sequence[Path]) -> Merged:
    """Merge points, extra credit and comments from copies of the gradebook into the class's.

    Parameters
    ----------
    others : sequence of Path
        The copies: files, or folders with a `gradebook.db`.

    Raises
    ------
    ClassError
        There is no gradebook at one of these places, or none in the class.
    """
    files = [path / NAME if path.is_dir() else path for path in others]
    for file in (classroom.database, *files):
        if not file.is_file():
            raise ClassError(f"there is no gradebook {file}; name the copy of a grader.")
    for file in files:
        if file.resolve() == classroom.database:
            raise ClassError(f"{file} is the class's own gradebook; name the copy of a grader.")
    merged = Merged()
    with classroom.open_gradebook() as own:
        for file in files:
            with Gradebook(f"sqlite:///{file.resolve()}") as other:
                for assignment in classroom.course.assignments():
                    for theirs in _submissions(other, assignment):
                        try:
                            ours = own.find_submission(assignment, theirs.student_id)
                        except MissingEntry:
                            merged.missing.append(f"{theirs.student_id}, {assignment}")
                            continue
                        _Pair(own, other, file, merged).merge(ours, theirs)
        own.db.commit()
    merged.settled = settle_penalties(classroom)
    return merged


def _submissions(gradebook: Gradebook, assignment: str) -> Iterator[SubmittedAssignment]:
    """Yield the submissions of an assignment; none if the gradebook does not know it."""
    try:
        yield from gradebook.assignment_submissions(assignment)
    except MissingEntry:
        return


@dataclass
class _Pair:
    """Two gradebooks, of which the first takes over from the second."""

    own: Gradebook
    other: Gradebook
    file: Path
    merged: Merged

    def merge(self, ours: SubmittedAssignment, theirs: SubmittedAssignment) -> None:
        """Take over the scores and comments of one submission."""
        grades = {(n.name, g.name): g for n in ours.notebooks for g in n.grades}
        comments = {(n.name, c.name): c for n in ours.notebooks for c in n.comments}
        for notebook in theirs.notebooks:
            for grade in notebook.grades:
                if (own := grades.get((notebook.name, grade.name))) is not None:
                    self._take_score(own, grade)
            for comment in notebook.comments:
                if (mine := comments.get((notebook.name, comment.name))) is not None:
                    self._take_comment(mine, comment)

    def _take_score(self, own: Grade, grade: Grade) -> None:
        """Take over points and extra credit of a grade, or note a conflict."""
        mine = self.own.db.get(SetAside, own.id) or own
        yours = self.other.db.get(SetAside, grade.id) or grade
        for row, other, what in ((mine, yours, "manual_score"), (own, grade, "extra_credit")):
            given, had = getattr(other, what), getattr(row, what)
            if given is None or given == had:
                continue
            if had is not None:
                name = own.name.removeprefix(CHECK)
                kind = "" if what == "manual_score" else " extra"
                self.merged.conflicts.append(
                    f"{own.student.id}, {own.assignment.name}, {name}: {had:g}{kind} points here,"
                    f" {given:g} in {self.file}"
                )
                continue
            setattr(row, what, given)
            self.merged.scores += 1
            if what == "manual_score":
                mine.needs_manual_grade = yours.needs_manual_grade or not self._is_same(own, grade)

    def _is_same(self, own: Grade, grade: Grade) -> bool:
        """Tell whether both grades are for the same answer, as far as is known."""
        mine = self.own.db.get(GradedAnswer, own.id)
        yours = self.other.db.get(GradedAnswer, grade.id)
        return mine is None or yours is None or mine.digest == yours.digest

    def _take_comment(self, own: Comment, comment: Comment) -> None:
        """Add a comment to the own one, unless it is part of it."""
        mine, yours = own.manual_comment or "", comment.manual_comment or ""
        if yours.strip() and yours not in mine:
            own.manual_comment = yours if mine in yours else f"{mine}\n\n{yours}"
            self.merged.comments += 1
