"""A student's wrong answer becomes a misconception."""

import shutil

import pytest

from autograder.authoring.adopt import adopt
from autograder.authoring.proofs import prove_answers
from autograder.course.assignment import Assignment
from autograder.course.exercise import UNWRITTEN_HINT
from autograder.course.layout import Course
from autograder.course.make_edit import make_edit
from autograder.errors import CourseError
from autograder.grading.record_exercises import record_assignment

NAME, EXERCISE = "07_topic", "average_topic"


@pytest.fixture
def course(graded_class, tmp_path):
    return Course(shutil.copytree(graded_class.root, tmp_path / "course"))


def test_an_adopted_answer_is_a_misconception_without_a_hint_that_release_refuses(course):
    path, name = adopt(course, EXERCISE, "bob")
    assert "bob" not in path.read_text("utf-8")
    added = Assignment(course, NAME).exercises[EXERCISE].misconceptions[-1]
    assert (added.name, added.hint) == (name, UNWRITTEN_HINT)
    reference = Assignment(course, NAME).solution.bare_sources[EXERCISE]
    assert "return 0" in added.source(reference)
    with pytest.raises(CourseError, match="write its hint"):
        prove_answers(Assignment(course, NAME), record_assignment(Assignment(course, NAME), 0))
    with pytest.raises(CourseError, match=f"already: {name}"):
        adopt(course, EXERCISE, "bob")


def test_only_a_wrong_graded_answer_is_adopted(course):
    for student, words in (("ada", "is right"), ("dan", "run `autograder grade 07_topic` first")):
        with pytest.raises(CourseError, match=words):
            adopt(course, EXERCISE, student)


REFERENCE = "def f(x):\n    y = x + 1\n    z = y\n    return y * z\n"


def test_a_small_change_is_written_as_an_edit_and_a_large_one_is_not():
    assert make_edit(REFERENCE, REFERENCE.replace("+", "-")) == "-    y = x + 1\n+    y = x - 1\n"
    dropped = REFERENCE.replace("    z = y\n", "")
    assert make_edit(REFERENCE, dropped) == "-    z = y\n"
    added = REFERENCE.replace("    return", "    z += 1\n    return")
    assert make_edit(REFERENCE, added) == "     z = y\n+    z += 1\n"
    assert make_edit(REFERENCE, "\n".join(f"a{i} = {i}" for i in range(9))) is None
