"""CBOWClassifier: tables whose rows for padding and <unk> are not zero, and a pooling other than the default."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.deep_averaging.common import (
    UNKNOWN,
    draw_ids,
    draw_lengths,
    draw_mask,
    draw_numbers,
    normal,
)
from coursekit.checking import codec

POINTS = {"scores": 2, "unknown": 1, "edges": 1}


def _cbow(rng: np.random.Generator, n_words: int, dim: int) -> dict[str, torch.Tensor]:
    """Weights; the vectors of <pad> and <unk> are not zero on purpose."""
    return {
        "R.weight": normal(rng, n_words, dim),
        "W_o.weight": normal(rng, 1, dim),
        "W_o.bias": normal(rng, 1),
    }


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, ids: torch.Tensor, mask: torch.Tensor, v: int, title: str = "") -> Case:
        dim = int(rng.integers(2, 5))
        state = _cbow(rng, v, dim)
        return Case(group, [v, dim], state=state, then=[("__call__", ids, mask)], title=title)

    for n, longest, v in ((2, 4, 6), (3, 5, 8), (int(rng.integers(4, 6)), 6, 9)):
        mask = draw_mask(draw_lengths(rng, n, longest))
        yield case("scores", draw_ids(rng, mask, v), mask, v)
    mask = draw_mask([int(rng.integers(3, 6))])
    yield case("scores", draw_ids(rng, mask, 7), mask, 7, "a batch of one text")
    # Another pooling than the default, which also shows whether the class pools at all.
    mask = draw_mask(draw_lengths(rng, 3, 5))
    pool = codec.Source("lambda X, mask: X[:, 0] + 2 * mask.sum(dim=1, keepdim=True)")
    yield Case(
        "scores",
        [6, 3, pool],
        state=_cbow(rng, 6, 3),
        then=[("__call__", draw_ids(rng, mask, 6), mask)],
        title="another pooling function is passed in",
    )
    mask = draw_mask([5, 3, 4])
    ids = draw_ids(rng, mask, 8)
    ids[0, int(rng.integers(5))] = ids[1, int(rng.integers(3))] = UNKNOWN
    yield case("unknown", ids, mask, 8, "some words are unknown")
    mask = draw_mask([3, 2])
    strange = torch.full((2, 3), UNKNOWN) * mask
    yield case("unknown", strange, mask, 5, "every word is unknown")
    mask = draw_mask([0, int(rng.integers(2, 5))])
    yield case("edges", draw_ids(rng, mask, 6), mask, 6, "a text without words")
    nothing = torch.zeros(1, 1, dtype=torch.long)
    yield case("edges", nothing, draw_mask([0]), 4, "nothing but padding")
    yield case("edges", draw_numbers(rng, 2, 6, 1, 1), draw_mask([1]), 6, "one text of one word")
    ids, mask = draw_numbers(rng, 2, 7, 4, 3).mT, torch.ones(3, 4, dtype=torch.bool)
    yield case("edges", ids, mask, 7, "ids that are not contiguous in memory")


WRONG = {
    "returns_probabilities": """
        These are probabilities. Return the score itself, any real number: the loss applies the
        sigmoid later, in a numerically stable way.

        - return self.W_o(d).squeeze(-1)
        + return torch.sigmoid(self.W_o(d)).squeeze(-1)
        """,
    "keeps_last_axis": """
        The scores have the shape (B, 1). One number per text means (B,): remove the last axis.

        - return self.W_o(d).squeeze(-1)
        + return self.W_o(d)
        """,
    "squeezes_every_axis": """
        squeeze() without an axis removes every axis of length 1, so a batch of one text loses
        its batch axis too. Name the axis to remove.

        - return self.W_o(d).squeeze(-1)
        + return self.W_o(d).squeeze()
        """,
    "includes_unknown_words": """
        Unknown words take part with the vector of <unk>. As in the bags of 01 they should not
        count: pool only over positions that are real and known.

        - known = mask & (ids != Vocabulary.unknown)
        + known = mask
        """,
    "ignores_mask": """
        The mask is ignored, so the padding is pooled as well. Pool only over positions that are
        real and known.

        - known = mask & (ids != Vocabulary.unknown)
        + known = ids != Vocabulary.unknown
        """,
    "relu_before_score": """
        There is an activation function between the pooled vector and the score. This classifier
        has none; it comes with the deep network.

        - return self.W_o(d).squeeze(-1)
        + return self.W_o(torch.relu(d)).squeeze(-1)
        """,
    "without_bias": """
        W_o has no bias, so a text without known words always scores 0. Leave the bias of
        nn.Linear on.

        raises ValueError

        - self.W_o = nn.Linear(dim, 1)
        + self.W_o = nn.Linear(dim, 1, bias=False)
        """,
    "calls_none": """
        When no `pool` is given, the model calls None. None stands for your mean_pool: set it in
        __init__.

        raises TypeError

        - self.pool = mean_pool if pool is None else pool
        + self.pool = pool
        """,
    "ignores_pool": """
        The `pool` argument is ignored: the vectors are always averaged. Store it in __init__ and
        call it in forward.

        - self.pool = mean_pool if pool is None else pool
        + self.pool = mean_pool
        """,
    "sums_by_default": """
        By default the vectors are summed, but they should be averaged: the default is mean_pool.

        - self.pool = mean_pool if pool is None else pool
        + self.pool = sum_pool if pool is None else pool
        """,
}

RIGHT = {
    "bag_times_table": """
        class CBOWClassifier(nn.Module):
            def __init__(self, n_words, dim, pool=None):
                super().__init__()
                self.R, self.W_o = nn.Embedding(n_words, dim, padding_idx=0), nn.Linear(dim, 1)
                self.pool = pool

            def forward(self, ids, mask):
                known = torch.logical_and(mask, ids.ne(1))
                if self.pool is not None:
                    return self.W_o(self.pool(self.R(ids), known))[:, 0]
                counts = torch.zeros(len(ids), self.R.num_embeddings)
                counts = counts.scatter_add(1, ids.contiguous(), known.float())
                d = counts @ self.R.weight / counts.sum(dim=1, keepdim=True).clamp(min=1)
                return self.W_o(d)[:, 0]
        """,
    "text_by_text": """
        - known = mask & (ids != Vocabulary.unknown)
        - d = self.pool(self.R(ids), known)  # (B, K)
        - return self.W_o(d).squeeze(-1)
        + scores = []
        + for words, real in zip(ids, mask):
        +     known = real & (words > 1)
        +     d = self.pool(self.R(words)[None], known[None])[0]
        +     scores.append(d @ self.W_o.weight[0] + self.W_o.bias[0])
        + return torch.stack(scores)
        """,
}
