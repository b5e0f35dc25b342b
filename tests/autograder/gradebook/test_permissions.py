"""Other users of a shared machine read nothing of a class, whatever command has written it."""

import json
import os
import shutil
import stat
import subprocess
import sys

import nbformat
import pytest
from click.testing import CliRunner
from system_users import give, open_folder, run, system_users, user_name

from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.files import write_zip
from autograder.course.filled_notebooks import filled
from autograder.gradebook.permissions import close_class, open_to_others

NAME = "07_topic"
TEACHER, ANN, BOB = map(user_name, ("teach", "ann", "bob"))
WRONG = "def average_topic(scores, mask):\n    return 0"


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022  # no command leaves another one behind


def autograder(*arguments):
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.output


def readable(folder):
    """What others could do something with, were the folders around it open."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077
    }


def download(course, folder):
    """A folder as an LMS gives it, with two students' notebooks."""
    for student, answers in {"ann": {}, "bob": {"average_topic": WRONG}}.items():
        path = folder / student / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(filled(Assignment(course, NAME), answers), path)
    return folder


def test_no_command_writes_anything_that_others_can_read(small_course, tmp_path, monkeypatch):
    monkeypatch.chdir(small_course.root)
    (small_course.root / "gradebook.db").unlink()
    (small_course.root / "class_seed").unlink()
    before = readable(small_course.root)
    (small_course.root / "exports" / "new").mkdir(parents=True, mode=0o700)
    (small_course.root / "exports").chmod(0o700)
    autograder("collect", NAME, str(download(small_course, tmp_path / "all")))
    autograder("grade", NAME)
    autograder("feedback", NAME)
    autograder("report", NAME)
    autograder("gradebook")
    autograder("similar", NAME)
    autograder("export", NAME)
    autograder("due", NAME, "2026-10-20 23:59 UTC")
    autograder("extend", NAME, "ann", "3d")
    autograder("roster")
    write_zip(small_course.root / "exports" / "new" / "gradescope.zip", {"class_seed": b"1"})
    autograder("collect", NAME, str(download(small_course, tmp_path / "again")))
    autograder("demo", NAME)
    written = {path.name for path in small_course.root.iterdir()}
    assert written >= {"submitted", "autograded", "feedback", "exports", "reports", "class_seed"}
    assert written >= {"gradebook.db", "graded.json", "collected.json", "extensions.json", "demo"}
    assert (small_course.root / "exports" / f"{NAME}.csv").exists()
    assert readable(small_course.root) - before == set()


