"""masked_mean: padding behind or in front, zeros or huge numbers, and a text without words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import whole

POINTS = {"values": 2, "padding": 1, "empty": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length in ((1, 3), (3, 5), (4, 4), (int(rng.integers(2, 5)), 6)):
        low = 1 if length < 6 else -9
        x = whole(rng, batch, length, low=low, high=low + 8)
        lengths = torch.from_numpy(rng.integers(1, length, size=batch))
        x[0, 0], lengths[0] = 0, int(rng.integers(2, length))  # 0 is a number like any other
        lengths[1:2] = int(rng.integers(1, int(lengths[0])))  # always a shorter text
        mask = torch.arange(length) < lengths[:, None]
        if batch == 1:
            yield Case("values", [x, mask], title="one text, padded")
        elif batch == length:
            front = torch.arange(length - 1, -1, -1) < lengths[:, None]
            yield Case("padding", [x, front], title="the padding may also come first")
        else:
            title = f"{batch} texts, padded with zeros"
            yield Case("values", [torch.where(mask, x, 0.0), mask], title=title)
    x, length = whole(rng, 2, 4, low=1, high=9), int(rng.integers(1, 4))
    mask = torch.arange(4) < torch.tensor([[4], [length]])
    yield Case("padding", [torch.where(mask, x, 9999.0), mask], title="padding holds huge numbers")
    rows = [[True, True, False], [False] * 3]
    mask = torch.tensor([rows[i] for i in rng.permutation(2)])
    yield Case("empty", [whole(rng, 2, 3, low=1, high=99), mask], title="one text has no words")


FURTHER = """
Two numbers per row. The sum: put zeros at the padding (`x * mask` or torch.where) and sum along each
row, dim=1. The count: sum the mask itself along each row, and raise a count of 0 to 1. Then divide.
"""

WRONG = {
    "ignores_mask": """
        The mask is never used: positions where it is False must not count.

        def masked_mean(x, mask):
            return x.mean(dim=1)
        """,
    "counts_padding": """
        The padding is left out of the sum, but still counted when you divide. Divide by the
        number of real positions in each row.

        def masked_mean(x, mask):
            return (x * mask).sum(dim=1) / x.shape[1]
        """,
    "sums_padding": """
        The padding is still in the sum. You divide by the right count; now keep what the
        padding holds out of the sum.

        def masked_mean(x, mask):
            return x.sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        """,
    "empty_text_is_nan": """
        A row without a real position divides 0 by 0, which is NaN: let the divisor be at least 1.

        def masked_mean(x, mask):
            return (x * mask).sum(dim=1) / mask.sum(dim=1)
        """,
    "counts_what_is_not_zero": """
        You count the numbers that are not 0, but a real position may hold a 0, and padding may
        hold anything. The mask says what is real: count with it.

        def masked_mean(x, mask):
            return x.sum(dim=1) / (x != 0).sum(dim=1).clamp(min=1)
        """,
    "adds_one": """
        Adding 1 to every count makes every mean too small. Only a count of 0 needs help.

        def masked_mean(x, mask):
            return (x * mask).sum(dim=1) / (mask.sum(dim=1) + 1)
        """,
    "flattens_the_rows": """
        x[mask] is one flat list of numbers, without rows: it has no dim 1 any more, and does not
        know which text a number came from. Keep the shape (B, L) until you add up.

        raises IndexError

        def masked_mean(x, mask):
            return x[mask].mean(dim=1)
        """,
    "divides_by_the_whole_batch": """
        `mask.sum()` without a dim counts the real positions of all texts together. Each row needs
        its own count: sum the mask along each row.

        - return total / mask.sum(dim=1).clamp(min=1)
        + return total / mask.sum().clamp(min=1)
        """,
    "one_mean_for_all_texts": """
        This is one mean for the whole batch: `x[mask]` is a flat list of numbers that no longer
        says which text each came from, and a sum without a dim adds up all rows. Keep the shape
        (B, L), and sum along each row.

        def masked_mean(x, mask):
            return x[mask].mean()
        """,
    "counts_real_numbers_that_are_not_zero": """
        Padding is out of the sum and out of the count, but so is a real 0: you count the numbers
        that are not 0. A real position counts whatever number it holds, so count the mask.

        - return total / mask.sum(dim=1).clamp(min=1)
        + return total / ((x != 0) & mask).sum(dim=1).clamp(min=1)
        """,
    "down_the_columns": """
        These are means down the columns, one per position. Each text is a row: sum and count along
        it, which is dim=1.

        def masked_mean(x, mask):
            return (x * mask).sum(dim=0) / mask.sum(dim=0).clamp(min=1)
        """,
    "adds_up_the_padding": """
        The mask is inverted in the sum: the padding is added up and the real numbers are left out.
        The mask is True at real positions.

        - total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=1)
        + total = torch.where(mask, torch.zeros_like(x), x).sum(dim=1)
        """,
    "keeps_the_axis": """
        The means are a column, (B, 1), and not (B,): with keepdim=True the axis of the sum stays.
        Leave it out, here in the sum and in the count.

        - total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=1)
        - return total / mask.sum(dim=1).clamp(min=1)
        + total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=1, keepdim=True)
        + return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
        """,
    "row_divided_by_a_column": """
        The sums have the shape (B,) and the counts, or the other way round, (B, 1). Broadcasting
        divides each sum by every count, which gives (B, B): let both have the shape (B,).

        - return total / mask.sum(dim=1).clamp(min=1)
        + return total / mask.sum(dim=1, keepdim=True).clamp(min=1)
        """,
    "divides_by_the_longest_count": """
        All rows are divided by one number, how many real positions the longest text has. A shorter
        text has fewer: divide each row by its own count.

        - return total / mask.sum(dim=1).clamp(min=1)
        + return total / mask.sum(dim=1).max().clamp(min=1)
        """,
    "takes_the_first_positions": """
        The mean is taken over the first n positions of each row, with n the number of real ones.
        But the real positions are not always the first: use the mask itself.

        def masked_mean(x, mask):
            counts = mask.sum(dim=1).tolist()
            totals = torch.stack([row[:n].sum() for row, n in zip(x, counts)])
            return totals / mask.sum(dim=1).clamp(min=1)
        """,
}

RIGHT = {
    "row_after_row": """
        def masked_mean(x, mask):
            return torch.stack(
                [row[keep].mean() if keep.any() else row.new_zeros(()) for row, keep in zip(x, mask)]
            )
        """,
    "with_einsum": """
        def masked_mean(x, mask):
            real = mask.to(x.dtype)
            return torch.einsum("bl,bl->b", x, real) / real.sum(1).clamp(min=1)
        """,
}

EQUIVALENT = {
    "Nothing is trained through it, and a batch has a word.": "every edit: constant corner",
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "the divisor restores the axis of a batch of one": """
        -    total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=1)
        +    total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=1).squeeze()
        """,
}
