"""`autograder try`, through real kernels: every misconception and every alternative."""

import json
import subprocess
import sys

import pytest
from checkout import ROOT

from autograder import catalog
from autograder.authoring import source_of
from autograder.course import Course
from autograder.trying import try_source

COURSE = Course(ROOT)
EXERCISES = [
    exercise
    for assignment in COURSE.assignments()
    for exercise in catalog.exercises(COURSE, assignment).values()
]
WRONG = [(e.name, m) for e in EXERCISES for m in e.misconceptions]
RIGHT = [(e.name, a) for e in EXERCISES for a in e.alternatives]


@pytest.mark.parametrize(
    ("name", "misconception"), WRONG, ids=[f"{name}-{m.name}" for name, m in WRONG]
)
def test_a_misconception_loses_points_and_gets_its_hint(name, misconception):
    verdict = try_source(COURSE, name, source_of(misconception.implementation, name))
    assert verdict.points < verdict.max_points
    assert verdict.misconception == misconception.name, verdict.headline


@pytest.mark.parametrize(
    ("name", "alternative"), RIGHT, ids=[f"{name}-{a.__name__}" for name, a in RIGHT]
)
def test_a_correct_answer_in_another_style_gets_every_point(name, alternative):
    verdict = try_source(COURSE, name, source_of(alternative, name))
    assert verdict.passed, verdict


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "autograder.cli", "try", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_prints_points_per_group_and_the_hint_as_json(tmp_path):
    exercise = EXERCISES[0]
    wrong = exercise.misconceptions[0]
    path = tmp_path / "answer.py"
    path.write_text(source_of(wrong.implementation, exercise.name))
    done = command(exercise.name, str(path), "--json")
    verdict = json.loads(done.stdout)
    assert done.returncode == 1
    assert verdict["hint"] == wrong.hint
    assert {group["name"] for group in verdict["groups"]} == set(exercise.points)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("sofmax", "x = 1", "no exercise is called sofmax"),
        (None, "def other(): pass", "does not define"),
        (None, "def (:", "line 1: this is not Python"),
        (None, None, "cannot be read"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_1(tmp_path, name, text, words):
    path = tmp_path / "answer.py"
    if text is not None:
        path.write_text(text)
    done = command(name or EXERCISES[0].name, str(path))
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
