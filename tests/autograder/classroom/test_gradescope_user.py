"""In Gradescope's container, without a sandbox: what a submission does as a user of its own."""

import json
import os
import pwd
import sys
from pathlib import Path

import nbformat
import pytest
from downloads import NAME
from nbformat.v4 import new_code_cell
from open_python import open_python
from system_users import new_users, open_folder, user_name
from test_gradescope import container

from autograder.classroom.grade_in_gradescope import grade_here
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import MachineError
from autograder.grading.kernel_user import user_entry
from autograder.sandbox import scratch

STUDENT = user_name("student")

SPY = """\
def average_topic(scores, mask):
    import pathlib
    found = []
    for path in {paths!r}:
        try:
            found.append(str(pathlib.Path(path).read_bytes()[:3]))
        except OSError:
            found.append("denied")
    try:
        pathlib.Path({results!r}, "results.json").write_text("{{}}")
    except OSError:
        found.append("denied")
    raise ValueError(" ".join(found))
"""

#: Makes what might be the next kernel's folders, as links to the course, and ends its kernel.
LINKS = """\
import os, pathlib, subprocess, sys
ROOT, SOURCE = {root!r}, {source!r}
places = [pathlib.Path.cwd(), *pathlib.Path.cwd().parents, pathlib.Path(os.environ["HOME"])]
for place in places:
    for name in ["0", "1", "2", "s", "home", "k-1", *os.listdir("/tmp")]:
        for target in (SOURCE, SOURCE + "/class_seed", "/etc/passwd"):
            try:
                os.makedirs(place / name, exist_ok=True)
                os.symlink(target, place / name / "link")
                os.symlink(target, place / name / os.path.basename(target))
            except OSError:
                pass
for name in ("s", "kernel.json"):
    try:
        os.symlink(SOURCE, name)
    except OSError:
        pass
LOOP = '''
import os, pathlib, time
while True:
    for folder in pathlib.Path("/tmp").glob("autograder-*/**/"):
        for name in ("home", "s", "kernel.json"):
            try:
                os.symlink("{source}", folder / name)
            except OSError:
                pass
    time.sleep(0.01)
'''
for _ in range(3):
    subprocess.Popen([sys.executable, "-c", LOOP], start_new_session=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def student():
    """A user of the system that runs submissions, and a Python that it can run."""
    with new_users(STUDENT), open_python(STUDENT) as python:
        yield STUDENT, python


@pytest.fixture
def room(small_course, student, monkeypatch):
    """A container without a sandbox: grades a notebook as another user, in a folder that is open."""
    user, python = student
    monkeypatch.setattr("autograder.classroom.grade_in_gradescope.is_available", lambda: False)
    monkeypatch.setattr(sys, "executable", python)
    with open_folder() as folder:
        root = folder / "autograder"

        def grade(cells=(), answer=None):
            course = container(small_course, root)
            notebook = filled(Assignment(course, NAME), {"average_topic": answer} if answer else {})
            first = next(i for i, c in enumerate(notebook.cells) if c.cell_type == "code")
            notebook.cells[first + 1 : first + 1] = [new_code_cell(cell) for cell in cells]
            nbformat.write(notebook, root / "submission" / f"{NAME}.ipynb")
            for name in ("source", "submission", "results"):
                (root / name).chmod(0o700)
            return grade_here(course, NAME, root, user=user)

        grade.root, grade.user = root, user
        yield grade


def owners(folder):
    return {os.lstat(path).st_uid for path in (folder, *Path(folder).rglob("*"))}


def alive(user):
    """The living processes of a user."""
    uid = pwd.getpwnam(user).pw_uid
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if f"Uid:\t{uid}\t" in text and "State:\tZ" not in text:
            found.append(text)
    return found


def test_it_reads_neither_solution_nor_seed_and_cannot_write_the_results(room):
    course = room.root / "source" / "course"
    paths = [str(course / "solutions" / NAME / f"{NAME}.ipynb"), str(course / "class_seed")]
    paths += [str(room.root / "submission" / f"{NAME}.ipynb"), f"/proc/{os.getpid()}/environ"]
    paths += [f"/proc/{os.getpid()}/cwd/class_seed", f"/proc/{os.getpid()}/mem"]
    found = room(answer=SPY.format(paths=paths, results=str(room.root / "results")))
    assert " ".join(["denied"] * 7) in found["tests"][0]["output"]
    assert json.loads((room.root / "results" / "results.json").read_text()) == found


def test_links_in_the_way_of_the_next_kernel_give_it_nothing(room):
    """Root once changed the owner of all that they lead to; the next kernel then read the course."""
    course = room.root / "source" / "course"
    spy = SPY.format(paths=[str(course / "class_seed")], results=str(room.root / "results"))
    cell = LINKS.format(root=str(room.root), source=str(course))
    found = room([cell, cell], answer=spy)
    assert found["score"] == 0
    assert "denied denied" in found["tests"][0]["output"]
    assert owners(room.root) == {0}
    assert os.stat("/etc/passwd").st_uid == 0
    assert alive(room.user) == []


def test_processes_that_it_leaves_are_killed_and_its_files_deleted(room, monkeypatch):
    monkeypatch.setattr(scratch, "_PREFIX", "autograder-here-")  # other tests make folders, too
    left = "import os, subprocess\nos.makedirs('a/' * 500)\nos.chmod('a', 0)\n"
    left += "for _ in range(5):\n    subprocess.Popen(['sleep', '600'], start_new_session=True)"
    assert room([left])["score"] == 3
    assert alive(room.user) == []
    assert not [name for name in os.listdir("/tmp") if name.startswith("autograder-here-")]


def test_a_folder_that_it_could_enter_is_refused(room):
    room()
    (room.root / "source").chmod(0o711)
    course = container.__globals__["Course"](room.root / "source" / "course")
    course.root.chmod(0o755)
    with pytest.raises(MachineError, match=r"chmod go= .*course"):
        grade_here(course, NAME, room.root, user=room.user)


def test_root_itself_runs_no_submission():
    if os.geteuid() != 0:
        pytest.skip("only root could choose root as the user who runs submissions")
    with pytest.raises(MachineError, match="root"):
        user_entry("root")
