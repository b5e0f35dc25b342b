"""A class's folder, and nbgrader as a library that the course's `nbgrader_config.py` configures."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import re
import shlex
import sqlite3
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbgrader
import nbgrader.api
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.apps import NbGrader, ZipCollectApp
from nbgrader.converters import GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course.layout import Course
from autograder.errors import AuthorError, ClassError
from autograder.gradebook.backups import NAME
from autograder.gradebook.late_policy import Lateness, lateness
from autograder.gradebook.name_keys import first_and_last
from autograder.gradebook.read_submissions import read_submissions
from autograder.gradebook.retry import machine_error
from autograder.gradebook.roster import Person, add_entry, read_people
from autograder.gradebook.submission_score import Score, is_graded, read_score
from autograder.gradebook.upload_manifest import read_origins
from autograder.gradebook.withdrawn import withdrawals
from autograder.sandbox.scratch import scratch

# nbgrader opens its database nine times per submission, and every new engine compiles all queries
# again; one engine per database compiles them once
nbgrader.api.create_engine = functools.lru_cache(maxsize=4)(nbgrader.api.create_engine)

#: The last line of a traceback in nbgrader's log.
_EXCEPTION = re.compile(r"^[\w.]*(?:Error|Exception|Entry|Warning): .*$", re.MULTILINE)


class Classroom:
    """A class: the paths of its submissions, grades and feedback, with nbgrader configured for it.

    Parameters
    ----------
    course : Course
        The course that is taught.
    folder : Path, optional
        The folder with `submitted/`, `autograded/`, `feedback/` and `gradebook.db`; None for the
        course's.
    """

    def __init__(self, course: Course, folder: Path | None = None) -> None:
        self.course = course
        self.folder = (folder or course.root).resolve()

    def command(self, words: str) -> str:
        """Return a command of the autograder on this class, to be quoted in a message."""
        elsewhere = self.folder != self.course.root.resolve()
        return f"`autograder {words}{f' --folder {shlex.quote(str(self.folder))}' * elsewhere}`"

    @property
    def database(self) -> Path:
        """The path of the gradebook."""
        return self.folder / NAME

    def submission(self, student: str, assignment: str) -> Path:
        """Return the path of a submitted notebook."""
        return self.folder / "submitted" / student / assignment / f"{assignment}.ipynb"

    def autograded(self, student: str, assignment: str) -> Path:
        """Return the path of an autograded notebook."""
        return self.folder / "autograded" / student / assignment / f"{assignment}.ipynb"

    def feedback(self, student: str, assignment: str) -> Path:
        """Return the path of a feedback page."""
        return self.folder / "feedback" / student / assignment / f"{assignment}.html"

    def students(self, assignment: str) -> list[str]:
        """Return the students with a submission who have not dropped the course, sorted."""
        found = self.folder.glob(f"submitted/*/{assignment}")
        return sorted({path.parent.name for path in found if path.is_dir()} - self.dropped())

    def people(self) -> dict[str, Person]:
        """Return student -> what LMSs, a roster and nbgrader's table of students say."""
        people = read_people(self.folder)
        if self.database.exists():
            with self.open_gradebook() as gradebook:
                for student in gradebook.students:
                    add_entry(people, student)
        return people

    def members(self) -> list[str]:
        """Return the students of the class, sorted: in nbgrader's table or with a submission.

        Students who have dropped the course are left out.
        """
        found = {path.parent.name for path in self.folder.glob("submitted/*/*") if path.is_dir()}
        if self.database.exists():
            with self.open_gradebook() as gradebook:
                found |= {student.id for student in gradebook.students}
        return sorted(found - self.dropped())

    def dropped(self) -> set[str]:
        """Return the students who have dropped the course."""
        return {who for who, person in read_people(self.folder).items() if person.dropped}

    def require_writable(self) -> None:
        """Raise a `ClassError` if files cannot be written to the class's folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise ClassError(
                f"the folder of the class, {self.folder}, cannot be written"
                f" ({error.strerror or error}); choose another with --folder."
            ) from error

    def lateness(self, assignment: str) -> dict[str, Lateness]:
        """Return student -> lateness, for all submissions in the gradebook."""
        origins = read_origins(self.folder, assignment)
        with self.submissions(assignment) as submissions:
            return {
                one.student_id: lateness(
                    one, one.student_id in origins and origins[one.student_id].late
                )
                for one in submissions
            }

    def scores(self, assignment: str) -> dict[str, Score]:
        """Return student -> score, for all graded submissions in the gradebook."""
        if not self.database.exists():
            return {}
        with self.open_gradebook() as gradebook:
            rows = withdrawals(gradebook, assignment)
            found = read_submissions(gradebook, assignment)
            return {one.student_id: read_score(one, rows) for one in found if is_graded(one)}

    @contextlib.contextmanager
    def open_gradebook(self) -> Iterator[Gradebook]:
        """Open the gradebook for the block; make it if there is none."""
        self.create_database()
        with Gradebook(f"sqlite:///{self.database}") as gradebook:
            yield gradebook

    @contextlib.contextmanager
    def submissions(self, assignment: str) -> Iterator[list[SubmittedAssignment]]:
        """Yield the submissions of an assignment in the gradebook, which is open in the block."""
        if not self.database.exists():
            yield []
            return
        with self.open_gradebook() as gradebook:
            yield read_submissions(gradebook, assignment)

    def config(self) -> Config:
        """Return the course's nbgrader configuration with the class's folders."""
        config: Config = PyFileConfigLoader(
            "nbgrader_config.py", str(self.course.root)
        ).load_config()
        folders = config.CourseDirectory
        folders.root = str(self.course.root)
        for step in ("submitted", "autograded", "feedback"):
            folders[f"{step}_directory"] = str(self.folder / step)
        folders.db_url = f"sqlite:///{self.database}"
        config.NbGrader.log_level = logging.ERROR
        return config

    def register(self, assignment: str, new_cells: bool = False) -> None:
        """Add the assignment to the gradebook, or update it, from the solution notebook.

        Parameters
        ----------
        new_cells : bool
            Add graded cells that are new in the release, even if there are submissions.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self.create_database()
        config = self.config()
        config.SaveCells.new_cells = new_cells
        with scratch() as release:
            generate(config, assignment, Path(release), database=True)

    def create_database(self) -> None:
        """Create the gradebook, unless it exists, so that only its owner can read it.

        The version of its tables is noted first: nbgrader starts another program to find it out.
        """
        if self.database.exists():
            return
        new = self.database.with_name(f"{self.database.name}.new")
        before = os.umask(0o077)
        try:
            new.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(new)) as database, database:
                database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
                versions = [(version,) for version in _newest_versions()]
                database.executemany("INSERT INTO alembic_version VALUES (?)", versions)
            with Gradebook(f"sqlite:///{new}"):
                pass
            new.rename(self.database)
        finally:
            os.umask(before)

    def enter_names(self, names: dict[str, str]) -> None:
        """Enter students' full names, which formgrader shows, unless the gradebook has a name."""
        wanted = {student: name for student, name in names.items() if " " in name.strip()}
        if not wanted:
            return
        self.create_database()
        with self.open_gradebook() as gradebook:
            known = {student.id for student in gradebook.students if student.last_name}
            for student in sorted(wanted.keys() - known):
                first, last = first_and_last(wanted[student])
                gradebook.update_or_create_student(student, first_name=first, last_name=last)

    def enter_students(self, entries: dict[str, dict[str, str]]) -> None:
        """Enter students into nbgrader's table, each with names and email address."""
        self.create_database()
        with self.open_gradebook() as gradebook:
            for student, entry in entries.items():
                gradebook.update_or_create_student(student, **entry)

    def remove(self, assignment: str, student: str) -> None:
        """Remove a submission from the gradebook, if it is there."""
        with self.open_gradebook() as gradebook, contextlib.suppress(MissingEntry):
            gradebook.remove_submission(assignment, student)

    def write_feedback(self, assignment: str, student: str) -> None:
        """Write one student's feedback page.

        Raises
        ------
        Exception
            What stopped nbgrader.
        """
        if failure := _run(GenerateFeedback, self.config(), assignment, student):
            raise failure.cause or failure


