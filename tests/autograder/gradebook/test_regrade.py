"""Grading one exercise again, after its cases have changed: whose points change, and nothing else."""

import json

import nbformat
import pytest
from click.testing import CliRunner

from autograder.classroom.console_tables import changes_table
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading.verdicts import read_verdicts

NAME, EXERCISE = "07_topic", "average_topic"
PARTLY = f"def {EXERCISE}(scores, mask):\n    return (scores * mask).sum(1) / mask.sum(1)"


@pytest.fixture
def graded(small_course):
    """A graded class in which bob alone lost the case without words, which then is a fair one."""
    for student, answers in {"ada": {}, "bob": {EXERCISE: PARTLY}, "cem": None}.items():
        path = small_course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        if answers is not None:
            nbformat.write(filled(Assignment(small_course, NAME), answers), path)
    grade_class(small_course, NAME)
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    text = module.read_text("utf-8")
    assert "[False] * 4" in text
    module.write_text(text.replace("[False] * 4", "[True, False, False, False]"), "utf-8")
    return small_course


def test_grading_one_exercise_again_lists_whose_points_change(graded, monkeypatch):
    monkeypatch.chdir(graded.root)
    result = CliRunner().invoke(main, ["grade", NAME, "--exercise", EXERCISE, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["changes"] == [{"student": "bob", "exercise": EXERCISE, "before": 2.0, "now": 3.0}]
    assert [v["points"] for v in found["verdicts"]["ada"]] == [3]
    saved = nbformat.read(Classroom(graded).autograded("bob", NAME), as_version=4)
    assert [v.points for v in read_verdicts(saved)] == [3]
    # the other exercises may have changed, too: a plain `grade` runs again
    assert grade_class(graded, NAME).kept == []
    assert grade_class(graded, NAME).kept == ["ada", "bob", "cem"]


def test_points_set_by_hand_are_said_to_stay(graded):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded.root}/gradebook.db") as book:
        book.find_grade(f"check_{EXERCISE}", NAME, NAME, "bob").manual_score = 1.0
        book.db.commit()
    again = grade_class(graded, NAME, options=Options(exercise=EXERCISE))
    assert again.by_hand == {("bob", EXERCISE)}
    (why,) = changes_table(again).columns[-1].cells
    assert "points set by hand stay" in str(why)


def test_points_that_are_not_those_of_the_release_stop_grading(graded):
    module = graded.cases(NAME) / f"{EXERCISE}.py"
    module.write_text(module.read_text("utf-8").replace('"empty": 1', '"empty": 2'), "utf-8")
    for options in (Options(), Options(exercise=EXERCISE)):
        with pytest.raises(CourseError, match="has 4 points in its cases and 3 in the release"):
            grade_class(graded, NAME, options=options)
    saved = nbformat.read(Classroom(graded).autograded("ada", NAME), as_version=4)
    assert [v.points for v in read_verdicts(saved)] == [3]


def test_an_exercise_of_another_assignment_or_an_ungraded_class_is_a_sentence(small_course, course):
    folder = small_course.root / "submitted" / "ada" / NAME
    folder.mkdir(parents=True)
    with pytest.raises(CourseError, match="no submission of 07_topic is graded yet"):
        grade_class(small_course, NAME, options=Options(exercise=EXERCISE))
    with pytest.raises(CourseError, match="nothing"):
        grade_class(small_course, NAME, options=Options(exercise="nothing"))
