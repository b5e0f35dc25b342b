"""What the grader does outside the sandbox has limits, too, and ends in a reason."""

import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.classroom.collect import _features
from autograder.course.assignment import Assignment
from autograder.course.cells import checked_exercise, defined_names, kept_definitions, parse_start
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError, TookTooLong
from autograder.grading import cell_skipping, notebook_json, verdicts
from autograder.grading.grade_submission import Task, finish, grade_submission
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers
from autograder.grading.record_misconceptions import record_assignment
from autograder.grading.skip_safety import why_it_may_differ
from autograder.grading.submissions import UnreadableSubmission, read_submission
from coursekit.checking.time_limit import time_limit

NAME = "07_topic"
PICTURE = "iVBO" * (5 * 2**20 // 4)
BRACKETS = '\\"[{,'


def empty(count):
    return [{} for _ in range(count)]


REFUSED = {
    "values": (lambda book: book.metadata.update(x=empty(60_000)), "50,000 values"),
    "values of a cell": (lambda book: book.cells[1].metadata.update(x=empty(60_000)), "50,000"),
    "a million values": (lambda book: book.metadata.update(x=empty(1_200_000)), "2,000,000 values"),
    "text": (lambda book: book.cells.append(new_markdown_cell(PICTURE * 7)), "32 MiB"),
    "cells": (lambda book: book.cells.extend(new_code_cell("1") for _ in range(2_000)), "cells"),
    "code": (lambda book: book.cells.append(new_code_cell("x = 1\n" * 200_000)), "load data"),
    "text marked as an answer": (
        lambda book: book.cells.append(
            new_markdown_cell("x = 1\n" * 200_000, metadata={"nbgrader": {"grade_id": "scale"}})
        ),
        "load data",
    ),
}
ACCEPTED = {
    "a table in an output": lambda book: book.cells[2].update(
        outputs=[{"output_type": "stream", "name": "stdout", "text": "[0, 1], " * 400_000}]
    ),
    "numbers in an output": lambda book: book.cells[2].update(
        outputs=[{"output_type": "display_data", "data": {"x/json": [0] * 400_000}, "metadata": {}}]
    ),
    "states of widgets": lambda book: book.metadata.update(widgets={"state": empty(60_000)}),
    "a picture in a text": lambda book: book.cells.append(new_markdown_cell(f"![]({PICTURE})")),
    "a long backslash": lambda book: book.cells.append(new_markdown_cell(BRACKETS * 400_000)),
}


def written(course, tmp_path, change, encoding="utf-8"):
    book = filled(Assignment(course, NAME))
    book.cells.insert(2, new_code_cell("print(1)"))
    change(book)
    path = tmp_path / f"{NAME}.ipynb"
    path.write_bytes(json.dumps(book).encode(encoding))
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_take_minutes_to_read_is_refused_with_the_reason(small_course, tmp_path, name):
    change, reason = REFUSED[name]
    with pytest.raises(UnreadableSubmission, match=reason):
        read_submission(written(small_course, tmp_path, change))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_large_but_not_needed_costs_nothing(small_course, tmp_path, name, encoding):
    path = written(small_course, tmp_path, ACCEPTED[name], encoding)
    assert len(read_submission(path).cells) >= len(filled(Assignment(small_course, NAME)).cells)


def test_collecting_has_the_same_limits():
    cells = [{"metadata": {}, "source": "check(scale)"}]
    assert _features(json.dumps({"cells": cells}).encode()) == {"check scale"}
    assert _features(json.dumps({"cells": cells, "metadata": empty(60_000)}).encode()) == set()


def test_brackets_in_texts_are_no_values():
    assert notebook_json._tokens(b'{"a": "[[[,,,", "b\\"[": [1, 2]}') == 4
    assert notebook_json._tokens(b"[" * 10) == 10


@pytest.mark.parametrize(
    "source",
    [
        "import " + "a." * 2_000 + "a",
        "from " + "a.\\\n" * 2_000 + "a import b",
        "import a" + ".\fa" * 999,
    ],
)
def test_a_very_long_import_is_not_parsed(source):
    with pytest.raises(ValueError, match="very long name"):
        parse_start(source)
    assert checked_exercise(source) is None
    assert defined_names(f"{source}\ndef scale(): pass") == ("scale",)


@pytest.mark.parametrize(
    "source", ["%time 1\n" * 600, "%time 1\n" * 80 + "# x" * 5_000, "a?\n" * 600]
)
def test_lines_of_ipython_that_nobody_writes_by_hand_are_not_translated(source):
    with pytest.raises(CourseError, match="lines of IPython syntax"):
        kept_definitions(source)
    assert why_it_may_differ(new_notebook(cells=[new_code_cell(source)]), [], [])
    assert kept_definitions("%matplotlib inline\nimport math").body[0].names[0].name == "math"


def test_a_proof_that_takes_too_long_is_given_up(small_course, monkeypatch):
    def cannot_differ(*inputs):
        while True:
            pass

    monkeypatch.setattr(cell_skipping, "cannot_differ", cannot_differ)
    monkeypatch.setattr(cell_skipping, "_PROOF_SECONDS", 0.05)
    assert not cell_skipping._is_proved(filled(Assignment(small_course, NAME)), [], [])


def test_python_code_is_interrupted_after_its_processor_time():
    def run_forever():
        while True:
            pass

    with pytest.raises(TookTooLong, match=r"after 0\.05 seconds"), time_limit(0.05, TookTooLong):
        run_forever()
    with time_limit(60, TookTooLong):
        pass


def test_answers_that_take_too_long_to_compare_cost_their_exercise(small_course, monkeypatch):
    def judge(exercise, outcomes):
        while True:
            pass

    monkeypatch.setattr(verdicts, "judge", judge)
    monkeypatch.setattr(verdicts, "_JUDGE_SECONDS", 0.05)
    recorded = record_assignment(Assignment(small_course, NAME), 1)
    name = next(iter(recorded))
    (verdict,) = verdicts.decide(recorded, Answers({name: [{}]}))
    assert verdict.points == 0
    assert "comparing its results took more than" in verdict.headline


def test_a_submission_that_keeps_the_grader_busy_gets_zeros_and_the_reason(
    small_course, tmp_path, monkeypatch
):
    from autograder.grading import grade_submission as stage

    def sanitize(submission, release):
        while True:
            pass

    monkeypatch.setattr(stage, "sanitize", sanitize)
    monkeypatch.setattr(stage, "STEP_SECONDS", 0.05)
    saved = []
    path = written(small_course, tmp_path, lambda book: None)
    task = Task.of(Assignment(small_course, NAME), 1, Limits())
    reason = finish(grade_submission(path, task, None, saved.append))
    assert "stopped working on it" in reason
    assert "stopped working on it" in str(saved[0])
