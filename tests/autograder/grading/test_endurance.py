"""A mixed class in an unattended run in which everything goes wrong once: see `endurance`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.sandbox.doctor import is_available

SIZE = 60


def can_mount():
    """Whether this user may mount a small disk for the class, in a namespace of its own."""
    program = ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    command = ["unshare", "--mount", "--user", "--map-root-user", *program]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not (is_available() and can_mount()), reason="no user namespaces here")
def test_a_mixed_class_is_graded_through_a_full_disk_a_locked_gradebook_and_a_kill():
    script = Path(__file__).with_name("endurance.py")
    done = subprocess.run([sys.executable, script, str(SIZE)], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["submissions"] == SIZE
    assert len(report["troubles"]) >= 3
    assert report["not as earned"] == []
    assert report["changed by a second run"] == []
    assert not any(report["left behind"].values()), report["left behind"]
