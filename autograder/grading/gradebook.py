"""nbgrader as a library: configured from the course's own `nbgrader_config.py`, called quietly."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import nbgrader.api
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGrader, ZipCollectApp
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from autograder.course.layout import Course
from autograder.errors import CourseError

# nbgrader opens its database nine times for a submission, and each new engine compiles all its
# queries anew; one for each database does it once
nbgrader.api.create_engine = functools.lru_cache(maxsize=4)(nbgrader.api.create_engine)

#: The last line of a traceback, in nbgrader's log.
_EXCEPTION = re.compile(r"^[\w.]*(?:Error|Exception|Entry|Warning): .*$", re.MULTILINE)


class Classroom:
    """A class: where its submissions, grades and feedback lie, and nbgrader configured for it.

    Parameters
    ----------
    course : the course that is taught.
    folder : holds `submitted/`, `autograded/`, `feedback/` and `gradebook.db`.
    """

    def __init__(self, course: Course, folder: Path | None = None) -> None:
        self.course = course
        self.folder = (folder or course.root).resolve()

    @property
    def database(self) -> Path:
        return self.folder / "gradebook.db"

    def submission(self, student: str, assignment: str) -> Path:
        return self.folder / "submitted" / student / assignment / f"{assignment}.ipynb"

    def autograded(self, student: str, assignment: str) -> Path:
        return self.folder / "autograded" / student / assignment / f"{assignment}.ipynb"

    def feedback(self, student: str, assignment: str) -> Path:
        return self.folder / "feedback" / student / assignment / f"{assignment}.html"

    def students(self, assignment: str) -> list[str]:
        """Those who submitted the assignment, in alphabetical order."""
        found = self.folder.glob(f"submitted/*/{assignment}")
        return sorted(path.parent.name for path in found if path.is_dir())

    def due(self, assignment: str) -> datetime | None:
        """When the assignment is due, if the gradebook says so: late penalties depend on it."""
        if not self.database.exists():
            return None
        try:
            with tools_on_path(), Gradebook(f"sqlite:///{self.database}") as gradebook:
                return gradebook.find_assignment(assignment).duedate
        except MissingEntry:
            return None

    def config(self) -> Config:
        """The course's nbgrader configuration, with the class's folders."""
        config = PyFileConfigLoader("nbgrader_config.py", str(self.course.root)).load_config()
        folders = config.CourseDirectory
        folders.root = str(self.course.root)
        for step in ("submitted", "autograded", "feedback"):
            folders[f"{step}_directory"] = str(self.folder / step)
        folders.db_url = f"sqlite:///{self.database}"
        config.NbGrader.log_level = logging.ERROR
        return config

    def register(self, assignment: str) -> None:
        """Make the gradebook know the assignment as it is now in the solution notebook."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as release:
            generate(self.config(), assignment, Path(release), database=True)

    def autograde(self, assignment: str, student: str, config: Config) -> str:
        """Autograde one submission with nbgrader; "" or, if that failed, nbgrader's own words."""
        return _run(Autograde, config, assignment, student)

    def write_feedback(self, assignment: str, student: str) -> str:
        """Write one student's feedback page; "" or, if that failed, nbgrader's own words."""
        return _run(GenerateFeedback, self.config(), assignment, student)


def generate(config: Config, assignment: str, release: Path, database: bool) -> None:
    """nbgrader's generate_assignment, into the folder `release`.

    Raises
    ------
    CourseError
        nbgrader refuses the solution notebook; its own words are in the sentence.
    """
    config.CourseDirectory.release_directory = str(release)
    config.GenerateAssignment.no_database = not database
    config.SaveCells.enabled = database
    log = _run(GenerateAssignment, config, assignment, "")
    if log:
        raise CourseError(f"nbgrader could not release {assignment}: {log}")


def zip_collect(room: Classroom, assignment: str, downloaded: Path) -> None:
    """nbgrader's zip collection of `downloaded/ASSIGNMENT/archive/` into `submitted/`.

    The files are called STUDENT_attempt_YYYY-MM-DD HH:MM:SS_ASSIGNMENT.ipynb.

    Raises
    ------
    CourseError
        nbgrader refuses; its own words are in the sentence.
    """
    config = room.config()
    config.CourseDirectory.assignment_id = assignment
    config.FileNameCollectorPlugin.named_regexp = (
        r".*/(?P<student_id>[^/]+)_attempt_(?P<timestamp>[\d-]+ [\d:]+)_(?P<file_id>[^/]+)\.ipynb"
    )
    with _quiet(config) as (parent, words):
        app = ZipCollectApp(parent=parent)
        app.coursedir = parent.coursedir
        app.collect_directory_structure = f"{downloaded}/{{assignment_id}}/{{collect_step}}"
        try:
            app.init_plugins()
            app.extract_archive_files()
            app.process_extracted_files()
        except (NbGraderException, SystemExit, RuntimeError) as error:
            raise CourseError(
                f"nbgrader could not collect {assignment}: {words.getvalue().strip() or error}"
            ) from error


def _run(kind: type[BaseConverter], config: Config, assignment: str, student: str) -> str:
    """Run one of nbgrader's converters; "" on success, else the error it ended with."""
    config.CourseDirectory.assignment_id = assignment
    if student:
        config.CourseDirectory.student_id = student
    with _quiet(config) as (parent, words):
        try:
            with tools_on_path(), warnings.catch_warnings():
                # nbgrader's own models trip this when a submission is new; it changes nothing
                warnings.filterwarnings("ignore", message="Object of type .* not in session")
                converter = kind(coursedir=parent.coursedir, parent=parent)
                converter.force = True
                converter.start()
        except (NbGraderException, SystemExit, RuntimeError) as error:
            said = _EXCEPTION.findall(words.getvalue())
            return said[-1] if said else str(error).splitlines()[0]
    return ""


@contextlib.contextmanager
def _quiet(config: Config) -> Iterator[tuple[NbGrader, io.StringIO]]:
    """nbgrader's application, whose errors go into a text in place of the terminal."""
    parent = NbGrader(config=config)
    parent.coursedir = CourseDirectory(parent=parent)
    parent.log.handlers, parent.log.propagate = [], False
    words = io.StringIO()
    handler = logging.StreamHandler(words)
    handler.setLevel(logging.ERROR)
    parent.log.addHandler(handler)
    try:
        yield parent, words
    finally:
        parent.log.removeHandler(handler)


@contextlib.contextmanager
def tools_on_path() -> Iterator[None]:
    """nbgrader calls `alembic` by name; without this a bare interpreter would not find it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before
