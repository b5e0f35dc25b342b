"""Creation of an empty course: its configuration, and a package for what students install."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from pathlib import Path

from autograder.errors import CourseError

_TEMPLATES = Path(__file__).parent / "templates" / "course"
#: Template -> its place in the course.
_FILES = {
    "pyproject.toml": "pyproject.toml",
    "nbgrader_config.py": "nbgrader_config.py",
    "constraints.txt": "constraints.txt",
    "README.md": "README.md",
    "Makefile": "Makefile",
    "gitignore": ".gitignore",
}


def init_course(folder: Path, title: str | None = None) -> list[Path]:
    """Write an empty course to `folder`; return the paths of the files.

    The folder's name gives the package its name: `intro-python` has a package `intro_python`.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet, or has none of these files.
    title : str, optional
        The course's title; the folder's name in words if None.

    Raises
    ------
    CourseError
        The name cannot be a package's, or a package that is installed here has it; or a file
        exists already, or cannot be written. Nothing was changed then.
    """
    place = folder.resolve()
    package = re.sub(r"[-.\s]+", "_", place.name).lower()
    _require_free_name(place, package)
    words = {
        "NAME": package.replace("_", "-"),
        "PACKAGE": package,
        "TITLE": _quotable(title or package.replace("_", " ").capitalize()),
    }
    texts = {target: _fill(template, words) for template, target in _FILES.items()}
    texts[f"{package}/__init__.py"] = f'"""What students of {words["TITLE"]} install."""\n'
    texts |= {"solutions/.gitkeep": "", "exercises/.gitkeep": ""}  # git keeps no empty folder
    for name in texts:
        if (place / name).exists():
            raise CourseError(f"{folder / name} already exists; nothing was changed.")
    try:
        for name, text in texts.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, "utf-8")
    except OSError as error:
        raise CourseError(f"{folder} cannot be written: {error.strerror}.") from error
    return [folder / name for name in texts]


def _fill(template: str, words: dict[str, str]) -> str:
    text = (_TEMPLATES / template).read_text("utf-8")
    for name, word in words.items():
        text = text.replace(f"__{name}__", word)
    return text


def _quotable(title: str) -> str:
    """Return the title as it can stand in TOML and Python text."""
    return " ".join(title.replace("\\", " ").replace('"', "'").split())


def _require_free_name(place: Path, package: str) -> None:
    """Refuse a package name that is not Python's, or that another package has."""
    tip = "choose another name for the folder, such as intro_python."
    if not re.fullmatch(r"[a-z][a-z0-9_]*", package) or keyword.iskeyword(package):
        raise CourseError(f"a course's package cannot be called {package!r}; {tip}")
    taken = package in sys.stdlib_module_names
    if not taken:
        spec = importlib.util.find_spec(package)
        taken = spec is not None and Path(spec.origin or place).parent != place / package
    if taken:
        raise CourseError(f"there is a Python package called {package} already; {tip}")
