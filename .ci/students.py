"""Does what students do on this system: unpack the bundle, install its wheel, run the first checks.

It needs the requirements of both distributions, and runs with the wheel of the bundle, outside the
checkout. Each exercise of the assignments below is checked twice: as its solution notebook answers it,
which must pass, and as it is released, which must fail with the words for what is not written yet.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat

from autograder.authoring.bundle import make_bundle
from autograder.course.assignment import Assignment
from autograder.course.cells import checked_exercise, kept_definitions
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENTS = ("00_setup", "01_bag_of_words", "02_word2vec", "03_deep_averaging")
#: What runs with the wheel: the definitions of each notebook, and its checks.
_CHECKS = """
import contextlib, io, json, sys
from pathlib import Path
import coursekit

site, notebooks = sys.argv[1:]
assert Path(site).resolve() in Path(coursekit.__file__).resolve().parents, coursekit.__file__
for title, answered, cells in json.loads(Path(notebooks).read_text("utf-8")):
    names, passed = {"__name__": "__main__"}, []
    for exercise, source in cells:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, title, "exec"), names)
        except coursekit.CheckFailed as error:
            assert not answered and "not written yet" in str(error), f"{title}: {error}"
        else:
            passed += [exercise] if exercise else []
    checks = [exercise for exercise, _ in cells if exercise]
    assert checks and passed == (checks if answered else []), f"{title}: only {passed} passed"
    print(f"{title}: {len(passed)} of {len(checks)} exercises pass")
"""


def main(root: Path = ROOT) -> None:
    """Pack the bundle in a temporary folder, install its wheel there, and run the checks with it."""
    course = Course(root)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_bundle(course, folder / "handout.zip")
        with zipfile.ZipFile(folder / "handout.zip") as packed:
            packed.extractall(folder)
        (wheel,) = folder.rglob("*.whl")
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "site")]
        subprocess.run([sys.executable, *install, str(wheel)], check=True)
        notebooks = []
        for assignment in ASSIGNMENTS:
            (released,) = folder.rglob(f"{assignment}.ipynb")
            answered = filled(Assignment(course, assignment))
            notebooks.append((f"{assignment}, answered", True, cells_of(answered)))
            read = nbformat.read(released, as_version=4)
            notebooks.append((f"{assignment}, as released", False, cells_of(read)))
        (folder / "cells.json").write_text(json.dumps(notebooks), "utf-8")
        subprocess.run(
            [sys.executable, "-c", _CHECKS, str(folder / "site"), str(folder / "cells.json")],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "site"), "PYTHONUTF8": "1"},
            check=True,
        )


def cells_of(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """Return the exercise that each code cell checks, or "", and its check or its definitions."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            exercise = checked_exercise(cell.source) or ""
            definitions = ast.unparse(kept_definitions(cell.source))
            found.append((exercise, f"check({exercise})" if exercise else definitions))
    return found


if __name__ == "__main__":
    main()
