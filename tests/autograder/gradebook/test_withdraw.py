"""A flawed exercise after submissions: every number agrees, and everything comes back."""

import shutil
import subprocess
import sys

import nbformat
import pytest
from click.testing import CliRunner
from hand_graded import EXERCISE, NAME, answered, by_hand, grade_by_hand, gradebook, hand_in
from manually_graded import manually_graded
from nbformat.v4 import new_markdown_cell

from autograder.authoring.release import release
from autograder.classroom.console_tables import summary_table
from autograder.classroom.export import fill_in, grades
from autograder.classroom.report import Report, as_html, read_class
from autograder.classroom.term_gradebook import read_term
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.gradebook.backups import _content
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.withdraw import read_withdrawn, reinstate, withdraw
from autograder.pages.feedback import write_feedback

WHY = "its text was ambiguous"
WRONG = f"def {EXERCISE}(scores, mask):\n    return 0"


@pytest.fixture(scope="module")
def template(make_small_course, tmp_path_factory):
    """ada has 3 + 4 + 2.5 of 3 + 5 + 5 points, bob's exercise is wrong: 0 + 1 + 5."""
    course = make_small_course(tmp_path_factory.mktemp("withdraw"))
    by_hand(course)
    hand_in(course, "ada", answered(course))
    wrong = answered(course)
    next(c for c in wrong.cells if c.id == EXERCISE or f"def {EXERCISE}" in c.source).source = WRONG
    hand_in(course, "bob", wrong)
    grade_class(course, NAME)
    for student, why, plot in (("ada", 4, 2.5), ("bob", 1, 5)):
        grade_by_hand(course, student, "why", why, f"Read, {student}.")
        grade_by_hand(course, student, "plot", plot)
    return course


@pytest.fixture
def course(template, tmp_path):
    return Course(shutil.copytree(template.root, tmp_path / "course"))


def test_a_withdrawal_does_not_count_as_points_given_by_hand(course):
    before = _content(course.root / "gradebook.db")
    assert "points given by hand: 4" in before
    withdraw(Classroom(course), EXERCISE, WHY)
    withdraw(Classroom(course), "why", WHY)
    assert _content(course.root / "gradebook.db") == before


def everywhere(course):
    """Student -> (score, total), where all places say the same."""
    found = {grade.student: (grade.score, grade.max_score) for grade in grades(course, NAME)}
    term = read_term(course)
    assert {row.student: (row.points, row.most) for row in term.rows} == found
    table = summary_table(grade_class(course, NAME))
    cells = [list(column.cells) for column in table.columns]
    shown = {str(s): tuple(map(float, p.split(" / "))) for s, p in zip(cells[0], cells[1])}
    assert shown == found
    report = Report(NAME, read_class(Classroom(course), NAME))
    assert {one.student: (one.score, one.max_score) for one in report.submissions} == found
    assert as_html(report)
    write_feedback(course, NAME)
    for student, (score, most) in found.items():
        page = (course.root / "feedback" / student / NAME / f"{NAME}.html").read_text()
        assert f"<b>{score:g} of {most:g}</b> points<" in page
    return found


def formgrader(course):
    """Student -> (score, total) as nbgrader's own pages show them."""
    with gradebook(course) as book:
        return {
            one["student"]: (one["score"], one["max_score"]) for one in book.submission_dicts(NAME)
        }


def by_nbgrader(course):
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", NAME, "--force"],
        cwd=course.root,
        check=True,
        capture_output=True,
    )


BEFORE = {"ada": (9.5, 13), "bob": (6, 13)}


