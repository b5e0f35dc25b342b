"""Grades a class: submissions run side by side, a single process writes to the gradebook."""

from __future__ import annotations

import contextlib
import copy
import functools
import glob
import json
import os
import re
import shutil
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from tqdm.auto import tqdm
from traitlets.config import Config

from autograder.course import catalog
from autograder.course.cells import import_statements
from autograder.course.layout import Course
from autograder.course.reference import read_shared
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.class_lock import sole_grader
from autograder.gradebook.late import Lateness
from autograder.gradebook.patience import is_of_this_machine, machine_problem, patiently
from autograder.gradebook.preprocessors import Grade
from autograder.gradebook.regrade_cache import RegradeCache
from autograder.grading.grade_submission import (
    Grading,
    Running,
    Task,
    grade_submission,
)
from autograder.grading.isolated_run import PRELOAD
from autograder.grading.limits import Limits, hidden_folders
from autograder.grading.questions import Questions
from autograder.grading.runners import Pool, Runner, Serial
from autograder.grading.submissions import copy_files, ensure_secret
from autograder.grading.verdicts import class_seed, read_verdicts
from autograder.sandbox.doctor import missing
from autograder.sandbox.launch import start_server_in_background
from autograder.sandbox.scratch import scratch
from coursekit.checking.verdict import Verdict

