"""Generates classes of any size with correct, wrong and missing answers, from a seed."""

from __future__ import annotations

import random
from pathlib import Path

import nbformat
from _oddities import CHANGES, add_cells

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course


def answers(course: Course, assignment: str, rng: random.Random) -> dict[str, str | None]:
    """Answers that replace the solution's: 2 of 10 are wrong, 1 is an alternative, 1 is missing."""
    changed: dict[str, str | None] = {}
    for name, exercise in Assignment(course, assignment).exercises.items():
        kind = rng.random()
        if kind < 0.2 and exercise.misconceptions:
            wrong = rng.choice(exercise.misconceptions)
            changed[name] = Assignment(course, assignment).typed(wrong)
        elif kind < 0.3 and exercise.alternatives:
            changed[name] = Assignment(course, assignment).typed(rng.choice(exercise.alternatives))
        elif kind < 0.4:
            changed[name] = None
    return changed


def odd_answers(
    course: Course, assignment: str, chosen: dict[str, str | None], rng: random.Random
) -> dict[str, str | None]:
    """The chosen answers, half of them with prints, helpers and imports of the student's own."""
    changed = dict(chosen)
    for name in Assignment(course, assignment).exercises:
        source = chosen.get(name, Assignment(course, assignment).solution.written_cells[name])
        if source is not None and rng.random() < 0.5:
            changed[name] = rng.choice(CHANGES)(source, name)
    return changed


def make_class(
    course: Course, assignment: str, folder: Path, size: int, seed: int = 0, odd: bool = False
) -> None:
    """Write `size` submissions of the assignment, s0000, s0001, ..., in `folder`/submitted.

    Parameters
    ----------
    odd : whether they hold what students leave beside their answers, as in `_oddities`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "class_seed").write_text("1\n")
    for number in range(size):
        rng = random.Random(f"{seed} {assignment} {number}")
        chosen = answers(course, assignment, rng)
        if odd:
            chosen = odd_answers(course, assignment, chosen, rng)
        notebook = filled(Assignment(course, assignment), chosen)
        if odd:
            add_cells(notebook, rng)
        path = folder / "submitted" / f"s{number:04}" / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
