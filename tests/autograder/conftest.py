"""A small class that is graded once, for all tests that only read it."""

import nbformat
import pytest

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.grade_class import grade_class

NAME = "07_topic"
WRONG = "def average_topic(scores, mask):\n    return 0"


@pytest.fixture(scope="session")
def graded_class(make_small_course, tmp_path_factory):
    """A course whose class is graded: ada is right, bob is wrong, cem's folder is empty.

    A test must not change its files, but may add some.
    """
    course = make_small_course(tmp_path_factory.mktemp("graded"))
    for student, answers in {"ada": {}, "bob": {"average_topic": WRONG}}.items():
        path = course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(filled(Assignment(course, NAME), answers), path)
    (course.root / "submitted" / "cem" / NAME).mkdir(parents=True)
    grade_class(course, NAME)
    return course