#: Characters in a folder name that nbgrader's paths, its database or its pages cannot have.
_RENAME = (
    'its name has control characters, <, > or ", spaces at an end, or is not UTF-8;'
    " rename the folder"
)
_UNUSABLE = re.compile(r"^\s|\s$|[<>\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass
class Graded:
    """What grading a class gave.

    Attributes
    ----------
    verdicts : student -> a verdict per exercise, in the order of the notebook.
    unread : student -> why the submission could not be run at all; its points are zeros.
    kept : students whose scores are those of the last time: submission, release, cases and
        grader are the same.
    earlier : student -> the verdicts of the last time, for those that were graded again.
    by_hand : (student, exercise) pairs whose points an instructor set in formgrader; they stay.
    late : student -> how late, for late submissions.
    """

    assignment: str
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    earlier: dict[str, list[Verdict]] = field(default_factory=dict)
    by_hand: set[tuple[str, str]] = field(default_factory=set)
    late: dict[str, Lateness] = field(default_factory=dict)

    def changes(self) -> list[tuple[str, Verdict, Verdict]]:
        """(student, verdict before, verdict now) where the points are not those of the last time."""
        found = []
        for student, verdicts in self.earlier.items():
            now = {verdict.exercise: verdict for verdict in self.verdicts.get(student, [])}
            found += [
                (student, before, now[before.exercise])
                for before in verdicts
                if before.exercise in now and before.points != now[before.exercise].points
            ]
        return found


@dataclass(frozen=True)
class Options:
    """How to grade a class.

    Attributes
    ----------
    cell_seconds : wall time for one cell; the configuration's when None.
    sandbox : run submissions in sandboxes.
    jobs : how many submissions run at a time; one more than there are processors when None.
    regrade : grade also what has not changed since the last time.
    scheduler : the address of a Dask scheduler, whose workers then run the submissions.
    all_cells : always run the cells that only show something, for their figures.
    exercise : grade only this exercise, of submissions that are graded already; all when None.
    """

    cell_seconds: float | None = None
    sandbox: bool = True
    jobs: int | None = None
    regrade: bool = False
    scheduler: str | None = None
    all_cells: bool = False
    exercise: str | None = None

    def apply(self, config: Config) -> Limits:
        """Put the options into nbgrader's configuration; the limits that follow."""
        config.Grade.sandbox = self.sandbox
        if self.all_cells:
            config.Grade.all_cells = True
        if self.cell_seconds is not None:
            config.Grade.cell_seconds = float(self.cell_seconds)
        return Grade(config=config).limits()


def grade_class(
    course: Course,
    assignment: str,
    folder: Path | None = None,
    students: list[str] | None = None,
    options: Options | None = None,
) -> Graded:
    """Autograde the submissions under `folder`/submitted with nbgrader.

    Every submission ends with a score. One that cannot be read gets zeros and the reason, in the
    gradebook and on its feedback page.

    Raises
    ------
    CourseError
        There is no submission of the assignment, or none of a student asked for; the assignment has
        no such exercise, or nobody's is graded, where one is to be graded again; another grader is
        at work in the folder; this machine offers no isolation and the options ask for it; no
        scheduler or worker answers; or grading was interrupted, which keeps what is graded.
    """
    classroom = Classroom(course, folder)
    with sole_grader(classroom.folder):
        return _grade(classroom, assignment, students, options or Options())


def _grade(
    classroom: Classroom, assignment: str, students: list[str] | None, options: Options
) -> Graded:
    course = classroom.course
    local = options.sandbox and options.scheduler is None
    if local and (problem := missing()):
        raise CourseError(
            f"this machine cannot run submissions in a sandbox ({problem}): `autograder doctor`"
            " says what to do. For code that you trust there is --no-sandbox."
        )
    chosen = _chosen(classroom, assignment, students)
    earlier = _earlier(classroom, assignment, chosen)
    if options.exercise is not None:
        _require_exercise(course, assignment, options.exercise)
        chosen = [s for s in chosen if _has(earlier.get(s, []), options.exercise)]
        if not chosen:
            raise CourseError(
                f"no submission of {assignment} is graded yet; run `autograder grade {assignment}`."
            )
    config = classroom.config()
    hidden = hidden_folders(course.root, classroom.folder)
    limits = replace(options.apply(config), hidden=hidden)
    cache = patiently(lambda: RegradeCache(classroom, assignment, limits))
    again = options.regrade or options.exercise is not None
    changed = [s for s in chosen if again or not cache.holds(s)]
    graded = Graded(assignment, earlier={s: earlier[s] for s in changed if s in earlier})
    with _stopping(graded, chosen):
        if changed:
            if local:
                cells = read_shared(course.notebook(assignment)).cells
                code = [cell.source for cell in cells if cell.cell_type == "code"]
                start_server_in_background(PRELOAD, *course.preload, *import_statements(code))
            patiently(lambda: classroom.register(assignment))
            seed = class_seed(classroom.folder)
            task = Task.of(course, assignment, seed, limits, options.exercise or "")
            with (
                _runner(task.questions, limits, options) as runner,
                tqdm(total=len(changed), desc=assignment, unit="submission", disable=None) as bar,
            ):
                desk = _Desk(classroom, assignment, config, task, runner, earlier)
                for student, verdicts, unread in desk.grade(changed):
                    graded.verdicts[student] = verdicts
                    if unread:
                        graded.unread[student] = unread
                    if options.exercise is None:  # else the other exercises may have changed
                        patiently(functools.partial(cache.keep, student, unread))
                    bar.update()
        for student in chosen:
            if student not in graded.verdicts:
                _keep(graded, classroom, cache, student)
    graded.verdicts = {student: graded.verdicts[student] for student in chosen}
    graded.by_hand = classroom.set_by_hand(assignment)
    graded.late = {s: one for s, one in classroom.lateness(assignment).items() if one.late}
    return graded


@dataclass
class _Desk:
    """Grades one submission after another; the next ones run meanwhile."""

    classroom: Classroom
    assignment: str
    config: Config
    task: Task
    runner: Runner
    earlier: dict[str, list[Verdict]]

    def grade(self, students: list[str]) -> Iterator[tuple[str, list[Verdict], str]]:
        """For each student: the name, the verdicts, and why the submission could not be run."""
        # twice as many as run at a time: no slot is idle, and no more wait in a larger class
        most = 1 + 2 * self.runner.slots
        coming = deque(students)
        waiting: deque[tuple[Running, Grading[tuple[str, list[Verdict], str]]]] = deque()
        while coming or waiting:
            if coming and len(waiting) < most:
                grading = self._one(coming.popleft())
            else:
                running, grading = waiting.popleft()
                running.result()
            try:
                waiting.append((next(grading), grading))  # it runs, or runs again
            except StopIteration as done:
                yield done.value

    def _one(self, student: str) -> Grading[tuple[str, list[Verdict], str]]:
        if glob.escape(student) != student:
            return student, [], "nbgrader cannot handle [, * or ? in a name; rename the folder"
        if _UNUSABLE.search(student):
            return student, [], _RENAME
        result = self.classroom.autograded(student, self.assignment)
        shutil.rmtree(result.parent, ignore_errors=True)
        path = self.classroom.submission(student, self.assignment)

        def save(notebook: NotebookNode) -> str:
            return patiently(lambda: self._save(student, notebook))

        earlier = self.earlier.get(student, [])
        reason = yield from grade_submission(path, self.task, self.runner.start, save, earlier)
        saved = read_verdicts(nbformat.read(result, as_version=4)) if result.exists() else []
        return student, saved, reason

    def _save(self, student: str, notebook: NotebookNode) -> str:
        """Have nbgrader score and save a graded notebook; "", or why it cannot."""
        with scratch() as folder:
            graded = Path(folder) / "graded.ipynb"
            nbformat.write(notebook, graded)
            path = Path(folder) / "submitted" / student / self.assignment
            copy_files(self.classroom.submission(student, self.assignment).parent, path)
            path.mkdir(parents=True, exist_ok=True)
            ensure_secret(path)
            shutil.copyfile(graded, path / f"{self.assignment}.ipynb")
            config = copy.deepcopy(self.config)  # nbgrader's converters write into it
            config.CourseDirectory.submitted_directory = str(path.parents[1])
            config.Grade.graded = str(graded)
            failure = self.classroom.autograde(self.assignment, student, config)
            return f"nbgrader cannot process the notebook: {failure}" if failure else ""


def _chosen(classroom: Classroom, assignment: str, students: list[str] | None) -> list[str]:
    everyone = classroom.students(assignment)
    for student in students or []:
        if student not in everyone:
            raise CourseError(f"{student} has not submitted {assignment}.")
    if not everyone:
        raise CourseError(
            f"there is no submission of {assignment}: they belong in"
            f" {classroom.folder}/submitted/STUDENT/{assignment}/{assignment}.ipynb."
        )
    return list(dict.fromkeys(students or everyone))


def _earlier(
    classroom: Classroom, assignment: str, students: list[str]
) -> dict[str, list[Verdict]]:
    """Student -> the verdicts of the last time, where there are any."""
    found = {}
    for student in students:
        path = classroom.autograded(student, assignment)
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            found[student] = read_verdicts(nbformat.from_dict(json.loads(path.read_bytes())))
    return {student: verdicts for student, verdicts in found.items() if verdicts}


def _require_exercise(course: Course, assignment: str, name: str) -> None:
    where, _ = catalog.find(course, name)
    if where != assignment:
        raise CourseError(f"{name} is an exercise of {where}, not of {assignment}.")


def _has(verdicts: list[Verdict], exercise: str) -> bool:
    return any(verdict.exercise == exercise for verdict in verdicts)


def _keep(graded: Graded, classroom: Classroom, cache: RegradeCache, student: str) -> None:
    """Take over the scores of the last time."""
    saved = nbformat.read(classroom.autograded(student, graded.assignment), as_version=4)
    graded.verdicts[student] = read_verdicts(saved)
    graded.kept.append(student)
    if reason := cache.reason(student):
        graded.unread[student] = reason


@contextlib.contextmanager
def _runner(questions: Questions, limits: Limits, options: Options) -> Iterator[Runner]:
    """Where the submissions run. Past the block nothing of them runs any more."""
    runner: Runner
    if options.scheduler is not None:
        from autograder.grading.cluster import Cluster

        runner = Cluster(options.scheduler, questions)
    elif limits.sandbox:
        # one more than cores: while one starts or ends, the others compute
        runner = Pool(questions, options.jobs or (os.cpu_count() or 1) + 1)
    else:
        runner = Serial(questions)
    try:
        yield runner
    except BaseException:
        runner.close(abrupt=True)
        raise
    runner.close(abrupt=False)


@contextlib.contextmanager
def _stopping(graded: Graded, chosen: list[str]) -> Iterator[None]:
    """Turns ctrl-C, and a disk that is full, into one sentence."""
    try:
        yield
    except OSError as error:
        if not is_of_this_machine(error):
            raise
        raise CourseError(
            f"grading has stopped ({machine_problem(error)}: {error.filename}); run the command"
            " again when there is room, and it goes on from there."
        ) from error
    except KeyboardInterrupt:
        done = len(graded.verdicts)
        raise CourseError(
            f"stopped: {done} of {len(chosen)} submissions are graded; run the command again, and"
            " it goes on from there."
        ) from None
