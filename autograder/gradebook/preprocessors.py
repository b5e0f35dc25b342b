"""The tool's own steps in nbgrader's pipeline, which `nbgrader_config.py` names.

Through them `autograder`, plain `nbgrader` commands and formgrader's button all do the same.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from traitlets import Bool, Float, Integer, Unicode

from autograder.course.assignment import Assignment
from autograder.course.cells import OR_GIVEN
from autograder.course.layout import find_course
from autograder.gradebook.exporter import UNREAD, class_folder
from autograder.grading.grade_submission import (
    OF_THE_SUBMISSION,
    Task,
    finish,
    run_and_judge,
    why_unread,
)
from autograder.grading.grading_log import Notes, read_notes
from autograder.grading.limits import Limits, hidden_folders
from autograder.grading.sanitize import restore, suspicions
from autograder.grading.submissions import tidy
from autograder.grading.verdicts import class_seed, refusal, write_verdicts
from autograder.grading.worker_pool import Serial

GOES_ON = "raises-exception"
_TODO = re.compile(r"BEGIN SOLUTION:?[ \t]*(.*)")
_MARK = '"the solution that stood here"'


class RestoreCells(NbGraderPreprocessor):
    """The sanitize stage, before nbgrader overwrites the locked cells."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Sanitize a submitted notebook, unless it was sanitized before it ran."""
        if self.config.Grade.get("graded"):
            return nb, resources  # it was sanitized before it ran
        release = _assignment(resources).release
        if reason := resources.get(UNREAD):
            nb = copy.deepcopy(release)
            Notes(unread=reason).write(nb)
            self.log.warning(reason)
            return nb, resources
        tidy(nb)
        notes = Notes(suspicions=suspicions(nb, release))
        notes.repairs = restore(nb, release)
        notes.write(nb)
        for repair in notes.repairs:
            self.log.warning(repair.what)
        return nb, resources


class Grade(NbGraderPreprocessor):
    """The run and verdict stages, in place of nbgrader's Execute."""

    cell_seconds = Float(Limits.cell_seconds, help="wall time for one cell, in seconds").tag(
        config=True
    )
    notebook_seconds = Float(
        Limits.notebook_seconds, help="wall time for a notebook, in seconds"
    ).tag(config=True)
    training_steps = Integer(
        Limits.training_steps, allow_none=True, help="optimizer steps of one fit; None for a few"
    ).tag(config=True)
    all_cells = Bool(
        Limits.all_cells, help="always run the cells that only show something, for their figures"
    ).tag(config=True)
    sandbox = Bool(
        Limits.sandbox, help="run submissions in a sandbox; without one, nothing is out of reach"
    ).tag(config=True)
    graded = Unicode(
        "", help="a copy of the submission that `autograder grade` has graded; its outputs count"
    ).tag(config=True)

    def limits(self) -> Limits:
        """Return the limits that the configuration sets for a submission."""
        return Limits(
            cell_seconds=self.cell_seconds,
            notebook_seconds=self.notebook_seconds,
            all_cells=self.all_cells,
            training_steps=self.training_steps,
            sandbox=self.sandbox,
        )

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run a notebook and write its verdicts, or copy the outputs of one graded already."""
        if self.graded:
            _copy_outputs(nbformat.read(self.graded, as_version=4), nb)
            return nb, resources
        course = find_course()
        folder = class_folder(resources["nbgrader"]["db_url"])
        limits = replace(self.limits(), hidden=hidden_folders(course.root, folder))
        task = Task.of(_assignment(resources), class_seed(folder), limits)
        notes = read_notes(nb)
        verdicts = refusal(task.recorded, notes.unread)
        if not notes.unread:
            try:
                run = Serial(task.questions).start
                nb, verdicts, notes.usage = finish(run_and_judge(nb, task, run))
            except OF_THE_SUBMISSION as error:
                notes.unread = why_unread(error)
                verdicts = refusal(task.recorded, notes.unread)
        write_verdicts(nb, verdicts, notes)
        for verdict in verdicts:
            if not verdict.passed:
                self.log.info(
                    "%s: %g of %g, %s",
                    verdict.exercise,
                    verdict.points,
                    verdict.max_points,
                    verdict.headline,
                )
        return nb, resources


def _assignment(resources: dict[str, Any]) -> Assignment:
    """Return the assignment that nbgrader is working on, read once for all of its cells."""
    if "coursekit_assignment" not in resources:
        resources["coursekit_assignment"] = Assignment(
            find_course(), resources["nbgrader"]["assignment"]
        )
    assignment: Assignment = resources["coursekit_assignment"]
    return assignment


def _copy_outputs(graded: NotebookNode, nb: NotebookNode) -> None:
    """Copy the outputs and grading notes of a graded notebook."""
    for cell, ready in zip(nb.cells, graded.cells, strict=True):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = ready.outputs, ready.get("execution_count")
    read_notes(graded).write(nb)


class RunAll(NbGraderPreprocessor):
    """The release step that lets *Run All* go on after an exercise that is unwritten or wrong.

    From the first exercise on, cells of the student notebook get the tag `raises-exception`, by
    which JupyterLab, Notebook, VS Code and nbclient run the next cell after an error. The
    record of the solution's outputs, which the student notebook has not, is removed.
    """

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Tag the code cells from the first exercise on."""
        nb.metadata.pop("autograder", None)
        started = False
        for cell in nb.cells:
            started = started or "nbgrader" in cell.metadata
            if started and cell.cell_type == "code":
                tags = cell.metadata.get("tags", [])
                cell.metadata["tags"] = [*tags, *({GOES_ON} - set(tags))]
        return nb, resources


class NamedStub(ClearSolutions):
    """nbgrader's ClearSolutions, with stubs that say in words what is missing.

    The answer to a question that is graded by hand becomes a line that asks for one. A cell for code
    of an earlier assignment that a student may do without becomes a comment, and raises nothing.

    ``### BEGIN SOLUTION: softmax over the keys`` becomes
    ``raise NotImplementedError("softmax over the keys")``. The line above it, ``# TODO: your code``,
    names what the exercise forbids.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Replace the solutions in a cell by stubs with their texts."""
        texts = [match.strip() for match in _TODO.findall(cell.source)]
        todo = f"# TODO: your code{_exclusion(cell, resources)}"
        self.code_stub = {"python": f"{todo}\nraise NotImplementedError({_MARK})"}
        if cell.source.partition("\n")[0].endswith(OR_GIVEN):
            self.code_stub = {"python": f"# TODO: {' '.join(texts)}"}
        self.text_stub = "*Your answer, in a few sentences.*"
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        for text in texts:
            cell.source = cell.source.replace(_MARK, json.dumps(text, ensure_ascii=False), 1)
        return cell, resources


def _exclusion(cell: NotebookNode, resources: dict[str, Any]) -> str:
    """Return what an answer must not use, as an addition to its TODO: ", without ..." or ""."""
    found = _assignment(resources).exercises
    exercise = found.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
    return (
        f", without {' and '.join(exercise.forbidden)}" if exercise and exercise.forbidden else ""
    )
