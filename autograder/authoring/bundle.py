"""Packing of the files for students: a handout, or their repository."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from string import Template

from autograder.authoring.release_digest import is_released
from autograder.authoring.stamp import badge
from autograder.authoring.wheels import build_wheels, wheel_names
from autograder.course.layout import Course
from autograder.errors import CourseError

_TEMPLATES = Path(__file__).parent / "templates"
_ENVIRONMENT = """\
# conda env create -f environment.yml
name: {name}
channels: [conda-forge]
dependencies:
  - python=3.12
  - pip
  - pip:
    - -c constraints.txt
    - jupyterlab
{wheels}
"""
#: In the README of the handout, for a course that imports torch.
_CPU = """\

On Linux, that installs PyTorch with CUDA, which takes several gigabytes, and no assignment needs a GPU.
The CPU build is a download of 200 MB: select it on <https://pytorch.org/get-started/locally/>, and run
the command that the page shows before the second line, with `.venv/bin/pip` for `pip` and `{torch}` for
`torch torchvision`. On a Mac and on Windows, pip takes the CPU build by itself.
"""
#: In the README of the handout, for a course that has a students' repository, and without one.
_COLAB = """\
**In Colab**: click a badge above, or the one at the top of a notebook. Its set-up cell installs
{wheels} from {students}. If it cannot, upload {it} next to the notebook."""
_NO_COLAB = """\
**In Colab**: open a notebook there, upload {wheels} next to it (*Files*, on the left), and
run its set-up cell."""


def make_bundle(course: Course, output: Path) -> list[str]:
    """Write the bundle as a folder, or as a zip if `output` ends in ``.zip``.

    Returns
    -------
    list of str
        The paths of the files in the bundle, sorted.

    Raises
    ------
    CourseError
        No student notebook has been released, one is not as its release left it, the wheel cannot be
        built, or `output` exists and is not an earlier bundle.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / f"{course.config.name}-course"
        folder.mkdir()
        _fill(course, folder)
        _deliver(folder, output)
        return _files(folder)


def make_repository(course: Course, output: Path) -> list[str]:
    """Write the students' repository: the bundle, with a workflow that runs the checks on GitHub.

    Wheels of earlier versions stay, since notebooks that students have opened install them.

    Parameters
    ----------
    output : Path
        A new folder, or a clone of the repository, in which files are added and replaced.

    Returns
    -------
    list of str
        The paths of the files that were written, sorted.

    Raises
    ------
    CourseError
        As `make_bundle`; or the course has no such repository.
    """
    if not course.config.students:
        raise CourseError(
            'the students\' repository has no address yet: add a line Students = "https://..." to'
            " [project.urls] in pyproject.toml, and run `autograder release`."
        )
    inside = {path.name for path in output.iterdir()} if output.is_dir() else set()
    if output.exists() and (not output.is_dir() or (inside and ".git" not in inside)):
        raise CourseError(f"{output} is not a clone of a repository; choose a new folder.")
    if inside & {"solutions", "autograder"}:
        raise CourseError(f"{output} holds solutions; choose another folder, for students.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "repository"
        folder.mkdir()
        _fill(course, folder)
        _add_workflow(course, folder)
        shutil.rmtree(output / "notebooks", ignore_errors=True)
        shutil.copytree(folder, output, dirs_exist_ok=True)
        return _files(folder)


def _files(folder: Path) -> list[str]:
    """Return the paths of a folder's files, sorted."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _fill(course: Course, folder: Path) -> None:
    """Write wheels, notebooks, environment files and README into `folder`."""
    released = _released(course)
    wheels = build_wheels(course, folder)
    for notebook in released:
        target = folder / notebook.relative_to(course.root)
        target.parent.mkdir(parents=True)
        shutil.copy(notebook, target)
    for name in ("constraints.txt", *course.config.files):
        if not (course.root / name).is_file():
            raise CourseError(f"{name}, which the handout should contain, is missing.")
        shutil.copy(course.root / name, folder)
    lines = "\n".join(f"    - ./{wheel}" for wheel in wheels)
    environment = _ENVIRONMENT.format(name=course.config.name, wheels=lines)
    (folder / "environment.yml").write_text(environment, "utf-8")
    (folder / "README.md").write_text(_readme(course, [path.stem for path in released]), "utf-8")


def _released(course: Course) -> list[Path]:
    """Return the student notebooks.

    Raises
    ------
    CourseError
        There is none, or a notebook is not as its release left it, or is of no release.
    """
    released = [
        course.notebook(one) for one in course.assignments() if course.notebook(one).exists()
    ]
    if not released:
        raise CourseError("there is no student notebook yet; run `autograder release` first.")
    others = sorted({*course.notebooks.glob("*/*.ipynb")} - {*released})
    if others:
        names = ", ".join(str(path.relative_to(course.root)) for path in others)
        raise CourseError(
            f"{names}: no student notebook of an assignment, and nothing for students; move it out of"
            f" {course.notebooks.name}/."
        )
    changed = [path.stem for path in released if not is_released(course, path.stem)]
    if changed:
        raise CourseError(
            f"not as the last release left {'it' if len(changed) == 1 else 'them'}: {', '.join(changed)}."
            " A student notebook may hold answers, or what it is made of is newer; run `autograder release"
            f" {' '.join(changed)}`."
        )
    return released


def _readme(course: Course, assignments: list[str]) -> str:
    """Return the README of the bundle."""
    config, wheels = course.config, wheel_names(course)
    lines = [f"| `{name}` | {badge(course, name)} |" for name in assignments]
    named = " and ".join(f"`{wheel}`" for wheel in wheels)
    it = "that file" if len(wheels) == 1 else "these files"
    colab = _COLAB if config.students else _NO_COLAB
    template = Template((_TEMPLATES / "student_readme.md").read_text("utf-8"))
    text = template.substitute(
        title=config.title,
        assignments="\n".join(["| assignment | |", "| --- | --- |", *lines]),
        wheels=_paths(course),
        cpu=_CPU.format(torch=torch) if (torch := _torch(course)) else "",
        colab=colab.format(wheels=named, students=config.students, it=it),
        name=config.name,
        notes=config.notes.strip(),
    )
    return text.rstrip() + "\n"


def _paths(course: Course) -> str:
    """Return the wheels as arguments of pip, for the folder that has them."""
    return " ".join(f"./{wheel}" for wheel in wheel_names(course))


def _torch(course: Course) -> str:
    """Return the torch requirement of the handout; "" for a course that does not import it."""
    if "torch" not in course.config.imports:
        return ""
    constraints = (course.root / "constraints.txt").read_text("utf-8")
    pinned = re.search(r"^torch==[\w.]+", constraints, re.MULTILINE)
    return pinned[0] if pinned else "torch"


def _add_workflow(course: Course, folder: Path) -> None:
    """Add the workflow for GitHub, and a .gitignore."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    shutil.copy(_TEMPLATES / "checks.py", folder / ".github")
    text = (_TEMPLATES / "checks.yml").read_text("utf-8").replace("WHEELS", _paths(course))
    (workflows / "checks.yml").write_text(text, "utf-8")
    (folder / ".gitignore").write_text(".venv/\n.ipynb_checkpoints/\n__pycache__/\n", "utf-8")


def _deliver(folder: Path, output: Path) -> None:
    """Write the filled folder to `output`, which may replace only an earlier bundle."""
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
