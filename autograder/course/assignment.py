"""An assignment of a course, read once and shared: notebook, exercises, reference, release."""

from __future__ import annotations

import difflib
import importlib.util
import re
import sys
import zlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from types import ModuleType

from nbformat import NotebookNode

from autograder.course.exercise import Answer, Exercise, read_exercise
from autograder.course.layout import Course
from autograder.course.reference import Solution, read
from autograder.errors import CourseError
from coursekit.checking.recording_format import RecordedExercise

#: The module with what several exercises of an assignment share; it is no exercise.
SHARED = "common"


class Assignment:
    """One assignment of a course; each of its files is read when it is first asked for, and once.

    After a file has changed, make a new one. What it hands out is shared: do not modify it.

    Parameters
    ----------
    course : Course
        The course's folder.
    name : str
        The assignment's name, such as ``05_transformer_block``.

    Attributes
    ----------
    recorded : dict
        (exercise, seed) -> the exercise as `autograder.course.record_cases.record` has recorded it.
    """

    def __init__(self, course: Course, name: str) -> None:
        self.course = course
        self.name = name
        self.recorded: dict[tuple[str, int], RecordedExercise] = {}

    @cached_property
    def solution(self) -> Solution:
        """The solution notebook."""
        return Solution(self.course.solution(self.name))

    @cached_property
    def release(self) -> NotebookNode:
        """The student notebook as it was released.

        Raises
        ------
        CourseError
            The file is missing or is not a notebook.
        """
        return read(self.course.notebook(self.name))

    @cached_property
    def title(self) -> str:
        """The title of the student notebook, from its first heading, without number and markup."""
        for cell in self.release.cells:
            if found := re.search(r"^# (?:\d\d )?(.+)$", cell.source, re.MULTILINE):
                return re.sub(r"[`*$]", "", found[1]).strip()
        return self.name

    @cached_property
    def goal(self) -> str:
        """The goal that the student notebook's first cell states, in Markdown; "" if it states none."""
        cells = self.release.cells
        found = re.search(r"\*\*Goal\.?\*\*\s*(.+)", cells[0].source) if cells else None
        return found[1].strip() if found else ""

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the order of the notebook's checks.

        Raises
        ------
        CourseError
            There are no cases, or a module cannot be loaded.
        """
        folder = self.course.cases(self.name)
        paths = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
        shared = paths.pop(SHARED, None)
        if not paths:
            raise CourseError(
                f"{self.name} has no cases: write exercises/{self.name}/EXERCISE.py"
                " (`autograder new` creates a first one)."
            )
        package = _make_package(folder)
        if shared is not None:
            _load(shared, package)
        order = {name: position for position, name in enumerate(self.solution.checked_names)}
        names = sorted(paths, key=lambda name: order.get(name, len(order)))
        return {name: read_exercise(name, _load(paths[name], package)) for name in names}

    def exercise(self, name: str) -> Exercise:
        """Return the exercise called `name`.

        Raises
        ------
        CourseError
            There is none; the message names the closest matches.
        """
        if name not in self.exercises:
            raise CourseError(
                f"there is no exercise called {name}; {_nearest(name, self.exercises)}"
            )
        return self.exercises[name]

    def typed(self, answer: Answer) -> str:
        """Return an answer's source as a student would have typed it."""
        return answer.source(self.solution.bare_sources[answer.exercise])


def find(course: Course, name: str) -> Assignment:
    """Return the assignment that has the exercise called `name`.

    Raises
    ------
    CourseError
        There is none; the message names the closest matches.
    """
    known: list[str] = []
    for assignment in every_assignment(course):
        if name in assignment.exercises:
            return assignment
        known += assignment.exercises
    raise CourseError(f"there is no exercise called {name}; {_nearest(name, known)}")


def every_assignment(course: Course) -> list[Assignment]:
    """Return the assignments of the course, in order."""
    return [Assignment(course, name) for name in course.assignments()]


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=2, cutoff=0.5)
    return (
        f"did you mean {' or '.join(near)}?" if near else "`autograder exercises` lists them all."
    )


def _make_package(folder: Path) -> str:
    """Make a package of a folder's exercise modules, drop those loaded before, and return its name.

    Its name is made up from the path: the folder's own name is none of a module, and two courses
    may have the same.
    """
    name = f"exercises_{zlib.crc32(str(folder.parent).encode()):08x}"
    for loaded in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[loaded]
    for package, place in ((name, folder.parent), (f"{name}.{folder.name}", folder)):
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(place)]
    return f"{name}.{folder.name}"


def _load(path: Path, package: str) -> ModuleType:
    name = f"{package}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # it is a file of Python
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(
            f"{path.parent.name}/{path.name} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module
