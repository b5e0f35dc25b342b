"""Grading inside Gradescope's container, laid out and run in a folder of its own."""

import json
import shutil
import zipfile

import nbformat
import pytest
from downloads import NAME

from autograder.authoring.gradescope_archive import write_autograder
from autograder.classroom.grade_in_gradescope import grade_here, grade_or_fail
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.grading import pipeline
from autograder.sandbox.doctor import is_available

PARTLY = "def average_topic(scores, mask):\n    return (scores * mask).sum(1) / mask.sum(1)"


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
    assert "expected: " not in found["tests"][1]["output"]


def test_a_submission_without_a_notebook_gets_a_sentence(small_course, tmp_path):
    root = tmp_path / "autograder"
    found = grade_here(container(small_course, root), NAME, root, user="")
    assert (found["score"], found["tests"]) == (0, [])
    assert "no notebook" in found["output"]


def test_a_fault_of_the_grader_is_no_score_and_only_the_staff_sees_it(
    small_course, tmp_path, monkeypatch, capsys
):
    root = tmp_path / "autograder"
    course = container(small_course, root, f"{NAME}.ipynb")
    (root / "results" / "results.json").write_text("{}")
    monkeypatch.setattr(pipeline, "sanitize", lambda *args: {}["a bug of the grader"])
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
