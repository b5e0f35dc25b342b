"""The verdict stage: compares a submission's answers with the reference, outside its process.

Fresh cases are drawn from the class's own seed, so that the recorded cases that students have
are worth nothing to a lookup table, and grading twice gives the same scores.
"""

from __future__ import annotations

import functools
import json
import secrets
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.course.layout import Course
from autograder.course.recording import record_assignment
from autograder.course.reference import read_shared
from autograder.errors import CourseError
from autograder.grading.needed import mark_needed
from autograder.grading.notes import Record, read_record
from autograder.grading.prefetch import answers_of
from autograder.grading.run import Answers, Limits, checked_exercise
from coursekit.checking.html import VerdictView
from coursekit.checking.verdict import GroupResult, Verdict, judge

MIME = "application/vnd.coursekit.verdict+json"


def class_seed(folder: Path) -> int:
    """The class's seed: the number in `folder/class_seed`, drawn and written on first use.

    Raises
    ------
    CourseError
        The file holds something else than a number.
    """
    path = folder / "class_seed"
    try:
        with path.open("x") as file:
            file.write(f"{secrets.randbelow(2**31)}\n")
    except FileExistsError:
        pass
    try:
        return int(path.read_text())
    except ValueError as error:
        raise CourseError(
            f"{path} should hold one whole number; delete it to draw a new one."
        ) from error


def grade_notebook(
    notebook: NotebookNode,
    course: Course,
    assignment: str,
    seed: int,
    limits: Limits | None = None,
    only: list[str] | None = None,
) -> list[Verdict]:
    """Run a submission and put a verdict under each of its check cells, in place.

    Parameters
    ----------
    notebook : the sanitized submission.
    seed : the seed that the fresh cases are drawn from.
    only : the exercises to judge; all of the assignment's when None.

    Returns
    -------
    One verdict per exercise of the assignment, in the order of its module.
    """
    recorded = record_assignment(course, assignment, seed)
    if only is not None:
        recorded = {name: recorded[name] for name in only}
    questions = {name: exercise["cases"] for name, exercise in recorded.items()}
    mark_needed(notebook, read_shared(course.notebook(assignment)))
    answers = answers_of(notebook, questions, limits or Limits())
    verdicts = [_verdict(exercise, answers) for exercise in recorded.values()]
    record = read_record(notebook)
    record.usage = answers.usage
    record.write(notebook)
    _write(notebook, {verdict.exercise: verdict for verdict in verdicts})
    return verdicts


def refuse_notebook(
    notebook: NotebookNode, course: Course, assignment: str, seed: int, reason: str
) -> None:
    """Write zeros with the reason under every check cell; nothing is run."""
    recorded = record_assignment(course, assignment, seed)
    Record(unread=reason).write(notebook)
    answers = Answers(dict.fromkeys(recorded), dict.fromkeys(recorded, reason))
    _write(notebook, {name: _verdict(exercise, answers) for name, exercise in recorded.items()})


def _verdict(exercise: dict[str, Any], answers: Answers) -> Verdict:
    name = exercise["name"]
    outcomes = answers.outcomes[name]
    if outcomes is not None:
        return judge(exercise, outcomes)
    end = answers.ends[name]
    counts = {g: sum(c["group"] == g for c in exercise["cases"]) for g in exercise["groups"]}
    return Verdict(
        exercise=name,
        points=0.0,
        max_points=float(sum(exercise["groups"].values())),
        groups=[
            GroupResult(group, 0.0, float(points), 0, counts[group], end)
            for group, points in exercise["groups"].items()
        ],
        headline=f"no points, because {end}",
        stage="error",
    )


def _write(notebook: NotebookNode, verdicts: dict[str, Verdict]) -> None:
    """Replace the outputs of every check cell by its verdict, in the form nbgrader scores.

    Only the first check cell of an exercise counts; another one, and a graded cell that is no
    check of this assignment, gets an error, since nbgrader gives full points to no output.
    """
    left = dict(verdicts)
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("grade") or marks.get("solution") or cell.cell_type != "code":
            continue
        verdict = left.pop(checked_exercise(cell.source) or "", None)
        if verdict is None:
            text = "this graded cell checks no exercise of the assignment"
            cell.outputs = [_error(text)]
        else:
            cell.outputs = _outputs(verdict)


def _outputs(verdict: Verdict) -> list[NotebookNode]:
    view = VerdictView(verdict)
    data = {
        "text/html": view._repr_html_(),
        "text/plain": repr(view),
        MIME: json.dumps(verdict.to_dict()),
    }
    points = {"text/plain": repr(min(verdict.points, verdict.max_points))}
    return [
        new_output("display_data", data=data),
        new_output("execute_result", data=points, execution_count=None),
    ]


def _error(text: str) -> NotebookNode:
    return new_output("error", ename="NotGraded", evalue=text, traceback=[f"NotGraded: {text}"])


def read_verdicts(notebook: NotebookNode) -> list[Verdict]:
    """The verdicts that an autograded notebook carries, in order."""
    verdicts = []
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not marks.get("grade") or marks.get("solution"):
            continue  # outputs of other cells are the student's own
        for output in cell.outputs:
            data = output.get("data", {}).get(MIME)
            if data:
                verdicts.append(_verdict_of(data if isinstance(data, str) else json.dumps(data)))
    return verdicts


@functools.lru_cache(maxsize=1024)
def _verdict_of(text: str) -> Verdict:
    """A verdict from JSON. Many in a class are equal: those are one object in memory."""
    return Verdict.from_dict(json.loads(text))
