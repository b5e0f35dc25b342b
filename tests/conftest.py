"""What tests share: the course itself, and copies of it that a test may change."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from checkout import ROOT

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side: two threads would only wait


def pytest_collection_modifyitems(items):
    """What is about one assignment comes together, so that one worker records its cases once.

    The longest, its notebook, comes first, and many short ones follow it, which another worker can
    take over.
    """
    first = ("test_clean_environment.py", "test_exercises.py")

    def place(item):
        assignment = item.callspec.params.get("assignment") if hasattr(item, "callspec") else None
        number = int(assignment[:2]) if assignment else -1
        name = item.path.name
        return -number, first.index(name) if name in first else len(first)

    items.sort(key=place)


@pytest.fixture(scope="session")
def course():
    """The course in this checkout; a test must not change its files."""
    from autograder.course.layout import Course

    return Course(ROOT)


@pytest.fixture(scope="session")
def make_small_course(tmp_path_factory):
    """Makes a course in a folder with one assignment, 07_topic, as `autograder new` makes it."""
    from autograder.authoring.new_assignment import new_assignment
    from autograder.authoring.release import release
    from autograder.course.layout import Course
    from autograder.gradebook.class_folder import Classroom

    template = Course(tmp_path_factory.mktemp("template") / "course")
    template.solutions.mkdir(parents=True)
    for name in ("nbgrader_config.py", "pyproject.toml"):
        shutil.copy(ROOT / name, template.root)
    new_assignment(template, "07_topic")
    release(template, ["07_topic"])
    Classroom(template).create_database()
    # a fixed seed: with one drawn anew, a wrong answer is right by chance in one run of a hundred
    (template.root / "class_seed").write_text("1\n")

    def make(folder):
        return Course(Path(shutil.copytree(template.root, folder / "course")))

    return make


@pytest.fixture
def small_course(make_small_course, tmp_path):
    """A course of its own folder with one assignment, 07_topic."""
    return make_small_course(tmp_path)


@pytest.fixture(scope="module")
def browser():
    """A Chromium of this machine, driven by playwright."""
    from autograder.guide.print_pdf import find_browser

    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if (program := find_browser()) is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()
