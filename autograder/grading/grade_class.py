"""Grades a class: submissions run side by side, nbgrader keeps the books, none ends the batch."""

from __future__ import annotations

import copy
import glob
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from tqdm.auto import tqdm
from traitlets.config import Config

from autograder.course.layout import Course
from autograder.course.recording import draw_assignment
from autograder.course.reference import read
from autograder.errors import CourseError
from autograder.grading.gradebook import Classroom
from autograder.grading.needed import mark_needed
from autograder.grading.prefetch import Ahead, Pool, Runner
from autograder.grading.preprocessors import UNREAD, Grade
from autograder.grading.regrade_cache import Memory
from autograder.grading.run import Limits, Questions
from autograder.grading.sanitize import sanitized
from autograder.grading.submissions import UnreadableSubmission, copy_files, read_submission
from autograder.grading.verdicts import class_seed, read_verdicts
from autograder.sandbox.doctor import missing
from autograder.sandbox.provisioner import start_server_meanwhile
from coursekit.checking.verdict import Verdict

#: What is imported, in seconds, only by cells that show something.
_SHOWING = ("transformers.models.bert.modeling_bert",)


@dataclass
class Graded:
    """What grading a class gave.

    Attributes
    ----------
    verdicts : student -> a verdict per exercise, in the order of the notebook.
    unread : student -> why the submission could not be run at all; its points are zeros.
    kept : students whose scores are those of the last time: submission, release, cases and
        grader are the same.
    """

    assignment: str
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)


def grade_class(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    students: list[str] | None = None,
    cell_seconds: float | None = None,
    sandbox: bool = True,
    jobs: int | None = None,
    again: bool = False,
    scheduler: str | None = None,
    all_cells: bool = False,
) -> Graded:
    """Autograde the submissions under `folder`/submitted with nbgrader.

    Every submission ends with a score. One that cannot be read gets zeros and the reason, in the
    gradebook and on its feedback page.

    Parameters
    ----------
    jobs : how many submissions run at a time; one more than there are processors when None.
    again : grade also what has not changed since the last time.
    scheduler : the address of a Dask scheduler, whose workers then run the submissions.
    all_cells : run also the cells that no graded answer depends on, for their figures.

    Raises
    ------
    CourseError
        There is no submission of the assignment, or none of a student asked for; this machine
        offers no isolation and `sandbox` asks for it; no scheduler or worker answers; or grading
        was interrupted, which keeps what is graded.
    """
    if sandbox and scheduler is None and (problem := missing()):
        raise CourseError(
            f"this machine cannot box submissions ({problem}): `autograder doctor` says how to"
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
    graded = Graded(assignment)
    config = classroom.config()
    config.Grade.sandbox = sandbox
    if all_cells:
        config.Grade.all_cells = True
    if cell_seconds is not None:
        config.Grade.cell_seconds = float(cell_seconds)
    limits = Grade(config=config).limits()
    memory = Memory(classroom, assignment, limits)
    chosen = students or everyone
    changed = [s for s in chosen if again or not memory.holds(s)]
    with ExitStack() as stack:
        stack.enter_context(_stopping(graded, chosen))
        if changed:
            if sandbox and scheduler is None:
                start_server_meanwhile(*(_SHOWING if limits.all_cells else ()))
            classroom.register(assignment)
        if sandbox and changed:
            questions = draw_assignment(course, assignment, class_seed(classroom.folder))
            runner = _runner(questions, limits, jobs, scheduler)
            ahead = stack.enter_context(Ahead(runner, questions, limits))
            next_read = _reader(classroom, assignment, changed, ahead)
        else:  # what is not boxed runs one after another
            ahead = None

            def next_read(student: str) -> tuple[nbformat.NotebookNode | None, str]:
                return _read(classroom.submission(student, assignment))

        for student in tqdm(chosen, desc="grading", unit="submission", disable=None):
            if student not in changed:
                graded.kept.append(student)
                result = classroom.autograded(student, assignment)
                graded.verdicts[student] = read_verdicts(nbformat.read(result, as_version=4))
                if reason := memory.reason(student):
                    graded.unread[student] = reason
                continue
            notebook, problem = next_read(student)
            memory.forget(student)
            _grade_one(classroom, graded, student, config, notebook, problem)
            if ahead is not None and ahead.failure is not None:
                raise ahead.failure
            memory.keep(student, graded.unread.get(student, ""))
    return graded


@contextmanager
def _stopping(graded: Graded, chosen: list[str]) -> Iterator[None]:
    """Turns ctrl-C into one sentence."""
    try:
        yield
    except KeyboardInterrupt:
        done = len(graded.verdicts)
        raise CourseError(
            f"stopped: {done} of {len(chosen)} submissions are graded; run the command again, and"
            " it goes on from there."
        ) from None


def _read(path: Path) -> tuple[nbformat.NotebookNode | None, str]:
    """The notebook handed in, or None and why it cannot be read."""
    try:
        return read_submission(path), ""
    except UnreadableSubmission as error:
        return None, str(error)


def _runner(
    questions: Questions, limits: Limits, jobs: int | None, scheduler: str | None
) -> Runner:
    if scheduler is None:
        # one more than cores: while one starts or ends, the others compute
        return Pool(questions, limits, jobs or (os.cpu_count() or 1) + 1)
    from autograder.grading.cluster import Cluster

    return Cluster(scheduler, questions, limits)


def _reader(
    classroom: Classroom, assignment: str, students: list[str], ahead: Ahead
) -> Callable[[str], tuple[nbformat.NotebookNode | None, str]]:
    """Reads a student's submission when its turn comes, and keeps those after it running ahead."""
    release = read(classroom.course.notebook(assignment))
    coming = iter(students)
    waiting: dict[str, tuple[nbformat.NotebookNode | None, str]] = {}

    def next_read(student: str) -> tuple[nbformat.NotebookNode | None, str]:
        # twice as many as run at a time: no place is idle, however large the class no more wait
        room = max(0, 1 + 2 * ahead.runner.places - len(waiting))  # places go with their worker
        for later in itertools.islice(coming, room):
            waiting[later] = _read(classroom.submission(later, assignment))
            if (notebook := waiting[later][0]) is not None:
                with suppress(Exception):  # nbgrader will say what is wrong when it comes to it
                    ready = sanitized(notebook, release)
                    mark_needed(ready, release)
                    ahead.start(later, ready)
        ahead.settle(student)
        return waiting.pop(student)

    return next_read


def _grade_one(
    classroom: Classroom,
    graded: Graded,
    student: str,
    config: Config,
    notebook: nbformat.NotebookNode | None,
    reason: str,
) -> None:
    """Grade one submission; whatever is wrong with it ends in a verdict.

    Parameters
    ----------
    notebook, reason : what was handed in, or None and why it cannot be read.
    """
    assignment = graded.assignment
    if glob.escape(student) != student:
        graded.verdicts[student] = []
        graded.unread[student] = "nbgrader cannot handle [, * or ? in a name; rename the folder"
        return
    config = copy.deepcopy(config)  # nbgrader's converters write into it
    result = classroom.autograded(student, assignment)
    shutil.rmtree(result.parent, ignore_errors=True)
    if notebook is not None:
        failure = _grade_copy(classroom, student, assignment, notebook, config)
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
        copy_files(classroom.submission(student, assignment).parent, path.parent)
        path.parent.mkdir(parents=True, exist_ok=True)
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
