"""Formgrader's and Validate's buttons, pressed on a real Jupyter server."""

import json

import nbformat
import pytest
from server_process import Server

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled

NAME = "07_topic"


@pytest.fixture
def server(small_course, tmp_path):
    exercise = Assignment(small_course, NAME).exercises["average_topic"]
    wrong = Assignment(small_course, NAME).typed(exercise.misconceptions[0])
    path = small_course.root / "submitted" / "padding" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(filled(Assignment(small_course, NAME), {exercise.name: wrong}), path)
    server = Server(small_course.root, tmp_path / "server.log")
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.mark.slow
def test_formgrader_releases_and_autogrades_with_the_same_verdict(server):
    assert "formgrader" in server("GET", "/formgrader/manage_assignments").lower()
    released = json.loads(server("POST", f"/formgrader/api/assignment/{NAME}/assign"))
    assert released["success"], released["log"][-2000:]
    graded = json.loads(server("POST", f"/formgrader/api/submission/{NAME}/padding/autograde"))
    assert graded["success"], graded["log"][-2000:]
    (submission,) = json.loads(server("GET", f"/formgrader/api/submissions/{NAME}"))
    assert (submission["score"], submission["max_score"]) == (1, 3)
