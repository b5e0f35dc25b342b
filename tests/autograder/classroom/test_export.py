"""Grades for an LMS: a new CSV file, or a column of the gradebook that the LMS exported."""

import csv
import io

import pytest
from click.testing import CliRunner

from autograder.classroom.export import Grade, as_csv, fill_in, grades
from autograder.cli import main
from autograder.errors import CourseError

NAME = "07_topic"


def text_of(filled):
    return filled.content.decode("utf-8")


def given(*names):
    return [Grade(name, 2.5, 3.0, 3.0, 0.5, "2026-01-30 15:00:00", "") for name in names]


def test_the_gradebooks_scores_are_exported_as_a_table(graded_class):
    rows = list(csv.DictReader(io.StringIO(as_csv(grades(graded_class, NAME)))))
    assert [(row["student"], row["score"], row["max_score"]) for row in rows] == [
        ("ada", "3", "3"),
        ("bob", "0", "3"),
        ("cem", "0", "3"),
    ]


def test_the_command_fills_a_column_and_lists_who_is_missing(graded_class, tmp_path, monkeypatch):
    monkeypatch.chdir(graded_class.root)
    lms = tmp_path / "lms.csv"
    lms.write_text("Name,Username,Old\nAda L,ADA,7\nDan,dan,8\n", "utf-8")
    out = tmp_path / "out.csv"
    options = ["export", NAME, "--into", str(lms), "--column", "Topic", "--output", str(out)]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 0, result.output
    assert out.read_text("utf-8") == "Name,Username,Old,Topic\nAda L,ADA,7,3\nDan,dan,8,\n"
    assert "graded, but not in the LMS gradebook, 2: bob, cem" in result.output
    assert "in the LMS gradebook, but not graded, 1: dan" in result.output
    assert lms.read_text("utf-8").startswith("Name,Username,Old\n")


def test_the_rows_that_were_written_are_counted(graded_class, tmp_path, monkeypatch):
    monkeypatch.chdir(graded_class.root)
    out = tmp_path / "out.csv"
    result = CliRunner().invoke(main, ["export", NAME, "--output", str(out)])
    assert result.output.splitlines()[-1] == f"written: {out}, 3 rows, 3 with a score"
    assert len(out.read_text("utf-8").splitlines()) == 4


def test_nothing_graded_yet_says_so(small_course):
    with pytest.raises(
        CourseError, match="no graded submissions of 07_topic; run `autograder grade 07_topic`"
    ):
        grades(small_course, NAME)


def test_names_with_commas_and_quotes_survive():
    rows = list(csv.reader(io.StringIO(as_csv(given('O"Neil, Pat')))))
    assert rows[1][0] == 'O"Neil, Pat'


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # Canvas: the row of points possible is kept
        (
            "Student,ID,SIS Login ID,07 (12)\n    Points Possible,,,3\nHopper,9,ghopper,\n",
            "Student,ID,SIS Login ID,07 (12)\n    Points Possible,,,3\nHopper,9,ghopper,2.5\n",
        ),
        # Moodle: semicolons and a byte order mark
        (
            "\ufeffName;Email address;07 (12)\nGrace;ghopper;-\n",
            "\ufeffName;Email address;07 (12)\nGrace;ghopper;2.5\n",
        ),
        # the name as the LMS writes it; `collect` made another folder name of it
        ("Name,07 (12)\nGhopper,\n", "Name,07 (12)\nGhopper,2.5\n"),
        # repeated headings, empty rows and rows longer than the header, which pandas changes
        (
            "Login,Note,Note,07 (12)\nghopper,a,b,\n\nada,,,1,more\n",
            "Login,Note,Note,07 (12)\nghopper,a,b,2.5\n\nada,,,1,more\n",
        ),
    ],
)
def test_the_column_of_an_lms_is_filled_in_and_the_rest_kept(tmp_path, table, expected):
    path = tmp_path / "lms.csv"
    path.write_text(table, "utf-8")
    assert text_of(fill_in(given("ghopper"), path, NAME, "07 (12)")) == expected


@pytest.mark.parametrize(
    ("text", "who", "words"),
    [
        ("Name,Mark\nSomebody,\n", None, "no column of .* has a graded student, such as ada"),
        ("Name,Mark\nada,\n", "Mark", "column 'Mark' of .* has no graded student, such as ada"),
        ("Name,Mark\nada,\n", "Login", "has no column 'Login'; its columns are Name, Mark"),
        ("Name\n", None, "lists no students"),
        ("", None, "lists no students"),
    ],
)
def test_a_table_that_cannot_be_filled_says_why(tmp_path, text, who, words):
    path = tmp_path / "lms.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(CourseError, match=words):
        fill_in(given("ada"), path, NAME, "Mark", who)


def test_no_name_is_a_formula_and_numbers_stay_numbers():
    given = [Grade('=HYPERLINK("http://x")', -1.5, 3.0, -1.5, 0.0, "", "\t=1")]
    (row,) = csv.DictReader(io.StringIO(as_csv(given)))
    assert row["student"] == '\'=HYPERLINK("http://x")'
    assert row["note"] == r"\t=1"
    assert row["score"] == "-1.5"


def test_the_cells_of_the_lms_stay_as_they_came(tmp_path):
    path = tmp_path / "lms.csv"
    path.write_text('Student,ID,Mark\n"=Doe, -Ada",+12,\n', "utf-8")
    assert (
        text_of(fill_in(given("+12"), path, NAME, "Mark"))
        == 'Student,ID,Mark\n"=Doe, -Ada",+12,2.5\n'
    )


def scored(**scores):
    return [Grade(name, score, 9.0, score, 0.0, "", "") for name, score in scores.items()]


@pytest.mark.parametrize(
    ("grades", "rows", "marks", "ambiguous"),
    [
        ({"Alice": 1.0, "alice": 2.0}, ["alice", "Alice"], ["2", "1"], []),
        ({"Alice": 1.0, "alice": 2.0}, ["alice", "ALICE"], ["2", "1"], []),
        ({"Alice": 1.0, "alice": 2.0}, ["ALICE"], [""], ["ALICE"]),
        ({"alice": 2.0}, ["alice", "Alice"], ["2", ""], []),
        ({"alice": 2.0}, ["ALICE", "Alice"], ["", ""], ["ALICE", "Alice"]),
        ({"alice": 2.0}, ["ALICE"], ["2"], []),
        ({"Lee_Ann": 1.0, "Lee Ann": 2.0}, ["Lee Ann"], ["2"], []),
        ({"alice": 2.0}, ["alice", "alice"], ["", ""], ["alice", "alice"]),
    ],
)
def test_no_two_students_share_a_score(tmp_path, grades, rows, marks, ambiguous):
    path = tmp_path / "lms.csv"
    path.write_text("Login,Mark\n" + "".join(f"{name},\n" for name in rows), "utf-8")
    filled = fill_in(scored(**grades), path, NAME, "Mark")
    assert [row[1] for row in csv.reader(io.StringIO(text_of(filled)))][1:] == marks
    assert filled.ambiguous == ambiguous


def test_a_cell_may_be_larger_than_csv_allows(tmp_path):
    path = tmp_path / "lms.csv"
    path.write_text(f"Login,Note,Mark\nada,{'x' * 200_000},\n", "utf-8")
    assert text_of(fill_in(given("ada"), path, NAME, "Mark")).endswith("x,2.5\n")
