"""Where `check` finds recordings: named folders, installed courses, coursekit's own."""

import json
import os
import subprocess
import sys

import pytest

from coursekit.checking import stored_recordings


def record(folder, name, assignment="01_topic"):
    folder.mkdir(parents=True)
    (folder / "index.json").write_text(json.dumps({name: assignment}))
    content = {
        "format": stored_recordings.FORMAT,
        "exercises": {name: {"name": name, "from": str(folder)}},
    }
    (folder / f"{assignment}.json").write_text(json.dumps(content))


@pytest.fixture
def fresh():
    yield
    stored_recordings._paths.cache_clear(), stored_recordings.index.cache_clear()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A course `gentle` that is installed, with one exercise, `vowels`."""
    record(tmp_path / "site" / "gentle" / "recordings", "vowels")
    (tmp_path / "site" / "gentle" / "__init__.py").write_text("raise ImportError('not needed')")
    about = tmp_path / "site" / "gentle-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gentle\nVersion: 1.0\n")
    points = "[coursekit.recordings]\ngentle = gentle\nremoved = no_such_package\n"
    (about / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path / "site")
    stored_recordings._paths.cache_clear(), stored_recordings.index.cache_clear()


def test_an_installed_course_and_coursekit_itself_are_found(installed, fresh, tmp_path):
    assert stored_recordings.find("vowels")["from"] == str(tmp_path / "site/gentle/recordings")
    assert stored_recordings.index()["vowels"] == "01_topic"
    assert stored_recordings.index()["sigmoid"] == "01_bag_of_words"


def test_a_folder_that_the_environment_names_comes_first(installed, fresh, tmp_path, monkeypatch):
    record(tmp_path / "one", "vowels", "02_other")
    record(tmp_path / "two", "sigmoid")
    folders = os.pathsep.join([str(tmp_path / "one"), str(tmp_path / "two"), "/no/such/folder"])
    monkeypatch.setenv(stored_recordings.VARIABLE, folders)
    assert stored_recordings.find("vowels")["from"] == str(tmp_path / "one")
    assert stored_recordings.find("sigmoid")["from"] == str(tmp_path / "two")
    assert stored_recordings.index()["masked_softmax"] == "04_attention"


def test_importing_coursekit_looks_for_no_course():
    code = "import sys, coursekit; print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
