import json
import subprocess
import sys

from checkout import ROOT
from click.testing import CliRunner

from autograder.cli import main


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_help_names_every_command(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = run("--help").output
    for command in ("release", "exercises", "try", "bundle", "new", "grade", "feedback", "demo"):
        assert command in text


def test_the_command_starts_without_heavy_imports():
    heavy = ("torch", "nbgrader", "nbclient", "matplotlib", "transformers", "sklearn")
    code = f"import sys, autograder.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr


def test_outside_a_course_one_sentence_says_where_to_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("exercises")
    assert result.exit_code == 1
    assert "change to the folder that contains nbgrader_config.py" in result.output


def test_an_unknown_assignment_names_the_nearest(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    for command in ("release", "grade", "feedback", "demo"):
        result = run(command, "07_topics")
        assert result.exit_code == 1
        assert "there is no assignment called 07_topics; did you mean 07_topic?" in result.output


def test_an_assignment_can_be_given_by_its_number(small_course):
    assert small_course.require("07") == small_course.require("07_topic") == "07_topic"


def test_exercises_are_listed_as_json(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    (row,) = json.loads(run("exercises", "--json").output)
    assert row["assignment"] == "07_topic"
    assert row["points"] == 3
    assert row["groups"] == {"values": 2, "empty": 1}
    assert set(row["misconceptions"]) == {"counts_padding", "ignores_mask", "divides_by_zero"}


def test_exercises_are_listed_as_a_table(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    assert "average_topic" in run("exercises").output


def test_release_check_fails_with_status_1_when_something_is_stale(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    assert run("release", "--check").exit_code == 0
    small_course.notebook("07_topic").unlink()
    result = run("release", "--check")
    assert result.exit_code == 1
    assert "notebooks/07_topic/07_topic.ipynb" in result.output
    assert not small_course.notebook("07_topic").exists()


def test_new_makes_an_assignment_that_releases(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    result = run("new", "08_more")
    assert result.exit_code == 0, result.output
    assert "edit: solutions/08_more/08_more.ipynb" in result.output
    assert run("release", "--check").exit_code == 0
    assert run("new", "08_more").exit_code == 1
