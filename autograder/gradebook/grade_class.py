"""The grading of a class: submissions run side by side, one process writes to the gradebook."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from tqdm.auto import tqdm
from traitlets.config import Config

from autograder.course.assignment import Assignment, find
from autograder.course.cells import import_statements
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError, GraderFault, MachineError
from autograder.gradebook.backups import keep_backup
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.class_lock import sole_grader
from autograder.gradebook.deadlines import settle_penalties
from autograder.gradebook.fault_log import listed
from autograder.gradebook.grading_queue import Desk
from autograder.gradebook.late_penalties import Settled
from autograder.gradebook.late_policy import Lateness
from autograder.gradebook.preprocessors import Grade
from autograder.gradebook.regrade_cache import RegradeCache
from autograder.gradebook.retry import is_of_this_machine, machine_problem, patiently
from autograder.gradebook.save_submission import SubmissionSaver
from autograder.gradebook.submission_score import Score
from autograder.gradebook.withdraw import Withdrawn, cells_changed, read_withdrawn, set_by_hand
from autograder.grading.grading_task import Task
from autograder.grading.isolated_run import PRELOAD, make_paths_absolute
from autograder.grading.judge_pool import Judge, Judges, judge_here
from autograder.grading.limits import Limits, hidden_folders
from autograder.grading.questions import Questions
from autograder.grading.verdicts import class_seed, read_verdicts
from autograder.grading.worker_pool import Pool, Runner, Serial
from autograder.sandbox.doctor import missing
from autograder.sandbox.launch import start_server_in_background
from coursekit.checking.verdict import Verdict

#: Number of processes that judge, beside those that run submissions.
_JUDGES = 2


@dataclass
class Graded:
    """The result of grading a class.

    Attributes
    ----------
    verdicts : dict of str to list of Verdict
        Student -> a verdict per exercise, in the order of the notebook.
    unread : dict of str to str
        Student -> the reason why the submission could not be run at all; it has zero points.
    kept : list of str
        Students whose earlier scores were kept, as submission, release, cases and grader are the
        same.
    earlier : dict of str to list of Verdict
        Student -> the earlier verdicts, for submissions that were graded again.
    by_hand : set of tuple of (str, str)
        (student, exercise) pairs whose points an instructor set in formgrader, which are kept.
    late : dict of str to Lateness
        Student -> lateness, for late submissions.
    settled : list of Settled
        Submissions whose late penalty has changed, because the time, the due date, an extension or
        points by hand have.
    scores : dict of str to Score
        Student -> the score in the gradebook, with points by hand and the late penalty.
    withdrawn : list of Withdrawn
        Exercises that do not count as usual, because they were withdrawn.
    faults : dict of str to Path
        Student -> the file with the traceback, where the grader has failed. The verdicts are then
        the earlier ones, or none if the submission was never graded.
    """

    assignment: str
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    earlier: dict[str, list[Verdict]] = field(default_factory=dict)
    by_hand: set[tuple[str, str]] = field(default_factory=set)
    late: dict[str, Lateness] = field(default_factory=dict)
    settled: list[Settled] = field(default_factory=list)
    scores: dict[str, Score] = field(default_factory=dict)
    withdrawn: list[Withdrawn] = field(default_factory=list)
    faults: dict[str, Path] = field(default_factory=dict)

    def not_graded(self) -> list[str]:
        """Return the students without a score because the grader has failed."""
        return [student for student in self.faults if not self.verdicts.get(student)]

    def require_no_fault(self) -> None:
        """Raise a `GraderFault` that names the file of each fault, if there was one."""
        without = set(self.not_graded())
        what = [
            (
                f"the autograder failed on {student}, who"
                f" {'is not graded' if student in without else 'keeps the earlier score'}",
                path,
            )
            for student, path in self.faults.items()
        ]
        if what:
            raise GraderFault(listed(what))

    def changes(self) -> list[tuple[str, Verdict, Verdict]]:
        """Return (student, earlier verdict, new verdict) where the points have changed."""
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
    """Options for grading a class.

    Attributes
    ----------
    cell_seconds : float or None
        Wall time for one cell; None for the configuration's value.
    sandbox : bool
        Run submissions in sandboxes.
    jobs : int or None
        Number of submissions that run at a time; None for one more than there are processors.
    regrade : bool
        Also grade submissions that have not changed since they were graded.
    scheduler : str or None
        The address of a Dask scheduler, whose workers then run the submissions.
    all_cells : bool
        Always run the cells that only display something, for their figures.
    exercise : str or None
        Grade only this exercise, of submissions that are graded already; None for all exercises.
    new_cells : bool
        Count graded cells that the release has added since submissions were graded.
    """

    cell_seconds: float | None = None
    sandbox: bool = True
    jobs: int | None = None
    regrade: bool = False
    scheduler: str | None = None
    all_cells: bool = False
    exercise: str | None = None
    new_cells: bool = False

    def apply(self, config: Config) -> Limits:
        """Put the options into nbgrader's configuration; return the limits that follow from it."""
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
    gradebook and on its feedback page. Where the grader itself fails, the earlier score stays, or
    there is none, and the class goes on.

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
    """Grade the class as `grade_class` does, while this process holds the class's lock."""
    course = classroom.course
    local = options.sandbox and options.scheduler is None
    if local and (problem := missing()):
        raise MachineError(
            f"this machine cannot run submissions in a sandbox ({problem}): `autograder doctor`"
            " says what to do. For code that you trust there is --no-sandbox."
        )
    chosen = _chosen(classroom, assignment, students)
    earlier = _earlier(classroom, assignment, chosen)
    if options.exercise is not None:
        _require_exercise(course, assignment, options.exercise)
        chosen = [s for s in chosen if _has(earlier.get(s, []), options.exercise)]
        if not chosen:
            raise ClassError(
                f"no submission of {assignment} is graded yet;"
                f" run {classroom.command(f'grade {assignment}')}."
            )
    config = classroom.config()
    hidden = hidden_folders(course.root, classroom.folder)
    limits = replace(options.apply(config), hidden=hidden)
    cache = patiently(lambda: RegradeCache(classroom, assignment, limits))
    patiently(lambda: keep_backup(classroom.folder))
    again = options.regrade or options.exercise is not None
    entered = patiently(lambda: classroom.lateness(assignment))
    known = entered.keys() & earlier.keys()
    changed = [s for s in chosen if again or s not in known or not cache.holds(s)]
    graded = Graded(assignment, earlier={s: earlier[s] for s in changed if earlier.get(s)})
    with _stopping(graded, chosen):
        if changed:
            _require_same_cells(classroom, assignment, options)
            patiently(functools.partial(cache.forget, changed))
            graded_against = Assignment(course, assignment)
            if local:
                cells = graded_against.release.cells
                code = [cell.source for cell in cells if cell.cell_type == "code"]
                start_server_in_background(PRELOAD, *course.preload, *import_statements(code))
            make_paths_absolute()  # nbgrader changes the current folder
            task = Task.of(
                graded_against,
                class_seed(classroom.folder),
                limits,
                options.exercise or "",
                lambda: patiently(lambda: classroom.register(assignment, options.new_cells)),
            )
            with (
                _runner(task.questions, limits, options) as runner,
                _judge(task, limits) as judge,
                tqdm(total=len(changed), desc=assignment, unit="submission", disable=None) as bar,
            ):
                saver = SubmissionSaver(classroom, assignment, config)
                desk = Desk(classroom, assignment, saver, task, runner, judge, earlier)
                for done in desk.grade(changed):
                    graded.verdicts[done.student] = done.verdicts
                    if done.unread:
                        graded.unread[done.student] = done.unread
                    if done.fault is not None:
                        graded.faults[done.student] = done.fault
                    elif options.exercise is None:  # else the other exercises may have changed
                        patiently(functools.partial(cache.keep, done.student, done.unread))
                    bar.update()
        for student in chosen:
            if student not in graded.verdicts:
                graded.verdicts[student] = earlier[student]
                graded.kept.append(student)
                if reason := cache.reason(student):
                    graded.unread[student] = reason
    graded.verdicts = {student: graded.verdicts[student] for student in chosen}
    graded.settled = patiently(lambda: settle_penalties(classroom, assignment))
    graded.by_hand = set_by_hand(classroom, assignment)
    graded.scores = classroom.scores(assignment)
    graded.withdrawn = read_withdrawn(classroom, assignment)
    graded.late = {s: one for s, one in classroom.lateness(assignment).items() if one.late}
    return graded


