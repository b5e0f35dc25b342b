"""Reads and judges the answers in `exercises/NN_topic/answers/`, for tests and benchmarks."""

from __future__ import annotations

import re
from typing import Any

from checkout import ROOT, shared_assignment

from autograder.course.layout import Course
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge

COURSE = Course(ROOT)
_CELL = re.compile(r"^# %% (\w+): ([^|\n]+?)(?: \| ?(\w*))?\n(.*?)(?=^# %% |\Z)", re.M | re.S)


def answers(kind: str, assignment: str) -> list[tuple[str, str, str, str]]:
    """Exercise, description, misconception and source of each answer."""
    text = (COURSE.cases(assignment) / "answers" / f"{kind}.py").read_text("utf-8")
    found = _CELL.findall(text)
    assert len(found) == text.count("# %% ")
    return found


def verdict_on(assignment: str, exercise: dict[str, Any], source: str) -> Verdict:
    """The verdict on an answer, with the cases of the recorded exercise."""
    answer = shared_assignment(assignment).solution.run_answer(exercise["name"], source)
    return judge(exercise, run_cases(answer, exercise["cases"]))
