"""Cases and misconceptions of __NUMBER_____TOPIC__."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case, Exercise


def _average_cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length in ((2, 4), (3, 5)):
        scores = torch.from_numpy(rng.normal(size=(batch, length)).astype(np.float32))
        lengths = torch.from_numpy(rng.integers(2, length, size=batch))
        mask = torch.arange(length) < lengths[:, None]
        yield Case("values", [scores, mask])
    empty = torch.zeros(1, 4, dtype=torch.bool)
    scores = torch.from_numpy(rng.normal(size=(1, 4)).astype(np.float32))
    yield Case("empty", [scores, empty], title="a text without words")


average___TOPIC__ = Exercise(
    "average___TOPIC__", points={"values": 2, "empty": 1}, cases=_average_cases
)


@average___TOPIC__.misconception(
    "Padding is averaged in: divide by the number of real positions, not by the length."
)
def counts_padding(scores, mask):
    return (scores * mask).mean(dim=1)


@average___TOPIC__.misconception(
    "The mask is not used at all: positions where it is False must not count."
)
def ignores_mask(scores, mask):
    return scores.mean(dim=1)


@average___TOPIC__.misconception(
    "A text without words divides 0 by 0: make sure that the count is at least 1."
)
def divides_by_zero(scores, mask):
    return (scores * mask).sum(dim=1) / mask.sum(dim=1)


@average___TOPIC__.alternative
def loop(scores, mask):
    rows = [row[keep] for row, keep in zip(scores, mask)]
    return torch.stack([row.mean() if len(row) else row.sum() for row in rows])


@average___TOPIC__.alternative
def einsum(scores, mask):
    weights = mask.float()
    return torch.einsum("bl,bl->b", scores, weights) / weights.sum(1).clamp(min=1)
