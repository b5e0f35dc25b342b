"""A gradebook that cannot be used stops every command before it deletes; backups take it back."""

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import nbgrader.api
import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.gradebook.backups import backups, gradebook_problem, keep_backup
from autograder.gradebook.class_folder import Classroom

NAME = "07_topic"
COMMANDS = {
    "grade": ("grade", NAME, "--regrade"),
    "feedback": ("feedback", NAME),
    "report": ("report", NAME),
    "export": ("export", NAME),
    "gradebook": ("gradebook",),
    "due": ("due", NAME, "2026-10-20 23:59 UTC"),
    "extend": ("extend", NAME, "ada", "3d"),
    "roster": ("roster",),
    "collect": ("collect", NAME, "submitted"),
    "similar": ("similar", NAME),
}


@pytest.fixture
def graded(graded_class, tmp_path, monkeypatch):
    """A graded class of its own, without backups."""
    root = Path(shutil.copytree(graded_class.root, tmp_path / "course"))
    shutil.rmtree(root / "backups", ignore_errors=True)
    monkeypatch.chdir(root)
    return root


def autograder(*arguments, status=0):
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == status, (arguments, done.output, done.exception)
    return done.output


def give_points(root, student, points):
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        (notebook,) = gradebook.find_submission(NAME, student).notebooks
        notebook.grades[0].manual_score = points
        gradebook.db.commit()


def points(root, student):
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        (notebook,) = gradebook.find_submission(NAME, student).notebooks
        return notebook.grades[0].manual_score


def execute(path, *statements):
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwrite(path):
    content = bytearray(path.read_bytes())
    content[4096:12288] = b"\x7f" * 8192
    path.write_bytes(content)


def replace_with_folder(path):
    path.unlink()
    path.mkdir()


def replace_with_link(path):
    path.unlink()
    path.symlink_to("elsewhere.db")


def replace_with_other(path):
    path.unlink()
    execute(path, "CREATE TABLE bookmarks (address TEXT)")


DAMAGES = {
    "is incomplete": cut,
    "is damaged": overwrite,
    "is damaged (it is no SQLite database)": lambda path: path.write_text("<html>Sign in</html>"),
    "is empty": lambda path: path.write_bytes(b""),
    "is a folder": replace_with_folder,
    "is a link": replace_with_link,
    "is a database of another program": replace_with_other,
    "is of an older nbgrader": lambda path: execute(
        path,
        "ALTER TABLE student DROP COLUMN lms_user_id",
        "UPDATE alembic_version SET version_num = '167914646830'",
    ),
    "is of a newer nbgrader": lambda path: execute(
        path, "UPDATE alembic_version SET version_num = 'ffffffffffff'"
    ),
}


