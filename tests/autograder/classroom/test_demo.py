"""`autograder demo` whatever an earlier run, or somebody else, has left in `demo/`."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from checkout import ROOT
from click.testing import CliRunner
from nbformat.v4 import new_markdown_cell
from processes import wait_for

from autograder.authoring.release import release
from autograder.classroom.demo import demo_submissions
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.reference import read
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
COMMAND = [sys.executable, "-m", "autograder", "demo", NAME]


@pytest.mark.parametrize("left", ["a link", "a file"])
def test_what_cannot_be_deleted_is_named_and_kept(small_course, tmp_path, monkeypatch, left):
    demo, precious = small_course.root / "demo", tmp_path / "elsewhere" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("kept")
    if left == "a link":
        demo.symlink_to(precious.parent)
    else:
        demo.write_text("kept")
    monkeypatch.chdir(small_course.root)
    result = CliRunner().invoke(main, ["demo", NAME])
    assert result.exit_code == 1
    assert "demo is in the way and cannot be deleted" in result.output
    assert "Traceback" not in result.output
    assert precious.read_text() == "kept"


def demo(course):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(COMMAND, cwd=course.root, env=environment, **streams)


@pytest.mark.slow
@pytest.mark.skipif(not is_available(), reason="this machine cannot sandbox processes")
def test_a_run_after_killed_ones_works_and_one_beside_another_is_refused(small_course):
    folder = small_course.root / "demo"
    moments = ("submitted/partly_wrong", "gradebook.db", "autograded/complete", "feedback")
    for moment in moments:
        killed = demo(small_course)
        wait_for(folder / moment, killed)
        if moment == "autograded/complete":
            beside = demo(small_course)
            said = beside.communicate()[0]
            assert beside.returncode == 1, said
            assert "another grader is at work" in said
        killed.kill()
        killed.communicate()
    last = demo(small_course)
    said = last.communicate()[0]
    assert last.returncode == 0, said
    assert "Feedback pages" in said


QUESTION = "**Question 1 (2 points, graded by hand).** Why is padding left out?"
ANSWER = """### BEGIN SOLUTION: question_padding

Since it holds no word. Its score would move the average.

**Marking guide**: one point for each sentence.
### END SOLUTION"""


def test_the_made_up_class_answers_in_words_and_totals_agree_everywhere(small_course, monkeypatch):
    path = small_course.solution(NAME)
    notebook = read(path)
    notebook.cells += [new_markdown_cell(QUESTION), new_markdown_cell(ANSWER)]
    nbformat.write(notebook, path)
    (small_course.root / "gradebook.db").unlink()
    release(small_course, [NAME])
    submissions = demo_submissions(Assignment(small_course, NAME))
    answers = {
        student: next(cell.source for cell in one.cells if cell.id == "question_padding")
        for student, one in submissions.items()
    }
    assert not any("Marking guide" in answer for answer in answers.values())
    assert answers["complete"].endswith("Its score would move the average.")
    assert answers["partly_wrong"] == "Since it holds no word."
    assert all(answers.values())
    monkeypatch.chdir(small_course.root)
    for student in ("complete", "partly_wrong"):
        place = small_course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(submissions[student], place)
    said = CliRunner().invoke(main, ["grade", NAME]).output
    for command in (["feedback", NAME], ["report", NAME], ["export", NAME]):
        assert CliRunner().invoke(main, command).exit_code == 0
    table = next(line for line in said.splitlines() if "complete" in line and "/" in line)
    assert "3 / 5" in table
    assert "1 to grade" in table
    score = next(line for line in said.splitlines() if "partly_wrong" in line and "/" in line)
    points = re.search(r"([\d.]+) / 5", score)[1]
    page = (small_course.root / f"feedback/partly_wrong/{NAME}/{NAME}.html").read_text()
    assert f"<b>{points} of 5</b> points so far" in page
    assert f"partly_wrong: {points} of 5 points in {NAME} so far" in said
    report = (small_course.root / f"reports/{NAME}.html").read_text()
    assert f"<span>{points} of 5</span>" in report  # who may need help
    row = (small_course.root / f"exports/{NAME}.csv").read_text().splitlines()
    assert any(line.startswith(f"partly_wrong,{points}") for line in row)


def test_a_demo_writes_a_report_beside_the_feedback(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    said = CliRunner().invoke(main, ["demo", NAME]).output
    assert f"demo/reports/{NAME}.html" in said
    assert (small_course.root / "demo" / "reports" / f"{NAME}.html").exists()
