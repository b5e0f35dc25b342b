"""Judges answers as students type them: with class seeds, or by the message that they are shown.

    python benchmarks/answers.py --seeds 100 --assignment 11_transformer_translation
    python benchmarks/answers.py --messages wrong > messages.tsv

The answers are those in `exercises/NN_topic/answers/`. What passes the check must earn all points with
every class seed, and what fails it must lose some: otherwise the case that tells belongs into both.
Writes the result of each assignment to `data/results/answers.json`.

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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _results import results, write

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED, one_thread, record_reference
from autograder.course.typed_answers import TypedAnswer, typed_answers, verdict_on
from autograder.errors import AnswerError
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import Verdict, judge

COURSE = Course(Path(__file__).parent.parent)


def judged(assignment: Assignment, seeds: int) -> dict[str, Any]:
    """How many answers there are, and whose verdict depends on the seed."""
    answers = {kind: typed_answers(assignment, kind) for kind in ("right", "wrong")}
    lost, luck = [], []
    for name in assignment.exercises:
        for seed in range(RECORDING_SEED, 1 + seeds):
            recorded = record_reference(assignment, name, seed)
            lost += _unexpected(assignment, recorded, answers["right"], True, seed)
            luck += _unexpected(assignment, recorded, answers["wrong"], False, seed)
    return {
        **{kind: len(found) for kind, found in answers.items()},
        "seeds": seeds,
        "right ones that lose points": lost,
        "wrong ones that lose none": luck,
    }


def _unexpected(
    assignment: Assignment,
    recorded: RecordedExercise,
    answers: list[TypedAnswer],
    passes: bool,
    seed: int,
) -> list[str]:
    """The answers to the exercise whose verdict is another one, and what it says."""
    found = []
    for answer in answers:
        if answer.exercise != recorded["name"]:
            continue
        try:
            thing = assignment.solution.run_answer(recorded["name"], answer.source)
        except AnswerError as error:
            found.append(f"{answer.exercise}, {answer.words}: {error}")
            continue
        verdict = judge(recorded, run_cases(thing, recorded["cases"]))
        if verdict.passed != passes:
            found.append(f"{answer.exercise}, {answer.words}, {seed}: {verdict.headline}")
    return found


def outcome(answer: TypedAnswer, verdict: Verdict) -> str:
    """What a wrong answer is told: "passes", "no hint", "the hint" after its bar, or "a hint"."""
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=20, help="class seeds besides the recorded cases"
    )
    parser.add_argument("--assignment", action="append", help="all, if none is named")
    parser.add_argument("--messages", metavar="KIND", help="print what answers of a kind are told")
    options = parser.parse_args()
    chosen = [
        one for one in every_assignment(COURSE) if one.name in (options.assignment or [one.name])
    ]
    if options.messages:
        print_messages(options.messages, chosen)
        return
    for assignment in chosen:
        with one_thread():
            found = judged(assignment, options.seeds)
        stored = results("answers")
        kept = {name: stored[name] for name in COURSE.assignments() if name in stored}
        kept[assignment.name] = found
        write("answers", kept)


if __name__ == "__main__":
    main()