def _chosen(classroom: Classroom, assignment: str, students: list[str] | None) -> list[str]:
    """Return the students to grade, each once; raise a `ClassError` if one has not submitted."""
    everyone = classroom.students(assignment)
    for student in students or []:
        if student not in everyone:
            raise ClassError(f"{student} has not submitted {assignment}.")
    if not everyone:
        raise ClassError(
            f"there is no submission of {assignment}: they belong in"
            f" {classroom.folder}/submitted/STUDENT/{assignment}/{assignment}.ipynb."
        )
    return list(dict.fromkeys(students or everyone))


def _earlier(
    classroom: Classroom, assignment: str, students: list[str]
) -> dict[str, list[Verdict]]:
    """Return student -> the verdicts of the last time, of notebooks that can be read."""
    found = {}
    for student in students:
        path = classroom.autograded(student, assignment)
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            found[student] = read_verdicts(nbformat.from_dict(json.loads(path.read_bytes())))
    return found


def _require_same_cells(classroom: Classroom, assignment: str, options: Options) -> None:
    """Raise a `ClassError` if the release has changed its graded cells since grading."""
    changed = patiently(lambda: cells_changed(classroom, assignment))
    if changed.removed or (changed.added and not options.new_cells):
        raise ClassError(changed.sentence(assignment))


