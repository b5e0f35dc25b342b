"""Files are opened without following what may have been put in their place."""

import os
import sys

import pytest

from autograder.grading.student_files import read_below, read_regular
from autograder.grading.submissions import copy_files, digest

if sys.platform == "win32":
    pytest.skip("Windows has no links of this kind for every user", allow_module_level=True)


@pytest.fixture
def secret(tmp_path):
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "solution.txt").write_text("the solution")
    return folder


@pytest.fixture
def submission(tmp_path):
    folder = tmp_path / "submission"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "solution.txt").write_text("my own")
    return folder


def test_neither_a_file_nor_a_folder_on_the_way_may_be_a_link(secret, submission):
    assert read_below(submission, "inner/solution.txt") == b"my own"
    (submission / "link.txt").symlink_to(secret / "solution.txt")
    (submission / "folder").symlink_to(secret)
    for name in ("link.txt", "folder/solution.txt"):
        with pytest.raises(OSError, match=r"link|directory"):  # in the words of the system
            read_below(submission, name)


def test_a_folder_that_becomes_a_link_while_it_is_copied_is_not_followed(
    secret, submission, tmp_path, monkeypatch
):
    """As on a shared machine, where others may write to a folder that nbgrader has collected."""

    def walk(folder):
        inner = folder / "inner"
        yield "kept.txt", folder / "kept.txt", ""
        inner.rename(folder / "moved")
        inner.symlink_to(secret)
        yield "inner/solution.txt", inner / "solution.txt", ""

    (submission / "kept.txt").write_text("kept")
    monkeypatch.setattr("autograder.grading.submissions.walk", walk)
    copy_files(submission, tmp_path / "copy")
    copied = [p.name for p in (tmp_path / "copy").rglob("*") if p.is_file()]
    assert copied == ["kept.txt"]


def test_a_pipe_or_a_growing_file_holds_up_nobody(submission):
    os.mkfifo(submission / "pipe")
    for path, most in ((submission / "pipe", 10), (submission / "inner" / "solution.txt", 3)):
        with pytest.raises(OSError, match=r"not a regular file|larger than 3"):
            read_regular(path, most)
    assert digest(submission / "pipe") == digest(submission / "absent")


def test_names_of_devices_are_not_copied(submission, tmp_path):
    for name in ("nul", "CON.txt", "console.txt"):
        (submission / name).write_text("x")
    copy_files(submission, tmp_path / "copy")
    assert {p.name for p in (tmp_path / "copy").iterdir()} == {"console.txt", "inner"}
