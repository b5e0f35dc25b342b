"""nbgrader's steps that write to the gradebook, which also know what a person has decided.

They keep the names of nbgrader's own, by which `nbgrader_config.py` sets these.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SourceCell,
    SubmittedAssignment,
)
from nbgrader.preprocessors import OverwriteCells as StockOverwrite
from nbgrader.preprocessors import SaveAutoGrades as StockScores
from nbgrader.preprocessors import SaveCells as StockCells
from traitlets import Bool

from autograder.course.cells import CHECK, defined_names
from autograder.gradebook.own_tables import GradedAnswer, SetAside
from autograder.gradebook.withdrawn import apply_withdrawals, concerning, withdrawn_cells


class OverwriteCells(StockOverwrite):
    """Restores locked cells; a withdrawn one is worth what the release says, as its checksum does."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            self.overwrite(nb, gradebook, about["notebook"], about["assignment"])
        return nb, resources

    def overwrite(
        self, nb: NotebookNode, gradebook: Gradebook, notebook: str, assignment: str
    ) -> None:
        """Overwrite a submission's cells in place: source, type, points and checksum."""
        self.notebook_id, self.assignment_id = notebook, assignment
        self.gradebook = _ReleasedCells(gradebook, notebook, assignment)
        for index, cell in enumerate(nb.cells):
            nb.cells[index], _ = self.preprocess_cell(cell, {}, index)


class _ReleasedCells:
    """The cells of a released notebook, in place of a `Gradebook`, which looks up each by itself."""

    def __init__(self, gradebook: Gradebook, notebook: str, assignment: str) -> None:
        found = gradebook.find_notebook(notebook, assignment)
        withdrawn = withdrawn_cells(gradebook, assignment)
        self._sources = {cell.name: cell for cell in found.source_cells}
        self._graded = {
            cell.name: SimpleNamespace(
                max_score=withdrawn[cell.name].points if cell.name in withdrawn else cell.max_score
            )
            for cell in (*found.grade_cells, *found.task_cells)
        }

    def find_source_cell(self, name: str, *_: str) -> SourceCell:
        return _found(self._sources, name)

    def find_graded_cell(self, name: str, *_: str) -> SimpleNamespace:
        return _found(self._graded, name)


