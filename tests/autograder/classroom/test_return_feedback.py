"""Feedback goes back to the LMS that the submissions came from, under the names that it gave."""

import json
import runpy
import zipfile

import nbformat
import pytest
from click.testing import CliRunner
from downloads import NAME, archive

from autograder.classroom.collect import collect
from autograder.classroom.return_feedback import NAMES, send_back
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.grade_class import grade_class
from autograder.gradebook.upload_manifest import Origin, read_origins

WRONG = "def average_topic(scores, mask):\n    return 0"
CANVAS = {
    "doeada_LATE_11_901_07_topic-2.ipynb": {},
    "roebob_12_902_my_07_topic.ipynb": {"average_topic": WRONG},
}


@pytest.fixture(scope="module")
def from_canvas(make_small_course, tmp_path_factory):
    """A class that was collected from Canvas and graded."""
    folder = tmp_path_factory.mktemp("canvas")
    course = make_small_course(folder)
    files = {
        n: nbformat.writes(filled(Assignment(course, NAME), answers))
        for n, answers in CANVAS.items()
    }
    collect(course, NAME, archive(folder / "all.zip", files))
    grade_class(course, NAME)
    return course


def test_canvas_gets_each_page_under_the_name_of_the_submission(from_canvas, monkeypatch):
    monkeypatch.chdir(from_canvas.root)
    result = CliRunner().invoke(main, ["feedback", NAME, "--for", "canvas"])
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(from_canvas.root / "exports" / f"{NAME}-feedback-canvas.zip") as packed:
        assert packed.namelist() == [
            "doeada_LATE_11_901_07_topic-2.html",
            "roebob_12_902_my_07_topic.html",
        ]
        assert b"Feedback for <bdi>roebob</bdi>" in packed.read("roebob_12_902_my_07_topic.html")


def test_the_mark_of_canvas_for_late_work_is_kept(from_canvas):
    origins = read_origins(from_canvas.root, NAME)
    assert {student: origin.late for student, origin in origins.items()} == {
        "doeada": True,
        "roebob": False,
    }
    page = (from_canvas.root / "feedback" / "doeada" / NAME / f"{NAME}.html").read_text()
    assert "Handed in late, says the LMS." in page


def test_what_did_not_come_from_the_lms_is_not_packed(from_canvas):
    with pytest.raises(CourseError, match="no graded submission of 07_topic came from Moodle"):
        send_back(from_canvas, NAME, "moodle")


@pytest.mark.parametrize(
    ("lms", "file", "name"),
    [
        (
            "moodle",
            "Ada Doe_1_assignsubmission_file_/07.ipynb",
            "Ada Doe_1_assignsubmission_file_/07.html",
        ),
        (
            "moodle",
            "all/Ada Doe_1_assignsubmission_file/a/07.ipynb",
            "Ada Doe_1_assignsubmission_file/07.html",
        ),
        (
            "moodle",
            "Ada Doe_1_assignsubmission_file_07.ipynb",
            "Ada Doe_1_assignsubmission_file_07.html",
        ),
        ("canvas", "submissions/doeada_1_2_work.zip", "doeada_1_2_work.html"),
        ("gradescope", "assignment_7_export/submission_42/07.ipynb", "results/42.json"),
        ("gradescope", "elsewhere/07.ipynb", ""),
    ],
)
def test_names_are_those_that_the_lms_reads(lms, file, name):
    assert NAMES[lms](Origin(file, lms)) == name


def test_gradescope_gets_the_results_by_the_number_of_the_submission(
    from_canvas, tmp_path, monkeypatch
):
    """The archive is laid out and run as in Gradescope's container, in another folder."""
    origins = {
        "doeada": Origin("export/submission_41/07.ipynb", "gradescope"),
        "roebob": Origin("export/submission_42/07.ipynb", "gradescope"),
    }
    monkeypatch.setattr("autograder.classroom.return_feedback.read_origins", lambda *_: origins)
    packed = send_back(from_canvas, NAME, "gradescope", output=tmp_path / "autograder.zip")
    source = tmp_path / "container" / "source"
    with zipfile.ZipFile(packed.output) as file:
        file.extractall(source)
        assert file.getinfo("run_autograder").external_attr >> 16 & 0o111
    run = runpy.run_path(str(source / "run_autograder"))["main"]
    results = {}
    for number in (41, 42, 43):
        (tmp_path / "container" / "submission_metadata.json").write_text(json.dumps({"id": number}))
        run(tmp_path / "container")
        made = tmp_path / "container" / "results" / "results.json"
        results[number] = json.loads(made.read_text())
    assert [results[number]["score"] for number in (41, 42, 43)] == [3, 0, 0]
    assert [test["max_score"] for test in results[42]["tests"]] == [2, 1]
    assert results[42]["tests"][0]["output"]
    assert "after the last grading" in results[43]["output"]
