"""nbgrader's exchange, played by three system users: one teaches, two hand in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.course.answers import filled

NAME = "07_topic"
WRONG = "def average_topic(scores, mask):\n    return 0"
TEACHER, ANN, BOB = "ck_teach", "ck_ann", "ck_bob"


def run(user, folder, *command):
    """Run a command as a user, in a folder; its output."""
    home = str(folder)
    environment = {
        **{k: os.environ[k] for k in ("LANG", "OMP_NUM_THREADS") if k in os.environ},
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        **dict.fromkeys(("HOME", "IPYTHONDIR", "MPLCONFIGDIR", "JUPYTER_CONFIG_DIR"), home),
        **dict.fromkeys(("USER", "LOGNAME"), user),
    }
    done = subprocess.run(
        [sys.executable, "-m", *command],
        user=user,
        group=user,
        extra_groups=[],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{user}: {command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture
def users():
    """Three system users, which are deleted again."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("only root can create the users that the exchange needs")
    made = []
    try:
        for name in (TEACHER, ANN, BOB):
            subprocess.run(["useradd", "--no-create-home", "--user-group", name], check=True)
            made.append(name)
        check = [sys.executable, "-c", "import nbgrader, torch, autograder"]
        try:
            reachable = not subprocess.run(check, user=ANN, capture_output=True, cwd="/").returncode
        except PermissionError:
            reachable = False
        if not reachable:
            pytest.skip(f"other users cannot run {sys.executable}")
        yield
    finally:
        for name in made:
            subprocess.run(["userdel", name], check=True)


def test_an_assignment_goes_out_through_the_exchange_and_feedback_comes_back(
    users, small_course, tmp_path
):
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    course = small_course.root
    lines = [
        'c.CourseDirectory.course_id = "text"\n',
        f"c.Exchange.root = {str(exchange)!r}\n",
    ]
    with (course / "nbgrader_config.py").open("a") as config:
        config.writelines(lines)
    subprocess.run(["chown", "-R", f"{TEACHER}:{TEACHER}", course], check=True)
    run(TEACHER, course, "nbgrader", "release_assignment", NAME)
    for student, answers in ((ANN, {}), (BOB, {"average_topic": WRONG})):
        home = tmp_path / student
        home.mkdir()
        (home / "nbgrader_config.py").write_text("c = get_config()\n" + "".join(lines))
        subprocess.run(["chown", "-R", f"{student}:{student}", home], check=True)
        run(student, home, "nbgrader", "fetch_assignment", NAME)
        nbformat.write(filled(small_course, NAME, answers), home / NAME / f"{NAME}.ipynb")
        run(student, home, "nbgrader", "submit", NAME)
    run(TEACHER, course, "nbgrader", "collect", NAME)
    assert f"{BOB} " in run(TEACHER, course, "autograder.cli", "grade", NAME)
    run(TEACHER, course, "autograder.cli", "feedback", NAME)
    run(TEACHER, course, "nbgrader", "release_feedback", NAME)
    for student, points in ((ANN, "3 of 3"), (BOB, "0 of 3")):
        home = tmp_path / student
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
