"""paired_bootstrap: the pairs stay together, both ends of the interval, and equal systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, a: torch.Tensor, b: torch.Tensor, n: int, title: str, **more: Any) -> Case:
        generator = torch.Generator().manual_seed(number(rng, 0, 10_000))
        return Case(group, [a, b, n, generator], title=title, **more)

    def right(n: int, share: float) -> torch.Tensor:
        return torch.from_numpy(rng.random(n) < share).float()

    def shares(n: int) -> torch.Tensor:
        return torch.from_numpy(rng.integers(0, 101, size=n)).float() / 100

    n = number(rng, 30, 60)
    yield case("values", right(n, 0.8), right(n, 0.5), 200, "right and wrong")
    yield case("values", shares(n), shares(n), 150, "scores between 0 and 1")
    hard = shares(n) * 50
    yield case("values", hard + right(n, 0.5), hard, 101, "examples of different difficulty")
    yield case("values", shares(9), shares(9), number(rng, 300, 400), "few examples")
    yield case("edges", right(n, 0.5), right(n, 0.5), 1, "a single draw")
    yield case("edges", torch.tensor([shares(1).item()]), torch.tensor([0.0]), 20, "one example")
    same = shares(n)
    yield case("edges", same, same, 50, "the same scores")
    yield case("edges", shares(7), shares(8), 50, "different sizes", judge=VALUE_ERROR)
    title = "many scores and a single one"
    yield case("edges", shares(8), shares(1), 50, title, judge=VALUE_ERROR)


WRONG = {
    "unpaired": """
        The two systems' examples are drawn apart. Draw the differences, so that a pair stays together.

        - differences = a.double() - b.double()
        - drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        - means = differences[drawn].mean(dim=1)
        + differences = a.double() - b.double()
        + one = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        + other = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        + means = a.double()[one].mean(dim=1) - b.double()[other].mean(dim=1)
        """,
    "the_other_way_round": """
        The sign is the other way round: a - b is wanted.

        - differences = a.double() - b.double()
        + differences = b.double() - a.double()
        """,
    "ninety_percent": """
        This interval leaves out 5% at each end. The middle 95% leave out 2.5% at each.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + low, high = means.quantile(torch.tensor([0.05, 0.95], dtype=torch.float64)).tolist()
        """,
    "fifty_percent": """
        This interval leaves out a quarter at each end. The middle 95% leave out 2.5% at each: 0.025, not
        0.25.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + low, high = means.quantile(torch.tensor([0.25, 0.75], dtype=torch.float64)).tolist()
        """,
    "extremes": """
        These are the smallest and the largest mean. The interval is the middle 95% of them.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + low, high = means.min().item(), means.max().item()
        """,
    "normal_interval": """
        This takes the means to be normally distributed. Use their quantiles.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + middle, spread = differences.mean(), means.std(unbiased=False)
        + low, high = (middle - 1.96 * spread).item(), (middle + 1.96 * spread).item()
        """,
    "quantiles_of_differences": """
        These are quantiles of the differences themselves. Wanted are those of their means over drawn
        test sets.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + low, high = differences.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        """,
    "mean_over_the_draws": """
        The mean goes over the wrong axis: it has one number for each example. Wanted is one for each
        drawn test set, which is a row.

        - means = differences[drawn].mean(dim=1)
        + means = differences[drawn].mean(dim=0)
        """,
    "sums": """
        These are quantiles of the sums of the drawn differences. Wanted are those of their means.

        - means = differences[drawn].mean(dim=1)
        + means = differences[drawn].sum(dim=1)
        """,
    "without_means": """
        These are quantiles of all drawn differences. Take the mean of each drawn test set first; their
        quantiles are wanted.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + ends = torch.tensor([0.025, 0.975], dtype=torch.float64)
        + low, high = differences[drawn].flatten().quantile(ends).tolist()
        """,
    "drawn_in_columns": """
        The draw has another shape than (n_samples, N), and so gives other test sets. Draw a row for each
        of them.

        - drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        - means = differences[drawn].mean(dim=1)
        + drawn = torch.randint(len(a), (len(a), n_samples), generator=generator)
        + means = differences[drawn].mean(dim=0)
        """,
    "without_replacement": """
        Each example is drawn once, so every drawn test set is the old one in another order. Draw with
        replacement.

        - drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        + drawn = torch.stack([torch.randperm(len(a), generator=generator) for _ in range(n_samples)])
        """,
    "mean_of_the_draws": """
        The first number is the mean over the drawn test sets. It should be that of the real one.

        - return differences.mean().item(), low, high
        + return means.mean().item(), low, high
        """,
    "own_generator": """
        The draw does not use the generator that was given, so nobody can repeat it.

        - drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        + drawn = torch.randint(len(a), (n_samples, len(a)), generator=torch.Generator().manual_seed(0))
        """,
    "any_size": """
        Scores of different sizes do not belong to the same examples: a ValueError.

        - if a.shape != b.shape:
        -     raise ValueError(f"{len(a)} scores cannot be paired with {len(b)}")
        - differences = a.double() - b.double()
        + a, b = a[: len(b)], b[: len(a)]
        + differences = a.double() - b.double()
        """,
    "normal_interval_unbiased": """
        This takes the means to be normally distributed, and a single mean has no standard
        deviation. Use their quantiles.

        - low, high = means.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
        + middle, spread = differences.mean(), means.std()
        + low, high = (middle - 1.96 * spread).item(), (middle + 1.96 * spread).item()
        """,
}

FURTHER = """
differences[drawn] has a row for each drawn test set; its mean over dim 1 gives n_samples means, and
torch.quantile of them, at 0.025 and 0.975, the ends. Use torch.randint(N, (n_samples, N),
generator=generator) once.
"""

RIGHT = {
    "gathered": """
        def paired_bootstrap(a, b, n_samples, generator):
            if len(a) != len(b):
                raise ValueError("sizes")
            N = len(a)
            rows = torch.randint(N, (n_samples, N), generator=generator)
            means = a.double()[rows].mean(dim=1) - b.double()[rows].mean(dim=1)
            d = (a - b).double().mean()
            return d.item(), torch.quantile(means, 0.025).item(), torch.quantile(means, 0.975).item()
        """,
    "sorted": """
        def paired_bootstrap(a, b, n_samples, generator):
            if a.numel() != b.numel():
                raise ValueError("different sizes")
            d = (a - b).tolist()
            rows = torch.randint(len(d), (n_samples, len(d)), generator=generator).tolist()
            means = sorted(sum(d[i] for i in row) / len(d) for row in rows)

            def at(q):
                place = q * (len(means) - 1)
                below = int(place)
                above = min(below + 1, len(means) - 1)
                return means[below] + (place - below) * (means[above] - means[below])

            return sum(d) / len(d), at(0.025), at(0.975)
        """,
}

EQUIVALENT = {
    "The difference of a double and a float is a double.": """
         ) -> tuple[float, float, float]:
        +    a = a.double()
             if a.shape != b.shape:

         ) -> tuple[float, float, float]:
        +    b = b.double()
             if a.shape != b.shape:

        -    differences = a.double() - b.double()
        +    differences = a - b.double()

        -    differences = a.double() - b.double()
        +    differences = a.double() - b
        """,
    "Both have the same length here.": """
        -    drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        +    drawn = torch.randint(len(b), (n_samples, len(a)), generator=generator)

        -    drawn = torch.randint(len(a), (n_samples, len(a)), generator=generator)
        +    drawn = torch.randint(len(a), (n_samples, len(b)), generator=generator)
        """,
    "Quantiles do not depend on the shape of the means.": """
        -    means = differences[drawn].mean(dim=1)
        +    means = differences[drawn].mean(dim=1, keepdim=True)

        -    means = differences[drawn].mean(dim=1)
        +    means = differences[drawn].mean(dim=1).squeeze()
        """,
}
