"""Finds the exercises of every assignment in their modules of cases."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from autograder.course.exercise import Exercise
from autograder.course.layout import Course
from autograder.errors import CourseError


def exercises(course: Course, assignment: str) -> dict[str, Exercise]:
    """The assignment's exercises by name, in the order of its module.

    Raises
    ------
    CourseError
        The module of cases is missing or cannot be loaded.
    """
    path = course.module(assignment)
    if not path.exists():
        raise CourseError(
            f"{assignment} has no module of cases: write autograder/exercises/{path.name}"
            f" (`autograder new` makes a first one)."
        )
    module = _load(path, path.stat().st_mtime_ns)
    found: dict[str, Exercise] = {}
    for value in vars(module).values():
        if isinstance(value, Exercise) and found.setdefault(value.name, value) is not value:
            raise CourseError(f"{path.name} has two exercises called {value.name}; keep one.")
    return found


def find(course: Course, name: str) -> tuple[str, Exercise]:
    """The assignment and the exercise called `name`.

    Raises
    ------
    CourseError
        There is none; the sentence names the nearest.
    """
    known: list[str] = []
    for assignment in course.assignments():
        own = exercises(course, assignment)
        if name in own:
            return assignment, own[name]
        known += own
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    tip = f"did you mean {' or '.join(near)}?" if near else "`autograder exercises` lists them all."
    raise CourseError(f"no exercise is called {name}; {tip}")


@functools.lru_cache(maxsize=64)
def _load(path: Path, modified: int) -> ModuleType:
    name = f"autograder.exercises.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(
            f"{path.name} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module
