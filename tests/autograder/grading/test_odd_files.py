"""Odd names, files and metadata in submitted/: the batch goes on, and each submission has a reason."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbformat import NotebookNode

from autograder.classroom.collect import collect
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.fault_log import FOLDER
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading.student_files import MAX_FOLDERS, walk
from autograder.grading.submissions import (
    SECRET,
    UnreadableSubmission,
    copy_files,
    digest,
    ensure_secret,
    plain,
    read_submission,
)
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
NOT_UTF8, CONTROL, LONG = os.fsdecode(b"not\xffutf8"), "new\nline\x1b[2J", "x" * 255


def nested(depth):
    value = 0
    for _ in range(depth):
        value = {"a": value}
    return value


ODD = {
    "deep": nested(300),
    "nan": [float("nan"), float("inf")],
    "huge": 10**4000,
    "surrogate\udc80": "\ud800",
}
NOTEBOOK = {"title": ["x"], "authors": 5, "kernelspec": {"name": "x", "display_name": 5}, **ODD}
CELL = {"tags": [{}, "a", "a", None], "jupyter": 5, "collapsed": "x", "name": [], **ODD}


def deep_tree(folder, depth, name):
    """A tree whose path is too long to be opened at once."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.fixture
def room(tmp_path):
    """A folder that is removed however deep it is, which pytest cannot."""
    yield tmp_path
    subprocess.run(["rm", "-rf", "--", *map(str, tmp_path.iterdir())], check=True)


def submission(course, student, text):
    path = course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    return path


def odd_notebook(course):
    made = json.loads(nbformat.writes(filled(Assignment(course, NAME))))
    made["metadata"].update(NOTEBOOK)
    made["nbformat_minor"] = "x"
    for cell in made["cells"]:
        cell["metadata"].update(CELL)
    return json.dumps(made)


def without_marks(course):
    """A complete notebook in which each cell has null for nbgrader's metadata."""
    made = json.loads(nbformat.writes(filled(Assignment(course, NAME))))
    for cell in made["cells"]:
        cell["metadata"]["nbgrader"] = None
    return json.dumps(made)


def add_odd_files(folder):
    deep_tree(folder, 1200, "d")
    (folder / ("f" * 250 + ".txt")).write_text("x")
    (folder / os.fsdecode(b"\xff.txt")).write_text("x")
    (folder / "timestamp.txt").write_text("x" * 10_000)
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")
    here = os.getcwd()
    os.chdir(folder)  # a socket's path is short
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as made:
        made.bind("socket")
    os.chdir(here)


@pytest.mark.skipif(not is_available(), reason="this machine cannot sandbox processes")
def test_nothing_in_submitted_ends_the_batch(small_course, room, monkeypatch):
    good = nbformat.writes(filled(Assignment(small_course, NAME)))
    add_odd_files(submission(small_course, "files", good).parent)
    submission(small_course, "metadata", odd_notebook(small_course))
    submission(small_course, "null", without_marks(small_course))
    for student in (NOT_UTF8, CONTROL, LONG):
        submission(small_course, student, good)
    for student, text in {"list": "[]", "empty": "", "brackets": "[" * 100_000}.items():
        submission(small_course, student, text)
    fifo = submission(small_course, "fifo", "")
    fifo.unlink()
    os.mkfifo(fifo)
    graded = grade_class(small_course, NAME, options=Options(cell_seconds=15))
    points = {s: sum(v.points for v in verdicts) for s, verdicts in graded.verdicts.items()}
    assert {s for s in points if points[s] == 3} == {"files", "metadata", "null", LONG}
    assert not (small_course.root / FOLDER).exists()  # no fault of the grader's
    assert set(graded.unread) == set(points) - {"files", "metadata", "null", LONG}
    assert "rename the folder" in graded.unread[NOT_UTF8]
    assert "rename the folder" in graded.unread[CONTROL]
    monkeypatch.chdir(small_course.root)
    for command in ("grade", "feedback", "report", "export"):
        result = CliRunner().invoke(main, [command, NAME])
        assert result.exit_code == 0, result.output
        assert "\x1b" not in result.output
    page = small_course.root / "feedback" / "null" / NAME / f"{NAME}.html"
    assert "<b>3 of 3</b> points" in page.read_text()
    assert grade_class(small_course, NAME).kept == sorted(set(points) - {NOT_UTF8, CONTROL})


def test_a_tree_too_deep_to_open_is_named_once_and_the_rest_copied(room):
    folder, target = room / "a", room / "b"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "n.txt").write_text("x")
    deep_tree(folder, 600, "d" * 200)
    problems = [(name, problem) for name, _, problem in walk(folder) if problem]
    assert len(problems) == 1  # the path is too long, or the tree is too deep
    assert "too long" in problems[0][1] or f"{MAX_FOLDERS} folders deep" in problems[0][1]
    copy_files(folder, target)
    assert [path.name for path in target.rglob("*.txt")] == ["n.txt"]