class SaveAutoGrades(StockScores):
    """Saves scores; what a person has graded stays graded as long as the answer is the same.

    nbgrader itself asks for every score by hand again. Points of a withdrawn exercise stay those of
    the withdrawal.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            submission = gradebook.find_submission(about["assignment"], about["student"])
            with without_commits(gradebook):
                self.save(nb, gradebook, submission, about["notebook"])
            gradebook.db.commit()
        return nb, resources

    def save(
        self,
        nb: NotebookNode,
        gradebook: Gradebook,
        submission: SubmittedAssignment,
        notebook: str,
        last_graded: Path | None = None,
    ) -> None:
        """Put points and automatic comments into the gradebook, and leave the commit to the caller.

        Parameters
        ----------
        last_graded : Path, optional
            The notebook of the last time: it tells what a person has graded, where the gradebook
            does not know the answers.
        """
        self.notebook_id, self.assignment_id = notebook, submission.assignment.name
        self.student_id = submission.student_id
        self.gradebook = self._entries = _Entries(gradebook, submission, notebook)
        self._digests = answer_digests(nb)
        self._last_graded = last_graded
        self._withdrawals = concerning(gradebook, self.assignment_id, self.student_id)
        for index, cell in enumerate(nb.cells):
            self.preprocess_cell(cell, {}, index)
        apply_withdrawals(gradebook, self.assignment_id, submission)

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        name = cell.metadata["nbgrader"]["grade_id"]
        grade = self._entries.find_grade(name)
        withdrawal = self._withdrawals.get(name)
        if withdrawal is not None:  # nbgrader refuses more points than the cell is worth now
            cell.metadata["nbgrader"]["points"] = withdrawal.points
        by_hand = self._entries.asides.get(grade.id) or grade
        manual, waited = by_hand.manual_score, by_hand.needs_manual_grade
        super()._add_score(cell, resources)
        digest, seen = self._digests[name], self._entries.answers.get(grade.id)
        if manual is None:
            by_hand.needs_manual_grade = grade.auto_score is None
        else:
            same = digest == (seen.digest if seen else self._earlier_digests.get(name))
            by_hand.needs_manual_grade = waited or not same
        if seen is None:
            self._entries.add(GradedAnswer(grade=grade.id, digest=digest))
        else:
            seen.digest = digest

    @functools.cached_property
    def _earlier_digests(self) -> dict[str, str]:
        return _digests_of(self._last_graded) if self._last_graded is not None else {}


class _Entries:
    """The grades and comments of a submission, in place of a `Gradebook`, which looks up each."""

    def __init__(
        self, gradebook: Gradebook, submission: SubmittedAssignment, notebook: str
    ) -> None:
        self._session = gradebook.db
        self.db = SimpleNamespace(commit=lambda: None)  # what nbgrader calls after each cell
        (found,) = (one for one in submission.notebooks if one.name == notebook)
        self._grades = {grade.name: grade for grade in found.grades}
        self._comments = {comment.name: comment for comment in found.comments}
        ids = [grade.id for grade in found.grades]
        self.answers: dict[str, GradedAnswer] = self._by_grade(GradedAnswer, ids)
        self.asides: dict[str, SetAside] = self._by_grade(SetAside, ids)

    def _by_grade(self, table: Any, ids: list[str]) -> dict[str, Any]:
        return {row.grade: row for row in self._session.query(table).filter(table.grade.in_(ids))}

    def add(self, row: GradedAnswer) -> None:
        self._session.add(row)

    def find_grade(self, name: str, *_: str) -> Grade:
        return _found(self._grades, name)

    def find_comment(self, name: str, *_: str) -> Comment:
        return _found(self._comments, name)


def _found(entries: dict[str, Any], name: str) -> Any:
    try:
        return entries[name]
    except KeyError:
        raise MissingEntry(f"No such cell: {name}") from None


@contextlib.contextmanager
def without_commits(gradebook: Gradebook) -> Iterator[None]:
    """Let the caller commit: nbgrader does so at each step, and each time waits for the disk."""
    gradebook.db.commit = gradebook.db.flush
    try:
        yield
    finally:
        del gradebook.db.commit


def answer_digests(notebook: NotebookNode) -> dict[str, str]:
    """Graded cell -> a digest of what the student has answered."""
    found = {}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("grade"):
            continue
        name = marks["grade_id"]
        if marks.get("solution"):
            parts = [cell.source, cell.get("attachments", {})]
        else:
            exercise = name.removeprefix(CHECK)
            parts = [one.source for one in notebook.cells if _answers(one, exercise)]
        found[name] = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return found


def _answers(cell: NotebookNode, exercise: str) -> bool:
    if cell.cell_type != "code":
        return False
    own = cell.metadata.get("nbgrader", {}).get("grade_id") == exercise
    return own or exercise in defined_names(cell.source)


def _digests_of(path: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        return answer_digests(nbformat.read(path, as_version=4))
    return {}


class SaveCells(StockCells):
    """Saves an assignment's cells, also if there are submissions and the release has other cells.

    nbgrader refuses that. Here a cell that is withdrawn stays in the gradebook without being in the
    release, and new cells are added, if the configuration says so or they are withdrawn.
    """

    new_cells = Bool(
        False, help="take graded cells that a release adds, though there are submissions"
    ).tag(config=True)

    def _create_grade_cell(self, cell: NotebookNode) -> None:
        super()._create_grade_cell(cell)
        name = cell.metadata.nbgrader["grade_id"]
        withdrawal = withdrawn_cells(self.gradebook, self.assignment_id).get(name)
        if withdrawal is not None:
            withdrawal.points = self.new_grade_cells[name]["max_score"]
            if not withdrawal.full_points:
                self.new_grade_cells[name]["max_score"] = 0.0

    def _create_notebook(self, nb: NotebookNode) -> None:
        with contextlib.suppress(MissingEntry):
            notebook = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
            if notebook.submissions:
                withdrawn = withdrawn_cells(self.gradebook, self.assignment_id)
                new = {**self.new_grade_cells, **self.new_task_cells}
                changed = changed_cells(notebook, new, withdrawn)
                if changed.removed or (changed.added and not self.new_cells):
                    raise RuntimeError(changed.sentence(self.assignment_id))
                self._keep_and_add(notebook)
        super()._create_notebook(nb)

    def _keep_and_add(self, notebook: Notebook) -> None:
        """Make the cells of release and gradebook the same, as nbgrader demands."""
        kinds = ("grade", "solution", "task", "source")
        for kind in kinds:
            new = getattr(self, f"new_{kind}_cells")
            old = {cell.name: cell for cell in getattr(notebook, f"{kind}_cells")}
            for name in old.keys() - new.keys():
                about = old[name].to_dict()
                new[name] = {
                    key: value
                    for key, value in about.items()
                    if key not in ("name", "notebook", "assignment")
                }
            for name in new.keys() - old.keys():
                add = getattr(self.gradebook, f"add_{kind}_cell")
                cell = add(name, self.notebook_id, self.assignment_id, **new[name])
                for submitted in notebook.submissions:
                    if kind in ("grade", "task"):
                        self.gradebook.db.add(Grade(cell_id=cell.id, notebook=submitted))
                    if kind in ("solution", "task"):
                        self.gradebook.db.add(Comment(cell_id=cell.id, notebook=submitted))
        self.gradebook.db.commit()


class ChangedCells:
    """Which graded cells a release has removed or added since submissions were graded.

    Attributes
    ----------
    removed, added : list of str
        Their names, without those that are withdrawn.
    submissions : int
        How many submissions are in the gradebook.
    """

    def __init__(self, removed: Iterable[str], added: Iterable[str], submissions: int) -> None:
        self.removed, self.added = sorted(removed), sorted(added)
        self.submissions = submissions

    def sentence(self, assignment: str) -> str:
        """What will happen, and the way on."""
        count = f"{self.submissions} submission{'s' * (self.submissions != 1)}"
        are = "is" if self.submissions == 1 else "are"
        said = []
        if self.removed:
            names = ", ".join(name.removeprefix(CHECK) for name in self.removed)
            said.append(
                f"the release of {assignment} has no {names} any more, for which {count} {are}"
                " graded: put it back, or take it out of the total with `autograder withdraw"
                f" {self.removed[0].removeprefix(CHECK)} --reason ...` (--full-points gives all its"
                " points to everyone); points and comments are kept."
            )
        if self.added:
            names = ", ".join(name.removeprefix(CHECK) for name in self.added)
            said.append(
                f"the release of {assignment} adds {names}, which the {count} in the gradebook may"
                f" not have: `autograder grade {assignment} --new-cells` counts it, with 0 points"
                " where it is missing; `autograder withdraw"
                f" {self.added[0].removeprefix(CHECK)} --reason ...` before keeps it out of the"
                " total, with --full-points it gives all its points to everyone."
            )
        return " Also, ".join(said)


def changed_cells(notebook: Notebook, new: Iterable[str], withdrawn: Iterable[str]) -> ChangedCells:
    """Compare the graded cells of a release with those of the gradebook.

    Parameters
    ----------
    notebook : Notebook
        The gradebook's.
    new, withdrawn : iterable of str
        Names of graded cells of the release, and of those that are withdrawn for everyone.
    """
    old = {cell.name for cell in (*notebook.grade_cells, *notebook.task_cells)}
    return ChangedCells(
        old - set(new) - set(withdrawn), set(new) - old - set(withdrawn), len(notebook.submissions)
    )
