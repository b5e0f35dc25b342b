"""Writes the archive from which Gradescope builds an autograder for an assignment.

Gradescope runs `setup.sh` once, as root, and then `run_autograder` for every submission, in a fresh
container.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from autograder.authoring.bundle import build_wheel
from autograder.authoring.stamp import wheel_name
from autograder.course.files import write_zip
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.kernel_user import USER
from autograder.grading.verdicts import class_seed

_TEMPLATES = Path(__file__).parent / "templates" / "gradescope"


def write_autograder(
    course: Course, assignment: str, folder: Path | None = None, output: Path | None = None
) -> Path:
    """Write the archive for an assignment; return its path.

    It holds the solution and the class seed: upload it to Gradescope and nowhere else.

    Parameters
    ----------
    folder : the class's folder, for its seed; the course's own if None.
    output : exports/ASSIGNMENT-gradescope.zip in the class's folder if None.

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
    }
    with tempfile.TemporaryDirectory() as temporary:
        build_wheel(course, Path(temporary))
        wheel = wheel_name()
        contents[wheel] = (Path(temporary) / wheel).read_bytes()
    contents["setup.sh"] = _template("setup.sh", WHEEL=wheel, USER=USER)
    for path in _course_files(course, assignment):
        contents[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_zip(output, contents, executable=("setup.sh", "run_autograder"))
    except OSError as error:
        raise CourseError(f"cannot write {output}: {error.strerror}.") from error
    return output


def _template(name: str, **values: str) -> bytes:
    text = (_TEMPLATES / name).read_text("utf-8")
    for word, value in values.items():
        text = text.replace(word, value)
    return text.encode()


def _course_files(course: Course, assignment: str) -> list[Path]:
    """What grading one assignment needs of the course."""
    exercises = course.root / "autograder" / "exercises"
    found = [course.root / name for name in ("nbgrader_config.py", "pyproject.toml")]
    found += [course.solution(assignment), course.notebook(assignment)]
    for path in sorted((course.root / "autograder").rglob("*")):
        of_other = exercises in path.parents and path.parent not in (
            exercises,
            course.cases(assignment),
        )
        if path.is_file() and "__pycache__" not in path.parts and not of_other:
            found.append(path)
    return found
