"""nbgrader's steps that write to the gradebook, adapted to keep an instructor's decisions.

They have the names of nbgrader's own steps, by which `nbgrader_config.py` replaces these.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Gradebook, MissingEntry, Notebook
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.preprocessors import OverwriteCells as StockOverwrite
from nbgrader.preprocessors import SaveAutoGrades as StockScores
from nbgrader.preprocessors import SaveCells as StockCells
from traitlets import Bool

from autograder.course.cells import CHECK, defined_names
from autograder.gradebook.exporter import class_folder
from autograder.gradebook.own_tables import GradedAnswer, SetAside
from autograder.gradebook.withdrawn import (
    apply_withdrawals,
    concerning,
    withdrawals,
    withdrawn_cells,
)


class OverwriteCells(StockOverwrite):
    """nbgrader's step that restores locked cells, aware of withdrawn exercises.

    A withdrawn cell is worth what the release says, as its checksum includes the points.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Restore the locked cells of a notebook."""
        self._withdrawn: set[str] | None = None
        nb, resources = super().preprocess(nb, resources)
        return nb, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Restore one cell, with the released points if it is withdrawn."""
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        withdrawal = None
        if self._withdrawn is None:  # once, not for each cell
            self._withdrawn = set(withdrawn_cells(self.gradebook, self.assignment_id))
        if name in self._withdrawn:
            withdrawal = withdrawn_cells(self.gradebook, self.assignment_id)[name]
        if withdrawal is not None:
            with self.gradebook.db.no_autoflush, contextlib.suppress(MissingEntry):
                where = (name, self.notebook_id, self.assignment_id)
                self.gradebook.find_graded_cell(*where).max_score = withdrawal.points
        with self.gradebook.db.no_autoflush:
            cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if withdrawal is not None:
            self.gradebook.db.rollback()
        return cell, resources


class SaveAutoGrades(StockScores):
    """nbgrader's step that saves scores, which keeps grading by hand while the answer is the same.

    nbgrader itself asks for each score by hand again. A withdrawn exercise keeps the points of the
    withdrawal.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Save the scores of all cells in one transaction, then apply the withdrawals."""
        about = resources["nbgrader"]
        self._digests = answer_digests(nb)
        self._earlier = {}
        if self.config.Grade.get("graded"):
            # the notebook of the last time is still there: it tells what a person has graded
            folder = class_folder(about["db_url"]) / "autograded"
            path = folder / about["student"] / about["assignment"] / f"{about['notebook']}.ipynb"
            self._earlier = _digests_of(path)
        self.notebook_id, self.assignment_id = about["notebook"], about["assignment"]
        self.student_id, self.db_url = about["student"], about["db_url"]
        self.gradebook = Gradebook(self.db_url)
        with self.gradebook, _in_one_transaction(self.gradebook):
            rows = withdrawals(self.gradebook, self.assignment_id)
            self._withdrawals = concerning(rows, self.student_id)
            nb, resources = NbGraderPreprocessor.preprocess(self, nb, resources)
            submission = self.gradebook.find_submission(self.assignment_id, self.student_id)
            apply_withdrawals(self.gradebook, self.assignment_id, submission)
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        """Save a cell's score; ask for grading by hand only if the answer has changed."""
        name = cell.metadata["nbgrader"]["grade_id"]
        where = (name, self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(*where)
        db = self.gradebook.db
        withdrawal = self._withdrawals.get(name)
        if withdrawal is not None:  # nbgrader refuses more points than the cell is worth now
            cell.metadata["nbgrader"]["points"] = withdrawal.points
        aside = db.get(SetAside, grade.id)
        by_hand = aside or grade
        manual, waited = by_hand.manual_score, by_hand.needs_manual_grade
        super()._add_score(cell, resources)
        seen, digest = db.get(GradedAnswer, grade.id), self._digests[name]
        same = (seen.digest if seen else self._earlier.get(name)) == digest
        by_hand.needs_manual_grade = (
            grade.auto_score is None if manual is None else waited or not same
        )
        db.merge(GradedAnswer(grade=grade.id, digest=digest))


@contextlib.contextmanager
def _in_one_transaction(gradebook: Gradebook) -> Iterator[None]:
    """Commit once, when the block ends.

    nbgrader commits after each cell, and waits for the disk each time.
    """
    db = gradebook.db
    db.commit = db.flush
    try:
        yield
    finally:
        del db.commit
    db.commit()


def answer_digests(notebook: NotebookNode) -> dict[str, str]:
    """Return graded cell -> digest of the student's answer."""
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
    """Tell whether a cell holds an exercise or defines its name."""
    if cell.cell_type != "code":
        return False
    own = cell.metadata.get("nbgrader", {}).get("grade_id") == exercise
    return own or exercise in defined_names(cell.source)


def _digests_of(path: Path) -> dict[str, str]:
    """Return the answer digests of a notebook file; none if it cannot be read."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        return answer_digests(nbformat.read(path, as_version=4))
    return {}


class SaveCells(StockCells):
    """nbgrader's step that saves an assignment's cells, which accepts changes after submissions.

    nbgrader refuses a release whose graded cells have changed once there are submissions. Here a
    withdrawn cell that the release no longer has stays in the gradebook, and new cells are added if
    they are withdrawn or `new_cells` is set.
    """

    new_cells = Bool(
        False, help="take graded cells that a release adds, though there are submissions"
    ).tag(config=True)

    def _create_grade_cell(self, cell: NotebookNode) -> None:
        """Register a graded cell; a withdrawn one is worth 0 points or its full points."""
        super()._create_grade_cell(cell)
        name = cell.metadata.nbgrader["grade_id"]
        withdrawal = withdrawn_cells(self.gradebook, self.assignment_id).get(name)
        if withdrawal is not None:
            withdrawal.points = self.new_grade_cells[name]["max_score"]
            if not withdrawal.full_points:
                self.new_grade_cells[name]["max_score"] = 0.0

    def _create_notebook(self, nb: NotebookNode) -> None:
        """Register a notebook's cells; raise a `RuntimeError` if submissions forbid its changes."""
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
    """The graded cells that a release has removed or added since submissions were graded.

    Attributes
    ----------
    removed, added : list of str
        Names of the cells, without withdrawn ones.
    submissions : int
        Number of submissions in the gradebook.
    """

    def __init__(self, removed: Iterable[str], added: Iterable[str], submissions: int) -> None:
        self.removed, self.added = sorted(removed), sorted(added)
        self.submissions = submissions

    def sentence(self, assignment: str) -> str:
        """Return a sentence that says what has changed and what to do."""
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
        The notebook in the gradebook.
    new, withdrawn : iterable of str
        Names of the graded cells of the release, and of the cells withdrawn for everyone.
    """
    old = {cell.name for cell in (*notebook.grade_cells, *notebook.task_cells)}
    return ChangedCells(
        old - set(new) - set(withdrawn), set(new) - old - set(withdrawn), len(notebook.submissions)
    )
