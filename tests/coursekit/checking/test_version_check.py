"""A notebook that is newer than coursekit says so."""

import pytest

import coursekit
from coursekit import CheckFailed, check
from coursekit.checking import stored_recordings, version_check
from coursekit.checking.version_check import Outdated


@pytest.fixture(autouse=True)
def installs(monkeypatch):
    """The wheels that are installed, which changes nothing."""
    tried = []
    monkeypatch.setattr(version_check, "_needed", {})
    monkeypatch.setattr(version_check, "_install", tried.append)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    return tried


def unheard_of(x):
    return x


def test_with_checks_as_new_as_the_notebook_nothing_happens(installs, capsys):
    coursekit.require("00_setup", stored_recordings.revision("00_setup"), ["a.whl"])
    assert installs == []
    assert capsys.readouterr().out == ""


def test_each_wheel_is_tried_and_the_last_sentence_says_what_to_upload(installs):
    with pytest.raises(Outdated, match="Upload the newest coursekit wheel"):
        coursekit.require(
            "00_setup", stored_recordings.revision("00_setup") + 1, ["a.whl", "b.whl"]
        )
    assert installs == ["a.whl", "b.whl"]


def test_an_exercise_that_only_newer_checks_know_is_not_called_a_wrong_name():
    with pytest.raises(Outdated):
        coursekit.require("99_new", 1)
    with pytest.raises(CheckFailed, match=r"newer than your coursekit, .*first cell"):
        check(unheard_of)


def test_while_grading_nothing_is_installed(installs, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    coursekit.require("99_new", 1, ["a.whl"])
    assert installs == []
