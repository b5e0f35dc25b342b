"""What judging costs: large answers, and judges in processes of their own."""

import socket

import pytest
import torch

from autograder.course.assignment import Assignment
from autograder.course.record_cases import record_reference
from autograder.grading.isolated_run import PRELOAD
from autograder.grading.judge_pool import Judges, judge_here
from autograder.grading.questions import Answers, for_kernel, with_room, within_room
from autograder.sandbox.messages import Connection
from coursekit.checking import codec, stored_recordings
from coursekit.checking.verdict import judge

NAME, EXERCISE = "07_topic", "average_topic"
LARGE = {
    "a tensor": torch.zeros(1000, 1000),
    "numbers": [0.5] * 600_000,
    "pairs": [[i, i] for i in range(300_000)],
    "a dictionary": {str(i): i for i in range(150_000)},
    "a text": "x" * 4 * 2**20,
}


def plain(value):
    """The value as a kernel can send it that keeps to no limit."""
    return {"status": "value", "value": codec.Encoder(2**40, 2**40).encode(value)}


@pytest.fixture
def count(monkeypatch):
    """Counts how often each object is decoded: id -> times."""
    found, views = {}, codec._views

    def counted(data, depth):
        if depth == 0:
            found[id(data)] = found.get(id(data), 0) + 1
        return views(data, depth)

    monkeypatch.setattr(codec, "_views", counted)
    return found


@pytest.mark.parametrize("what", LARGE)
def test_an_answer_many_times_larger_than_the_expected_one_is_not_decoded(what, count):
    exercise = stored_recordings.find("pairwise_distances")
    answer = plain(LARGE[what])
    verdict = judge(exercise, [answer] * len(exercise["cases"]))
    assert verdict.points == 0
    assert "many times larger" in verdict.headline
    assert id(answer["value"]) not in count
    (small,) = within_room([answer], with_room(exercise)[:1])  # in the process that reads a kernel
    assert small["status"] == "unreadable"


def test_an_answer_is_decoded_once_and_not_once_per_misconception(count):
    exercise = stored_recordings.find("pairwise_distances")
    assert len(exercise["misconceptions"]) > 3
    answers = [plain(torch.ones(2, 3)) for _ in exercise["cases"]]
    judge(exercise, answers)
    assert {count[id(answer["value"])] for answer in answers} == {1}


def test_a_wrong_answer_of_another_shape_is_explained_and_the_kernel_is_told_no_size():
    exercise = stored_recordings.find("pairwise_distances")
    once = [case for case in exercise["cases"] if "again" not in case]
    bare = {**exercise, "cases": once, "misconceptions": [], "pairs": []}
    verdict = judge(bare, [plain(torch.zeros(2, 30, 30)) for _ in once])
    assert "its shape is (2, 30, 30) instead of" in verdict.headline
    questions = with_room(exercise)
    assert all("room" in question for question in questions)
    assert not any("room" in question for question in for_kernel(questions))


@pytest.fixture
def recorded(small_course):
    return {EXERCISE: record_reference(Assignment(small_course, NAME), EXERCISE, 1)}


@pytest.fixture
def judges(recorded):
    made = Judges(recorded, 1, (PRELOAD,))
    yield made
    made.close()


def test_a_judge_beside_says_what_one_here_says_and_one_that_ended_is_replaced(recorded, judges):
    wrong = [plain(0) for _ in recorded[EXERCISE]["cases"]]
    right = [case["expected"] for case in recorded[EXERCISE]["cases"]]
    for outcomes in (wrong, right, None):
        answers = Answers({EXERCISE: outcomes}, {EXERCISE: "its kernel died"})
        here = judge_here(recorded, answers).result()
        assert judges.start(recorded, answers).result() == here
        ended, other = socket.socketpair()
        other.close()
        judges._free.get().close()
        judges._free.put(Connection(ended))


def test_an_answer_that_takes_too_much_memory_costs_its_exercise(recorded, monkeypatch):
    def fails(exercise, outcomes):
        raise MemoryError

    monkeypatch.setattr("autograder.grading.verdicts.judge", fails)
    (verdict,) = judge_here(recorded, Answers({EXERCISE: [plain(0)]})).result()
    assert (verdict.points, verdict.stage) == (0, "error")
    assert "too much memory" in verdict.headline
