"""What a table of everything that Gradescope has shown earns, after fifty submissions.

    python benchmarks/instant_feedback.py               # every assignment
    python benchmarks/instant_feedback.py 00_setup

Each submission answers from the table of calls and expected values that it could read in the results
so far, and from the recorded cases, which students have. `told` is the same attack on results that
tell the failing case, with one seed for all: what a table earned before.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder.classroom.grade_in_gradescope import submission_seed
from autograder.classroom.gradescope_json import results
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED, record_reference
from coursekit.checking import codec
from coursekit.checking.format import show_call
from coursekit.checking.recording_format import Case, Outcome, RecordedExercise
from coursekit.checking.verdict import judge

COURSE = Course(Path(__file__).parent.parent)
SUBMISSIONS, CLASS_SEED = 50, 41
_NAMES = {"tensor": torch.tensor, "array": np.array, "nan": float("nan"), "inf": float("inf")}
_KINDS = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "bool")
_NAMES |= {name: getattr(torch, name) for name in _KINDS}


class Table:
    """What a student knows of an exercise: recorded cases, and what the results have told."""

    def __init__(self, recorded: RecordedExercise) -> None:
        self.recorded = recorded
        self.known = {_inputs(case): case["expected"] for case in recorded["cases"]}
        self.told: dict[str, str] = {}

    def answer(self, case: Case) -> Outcome:
        """The outcome that the table has for a case; None where it has none."""
        text = self.told.get(show_call(self.recorded, case))
        if text is not None:
            try:
                return {"status": "value", "value": codec.encode(eval(text, dict(_NAMES)))}
            except Exception:
                pass  # it was cut off
        return self.known.get(_inputs(case), {"status": "value", "value": None})

    def read(self, found: dict[str, Any]) -> None:
        """Add the calls and expected values in the results of a submission."""
        for test in found["tests"]:
            rows = dict(
                line.partition(": ")[::2] for line in test["output"].splitlines() if ": " in line
            )
            if "call" in rows and "expected" in rows:
                self.told[rows["call"]] = rows["expected"]


def earned(assignment: Assignment, name: str, told: bool) -> tuple[float, float]:
    """The points of the last of fifty submissions, and all there are.

    Parameters
    ----------
    told : bool
        Whether the results tell the failing case, and all submissions have the same cases.
    """
    table = Table(record_reference(assignment, name, RECORDING_SEED))
    points = 0.0
    for number in range(SUBMISSIONS + 1):
        seed = CLASS_SEED if told else submission_seed(CLASS_SEED, str(number))
        exercise = record_reference(assignment, name, seed)
        verdict = judge(exercise, [table.answer(case) for case in exercise["cases"]])
        table.read(results([verdict], values=told))
        points = verdict.points
    return points, verdict.max_points


def measure(names: list[str]) -> dict[str, list[float]]:
    """Assignment -> what a table earned before, what it earns, and all there are."""
    found = {}
    for name in names or COURSE.assignments():
        assignment = Assignment(COURSE, name)
        before, now, most = 0.0, 0.0, 0.0
        for exercise in assignment.exercises:
            before += earned(assignment, exercise, told=True)[0]
            points, of = earned(assignment, exercise, told=False)
            if points:
                print(f"  {exercise}: {points:g} of {of:g}", flush=True)
            now, most = now + points, most + of
        found[name] = [before, now, most]
        print(f"{name}: told {before:g}, now {now:g} of {most:g}", flush=True)
    return found


def _inputs(case: Case) -> str:
    return json.dumps([case.get(key) for key in ("args", "kwargs", "state", "then")])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*")
    measure(parser.parse_args().assignments)
