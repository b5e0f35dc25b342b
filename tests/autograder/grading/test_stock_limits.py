"""nbgrader's own `autograde` reads submissions within the limits of `autograder grade`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import grade_class
from autograder.grading.grading_log import read_notes

NAME = "07_topic"


def bad(course):
    """Submissions that nobody can grade, and words of the reason."""
    whole = nbformat.writes(filled(Assignment(course, NAME)))
    wide = json.loads(whole)
    wide["metadata"]["x"] = [{} for _ in range(60_000)]
    return {
        "brackets": ("[" * 10**6, "nested too deeply"),
        "cut": (whole[: len(whole) // 2], "cut off or damaged"),
        "empty": ("", "it is empty"),
        "format_5": (whole.replace('"nbformat": 4', '"nbformat": 5'), "notebook format 5"),
        "values": (json.dumps(wide), "50,000 values"),
        "a_million": ("[" + "[]," * 10**7, "too large to parse"),
    }


@pytest.fixture
def room(small_course):
    texts = {name: text for name, (text, _) in bad(small_course).items()}
    texts["right"] = nbformat.writes(filled(Assignment(small_course, NAME)))
    for student, text in texts.items():
        path = small_course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return small_course


def stored(course):
    """The scores in the gradebook and the reasons in the autograded notebooks."""
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        scores = {s.student.id: s.score for s in book.assignment_submissions(NAME)}
    read = Classroom(course).autograded
    return scores, {s: read_notes(nbformat.read(read(s, NAME), 4)).unread for s in scores}


def test_the_same_notebooks_are_refused_with_the_same_reasons(room):
    Classroom(room).register(NAME)
    tools = Path(sys.executable).parent
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", NAME],
        cwd=room.root,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    scores, reasons = stored(room)
    assert scores == {**dict.fromkeys(bad(room), 0), "right": 3}
    for student, (_, words) in bad(room).items():
        assert words in reasons[student]
    grade_class(room, NAME)
    assert stored(room) == (scores, reasons)
