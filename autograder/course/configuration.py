"""The configuration of a course: the table `[tool.autograder]` of its `pyproject.toml`."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from autograder.errors import CourseError
from coursekit import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DISTRIBUTION = re.compile(r"[-_.]+")


@dataclass(frozen=True)
class CourseConfig:
    """The configuration of a course; everything but `title` and `package` is optional.

    `name`, `version` and `students` come from the standard table `[project]`, the others from
    `[tool.autograder]`.

    Attributes
    ----------
    title : str
        The course's title, for the handout.
    package : str
        The Python package in the course's folder that students install. Its folder `recordings/`
        is generated: what `check` compares with.
    name : str
        The name of the distribution that holds this package.
    version : str
        Its version; coursekit's own if `[project]` has none.
    students : str
        The address of the students' repository, `https://github.com/...`: `Students` in
        `[project.urls]`. Badges and set-up cells lead there; "" for a course that has none.
    setup : str
        The line that ends every set-up cell, such as the import of `package`.
    template : str
        The kind of exercise that `autograder new` creates: "python" or "torch".
    imports : tuple of str
        Modules that grading imports once, before it forks a process per submission: those that
        take long to import.
    files : tuple of str
        Files of the course's folder that the handout contains besides `constraints.txt`.
    license : str
        The license of texts and drawings, and whom to name: a line below figures and on slides.
    notes : str
        The last paragraphs of the handout's README, in Markdown.
    guide : str
        The folder with the written parts of the instructor's guide; "" if there is none.
    verify : mapping of str to float
        Thresholds of the rules of `autograder verify`, in `[tool.autograder.verify]`.
    """

    title: str
    package: str
    name: str
    version: str
    students: str = ""
    setup: str = ""
    template: str = "python"
    imports: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    license: str = ""
    notes: str = ""
    guide: str = ""
    verify: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_own_package(self) -> bool:
        """True if students install a package besides coursekit: in every course but coursekit's."""
        return self.package != "coursekit"


def read_config(path: Path) -> CourseConfig:
    """Read the configuration of a course from its `pyproject.toml`.

    Raises
    ------
    CourseError
        The file is missing or is not TOML, or a key is missing, unknown or of another type.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        raise CourseError(f"there is no {path}: `autograder init FOLDER` writes one.") from None
    except ValueError as error:
        raise CourseError(f"{path} is not TOML: {error}.") from error
    project, table = content.get("project", {}), content.get("tool", {}).get("autograder", {})
    own = {one.name: one.type for one in fields(CourseConfig)}
    del own["name"], own["version"], own["students"]
    for key in table:
        if key not in own:
            near = difflib.get_close_matches(key, own, n=1)
            tip = f"; did you mean {near[0]}?" if near else "."
            raise CourseError(f"{path}: [tool.autograder] has no key {key!r}{tip}")
    for key in ("title", "package"):
        if not isinstance(table.get(key), str) or not table[key]:
            raise CourseError(f'{path} needs a line {key} = "..." in [tool.autograder].')
    values = {key: _value(path, key, value, own[key]) for key, value in table.items()}
    address = str(project.get("urls", {}).get("Students", "")).rstrip("/")
    if address and not address.startswith("https://"):
        raise CourseError(f"{path}: Students in [project.urls] must begin with https://.")
    name = _DISTRIBUTION.sub("_", project.get("name", table["package"])).lower()
    version = project.get("version", __version__)
    values.setdefault("setup", f"import {table['package']}")
    return CourseConfig(name=name, version=version, students=address, **values)


def _value(path: Path, key: str, value: Any, kind: Any) -> Any:
    """Return a value of `[tool.autograder]`: a text, a list of texts, or the table of thresholds."""
    if key == "verify":
        return _thresholds(path, value)
    if kind == "str" and isinstance(value, str):
        return value
    if kind != "str" and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    what = "a text" if kind == "str" else "a list of texts"
    raise CourseError(f"{path}: {key} in [tool.autograder] must be {what}.")


def _thresholds(path: Path, value: Any) -> dict[str, float]:
    """Return the table of thresholds, each a number."""
    if not isinstance(value, dict):
        raise CourseError(f"{path}: [tool.autograder.verify] must be a table of numbers.")
    for name, number in value.items():
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise CourseError(f"{path}: {name} in [tool.autograder.verify] must be a number.")
    return value
