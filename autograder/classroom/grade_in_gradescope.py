"""Grading of a submission in Gradescope's container, as `autograder gradescope` describes it.

The notebook lies in /autograder/submission, the results go to /autograder/results.

Students may submit as often as they like and read the results at once. So the cases are drawn anew
for each submission, from the class's seed and the submission's number, and the results tell no
inputs and no expected values: those of the recorded cases, which `check` shows, are all that a
student can make a table of.
"""

from __future__ import annotations

import hashlib
import json
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.classroom.gradescope_json import results
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError, GraderFault
from autograder.escaping import for_terminal
from autograder.grading.grade_submission import Task, finish, grade_submission
from autograder.grading.grading_log import read_notes
from autograder.grading.limits import USER, Limits
from autograder.grading.student_files import walk
from autograder.grading.submissions import digest
from autograder.grading.verdicts import class_seed, read_verdicts
from autograder.grading.worker_pool import Pool, Serial
from autograder.sandbox.doctor import is_available

_NO_NOTEBOOK = "There is no notebook (.ipynb) in your submission."


def grade_here(course: Course, assignment: str, root: Path, user: str = USER) -> dict[str, Any]:
    """Grade the submission in a container of Gradescope's; write and return the results.

    Parameters
    ----------
    root : Path
        /autograder.
    user : str
        Runs the submission if no sandbox is available; "" for the grader's own user.

    Raises
    ------
    Exception
        A fault of the grader; there is no results.json then.
    """
    saved: list[NotebookNode] = []
    sandbox = is_available()
    limits = Limits(sandbox=sandbox, hidden=(str(course.root), str(root)))
    limits = limits if sandbox else replace(limits, user=user)
    if limits.user:
        from autograder.grading.kernel_user import require_out_of_reach

        require_out_of_reach(user, [course.root, root / "submission", root / "results"])

    def save(notebook: NotebookNode) -> None:
        saved.append(notebook)

    path = _notebook(root / "submission", assignment)
    if path is None:
        found = results([], _NO_NOTEBOOK)
    else:
        seed = submission_seed(class_seed(course.root), _number(root, path))
        task = Task.of(Assignment(course, assignment), seed, limits)
        runner = Pool(task.questions, 1) if sandbox else Serial(task.questions)
        try:
            reason = finish(grade_submission(path, task, runner.start, save))
        finally:
            runner.close(abrupt=False)
        reason = reason or (read_notes(saved[-1]).unread if saved else "")
        note = f"Your notebook could not be run: {reason}." if reason else ""
        found = results(
            read_verdicts(nbformat.from_dict(saved[-1])) if saved else [], note, values=False
        )
    target = root / "results" / "results.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def _notebook(folder: Path, assignment: str) -> Path | None:
    """Return the submitted notebook: the one with the assignment's name, else the last by path."""
    files = sorted(
        path
        for _, path, problem in walk(folder)
        if path.suffix == ".ipynb" and (not problem or path.is_symlink())
    )
    found = [path for path in files if ".ipynb_checkpoints" not in path.parts]
    exact = [path for path in found if path.stem == assignment]
    return (exact or found)[-1] if found else None


def submission_seed(seed: int, number: str) -> int:
    """Derive the seed of a submission's cases from the class's seed and the submission's number."""
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:4], "big")


def _number(root: Path, notebook: Path) -> str:
    """Return Gradescope's number of the submission; without one, a digest of its content."""
    try:
        return str(json.loads((root / "submission_metadata.json").read_bytes())["id"])
    except (OSError, ValueError, LookupError, TypeError):
        return digest(notebook).hex()


def main() -> None:
    """Grade the submission for the course of this folder; called by `run_autograder`."""
    from autograder.course.layout import find_course

    sys.exit(grade_or_fail(find_course(), sys.argv[1], Path("/autograder")))


def grade_or_fail(course: Course, assignment: str, root: Path, user: str = USER) -> int:
    """Grade the submission; return the exit status.

    If the grader fails, there is no results.json: Gradescope then gives no score and tells the
    student in a sentence of its own that the autograder failed and whom to ask. (One without a score
    would be none that it accepts, and one with a score would count.) What is printed here, with the
    traceback, only the course's staff sees.
    """
    result = root / "results" / "results.json"
    result.unlink(missing_ok=True)
    try:
        grade_here(course, assignment, root, user)
    except Exception as error:
        if isinstance(error, CourseError):
            print(for_terminal(f"autograder: {error}"), file=sys.stderr)
            return error.status
        print(for_terminal(traceback.format_exc()), file=sys.stderr)
        print("The autograder failed: this submission has no score.", file=sys.stderr)
        return GraderFault.status
    return 0


if __name__ == "__main__":
    main()
