"""Rules that run notebooks, or code that an author wrote about them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.authoring.wheels import build_wheels
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.verify.rules import Subject, rule

_KERNEL = "student"
#: Characters of a run's output that a problem shows.
_MAX_SHOWN = 3000
#: pytest's exit status if it finds no test.
_NO_TESTS = 5


@rule(thresholds={"cell-seconds": 180, "training-steps": 20})
def runs_from_wheel(subject: Subject) -> Iterator[str]:
    """Require that the solution notebook runs with the students' wheels alone and gives its compared outputs.

    nbval runs it without this checkout, and with few steps of training: no compared output may depend
    on what a model has learned.
    """
    place = subject.student_environment
    if isinstance(place, str):
        yield f"there is no students' environment to run it in: {place}"
        return
    with tempfile.TemporaryDirectory(dir=place) as folder:
        path = shutil.copy(subject.course.solution(subject.name), folder)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-kernel-name", _KERNEL),
                f"--nbval-cell-timeout={subject.thresholds['cell-seconds']:g}",
                *("-p", "no:cacheprovider", "-p", "no:randomly", "-q", str(path)),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "JUPYTER_PATH": str(place / "share"),
                "COURSEKIT_MAX_STEPS": f"{subject.thresholds['training-steps']:g}",
            },
        )
    if done.returncode:
        yield f"it fails from the wheel:\n{(done.stdout + done.stderr)[-_MAX_SHOWN:]}"


def make_student_environment(course: Course, folder: Path) -> None:
    """Make a Python in `folder` as students have it: the course's wheels, and no checkout.

    Packages that are installed here are there, too, as in Colab; this course and the tool are not.

    Raises
    ------
    CourseError
        A wheel cannot be built or installed.
    """
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True
    )
    python = folder / "venv" / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv")}))
    # a .pth line does not follow .pth files, so editable installs stay invisible
    (packages / "already_installed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    (folder / "wheels").mkdir()
    for name in build_wheels(course, folder / "wheels"):
        shutil.unpack_archive(folder / "wheels" / name, packages, "zip")
    kernel = folder / "share" / "kernels" / _KERNEL
    kernel.mkdir(parents=True)
    environment = {
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": "",
        "COURSEKIT_RECORDINGS": "",
        "COURSEKIT_MIRROR": "",
        "PIP_NO_INDEX": "1",
    }
    launch = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": launch, "display_name": _KERNEL, "language": "python", "env": environment}
    (kernel / "kernel.json").write_text(json.dumps(spec), "utf-8")
    done = subprocess.run(
        [str(python), "-c", f"import coursekit, {course.config.package}; import autograder"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ""},
    )
    if "No module named 'autograder'" not in done.stderr:
        raise CourseError(
            f"the students' environment is not as it should be:\n{done.stderr[-500:]}"
        )


def _claims(subject: Subject) -> Path:
    return subject.course.cases(subject.name) / "claims"


@rule()
def claims(subject: Subject) -> Iterator[str]:
    """Require that what the text claims of its numbers holds: the tests in its folder of claims pass.

    `exercises/NN_topic/claims/test_*.py`, run by pytest; an assignment need not have any.
    """
    folder = _claims(subject)
    if not any(folder.glob("test_*.py")):
        return
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=subject.course.root,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, _NO_TESTS):
        yield f"a claim does not hold:\n{(done.stdout + done.stderr)[-_MAX_SHOWN:]}"
