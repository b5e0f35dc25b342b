"""`autograder try`, through real kernels: every misconception and every alternative."""

import json
import subprocess
import sys

import pytest
from checkout import ROOT

from autograder.authoring.try_answer import try_sources
from autograder.course import catalog
from autograder.course.answers import typed
from autograder.course.layout import Course

COURSE = Course(ROOT)
EXERCISES = {
    assignment: list(catalog.exercises(COURSE, assignment).values())
    for assignment in COURSE.assignments()
}


def in_turn(kind):
    """(assignment, number): the number-th misconception or alternative of all its exercises."""
    for assignment, exercises in EXERCISES.items():
        for number in range(max(len(getattr(e, kind)) for e in exercises)):
            yield pytest.param(assignment, number, id=f"{assignment}-{number + 1}")


@pytest.mark.parametrize(("assignment", "number"), list(in_turn("misconceptions")))
def test_a_misconception_loses_points_and_gets_its_hint(assignment, number):
    wrong = {
        e.name: e.misconceptions[number]
        for e in EXERCISES[assignment]
        if number < len(e.misconceptions)
    }
    sources = {name: typed(COURSE, assignment, m) for name, m in wrong.items()}
    for name, verdict in try_sources(COURSE, assignment, sources).items():
        assert verdict.points < verdict.max_points, (name, wrong[name].name)
        assert verdict.misconception == wrong[name].name, (name, verdict.headline)


@pytest.mark.parametrize(("assignment", "number"), list(in_turn("alternatives")))
def test_a_correct_answer_in_another_style_gets_every_point(assignment, number):
    right = {
        e.name: e.alternatives[number]
        for e in EXERCISES[assignment]
        if number < len(e.alternatives)
    }
    sources = {name: typed(COURSE, assignment, a) for name, a in right.items()}
    for name, verdict in try_sources(COURSE, assignment, sources).items():
        assert verdict.passed, (name, right[name].name, verdict)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "autograder.cli", "try", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_prints_points_per_group_and_the_hint_as_json(tmp_path):
    exercise = EXERCISES["00_setup"][0]
    wrong = exercise.misconceptions[0]
    path = tmp_path / "answer.py"
    path.write_text(typed(COURSE, "00_setup", wrong))
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
    done = command(name or "word_lengths", str(path))
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
