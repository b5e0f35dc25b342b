"""A JupyterHub as docs/hub.md describes it, played by a course's owner, a grader and two students."""

import contextlib
import json
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from checkout import ROOT
from system_users import give, guides_mode, new_users, open_folder, run, user_name

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled

NAME = "07_topic"
WRONG = "def average_topic(scores, mask):\n    return 0"
OWNER, GRADER, ANN, BOB = map(user_name, ("owner", "grader", "ann", "bob"))
#: Where Python finds this checkout, and JupyterHub if it is installed beside the environment.
SOURCE = os.pathsep.join(
    [str(ROOT), *map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(":")))]
)
#: What the test changes in the shipped configuration: where the hub is, and who may log in without
#: a password. The rest is as an administrator gets it.
OF_THE_TEST = """
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.db_url = "sqlite://"
c.JupyterHub.cookie_secret_file = "{folder}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = "{folder}/proxy.pid"
c.Spawner.cmd = ["{python}", "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--ServerApp.ip=127.0.0.1"]
c.Spawner.environment |= {{"PYTHONPATH": "{source}"}}
c.Spawner.http_timeout = c.Spawner.start_timeout = 3600
for service in c.JupyterHub.services:
    service["environment"] |= {{"PYTHONPATH": "{source}", "HOME": "{folder}/{owner}"}}
c.JupyterHub.services.append({{"name": "test", "api_token": "{token}"}})
c.JupyterHub.load_roles.append({{
    "name": "test", "services": ["test"],
    "scopes": ["admin:users", "admin:servers", "tokens", "access:servers", "access:services"],
}})
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Hub:
    """A running hub, and requests to it and to the servers behind it."""

    def __init__(self, folder, course):
        self.folder, self.port, self.token = folder, free_port(), secrets.token_hex(16)
        shipped = (ROOT / "docs/hub/jupyterhub_config.py").read_text("utf-8")
        courses = {
            "text": {
                "owner": OWNER,
                "folder": str(course),
                "port": free_port(),
                "graders": [GRADER],
            }
        }
        config, count = re.subn(
            r"^COURSES = \{.*?^\}$", f"COURSES = {courses!r}", shipped, flags=re.M | re.S
        )
        assert count == 1
        config += OF_THE_TEST.format(
            port=self.port,
            hub_port=free_port(),
            proxy_port=free_port(),
            folder=folder,
            python=sys.executable,
            source=SOURCE,
            owner=OWNER,
            token=self.token,
        )
        (folder / "jupyterhub_config.py").write_text(config)
        self.tokens = {}
        self.log = (folder / "hub.log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", str(folder / "jupyterhub_config.py")],
            cwd=folder,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(16)},
        )

    def ask(self, method, path, data=None, user=None, form=None):
        """The answer to a request, as a user, or as the administrator."""
        token = self.tokens[user] if user else self.token
        headers = {"Authorization": f"token {token}"}
        body = None
        if data is not None:
            body = json.dumps(data).encode()
            headers["Content-Type"] = "application/json"
        elif form is not None:
            body = urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, headers=headers, data=body
        )
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
        try:
            return json.loads(text)
        except ValueError:
            return text

    def until(self, method, path, user=None):
        """The answer to a request, as soon as there is one and while the hub runs."""
        while True:
            try:
                return self.ask(method, path, user=user)
            except OSError as error:  # urllib's errors are, too
                forbidden = getattr(error, "code", 0) == 403
                if forbidden or self.process.poll() is not None:
                    pytest.fail(f"{path} is not there:\n{self.said()}")
                time.sleep(0.1)

    def log_in(self, user, server=True):
        """Make a user known to the hub, with a token of their own, and start their server."""
        with contextlib.suppress(urllib.error.HTTPError):  # a grader is known by the group
            self.ask("POST", f"/hub/api/users/{user}")
        self.tokens[user] = self.ask("POST", f"/hub/api/users/{user}/tokens", {})["token"]
        if server:
            self.ask("POST", f"/hub/api/users/{user}/server")
            self.until("GET", f"/user/{user}/api/status", user)

    def said(self):
        return (self.folder / "hub.log").read_text()[-4000:]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


@pytest.fixture
def folder():
    if find_spec("jupyterhub") is None or not shutil.which("configurable-http-proxy"):
        pytest.skip(
            "a hub needs `pip install jupyterhub` and `npm install -g configurable-http-proxy`"
        )
    with new_users(OWNER, GRADER, ANN, BOB), open_folder() as folder:
        for user in (OWNER, GRADER, ANN, BOB):
            home = folder / user
            home.mkdir()
            home.chmod(0o700)
            give(home, user)
            subprocess.run(["usermod", "--home", str(home), user], check=True)
            assert pwd.getpwnam(user).pw_dir == str(home)
        yield folder


@pytest.fixture
def hub(folder, small_course):
    exchange = folder / "exchange"
    exchange.mkdir()
    exchange.chmod(guides_mode())
    course = Path(shutil.copytree(small_course.root, folder / OWNER / "course"))
    root = f"c.Exchange.root = {str(exchange)!r}\n"
    with (course / "nbgrader_config.py").open("a") as config:
        config.write(f'c.CourseDirectory.course_id = "text"\n{root}')
    tools = course / ".venv" / "bin"
    tools.mkdir(parents=True)
    server = tools / "jupyterhub-singleuser"
    server.write_text(f'#!/bin/sh\nexec {sys.executable} -m jupyterhub.singleuser "$@"\n')
    server.chmod(0o755)
    (tools / "alembic").symlink_to(Path(sys.executable).parent / "alembic")
    give(folder / OWNER, OWNER)
    shipped = (ROOT / "docs/hub/nbgrader_config.py").read_text("utf-8")
    students, count = re.subn(r"^c.Exchange.root = .*\n", root, shipped, flags=re.M)
    assert count == 1
    for student in (ANN, BOB):
        config = folder / student / ".jupyter" / "nbgrader_config.py"
        config.parent.mkdir()
        config.write_text(students)
        give(folder / student, student)
    hub = Hub(folder, course)
    try:
        hub.until("GET", "/hub/api/")
        yield hub
    finally:
        hub.stop()


@pytest.mark.slow
def test_a_class_works_on_a_hub_as_its_guide_says(hub, folder, small_course):
    course = folder / OWNER / "course"
    formgrader = "/services/text/formgrader"
    hub.log_in(GRADER, server=False)
    hub.until("GET", f"{formgrader}/api/status", GRADER)
    # the formgrader of the service knows the course, whoever of its graders asks
    assert [
        one["name"] for one in hub.ask("GET", f"{formgrader}/api/assignments", user=GRADER)
    ] == [NAME]
    for action in ("assign", "release"):
        done = hub.ask("POST", f"{formgrader}/api/assignment/{NAME}/{action}", user=GRADER)
        assert done["success"], done["log"]
    task = {"course_id": "text", "assignment_id": NAME}
    for student, answers in ((ANN, {}), (BOB, {"average_topic": WRONG})):
        hub.log_in(student)
        mine = f"/user/{student}"
        hub.ask("POST", f"{mine}/assignments/fetch", user=student, form=task)
        answered = filled(Assignment(small_course, NAME), answers)
        hub.ask(
            "PUT",
            f"{mine}/api/contents/{NAME}/{NAME}.ipynb",
            {"type": "notebook", "content": json.loads(nbformat.writes(answered))},
            user=student,
        )
        listed = hub.ask("POST", f"{mine}/assignments/submit", user=student, form=task)
        assert listed["success"], listed
        # no student reaches the formgrader, the course, or another's server
        for closed in (f"{formgrader}/api/assignments", f"/user/{OWNER}/api/status"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                hub.ask("GET", closed, user=student)
            assert refused.value.code in (403, 404)
    collected = hub.ask("POST", f"{formgrader}/api/assignment/{NAME}/collect", user=GRADER)
    assert collected["success"], collected["log"]
    graded = hub.ask("POST", f"{formgrader}/api/submission/{NAME}/{ANN}/autograde", user=GRADER)
    assert graded["success"], graded["log"]
    assert f"{BOB} " in run(OWNER, course, "autograder", "grade", NAME)
    scores = {
        one["student"]: one["score"]
        for one in hub.ask("GET", f"{formgrader}/api/submissions/{NAME}", user=GRADER)
    }
    assert scores == {ANN: 3, BOB: 0}
    for action in ("generate_feedback", "release_feedback"):
        done = hub.ask("POST", f"{formgrader}/api/assignment/{NAME}/{action}", user=GRADER)
        assert done["success"], done["log"]
    hub.ask("POST", f"/user/{BOB}/assignments/fetch_feedback", user=BOB, form=task)
    (page,) = (folder / BOB / NAME).rglob("*.html")
    assert "<b>0 of 3</b>" in page.read_text("utf-8")
    assert not (folder / OWNER / "gradebook.db").exists()
