"""Checks of the configuration of a JupyterHub or shared computer, as `docs/hub.md` describes it.

Only the configuration files on this machine are read; no hub is asked.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH, jupyter_config_dir
from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.backups import NAME
from autograder.gradebook.permissions import Opening

_CONFIG = "nbgrader_config.py"
_SECONDS = 60
#: The permissions of an exchange: everyone makes files in it, and nobody renames another's.
EXCHANGE_MODE = 0o1777


def problems_on_hub(course: Course) -> list[Opening]:
    """Return what keeps nbgrader, formgrader or students' servers on this machine from working.

    Problems of a hub are reported only where there is one, or the course uses an exchange.
    """
    found = [*_tools()]
    own = _read(course.root)
    system = _merged(Path(folder) for folder in SYSTEM_CONFIG_PATH)
    exchange = _text(own, "Exchange", "root")
    if not (exchange or _text(own, "CourseDirectory", "course_id") or _on_hub()):
        return found
    return [
        *found,
        *_formgrader(course, system),
        *_course_id(own, system),
        *_exchange(exchange, _text(system, "Exchange", "root")),
        *_course_in_exchange(course, own, system),
        *_students_image(),
        *_nameless(course),
    ]


def _on_hub() -> bool:
    """Tell whether this is a server of a hub, or a machine with one."""
    return any(name.startswith("JUPYTERHUB_") for name in os.environ) or bool(
        find_spec("jupyterhub") or shutil.which("jupyterhub")
    )


def _in_server() -> bool:
    """Tell whether this is a user's own server; a service of the hub has a user's name, too."""
    return "JUPYTERHUB_USER" in os.environ and "JUPYTERHUB_SERVICE_NAME" not in os.environ


def _tools() -> list[Opening]:
    """Report a missing `alembic`, which nbgrader calls by name when it makes a gradebook."""
    here = str(Path(sys.executable).parent)
    if shutil.which("alembic"):
        return []
    return [
        Opening(
            "`nbgrader` fails when it makes a gradebook, since it does not find `alembic` on PATH",
            f"export PATH={shlex.quote(here)}:$PATH, or activate the environment",
        )
    ]


def _formgrader(course: Course, system: Config) -> list[Opening]:
    """Report a formgrader that would not find the course.

    A single-user server starts in the home folder, and reads no configuration of the course. The
    course's owner, as whom nobody logs in, has no such server.
    """
    home = Path.home()
    user = _merged([*map(Path, ENV_CONFIG_PATH), Path(jupyter_config_dir())], system)
    root = _text(user, "CourseDirectory", "root")
    found = []
    elsewhere = Path(root).resolve() != course.root if root else _in_server()
    if home.resolve() != course.root and elsewhere:
        line = f"c.CourseDirectory.root = {str(course.root)!r}"
        found.append(
            Opening(
                "formgrader is empty in a server that starts in your home folder"
                + (f": its configuration names {root}" if root else ""),
                f"put `{line}` into {Path(jupyter_config_dir()) / _CONFIG}",
            )
        )
    stray = home / NAME
    if home.resolve() != course.root and stray.exists():
        found.append(
            Opening(
                f"{stray} is a gradebook that a formgrader without its course has made",
                "delete it, once formgrader shows the course, if nothing is graded in it",
            )
        )
    return found


def _course_id(own: Config, system: Config) -> list[Opening]:
    """Report a course name that the machine's configuration sets, or the course's lacks."""
    found = []
    if named := _text(system, "CourseDirectory", "course_id"):
        found.append(
            Opening(
                f"the configuration of this machine names the course {named}, which hides students'"
                " other courses",
                f"take `c.CourseDirectory.course_id` out of {_where('CourseDirectory', 'course_id')}",
            )
        )
    root = _text(own, "Exchange", "root") or _text(system, "Exchange", "root")
    if root and not _text(own, "CourseDirectory", "course_id"):
        found.append(
            Opening(
                "nbgrader's exchange needs the name of this course",
                f"set `c.CourseDirectory.course_id` at the end of the course's {_CONFIG}",
            )
        )
    return found


def _exchange(own: str, system: str) -> list[Opening]:
    """Report differing settings of the exchange, and an exchange that not everyone can use."""
    found = []
    if own and system and Path(own).resolve() != Path(system).resolve():
        found.append(
            Opening(
                f"the course's exchange is {own}, and that of this machine's servers is {system}",
                f"name the same folder in the course's {_CONFIG} and in {_where('Exchange', 'root')}",
            )
        )
    if own and not system:
        place = Path(SYSTEM_CONFIG_PATH[-1]) / _CONFIG
        found.append(
            Opening(
                f"students' servers do not know the exchange {own}",
                f"put `c.Exchange.root = {own!r}` into {place}, in the students' image if there is one",
            )
        )
    root = own or system
    remedy = f"sudo chmod {EXCHANGE_MODE:o} {shlex.quote(root)}"
    if root and not Path(root).is_dir():
        missing = f"there is no exchange at {root}"
        found.append(Opening(missing, f"sudo mkdir -p {shlex.quote(root)} && {remedy}"))
    elif root:
        mode = stat.S_IMODE(Path(root).stat().st_mode)
        if mode & 0o777 != 0o777:
            found.append(Opening(f"not everyone can use the exchange {root}", remedy))
        elif not mode & stat.S_ISVTX:
            found.append(
                Opening(
                    f"every user can rename a course in the exchange {root}, and put files of their"
                    " own in its place",
                    remedy,
                )
            )
    return found


def _course_in_exchange(course: Course, own: Config, system: Config) -> list[Opening]:
    """Report a folder of the course in the exchange that belongs to somebody else."""
    root = _text(own, "Exchange", "root") or _text(system, "Exchange", "root")
    name = _text(own, "CourseDirectory", "course_id")
    folders = [Path(root, name), Path(root, name, "outbound")] if root and name else []
    owner = course.root.stat().st_uid
    for folder in folders:
        try:
            other = folder.lstat().st_uid != owner
        except OSError:  # there is none yet
            continue
        if other:
            return [
                Opening(
                    f"{folder} does not belong to the owner of {course.root}: who made it decides"
                    " what students fetch",
                    f"sudo mv {shlex.quote(str(folder))} SOMEWHERE, look into it, and release again",
                )
            ]
    return []


def _students_image() -> list[Opening]:
    """Report packages that the environment of single-user servers lacks."""
    command = shutil.which("jupyterhub-singleuser")
    if command is None:
        return []
    try:
        first = Path(command).read_bytes().splitlines()[0].decode()
    except (OSError, IndexError, UnicodeDecodeError):
        return []
    python = first.removeprefix("#!").strip().split(" ")[0]
    if "python" not in Path(python).name:
        return []
    found: list[Opening] = []
    for package, why in (
        ("nbgrader", "students cannot fetch and submit"),
        ("coursekit", "no notebook of the course runs"),
    ):
        test = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
        try:
            done = subprocess.run([python, "-c", test], timeout=_SECONDS, check=False, cwd="/")
        except (OSError, subprocess.TimeoutExpired):
            return found
        if done.returncode:
            wanted = "nbgrader" if package == "nbgrader" else "the wheel of `autograder bundle`"
            found.append(
                Opening(
                    f"{package} is missing in the environment of {command}: {why}",
                    f"install {wanted} there: {shlex.quote(python)} -m pip install ...",
                )
            )
    return found


def _nameless(course: Course) -> list[Opening]:
    """Report students of whom the gradebook has no name; a hub tells nbgrader none."""
    database = course.root / NAME
    if not database.is_file():
        return []
    query = "SELECT count(*) FROM student WHERE first_name IS NULL AND last_name IS NULL"
    try:
        with contextlib.closing(
            sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
        ) as gradebook:
            count = gradebook.execute(query).fetchone()[0]
    except sqlite3.Error:  # the check of the gradebook itself says more
        return []
    if not count:
        return []
    return [
        Opening(
            f'formgrader lists {count} student{"s" * (count != 1)} as "None, None"',
            "`autograder roster FILE.csv` enters names, from the columns id, first_name, last_name"
            " and email",
        )
    ]


def _merged(folders: Iterable[Path], start: Config | None = None) -> Config:
    """Return the merged configurations of several folders; later ones take precedence."""
    merged = Config()
    if start is not None:
        merged.merge(start)
    for folder in folders:
        merged.merge(_read(folder))
    return merged


def _read(folder: Path) -> Config:
    """Return the settings of a folder's configuration file; none if there is no file.

    Raises
    ------
    CourseError
        It cannot be run.
    """
    if not (folder / _CONFIG).is_file():
        return Config()
    try:
        found: Config = PyFileConfigLoader(_CONFIG, str(folder)).load_config()
    except Exception as error:  # a program of the administrator's
        raise CourseError(f"{folder / _CONFIG} cannot be read: {error}.") from error
    return found


def _text(config: Config, section: str, name: str) -> str:
    """Return a setting as text; "" if it is not set."""
    return str(config[section].get(name, "")) if section in config else ""


def _where(section: str, name: str) -> str:
    """Return the file of this machine that makes a setting."""
    places = [Path(folder) for folder in SYSTEM_CONFIG_PATH]
    return next(
        (str(one / _CONFIG) for one in places if _text(_read(one), section, name)),
        str(places[-1] / _CONFIG),
    )
