"""The paths of the course's files, and the address of the students' repository."""

from __future__ import annotations

import difflib
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import CourseError

NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Course:
    """A checkout of the course, or a folder laid out like one (the demo class, a test).

    Attributes
    ----------
    root : the folder that holds `nbgrader_config.py`, `solutions/` and `notebooks/`.
    """

    root: Path

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def recordings(self) -> Path:
        return self.root / "coursekit" / "recordings"

    def solution(self, assignment: str) -> Path:
        return self.solutions / assignment / f"{assignment}.ipynb"

    def notebook(self, assignment: str) -> Path:
        return self.notebooks / assignment / f"{assignment}.ipynb"

    def cases(self, assignment: str) -> Path:
        """The folder of the assignment's exercises: a module of cases each, and typed answers."""
        return self.root / "exercises" / assignment

    def shared_cases(self) -> list[Path]:
        """The modules that the exercises of all assignments share, `exercises/*.py`."""
        return sorted((self.root / "exercises").glob("*.py"))

    def drawings(self, assignment: str) -> Path:
        """The folder of the drawings that the assignment's text shows."""
        return self.root / "drawings" / assignment

    def assignments(self) -> list[str]:
        """The assignments that have a solution notebook, in order."""
        found = self.solutions.glob("[0-9][0-9]_*/*.ipynb")
        return sorted(path.stem for path in found if path.stem == path.parent.name)

    def require(self, assignment: str) -> str:
        """The name of an assignment that is given by its name or its number ("05").

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
    """The course that contains `start` (default: the current folder).

    Raises
    ------
    CourseError
        No parent folder has both an `nbgrader_config.py` and a `solutions` folder.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "nbgrader_config.py").exists() and (folder / "solutions").is_dir():
            return Course(folder)
    raise CourseError(
        "this folder is not inside a course: change to the folder that contains nbgrader_config.py"
        " and solutions/, then run the command again."
    )


@functools.lru_cache(maxsize=4)
def student_repository(root: Path) -> str:
    """The address of the students' repository, `https://github.com/...`, as set in pyproject.toml.

    Raises
    ------
    CourseError
        There is none.
    """
    text = (root / "pyproject.toml").read_text("utf-8")
    match = re.search(r'^Students = "(https://[^"]+?)/?"$', text, re.MULTILINE)
    if match is None:
        raise CourseError('pyproject.toml needs a line Students = "https://..." in [project.urls].')
    return match[1]
