"""Two graders never work in the folder of one class at the same time."""

import subprocess
import sys

import nbformat
import pytest

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.class_lock import sole_grader
from autograder.gradebook.grade_class import grade_class

NAME = "07_topic"
HOLD = """\
import sys
from pathlib import Path
from autograder.gradebook.class_lock import sole_grader
with sole_grader(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_second_grader_is_refused_in_one_sentence_and_changes_nothing(small_course):
    path = small_course.root / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME)), path)
    with (
        sole_grader(small_course.root),
        pytest.raises(CourseError, match="another grader is at work"),
    ):
        grade_class(small_course, NAME)
    assert not (small_course.root / "autograded").exists()


def test_the_lock_ends_with_its_process_however_that_ends(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(CourseError), sole_grader(tmp_path):
            pass
        holder.kill()
    with sole_grader(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_not_locked(tmp_path):
    with sole_grader(tmp_path / "nothing"), sole_grader(tmp_path / "nothing"):
        pass
