"""What tests share: the course itself, and copies of it that a test may change."""

from __future__ import annotations

import os
import shutil

import pytest
from checkout import ROOT

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side: two threads would only wait


@pytest.fixture(scope="session")
def course():
    """The course in this checkout; a test must not change its files."""
    from autograder.course.layout import Course

    return Course(ROOT)


@pytest.fixture(scope="session")
def make_small_course():
    """Makes a course in a folder with one assignment, 07_topic, as `autograder new` makes it."""
    from autograder.authoring.new_assignment import new_assignment
    from autograder.authoring.release import release
    from autograder.course.layout import Course

    def make(folder):
        course = Course(folder / "course")
        (course.root / "autograder" / "exercises").mkdir(parents=True)
        course.solutions.mkdir()
        course.recordings.mkdir(parents=True)
        for name in ("nbgrader_config.py", "pyproject.toml"):
            shutil.copy(ROOT / name, course.root)
        new_assignment(course, "07_topic")
        release(course, ["07_topic"])
        # a fixed seed: with one drawn anew, a wrong answer is right by chance in one run of a hundred
        (course.root / "class_seed").write_text("1\n")
        return course

    return make


@pytest.fixture
def small_course(make_small_course, tmp_path):
    """A course of its own folder with one assignment, 07_topic."""
    return make_small_course(tmp_path)