@pytest.mark.parametrize(
    ("exercise", "options", "again", "expected"),
    [
        (EXERCISE, {}, Options(regrade=True), {"ada": (6.5, 10), "bob": (6, 10)}),
        (EXERCISE, {}, "nbgrader", {"ada": (6.5, 10), "bob": (6, 10)}),
        (EXERCISE, {"full_points": True}, None, {"ada": (9.5, 13), "bob": (9, 13)}),
        ("why", {}, None, {"ada": (5.5, 8), "bob": (5, 8)}),
        (
            "why",
            {"full_points": True},
            Options(regrade=True),
            {"ada": (10.5, 13), "bob": (10, 13)},
        ),
    ],
)
def test_a_withdrawn_exercise_counts_the_same_everywhere_and_comes_back(
    course, exercise, options, expected, again
):
    withdraw(Classroom(course), exercise, WHY, **options)
    if again == "nbgrader":
        by_nbgrader(course)
    elif again:
        grade_class(course, NAME, options=again).require_no_fault()
    assert formgrader(course) == everywhere(course) == expected
    page = (course.root / "feedback" / "bob" / NAME / f"{NAME}.html").read_text()
    assert "Its text was ambiguous" in page or WHY in page
    assert "Read, bob." in page
    reinstate(Classroom(course), exercise)
    assert formgrader(course) == everywhere(course) == BEFORE
    with gradebook(course) as book:
        assert not book.find_submission(NAME, "ada").needs_manual_grade
        assert book.find_comment("why", NAME, NAME, "ada").manual_comment == "Read, ada."


def test_out_of_one_students_total_changes_nobody_elses(course):
    withdraw(Classroom(course), EXERCISE, WHY, students=["bob"])
    expected = {"ada": (9.5, 13), "bob": (6, 10)}
    assert everywhere(course) == expected
    grade_class(course, NAME, options=Options(regrade=True))
    assert everywhere(course) == expected
    reinstate(Classroom(course), EXERCISE, students=["bob"])
    assert everywhere(course) == BEFORE


def test_the_lms_gets_a_smaller_total_scaled_to_its_own(course, tmp_path):
    withdraw(Classroom(course), EXERCISE, WHY, students=["bob"])
    table = tmp_path / "lms.csv"
    table.write_text(f"student,{NAME}\nada,\nbob,\n")
    filled = fill_in(grades(course, NAME), table, NAME)
    assert filled.content.decode().split() == [f"student,{NAME}", "ada,9.5", "bob,7.8"]
    assert filled.scaled == ["bob"]


def test_one_kind_of_withdrawal_replaces_the_other(course):
    withdraw(Classroom(course), EXERCISE, WHY)
    withdraw(Classroom(course), EXERCISE, WHY, full_points=True)
    assert everywhere(course) == {"ada": (9.5, 13), "bob": (9, 13)}
    assert len(read_withdrawn(Classroom(course))) == 1
    reinstate(Classroom(course), EXERCISE)
    assert everywhere(course) == BEFORE


def test_points_that_a_person_gives_meanwhile_are_kept_for_later(course):
    withdraw(Classroom(course), "why", WHY)
    grade_by_hand(course, "bob", "why", 5)
    grade_class(course, NAME)
    assert everywhere(course)["bob"] == (5, 8)
    reinstate(Classroom(course), "why")
    assert everywhere(course)["bob"] == (10, 13)


def test_who_hands_in_later_gets_the_same(course):
    withdraw(Classroom(course), EXERCISE, WHY)
    hand_in(course, "cem", answered(course))
    grade_class(course, NAME)
    for grade_id in ("why", "plot"):
        grade_by_hand(course, "cem", grade_id, 5)
    assert everywhere(course)["cem"] == (10, 10)
    reinstate(Classroom(course), EXERCISE)
    assert everywhere(course)["cem"] == (13, 13)


def test_what_is_withdrawn_before_anything_is_graded_counts_from_the_start(small_course):
    by_hand(small_course)
    withdraw(Classroom(small_course), EXERCISE, WHY)
    hand_in(small_course, "ada", answered(small_course))
    grade_class(small_course, NAME)
    assert {g.student: (g.score, g.max_score) for g in grades(small_course, NAME)} == {
        "ada": (0, 10)
    }
    reinstate(Classroom(small_course), EXERCISE)
    assert {g.student: (g.score, g.max_score) for g in grades(small_course, NAME)} == {
        "ada": (3, 13)
    }


def without(course, *names):
    """Take cells out of the solution notebook."""
    path = course.solution(NAME)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [
        c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in names
    ]
    nbformat.write(notebook, path)


