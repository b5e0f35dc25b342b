"""`autograder try`, through real kernels."""

import json
import subprocess
import sys

import pytest
from checkout import ROOT, shared_assignment
from click.testing import CliRunner

from autograder.authoring.try_answer import try_sources
from autograder.cli import main
from autograder.course.exercise import Misconception
from autograder.course.layout import Course

COURSE = Course(ROOT)
EXERCISES = {
    assignment: list(shared_assignment(assignment).exercises.values())
    for assignment in COURSE.assignments()
}
#: Of functions and of classes: `make test` tries one round of each, `make test-all` everything.
BRIEFLY = ("00_setup", "05_transformer_block")


def rounds(assignment):
    """Rounds of one answer to each exercise, wrong and right ones mixed, until all had a turn."""
    answers = {e.name: [*e.misconceptions, *e.alternatives] for e in EXERCISES[assignment]}
    for number in range(max(map(len, answers.values()))):
        yield {
            name: own[(number + place) % len(own)]
            for place, (name, own) in enumerate(answers.items())
            if number < len(own)
        }


@pytest.mark.parametrize(
    ("assignment", "answers"),
    [
        # the release proves every answer without a kernel
        pytest.param(
            assignment,
            answers,
            id=f"{assignment}-{n}",
            marks=[pytest.mark.slow] * (n > 0 or assignment not in BRIEFLY),
        )
        for assignment in EXERCISES
        for n, answers in enumerate(rounds(assignment))
    ],
)
def test_wrong_answers_lose_points_and_get_their_hint_and_right_ones_get_every_point(
    assignment, answers
):
    sources = {
        name: shared_assignment(assignment).typed(answer) for name, answer in answers.items()
    }
    for name, verdict in try_sources(shared_assignment(assignment), sources).items():
        answer = answers[name]
        if isinstance(answer, Misconception):
            assert not verdict.passed, (name, answer.name)
            assert verdict.misconception == answer.name, (name, verdict.headline)
        else:
            assert verdict.passed, (name, answer.name, verdict)


def test_the_command_prints_points_per_group_and_the_hint_as_json(tmp_path):
    exercise = EXERCISES["00_setup"][0]
    wrong = exercise.misconceptions[0]
    path = tmp_path / "answer.py"
    path.write_text(shared_assignment("00_setup").typed(wrong))
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "try", exercise.name, str(path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    verdict = json.loads(done.stdout)
    assert done.returncode == 1
    assert verdict["hint"] == wrong.hint
    assert {group["name"] for group in verdict["groups"]} == set(exercise.points)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("sofmax", "x = 1", "there is no exercise called sofmax"),
        (None, "def other(): pass", "does not define"),
        (None, "def (:", "line 1: this is not Python"),
        (None, None, "cannot be read"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_1(tmp_path, monkeypatch, name, text, words):
    monkeypatch.chdir(ROOT)
    path = tmp_path / "answer.py"
    if text is not None:
        path.write_text(text)
    done = CliRunner().invoke(main, ["try", name or "word_lengths", str(path)])
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit)
    assert words in done.output
