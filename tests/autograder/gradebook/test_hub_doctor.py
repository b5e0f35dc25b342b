"""`autograder doctor` says what keeps a JupyterHub on this machine from knowing the course."""

import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from checkout import ROOT
from click.testing import CliRunner
from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.cli import main
from autograder.gradebook import hub
from autograder.gradebook.backups import keep_backup
from autograder.gradebook.class_folder import Classroom

NAME = "07_topic"


@pytest.fixture
def machine(small_course, tmp_path, monkeypatch):
    """A machine with a hub: folders in the place of its system's and the user's configuration."""
    for name in ("system", "home", "exchange", "bin"):
        (tmp_path / name).mkdir()
    (tmp_path / "exchange").chmod(0o1777)
    monkeypatch.setattr(hub, "SYSTEM_CONFIG_PATH", [str(tmp_path / "system")])
    monkeypatch.setattr(hub, "ENV_CONFIG_PATH", [])
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "home" / ".jupyter"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    monkeypatch.chdir(small_course.root)
    (tmp_path / "bin" / "alembic").touch(mode=0o755)
    return tmp_path


def configure(folder, *lines):
    folder.mkdir(exist_ok=True)
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("\n".join(["c = get_config()", *lines, ""]))


def set_up(machine, course):
    """All that docs/hub.md says."""
    exchange = f"c.Exchange.root = {str(machine / 'exchange')!r}"
    configure(course.root, 'c.CourseDirectory.course_id = "text"', exchange)
    configure(machine / "system", exchange)
    configure(machine / "home" / ".jupyter", f"c.CourseDirectory.root = {str(course.root)!r}")


def hub_config() -> Config:
    """The hub's configuration as it is shipped."""
    return PyFileConfigLoader("jupyterhub_config.py", str(ROOT / "docs/hub")).load_config()


def found(course):
    return [f"{one.what}; {one.remedy}" for one in hub.problems_on_hub(course)]


def test_a_hub_that_is_set_up_as_its_guide_says_has_no_problem(machine, small_course):
    set_up(machine, small_course)
    assert found(small_course) == []


def test_without_a_hub_and_an_exchange_nothing_is_said_of_one(machine, small_course, monkeypatch):
    monkeypatch.delenv("JUPYTERHUB_USER")
    monkeypatch.setattr(hub, "find_spec", lambda name: None)
    assert found(small_course) == []


def stray_gradebook(machine, course):
    (machine / "home" / "gradebook.db").touch()


def no_tools(machine, course):
    (machine / "bin" / "alembic").unlink()


def other_course(machine, course):
    configure(machine / "system", 'c.CourseDirectory.course_id = "other"')


def closed_exchange(machine, course):
    (machine / "exchange").chmod(0o755)


def exchange_without_sticky_bit(machine, course):
    (machine / "exchange").chmod(0o777)


def no_exchange(machine, course):
    (machine / "exchange").rmdir()


def another_exchange(machine, course):
    configure(machine / "system", 'c.Exchange.root = "/srv/elsewhere"')


def unnamed(machine, course):
    configure(course.root, 'c.CourseDirectory.course_id = ""')


def another_folder(machine, course):
    configure(machine / "home" / ".jupyter", 'c.CourseDirectory.root = "/home/grace"')


def no_configuration(machine, course):
    (machine / "home" / ".jupyter" / "nbgrader_config.py").unlink()


def students_know_nothing(machine, course):
    (machine / "system" / "nbgrader_config.py").unlink()


def bare_image(machine, course):
    python = machine / "bin" / "python-of-students"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    command = machine / "bin" / "jupyterhub-singleuser"
    command.write_text(f"#!{python}\n")
    command.chmod(0o755)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (stray_gradebook, "gradebook.db is a gradebook that a formgrader without its course"),
        (no_tools, f"does not find `alembic` on PATH; export PATH={sys.prefix}"),
        (other_course, "hides students' other courses; take `c.CourseDirectory.course_id` out of"),
        (closed_exchange, "not everyone can use the exchange"),
        (exchange_without_sticky_bit, "every user can rename a course in the exchange"),
        (no_exchange, "there is no exchange at"),
        (another_exchange, "that of this machine's servers is /srv/elsewhere"),
        (unnamed, "needs the name of this course"),
        (another_folder, "its configuration names /home/grace; put `c.CourseDirectory.root"),
        (no_configuration, "formgrader is empty in a server that starts in your home folder"),
        (students_know_nothing, "students' servers do not know the exchange"),
        (bare_image, "nbgrader is missing in the environment of"),
        (bare_image, "coursekit is missing in the environment of"),
    ],
)
def test_each_mistake_is_named_with_what_mends_it(machine, small_course, break_it, words):
    set_up(machine, small_course)
    break_it(machine, small_course)
    assert any(words in one for one in found(small_course)), found(small_course)
    said = CliRunner().invoke(main, ["doctor"]).output
    assert words.split(";")[0] in said


