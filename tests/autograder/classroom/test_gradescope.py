"""Grading inside Gradescope's container, laid out and run in a folder of its own."""

import getpass
import json
import os
import pwd
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest
from downloads import NAME

from autograder.authoring.gradescope_archive import write_autograder
from autograder.classroom.grade_in_gradescope import grade_here, grade_or_fail
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.grading import grade_submission
from autograder.sandbox.doctor import is_available

PARTLY = "def average_topic(scores, mask):\n    return (scores * mask).sum(1) / mask.sum(1)"
SPY = """\
def average_topic(scores, mask):
    import glob, pathlib
    found = []
    for path in ({solution!r}, {seed!r}):
        try:
            found.append(pathlib.Path(path).read_text()[:3])
        except OSError:
            found.append("denied")
    try:
        pathlib.Path({results!r}, "results.json").write_text("{{}}")
    except OSError:
        found.append("denied")
    raise ValueError(" ".join(found))
"""


def container(course, root, *names, answer=PARTLY):
    """A folder like Gradescope's /autograder, with a submission under these names."""
    (root / "source").mkdir(parents=True)
    shutil.copytree(course.root, root / "source" / "course")
    for name in names:
        path = root / "submission" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(filled(Assignment(course, NAME), {"average_topic": answer}), path)
    (root / "submission").mkdir(exist_ok=True)
    (root / "results").mkdir(mode=0o700)
    return Course(root / "source" / "course")


def can_run_python(user):
    check = [sys.executable, "-c", "import torch, nbgrader"]
    try:
        return (
            subprocess.run(check, user=user, extra_groups=[], capture_output=True).returncode == 0
        )
    except (OSError, ValueError):
        return False


def test_a_submission_gets_a_test_per_group_of_cases_with_reason_and_hint(small_course, tmp_path):
    if not is_available():
        pytest.skip("this machine offers no sandbox; the tests below grade without one")
    root = tmp_path / "autograder"
    grade_here(container(small_course, root, "my work-1.ipynb"), NAME, root)
    found = json.loads((root / "results" / "results.json").read_text())
    assert found["score"] == 2
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in found["tests"]] == [
        ("average_topic: values", 2, 2, "passed"),
        ("average_topic: empty", 0, 1, "failed"),
    ]
    assert "Hint: " in found["tests"][1]["output"]


def test_a_submission_without_a_notebook_gets_a_sentence(small_course, tmp_path):
    root = tmp_path / "autograder"
    found = grade_here(container(small_course, root), NAME, root, user="")
    assert (found["score"], found["tests"]) == (0, [])
    assert "no notebook" in found["output"]


def test_without_a_sandbox_another_user_runs_the_submission(small_course, tmp_path, monkeypatch):
    """It reads neither the solution nor the seed, and cannot write the results."""
    if os.geteuid() != 0:
        pytest.skip(f"only root can run a submission as another user, not {getpass.getuser()}")
    if not can_run_python("nobody"):
        pytest.skip(f"other users cannot run {sys.executable}")
    assert pwd.getpwnam("nobody")
    monkeypatch.setattr("autograder.classroom.grade_in_gradescope.is_available", lambda: False)
    root = tmp_path / "autograder"
    hidden = root / "source" / "course"
    spy = SPY.format(
        solution=str(hidden / "solutions" / NAME / f"{NAME}.ipynb"),
        seed=str(hidden / "class_seed"),
        results=str(root / "results"),
    )
    course = container(small_course, root, f"{NAME}.ipynb", answer=spy)
    for folder in (tmp_path, *list(tmp_path.parents)[:3], root):
        folder.chmod(0o755)
    (root / "source").chmod(0o700)
    found = grade_here(course, NAME, root, user="nobody")
    assert "denied denied denied" in found["tests"][0]["output"]
    assert json.loads((root / "results" / "results.json").read_text()) == found


def test_a_fault_of_the_grader_is_no_score_and_only_the_staff_sees_it(
    small_course, tmp_path, monkeypatch, capsys
):
    root = tmp_path / "autograder"
    course = container(small_course, root, f"{NAME}.ipynb")
    (root / "results" / "results.json").write_text("{}")
    monkeypatch.setattr(grade_submission, "sanitize", lambda *args: {}["a bug of the grader"])
    assert grade_or_fail(course, NAME, root, user="") == 2
    assert list((root / "results").iterdir()) == []
    assert "KeyError: 'a bug of the grader'" in capsys.readouterr().err


def test_the_archive_holds_what_grading_one_assignment_needs(course, tmp_path):
    output = write_autograder(course, "00_setup", output=tmp_path / "autograder.zip")
    with zipfile.ZipFile(output) as archive:
        names = archive.namelist()
        assert archive.getinfo("setup.sh").external_attr >> 16 & 0o111
        assert archive.read("run_autograder").endswith(b"grade_in_gradescope 00_setup\n")
        setup = archive.read("setup.sh").decode()
        requirements = archive.read("requirements.txt").decode()
    wheel = next(name for name in names if name.endswith(".whl"))
    assert f"/autograder/source/{wheel}" in setup
    assert "nbgrader>=" in requirements
    assert "coursekit" not in requirements  # it comes as a wheel
    assert "course/solutions/00_setup/00_setup.ipynb" in names
    assert "course/exercises/00_setup/masked_mean.py" in names
    assert "course/autograder/classroom/grade_in_gradescope.py" in names
    assert not [n for n in names if "word2vec" in n or "__pycache__" in n or "01_bag" in n]