def test_what_students_get_has_the_usual_permissions(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    autograder("new", "08_other")
    for path in (small_course.notebook("08_other"), small_course.notebook("08_other").parent):
        assert path.stat().st_mode & 0o044 == 0o044


def test_what_was_open_is_closed_by_the_next_command(small_course, tmp_path, monkeypatch):
    monkeypatch.chdir(small_course.root)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    ann = small_course.root / "submitted" / "ann" / NAME
    ann.mkdir(parents=True)
    (ann / "submission_secret.txt").write_text("x")
    (ann / "link").symlink_to(elsewhere)
    os.mkfifo(ann / "fifo")
    ann.chmod(0o777)  # as `nbgrader collect` leaves it
    (small_course.root / "gradebook.db").chmod(0o644)
    (small_course.root / "extensions.json").write_text("{}")
    autograder("collect", NAME, str(download(small_course, tmp_path / "all")))
    closed = {"gradebook.db", "extensions.json", "submitted", f"submitted/ann/{NAME}"}
    assert not readable(small_course.root) & closed
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755  # no link is followed
    new = small_course.root / "submitted" / "bob" / "06_other"
    new.mkdir(parents=True)
    (new / "x.ipynb").write_text("{}")
    close_class(small_course.root)
    assert not {path for path in readable(small_course.root) if path.startswith("submitted")}


def test_the_doctor_says_what_others_can_read_and_how_to_mend_it():
    with open_folder() as folder:
        (folder / "solutions").mkdir()
        (folder / "submitted" / "ann").mkdir(parents=True)
        (folder / "gradebook.db").write_text("x")
        (folder / "class_seed").touch(mode=0o600)
        (opening,) = open_to_others(None, folder)
        assert f"can read submitted, gradebook.db in {folder}" in opening.what
        assert opening.remedy == f"chmod go= {folder}"
        subprocess.run(opening.remedy, shell=True, check=True)
        assert open_to_others(None, folder) == []
        folder.chmod(0o711)  # whoever knows the names
        assert len(open_to_others(None, folder)) == 1
        close_class(folder)
        assert open_to_others(None, folder) == []


def test_doctor_and_grade_warn_of_solutions_that_others_can_read(small_course, monkeypatch):
    with open_folder() as folder:
        root = shutil.copytree(small_course.root, folder / "course")
        (root / "gradebook.db").chmod(0o644)  # as nbgrader itself makes it
        monkeypatch.chdir(root)
        told = CliRunner().invoke(main, ["doctor"]).output
        assert f"can read gradebook.db, class_seed, solutions, exercises in {root}" in told
        assert f"to fix: chmod go= {root}" in told
        ann = root / "submitted" / "ann" / NAME
        ann.mkdir(parents=True)
        nbformat.write(filled(Assignment(small_course, NAME)), ann / f"{NAME}.ipynb")
        warned = CliRunner().invoke(main, ["grade", NAME, "--json"])
        assert warned.exit_code == 0
        assert f"can read solutions, exercises in {root}; to mend it: chmod go=" in warned.stderr
        json.loads(warned.stdout)
        root.chmod(0o700)
        assert "cannot read the class" in CliRunner().invoke(main, ["doctor"]).output
        assert CliRunner().invoke(main, ["grade", NAME]).stderr.count("warning") == 0


def test_a_file_of_another_user_among_the_submissions_is_told():
    with system_users(TEACHER, ANN, BOB), open_folder() as folder:
        ann = folder / "submitted" / "ann" / NAME
        ann.mkdir(parents=True)
        (ann / f"{NAME}.ipynb").write_text("{}")
        give(folder, TEACHER)
        folder.chmod(0o700)
        assert open_to_others(None, folder) == []
        give(ann / f"{NAME}.ipynb", BOB)
        (opening,) = open_to_others(None, folder)
        assert f"submitted/ann/{NAME}/{NAME}.ipynb belong to another user" in opening.what


def test_another_user_reads_nothing_of_a_class_with_the_usual_umask(small_course):
    with system_users(TEACHER, BOB), open_folder() as folder:
        course = shutil.copytree(small_course.root, folder / "course")
        path = course / "submitted" / "ann" / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.parent.chmod(0o777)
        nbformat.write(filled(Assignment(small_course, NAME)), path)
        give(course, TEACHER)
        for command in (["grade", NAME], ["feedback", NAME], ["report", NAME], ["export", NAME]):
            run(TEACHER, course, "autograder", *command)
        names = ("submitted", "autograded", "feedback", "reports", "exports", "gradebook.db")
        for name in (*names, "class_seed", "graded.json"):
            assert (course / name).exists()
            seen = subprocess.run(
                ["ls" if (course / name).is_dir() else "cat", course / name],
                user=BOB,
                group=BOB,
                extra_groups=[],
                capture_output=True,
            )
            assert seen.returncode != 0, name


def test_the_exchange_gives_students_pages_that_only_the_teacher_could_read(small_course, tmp_path):
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    with (small_course.root / "nbgrader_config.py").open("a") as config:
        config.write('c.CourseDirectory.course_id = "text"\n')
        config.write(f"c.Exchange.root = {str(exchange)!r}\n")
    ann = small_course.root / "feedback" / "ann" / NAME
    ann.mkdir(parents=True)
    for name in (f"{NAME}.html", "timestamp.txt", "submission_secret.txt"):
        (ann / name).write_text("2026-10-20 12:00:00 UTC")
        (ann / name).chmod(0o600)
    bob = small_course.root / "feedback" / "bob" / NAME  # from Canvas, which tells no time
    bob.mkdir(parents=True)
    (bob / f"{NAME}.html").write_text("page")
    command = [sys.executable, "-m", "nbgrader", "release_feedback", NAME]
    done = subprocess.run(command, cwd=small_course.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "did not hand in there: bob." in done.stderr
    (page,) = (exchange / "text" / "feedback").glob("*.html")
    assert stat.S_IMODE(page.stat().st_mode) == 0o644
    assert page.parent.stat().st_mode & 0o044 == 0  # nobody lists the names
