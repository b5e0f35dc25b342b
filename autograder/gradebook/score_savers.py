"""nbgrader's steps that write to the gradebook, adapted to keep an instructor's decisions.

They have the names of nbgrader's own steps, by which `nbgrader_config.py` replaces these.
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
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            self.overwrite(nb, gradebook, about["notebook"], about["assignment"])
        return nb, resources

    def overwrite(
        self, nb: NotebookNode, gradebook: Gradebook, notebook: str, assignment: str
    ) -> None:
        """Restore the cells of a submission in place: source, type, points and checksum."""
        self.notebook_id, self.assignment_id = notebook, assignment
        self.gradebook = _ReleasedCells(gradebook, notebook, assignment)
        for index, cell in enumerate(nb.cells):
            nb.cells[index], _ = self.preprocess_cell(cell, {}, index)


class _ReleasedCells:
    """The cells of a released notebook, with the methods of a `Gradebook` that look them up.

    They are read at once: nbgrader asks the database for each cell by itself.
    """

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
        """Return a cell as it was released."""
        return _found(self._sources, name)

    def find_graded_cell(self, name: str, *_: str) -> SimpleNamespace:
        """Return an object with the points of a graded cell."""
        graded: SimpleNamespace = _found(self._graded, name)
        return graded


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
        """Save points and automatic comments; the caller commits.

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
        rows = withdrawals(gradebook, self.assignment_id)
        self._withdrawals = concerning(rows, self.student_id)
        for index, cell in enumerate(nb.cells):
            self.preprocess_cell(cell, {}, index)
        apply_withdrawals(gradebook, self.assignment_id, submission)

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        """Save a cell's score; ask for grading by hand only if the answer has changed."""
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
        """The digests of the answers that were graded the last time."""
        return _digests_of(self._last_graded) if self._last_graded is not None else {}


class _Entries:
    """The grades and comments of a submission, with the methods of a `Gradebook` that look them up.

    Attributes
    ----------
    answers : dict of str to GradedAnswer
        Id of a grade -> the answer that it belongs to.
    asides : dict of str to SetAside
        Id of a grade that is withdrawn -> what a person has said of it.
    """

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
        """Return the rows of one of our tables, by the id of the grade that they belong to."""
        return {row.grade: row for row in self._session.query(table).filter(table.grade.in_(ids))}

    def add(self, row: GradedAnswer) -> None:
        """Add a row to the gradebook."""
        self._session.add(row)

    def find_grade(self, name: str, *_: str) -> Grade:
        """Return the grade of a cell."""
        return _found(self._grades, name)

    def find_comment(self, name: str, *_: str) -> Comment:
        """Return the comment on a cell."""
        return _found(self._comments, name)


def _found(entries: dict[str, Any], name: str) -> Any:
    """Return the entry of a cell, or raise `MissingEntry`, as a `Gradebook` does."""
    try:
        return entries[name]
    except KeyError:
        raise MissingEntry(f"No such cell: {name}") from None


@contextlib.contextmanager
def without_commits(gradebook: Gradebook) -> Iterator[None]:
    """Leave commits to the caller.

    nbgrader commits at each step, and waits for the disk each time.
    """
    gradebook.db.commit = gradebook.db.flush
    try:
        yield
    finally:
        del gradebook.db.commit


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
