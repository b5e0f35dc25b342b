"""What nbgrader's own pipeline calls: one step for autograding, one for releasing.

`nbgrader_config.py` names them, so that `autograder`, plain `nbgrader` commands and formgrader's
button all do the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from traitlets import Bool, Float, Integer

from autograder.course.layout import find_course
from autograder.grading.run import Limits
from autograder.grading.verdicts import class_seed, grade_notebook, refuse_notebook

#: Notebook metadata of a stand-in for a submission that cannot be read: the reason.
UNREAD = "coursekit_unread"

_TODO = re.compile(r"BEGIN SOLUTION:?\s*(.*)")
_MARK = '"the solution that stood here"'


class Grade(NbGraderPreprocessor):
    """Stands in for nbgrader's Execute: runs the submission apart and writes the verdicts."""

    cell_seconds = Float(Limits.cell_seconds, help="wall time for one cell, in seconds").tag(
        config=True
    )
    notebook_seconds = Float(
        Limits.notebook_seconds, help="wall time for a notebook, in seconds"
    ).tag(config=True)
    training_steps = Integer(
        Limits.training_steps, allow_none=True, help="optimizer steps of one fit; None for a few"
    ).tag(config=True)
    all_cells = Bool(False, help="run also the cells that no graded answer depends on").tag(
        config=True
    )
    sandbox = Bool(True, help="run submissions in a box; without one they see and can do all").tag(
        config=True
    )

    def limits(self) -> Limits:
        """What the configuration allows a submission."""
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
        course = find_course()
        assignment = resources["nbgrader"]["assignment"]
        # the gradebook's own folder: that of the class, which may be apart from the course
        seed = class_seed(Path(resources["nbgrader"]["db_url"].removeprefix("sqlite:///")).parent)
        reason = nb.metadata.pop(UNREAD, None)
        if reason is not None:
            refuse_notebook(nb, course, assignment, seed, str(reason))
            return nb, resources
        verdicts = grade_notebook(nb, course, assignment, seed, self.limits())
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


class NamedStub(ClearSolutions):
    """nbgrader's ClearSolutions, with stubs that say in words what is missing.

    ``### BEGIN SOLUTION: softmax over the keys`` becomes
    ``raise NotImplementedError("softmax over the keys")``.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        todos = [match.strip() for match in _TODO.findall(cell.source)]
        self.code_stub = {"python": f"# TODO: your code\nraise NotImplementedError({_MARK})"}
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        for todo in todos:
            cell.source = cell.source.replace(_MARK, json.dumps(todo, ensure_ascii=False), 1)
        return cell, resources
