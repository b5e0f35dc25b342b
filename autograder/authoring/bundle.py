"""Packs the student handout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.course.layout import Course, repository
from autograder.errors import CourseError

_README = Path(__file__).parent / "templates" / "student_readme.md"
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
    released = sorted(course.notebooks.glob("*/*.ipynb"))
    if not released:
        raise CourseError("there is no student notebook yet; run `autograder release` first.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "coursekit-course"
        folder.mkdir()
        wheel = build_wheel(course, folder)
        for notebook in released:
            target = folder / notebook.relative_to(course.root)
            target.parent.mkdir(parents=True)
            shutil.copy(notebook, target)
        for name in ("constraints.txt", "LICENSE", "LICENSES.md"):
            shutil.copy(course.root / name, folder)
        (folder / "environment.yml").write_text(_ENVIRONMENT.format(wheel=wheel), "utf-8")
        readme = _README.read_text("utf-8")
        readme = readme.replace("WHEEL", wheel).replace("REPOSITORY", repository(course.root))
        (folder / "README.md").write_text(readme, "utf-8")
        _deliver(folder, output)
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def build_wheel(course: Course, folder: Path) -> str:
    """Build the wheel into `folder`, offline; return its name."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(course.root)]
    done = subprocess.run(command, capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip printed no error"])[-1]
        raise CourseError(f"the wheel could not be built: {last}")
    return wheels[0].name


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
