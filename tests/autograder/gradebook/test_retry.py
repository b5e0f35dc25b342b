"""What this machine cannot do for a while costs no student a point, and leaves nothing behind."""

import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import nbformat
import pytest
import tenacity
from checkout import ROOT
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import grade_class
from autograder.gradebook.retry import is_of_this_machine, machine_error, patiently
from autograder.sandbox.scratch import delete_scratch, make_scratch

NAME = "07_topic"


def write_to_a_full_disk():
    with open("/dev/full", "wb", buffering=0) as full:
        full.write(b"x")


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that were made, none of which takes time; `pauses.during` is done in each."""
    made = SimpleNamespace(seconds=[], during=lambda: None)

    def sleep(seconds):
        made.seconds.append(seconds)
        made.during()

    clock = SimpleNamespace(monotonic=lambda: sum(made.seconds), sleep=sleep)
    monkeypatch.setattr(tenacity, "time", clock)
    monkeypatch.setattr(tenacity.nap, "time", clock)
    # SQLite itself would wait for five seconds before it says that a gradebook is locked
    monkeypatch.setattr(sqlite3.dbapi2, "connect", partial(sqlite3.dbapi2.connect, timeout=0))
    return made


def test_a_disk_that_is_full_for_a_while_is_waited_for(capsys, pauses):
    times = []

    def store():
        times.append(1)
        if len(times) < 7:
            write_to_a_full_disk()
        return "stored"

    assert patiently(store) == "stored"
    assert pauses.seconds == [1, 2, 4, 8, 15, 15]
    assert "grades cannot be stored (No space left on device); waiting" in capsys.readouterr().err


def test_a_disk_that_stays_full_ends_in_one_sentence(pauses):
    with pytest.raises(CourseError, match=r"10 minutes \(No space left on device\): free disk"):
        patiently(write_to_a_full_disk)
    assert 600 <= sum(pauses.seconds) < 615


def test_other_errors_are_not_waited_for():
    with pytest.raises(FileNotFoundError):
        patiently(lambda: os.listdir("/nowhere"))
    assert not is_of_this_machine(sqlite3.OperationalError("no such table: grade"))
    assert not is_of_this_machine(OSError(errno.ENAMETOOLONG, "File name too long"))


def test_a_gradebook_that_another_program_locks_costs_no_points(small_course, capsys, pauses):
    path = small_course.root / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME)), path)
    Classroom(small_course).register(NAME)
    other = sqlite3.connect(small_course.root / "gradebook.db", check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    pauses.during = other.rollback
    grade_class(small_course, NAME)
    other.close()
    assert pauses.seconds == [1]
    with Gradebook(f"sqlite:///{small_course.root}/gradebook.db") as book:
        assert book.find_submission(NAME, "ada").score == 3
    assert "database is locked" in capsys.readouterr().err


def test_an_error_of_nbgraders_own_that_a_full_disk_led_to_is_recognized():
    full = sqlite3.OperationalError("database or disk is full")
    wrapped = ValueError("InvalidEntry")
    wrapped.__context__ = full
    assert machine_error(wrapped) is full
    assert machine_error(ValueError("other")) is None


@pytest.mark.usefixtures("pauses")
def test_a_command_that_reads_a_locked_gradebook_says_so_in_one_sentence(small_course, monkeypatch):
    Classroom(small_course).register(NAME)
    monkeypatch.chdir(small_course.root)
    with contextlib.closing(sqlite3.connect("gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = CliRunner().invoke(main, ["roster"])
    assert result.exit_code == 1
    assert result.output == (
        "autograder: database is locked; when that is over, run the command again.\n"
    )


def test_the_folder_of_a_killed_process_is_deleted_by_the_next_and_no_other(tmp_path):
    kept = make_scratch(str(tmp_path))
    program = (
        "import sys, time; from autograder.sandbox.scratch import make_scratch\n"
        f"print(make_scratch({str(tmp_path)!r}), flush=True); time.sleep(10_000)"
    )
    killed = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    left = killed.stdout.readline().strip()
    killed.kill()
    killed.wait()
    killed.stdout.close()
    assert sorted(map(str, tmp_path.iterdir())) == sorted([kept, left])
    made = make_scratch(str(tmp_path))
    assert sorted(map(str, tmp_path.iterdir())) == sorted([kept, made])
    for folder in (kept, made):
        delete_scratch(folder)
    assert list(tmp_path.iterdir()) == []