def generate(config: Config, assignment: str, release: Path, database: bool) -> None:
    """Run nbgrader's generate_assignment, with `release` as the release folder.

    Raises
    ------
    AuthorError
        nbgrader rejects the solution notebook; the message includes nbgrader's.
    """
    config.CourseDirectory.release_directory = str(release)
    config.GenerateAssignment.no_database = not database
    config.SaveCells.enabled = database
    if failure := _run(GenerateAssignment, config, assignment, ""):
        raise AuthorError(f"nbgrader could not release {assignment}: {failure}") from failure.cause


def zip_collect(classroom: Classroom, assignment: str, downloaded: Path) -> None:
    """Run nbgrader's zip_collect on `downloaded/ASSIGNMENT/archive/`, into `submitted/`.

    The files are named STUDENT_attempt_YYYY-MM-DD HH:MM:SS_ASSIGNMENT.ipynb, with "unknown" for the
    time of those whose time is not known.

    Raises
    ------
    ClassError
        nbgrader fails; the message includes nbgrader's.
    """
    config = classroom.config()
    config.CourseDirectory.assignment_id = assignment
    config.FileNameCollectorPlugin.named_regexp = (
        r".*/(?P<student_id>[^/]+)_attempt_(?:(?P<timestamp>[\d-]+ [\d:]+)|unknown)"
        r"_(?P<file_id>[^/]+)\.ipynb"
    )
    with _quiet(config) as (parent, log):
        app = ZipCollectApp(parent=parent)
        app.coursedir = parent.coursedir
        app.collect_directory_structure = f"{downloaded}/{{assignment_id}}/{{collect_step}}"
        try:
            app.init_plugins()
            app.extract_archive_files()
            app.process_extracted_files()
        except (NbGraderException, SystemExit, RuntimeError) as error:
            raise ClassError(
                f"nbgrader could not collect {assignment}: {log.text().strip() or error}"
            ) from error


