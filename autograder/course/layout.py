"""The paths of a course's files, and its configuration."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.course.configuration import CourseConfig, read_config
from autograder.errors import CourseError

NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Course:
    """A checkout of the course, or a folder laid out like one (the demo class, a test).

    Attributes
    ----------
    root : Path
        The folder that holds `nbgrader_config.py`, `solutions/` and `notebooks/`.
    """

    root: Path

    @cached_property
    def config(self) -> CourseConfig:
        """The course's configuration: `[tool.autograder]` in its `pyproject.toml`."""
        return read_config(self.root / "pyproject.toml")

    @property
    def solutions(self) -> Path:
        """The folder of the solution notebooks."""
        return self.root / "solutions"

    @property
    def notebooks(self) -> Path:
        """The folder of the student notebooks."""
        return self.root / "notebooks"

    @property
    def recordings(self) -> Path:
        """The folder of the recordings that `check` compares with, in the students' package."""
        return self.package / "recordings"

    @property
    def package(self) -> Path:
        """The folder of the package that students install."""
        return self.root / self.config.package

    @property
    def visible(self) -> tuple[str, ...]:
        """Folders of the course that submissions may see: the package, unless it is coursekit."""
        return (str(self.package),) if self.config.has_own_package else ()

    @property
    def preload(self) -> tuple[str, ...]:
        """Statements that import, once for all submissions, the course's package and modules.

        The package is found in the course's folder even if it is not installed.
        """
        config = self.config
        if not config.has_own_package:
            return tuple(f"import {name}" for name in config.imports)
        path = f"import sys; sys.path.append({str(self.root)!r})"
        return (path, *(f"import {name}" for name in (config.package, *config.imports)))

    def environment(self) -> dict[str, str]:
        """Return the variables with which a kernel finds the course's package and recordings.

        For authors: wherever students install the package, `check` needs no variable.
        """
        found = {"COURSEKIT_RECORDINGS": str(self.recordings)}
        if self.config.has_own_package:
            before = os.environ.get("PYTHONPATH", "")
            paths = [str(self.root), *filter(None, before.split(os.pathsep))]
            found["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
        return found

    def solution(self, assignment: str) -> Path:
        """Return the path of an assignment's solution notebook."""
        return self.solutions / assignment / f"{assignment}.ipynb"

    def notebook(self, assignment: str) -> Path:
        """Return the path of an assignment's student notebook."""
        return self.notebooks / assignment / f"{assignment}.ipynb"

    def cases(self, assignment: str) -> Path:
        """Return the folder of an assignment's exercises: modules of cases, and typed answers."""
        return self.root / "exercises" / assignment

    def shared_cases(self) -> list[Path]:
        """Return the modules that the exercises of all assignments share, `exercises/*.py`."""
        return sorted((self.root / "exercises").glob("*.py"))

    def drawings(self, assignment: str) -> Path:
        """Return the folder of the drawings that an assignment's text shows."""
        return self.root / "drawings" / assignment

    @property
    def guide(self) -> Path | None:
        """The folder with the written parts of the instructor's guide; None if there is none."""
        return self.root / self.config.guide if self.config.guide else None

    def assignments(self) -> list[str]:
        """Return the assignments that have a solution notebook, in order."""
        found = self.solutions.glob("[0-9][0-9]_*/*.ipynb")
        return sorted(path.stem for path in found if path.stem == path.parent.name)

    def first(self) -> str:
        """Return the name of the first assignment.

        Raises
        ------
        CourseError
            There is none yet.
        """
        return self.chosen(())[0]

    def chosen(self, assignments: Sequence[str]) -> list[str]:
        """Return the names of the assignments given by name or number; of all if none is given.

        Raises
        ------
        CourseError
            There is no such assignment, or none yet.
        """
        found = [self.require(one) for one in assignments] or self.assignments()
        if not found:
            raise CourseError("there is no assignment yet; `autograder new 00_topic` creates one.")
        return found

    def require(self, assignment: str) -> str:
        """Return the name of an assignment that is given by its name or its number ("05").

        Raises
        ------
        CourseError
            There is none; the message names the closest match.
        """
        known = self.assignments()
        named = [name for name in known if assignment in (name, name[:2])]
        if named:
            return named[0]
        near = difflib.get_close_matches(assignment, known, n=1, cutoff=0.3)
        near = [name for name in known if name[:2] == assignment[:2]] or near
        tip = (
            f"did you mean {near[0]}?" if near else f"available: {', '.join(known) or 'none yet'}."
        )
        raise CourseError(f"there is no assignment called {assignment}; {tip}")


def find_course(start: Path | None = None) -> Course:
    """Return the course that contains `start` (default: the current folder).

    Its package can be imported from now on, even if it is not installed: solutions may use it.

    Raises
    ------
    CourseError
        No parent folder has both an `nbgrader_config.py` and a `solutions` folder, or the course
        has no valid configuration.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "nbgrader_config.py").exists() and (folder / "solutions").is_dir():
            course = Course(folder)
            if course.config.has_own_package and str(folder) not in sys.path:
                sys.path.append(str(folder))
            return course
    raise CourseError(
        "this folder is not inside a course: change to the folder that contains nbgrader_config.py"
        " and solutions/, then run the command again. `autograder init FOLDER` makes a new course."
    )
