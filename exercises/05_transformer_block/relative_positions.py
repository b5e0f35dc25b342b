"""Clipped distances j - i as row numbers of a table; k may exceed every distance, or be 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, low in ((1, 3), (2, 5)):
        yield Case("values", [low + int(rng.integers(0, 7)), k], judge=EXACT)
    k = int(rng.integers(3, 6))
    yield Case("values", [k + int(rng.integers(3, 8)), k], judge=EXACT)
    length, more = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    yield Case("edges", [length, length + more], title="k is larger than any distance")
    length = int(rng.integers(2, 9))
    yield Case("edges", [length, 0], title="k is 0: all distances are the same")
    yield Case("edges", [1, int(rng.integers(1, 10))], title="one token")
    yield Case("edges", [0, int(rng.integers(1, 4))], title="no tokens")


WRONG = {
    "reverses_distance": """
        The sign is reversed: the distance is j - i, so positions to the right of token i have
        the larger numbers.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[:, None] - position[None, :]).clamp(-k, k) + k
        """,
    "does_not_clip": """
        Nothing is clipped: all tokens farther away than k share one number, on each side.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return position[None, :] - position[:, None] + k
        """,
    "keeps_negative_distances": """
        These are the distances from -k to k. As row numbers of a table they have to start at 0,
        so k is added.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).clamp(-k, k)
        """,
    "numbers_rows_from_one": """
        The row numbers start at 1. The rows of a table count from 0: add k to the clipped
        distances, and no more.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).clamp(-k, k) + k + 1
        """,
    "takes_absolute_distance": """
        Left and right are the same here, for the distance has lost its sign. `not` before a word
        is something else than `not` after it.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).abs().clamp(max=k) + k
        """,
    "clips_after_adding": """
        k is added first, and the sum is clipped at -k and k. Clip the distances themselves; or,
        once k is added, at 0 and 2k.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None] + k).clamp(-k, k)
        """,
    "clips_the_sum_at_k": """
        k is added first, and the sum is clipped at 0 and k, so all tokens to the right get the number
        of distance 0. Clip the distances themselves at -k and k; or, once k is added, at 0 and 2k.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None] + k).clamp(0, k)
        """,
    "returns_floats": """
        These are floats. Row numbers of a table must be integers (int64).

        - position = torch.arange(length)
        + position = torch.arange(length).float()
        """,
    "clips_on_one_side": """
        Only one side is clipped: tokens more than k to the left get numbers below 0. Clip at -k, too.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).clamp(max=k) + k
        """,
    "counts_only_how_far": """
        Only the size of the distance is left, from 0 to k: the token before and the token after share
        a row. Keep the sign, and add k.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).abs().clamp(max=k)
        """,
    "clips_left_at_zero": """
        The distances are clipped at 0 and k, so all tokens to the left share the row of the token
        itself. Before k is added, a distance may be as low as -k.

        - return (position[None, :] - position[:, None]).clamp(-k, k) + k
        + return (position[None, :] - position[:, None]).clamp(0, k) + k
        """,
}

RIGHT = {
    "relative_by_loops": """
        def relative_positions(length, k):
            rows = torch.zeros(length, length, dtype=torch.int64)
            for i in range(length):
                for j in range(length):
                    rows[i, j] = max(-k, min(k, j - i)) + k
            return rows
        """,
    "relative_by_grid": """
        def relative_positions(length, k):
            i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
            return torch.clip(j - i + k, 0, 2 * k)
        """,
}