def test_a_deep_tree_in_a_download_costs_no_other_student(small_course, room):
    good = nbformat.writes(filled(Assignment(small_course, NAME)))
    for student in ("ada", "roe"):
        (room / "download" / student).mkdir(parents=True)
        (room / "download" / student / "07.ipynb").write_text(good)
    deep_tree(room / "download" / "roe", 1200, "d")
    os.mkfifo(room / "download" / "roe" / "fifo.ipynb")
    result = collect(small_course, NAME, room / "download")
    assert list(result.students) == ["ada", "roe"]
    reasons = dict(result.refused)
    assert reasons["roe/fifo.ipynb"] == "neither a file nor a folder"
    assert any("folders deep" in reason for reason in reasons.values())


def test_null_for_nbgraders_metadata_hides_no_notebook_from_collect(small_course, room):
    (room / "download" / "ada").mkdir(parents=True)
    (room / "download" / "ada" / "mine.ipynb").write_text(without_marks(small_course))
    result = collect(small_course, NAME, room / "download")
    assert result.students == {"ada": "ada/mine.ipynb"}


def test_what_a_submission_replaces_is_kept_however_odd_it_is(small_course, room):
    good = nbformat.writes(filled(Assignment(small_course, NAME)))
    add_odd_files(submission(small_course, "files", "{}").parent)
    notebook = submission(small_course, "folder", "")
    notebook.unlink()
    notebook.mkdir()
    other = submission(small_course, "renamed", "")
    other.rename(other.parent / "my work.ipynb")
    (small_course.root / "submitted" / "blocked").mkdir()
    (small_course.root / "submitted" / "blocked" / NAME).write_text("a file")
    for student in ("files", "folder", "renamed", "blocked", "ada"):
        (room / "download" / student).mkdir(parents=True)
        (room / "download" / student / "07.ipynb").write_text(good)
    result = collect(small_course, NAME, room / "download")
    assert list(result.students) == ["ada", "files", "folder", "renamed"]
    assert "blocked" in result.refused[0][0]
    assert "cannot be replaced (07_topic is not a folder)" in result.refused[0][1]
    for student in result.students:
        path = small_course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        assert path.read_text() == good
    kept = small_course.root / "earlier" / "renamed" / NAME / "folder-1" / "my work.ipynb"
    assert kept.is_file()


@contextlib.contextmanager
def ordinary_user():
    """Nobody, if this is root, who may read everything."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)


def test_files_that_may_not_be_read_are_refused_with_the_reason():
    # outside pytest's folder, which nobody else may enter
    folder = f"/tmp/unreadable-{os.getpid()}"
    os.makedirs(f"{folder}/sub/in")
    try:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, f"{NAME}.ipynb")
        for name in (path, f"{folder}/notes.txt"):
            with open(name, "w") as file:
                file.write("{}")
            os.chmod(name, 0)
        os.chmod(f"{folder}/sub", 0)
        check_unreadable(folder)
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", folder], check=True)
        shutil.rmtree(folder)


def check_unreadable(folder):
    path = Path(folder, f"{NAME}.ipynb")
    with ordinary_user():
        with pytest.raises(UnreadableSubmission, match="cannot be opened: Permission denied"):
            read_submission(path)
        with pytest.raises(UnreadableSubmission, match="cannot be opened: Permission denied"):
            read_submission(Path(folder, "sub", f"{NAME}.ipynb"))
        digest(path)
        digest(Path(folder, "sub", f"{NAME}.ipynb"))
        found = {name: problem for name, _, problem in walk(Path(folder))}
        assert found["sub/"] == "cannot be opened (Permission denied)"
        copy_files(Path(folder), Path(folder, "copy"))


def test_odd_metadata_is_made_plain_and_the_notebook_valid(small_course, tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(odd_notebook(small_course))
    notebook = read_submission(path)
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode()
    assert [cell.source for cell in notebook.cells] == [
        cell.source for cell in filled(Assignment(small_course, NAME)).cells
    ]
    assert notebook.cells[0].metadata.tags == ["a"]
    assert isinstance(plain(NotebookNode(a={}))["a"], dict)
    json.dumps(notebook, allow_nan=False)


def test_feedback_can_be_released_to_a_class_whose_submissions_came_by_two_ways(tmp_path):
    for text in (None, "", "é", "x" * 1000):  # from an LMS, or damaged
        if text is not None:
            (tmp_path / SECRET).write_text(text)
        ensure_secret(tmp_path)
        assert len((tmp_path / SECRET).read_text()) == 128
    (tmp_path / SECRET).write_text("ab" * 64)  # of the exchange
    ensure_secret(tmp_path)
    assert (tmp_path / SECRET).read_text() == "ab" * 64
