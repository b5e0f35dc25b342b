"""Wheels that students install: their names, and how they are built, offline.

A course's package depends on coursekit for `check`. Its handout has a wheel of coursekit with that
alone, cut from the coursekit that is installed here: no data, no models, no other course's
recordings, and nothing of this needs a checkout.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import autograder
import coursekit
from autograder.course.layout import Course
from autograder.errors import CourseError

#: What `check` imports besides Python: the requirements of the wheel that is cut down.
_NEEDED = ("ipython", "numpy")
_CHECK = "coursekit.checking"
_PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "coursekit"
version = "{version}"
description = "Instant checks for exercises in Jupyter notebooks."
requires-python = ">=3.10"
dependencies = {dependencies}

[tool.hatch.build.targets.wheel]
packages = ["coursekit"]
"""


def wheel_names(course: Course) -> list[str]:
    """Return the file names of the wheels that students install, in this order."""
    config = course.config
    own = f"{config.name}-{config.version}-py3-none-any.whl"
    return [_check_wheel(), own] if config.has_own_package else [own]


def _check_wheel() -> str:
    """Return the file name of the wheel of coursekit that only has `check`."""
    return f"coursekit-{_check_version()}-py3-none-any.whl"


def _check_version() -> str:
    """Return the version of the wheel with `check` alone: coursekit's with a local label."""
    return f"{coursekit.__version__.partition('+')[0]}+check"


def build_wheels(course: Course, folder: Path, for_tool: bool = False) -> list[str]:
    """Build the wheels of the course into `folder`, offline; return their names.

    Parameters
    ----------
    for_tool : bool
        With what `autograder` needs of coursekit, too.

    Raises
    ------
    CourseError
        One of them cannot be built; the message has the last line of the error.
    """
    names = wheel_names(course)
    if course.config.has_own_package:
        with tempfile.TemporaryDirectory() as source:
            _cut(Path(source), [_CHECK, *(_imported_by_tool() if for_tool else ())])
            _build(Path(source), folder, names[0])
    _build(course.root, folder, names[-1])
    return names


def _build(source: Path, folder: Path, name: str) -> None:
    """Build a wheel with pip, offline."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (folder / name).exists():
        last = (done.stderr.strip().splitlines() or [f"pip built no {name}"])[-1]
        raise CourseError(f"the wheel could not be built: {last}")


def _cut(folder: Path, packages: Iterable[str]) -> None:
    """Write to `folder` the source of a coursekit that has only these parts of it."""
    home = Path(coursekit.__file__).parent
    for path in _needed_files(home, packages):
        target = folder / "coursekit" / path.relative_to(home)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    found = importlib.metadata.requires("coursekit") or []
    needed = [text for text in found if re.split(r"[^\w-]", text)[0].lower() in _NEEDED]
    text = _PROJECT.format(version=_check_version(), dependencies=sorted(needed))
    (folder / "pyproject.toml").write_text(text, "utf-8")


def _needed_files(home: Path, packages: Iterable[str]) -> set[Path]:
    """Return `coursekit/__init__.py`, the packages' files, and the modules these import."""
    waiting = [home / "progress.py"]
    for package in packages:
        place = home.joinpath(*package.split(".")[1:])
        waiting += place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    found = {home / "__init__.py"}
    while waiting:
        path = waiting.pop()
        if path in found or not path.exists():
            continue
        found.add(path)
        found |= {other for other in path.parent.iterdir() if other.suffix in (".json", ".typed")}
        for name in _imports(path):
            place = home.joinpath(*name.split(".")[1:])
            waiting += [place.with_suffix(".py"), place / "__init__.py"]
            waiting += [
                folder / "__init__.py" for folder in place.parents if home in folder.parents
            ]
    return found


def _imports(path: Path) -> Iterator[str]:
    """Yield the names that a module imports from coursekit, of modules or of their contents."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.startswith("coursekit."))


def _imported_by_tool() -> set[str]:
    """Return the modules of coursekit that `autograder` imports."""
    home = Path(autograder.__file__).parent
    files = (path for path in home.rglob("*.py") if "templates" not in path.parts)
    names = {name for path in files for name in _imports(path)}
    return {name for name in names if _is_module(name)}


def _is_module(name: str) -> bool:
    """Tell whether a dotted name is a module."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a name in a module
        return False
