"""Formgrader's and Validate's buttons, pressed on a real Jupyter server."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest

from autograder.course.answers import filled, typed
from autograder.course.catalog import exercises

NAME = "07_topic"


class Server:
    """A Jupyter server in the course's folder, and requests to it."""

    def __init__(self, root, log):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)
        tools = Path(sys.executable).parent
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        environment |= {"JUPYTER_TOKEN": self.token, "JUPYTER_CONFIG_DIR": str(root / ".jupyter")}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += ["--ip=127.0.0.1", f"--port={self.port}", "--ServerApp.port_retries=0"]
        self.log = log.open("w")
        self.process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=self.log, stderr=self.log
        )

    def __call__(self, method, path):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=180) as answer:
            return answer.read().decode("utf-8")

    def wait(self):
        for _ in range(240):
            try:
                return self("GET", "/api/status")
            except (urllib.error.URLError, ConnectionError):
                assert self.process.poll() is None, "the server did not start"
                time.sleep(0.5)
        raise TimeoutError("the server did not answer")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


@pytest.fixture
def server(small_course, tmp_path):
    exercise = exercises(small_course, NAME)["average_topic"]
    wrong = typed(small_course, NAME, exercise.misconceptions[0])
    path = small_course.root / "submitted" / "padding" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(filled(small_course, NAME, {exercise.name: wrong}), path)
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
