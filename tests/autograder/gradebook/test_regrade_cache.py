"""A class is graded again if a score could differ, and only then."""

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

from autograder.authoring.adopt import adopt
from autograder.course.layout import Course
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.regrade_cache import RegradeCache
from autograder.sandbox.doctor import is_available
from coursekit.checking import stored_recordings

NAME, EXERCISE = "07_topic", "average_topic"


@pytest.fixture
def course(graded_class, tmp_path):
    return Course(shutil.copytree(graded_class.root, tmp_path / "course"))


def keeps(course, options=None):
    """Whether ada keeps her score, as `autograder grade` decides it."""
    classroom = Classroom(course)
    limits = (options or Options()).apply(classroom.config())
    return RegradeCache(classroom, NAME, limits).holds("ada")


def edit(path, before, after):
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def module(course):
    return course.cases(NAME) / f"{EXERCISE}.py"


def in_solution(course, change):
    path = course.solution(NAME)
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        change(cell)
    path.write_text(json.dumps(notebook), "utf-8")


def comment(course):
    edit(module(course), "def cases", "# drawn anew for each class\ndef cases")
    edit(
        module(course),
        'POINTS = {"values": 2, "empty": 1}',
        'POINTS = {"values": 2, "empty": 1}  # 3',
    )


def docstring(course):
    edit(module(course), '"""average_topic: a mean', '"""average_topic: the mean')


def hint(course):
    edit(module(course), "Padding is averaged in:", "Positions without a word count:")


def adopted(course):
    adopt(course, EXERCISE, "bob")


def another_right_answer(course):
    edit(module(course), "RIGHT = {", 'RIGHT = {"same": "def average_topic(scores, mask): ...",')


def another_assignment(course):
    other = course.root / "exercises" / "08_other"
    other.mkdir()
    (other / "exercise.py").write_text("# another assignment's\n")


def executed(course):
    """`autograder execute` writes new outputs, and its author a text."""

    def change(cell):
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], 7
        else:
            cell["source"] = "Another text."

    in_solution(course, change)


@pytest.mark.parametrize(
    "change",
    [comment, docstring, hint, adopted, another_right_answer, another_assignment, executed],
)
def test_what_decides_no_score_keeps_all(course, change):
    change(course)
    assert keeps(course)


def test_grading_after_such_a_change_runs_nothing(course, monkeypatch):
    adopted(course)
    comment(course)
    monkeypatch.setattr("autograder.gradebook.grade_class.Desk", None)
    graded = grade_class(course, NAME, options=Options(sandbox=is_available()))
    assert graded.kept == ["ada", "bob", "cem"]


def case(course):
    edit(module(course), "((2, 4), (3, 5))", "((2, 4), (4, 5))")


def tolerance(course):
    edit(
        module(course),
        "[scores, mask])\n        yield",
        '[scores, mask], judge={"rtol": 0.1})\n        yield',
    )


def points(course):
    edit(module(course), '"empty": 1', '"empty": 2')


def shared_draws(course):
    (course.cases(NAME) / "common.py").write_text("WIDTH = 3\n")


def release(course):
    edit(course.notebook(NAME), '"points": 3', '"points": 4')


def reference(course):
    def change(cell):
        cell["source"] = "".join(cell["source"]).replace("mask.sum(dim=1)", "mask.sum(1)")

    in_solution(course, change)


def seed(course):
    (course.root / "class_seed").write_text("2\n")


def configured(course):
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write("c.DailyPenalty.percent_per_day = 10\n")


def submission(course):
    edit(Classroom(course).submission("ada", NAME), "clamp(min=1)", "clamp(min=2)")


@pytest.mark.parametrize(
    "change",
    [
        *(case, tolerance, points, shared_draws, release, reference, seed, configured),
        submission,
    ],
)
def test_what_decides_a_score_grades_again(course, change):
    assert keeps(course)
    change(course)
    assert not keeps(course)


def test_a_change_of_the_cases_of_what_is_pasted_grades_again(course, monkeypatch):
    def paste(cell):
        if cell["cell_type"] == "code" and "def " in "".join(cell["source"]):
            cell["source"] = "def masked_mean(X, mask): ..."
            cell["metadata"]["nbgrader"]["grade_id"] = "from_00_setup"

    def state():
        classroom = Classroom(course)
        return RegradeCache(classroom, NAME, Options().apply(classroom.config())).rest.digest()

    in_solution(course, paste)
    before = state()
    recorded = copy.deepcopy(stored_recordings.find("masked_mean"))
    monkeypatch.setattr(stored_recordings, "find", lambda _: recorded)
    monkeypatch.setattr(stored_recordings, "revision", lambda _: 1000)
    recorded["misconceptions"].clear()
    assert state() == before
    monkeypatch.setattr(stored_recordings, "revision", lambda _: 1001)
    recorded["cases"].pop()
    assert state() != before


def test_other_limits_grade_again(course):
    assert not keeps(course, Options(cell_seconds=7))


def test_a_grading_that_does_not_end_counts_as_none(course):
    classroom = Classroom(course)
    cache = RegradeCache(classroom, NAME, Options().apply(classroom.config()))
    cache.forget(["ada"])
    assert not keeps(course)


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """The sources of both packages in a folder of their own."""
    folder = tmp_path_factory.mktemp("tool")
    for package in ("autograder", "coursekit"):
        for path in (ROOT / package).rglob("*.py"):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return folder


def digest_with(tool, path, before, after):
    """The grader's digest if a text in one of its files were another."""
    file = tool / path
    original = file.read_text("utf-8")
    try:
        edit(file, before, after)
        return digest(tool)
    finally:
        file.write_text(original, "utf-8")


def digest(tool):
    program = "from autograder.grading.grader_digest import grader_digest; print(grader_digest())"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=tool,
        env={"PYTHONPATH": str(tool)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_graders_digest_changes_with_the_judge_and_not_with_what_only_shows(tool):
    same = digest(tool)
    head = "from __future__ import annotations\n"
    for path in ("classroom/similarity.py", "pages/feedback.py", "authoring/adopt.py", "errors.py"):
        assert digest_with(tool, Path("autograder", path), head, f"{head}\nX = 1\n") == same
    judge = Path("coursekit", "checking", "judge_case.py")
    assert digest_with(tool, judge, head, f'{head}\n\n# why\n"""what"""\n') == same
    assert digest_with(tool, judge, '"""Judgment of one case', '"""Verdict on one case') == same
    assert digest_with(tool, judge, "_CANCELLATION = 1e-5", "_CANCELLATION = 1e-4") != same
    limits = Path("autograder", "grading", "limits.py")
    assert (
        digest_with(tool, limits, "cell_seconds: float = 60.0", "cell_seconds: float = 61.0")
        != same
    )
