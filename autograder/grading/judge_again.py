"""The stage that judges again what may have failed because of a wrong helper: with right ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nbformat import NotebookNode

from autograder.grading.error_carried_forward import plan, with_right_helpers
from autograder.grading.grading_task import Task
from autograder.grading.judge_pool import Judge
from autograder.grading.questions import Answers
from autograder.grading.stages import (
    Grading,
    Judged,
    Run,
    added,
    replaced,
)
from coursekit.checking.verdict import Verdict


def judge_again(
    notebook: NotebookNode,
    checks: Mapping[int, str],
    judged: Judged,
    task: Task,
    start_run: Run,
    start_judging: Judge,
    earlier: Sequence[Verdict] = (),
) -> Grading[Judged]:
    """Judge again with right helpers where that may give points, and explain each verdict.

    The verdicts that are returned are all on the submission: the earlier ones, too, if the task is
    to grade one exercise again.

    Parameters
    ----------
    notebook : NotebookNode
        A submission that has run.
    checks : mapping of int to str
        Index of each check cell -> the exercise that it asks for.
    judged : Judged
        The verdicts on it.
    earlier : sequence of Verdict
        The submission's verdicts of the last time, if the task is to grade one exercise again.
    """
    if task.helpers is not None and not all(verdict.passed for verdict in judged.verdicts):
        judging = start_judging(task.pasted, judged.first)
        yield judging
        others = (*earlier, *judging.result())
        planned = plan(notebook, checks, task.release, task.helpers, judged.verdicts, others)
        if planned is not None:
            limits = replace(task.brief_limits, all_cells=False)
            running = start_run(planned.notebook, limits, planned.carried)
            yield running
            _, answers = running.result()
            judging = start_judging(task.recorded, answers)
            yield judging
            called = dict.fromkeys(answers.called, answers)
            again = yield from _explained(task, start_judging, judging.result(), called)
            pasted: list[Verdict] = []
            if recorded := {name: task.pasted[name] for name in planned.carried.pasted}:
                judging = start_judging(recorded, answers)
                yield judging
                pasted = judging.result()
            better = with_right_helpers(judged.verdicts, again, answers, planned, pasted)
            # no other answers are explained: a hint would blame an exercise for its helper
            kept = {old.exercise for old, new in zip(judged.verdicts, better) if new is old}
            own = {name: one for name, one in judged.answers.items() if name in kept}
            judged = Judged(better, own, judged.first, added(judged.usage, answers))
    verdicts = yield from _explained(task, start_judging, judged.verdicts, judged.answers)
    if task.only:
        verdicts = replaced(earlier, verdicts)
    return replace(judged, verdicts=verdicts)


def _explained(
    task: Task, start_judging: Judge, verdicts: list[Verdict], answers: Mapping[str, Answers]
) -> Grading[list[Verdict]]:
    """Return the verdicts, with hints from pairs where no single misconception explains one.

    Parameters
    ----------
    answers : mapping of str to Answers
        Exercise -> the answers that its verdict is about. Verdicts on other exercises are kept.
    """
    if task.pairs is None:
        return verdicts
    asked = [verdict for verdict in verdicts if verdict.exercise in answers]
    for name, exercise in task.pairs.record(task.recorded, asked).items():
        judging = start_judging({name: exercise}, answers[name])
        yield judging
        verdicts = replaced(verdicts, judging.result())
    return verdicts