@pytest.mark.parametrize("folder", ["text", "text/outbound"])
def test_a_course_in_the_exchange_that_somebody_else_has_made_is_reported(
    machine, small_course, monkeypatch, folder
):
    set_up(machine, small_course)
    (machine / "exchange" / "text" / "outbound").mkdir(parents=True)
    assert found(small_course) == []
    foreign, lstat = machine / "exchange" / folder, Path.lstat

    def of_another(path):
        other = {"st_uid": lstat(path).st_uid + (path == foreign)}
        return SimpleNamespace(**other)

    monkeypatch.setattr(Path, "lstat", of_another)
    (said,) = found(small_course)
    assert said.startswith(f"{foreign} does not belong to the owner of {small_course.root}")


@pytest.mark.parametrize("before", [None, 0o644])
def test_the_hubs_database_is_for_root_alone(tmp_path, monkeypatch, before):
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "jupyterhub.sqlite"
    if before:
        database.write_bytes(b"kept")
        database.chmod(before)
    config = hub_config()
    assert config.JupyterHub.db_url == f"sqlite:///{database}"
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert database.read_bytes() == (b"kept" if before else b"")


def test_the_owner_who_has_no_server_needs_no_configuration_in_the_home_folder(
    machine, small_course, monkeypatch
):
    set_up(machine, small_course)
    no_configuration(machine, small_course)
    monkeypatch.setenv("JUPYTERHUB_SERVICE_NAME", "text")
    assert found(small_course) == []  # in the formgrader that the graders share
    monkeypatch.delenv("JUPYTERHUB_SERVICE_NAME")
    monkeypatch.delenv("JUPYTERHUB_USER")
    assert found(small_course) == []  # at a shell
    another_folder(machine, small_course)
    assert len(found(small_course)) == 1


def test_slow_starts_of_servers_and_formgraders_are_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = hub_config()
    assert config.Spawner.http_timeout >= 120
    assert all(service["timeout"] >= 120 for service in config.JupyterHub.services)


def test_students_without_a_name_are_counted_until_a_roster_names_them(machine, small_course):
    set_up(machine, small_course)
    classroom = Classroom(small_course)
    classroom.enter_students({"ann": {}, "bob": {}, "cem": {"first_name": "Cem"}})
    (said,) = found(small_course)
    assert said.startswith('formgrader lists 2 students as "None, None"; `autograder roster')
    table = machine / "class.csv"
    names = ["ann,Ann,Lee,a@x.org", "bob,Bob,Ray,b@x.org", "cem,Cem,Ak,c@x.org"]
    table.write_text("\n".join(["id,first_name,last_name,email", *names, ""]))
    done = CliRunner().invoke(main, ["roster", str(table)])
    assert done.exit_code == 0, done.output
    assert found(small_course) == []
    assert classroom.members() == ["ann", "bob", "cem"]


def test_a_configuration_that_cannot_be_read_is_one_sentence(machine, small_course):
    set_up(machine, small_course)
    configure(machine / "system", "1 / 0")
    done = CliRunner().invoke(main, ["doctor"])
    assert "nbgrader_config.py cannot be read: division by zero" in done.output
    assert done.exit_code == 1


def test_the_doctor_says_that_a_gradebook_is_damaged(machine, small_course):
    set_up(machine, small_course)
    keep_backup(small_course.root)
    (small_course.root / "gradebook.db").write_text("nothing")
    assert "it is no SQLite database): `autograder restore 1`" in (
        CliRunner().invoke(main, ["doctor"]).output
    )


def test_the_doctor_says_that_a_courses_own_files_are_code_that_runs_as_oneself(
    machine, small_course, monkeypatch
):
    words = f"exercises/ in {small_course.root} are code that runs as you"
    assert words in CliRunner().invoke(main, ["doctor"]).output
    monkeypatch.chdir(machine)
    assert "code that runs as you" not in CliRunner().invoke(main, ["doctor"]).output
