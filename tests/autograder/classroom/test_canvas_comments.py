"""Feedback goes to Canvas under a name that opens as a page; a stand-in takes it."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.gradebook.roster import Person, save_people

NAME = "07_topic"


class StandIn(BaseHTTPRequestHandler):
    """Answers as Canvas's interface does, and notes what it was given."""

    def answer(self, found, status=200):
        body = json.dumps(found).encode()
        self.send_response(status)
        if status == 201:
            self.send_header("Location", f"{self.server.site}/api/v1/files/55?confirm=1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        signed = self.headers.get("Authorization") == "Bearer secret"
        self.server.seen.append((self.command, self.path, signed, body))
        if self.path.startswith("/upload"):
            self.answer({}, 201)
        elif not signed:
            self.answer({"errors": "no token"}, 401)
        elif self.path.endswith("/comments/files"):
            self.answer({"upload_url": f"{self.server.site}/upload", "upload_params": {"key": "k"}})
        else:
            self.answer({"id": 55})

    do_GET = do_POST = do_PUT = handle_one

    def log_message(self, *_):
        pass


@pytest.fixture
def canvas():
    server = HTTPServer(("127.0.0.1", 0), StandIn)
    server.site, server.seen = f"http://127.0.0.1:{server.server_port}", []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def run(graded_class, monkeypatch):
    monkeypatch.chdir(graded_class.root)
    people = {"ada": Person("ada", ["ada"], {"canvas": "123"})}
    save_people(graded_class.root, people)

    def run(address, token="secret"):
        monkeypatch.setenv("CANVAS_TOKEN", token)
        options = ["feedback", NAME, "--for", "canvas", "--upload", address]
        return CliRunner().invoke(main, options)

    yield run
    (graded_class.root / "students.json").unlink()


def test_a_page_is_attached_under_a_name_that_opens_as_a_page(run, canvas):
    result = run(f"{canvas.site}/courses/7/assignments/8")
    assert result.exit_code == 0, result.output
    assert "not from Canvas, 2: bob, cem" in result.output
    assert result.output.endswith("sent to Canvas, 1 students\n")
    place = "/api/v1/courses/7/assignments/8/submissions/123"
    asked = [(method, path, signed) for method, path, signed, _ in canvas.seen]
    assert asked == [
        ("POST", f"{place}/comments/files", True),
        ("POST", "/upload", False),  # may be another server: it does not see the token
        ("GET", "/api/v1/files/55?confirm=1", True),
        ("PUT", place, True),
    ]
    bodies = [body.decode("utf-8", "replace") for *_, body in canvas.seen]
    assert "name=07_topic.html" in bodies[0]
    assert re.search(r'filename="07_topic.html"\s+Content-Type: text/html', bodies[1])
    assert "Feedback for <bdi>ada</bdi>" in bodies[1]
    assert "file_ids%5D%5B%5D=55" in bodies[3]


@pytest.mark.parametrize(
    ("path", "token", "words"),
    [
        ("/courses/7", "secret", "is not the address of an assignment in Canvas"),
        ("/courses/7/assignments/8", "", "set CANVAS_TOKEN to an access token"),
        ("/courses/7/assignments/8", "wrong", "Canvas did not take the page of ada (401"),
    ],
)
def test_what_canvas_cannot_take_is_said_in_a_sentence(run, canvas, path, token, words):
    result = run(f"{canvas.site}{path}", token)
    assert result.exit_code == 1
    assert words in result.output
