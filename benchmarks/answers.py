"""Prints what answers as students type them are told by their checks.

    python benchmarks/answers.py --messages wrong > messages.tsv

Reads `exercises/NN_topic/answers/KIND.py`, where there is one, and prints a row for each answer: what
it is shown by the recorded cases, and whether this is the hint that stands after its bar. To measure
hints blind, let somebody who knows only the student notebooks write answers to a file of another
name, without bars, and read the rows. Counts come last, on standard error. `autograder verify` judges
the answers in `right.py` and `wrong.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.layout import Course
from autograder.course.typed_answers import TypedAnswer, typed_answers, verdict_on
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import Verdict

COURSE = Course(Path(__file__).parent.parent)


def outcome(answer: TypedAnswer, verdict: Verdict) -> str:
    """Return what a wrong answer is told: "passes", "no hint", "the hint" after its bar, or "a hint"."""
    if verdict.passed:
        return "passes"
    if not verdict.hint:
        return "no hint"
    intended = verdict.misconception and verdict.misconception == answer.misconception
    return "the hint" if intended else "a hint"


def print_messages(kind: str, assignments: Sequence[Assignment]) -> None:
    """Print a row for each answer of a kind: where it is, what it is told, and how."""
    counts: Counter[str] = Counter()
    for assignment in assignments:
        if not (COURSE.cases(assignment.name) / "answers" / f"{kind}.py").exists():
            continue
        for answer in typed_answers(assignment, kind):
            verdict = verdict_on(assignment, find(answer.exercise), answer.source)
            told = outcome(answer, verdict)
            counts[told] += 1
            points = f"{verdict.points:g} of {verdict.max_points:g}"
            message = verdict.hint or verdict.headline
            row = (answer.exercise, answer.words, points, told, verdict.misconception, message)
            print("\t".join(row), flush=True)
    print(dict(counts), file=sys.stderr)


def main() -> None:
    """Print the messages of one kind of answers, of all assignments or of some."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--messages", metavar="KIND", required=True, help="print what answers of a kind are told"
    )
    parser.add_argument("--assignment", action="append", help="all, if none is named")
    options = parser.parse_args()
    chosen = options.assignment
    assignments = [one for one in every_assignment(COURSE) if not chosen or one.name in chosen]
    print_messages(options.messages, assignments)


if __name__ == "__main__":
    main()
