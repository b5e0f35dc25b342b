"""What a person has graded stays graded; what a person has to grade is before them."""

import shutil
import subprocess
import sys

import pytest
from hand_graded import EXERCISE, NAME, answered, by_hand, grade_by_hand, gradebook, hand_in
from nbformat.v4 import new_markdown_cell

from autograder.classroom.export import grades
from autograder.course.layout import Course
from autograder.errors import GraderFault
from autograder.gradebook import score_savers
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.own_tables import GradedAnswer
from autograder.pages.feedback import write_feedback

AGAIN = Options(regrade=True)


@pytest.fixture(scope="module")
def template(make_small_course, tmp_path_factory):
    """ada has answered both questions and is graded; bob's answer is below its cell."""
    course = make_small_course(tmp_path_factory.mktemp("by_hand"))
    by_hand(course)
    hand_in(course, "ada", answered(course))
    outside = answered(course, why="", plot="")
    place = next(i for i, c in enumerate(outside.cells) if grade_id(c) == "why")
    outside.cells.insert(place + 1, new_markdown_cell("Padding is no word."))
    hand_in(course, "bob", outside)
    grade_class(course, NAME)
    return course


@pytest.fixture
def course(template, tmp_path):
    return Course(shutil.copytree(template.root, tmp_path / "course"))


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def waiting(course, student):
    with gradebook(course) as book:
        return sorted(
            grade.name
            for notebook in book.find_submission(NAME, student).notebooks
            for grade in notebook.grades
            if grade.needs_manual_grade
        )


def finish(course):
    grade_by_hand(course, "ada", "why", 4, "Well said.")
    grade_by_hand(course, "ada", "plot", 2.5)


def test_an_answer_outside_its_cell_waits_with_its_text(course):
    assert "why" in waiting(course, "bob")
    grade_by_hand(course, "bob", "why", 3)
    write_feedback(course, NAME)
    page = (course.root / "feedback" / "bob" / NAME / f"{NAME}.html").read_text()
    (answer,) = page.split('<div class="answer">')[1:2]
    assert "Padding is no word." in answer.partition("</section>")[0]


def test_grading_again_leaves_finished_what_a_person_has_graded(course):
    assert waiting(course, "ada") == ["plot", "why"]
    finish(course)
    grade_class(course, NAME, options=AGAIN)
    assert waiting(course, "ada") == []
    assert {g.student: (g.score, g.note) for g in grades(course, NAME)}["ada"] == (9.5, "")
    write_feedback(course, NAME)
    page = (course.root / "feedback" / "ada" / NAME / f"{NAME}.html").read_text()
    assert "still to be graded" not in page
    assert "so far" not in page


def test_points_set_by_hand_on_a_check_stay_final_too(course):
    finish(course)
    grade_by_hand(course, "ada", f"check_{EXERCISE}", 1)
    grade_class(course, NAME, options=AGAIN)
    assert waiting(course, "ada") == []


def test_another_answer_is_before_a_person_again_and_the_same_one_is_not(course):
    finish(course)
    hand_in(course, "ada", answered(course, why="Since it has no meaning."))
    grade_class(course, NAME)
    assert waiting(course, "ada") == ["why"]
    grade_class(course, NAME, options=AGAIN)
    assert waiting(course, "ada") == ["why"]


def test_what_was_graded_before_answers_were_remembered_stays_final_as_well(course):
    finish(course)
    with gradebook(course) as book:
        book.db.query(GradedAnswer).delete()
        book.db.commit()
    hand_in(course, "ada", answered(course, plot="2 + 2"))
    grade_class(course, NAME, options=AGAIN)
    assert waiting(course, "ada") == ["plot"]


def test_plain_nbgrader_leaves_it_finished_too(course):
    finish(course)
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", NAME, "--student=ada", "--force"],
        cwd=course.root,
        check=True,
        capture_output=True,
    )
    assert waiting(course, "ada") == []


def test_after_a_fault_a_changed_answer_is_still_before_a_person(course, monkeypatch):
    finish(course)
    hand_in(course, "ada", answered(course, why="Since it has no meaning."))
    with monkeypatch.context() as planted:
        planted.setattr(score_savers, "apply_withdrawals", lambda *_: {}["a bug"])
        with pytest.raises(GraderFault):
            grade_class(course, NAME, students=["ada"]).require_no_fault()
    assert waiting(course, "ada") == []
    grade_class(course, NAME)
    assert waiting(course, "ada") == ["why"]
