"""The BLEU of 09_translation is that of sacrebleu, edge cases included."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU

from autograder.course.reference import Solution

NOTEBOOK = Path(__file__).parents[3] / "solutions/09_translation/09_translation.ipynb"
WORDS = "le la chat chien blanc dort ne pas . elle".split()

Sentences = list[list[str]]


def theirs(hypotheses: Sentences, references: list[Sentences]) -> float:
    bleu = BLEU(smooth_method="none", tokenize="none", force=True)
    most = max(map(len, references))
    # sacrebleu wants the first references of all sentences, then the second ones; None if missing
    columns = [
        [" ".join(several[k]) if k < len(several) else None for several in references]
        for k in range(most)
    ]
    return bleu.corpus_score([" ".join(h) for h in hypotheses], columns).score


def ours(hypotheses: Sentences, references: list[Sentences]) -> float:
    return Solution(NOTEBOOK).definitions["corpus_bleu"](hypotheses, references)


def drawn(draw: random.Random, shortest: int = 1, longest: int = 14) -> list[str]:
    return [draw.choice(WORDS) for _ in range(draw.randint(shortest, longest))]


@pytest.mark.parametrize("seed", range(30))
def test_09_bleu_of_random_sentences_is_that_of_sacrebleu(seed):
    draw = random.Random(seed)
    n = draw.randint(1, 12)
    references = [[drawn(draw) for _ in range(draw.randint(1, 3))] for _ in range(n)]
    hypotheses = [
        [w if draw.random() < 0.85 else draw.choice(WORDS) for w in draw.choice(several)]
        for several in references
    ]
    assert ours(hypotheses, references) == pytest.approx(theirs(hypotheses, references), abs=0.01)


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        ([["le", "chat"]], [[["le", "chat"]]]),  # no 4-gram
        (
            [[], ["le", "chat", "blanc", "dort", "."]],
            [[["le"]], [["le", "chat", "blanc", "dort", "."]]],
        ),
        ([["la"] * 5], [[["le"] * 5]]),  # nothing is right
        ([["le"] * 9], [[["le"] * 5]]),  # clipping
        ([["le", "chat", "blanc", "dort"]], [[["le", "chat", "blanc", "dort", "."] * 2]]),
    ],
)
def test_09_bleu_of_edge_cases_is_that_of_sacrebleu(hypotheses, references):
    assert ours(hypotheses, references) == pytest.approx(theirs(hypotheses, references), abs=0.01)
