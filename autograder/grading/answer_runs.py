"""The run of a course's own answers, right and wrong, in the sandbox of submissions.

They are texts that somebody else may have written: a student, whose answer `autograder adopt` took
over, or the author of another course. Outcomes come back as plain data, as a submission's do.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.assignment import Assignment
from autograder.course.cells import CHECK, kept_definitions
from autograder.course.exercise import Answer
from autograder.errors import AnswerError
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits, hidden_folders
from autograder.grading.questions import Outcomes, without_expected
from autograder.sandbox.doctor import is_available
from coursekit.checking.recording_format import Outcome, Question
from coursekit.checking.verdict import clean

_CELL_SECONDS, _NOTEBOOK_SECONDS = 120.0, 3600.0
#: Number of answers per kernel; they take about as long as a kernel takes to start.
_EACH = 40
#: Defines an answer, in a copy of the notebook's names, under a name of its own. It is run as one
#: statement: of a cell that stops, a kernel runs the later definitions all the same.
_DEFINE = """\
_names = dict(globals())
exec(compile({text!r}, {filename!r}, "exec"), _names)
if _names.get({name!r}) is globals().get({name!r}):
    raise NameError("it does not define " + {name!r})
{alias} = _names[{name!r}]
"""


def run_answers(
    assignment: Assignment,
    answers: Sequence[Answer],
    cases: Mapping[str, Sequence[Question]],
    limits: Limits | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> list[Outcomes]:
    """Run each answer beside the reference's other definitions; return their outcomes.

    They run in sandboxes, side by side if there are many. Where there is no sandbox, they run in one
    process, without isolation.

    Parameters
    ----------
    cases : mapping of str to sequence of Question
        Exercise -> the cases to run its answers with.
    limits : Limits, optional
        Limits of the run; None for a sandboxed run where there is a sandbox.
    meanwhile : callable, optional
        Called once while they run.

    Raises
    ------
    AnswerError
        An answer cannot be run, or does not define its exercise.
    """
    meanwhile = meanwhile or _nothing
    if not answers:
        meanwhile()
        return []
    course = assignment.course
    if limits is None:
        limits = Limits(
            hidden=hidden_folders(course.root, course.root),
            visible=course.visible,
            preload=course.preload,
        )
    limits = replace(
        limits,
        sandbox=limits.sandbox and is_available(),  # a cluster's may be elsewhere
        cell_seconds=_CELL_SECONDS,
        notebook_seconds=_NOTEBOOK_SECONDS,
        training_steps=None,
        data_rows=None,
    )
    kernels = min(os.cpu_count() or 1, 1 + len(answers) // _EACH) if limits.sandbox else 1
    parts = [answers[i::kernels] for i in range(kernels)]
    # made here, since two threads that use `ast` at once fail now and then (CPython issue 106905)
    notebooks = [_notebook(assignment, part, _aliases(part)) for part in parts]
    run = partial(_run, assignment, cases=cases, limits=limits)
    if not limits.sandbox:
        meanwhile()
        return run(answers, notebooks[0])
    with ThreadPoolExecutor(kernels) as threads:
        running = threads.map(run, parts, notebooks)
        meanwhile()
        found = list(running)
    return [found[i % kernels][i // kernels] for i in range(len(answers))]


def _nothing() -> None:
    pass


def _aliases(answers: Sequence[Answer]) -> list[str]:
    """Return a name for each answer in a kernel that runs them all."""
    return [f"{answer.exercise}__{number}" for number, answer in enumerate(answers)]


def _run(
    assignment: Assignment,
    answers: Sequence[Answer],
    notebook: NotebookNode,
    cases: Mapping[str, Sequence[Question]],
    limits: Limits,
) -> list[Outcomes]:
    """Run the answers' notebook in one kernel; return the outcomes of each answer."""
    aliases = _aliases(answers)
    questions = {alias: cases[answer.exercise] for alias, answer in zip(aliases, answers)}
    found = run_notebook(notebook, without_expected(questions), limits)
    ran = []
    for alias, answer in zip(aliases, answers):
        outcomes = found.outcomes[alias]
        if outcomes is None or outcomes[0].get("message") == f"{alias} is not defined":
            why = _error(notebook, alias) or found.ends.get(alias, "")
            raise AnswerError(
                f"{answer.exercise}: {answer.name} cannot be run: {why}\n{assignment.typed(answer)}"
            )
        ran.append([_tidy(outcome) for outcome in outcomes])
    return ran


def _notebook(
    assignment: Assignment, answers: Sequence[Answer], aliases: Sequence[str]
) -> NotebookNode:
    """Return the solution's imports and definitions, then each answer and its check."""
    name = assignment.solution.path.name
    kept = [kept_definitions(cell.source, name) for cell in assignment.solution.code]
    cells = [new_code_cell(ast.unparse(tree)) for tree in kept if tree.body]
    for answer, alias in zip(answers, aliases):
        cells += answer_cells(answer.exercise, assignment.typed(answer), alias)
    notebook: NotebookNode = new_notebook(cells=cells)
    return notebook


def answer_cells(exercise: str, text: str, alias: str) -> list[NotebookNode]:
    """Return a cell that defines an answer as `alias` beside the notebook's names, and its check."""
    source = _DEFINE.format(
        text=text, filename=f"<answer to {exercise}>", name=exercise, alias=alias
    )
    marks = {"grade": True, "solution": False, "grade_id": f"{CHECK}{alias}"}
    check = new_code_cell(f"check({alias})", metadata={"nbgrader": marks})
    return [new_code_cell(f"exec({source!r})", metadata={"answer": alias}), check]


def _error(notebook: NotebookNode, alias: str) -> str:
    """Return the error of the cell that defines an answer, or ""."""
    for cell in notebook.cells:
        if cell.metadata.get("answer") == alias:
            for output in cell.outputs:
                if output.output_type == "error":
                    return f"{output.ename}: {output.evalue}"
    return ""


def _tidy(outcome: Any) -> Outcome:
    """Return an outcome with valid fields only, as it comes from an untrusted process."""
    tidy = clean(outcome)
    if tidy["status"] != "value":
        tidy.pop("value", None)
    return tidy
