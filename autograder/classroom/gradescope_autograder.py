"""Grades assignments inside Gradescope: the archive that Gradescope builds a container from.

Gradescope runs `setup.sh` once, as root, and then `run_autograder` for every submission, in a fresh
container: the notebook lies in /autograder/submission, the results go to /autograder/results.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.classroom.gradescope_results import results
from autograder.classroom.send_back import write_zip
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.grade_submission import Task, finish, grade_submission
from autograder.grading.limits import Limits
from autograder.grading.notes import read_notes
from autograder.grading.runners import Pool, Serial
from autograder.grading.verdicts import class_seed, read_verdicts
from autograder.sandbox.doctor import is_available

_TEMPLATES = Path(__file__).parent / "templates"
#: The user that runs submissions where the container allows no sandbox; setup.sh creates it.
USER = "submission"
_NO_NOTEBOOK = "There is no notebook (.ipynb) in your submission."


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
    from autograder.authoring.bundle import build_wheel

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
        wheel = build_wheel(course, Path(temporary))
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
    text = (_TEMPLATES / "gradescope" / name).read_text("utf-8")
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


def grade_here(course: Course, assignment: str, root: Path, user: str = USER) -> dict[str, Any]:
    """Grade the submission in a container of Gradescope's; write and return the results.

    Parameters
    ----------
    root : /autograder.
    user : runs the submission if no sandbox is available; "" for the grader's own user.
    """
    saved: list[NotebookNode] = []
    # a user other than root that may read a folder in /tmp, but nothing of the course
    sandbox = is_available()
    limits = Limits(sandbox=sandbox, hidden=(str(course.root), str(root)))
    limits = limits if sandbox else replace(limits, user=user)
    task = Task.of(course, assignment, class_seed(course.root), limits)

    def save(notebook: NotebookNode) -> str:
        saved.append(notebook)
        return ""

    path = _notebook(root / "submission", assignment)
    if path is None:
        found = results([], _NO_NOTEBOOK)
    else:
        runner = Pool(task.questions, 1) if sandbox else Serial(task.questions)
        try:
            reason = finish(grade_submission(path, task, runner.start, save))
        finally:
            runner.close(abrupt=False)
        reason = reason or (read_notes(saved[-1]).unread if saved else "")
        note = f"Your notebook could not be run: {reason}." if reason else ""
        found = results(read_verdicts(nbformat.from_dict(saved[-1])) if saved else [], note)
    target = root / "results" / "results.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1), "utf-8")
    return found


def _notebook(folder: Path, assignment: str) -> Path | None:
    """The submitted notebook: the one with the assignment's name, else the only or latest one."""
    found = sorted(p for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
    exact = [path for path in found if path.stem == assignment]
    return (exact or found or [None])[-1]


def main() -> None:
    """What `run_autograder` calls, in the folder of the course: grade the submission there."""
    import sys

    from autograder.course.layout import find_course

    grade_here(find_course(), sys.argv[1], Path("/autograder"))


if __name__ == "__main__":
    main()
