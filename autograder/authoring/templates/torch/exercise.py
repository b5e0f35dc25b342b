"""average___TOPIC__: a mean over real positions; cases with padding, and a text without words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 2, "empty": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length in ((2, 4), (3, 5)):
        scores = torch.from_numpy(rng.normal(size=(batch, length)).astype(np.float32))
        scores[0, 0] = 0.0  # a score like any other
        lengths = torch.from_numpy(rng.integers(2, length, size=batch))
        mask = torch.arange(length) < lengths[:, None]
        yield Case("values", [scores, mask])
        yield Case("values", [scores, mask], gradient="scores", title="a gradient")
    scores = torch.from_numpy(rng.normal(size=(1, 5)).astype(np.float32))
    mask = torch.arange(5) == int(rng.integers(1, 5))
    yield Case("values", [scores, mask[None]], title="one text with one word")
    scores = torch.from_numpy(rng.normal(size=(2, 4)).astype(np.float32))
    mask = torch.tensor([[False] * 4, [True] * 4])
    yield Case("empty", [scores, mask], title="a text without words")


# name -> the hint, a blank line, and an edit of the solution: lines to remove (-) and to add (+)
WRONG = {
    "counts_padding": """
        Padding is averaged in: divide by the number of real positions, not by the length.

        - count = mask.sum(dim=1)
        + count = torch.tensor(scores.shape[1])
        """,
    "ignores_mask": """
        The mask is not used at all: positions where it is False must not count.

        def average___TOPIC__(scores, mask):
            return scores.mean(dim=1)
        """,
    "divides_by_zero": """
        A text without words divides 0 by 0: make sure that the count is at least 1.

        - return total / count.clamp(min=1)
        + return total / count
        """,
}

# a reason -> edits of the solution that are right, as `autograder audit` prints them
EQUIVALENT = {
    "A mask of numbers counts the same.": """
        + mask = mask.float()
          total = (scores * mask).sum(dim=1)

        + mask = mask.long()
          total = (scores * mask).sum(dim=1)
        """,
    "Of a batch without a single word nothing passes back.": """
        - return total / count.clamp(min=1)
        + return (total / count.clamp(min=1)) if mask.any() else (total / count.clamp(min=1)).detach()
        """,
    "The division broadcasts the sum of one text, or its count, to the axis that was lost.": """
        - total = (scores * mask).sum(dim=1)
        + total = (scores * mask).sum(dim=1).squeeze()

        - count = mask.sum(dim=1)
        + count = mask.sum(dim=1).squeeze()
        """,
}

# right answers in other styles, which must pass
RIGHT = {
    "loop": """
        def average___TOPIC__(scores, mask):
            rows = [row[keep] for row, keep in zip(scores, mask)]
            return torch.stack([row.mean() if len(row) else row.sum() for row in rows])
        """,
    "einsum": """
        def average___TOPIC__(scores, mask):
            weights = mask.float()
            return torch.einsum("bl,bl->b", scores, weights) / weights.sum(1).clamp(min=1)
        """,
}
