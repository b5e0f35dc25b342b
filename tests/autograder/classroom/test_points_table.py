"""The points of each exercise as CSV: long and wide agree with the gradebook and with each other."""

import csv
import shutil

import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.classroom.export import grades
from autograder.cli import main
from autograder.course.layout import Course
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.withdraw import withdraw

NAME, EXERCISE = "07_topic", "average_topic"


@pytest.fixture
def course(graded_class, tmp_path, monkeypatch):
    """ada has 3 points, bob 0 and cem none, since the folder is empty; dora never hands in."""
    course = Course(shutil.copytree(graded_class.root, tmp_path / "course"))
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        book.add_student("dora")
        book.find_grade(f"check_{EXERCISE}", NAME, NAME, "bob").manual_score = 1.5
        book.find_comment(EXERCISE, NAME, NAME, "bob").manual_comment = "=Half of it."
        book.find_grade(f"check_{EXERCISE}", NAME, NAME, "ada").needs_manual_grade = True
        book.db.commit()
    monkeypatch.chdir(course.root)
    return course


def exported(form):
    result = CliRunner().invoke(main, ["export", NAME, "--points", form])
    assert result.exit_code == 0, result.output
    with open(f"exports/{NAME}-points-{form}.csv", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_wide_has_a_column_for_each_exercise_and_the_score_of_the_gradebook(course):
    found = exported("wide")
    assert {s: row[EXERCISE] for s, row in found.items()} == {
        "ada": "",
        "bob": "1.5",
        "cem": "0",
        "dora": "",
    }
    assert found["ada"]["note"] == "1 to be graded"
    assert found["dora"]["note"] == "not handed in"
    for grade in grades(course, NAME):
        row = found[grade.student]
        assert (float(row["score"]), float(row["max_score"])) == (grade.score, grade.max_score)


def test_long_says_who_has_graded_what_with_the_comment(course):
    found = exported("long")
    bob = found["bob"]
    assert (bob["exercise"], bob["points"], bob["max_points"]) == (EXERCISE, "1.5", "3")
    assert (bob["graded_by"], bob["comment"]) == ("person", "'=Half of it.")
    assert (found["ada"]["points"], found["ada"]["note"]) == ("", "to be graded")
    assert (found["cem"]["points"], found["cem"]["graded_by"]) == ("0", "autograder")


def test_a_withdrawn_exercise_is_worth_nothing_with_the_reason(course):
    withdraw(Classroom(course), EXERCISE, "flawed", students=["bob"])
    bob = exported("long")["bob"]
    assert (bob["points"], bob["max_points"], bob["note"]) == ("0", "0", "withdrawn: flawed")
    assert exported("wide")["bob"]["max_score"] == "0"


def test_what_belongs_to_the_table_of_an_lms_is_refused(course):
    result = CliRunner().invoke(main, ["export", NAME, "--points", "wide", "--missing", "0"])
    assert result.exit_code == 2
    assert "--points writes a table of its own" in result.output
