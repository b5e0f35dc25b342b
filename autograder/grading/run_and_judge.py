"""The run and verdict stages: run a submission, and judge its answers.

Cells that only show something are left out. Where an answer is then not right, the submission runs
again with every cell (`cell_skipping`), and the better verdict on an exercise counts.
"""

from __future__ import annotations

from dataclasses import replace

from nbformat import NotebookNode

from autograder.grading.cell_skipping import (
    LEFT_OUT,
    mark_left_out,
    needs_every_cell,
    shown_cells,
)
from autograder.grading.grading_task import Task
from autograder.grading.judge_pool import Judge
from autograder.grading.outputs import cells_cut_off, was_cut_off
from autograder.grading.questions import Answers
from autograder.grading.reused_solutions import mark_pasted
from autograder.grading.stages import (
    Grading,
    Judged,
    Run,
    Sanitized,
    added,
    replaced,
)
from coursekit.checking.verdict import Verdict


def run_and_judge(
    sanitized: Sanitized, task: Task, start_run: Run, start_judging: Judge
) -> Grading[tuple[NotebookNode, Judged]]:
    """Run a sanitized submission and judge its answers; run every cell if one is not right.

    Returns
    -------
    Grading[tuple of (NotebookNode, Judged)]
        The notebook with its outputs, and the verdicts.
    """
    notebook, checks = sanitized.notebook, sanitized.checks
    if task.helpers is not None:
        mark_pasted(notebook, task.helpers.assignment, task.pasted)
    mark_left_out(notebook, task.release, checks, task.only)
    running = start_run(notebook, task.limits)
    yield running
    notebook, answers = running.result()
    judging = start_judging(task.recorded, answers)
    yield judging
    verdicts = judging.result()
    judged = Judged(verdicts, dict.fromkeys(task.recorded, answers), answers, answers.usage)
    left_out = set() if task.limits.all_cells else shown_cells(notebook, checks)
    brief = task.brief_limits
    for limits in (brief, replace(brief, shown_seconds=None)):
        whole = needs_every_cell(notebook, checks, task.release, judged.verdicts, answers, left_out)
        if whole is None:
            break
        running = start_run(whole, limits)
        yield running
        again, answers = running.result()
        for cell, after in zip(notebook.cells, again.cells):
            if cell.cell_type == "code" and not cell.metadata.get(LEFT_OUT):
                cell.outputs, cell.execution_count = after.outputs, after.execution_count
        judging = start_judging(task.recorded, answers)
        yield judging
        judged = with_better(judged, judging.result(), answers)
        left_out = cells_cut_off(again)
        for i in left_out:
            notebook.cells[i].outputs.append(was_cut_off(limits.shown_seconds or 0.0))
    return notebook, judged


def with_better(judged: Judged, now: list[Verdict], answers: Answers) -> Judged:
    """Return the verdicts of two runs that count: of the second, with an answer and no fewer points.

    Parameters
    ----------
    judged : Judged
        The verdicts of the first run.
    now : list of Verdict
        The verdicts of the second run.
    answers : Answers
        The answers of the second run.
    """
    better = [
        new
        for old, new in zip(judged.verdicts, now)
        if answers.outcomes[new.exercise] is not None and new.points >= old.points
    ]
    return replace(
        judged,
        verdicts=replaced(judged.verdicts, better),
        answers=judged.answers | {verdict.exercise: answers for verdict in better},
        usage=added(judged.usage, answers),
    )
