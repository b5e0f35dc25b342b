"""Grades for an LMS: a table of their own, or a column in the table that the LMS exported."""

import csv
import io

import pytest
from click.testing import CliRunner

from autograder.classroom.export import Grade, as_csv, fill_in, grades
from autograder.cli import main
from autograder.course.answers import filled
from autograder.errors import CourseError
from autograder.grading.grade_class import grade_class

NAME = "07_topic"


def given(*names):
    return [Grade(name, 2.5, 3.0, 3.0, 0.5, "2026-01-30 15:00:00", "") for name in names]


@pytest.fixture
def graded_course(small_course):
    import nbformat

    right = "def average_topic(scores, mask):\n    return (scores * mask).sum(1) / mask.sum(1).clamp(min=1)"
    for student, source in {
        "ada": right,
        "bob": "def average_topic(scores, mask):\n    return 0",
    }.items():
        path = small_course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(filled(small_course, NAME, {"average_topic": source}), path)
    grade_class(small_course, NAME)
    return small_course


def test_the_gradebooks_scores_come_out_as_a_table(graded_course, tmp_path, monkeypatch):
    rows = list(csv.DictReader(io.StringIO(as_csv(grades(graded_course, NAME)))))
    assert [(row["student"], row["score"], row["max_score"]) for row in rows] == [
        ("ada", "3", "3"),
        ("bob", "0", "3"),
    ]
    monkeypatch.chdir(graded_course.root)
    lms = tmp_path / "lms.csv"
    lms.write_text("Name,Username,Old\nAda L,ADA,7\nCem,cem,8\n", "utf-8")
    out = tmp_path / "out.csv"
    options = ["export", NAME, "--into", str(lms), "--column", "Topic", "--output", str(out)]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 0, result.output
    assert out.read_text("utf-8") == "Name,Username,Old,Topic\nAda L,ADA,7,3\nCem,cem,8,\n"
    assert "graded, but not in the LMS gradebook, 1: bob" in result.output
    assert "in the LMS gradebook, but not graded, 1: cem" in result.output
    assert lms.read_text("utf-8").startswith("Name,Username,Old\n")


def test_nothing_graded_yet_says_so(small_course):
    with pytest.raises(CourseError, match="no submission of 07_topic is graded yet"):
        grades(small_course, NAME)


def test_names_with_commas_and_quotes_survive():
    rows = list(csv.reader(io.StringIO(as_csv(given('O"Neil, Pat')))))
    assert rows[1][0] == 'O"Neil, Pat'


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # Canvas: an extra row of points possible stays as it is
        (
            "Student,ID,SIS Login ID,07 (12)\n    Points Possible,,,3\nHopper,9,ghopper,\n",
            "Student,ID,SIS Login ID,07 (12)\n    Points Possible,,,3\nHopper,9,ghopper,2.5\n",
        ),
        # Moodle, with semicolons and a mark of the byte order
        (
            "\ufeffName;Email address;07 (12)\nGrace;ghopper;-\n",
            "Name;Email address;07 (12)\nGrace;ghopper;2.5\n",
        ),
        # the name as the LMS writes it, and as `collect` made a folder of it
        ("Name,07 (12)\nGhopper,\n", "Name,07 (12)\nGhopper,2.5\n"),
    ],
)
def test_the_column_of_an_lms_is_filled_in_and_the_rest_kept(tmp_path, table, expected):
    path = tmp_path / "lms.csv"
    path.write_text(table, "utf-8")
    assert fill_in(given("ghopper"), path, "07 (12)").text == expected


@pytest.mark.parametrize(
    ("text", "who", "words"),
    [
        ("Name,Mark\nSomebody,\n", None, "no column of .* names any graded student"),
        ("Name,Mark\nada,\n", "Login", "has no column 'Login'; it has Name, Mark"),
        ("Name\n", None, "has no rows"),
    ],
)
def test_a_table_that_cannot_be_filled_says_why(tmp_path, text, who, words):
    path = tmp_path / "lms.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(CourseError, match=words):
        fill_in(given("ada"), path, "Mark", who)
