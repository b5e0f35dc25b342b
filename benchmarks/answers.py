"""Judges right answers as students type them, with the recorded cases and with class seeds.

    python benchmarks/answers.py --seeds 3

The answers are those in `exercises/NN_topic/answers/right.py`; each must earn all points. Writes
`data/results/answers.json`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _results import write

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record_reference
from autograder.course.typed_answers import typed_answers, verdict_on

COURSE = Course(Path(__file__).parent.parent)


def lost_points(assignment: Assignment, seed: int) -> list[str]:
    """The right answers that lose points with the cases of one seed, and why."""
    recorded, lost = {}, []
    for answer in typed_answers(assignment, "right"):
        name = answer.exercise
        if name not in recorded:
            recorded[name] = record_reference(assignment, name, seed)
        verdict = verdict_on(assignment, recorded[name], answer.source)
        if not verdict.passed:
            lost.append(f"{name}, {answer.words}, {seed}: {verdict.headline}")
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=3, help="class seeds besides the recorded cases"
    )
    seeds = parser.parse_args().seeds
    counts, lost = {}, []
    for assignment in every_assignment(COURSE):
        counts[assignment.name] = len(typed_answers(assignment, "right"))
        for seed in (RECORDING_SEED, *range(1, 1 + seeds)):
            lost += lost_points(assignment, seed)
        print(assignment.name, counts[assignment.name], lost, flush=True)
    found = {"answers": counts, "in all": sum(counts.values()), "seeds": seeds, "lost points": lost}
    write("answers", found)


if __name__ == "__main__":
    main()
