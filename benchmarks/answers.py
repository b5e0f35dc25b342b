"""Judges answers as students type them: right ones with class seeds, wrong ones by their message.

    python benchmarks/answers.py --seeds 3
    python benchmarks/answers.py --messages wrong > messages.tsv

The right answers are those in `exercises/NN_topic/answers/right.py`; each must earn all points. Writes
`data/results/answers.json`.

With `--messages` nothing is stored. It reads `exercises/NN_topic/answers/KIND.py`, where there is one,
and prints a row for each answer: what it is shown by the recorded cases, and whether this is the hint
that stands after its bar. To measure hints blind, let somebody who knows only the student notebooks
write answers to a file of another name, without bars, and read the rows. Counts come last, on
standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import torch
from _results import write

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record_reference
from autograder.course.typed_answers import TypedAnswer, typed_answers, verdict_on
from coursekit.checking.recordings import find
from coursekit.checking.verdict import Verdict

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


def outcome(answer: TypedAnswer, verdict: Verdict) -> str:
    """What a wrong answer is told: "passes", "no hint", "the hint" after its bar, or "a hint"."""
    if verdict.passed:
        return "passes"
    if not verdict.hint:
        return "no hint"
    intended = verdict.misconception and verdict.misconception == answer.misconception
    return "the hint" if intended else "a hint"


def print_messages(kind: str) -> None:
    """Print a row for each answer of a kind: where it is, what it is told, and how."""
    counts: Counter[str] = Counter()
    for assignment in every_assignment(COURSE):
        if not (COURSE.cases(assignment.name) / "answers" / f"{kind}.py").exists():
            continue
        for answer in typed_answers(assignment, kind):
            verdict = verdict_on(assignment, find(answer.exercise), answer.source)
            torch.set_grad_enabled(True)  # an answer may have left it off
            told = outcome(answer, verdict)
            counts[told] += 1
            points = f"{verdict.points:g} of {verdict.max_points:g}"
            message = verdict.hint or verdict.headline
            row = (answer.exercise, answer.words, points, told, verdict.misconception, message)
            print("\t".join(row), flush=True)
    print(dict(counts), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=3, help="class seeds besides the recorded cases"
    )
    parser.add_argument("--messages", metavar="KIND", help="print what answers of a kind are told")
    options = parser.parse_args()
    if options.messages:
        print_messages(options.messages)
        return
    seeds = options.seeds
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
