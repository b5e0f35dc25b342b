"""sum_pool: a sum over each text's words; the vectors at padding are not zero."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask, normal
from .common import gradient_case, pool_cases, quarters

POINTS = {"values": 2, "edges": 1, "precision": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from pool_cases(rng)
    yield gradient_case(rng, "values")
    for lengths, what in (
        ([4, 2], ""),
        ([3, 0], ", one text without words"),
        ([0, 0], ", no words"),
    ):
        X = normal(rng, 2, 4, int(rng.integers(2, 4))).double()
        title = f"double precision (float64){what}"
        yield Case("precision", [X, lengths_mask(lengths, 4)], title=title, judge=EXACT)
    half = quarters(rng, 2, 4, int(rng.integers(2, 4))).half()
    title = "half precision (float16)"
    yield Case("precision", [half, lengths_mask([4, 2], 4)], title=title, judge=EXACT)


WRONG = {
    "adds_padding": """
        The mask is ignored, so the vectors at padding are added as well. Sum only over the
        positions where the mask is True.

        def sum_pool(X, mask):
            return X.sum(dim=1)
        """,
    "adds_only_padding": """
        The mask is inverted: this adds up the padding and leaves out the words. The mask is True
        at words.

        - return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        + return X.masked_fill(mask.unsqueeze(-1), 0.0).sum(dim=1)
        """,
    "sums_the_components": """
        The sum runs over the wrong axis. In (B, L, d) the words are on axis 1, and it is this
        axis that should disappear: (B, d).

        - return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        + return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=-1)
        """,
    "mask_without_axis": """
        X has three axes, (B, L, d), and the mask has two, (B, L). Give the mask a third axis of
        length 1 at the end, so that broadcasting applies it to all d components of a word.

        def sum_pool(X, mask):
            return (X * mask).sum(dim=1)
        """,
    "half_precision_turns_float32": """
        Half precision comes in and float32 comes out: a mask made float32 takes the product along.
        Convert the mask to the dtype of X, or fill the padding with 0.

        def sum_pool(X, mask):
            return (X.masked_fill(~mask.unsqueeze(-1), 0) * mask.unsqueeze(-1).float()).sum(dim=1)
        """,
    "sum_turns_float32": """
        The result has another dtype than X. Keep the dtype of X: zeros and ones of the mask have to
        be converted to it, and the result must not be made float32.

        def sum_pool(X, mask):
            return (X.float() * mask.float().unsqueeze(-1)).sum(dim=1)
        """,
    "changes_input": """
        The sum is right, but X is changed in place: its padding is now zero for everyone who
        uses X later. Use masked_fill, or work on a copy.

        def sum_pool(X, mask):
            X[~mask] = 0.0
            return X.sum(dim=1)
        """,
    "adds_the_first_vectors": """
        The first n vectors of each text are added, with n the number of its words. But the words
        are not always the first ones: use the mask itself.

        def sum_pool(X, mask):
            counts = mask.sum(dim=1).tolist()
            return torch.stack([x[:n].sum(dim=0) for x, n in zip(X, counts)])
        """,
    "flattens_the_batch": """
        X[mask] is a list of the words of all texts, which no longer says whose they are, and their
        sum is one vector for the whole batch. Keep the shape (B, L, d) until you add up.

        def sum_pool(X, mask):
            return X[mask].sum(dim=0)
        """,
    "keeps_the_axis": """
        The axis of the words is still there, with length 1: (B, 1, d). Without keepdim=True it
        disappears.

        - return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        + return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1, keepdim=True)
        """,
    "stops_at_the_first_gap": """
        The sum stops at the first position where the mask is False, and words after it are lost.
        The mask may have gaps: add every position where it is True.

        - return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        + before = mask.long().cumprod(dim=1).bool()
        + return X.masked_fill(~before.unsqueeze(-1), 0.0).sum(dim=1)
        """,
}

RIGHT = {
    "product": """
        def sum_pool(X, mask):
            return (X * mask.unsqueeze(-1)).sum(dim=1)
        """,
    "loop": """
        def sum_pool(X, mask):
            return torch.stack([vectors[real].sum(dim=0) for vectors, real in zip(X, mask)])
        """,
}

EQUIVALENT = {
    "A batch without any word has nothing to learn from.": """
        -    return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        +    return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1) if mask.any() else X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1).detach()
        """,
}