class NbgraderFailure(Exception):
    """One of nbgrader's converters has failed.

    Attributes
    ----------
    cause : Exception or None
        The exception that the converter caught and logged.
    """

    def __init__(self, message: str, cause: Exception | None) -> None:
        super().__init__(message)
        self.cause = cause


def _run(
    converter_class: type[BaseConverter], config: Config, assignment: str, student: str
) -> NbgraderFailure | None:
    """Run one of nbgrader's converters; return its failure, if it fails.

    Raises
    ------
    Exception
        This machine is the reason, as `is_of_this_machine` says: a full disk, a locked gradebook.
    """
    config.CourseDirectory.assignment_id = assignment
    if student:
        config.CourseDirectory.student_id = student
    with _quiet(config) as (parent, log):
        try:
            with warnings.catch_warnings():
                # harmless; nbgrader's own models cause it for every new submission
                warnings.filterwarnings("ignore", message="Object of type .* not in session")
                converter = converter_class(coursedir=parent.coursedir, parent=parent)
                converter.force = True
                converter.start()
        except (NbGraderException, SystemExit, RuntimeError) as error:
            for cause in map(machine_error, (error, *log.causes)):
                if cause is not None:
                    raise cause from None
            messages = _EXCEPTION.findall(log.text())
            message = messages[-1] if messages else str(error).partition("\n")[0]
            caught = [one for one in log.causes if isinstance(one, Exception)]
            return NbgraderFailure(message, next(iter(caught), None))
    return None


def nbgrader_app(config: Config) -> NbGrader:
    """Return nbgrader's application with its course, the parent of its converters."""
    parent = NbGrader(config=config)
    parent.coursedir = CourseDirectory(parent=parent)
    return parent


@contextlib.contextmanager
def _quiet(config: Config) -> Iterator[tuple[NbGrader, _Log]]:
    """Yield nbgrader's application, which keeps its errors instead of printing them."""
    parent = nbgrader_app(config)
    parent.log.handlers, parent.log.propagate = [], False
    log = _Log()
    parent.log.addHandler(log)
    try:
        yield parent, log
    finally:
        parent.log.removeHandler(log)


class _Log(logging.StreamHandler):  # type: ignore[type-arg]  # Python 3.10 takes no argument
    """A log handler that keeps nbgrader's errors, and the exceptions that it catches."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.setLevel(logging.ERROR)
        self.causes: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep an error, and the exception that is being handled."""
        super().emit(record)
        if (error := sys.exc_info()[1]) is not None:
            self.causes.append(error)

    def text(self) -> str:
        """Return all errors as text."""
        text: str = self.stream.getvalue()
        return text


def _newest_versions() -> Sequence[str]:
    """Return the version of the tables that the installed nbgrader makes."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(str(nbgrader.__file__)).parent / "alembic")).get_heads()
