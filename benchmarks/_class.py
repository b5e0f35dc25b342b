"""Generates classes of any size with correct, wrong and missing answers, from a seed."""

from __future__ import annotations

import random
from pathlib import Path

import nbformat

from autograder.course import catalog
from autograder.course.answers import filled, typed
from autograder.course.layout import Course


def answers(course: Course, assignment: str, rng: random.Random) -> dict[str, str | None]:
    """Answers that replace the solution's: 2 of 10 are wrong, 1 is an alternative, 1 is missing."""
    changed: dict[str, str | None] = {}
    for name, exercise in catalog.exercises(course, assignment).items():
        kind = rng.random()
        if kind < 0.2 and exercise.misconceptions:
            wrong = rng.choice(exercise.misconceptions)
            changed[name] = typed(course, assignment, wrong)
        elif kind < 0.3 and exercise.alternatives:
            changed[name] = typed(course, assignment, rng.choice(exercise.alternatives))
        elif kind < 0.4:
            changed[name] = None
    return changed


def make_class(course: Course, assignment: str, folder: Path, size: int, seed: int = 0) -> None:
    """Write `size` submissions of the assignment, s0000, s0001, ..., in `folder`/submitted."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "class_seed").write_text("1\n")
    for number in range(size):
        chosen = answers(course, assignment, random.Random(f"{seed} {assignment} {number}"))
        path = folder / "submitted" / f"s{number:04}" / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(filled(course, assignment, chosen), path)
