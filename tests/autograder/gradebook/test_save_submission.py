"""Saving a graded submission: all of it or nothing, with what the course has configured."""

import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event
from sqlalchemy.engine import Engine

from autograder.course.layout import Course
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.save_submission import SubmissionSaver

NAME = "07_topic"


@pytest.fixture
def classroom(graded_class, tmp_path):
    """A class in which ada has 3 points and bob 0."""
    return Classroom(Course(shutil.copytree(graded_class.root, tmp_path / "course")))


def notebook_of(classroom, student):
    return nbformat.read(classroom.autograded(student, NAME), as_version=4)


def save(classroom, student, notebook):
    SubmissionSaver(classroom, NAME, classroom.config()).save(student, notebook)


def scores(classroom):
    with Gradebook(f"sqlite:///{classroom.database}") as book:
        return {s.student.id: s.score for s in book.assignment_submissions(NAME)}


def test_a_transaction_that_fails_leaves_files_and_points_as_they_were(classroom, monkeypatch):
    before = classroom.autograded("ada", NAME).read_bytes()
    write, written = SubmissionSaver._write, []

    def write_first(self, notebook, path):
        write(self, notebook, path)
        written.append(path)

    def fail(connection):
        if written:
            raise RuntimeError("the disk is gone")

    monkeypatch.setattr(SubmissionSaver, "_write", write_first)
    event.listen(Engine, "commit", fail)
    try:
        for student in ("ada", "dan"):
            with pytest.raises(RuntimeError, match="the disk is gone"):
                save(classroom, student, notebook_of(classroom, "bob"))
            written.clear()
    finally:
        event.remove(Engine, "commit", fail)
    assert scores(classroom) == {"ada": 3, "bob": 0, "cem": 0}
    assert classroom.autograded("ada", NAME).read_bytes() == before
    folders = sorted(path.name for path in (classroom.folder / "autograded").iterdir())
    assert folders == ["ada", "bob", "cem"]


def test_what_a_killed_grading_has_left_is_removed(classroom):
    left = classroom.folder / "autograded" / ".new" / "autograded" / "ada" / NAME / "old.txt"
    left.parent.mkdir(parents=True)
    left.write_text("from the run before")
    save(classroom, "ada", notebook_of(classroom, "bob"))
    assert scores(classroom)["ada"] == 0
    names = {path.name for path in classroom.autograded("ada", NAME).parent.iterdir()}
    assert names == {f"{NAME}.ipynb", "submission_secret.txt"}
    assert not (classroom.folder / "autograded" / ".new").exists()


@pytest.mark.parametrize("student", ["before", "submitted", "autograded"])
def test_a_student_may_have_any_name(classroom, student):
    for _ in range(2):
        save(classroom, student, notebook_of(classroom, "ada"))
    assert scores(classroom)[student] == 3


def test_steps_and_hooks_that_the_course_adds_work_as_in_nbgrader(classroom, monkeypatch):
    (classroom.course.root / "added_steps.py").write_text(
        "from nbgrader.preprocessors import NbGraderPreprocessor\n"
        "class Sign(NbGraderPreprocessor):\n"
        "    def preprocess(self, nb, resources):\n"
        "        nb.metadata['signed'] = resources['nbgrader']['student']\n"
        "        return nb, resources\n"
        "def note(assignment, student, notebooks):\n"
        "    with open(notebooks[0].replace('.ipynb', '.done'), 'w') as file:\n"
        "        file.write(f'{student} {assignment}')\n"
    )
    monkeypatch.syspath_prepend(str(classroom.course.root))
    with (classroom.course.root / "nbgrader_config.py").open("a") as config:
        config.write(
            "\nc.Autograde.autograde_preprocessors.append('added_steps.Sign')\n"
            "c.Autograde.post_convert_hook = 'added_steps.note'\n"
            "c.Autograde.exclude_overwriting = {'07_topic': ['own.py']}\n"
        )
    for name, text in {"own.py": "the student's", "given.csv": "changed"}.items():
        (classroom.submission("ada", NAME).parent / name).write_text(text)
        (classroom.course.solutions / NAME / name).write_text("the course's")
    save(classroom, "ada", notebook_of(classroom, "ada"))
    saved = classroom.autograded("ada", NAME)
    assert notebook_of(classroom, "ada").metadata["signed"] == "ada"
    assert classroom.submission("ada", NAME).with_suffix(".done").read_text() == f"ada {NAME}"
    assert saved.with_name("own.py").read_text() == "the student's"
    assert saved.with_name("given.csv").read_text() == "the course's"
