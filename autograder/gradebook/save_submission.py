"""Save a graded submission: points, comments, penalty and notebook, all of them or nothing.

`nbgrader autograde` would read, sanitize and score a submission from file to file, and commit at each
step. All that is done when a submission comes here. What nbgrader's steps add to it is added to the
notebook in memory, and the gradebook changes in one transaction.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, InvalidEntry, SubmittedAssignment
from nbgrader.converters import Autograde
from nbgrader.preprocessors import (
    AssignLatePenalties,
    ClearOutput,
    Execute,
    NbGraderPreprocessor,
    OverwriteKernelspec,
)
from nbgrader.preprocessors import OverwriteCells as StockOverwrite
from nbgrader.preprocessors import SaveAutoGrades as StockScores
from nbgrader.utils import find_all_files
from traitlets import import_item
from traitlets.config import Config

from autograder.gradebook.class_folder import Classroom, nbgrader_app
from autograder.gradebook.late_penalties import charge, submission_time
from autograder.gradebook.preprocessors import Grade, RestoreCells
from autograder.gradebook.retry import machine_error, patiently
from autograder.gradebook.score_savers import OverwriteCells, SaveAutoGrades, without_commits
from autograder.grading.submissions import copy_files, ensure_secret

#: Where a submission is written, in `autograded/`, until its points are saved, too.
_NEW = ".new"
#: The steps of nbgrader's pipeline that the stages of grading and `SubmissionSaver` replace.
_TAKEN = (
    *(ClearOutput, RestoreCells, OverwriteKernelspec, StockOverwrite),
    *(Execute, Grade, StockScores, AssignLatePenalties),
)


class SubmissionSaver:
    """Saves graded submissions of one assignment, one at a time.

    Parameters
    ----------
    classroom : Classroom
        The class.
    assignment : str
        The assignment's name.
    config : Config
        nbgrader's: file permissions, files that are not copied, hooks, the plugin for late work, and
        steps of the course's own, which work on the notebook before it is scored.
    """

    def __init__(self, classroom: Classroom, assignment: str, config: Config) -> None:
        self.classroom, self.assignment = classroom, assignment
        self._new = classroom.folder / "autograded" / _NEW
        app = nbgrader_app(config)
        app.coursedir.assignment_id = assignment
        app.coursedir.autograded_directory = str(self._new / "autograded")
        self._nbgrader = Autograde(coursedir=app.coursedir, parent=app)
        self._steps = [step(parent=self._nbgrader) for step in self._own_steps()]

    def _own_steps(self) -> Iterator[type[NbGraderPreprocessor]]:
        """Yield the configured steps of nbgrader's pipeline that nothing else takes."""
        nbgrader = self._nbgrader
        for named in (*nbgrader.sanitize_preprocessors, *nbgrader.autograde_preprocessors):
            step = import_item(named) if isinstance(named, str) else named
            if not issubclass(step, _TAKEN):
                yield step

    def save(self, student: str, notebook: NotebookNode) -> None:
        """Save a notebook with verdicts; if that fails, files and gradebook stay as they were."""

        def save() -> None:
            try:
                self._save(student, notebook)
            except InvalidEntry as error:  # nbgrader's, for any error of the database
                raise machine_error(error) or error from None

        patiently(save)

    def _save(self, student: str, notebook: NotebookNode) -> None:
        """Save a notebook, in a single attempt."""
        place = self.classroom.autograded(student, self.assignment)
        shutil.rmtree(self._new, ignore_errors=True)  # of a grading that was killed
        try:
            nbgrader, coursedir = self._nbgrader, self._nbgrader.coursedir
            coursedir.student_id = student
            nbgrader.notebooks = [str(self.classroom.submission(student, self.assignment))]
            nbgrader.run_pre_convert_hook()
            folder = self._new / "autograded" / student / self.assignment
            self._copy_files(student, folder)
            graded = self._with_own_steps(student, notebook)
            with self.classroom.open_gradebook() as gradebook:
                with without_commits(gradebook):
                    submission = self._enter(gradebook, student, folder)
                    self._score(gradebook, submission, graded, place)
                    self._write(graded, folder / place.name)
                    nbgrader.set_permissions(self.assignment, student)
                    gradebook.db.flush()
                with _in_place_of(place.parent, folder, self._new / "before"):
                    gradebook.db.commit()
            nbgrader.run_post_convert_hook()
        finally:
            shutil.rmtree(self._new, ignore_errors=True)

    def _copy_files(self, student: str, target: Path) -> None:
        """Copy the other files of the submission, and over them those of the course."""
        coursedir, name = self._nbgrader.coursedir, self.assignment
        submitted = self._new / "submitted"
        submitted.mkdir(parents=True)
        copy_files(self.classroom.submission(student, name).parent, submitted)
        ensure_secret(submitted)
        given = Path(coursedir.format_path(coursedir.source_directory, ".", name))
        kept = {given / path for path in self._nbgrader.exclude_overwriting.get(name, [])}
        target.mkdir(parents=True)
        for source in (submitted, given):
            for found in map(Path, find_all_files(str(source), [*coursedir.ignore, "*.ipynb"])):
                if found in kept:
                    continue
                copy = target / found.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.unlink(missing_ok=True)
                shutil.copy(found, copy)

    def _with_own_steps(self, student: str, notebook: NotebookNode) -> NotebookNode:
        """Return a copy of the notebook, changed by the configured steps."""
        copy: NotebookNode = nbformat.from_dict(notebook)
        about = {"student": student, "assignment": self.assignment, "notebook": self.assignment}
        resources: dict[str, Any] = {
            "unique_key": self.assignment,
            "nbgrader": {**about, "db_url": self._nbgrader.coursedir.db_url},
        }
        for step in self._steps:
            copy, resources = step(copy, resources)
        return copy

    def _enter(self, gradebook: Gradebook, student: str, folder: Path) -> SubmittedAssignment:
        """Enter a submission into the gradebook, with the time in its folder."""
        gradebook.update_or_create_student(student)
        time = submission_time(folder)
        with warnings.catch_warnings():
            # harmless; nbgrader's own models cause it for every new submission
            warnings.filterwarnings("ignore", message="Object of type .* not in session")
            submission = gradebook.update_or_create_submission(
                self.assignment, student, **({} if time is None else {"timestamp": time})
            )
        for notebook in submission.notebooks:
            if notebook.name != self.assignment:  # of an earlier release
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = 0, False
        return submission

    def _score(
        self,
        gradebook: Gradebook,
        submission: SubmittedAssignment,
        notebook: NotebookNode,
        last_graded: Path,
    ) -> None:
        """Score a notebook, whose locked cells and kernel become those of the release."""
        name, config = self.assignment, self._nbgrader.config
        kernelspec = json.loads(gradebook.find_notebook(name, name).kernelspec or "null")
        if kernelspec:
            notebook.metadata["kernelspec"] = kernelspec
        OverwriteCells(config=config).overwrite(notebook, gradebook, name, name)
        SaveAutoGrades(config=config).save(notebook, gradebook, submission, name, last_graded)
        gradebook.db.flush()
        gradebook.db.expire_all()  # the sums that nbgrader has the database compute
        charge(config, gradebook, self.classroom.folder, submission)

    def _write(self, notebook: NotebookNode, path: Path) -> None:
        """Write a notebook, as nbgrader's exporter would."""
        nbformat.validate(notebook, relax_add_props=True)
        path.write_text(f"{nbformat.v4.writes(notebook)}\n", "utf-8")


@contextlib.contextmanager
def _in_place_of(place: Path, new: Path, before: Path) -> Iterator[None]:
    """Replace a folder by a new one; restore it if the block fails.

    Parameters
    ----------
    before : Path
        Where the replaced folder, if there was one, stays in the meantime.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        if place.exists():
            place.rename(before)
        new.rename(place)
        yield
    except BaseException:
        if place.exists() and not new.exists():
            place.rename(new)
        if before.exists():
            before.rename(place)
        with contextlib.suppress(OSError):  # unless there is something in it
            place.parent.rmdir()
        raise
