"""`autograder demo` whatever an earlier run, or somebody else, has left in `demo/`."""

import os
import subprocess
import sys
import time

import pytest
from checkout import ROOT
from click.testing import CliRunner

from autograder.cli import main
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
COMMAND = [sys.executable, "-m", "autograder", "demo", NAME]


@pytest.mark.parametrize("left", ["a link", "a file"])
def test_what_cannot_be_deleted_is_named_and_kept(small_course, tmp_path, monkeypatch, left):
    demo, precious = small_course.root / "demo", tmp_path / "elsewhere" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("kept")
    if left == "a link":
        demo.symlink_to(precious.parent)
    else:
        demo.write_text("kept")
    monkeypatch.chdir(small_course.root)
    result = CliRunner().invoke(main, ["demo", NAME])
    assert result.exit_code == 1
    assert "demo is in the way and cannot be deleted" in result.output
    assert "Traceback" not in result.output
    assert precious.read_text() == "kept"


def demo(course):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(COMMAND, cwd=course.root, env=environment, **streams)


def wait_for(path, process):
    while process.poll() is None and not path.exists():
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(not is_available(), reason="this machine cannot sandbox processes")
def test_a_run_after_killed_ones_works_and_one_beside_another_is_refused(small_course):
    folder = small_course.root / "demo"
    moments = ("submitted/partly_wrong", "gradebook.db", "autograded/complete", "feedback")
    for moment in moments:
        killed = demo(small_course)
        wait_for(folder / moment, killed)
        if moment == "autograded/complete":
            beside = demo(small_course)
            said = beside.communicate()[0]
            assert beside.returncode == 1, said
            assert "another grader is at work" in said
        killed.kill()
        killed.communicate()
    last = demo(small_course)
    said = last.communicate()[0]
    assert last.returncode == 0, said
    assert "Feedback pages" in said
