"""The way of a submission from a file to a score.

A stage takes a typed value and returns one, and none reads what a later one has written:

read (`submissions`), sanitize (`sanitize`), run and judge (`run_and_judge`), judge again with right
helpers (`judge_again`), write the verdicts (`verdicts`) and save them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.errors import TookTooLong
from autograder.grading.grading_log import Notes
from autograder.grading.grading_task import Task
from autograder.grading.judge_again import judge_again
from autograder.grading.judge_pool import Judge, judge_here
from autograder.grading.run_and_judge import run_and_judge
from autograder.grading.sanitize import sanitize
from autograder.grading.stages import Grading, Run, checks_in, replaced
from autograder.grading.submissions import UnreadableSubmission, read_submission
from autograder.grading.verdicts import refusal, write_verdicts
from coursekit.checking.time_limit import time_limit
from coursekit.checking.verdict import Verdict

#: Exceptions that a submission can cause, and gets zeros for. Others are the grader's fault.
OF_THE_SUBMISSION = (UnreadableSubmission, TookTooLong, MemoryError, RecursionError)
#: Processor time for the grader's own work before a run, or after it.
STEP_SECONDS = 60.0


@dataclass(frozen=True)
class GradedSubmission:
    """A submission with its score.

    Attributes
    ----------
    verdicts : list of Verdict
        A verdict per exercise, in the order of the notebook.
    unread : str
        "" or the reason why the submission could not be graded, and all its exercises get zeros.
    """

    verdicts: list[Verdict]
    unread: str = ""


def grade_submission(
    path: Path,
    task: Task,
    start_run: Run,
    save: Callable[[NotebookNode], None],
    earlier: Sequence[Verdict] = (),
    start_judging: Judge = judge_here,
) -> Grading[GradedSubmission]:
    """Grade a submitted notebook: read, sanitize, run, judge, judge again, write.

    This is a generator: it yields each run or judgement that it waits for, so that other
    submissions go on meanwhile.

    Parameters
    ----------
    path : Path
        The submitted file, which may be no notebook.
    save : callable
        Called with the notebook with verdicts; puts it into the gradebook.
    earlier : sequence of Verdict
        The submission's verdicts of the last time, if the task is to grade one exercise again.
    start_judging : callable
        Starts to judge the answers of a run.

    Raises
    ------
    Exception
        A fault of the grader or of this machine; nothing is saved.
    """
    try:
        with time_limit(STEP_SECONDS, TookTooLong):
            submission = read_submission(path)
            sanitized = sanitize(submission, task.release)
        notebook, judged = yield from run_and_judge(sanitized, task, start_run, start_judging)
        judged = yield from judge_again(
            notebook, sanitized.checks, judged, task, start_run, start_judging, earlier
        )
        with time_limit(STEP_SECONDS, TookTooLong):
            notes = replace(sanitized.notes, usage=judged.usage)
            written = write_verdicts(notebook, sanitized.checks, judged.verdicts, notes)
            save(notebook)
            return GradedSubmission(written)
    except OF_THE_SUBMISSION as error:
        return _refused(task, why_unread(error), save, earlier)


def _refused(
    task: Task, reason: str, save: Callable[[NotebookNode], None], earlier: Sequence[Verdict]
) -> GradedSubmission:
    """Save the released notebook with zeros in place of a submission that cannot be graded."""
    released = copy.deepcopy(task.release)
    verdicts = refusal(task.recorded, reason)
    if task.only:
        verdicts = replaced(earlier, verdicts)
    written = write_verdicts(released, checks_in(released), verdicts, Notes(unread=reason))
    save(released)
    return GradedSubmission(written, reason)


def why_unread(error: BaseException) -> str:
    """Return the reason, in words, why a submission gets zeros.

    Parameters
    ----------
    error : BaseException
        One of the exceptions in `OF_THE_SUBMISSION`.
    """
    if isinstance(error, UnreadableSubmission):
        return str(error)
    if isinstance(error, TookTooLong):
        return f"the grader stopped working on it: {error}"
    what = "takes too much memory" if isinstance(error, MemoryError) else "is nested too deeply"
    return f"the grader stopped working on it: it {what}"