def test_a_release_that_removes_a_question_says_what_to_do_and_loses_nothing(course, monkeypatch):
    monkeypatch.chdir(course.root)
    without(course, "why")
    result = CliRunner().invoke(main, ["release", NAME])
    assert result.exit_code == 0, result.output
    assert "`autograder withdraw why --reason ...`" in result.output
    with pytest.raises(ClassError, match="autograder withdraw why"):
        grade_class(course, NAME)
    assert formgrader(course) == BEFORE
    result = CliRunner().invoke(main, ["withdraw", "why", "--reason", WHY])
    assert result.exit_code == 0, result.output
    grade_class(course, NAME)
    assert formgrader(course) == everywhere(course) == {"ada": (5.5, 8), "bob": (5, 8)}
    withdraw(Classroom(course), "why", WHY, full_points=True)
    assert formgrader(course) == everywhere(course) == {"ada": (10.5, 13), "bob": (10, 13)}
    with gradebook(course) as book:
        assert book.find_comment("why", NAME, NAME, "ada").manual_comment == "Read, ada."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (None, {"ada": (9.5, 15), "bob": (6, 15)}),
        ({}, BEFORE),
        ({"full_points": True}, {"ada": (11.5, 15), "bob": (8, 15)}),
    ],
)
def test_a_release_that_adds_a_question_says_what_will_happen(course, options, expected):
    path = course.solution(NAME)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(manually_graded(new_markdown_cell("And why not?"), "why_not", 2))
    nbformat.write(notebook, path)
    release(course, [NAME])
    with pytest.raises(ClassError, match="--new-cells` counts it, with 0 points"):
        grade_class(course, NAME)
    if options is None:
        grade_class(course, NAME, options=Options(new_cells=True))
    else:
        withdraw(Classroom(course), "why_not", WHY, **options)
        grade_class(course, NAME)
    assert everywhere(course) == formgrader(course) == expected


def test_plain_nbgrader_says_the_same_of_a_changed_release(course):
    without(course, "why")
    release(course, [NAME])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", NAME, "--force"],
        cwd=course.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert "autograder withdraw why" in done.stderr


def test_the_command_says_what_it_does_and_lists_what_is_withdrawn(course, monkeypatch):
    monkeypatch.chdir(course.root)

    def run(*words):
        result = CliRunner().invoke(main, ["withdraw", *words])
        return result.exit_code, result.output

    assert run() == (0, "nothing is withdrawn.\n")
    assert run(EXERCISE)[0] == 2
    assert run(EXERCISE, "--reason", WHY) == (
        0,
        f"{NAME}: {EXERCISE} is out of the total (3 points): {WHY}\n",
    )
    assert run() == (0, f"{NAME}: {EXERCISE} is out of the total (3 points): {WHY}\n")
    assert run(EXERCISE, "--undo") == (0, f"{NAME}: {EXERCISE} counts again.\n")
    status, text = run(EXERCISE, "--undo")
    assert (status, "is not withdrawn" in text) == (1, True)


def test_what_is_taken_back_for_one_student_is_said_with_what_is_left_for_everyone(
    course, monkeypatch
):
    monkeypatch.chdir(course.root)

    def run(*words):
        return CliRunner().invoke(main, ["withdraw", EXERCISE, *words]).output

    run("--reason", WHY, "--student", "ada", "--student", "bob")
    assert run("--undo", "--student", "ada") == f"{NAME}: {EXERCISE} counts again for ada.\n"
    assert everywhere(course) == {"ada": (9.5, 13), "bob": (6, 10)}
    words = ("--undo", "--student", "bob", "--student", "ada")
    assert "is not withdrawn for ada; `autograder withdraw` lists what is" in run(*words)
    run("--reason", WHY, "--full-points")
    assert run("--undo", "--student", "bob") == (
        f"{NAME}: {EXERCISE} is no longer withdrawn for bob alone, but still gives its 3 points to"
        " everyone.\n"
    )
    said = run("--undo", "--student", "bob")
    assert "is withdrawn for everyone, not for bob alone; --undo without --student takes" in said
    assert everywhere(course) == {"ada": (9.5, 13), "bob": (9, 13)}
    assert run("--undo") == f"{NAME}: {EXERCISE} counts again.\n"


def test_an_unknown_exercise_or_student_is_a_sentence(course):
    with pytest.raises(CourseError, match="there is no exercise or question nothing"):
        withdraw(Classroom(course), "nothing", WHY)
    with pytest.raises(ClassError, match="dora is not in the class"):
        withdraw(Classroom(course), EXERCISE, WHY, students=["dora"])