def files(root):
    """Every file with its content, but for what SQLite makes while it reads."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("words", DAMAGES)
@pytest.mark.parametrize("backup", [False, True], ids=["without a backup", "with a backup"])
def test_a_gradebook_that_cannot_be_used_is_one_sentence_and_nothing_changes(graded, words, backup):
    if backup:
        assert keep_backup(graded)
    DAMAGES[words](graded / "gradebook.db")
    before = files(graded)
    said = set()
    for command in COMMANDS.values():
        said.add(autograder(*command, status=1))
    assert files(graded) == before
    (sentence,) = said
    assert sentence.startswith("autograder: ")
    assert sentence.count("\n") == 1
    assert words in sentence
    assert str(graded / "gradebook.db") in sentence
    mended = ("autograder restore", "nbgrader db upgrade", "`mv ", "put the gradebook itself")
    assert any(how in sentence for how in mended)
    if backup and "older" not in words:
        autograder("restore", "1")
        assert "ada" in autograder("roster")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_on_a_class_keeps_what_the_gradebook_was_before(graded, command):
    before = (graded / "gradebook.db").read_bytes()
    give_points(graded, "ada", 0.5)
    autograder(*COMMANDS[command])
    (backup,) = backups(graded)
    assert "points given by hand: 1" in backup.words
    assert before != backup.path.read_bytes()
    assert stat.S_IMODE(backup.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.path.parent.stat().st_mode) == 0o700


def test_three_generations_that_differ_and_the_first_of_the_day_are_kept(graded):
    assert keep_backup(graded)
    os.utime(graded / "gradebook.db")
    assert keep_backup(graded)
    assert len(backups(graded)) == 1
    for number in range(5):
        give_points(graded, "ada", number)
        assert keep_backup(graded)
        assert keep_backup(graded)
    found = backups(graded)
    assert len(found) == 4
    assert len(list((graded / "backups").iterdir())) == 4
    listed = autograder("restore")
    assert [line.split()[0] for line in listed.splitlines()[:4]] == ["1", "2", "3", "4"]
    autograder("restore", "3")
    assert points(graded, "ada") == 2


def test_the_gradebook_before_the_first_of_many_changes_is_still_there(graded):
    autograder("roster")
    for number in range(3):
        give_points(graded, "ada", number + 1)
        autograder("withdraw", "average_topic", "--reason", "unclear")
        autograder("withdraw", "average_topic", "--undo")
    listed = autograder("restore").splitlines()
    numbers = [line.split()[0] for line in listed if ", before withdraw, " in line]
    autograder("restore", numbers[-1])
    assert points(graded, "ada") == 1


def test_the_first_backup_of_each_of_the_last_days_is_kept(graded):
    days = [f"202610{day}" for day in range(10, 20)]
    for day in days:
        for hour in range(2):
            give_points(graded, "ada", int(day[-2:]) + hour)
            assert keep_backup(graded, "grade")
            newest = backups(graded)[0].path
            newest.rename(newest.with_name(f"gradebook-{day}-0{hour}0000-000000-grade.db"))
    give_points(graded, "ada", 50)
    keep_backup(graded)
    kept = [one.path.name.split("-")[1:3] for one in backups(graded)[1:]]
    firsts = [[day, "000000"] for day in reversed(days[-6:])]
    assert kept == [[days[-1], "010000"], *firsts]


def test_restoring_is_undone_by_restoring(graded):
    give_points(graded, "ada", 1)
    autograder("roster")
    give_points(graded, "ada", 2)
    autograder("restore", "1")
    assert points(graded, "ada") == 1
    autograder("restore", "1")
    assert points(graded, "ada") == 2


def test_a_damaged_gradebook_is_kept_when_a_backup_takes_its_place(graded):
    keep_backup(graded)
    overwrite(graded / "gradebook.db")
    damaged = (graded / "gradebook.db").read_bytes()
    said = autograder("restore", "1")
    assert not gradebook_problem(graded / "gradebook.db")
    (kept,) = (graded / "backups").glob("damaged-*.db")
    assert kept.read_bytes() == damaged
    assert str(kept) in said
    assert "is damaged" in autograder("restore", str(kept), status=1)


def test_only_what_can_be_restored_has_a_number(graded):
    for number in range(3):
        give_points(graded, "ada", number)
        keep_backup(graded)
    cut(backups(graded)[0].path)
    overwrite(graded / "gradebook.db")
    autograder("restore", "1")
    assert points(graded, "ada") == 1
    assert [line.split()[0] for line in autograder("restore").splitlines()[:4]] == [
        "-",
        "-",
        "1",
        "2",
    ]


def test_what_a_restored_gradebook_lacks_is_graded_again(graded):
    autograder("roster")
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as gradebook:
        gradebook.remove_submission(NAME, "bob")
    autograder("roster")
    autograder("restore", "1")
    shutil.rmtree(graded / "submitted" / "cem")
    assert "unchanged" not in autograder("grade", NAME)
    assert (
        "bob" in autograder("export", NAME)
        or "bob" in (graded / "exports" / f"{NAME}.csv").read_text()
    )


def test_a_gradebook_that_has_gone_is_not_begun_anew_while_there_is_a_backup(graded):
    keep_backup(graded)
    (graded / "gradebook.db").unlink()
    assert "is missing" in autograder("grade", NAME, status=1)
    autograder("restore", "1")
    autograder("roster")


def test_another_version_of_a_synchronization_is_said_and_can_be_taken(graded):
    other = graded / "gradebook (Ada's conflicted copy 2026-11-01).db"
    shutil.copy(graded / "gradebook.db", other)
    give_points(graded, "ada", 3)
    assert "conflicted copy" in autograder("roster")
    autograder("restore", str(other))
    assert points(graded, "ada") is None
    other.unlink()
    assert "conflicted copy" not in autograder("roster")


def test_a_restored_gradebook_is_seen_by_a_program_that_has_it_open(graded):
    autograder("roster")
    with sqlite3.connect(graded / "gradebook.db") as reader:
        give_points(graded, "ada", 4)
        autograder("restore", "1")
        reader.execute("UPDATE grade SET manual_score = 5")
        reader.commit()
    reader.close()
    assert points(graded, "ada") == 5


def test_the_command_that_is_named_upgrades_an_old_gradebook(graded, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # as without an activated environment
    DAMAGES["is of an older nbgrader"](graded / "gradebook.db")
    sentence = autograder("roster", status=1)
    command = sentence.split("`")[1]
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ada" in autograder("roster")


@pytest.mark.parametrize("which", ["0", "2", "-1", "nowhere.db", "gradebook.db"])
def test_a_backup_that_does_not_exist_is_a_sentence(graded, which):
    keep_backup(graded)
    said = autograder("restore", "--", which, status=1)
    assert said.startswith("autograder: ")
    assert said.count("\n") == 1
    assert not gradebook_problem(graded / "gradebook.db")


def test_a_gradebook_that_is_locked_is_waited_for_no_longer_than_seconds(graded):
    with sqlite3.connect(graded / "gradebook.db") as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            keep_backup(graded)
        assert not gradebook_problem(graded / "gradebook.db")
        other.rollback()
    other.close()
    assert list((graded / "backups").iterdir()) == []


def test_a_backup_that_finds_no_room_is_said_and_hinders_no_command(graded, monkeypatch):
    def full(*arguments):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("autograder.gradebook.backups._copy", full)
    said = autograder("roster")
    assert "no backup" in said
    assert "disk is full" in said
    assert "ada" in said


def test_a_gradebook_that_only_nbgrader_has_opened_is_whole(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    path = small_course.root / "gradebook.db"
    path.unlink(missing_ok=True)
    stock = (
        "from nbgrader.api import Gradebook; Gradebook('sqlite:///gradebook.db').add_student('ada')"
    )
    # nbgrader calls `alembic` by name
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    subprocess.run([sys.executable, "-c", stock], check=True)
    assert "ada" in autograder("roster")


def test_a_new_gradebook_is_the_one_that_nbgrader_would_make(small_course, monkeypatch):
    folder = small_course.root
    (folder / "gradebook.db").unlink(missing_ok=True)
    monkeypatch.setattr(nbgrader.api, "get_alembic_version", None)  # nor is `alembic` started
    Classroom(small_course).create_database()
    monkeypatch.undo()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    with Gradebook(f"sqlite:///{folder}/theirs.db"):
        pass
    made, theirs = (_content(folder / name) for name in ("gradebook.db", "theirs.db"))
    assert made == theirs
    assert stat.S_IMODE((folder / "gradebook.db").stat().st_mode) == 0o600
    assert not list(folder.glob("gradebook.db.*"))


def _content(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        tables = sorted(database.execute("SELECT name, sql FROM sqlite_master"), key=str)
        return tables, database.execute("SELECT * FROM alembic_version").fetchall()
