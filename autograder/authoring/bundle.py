"""Packs what students get: a handout, or their repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.authoring.stamp import badge, wheel_address, wheel_name
from autograder.course.layout import Course, student_repository
from autograder.errors import CourseError

_TEMPLATES = Path(__file__).parent / "templates"
_ENVIRONMENT = """\
# conda env create -f environment.yml
name: coursekit
channels: [conda-forge]
dependencies:
  - python=3.12
  - pip
  - pip:
    - -c constraints.txt
    - jupyterlab
    - ./{wheel}
"""


def make_bundle(course: Course, output: Path) -> list[str]:
    """Write the bundle as a folder, or as a zip if `output` ends in ``.zip``.

    Returns
    -------
    The paths of the files in the bundle, sorted.

    Raises
    ------
    CourseError
        No student notebook has been released, the wheel cannot be built, or `output` exists and
        is not an earlier bundle.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "coursekit-course"
        folder.mkdir()
        _fill(course, folder)
        _deliver(folder, output)
        return _files(folder)


def make_repository(course: Course, output: Path) -> list[str]:
    """Write the students' repository: the bundle, with a workflow that runs the checks on GitHub.

    Wheels of earlier versions stay, since notebooks that students have opened install them.

    Parameters
    ----------
    output : a new folder, or a clone of the repository, in which files are added and replaced.

    Returns
    -------
    The paths of the files that were written, sorted.

    Raises
    ------
    CourseError
        As `make_bundle`; or the notebooks were released for another address or version.
    """
    inside = {path.name for path in output.iterdir()} if output.is_dir() else set()
    if output.exists() and (not output.is_dir() or (inside and ".git" not in inside)):
        raise CourseError(f"{output} is not a clone of a repository; choose a new folder.")
    if inside & {"solutions", "autograder"}:
        raise CourseError(f"{output} holds solutions; choose another folder, for students.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "repository"
        folder.mkdir()
        _fill(course, folder)
        _require_own_address(course, folder)
        _add_workflow(folder)
        shutil.rmtree(output / "notebooks", ignore_errors=True)
        shutil.copytree(folder, output, dirs_exist_ok=True)
        return _files(folder)


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _fill(course: Course, folder: Path) -> None:
    """Write wheel, notebooks, environment files and README into `folder`."""
    released = sorted(course.notebooks.glob("*/*.ipynb"))
    if not released:
        raise CourseError("there is no student notebook yet; run `autograder release` first.")
    build_wheel(course, folder)
    for notebook in released:
        target = folder / notebook.relative_to(course.root)
        target.parent.mkdir(parents=True)
        shutil.copy(notebook, target)
    for name in ("constraints.txt", "LICENSE", "LICENSES.md"):
        shutil.copy(course.root / name, folder)
    (folder / "environment.yml").write_text(_ENVIRONMENT.format(wheel=wheel_name()), "utf-8")
    (folder / "README.md").write_text(_readme(course, [path.stem for path in released]), "utf-8")


def _readme(course: Course, assignments: list[str]) -> str:
    lines = [f"| `{name}` | {badge(course, name)} |" for name in assignments]
    text = (_TEMPLATES / "student_readme.md").read_text("utf-8")
    text = text.replace("ASSIGNMENTS", "\n".join(["| assignment | |", "| --- | --- |", *lines]))
    return text.replace("WHEEL", wheel_name()).replace(
        "REPOSITORY", student_repository(course.root)
    )


def _add_workflow(folder: Path) -> None:
    """Add the workflow for GitHub, and what git should leave out."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    shutil.copy(_TEMPLATES / "checks.py", folder / ".github")
    text = (_TEMPLATES / "checks.yml").read_text("utf-8").replace("WHEEL", wheel_name())
    (workflows / "checks.yml").write_text(text, "utf-8")
    (folder / ".gitignore").write_text(".venv/\n.ipynb_checkpoints/\n__pycache__/\n", "utf-8")


def _require_own_address(course: Course, folder: Path) -> None:
    """Raise an error unless badges and set-up cells lead to this repository."""
    for path in sorted((folder / "notebooks").glob("*/*.ipynb")):
        text = path.read_text("utf-8")
        if wheel_address(course) not in text or badge(course, path.stem) not in text:
            raise CourseError(
                f"{path.stem} was released for another address or version; run `autograder release`."
            )


def build_wheel(course: Course, folder: Path) -> None:
    """Build the wheel into `folder`, offline."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(course.root)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (folder / wheel_name()).exists():
        last = (done.stderr.strip().splitlines() or ["pip printed no error"])[-1]
        raise CourseError(f"the wheel could not be built: {last}")


def _deliver(folder: Path, output: Path) -> None:
    if output.suffix == ".zip":
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.make_archive(str(output.with_suffix("")), "zip", folder.parent, folder.name)
        return
    if output.is_file():
        raise CourseError(f"{output} is a file; choose another --output, or one that ends in .zip.")
    if output.exists():
        ours = {path.name for path in folder.iterdir()}
        foreign = [p.name for p in output.iterdir() if p.name not in ours and p.suffix != ".whl"]
        if foreign:
            raise CourseError(
                f"{output} contains {foreign[0]}, so it is not a bundle; choose another."
            )
        shutil.rmtree(output)
    shutil.copytree(folder, output)
