"""What instructors on Windows can use: commands that need no sandbox import nothing of Unix alone."""

import os
import subprocess
import sys

import nbformat
import pytest

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled

NAME = "07_topic"
#: Stands in for Windows: our modules cannot import these, and these functions do not exist.
WITHOUT_UNIX = """
import builtins, ctypes, os, signal, sys

unix = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}
ours, plain, load = ("autograder", "coursekit"), builtins.__import__, ctypes.CDLL

def limited(name, globals=None, *rest, **options):
    importer = (globals or {}).get("__name__", "")
    if name in unix and importer.startswith(ours):
        raise ModuleNotFoundError(f"{importer} imports {name}, which Windows does not have")
    return plain(name, globals, *rest, **options)

def loaded(name, *rest, **options):
    if name is None:
        raise TypeError("Windows has no library without a name")
    return load(name, *rest, **options)

builtins.__import__, ctypes.CDLL = limited, loaded
del signal.SIGALRM, signal.SIGPROF, signal.setitimer

from autograder.cli import main
sys.argv[0] = "autograder"
main()
"""


def autograder(course, *arguments):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX, *arguments],
        cwd=course.root,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def test_a_class_is_graded_without_the_modules_of_unix(small_course):
    folder = small_course.root / "submitted" / "ada" / NAME
    folder.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME)), folder / f"{NAME}.ipynb")
    for command in (
        ["grade", NAME, "--no-sandbox"],
        ["feedback", NAME],
        ["report", NAME],
        ["export", NAME],
    ):
        done = autograder(small_course, *command)
        assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    assert "ada" in (small_course.root / "exports" / f"{NAME}.csv").read_text()


@pytest.mark.parametrize("command", [["release", "--help"], ["release", NAME, "--check"]])
def test_an_assignment_is_released_without_the_modules_of_unix(small_course, command):
    done = autograder(small_course, *command)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes of files")
def test_seed_grades_and_names_are_readable_by_their_owner_only(small_course):
    from autograder.classroom.collect import collect
    from autograder.gradebook.grade_class import Options, grade_class

    for name in ("class_seed", "gradebook.db"):
        (small_course.root / name).unlink()
    folder = small_course.root / "download" / "Ada Lovelace"
    folder.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME)), folder / f"{NAME}.ipynb")
    collect(small_course, NAME, folder.parent)
    grade_class(small_course, NAME, options=Options(sandbox=False))
    for name in ("class_seed", "gradebook.db", "graded.json", "students.json"):
        assert (small_course.root / name).stat().st_mode & 0o077 == 0, name
