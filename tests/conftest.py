"""What tests share: the course itself, and copies of it that a test may change."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from pathlib import Path

import pytest
from checkout import ROOT

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side: two threads would only wait


def pytest_collection_modifyitems(items):
    """Put together what is about one assignment, so that one worker records its cases once.

    These tests come first, since they are the longest: an assignment's notebook, and many short ones
    after it, which another worker can take over. Otherwise the order stays, which `pytest-randomly`
    has drawn: of the assignments, of the tests of each, and of the modules and tests after them.
    """
    first = ("test_clean_environment.py", "test_exercises.py")
    drawn = {}

    def place(item):
        assignment = item.callspec.params.get("assignment") if hasattr(item, "callspec") else None
        if assignment is None:
            return (True,)
        name = item.path.name
        rank = first.index(name) if name in first else len(first)
        return False, drawn.setdefault(assignment, len(drawn)), rank

    items.sort(key=place)


@pytest.fixture(autouse=True)
def no_thread_is_left():
    """Fail a test after which a thread runs that began in it and has code of this project in its stack.

    It would draw from the random generators, and change what is global, while another test runs.
    """
    before = {thread.ident for thread in threading.enumerate()}
    yield
    if threading.active_count() > len(before):
        left = [thread for thread in threading.enumerate() if thread.ident not in before]
        frames = sys._current_frames()
        ours = [thread for thread in left if _is_ours(frames.get(thread.ident))]
        assert ours == [], "a test must end, and join, the threads that it starts"


def _is_ours(frame):
    while frame is not None:
        if (
            frame.f_code.co_filename.startswith(f"{ROOT}/")
            and ".venv" not in frame.f_code.co_filename
        ):
            return True
        if frame.f_globals.get("__name__") == "__main__" and frame.f_code.co_filename[0] == "<":
            return True  # a notebook's
        frame = frame.f_back
    return False


@pytest.fixture(scope="session")
def course():
    """The course in this checkout; a test must not change its files."""
    from autograder.course.layout import Course

    return Course(ROOT)


@pytest.fixture(scope="session")
def make_small_course(tmp_path_factory):
    """Makes a course in a folder with one assignment, 07_topic, as `autograder new` makes it.

    Its kernels import no more than torch before they are forked: a command that a test runs has a fork
    server of its own. That of this process serves also what is graded of the course in this checkout.
    """
    from autograder.authoring.new_assignment import new_assignment
    from autograder.authoring.release import release
    from autograder.course.layout import Course
    from autograder.gradebook.class_folder import Classroom
    from autograder.grading.isolated_run import PRELOAD
    from autograder.sandbox.launch import start_server_in_background

    start_server_in_background(PRELOAD, *Course(ROOT).preload)
    template = Course(tmp_path_factory.mktemp("template") / "course")
    template.solutions.mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", template.root)
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    imports = re.compile(r"^imports = \[.*?^\]$", re.MULTILINE | re.DOTALL)
    assert imports.search(settings)
    settings = imports.sub('imports = ["torch"]', settings)
    settings = re.sub(r"^guide = .*\n", "", settings, flags=re.MULTILINE)
    thresholds = re.compile(r"^\[tool\.autograder\.verify\]\n(?:[^\[\n].*\n)+", re.MULTILINE)
    settings = thresholds.sub("", settings)
    (template.root / "pyproject.toml").write_text(settings)
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
