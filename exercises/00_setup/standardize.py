"""standardize: columns with very different spreads; also a constant column and a single row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 3, "edges": 1}

# Subtracting numbers of similar size costs float32 a few digits.
_CLOSE = {"atol": 1e-5}
# What the columns may hold: a yes or no, stars, minutes. Their spreads differ widely.
_COLUMNS = (np.arange(2), np.arange(1, 6), np.arange(80, 180, 10))


def _table(rng: np.random.Generator, n: int, d: int) -> torch.Tensor:
    """A table (n, d) of whole numbers without a constant column."""
    columns = []
    for kind in rng.permutation(len(_COLUMNS))[:d]:
        ends = rng.choice(_COLUMNS[kind], size=2, replace=False)
        columns.append(rng.permutation([*ends, *rng.choice(_COLUMNS[kind], size=n - 2)]))
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((3, 2), (3, 3), (int(rng.integers(4, 6)), 3)):
        table = _table(rng, n, d)
        if n > 3:
            table[:, int(rng.integers(0, d))] *= -1
        yield Case("values", [table], title=f"{n} reviews", judge=_CLOSE)
    table = _table(rng, int(rng.integers(4, 6)), 3)
    table[:, int(rng.integers(0, 3))] = float(rng.integers(1, 6))
    title = "all numbers of one column are equal"
    yield Case("edges", [table], title=title, judge=_CLOSE)
    row = torch.from_numpy(rng.permutation(np.arange(-4, 5))[None, :3].astype(np.float32))
    yield Case("edges", [row], title="a table with a single row")
    # its deviation is far below 1, so a small number that is added to it shows
    stars = rng.permutation(np.arange(1, 6))[: int(rng.integers(3, 5)), None]
    table = torch.from_numpy(stars.astype(np.float32)) / 256
    yield Case("edges", [table], title="a single column", judge=_CLOSE)


WRONG = {
    "rows": """
        You standardized each row. A column is one quantity, so its mean runs down the rows:
        which dim must disappear?

        def standardize(x):
            std = x.std(dim=1, keepdim=True, unbiased=False)
            return (x - x.mean(dim=1, keepdim=True)) / torch.where(std > 0, std, 1.0)
        """,
    "whole_table": """
        One mean and one deviation for the whole table mix minutes with stars. Each column needs
        its own: give mean and std a dim.

        def standardize(x):
            return (x - x.mean()) / x.std()
        """,
    "sample_deviation": """
        Look at the ordinary tables first: your numbers are a little too small there, because
        torch's `std` divides by N - 1 where the formula divides by N.

        def standardize(x):
            return (x - x.mean(dim=0)) / x.std(dim=0)
        """,
    "sample_deviation_guarded": """
        Your numbers come out a little too small: torch's `std` divides by N - 1 where the
        formula divides by N.

        - std = x.std(dim=0, unbiased=False)
        + std = x.std(dim=0)
        """,
    "divides_by_variance": """
        You divide by the variance. The standard deviation is its square root: torch's `std`.

        - std = x.std(dim=0, unbiased=False)
        + std = x.var(dim=0, unbiased=False)
        """,
    "divides_by_zero": """
        Where all numbers of a column are equal, its deviation is 0, and 0 / 0 is NaN. Divide
        such a column by 1 instead.

        def standardize(x):
            return (x - x.mean(dim=0)) / x.std(dim=0, unbiased=False)
        """,
    "asks_all_columns_at_once": """
        If the message says that the `Boolean value of Tensor ... is ambiguous`: `if std == 0`
        asks one question about several columns, and the answers may differ. Decide for each
        column separately; section 3 names the function for that.

        raises RuntimeError

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + if std == 0:
        +     std = 1
        + return (x - x.mean(dim=0)) / std
        """,
    "clamps_at_one": """
        `clamp(min=1)` changes every deviation below 1, not only those that are 0.

        def standardize(x):
            return (x - x.mean(dim=0)) / x.std(dim=0, unbiased=False).clamp(min=1)
        """,
    "in_place": """
        You change the caller's table: `-=`, `/=` and `x[...] =` write into x itself. Write
        `x - mean`, which makes a new tensor.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + x -= x.mean(dim=0)
        + return x / torch.where(std > 0, std, torch.ones_like(std))
        """,
    "whole_table_population": """
        The mean and the deviation are those of the whole table, which mixes minutes with stars.
        Both need a dim, so that every column gets its own.

        def standardize(x):
            return (x - x.mean()) / x.std(unbiased=False)
        """,
    "one_mean_for_all_columns": """
        The mean of the whole table is subtracted from every column. Each column has a mean of its
        own, as it has a deviation of its own.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + return (x - x.mean()) / torch.where(std > 0, std, torch.ones_like(std))
        """,
    "does_not_center": """
        The means are not 0: each column is divided by its deviation, but its mean is not subtracted
        first.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + return x / torch.where(std > 0, std, torch.ones_like(std))
        """,
    "divides_by_the_norm": """
        You divide by the root of the sum of the squares. The standard deviation is the root of
        their mean: the N is missing.

        - std = x.std(dim=0, unbiased=False)
        + std = (x - x.mean(dim=0)).norm(dim=0)
        """,
    "scales_from_zero_to_one": """
        This stretches each column from 0 to 1, by its smallest and its largest number.
        Standardizing uses the mean and the standard deviation instead.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + low, high = x.min(dim=0).values, x.max(dim=0).values
        + return (x - low) / torch.where(std > 0, high - low, torch.ones_like(std))
        """,
    "leaves_constant_columns": """
        A column of equal numbers comes back as it was. Its numbers minus their mean are 0, and it
        should become zeros.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + return torch.where(std > 0, (x - x.mean(dim=0)) / std, x)
        """,
    "adds_a_small_number": """
        The small number that you add to every deviation makes all columns a little too small, which
        shows where the numbers themselves are small. Change the divisor only where it is 0.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + return (x - x.mean(dim=0)) / (std + 1e-5)
        """,
    "one_deviation_for_all_columns": """
        Each column is centered by its own mean, but all are divided by one deviation, that of the
        whole table. `std` needs a dim, too, so that every column gets its own.

        - std = x.std(dim=0, unbiased=False)
        + std = x.std(unbiased=False)
        """,
    "one_sample_deviation_for_all_columns": """
        Each column is centered by its own mean, but all are divided by one deviation, that of the
        whole table. `std` needs a dim, too, so that every column gets its own; and by default it
        divides by N - 1 where the formula divides by N.

        - std = x.std(dim=0, unbiased=False)
        + std = x.std()
        """,
    "one_deviation_of_the_centered_table": """
        After the means are subtracted, one deviation is taken over the whole table. Each column
        needs its own: run along the rows only, with a dim.

        - std = x.std(dim=0, unbiased=False)
        + std = (x - x.mean(dim=0)).std(unbiased=False)
        """,
    "zeros_for_the_whole_table": """
        As soon as one column is constant, the whole table becomes zeros. Decide for each column
        separately: the others are standardized as usual.

        - return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        + return (x - x.mean(dim=0)) / std if (std > 0).all() else torch.zeros_like(x)
        """,
}

RIGHT = {
    "by_column": """
        def standardize(x):
            columns = []
            for column in x.T:
                std = (column - column.mean()).square().mean().sqrt()
                columns.append((column - column.mean()) / (std if std > 0 else 1))
            return torch.stack(columns, dim=1)
        """,
    "small_number_below": """
        def standardize(x):
            centered = x - x.mean(0, keepdim=True)
            return centered / (centered.pow(2).mean(0, keepdim=True).sqrt() + 1e-8)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "a column's only number broadcasts like a row of one": """
        -    std = x.std(dim=0, unbiased=False)
        +    std = x.std(dim=0, unbiased=False).squeeze()
        """,
    "a deviation is never negative": """
        -    return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        +    return (x - x.mean(dim=0)) / torch.where(std != 0, std, torch.ones_like(std))
        """,
    "0 divided by any number is 0": """
        -    return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        +    return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.rand_like(std))
        """,
    "it broadcasts to the same table": """
        -    return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(std))
        +    return (x - x.mean(dim=0)) / torch.where(std > 0, std, torch.ones_like(x))
        """,
}
