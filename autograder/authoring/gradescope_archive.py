"""Archive from which Gradescope builds an autograder for an assignment.

Gradescope runs `setup.sh` once, as root, and then `run_autograder` for every submission, in a fresh
container.
"""

from __future__ import annotations

import importlib.metadata
import tempfile
from pathlib import Path

import autograder
from autograder.authoring.wheels import build_wheels
from autograder.course.files import write_zip
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.limits import USER
from autograder.grading.verdicts import class_seed

_TEMPLATES = Path(__file__).parent / "templates" / "gradescope"


def write_autograder(
    course: Course, assignment: str, folder: Path | None = None, output: Path | None = None
) -> Path:
    """Write the archive for an assignment; return its path.

    It holds the solution and the class seed: upload it to Gradescope and nowhere else.

    Parameters
    ----------
    folder : Path, optional
        The class's folder, for its seed; the course's own if None.
    output : Path, optional
        exports/ASSIGNMENT-gradescope.zip in the class's folder if None.

    Raises
    ------
    CourseError
        The assignment is not released, the wheel cannot be built, or the archive cannot be written.
    """
    if not course.notebook(assignment).exists():
        raise CourseError(
            f"{assignment} is not released yet; run `autograder release {assignment}`."
        )
    home = (folder or course.root).resolve()
    output = output or home / "exports" / f"{assignment}-gradescope.zip"
    contents = {
        "run_autograder": _template("run_autograder", ASSIGNMENT=assignment),
        "course/class_seed": f"{class_seed(home)}\n".encode(),
        "constraints.txt": (course.root / "constraints.txt").read_bytes(),
        "requirements.txt": "\n".join(_requirements()).encode(),
    }
    with tempfile.TemporaryDirectory() as temporary:
        wheels = build_wheels(course, Path(temporary), for_tool=True)
        contents |= {wheel: (Path(temporary) / wheel).read_bytes() for wheel in wheels}
    paths = " ".join(f"/autograder/source/{wheel}" for wheel in wheels)
    contents["setup.sh"] = _template("setup.sh", WHEELS=paths, USER=USER)
    contents |= {f"course/{name}": path.read_bytes() for name, path in _files(course, assignment)}
    try:
        write_zip(output, contents, executable=("setup.sh", "run_autograder"))
    except OSError as error:
        raise CourseError(f"cannot write {output}: {error.strerror}.") from error
    return output


def _template(name: str, **values: str) -> bytes:
    """Return a template with words replaced by values."""
    text = (_TEMPLATES / name).read_text("utf-8")
    for word, value in values.items():
        text = text.replace(word, value)
    return text.encode()


def _requirements() -> list[str]:
    """Return the tool's requirements besides coursekit and the course, which come as wheels."""
    needed = importlib.metadata.requires("coursekit-autograder") or []
    return [line for line in needed if "extra ==" not in line and line != "coursekit"]


def _files(course: Course, assignment: str) -> list[tuple[str, Path]]:
    """Return the files of the course that grading an assignment needs, and those of the tool."""
    wanted = [course.root / name for name in ("nbgrader_config.py", "pyproject.toml")]
    wanted += [course.solution(assignment), course.notebook(assignment)]
    wanted += [*course.shared_cases(), *sorted(course.cases(assignment).glob("*.py"))]
    found = [(path.relative_to(course.root).as_posix(), path) for path in wanted]
    tool = Path(autograder.__file__).parent
    for path in sorted(tool.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.append((f"autograder/{path.relative_to(tool).as_posix()}", path))
    return found
