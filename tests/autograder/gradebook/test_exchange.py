"""nbgrader's exchange, played by three system users: one teaches, two hand in."""

import shutil
import subprocess

import nbformat
import pytest
from system_users import give, guides_mode, open_folder, run, system_users, user_name

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled

NAME = "07_topic"
WRONG = "def average_topic(scores, mask):\n    return 0"
TEACHER, ANN, BOB = map(user_name, ("teach", "ann", "bob"))


@pytest.fixture
def folder():
    with system_users(TEACHER, ANN, BOB), open_folder() as folder:
        yield folder


def test_an_assignment_goes_out_through_the_exchange_and_feedback_comes_back(folder, small_course):
    exchange = folder / "exchange"
    exchange.mkdir()
    exchange.chmod(guides_mode())
    course = shutil.copytree(small_course.root, folder / "course")
    lines = [
        'c.CourseDirectory.course_id = "text"\n',
        f"c.Exchange.root = {str(exchange)!r}\n",
    ]
    with (course / "nbgrader_config.py").open("a") as config:
        config.writelines(lines)
    give(course, TEACHER)
    run(TEACHER, course, "nbgrader", "release_assignment", NAME)
    for student, answers in ((ANN, {}), (BOB, {"average_topic": WRONG})):
        home = folder / student
        home.mkdir()
        (home / "nbgrader_config.py").write_text("c = get_config()\n" + "".join(lines))
        give(home, student)
        run(student, home, "nbgrader", "fetch_assignment", NAME)
        nbformat.write(
            filled(Assignment(small_course, NAME), answers), home / NAME / f"{NAME}.ipynb"
        )
        run(student, home, "nbgrader", "submit", NAME)
    run(TEACHER, course, "nbgrader", "collect", NAME)
    assert f"{BOB} " in run(TEACHER, course, "autograder", "grade", NAME)
    run(TEACHER, course, "autograder", "feedback", NAME)
    run(TEACHER, course, "nbgrader", "release_feedback", NAME)
    for student, points in ((ANN, "3 of 3"), (BOB, "0 of 3")):
        home = folder / student
        run(student, home, "nbgrader", "fetch_feedback", NAME)
        (page,) = home.rglob("*.html")
        html = page.read_text("utf-8")
        assert f"<b>{points}</b>" in html
        assert f"Feedback for <bdi>{student}</bdi>" in html
    # nbgrader's own command writes the same page, and no student reads another's submission
    run(TEACHER, course, "nbgrader", "generate_feedback", NAME, "--force")
    assert "<bdi>" in (course / "feedback" / ANN / NAME / f"{NAME}.html").read_text("utf-8")
    inbound = exchange / "text" / "inbound"
    assert subprocess.run(["ls", inbound], user=ANN, capture_output=True).returncode != 0
    # no student puts a course of their own in the place of this one
    takes_over = ["mv", exchange / "text", exchange / "moved"]
    assert subprocess.run(takes_over, user=ANN, capture_output=True).returncode != 0
    assert inbound.is_dir()