def _require_exercise(course: Course, assignment: str, name: str) -> None:
    """Raise a `CourseError` if the exercise is of another assignment."""
    where = find(course, name).name
    if where != assignment:
        raise CourseError(f"{name} is an exercise of {where}, not of {assignment}.")


def _has(verdicts: list[Verdict], exercise: str) -> bool:
    """Tell whether one of the verdicts is on the exercise."""
    return any(verdict.exercise == exercise for verdict in verdicts)


@contextlib.contextmanager
def _runner(questions: Questions, limits: Limits, options: Options) -> Iterator[Runner]:
    """Yield the runner of submissions; end everything it runs when the block ends."""
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
def _judge(task: Task, limits: Limits) -> Iterator[Judge]:
    """Yield the judge: processes beside this one, or this process without sandbox or Linux."""
    if not limits.sandbox or sys.platform != "linux":
        yield judge_here
        return
    recorded = {**task.pasted, **task.recorded}
    judges = Judges(recorded, min(_JUDGES, os.cpu_count() or 1), (PRELOAD,))
    try:
        yield judges.start
    finally:
        judges.close()


@contextlib.contextmanager
def _stopping(graded: Graded, chosen: list[str]) -> Iterator[None]:
    """Turn Ctrl-C and a full disk into an error of one sentence."""
    try:
        yield
    except OSError as error:
        if not is_of_this_machine(error):
            raise
        raise MachineError(
            f"grading has stopped ({machine_problem(error)}: {error.filename}); run the command"
            " again when there is room, and it goes on from there."
        ) from error
    except KeyboardInterrupt:
        done = len(graded.verdicts)
        raise CourseError(
            f"stopped: {done} of {len(chosen)} submissions are graded; run the command again, and"
            " it goes on from there."
        ) from None
