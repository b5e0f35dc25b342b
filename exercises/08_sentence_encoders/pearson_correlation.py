"""pearson_correlation: scale and shift, ties, large means, and constants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (4, number(rng, 6, 9)):
        x = normal(rng, n)
        yield Case("values", [x, x + normal(rng, n)])
    x = normal(rng, 5)
    yield Case("values", [x + 3, x.flip(0) * 10 - 7], title="other scales and means")
    x = normal(rng, 6)
    yield Case("values", [x, x**3], title="a curve, not a line: below 1")
    x = torch.from_numpy(rng.permutation(6)).float()
    yield Case("values", [x, 2 * x + number(rng, 1, 5)], title="on a rising line: 1")
    yield Case("values", [x, 3 - x * number(rng, 1, 3)], title="on a falling line: -1")
    title = "scores from 1 to 5, with ties"
    gold = torch.from_numpy(rng.integers(2, 11, size=8)) / 2
    gold[0], gold[1] = 1.0, 5.0
    yield Case("values", [gold, normal(rng, 8)], title=title)
    x = torch.from_numpy(rng.integers(-8, 9, size=6)).float()
    x[0], x[1] = -8, 8
    y = x + torch.from_numpy(rng.integers(-4, 5, size=6)).float()
    title = "means of 100,000, and differences of a few"
    yield Case("edges", [x + 100_000, y + 100_000], title=title)
    title = "whole numbers around a billion, which single precision rounds"
    yield Case("edges", [x.long() + 10**9, y.long() + 10**9], title=title)
    yield Case("edges", [x, torch.full((6,), 3.0)], title="y is constant")
    yield Case("edges", [torch.full((6,), 0.25), x], title="x is constant")
    constant = torch.full((3,), 0.1, dtype=torch.float64)
    title = "both are constant, and the mean is rounded to 0.10000000000000002"
    yield Case("edges", [constant, constant.clone()], title=title)
    yield Case("edges", [x.double() / 10**8, y.double() / 10**8], title="numbers around 1e-8")
    small = x.double() / 10.0 ** number(rng, 20, 30)
    yield Case("edges", [small, y], title="numbers below 1e-18, and others around 1")
    yield Case("edges", [normal(rng, 1), normal(rng, 1)], title="one number each")
    yield Case("edges", [torch.tensor([]), torch.tensor([])], title="no numbers")
    x = torch.from_numpy(rng.integers(1, 6, size=5))
    x[0], x[1] = 0, 9
    yield Case("edges", [x, normal(rng, 5).double()], title="integers, and double precision")
    two = torch.tensor([1.0, float(number(rng, 2, 4))], dtype=torch.float64)
    yield Case("edges", [two, -two], title="two numbers each, in double precision")
    yield Case("edges", [-two, two], title="x falls, y rises")


WRONG = {
    "small_deviation_is_constant": """
        Numbers that differ by very little are taken for constant, by a threshold for the deviation or by a
        small number below which a denominator does not fall (`cosine_similarity` has one). The scale must
        not matter: compare the numbers themselves with the first of them, with `==`.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        -     return 0.0
        - x, y = x.double(), y.double()
        + x, y = x.double(), y.double()
        + if len(x) < 2 or x.std() < 1e-12 or y.std() < 1e-12:
        +     return 0.0
        """,
    "not_centered": """
        The means are not subtracted, so this is the cosine similarity. Subtract the mean of x from
        x and that of y from y first.

        - x, y = x - x.mean(), y - y.mean()
        """,
    "covariance": """
        This is the covariance, which depends on the scale of x and y. Divide by the lengths of the
        two centered vectors.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / len(x)).item()
        """,
    "squared": """
        This is r squared, which cannot be negative. Return r.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / (x.norm() * y.norm())).item() ** 2
        """,
    "two_kinds_of_deviation": """
        The covariance divides by n, the standard deviations by n - 1, so that even x with itself
        has less than 1. Divide by the lengths of the centered vectors.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / len(x) / (x.std() * y.std())).item()
        """,
    "root_forgotten": """
        This divides by the sums of squares. The formula has their square roots: the lengths of the
        centered vectors.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / ((x**2).sum() * (y**2).sum())).item()
        """,
    "single_precision": """
        Numbers that differ by little are taken for equal: they are centered or compared in single
        precision, which has 7 digits, or with a tolerance. Convert to double before you subtract
        the means, and compare the numbers themselves, with `==`.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        -     return 0.0
        - x, y = x.double(), y.double()
        + x, y = x.float(), y.float()
        + if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +     return 0.0
        """,
    "not_converted": """
        torch has no mean of whole numbers. Convert x and y to double precision first.

        raises RuntimeError

        - x, y = x.double(), y.double()
        """,
    "nan_for_constants": """
        If x or y is constant, this divides 0 by 0. There is nothing to correlate: return 0.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        + if len(x) < 2:
        """,
    "nan_for_constants_and_none": """
        If x or y is constant, or has a single number or none, this divides 0 by 0. There is nothing
        to correlate: return 0.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        -     return 0.0
        """,
    "forgets_constant_y": """
        Only x is checked. If y is constant, this divides 0 by 0 just as well: return 0 then, too.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        + if len(x) < 2 or (x == x[0]).all():
        """,
    "zero_after_rounding": """
        A constant is recognized here by a length or a deviation of exactly 0. Rounding can leave
        1e-17 instead: 0.1 + 0.1 + 0.1 is not 3 * 0.1. Compare the numbers with the first of them,
        before you center.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        -     return 0.0
        - x, y = x.double(), y.double()
        - x, y = x - x.mean(), y - y.mean()
        + if len(x) < 2:
        +     return 0.0
        + x, y = x.double(), y.double()
        + x, y = x - x.mean(), y - y.mean()
        + if x.norm() == 0 or y.norm() == 0:
        +     return 0.0
        """,
    "ranks": """
        This is Spearman's correlation, of the ranks. Pearson's is that of the numbers themselves.

        - x, y = x.double(), y.double()
        + x, y = x.argsort().argsort().double(), y.argsort().argsort().double()
        """,
    "returns_tensor": """
        This is a tensor. Return a number: item() takes it out.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return x @ y / (x.norm() * y.norm())
        """,
    "fails_without_numbers": """
        Without numbers there is no first one to compare the others with. Look at the length before
        you take x[0].

        raises IndexError

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        + if (x == x[0]).all() or (y == y[0]).all():
        """,
    "small_denominator": """
        The denominator is kept above a small number, to avoid a division by 0. Where the numbers
        themselves are tiny, r is wrong then. Look for constants first, and divide by the lengths as
        they are.

        - if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        + if len(x) < 2:
        ...
        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / (x.norm() * y.norm()).clamp(min=1e-12)).item()
        """,
    "centers_one": """
        Only one of the two is centered. That is enough for the numerator, but not for the lengths below.

        - x, y = x - x.mean(), y - y.mean()
        + x = x - x.mean()
        """,
    "absolute_value": """
        The sign is lost: a falling line has the correlation -1.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return abs((x @ y / (x.norm() * y.norm())).item())
        """,
    "a_little_added_to_the_denominator": """
        A small number is added to the denominator, to avoid a division by 0. Where the numbers themselves
        are tiny, it decides. Look for constants first, and divide by the product of the lengths as it is.

        - return (x @ y / (x.norm() * y.norm())).item()
        + return (x @ y / (x.norm() * y.norm() + 1e-8)).item()
        """,
    "computes_in_single_precision": """
        This computes in single precision, which has 7 digits: numbers that differ by little become
        equal, and 0 is divided by 0. Convert to double before you subtract the means.

        - x, y = x.double(), y.double()
        + x, y = x.float(), y.float()
        """,
}

RIGHT = {
    "numpy": """
        def pearson_correlation(x, y):
            import numpy as np

            x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
            if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
                return 0.0
            return float(np.corrcoef(x, y)[0, 1])
        """,
    "torch": """
        def pearson_correlation(x, y):
            if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
                return 0.0
            return torch.corrcoef(torch.stack([x.double(), y.double()]))[0, 1].item()
        """,
    "loops": """
        def pearson_correlation(x, y):
            x, y = [float(a) for a in x], [float(b) for b in y]
            n = len(x)
            if n == 0 or min(x) == max(x) or min(y) == max(y):
                return 0.0
            mean_x, mean_y = sum(x) / n, sum(y) / n
            top = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            bottom_x = sum((a - mean_x) ** 2 for a in x)
            bottom_y = sum((b - mean_y) ** 2 for b in y)
            return top / (bottom_x * bottom_y) ** 0.5
        """,
}

EQUIVALENT = {
    "More digits make no number constant.": """
         def pearson_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
        +    x = x.double()
             if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():

         def pearson_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
        +    y = y.double()
             if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        """,
    "A single number is constant.": """
        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(x) < 1 or (x == x[0]).all() or (y == y[0]).all():
        """,
    "If all numbers equal one of them, they are constant.": """
        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(x) < 2 or (x == x[-1]).all() or (y == y[0]).all():

        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(x) < 2 or (x == x[1]).all() or (y == y[0]).all():

        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(x) < 2 or (x == x[0]).all() or (y == y[-1]).all():

        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(x) < 2 or (x == x[0]).all() or (y == y[1]).all():
        """,
    "The correlation is symmetric.": """
        -    x, y = x.double(), y.double()
        +    x, y = (y.double(), x.double())

        -    x, y = x - x.mean(), y - y.mean()
        +    x, y = (y - y.mean(), x - x.mean())
        """,
    "x and y have the same length.": """
        -    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        +    if len(y) < 2 or (x == x[0]).all() or (y == y[0]).all():
        """,
    "There are at least two numbers.": """
        -    x, y = x.double(), y.double()
        +    x, y = x.double().squeeze(), y.double()

        -    x, y = x.double(), y.double()
        +    x, y = x.double(), y.double().squeeze()

        -    x, y = x - x.mean(), y - y.mean()
        +    x, y = (x - x.mean()).squeeze(), y - y.mean()

        -    x, y = x - x.mean(), y - y.mean()
        +    x, y = x - x.mean(), (y - y.mean()).squeeze()
        """,
}
