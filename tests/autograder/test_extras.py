"""The core of the tool works without its extras; what needs one says so in one sentence."""

import subprocess
import sys

import nbformat
import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.extras import EXTRAS

NAME = "07_topic"
COMMANDS = {
    "bundle": "author",
    f"gradescope {NAME}": "author",
    "verify": "author",
    f"grade {NAME} --scheduler tcp://127.0.0.1:1": "cluster",
    "guide": "guide",
    f"questions {NAME}": "guide",
    "figures": "site",
    f"slides {NAME}": "site",
}
#: What a library of the core imports by itself, too.
OF_THE_CORE = {"bs4"}  # nbconvert
PARTS = ("guide", "own_code", "publishing", "verify", "grading.cluster", "grading.dask_client")
WITHOUT = (
    "import sys; sys.modules.update(dict.fromkeys({})); from autograder.cli import main; main()"
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_whose_extra_is_missing_says_how_to_install_it(
    small_course, monkeypatch, command
):
    extra = COMMANDS[command]
    monkeypatch.chdir(small_course.root)
    for package in EXTRAS[extra][0]:
        with monkeypatch.context() as one_is_enough:
            one_is_enough.setitem(sys.modules, package, None)
            done = CliRunner().invoke(main, command.split())
        assert (done.exit_code, done.output) == (
            1,
            f"autograder: the extra {extra}, which {EXTRAS[extra][1]}, is not installed:"
            f" run `pip install 'coursekit-autograder[{extra}]'`.\n",
        )


def test_release_and_grade_and_help_work_without_any_extra(small_course):
    path = small_course.root / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME)), path)
    absent = {package for packages, _ in EXTRAS.values() for package in packages} - OF_THE_CORE
    absent |= {f"autograder.{name}" for name in PARTS}
    program = WITHOUT.format(sorted(absent))
    for command in ("--help", f"release --again {NAME}", f"grade {NAME}"):
        done = subprocess.run(
            [sys.executable, "-c", program, *command.split()],
            cwd=small_course.root,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{small_course.root}/gradebook.db") as book:
        assert book.find_submission(NAME, "ada").score == 3
