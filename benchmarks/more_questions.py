"""Trains assignment 13's reader on more planted questions: is it the steps, or the examples?

    python benchmarks/more_questions.py --examples 1500 20000 --steps 3000
    python benchmarks/more_questions.py --examples 20000 --steps 6000

The questions come from the program that made those of `almanac-questions` (`data/almanac/tasks.py`);
the first 1,500 are the released ones. Validation and test questions are the released ones, too, and
the test's countries are in no training question. The encoder is BERT's, with the larger rate of the
table, the one that validation chose there for 1,000 steps. (Two runs were watched on the validation
split before: one of 5,000 steps with 1,500 questions, stopped at 3,000, and one of 3,000 with 20,000;
they reached 62 and 83 there.) F1 on both splits goes to `data/results/many_tasks.json`, as soon as a
run has ended.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from _results import results, store
from many_tasks import DIGITS, ENCODER_RATES, NAME, cell, counted, examples, neural

ALMANAC = Path(__file__).parent.parent / "data" / "almanac"
TASK, SYSTEM = "questions", "BERT"


def drawn(n: int) -> list[Any]:
    """The first n training questions that the almanac's program draws."""
    sys.path.insert(0, str(ALMANAC))
    from tasks import questions

    row = type(examples(TASK, "validation", 1)[0])
    return [
        row(name, question, context, tuple((text, first) for text, first in answers), title)
        for name, question, context, answers, title in questions("train", n)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--examples", type=int, nargs="+", default=[1500, 20_000])
    parser.add_argument("--steps", type=int, default=3000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    checked, test = (examples(TASK, split, 10**6) for split in ("validation", "test"))
    rate = max(ENCODER_RATES)
    for n in options.examples:
        predict = neural(TASK, SYSTEM, drawn(n), [], 0, rate, options.steps)
        row = {
            "examples": n,
            "steps": options.steps,
            "validation": cell(TASK, counted(TASK, checked, predict(checked)))["score"],
            **cell(TASK, counted(TASK, test, predict(test))),
        }
        print(row, flush=True)
        found = results(NAME)
        kept = [
            one
            for one in found.get("more_questions", [])
            if (one["examples"], one["steps"]) != (n, options.steps)
        ]
        found["more_questions"] = sorted(
            [*kept, row], key=lambda one: (one["examples"], one["steps"])
        )
        store(NAME, found, DIGITS)


if __name__ == "__main__":
    main()
