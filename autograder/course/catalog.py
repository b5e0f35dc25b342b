"""Finds and loads the exercises of an assignment: one module of cases per exercise."""

from __future__ import annotations

import difflib
import functools
import importlib.util
import sys
import zlib
from pathlib import Path
from types import ModuleType

from autograder.course.exercise import Exercise, read_exercise
from autograder.course.layout import Course
from autograder.course.reference import checked_names
from autograder.errors import CourseError

#: The name of the module with what several exercises of an assignment share; it is no exercise.
SHARED = "common"


def exercises(course: Course, assignment: str) -> dict[str, Exercise]:
    """The assignment's exercises by name, in the order of the notebook's checks.

    Raises
    ------
    CourseError
        There are no cases, or a module cannot be loaded.
    """
    folder = course.cases(assignment)
    paths = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
    shared = paths.pop(SHARED, None)
    if not paths:
        raise CourseError(
            f"{assignment} has no cases: write exercises/{folder.name}/EXERCISE.py"
            " (`autograder new` creates a first one)."
        )
    changed = _changed([*course.shared_cases(), *([shared] if shared else [])])
    order = {
        name: position for position, name in enumerate(checked_names(course.solution(assignment)))
    }
    names = sorted(paths, key=lambda name: order.get(name, len(order)))
    return {name: _load(paths[name], paths[name].stat().st_mtime_ns, changed) for name in names}


def find(course: Course, name: str) -> tuple[str, Exercise]:
    """The assignment and the exercise called `name`.

    Raises
    ------
    CourseError
        There is none; the message names the closest matches.
    """
    known: list[str] = []
    for assignment in course.assignments():
        own = exercises(course, assignment)
        if name in own:
            return assignment, own[name]
        known += own
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    tip = f"did you mean {' or '.join(near)}?" if near else "`autograder exercises` lists them all."
    raise CourseError(f"there is no exercise called {name}; {tip}")


def _changed(paths: list[Path]) -> tuple[tuple[Path, int], ...]:
    """Modules, and when each was modified: a key for caches."""
    return tuple((path, path.stat().st_mtime_ns) for path in paths)


@functools.lru_cache(maxsize=256)
def _load(path: Path, modified: int, shared: tuple[tuple[Path, int], ...]) -> Exercise:
    """The exercise in a module, cached until it or one of those in `shared` is modified."""
    package = _package(path.parent)
    _load_shared(package, shared)
    return read_exercise(path.stem, _import(f"{package}.{path.stem}", path))


@functools.lru_cache(maxsize=32)
def _load_shared(package: str, shared: tuple[tuple[Path, int], ...]) -> None:
    """Load anew what exercises share: first what all do, then what those of an assignment do."""
    above = package.rpartition(".")[0]
    names = [f"{package if path.stem == SHARED else above}.{path.stem}" for path, _ in shared]
    for name in names:
        sys.modules.pop(name, None)  # where one imports another, it is found by its path
    for name, (path, _) in zip(names, shared, strict=True):
        if name not in sys.modules:
            _import(name, path)


def _package(folder: Path) -> str:
    """The name under which the modules of a folder import each other; the folder need not be on a path."""
    name = ""
    for place in (folder.parent, folder):
        name = (
            f"{name}.{place.name}" if name else f"exercises_{zlib.crc32(str(place).encode()):08x}"
        )
        if name not in sys.modules:
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = [str(place)]
    return name


def _import(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
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
