"""Grades a class: nbgrader keeps the books, one submission after another, none ends the batch."""

from __future__ import annotations

import codecs
import glob
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from tqdm.auto import tqdm
from traitlets.config import Config

from autograder.course import Course
from autograder.errors import CourseError
from autograder.gradebook import Classroom
from autograder.preprocessors import UNREAD
from autograder.reference import read
from autograder.sandbox.doctor import examine, is_available
from autograder.verdicts import read_verdicts
from coursekit.judging import Verdict


@dataclass
class Graded:
    """What grading a class gave.

    Attributes
    ----------
    verdicts : student -> a verdict per exercise, in the order of the notebook.
    unread : student -> why the submission could not be run at all; its points are zeros.
    """

    assignment: str
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


def grade_class(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    students: list[str] | None = None,
    cell_seconds: float | None = None,
    sandbox: bool = True,
) -> Graded:
    """Autograde the submissions under `folder`/submitted with nbgrader.

    Every submission ends with a score. One that cannot be read gets zeros and the reason, in the
    gradebook and on its feedback page.

    Raises
    ------
    CourseError
        There is no submission of the assignment, or none of a student asked for; this machine
        offers no isolation and `sandbox` asks for it; or grading was interrupted, which keeps
        what is graded.
    """
    if sandbox and not is_available():
        missing = next(finding.what for finding in examine() if not finding.works)
        raise CourseError(
            f"this machine cannot box submissions ({missing}): `autograder doctor` says how to"
            " mend it. For code that you trust there is --no-sandbox."
        )
    classroom = Classroom(course, folder)
    everyone = classroom.students(assignment)
    for student in students or []:
        if student not in everyone:
            raise CourseError(f"{student} has not submitted {assignment}.")
    if not everyone:
        raise CourseError(
            f"there is no submission of {assignment}: they belong in"
            f" {classroom.folder}/submitted/STUDENT/{assignment}/{assignment}.ipynb."
        )
    classroom.register(assignment)
    graded = Graded(assignment)
    chosen = students or everyone
    try:
        for student in tqdm(chosen, desc="grading", unit="submission", disable=None):
            _grade_one(classroom, graded, student, cell_seconds, sandbox)
    except KeyboardInterrupt:
        done = len(graded.verdicts)
        raise CourseError(
            f"stopped: {done} of {len(chosen)} submissions are graded; run the command again."
        ) from None
    return graded


def _grade_one(
    classroom: Classroom,
    graded: Graded,
    student: str,
    cell_seconds: float | None,
    sandbox: bool,
) -> None:
    """Grade one submission; whatever is wrong with it ends in a verdict."""
    assignment = graded.assignment
    if glob.escape(student) != student:
        graded.verdicts[student] = []
        graded.unread[student] = "nbgrader cannot handle [, * or ? in a name; rename the folder"
        return
    config = classroom.config()
    config.Grade.sandbox = sandbox
    if cell_seconds is not None:
        config.Grade.cell_seconds = float(cell_seconds)
    result = classroom.autograded(student, assignment)
    shutil.rmtree(result.parent, ignore_errors=True)
    reason = _unreadable(classroom.submission(student, assignment))
    if not reason:
        path = classroom.submission(student, assignment)
        if path.read_bytes().startswith(codecs.BOM_UTF8):  # some editors add it; nbgrader stumbles
            copy = nbformat.reads(path.read_text("utf-8-sig"), as_version=4)
            failure = _grade_copy(classroom, student, assignment, copy, config)
        else:
            failure = classroom.autograde(assignment, student, config)
        if failure:
            reason = f"nbgrader cannot process the notebook: {failure}"
    if reason:
        graded.unread[student] = reason
        stand_in = read(classroom.course.notebook(assignment))
        stand_in.metadata[UNREAD] = reason
        failure = _grade_copy(classroom, student, assignment, stand_in, config)
        if failure:
            graded.unread[student] = f"{reason}; and no score could be booked: {failure}"
            graded.verdicts[student] = []
            return
    graded.verdicts[student] = read_verdicts(nbformat.read(result, as_version=4))


def _unreadable(path: Path) -> str:
    """Why the file is no notebook that can be run, or ""."""
    if not path.exists():
        others = sorted(other.name for other in path.parent.iterdir())
        there = f"; there is {', '.join(others)}" if others else "; the folder is empty"
        return f"{path.name} was not handed in{there}"
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict) or not (data.get("cells") or data.get("worksheets")):
            return "the file is a notebook without cells, or no notebook at all"
        nbformat.reads(json.dumps(data), as_version=4)
    except ValueError:
        return "the file is not a notebook: it is cut off or damaged"
    except Exception as error:  # nbformat has many words for a notebook out of shape
        return f"the file is not a notebook that can be read ({str(error).splitlines()[0][:120]})"
    return ""


def _grade_copy(
    classroom: Classroom,
    student: str,
    assignment: str,
    notebook: nbformat.NotebookNode,
    config: Config,
) -> str:
    """Autograde this notebook in the place of the one handed in, through nbgrader like any other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
        config.CourseDirectory.submitted_directory = folder
        return classroom.autograde(assignment, student, config)


def write_feedback(course: Course, assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the feedback pages of all graded submissions; return their paths.

    Raises
    ------
    CourseError
        Nothing has been graded yet, or nbgrader could not write a page.
    """
    classroom = Classroom(course, folder)
    graded = [
        student
        for student in classroom.students(assignment)
        if classroom.autograded(student, assignment).exists()
    ]
    if not graded:
        raise CourseError(f"nothing of {assignment} is graded yet; run `autograder grade` first.")
    pages = []
    failures = []
    for student in tqdm(graded, desc="feedback", unit="page", disable=None):
        failure = classroom.write_feedback(assignment, student)
        if failure:
            failures.append(f"the page of {student} could not be written: {failure}")
        else:
            pages.append(classroom.feedback(student, assignment))
    if failures:
        raise CourseError("\n  ".join(failures))
    return pages
