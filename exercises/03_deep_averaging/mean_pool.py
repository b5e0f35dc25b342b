"""mean_pool: an average over each text's words; large float16 numbers, and gradients."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import draw_vectors, pool_cases, precision_cases

POINTS = {"values": 2, "edges": 1, "precision": 1, "gradient": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from pool_cases(rng)
    yield from precision_cases(rng, 20_000.0)
    n, longest = int(rng.integers(3, 6)), int(rng.integers(4, 9))
    X, mask = draw_vectors(rng, n, longest, 2)
    yield Case("gradient", [X, mask], gradient="X", title="the gradient of X")
    mask = mask.clone()
    mask[int(rng.integers(n))] = False
    title = "the gradient of X, where one text has no words"
    yield Case("gradient", [X, mask], gradient="X", title=title)


FURTHER = """
Build the weight of each position first: the mask divided by the number of real words, clamped to
at least 1, of shape (B, L). A sum of X times these weights over the words needs no other division.
"""

WRONG = {
    "averages_padding": """
        The padding is averaged as well. A text should have the same average alone as in a batch
        with a longer one: use only the positions where the mask is True.

        def mean_pool(X, mask):
            return X.mean(dim=1)
        """,
    "divides_by_the_longest": """
        The sum is right, but it is divided by the length of the batch, padding included. Divide
        each text by its own number of words.

        def mean_pool(X, mask):
            return (X * mask.unsqueeze(-1)).sum(dim=1) / X.shape[1]
        """,
    "counts_without_axis": """
        The sums have the shape (B, d), the word counts (B,). Broadcasting then gives each
        *component* its own divisor, or fails. The counts need the shape (B, 1).

        def mean_pool(X, mask):
            n = mask.sum(dim=1).clamp(min=1)
            return (X * mask.unsqueeze(-1)).sum(dim=1) / n
        """,
    "average_of_nothing": """
        A text without words divides 0 by 0, which is NaN. Divide by at least 1: the average of
        nothing is zeros here.

        - n = mask.sum(dim=1, keepdim=True).clamp(min=1)
        + n = mask.sum(dim=1, keepdim=True)
        """,
    "repairs_afterwards": """
        The average is right, but the gradient of X contains NaN. A text without words still
        divides by 0, and replacing the NaN afterwards does not repair the gradient, because 0
        times infinity is NaN again. Divide by at least 1 in the first place.

        - n = mask.sum(dim=1, keepdim=True).clamp(min=1)
        + n = mask.sum(dim=1, keepdim=True)
        ...
        - return (X * weights.unsqueeze(-1)).sum(dim=1)
        + return (X * weights.unsqueeze(-1)).sum(dim=1).nan_to_num(0.0)
        """,
    "cuts_the_gradient": """
        The average is right, but it is detached from X, so nothing can be learned. Avoid
        detach(), torch.no_grad(), torch.tensor(...), .item() and the like.

        - return (X * weights.unsqueeze(-1)).sum(dim=1)
        + return (X.detach() * weights.unsqueeze(-1)).sum(dim=1)
        """,
    "always_adds_one": """
        Every text is divided by one word too many: adding 1 avoids division by 0, but it changes
        all other averages. Only a count of 0 should become 1.

        - n = mask.sum(dim=1, keepdim=True).clamp(min=1)
        + n = mask.sum(dim=1, keepdim=True) + 1
        """,
    "sum_overflows": """
        In float16, which ends at 65,504, the sum overflows to infinity before it is divided.
        Divide first and then add up, or add up in float32.

        - weights = (mask / n).to(X.dtype)
        - return (X * weights.unsqueeze(-1)).sum(dim=1)
        + return (X * mask.unsqueeze(-1)).sum(dim=1) / n
        """,
    "mean_turns_float32": """
        The result is float32 where X is half precision. You may compute in float32, but convert
        the result to the dtype of X.

        - weights = (mask / n).to(X.dtype)
        + weights = mask / n
        """,
    "overflows_and_repairs": """
        In float16 the sum overflows before it is divided, and what replaces infinity afterwards is
        no average. The gradient suffers, too, where a text without words divides by 0. Divide each
        vector by n first, and let n be at least 1.

        def mean_pool(X, mask):
            total = (X * mask.unsqueeze(-1)).sum(dim=1)
            return torch.nan_to_num(total / mask.sum(dim=1, keepdim=True))
        """,
    "fills_and_divides_by_zero": """
        A text without words is 0 divided by 0, which is NaN, and one NaN ruins every weight at the
        next step. Divide by at least 1: clamp the count, and the mean of nothing is zeros.

        def mean_pool(X, mask):
            total = X.float().masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
            return (total / mask.sum(dim=1, keepdim=True)).to(X.dtype)
        """,
    "divides_by_a_little_more": """
        A count plus a small number is float32. So is the result then, even where X is half
        precision, and in float16 the sum has overflowed before it is divided. Clamp the count to at
        least 1, divide before you add up, and return the dtype of X.

        def mean_pool(X, mask):
            n = mask.sum(dim=1, keepdim=True) + 1e-8
            return (X * mask.unsqueeze(-1)).sum(dim=1) / n
        """,
    "averages_the_components": """
        The sum runs over the components of each word, the last axis. In (B, L, d) the words are on
        axis 1, and it is this axis that should disappear: (B, d).

        - return (X * weights.unsqueeze(-1)).sum(dim=1)
        + return (X * weights.unsqueeze(-1)).sum(dim=2)
        """,
    "divides_by_the_whole_batch": """
        `mask.sum()` without a dim counts the words of all texts together. Each text has its own n:
        sum the mask along its row.

        - n = mask.sum(dim=1, keepdim=True).clamp(min=1)
        + n = mask.sum().clamp(min=1)
        """,
    "divides_by_the_most_words": """
        Every text is divided by the number of words of the longest one. Each text has its own n.

        - n = mask.sum(dim=1, keepdim=True).clamp(min=1)
        + n = mask.sum(dim=1).max().clamp(min=1)
        """,
}

RIGHT = {
    "einsum_in_float32": """
        def mean_pool(X, mask):
            total = torch.einsum("blk,bl->bk", X.float(), mask.float())
            return (total / mask.sum(dim=1)[:, None].clamp(min=1)).to(X.dtype)
        """,
    "loop": """
        def mean_pool(X, mask):
            rows = []
            for vectors, real in zip(X, mask):
                words = vectors[real].float()
                rows.append(words.mean(dim=0) if len(words) else torch.zeros(X.shape[-1]))
            return torch.stack(rows).to(X.dtype)
        """,
}

EQUIVALENT = {
    "Dividing a mask converts it anyway.": """
          def mean_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +     mask = mask.float()

          def mean_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +     mask = mask.long()
        """,
    "A batch without any word has nothing to learn from.": """
        -    return (X * weights.unsqueeze(-1)).sum(dim=1)
        +    return (X * weights.unsqueeze(-1)).sum(dim=1) if mask.any() else (X * weights.unsqueeze(-1)).sum(dim=1).detach()
        """,
}
