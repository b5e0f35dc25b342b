"""CBOWClassifier: rows for <pad> and <unk> that are not zero; a pooling other than the default."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import normal
from .common import UNKNOWN, draw_gaps, draw_lengths, draw_texts

POINTS = {"scores": 2, "unknown": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        texts: list[torch.Tensor],
        v: int,
        title: str = "",
        *pool: codec.Source,
        gradient: str = "",
        later: list[torch.Tensor] | None = None,
    ) -> Case:
        """The vectors of <pad> and <unk> are not zero on purpose."""
        dim = int(rng.integers(2, 5))
        state = {"R.weight": normal(rng, v, dim), "W_o.weight": normal(rng, 1, dim)}
        state["W_o.bias"] = normal(rng, 1)
        then = [("__call__", *batch) for batch in (texts, later) if batch]
        return Case(group, [v, dim, *pool], state=state, then=then, title=title, gradient=gradient)

    for n, longest, v in ((2, 4, 6), (3, 5, 8), (int(rng.integers(4, 6)), 6, 9)):
        yield case("scores", draw_texts(rng, draw_lengths(rng, n, longest), v), v)
    yield case("scores", draw_texts(rng, [int(rng.integers(3, 6))], 7), 7, "a batch of one text")
    texts = draw_texts(rng, draw_lengths(rng, 3, 4), 6)
    yield case("scores", texts, 6, "what training changes", gradient="all")
    yield case("scores", draw_gaps(rng, 2, 7), 7, "the mask leaves out words in the middle")
    first, later = (draw_texts(rng, lengths, 7) for lengths in ([4, 2, 3], [1, 4, 2]))
    yield case("scores", first, 7, "two batches, one after the other", later=later)
    # Another pooling than the default also shows whether the class pools at all.
    texts = draw_texts(rng, draw_lengths(rng, 3, 5), 6)
    pool = codec.Source("lambda X, mask: X[:, 0] + 2 * (~mask).sum(dim=1, keepdim=True)")
    yield case("scores", texts, 6, "another pooling function is passed in", pool)
    ids, mask = draw_texts(rng, [5, 3, 4], 8)
    ids[0, int(rng.integers(5))] = ids[1, int(rng.integers(3))] = UNKNOWN
    yield case("unknown", [ids, mask], 8, "some words are unknown")
    _, mask = draw_texts(rng, [3, 2], 5)
    yield case("unknown", [UNKNOWN * mask, mask], 5, "every word is unknown")
    texts = draw_texts(rng, [0, int(rng.integers(2, 5))], 6)
    yield case("edges", texts, 6, "a text without words")
    yield case("edges", draw_texts(rng, [0], 4), 4, "nothing but padding")
    title = "nothing but padding: what training changes"
    yield case("edges", draw_texts(rng, [0, 0], 4), 4, title, gradient="all")
    yield case("edges", draw_texts(rng, [1], 6), 6, "one text of one word")
    ids, mask = draw_texts(rng, [4, 4, 4], 7)
    gaps = [ids.mT.contiguous().mT, mask]
    yield case("edges", gaps, 7, "ids that are not contiguous in memory")


FURTHER = """
Three lines make `forward`: a mask of the positions that are real and whose id is not
`Vocabulary.unknown`; the pooling function applied to `self.R(ids)` and that mask; the linear layer,
without the last axis. Store the pooling function in `__init__`.
"""

WRONG = {
    "returns_probabilities": """
        These are probabilities. Return the score itself, any real number: the loss applies the
        sigmoid later, in a numerically stable way.

        - return self.W_o(h).squeeze(-1)
        + return torch.sigmoid(self.W_o(h)).squeeze(-1)
        """,
    "keeps_last_axis": """
        The scores have the shape (B, 1). One number per text means (B,): remove the last axis.

        - return self.W_o(h).squeeze(-1)
        + return self.W_o(h)
        """,
    "squeezes_every_axis": """
        squeeze() without an axis removes every axis of length 1, so a batch of one text loses
        its batch axis too. Name the axis to remove.

        - return self.W_o(h).squeeze(-1)
        + return self.W_o(h).squeeze()
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
    "counts_unknown_words": """
        Unknown words get the vector zero, but they are still pooled, and a mean divides by them as
        well. Turn their positions to False in the mask.

        - known = mask & (ids != Vocabulary.unknown)
        - h = self.pool(self.R(ids), known)  # (B, d)
        + known = ids != Vocabulary.unknown
        + h = self.pool(self.R(ids) * known.unsqueeze(-1), mask)
        """,
    "known_by_ids_alone": """
        The given mask is not used: the ids alone decide which positions count. The mask says which
        are real, whatever their ids; take the ids only to leave out unknown words.

        - known = mask & (ids != Vocabulary.unknown)
        + known = ids > Vocabulary.unknown
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
                h = counts @ self.R.weight / counts.sum(dim=1, keepdim=True).clamp(min=1)
                return self.W_o(h)[:, 0]
        """,
    "text_by_text": """
        - known = mask & (ids != Vocabulary.unknown)
        - h = self.pool(self.R(ids), known)  # (B, d)
        - return self.W_o(h).squeeze(-1)
        + scores = []
        + for words, real in zip(ids, mask):
        +     known = real & (words > 1)
        +     h = self.pool(self.R(words)[None], known[None])[0]
        +     scores.append(h @ self.W_o.weight[0] + self.W_o.bias[0])
        + return torch.stack(scores)
        """,
}

EQUIVALENT = {
    "0 is padding, where the mask is False anyway.": """
          def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +     mask = mask & (ids != 0)

        - known = mask & (ids != Vocabulary.unknown)
        + known = mask & (ids > Vocabulary.unknown)
        """,
}
