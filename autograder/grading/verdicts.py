"""The verdict stage, which compares a submission's answers with the reference, outside its process.

Cases are drawn afresh from the class's seed: a lookup table of the recorded cases, which students
have, scores nothing, and grading twice gives the same scores.
"""

from __future__ import annotations

import functools
import json
import secrets
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.course.cells import asked_exercise
from autograder.errors import CourseError, TookTooLong
from autograder.grading.clean_outputs import clean_outputs
from autograder.grading.grading_log import Notes
from autograder.grading.questions import Answers
from coursekit.checking.html import VerdictView
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.time_limit import time_limit
from coursekit.checking.verdict import GroupResult, Verdict, judge
from coursekit.data.paths import write_atomically

MIME = "application/vnd.coursekit.verdict+json"
_JUDGE_SECONDS = 10.0  # of processor time, for one exercise


def class_seed(folder: Path) -> int:
    """Return the class's seed from `folder/class_seed`, which is created on first use.

    Only the file's owner can read it: who knows the seed knows the cases.

    Raises
    ------
    CourseError
        The file does not contain a whole number.
    """
    path = folder / "class_seed"
    if not path.exists():
        write_atomically(path, f"{secrets.randbelow(2**31)}\n".encode(), private=True)
    try:
        return int(path.read_text())
    except ValueError as error:
        raise CourseError(
            f"{path} must contain one whole number; delete the file to draw a new seed."
        ) from error


def decide(recorded: dict[str, RecordedExercise], answers: Answers) -> list[Verdict]:
    """Return one verdict per exercise, from its recorded cases and the submission's answers.

    Parameters
    ----------
    recorded : dict of str to RecordedExercise
        Exercise -> its cases with the reference's outcomes, from `record_assignment`.
    """
    return [_verdict(exercise, answers) for exercise in recorded.values()]


def refusal(recorded: dict[str, RecordedExercise], reason: str) -> list[Verdict]:
    """Return the verdicts on a submission that could not be run: zeros, with the reason."""
    return decide(recorded, Answers(dict.fromkeys(recorded), dict.fromkeys(recorded, reason)))


def _verdict(exercise: RecordedExercise, answers: Answers) -> Verdict:
    outcomes = answers.outcomes[exercise["name"]]
    if outcomes is None:
        return without_answer(exercise, answers.ends.get(exercise["name"], ""))
    try:
        with time_limit(_JUDGE_SECONDS, TookTooLong):
            return judge(exercise, outcomes)
    except TookTooLong:
        end = f"comparing its results took more than {_JUDGE_SECONDS:g} seconds"
    except MemoryError:
        end = "comparing its results took too much memory"
    return without_answer(exercise, end)


def without_answer(exercise: RecordedExercise, end: str) -> Verdict:
    """Return the verdict where no answer can be judged: zeros, with the reason `end`."""
    counts = {g: sum(c["group"] == g for c in exercise["cases"]) for g in exercise["groups"]}
    return Verdict(
        exercise=exercise["name"],
        points=0.0,
        max_points=float(sum(exercise["groups"].values())),
        groups=[
            GroupResult(group, 0.0, float(points), 0, counts[group], end)
            for group, points in exercise["groups"].items()
        ],
        headline=f"no points, because {end}",
        stage="error",
    )


def write_verdicts(notebook: NotebookNode, verdicts: list[Verdict], notes: Notes) -> None:
    """Replace the outputs of every check cell by its verdict, in the form that nbgrader scores.

    All other outputs are cleaned. The notes go into the notebook's metadata. Only the first check
    cell of an exercise counts. Any other graded cell gets an error, since nbgrader gives full
    points to a cell without output.
    """
    clean_outputs(notebook)
    notes.write(notebook)
    left = {verdict.exercise: verdict for verdict in verdicts}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("grade") or marks.get("solution") or cell.cell_type != "code":
            continue
        verdict = left.pop(asked_exercise(cell) or "", None)
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
    lines = [f"NotGraded: {text}"]
    output: NotebookNode = new_output("error", ename="NotGraded", evalue=text, traceback=lines)
    return output


def read_verdicts(notebook: NotebookNode) -> list[Verdict]:
    """Return the verdicts in an autograded notebook, in order."""
    found = (verdict_in(cell) for cell in notebook.cells)
    return [verdict for verdict in found if verdict is not None]


def verdict_in(cell: NotebookNode) -> Verdict | None:
    """Return the verdict in a cell of an autograded notebook; None if it has none."""
    marks = cell.metadata.get("nbgrader", {})
    if cell.cell_type != "code" or not marks.get("grade") or marks.get("solution"):
        return None  # other cells' outputs come from the student
    for output in cell.outputs:
        data = output.get("data", {}).get(MIME)
        if data:
            return _verdict_of(data if isinstance(data, str) else json.dumps(data))
    return None


@functools.lru_cache(maxsize=1024)
def _verdict_of(text: str) -> Verdict:
    """Return a verdict from JSON; equal verdicts of a class share one object to save memory."""
    return Verdict.from_dict(json.loads(text))
