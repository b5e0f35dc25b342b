"""A student's wrong answer becomes a misconception."""

import shutil

import pytest

from autograder.authoring.adopt import _with_entry, adopt
from autograder.authoring.proofs import prove_written
from autograder.authoring.release import release
from autograder.course.assignment import Assignment
from autograder.course.exercise import UNWRITTEN_HINT
from autograder.course.layout import Course
from autograder.course.make_edit import make_edit
from autograder.errors import CourseError
from autograder.grading.record_misconceptions import record_assignment
from autograder.sandbox.doctor import is_available

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
        prove_written(Assignment(course, NAME))
    with pytest.raises(CourseError, match=f"already: {name}"):
        adopt(course, EXERCISE, "bob")


HOSTILE = """
def average_topic(scores, mask, seen=open({marker!r}, "w").write("ran")):
    open({marker!r}, "w").write("ran")
    return 0 * scores.sum(1)
"""


def test_an_adopted_answer_never_runs_in_the_authors_process(course, tmp_path):
    """Not before its hint is written, and after that only where submissions run."""
    if not is_available():
        pytest.skip("this machine offers no sandbox, in which adopted answers run")
    marker = tmp_path / "marker"
    path = course.cases(NAME) / f"{EXERCISE}.py"
    written = _with_entry(path.read_text("utf-8"), "adopted_1", HOSTILE.format(marker=str(marker)))
    path.write_text(written, "utf-8")
    assignment = Assignment(course, NAME)
    recorded = record_assignment(assignment, 1)  # as `grade` does
    assert "adopted_1" not in [m["name"] for m in recorded[EXERCISE]["misconceptions"]]
    with pytest.raises(CourseError, match="write its hint"):
        release(course, [NAME])
    assert not marker.exists()
    path.write_text(written.replace(UNWRITTEN_HINT, "The sum is multiplied by 0."), "utf-8")
    with pytest.raises(CourseError, match=r"adopted_1 cannot be run: .*Error"):
        record_assignment(Assignment(course, NAME), 1)
    assert not marker.exists()


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
