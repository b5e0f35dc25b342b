"""What `autograder new` writes, and that `autograder verify` demands nothing else of it."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from checkout import ROOT

from autograder.authoring.new_assignment import new_assignment
from autograder.course.layout import Course
from autograder.errors import CourseError

NAME = "97_trial"
#: What a clone has none of.
_LEFT = ("bundle", "demo", "submitted", "autograded", "feedback", "reports", "exports", "site")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the repository, which a test may change."""
    folder = tmp_path_factory.mktemp("clone") / "course"
    left = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "*.db*", *_LEFT)
    shutil.copytree(ROOT, folder, ignore=left)
    return Course(folder)


def run(course, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(course.root)}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=course.root,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_a_new_assignment_of_this_course_verifies_untouched(clone):
    said = run(clone, "autograder", "new", NAME)
    assert f"edit: exercises/{NAME}/answers/right.py" in said
    assert f"edit: guide/exam/{NAME}.md" in said
    last = run(clone, "autograder", "verify", NAME).splitlines()[-1]
    assert last.startswith(f"{NAME}: ")
    assert "do not apply" not in last
    run(clone, "ruff", "check", ".")
    run(clone, "ruff", "format", "--check", ".")


def test_a_new_assignment_gets_its_row_in_the_list_of_assignments(small_course):
    page = small_course.root / "README.md"
    page.write_text(
        "# A course\n\n<!-- assignments -->\n| assignment | what | time |\n| --- | --- | --- |\n"
        "| `07_topic` | this | 1 hour |\n| `11_more` | that | 2 hours |\n"
        "<!-- end of assignments -->\n\nmore\n"
    )
    written = new_assignment(small_course, NAME)
    assert page in written
    rows = re.findall(r"^\| `(\w+)` \|", page.read_text(), re.MULTILINE)
    assert rows == ["07_topic", "11_more", NAME]
    assert page.read_text().endswith("<!-- end of assignments -->\n\nmore\n")


def test_a_template_that_does_not_exist_is_named(small_course):
    path = small_course.root / "pyproject.toml"
    path.write_text(path.read_text().replace('template = "torch"', 'template = "jax"'))
    with pytest.raises(CourseError, match="template 'jax'; choose python or torch"):
        new_assignment(small_course, NAME)
    assert not small_course.solution(NAME).exists()
