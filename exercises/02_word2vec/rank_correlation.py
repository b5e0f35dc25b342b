"""rank_correlation: lists far from a straight line; ties, and lists without any order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import until

POINTS = {"values": 2, "ties": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, sign: int) -> list[torch.Tensor]:
        """Correlated, not perfectly, and far from a straight line."""
        x = rng.permutation(n) + rng.uniform(0.1, 0.4, size=n)
        y = (x + rng.normal(scale=n / 4, size=n)) * sign
        return [torch.from_numpy((v * v * v).astype(np.float32)) for v in (x, y)]

    def varied(drawn: list[torch.Tensor]) -> bool:
        """Whether a single argsort, which gives indices and not ranks, would be noticed."""
        once = [np.argsort(v.numpy()) for v in drawn]
        right, wrong = (np.corrcoef(*lists)[0, 1] for lists in (map(np.argsort, once), once))
        return 0.2 < abs(right) < 0.95 and abs(right - wrong) > 0.05

    def related(n: int, sign: int) -> list[torch.Tensor]:
        return until(lambda: draw(n, sign), varied)

    for n, sign in ((5, 1), (7, -1), (int(rng.integers(8, 13)), int(rng.choice([1, -1])))):
        yield Case("values", related(n, sign))
    ranks = (torch.from_numpy(rng.permutation(7)) for _ in range(2))
    close = [0.5 + 5e-5 * r.float() for r in ranks]
    yield Case("values", close, title="numbers that are close together")
    yield Case("values", [v[:2] for v in related(5, 1)], title="two pairs")
    unstable = ("sorts_once",)  # argsort puts ties in any order
    for n, sign in ((6, 1), (8, -1)):
        x, y = related(n, sign)
        order = y.argsort()
        y[order[1:4]] = y[order[1]].item()
        x[x.argsort()[-2:]] = x.max().item()
        yield Case("ties", [x, y], title="with ties", undefined=unstable)
    x, y = draw(5, 1)
    same = torch.full((5,), float(rng.integers(1, 6)))
    title = "one list holds equal numbers only"
    guarded = (*unstable, "breaks_ties_by_position")  # who tests for this gets it right
    yield Case("ties", [x, same], title=title, undefined=guarded)
    yield Case("ties", [x[:1], y[:1]], title="a single pair")
    yield Case("ties", [x[:0], y[:0]], title="no pairs")


WRONG = {
    "pearson": """
        This correlates the numbers themselves (Pearson). Replace them by their ranks first.

        - ranks = below + (equal + 1) / 2
        + ranks = values
        """,
    "sorts_once": """
        `argsort` says which index is at each rank, not which rank is at each index.

        - ranks = below + (equal + 1) / 2
        + ranks = values.argsort().float()
        """,
    "breaks_ties_by_position": """
        Equal numbers get different ranks, by their position. They share the mean of their ranks.

        - ranks = below + (equal + 1) / 2
        + ranks = values.argsort(stable=True).argsort().float()
        """,
    "smallest_rank_for_ties": """
        Equal numbers get the smallest of their ranks. They share the mean: 1, 3.5, 2, 3.5.

        - ranks = below + (equal + 1) / 2
        + ranks = (below + 1).float()
        """,
    "short_formula": """
        The formula with squared differences of ranks holds only without ties. Correlate the ranks.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + n = len(x)
        + return 1 - 6 * (r - s).square().sum().item() / (n**3 - n) if scale > 0 else 0.0
        """,
    "sample_standard_deviation": """
        The products are averaged over n, but `std` divides by n - 1. Divide both by the same
        number, or use plain sums, as in the formula.

        - scale = r.norm() * s.norm()
        + scale = r.norm() * s.norm() * len(r) / max(1, len(r) - 1)
        """,
    "no_order_is_nan": """
        Equal numbers only, or fewer than two, give 0 / 0, which is NaN. Return 0.0 then.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + return (r @ s / scale).item()
        """,
    "kendall": """
        This is Kendall's tau, which counts pairs. Spearman's coefficient correlates the ranks.

        def rank_correlation(x, y):
            signs = [torch.sign(v[:, None] - v) for v in (x, y)]
            return (signs[0] * signs[1]).sum().item() / max(1, len(x) * (len(x) - 1))
        """,
    "largest_rank_for_ties": """
        Equal numbers get the largest of their ranks. They share the mean: 1, 3.5, 2, 3.5.

        - ranks = below + (equal + 1) / 2
        + ranks = (below + equal).float()
        """,
    "dense_ranks": """
        Equal numbers count as one, so the ranks after them are too small. They share the mean of
        the ranks that they take up: 1, 3.5, 2, 3.5.

        - ranks = below + (equal + 1) / 2
        + ranks = values.unique(return_inverse=True)[1].float()
        """,
    "ranks_not_centered": """
        The means of the ranks are not subtracted: this is the cosine of the two lists of ranks.

        - centered.append((ranks - ranks.mean()).double())
        + centered.append(ranks.double())
        """,
    "without_the_roots": """
        The square roots in the denominator are missing: two sums of squares are multiplied, not two lengths.

        - scale = r.norm() * s.norm()
        + scale = r.square().sum() * s.square().sum()
        """,
    "covariance": """
        This is the covariance of the ranks, which grows with their number. Divide by both lengths, as in
        the formula.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + return (r @ s / len(r)).item() if scale > 0 else 0.0
        """,
    "equal_numbers_are_nan": """
        A list of equal numbers gives 0 / 0, which is NaN: all ranks equal their mean. Return 0.0 then.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + return (r @ s / scale).item() if len(x) > 1 else 0.0
        """,
}

FURTHER = """
The rank of a value is the number of smaller values plus (the number of equal values, itself
included, plus 1) / 2. `values[:, None] > values` compares every value with every other one.
"""

RIGHT = {
    "sorted": """
        def rank_correlation(x, y):
            def ranks(values):
                order = sorted(values)
                return [order.index(v) + (order.count(v) + 1) / 2 for v in values]

            r, s = ranks(x.tolist()), ranks(y.tolist())
            mean = (len(r) + 1) / 2
            top = sum((a - mean) * (b - mean) for a, b in zip(r, s))
            bottom = math.sqrt(sum((a - mean) ** 2 for a in r) * sum((b - mean) ** 2 for b in s))
            return top / bottom if bottom else 0.0
        """,
    "numpy": """
        import numpy as np


        def rank_correlation(x, y):
            rows = []
            for values in (x.numpy(), y.numpy()):
                different, where, n = np.unique(values, return_inverse=True, return_counts=True)
                if len(different) < 2:
                    return 0.0
                rows.append((np.cumsum(n) - (n - 1) / 2)[where])
            return float(np.corrcoef(rows[0], rows[1])[0, 1])
        """,
}

EQUIVALENT = {
    "More digits change no order.": """
         def rank_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
        +    x = x.double()
             centered = []

         def rank_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
        +    y = y.double()
             centered = []
        """,
    "The correlation is symmetric.": """
        -    for values in (x, y):
        +    for values in list((x, y))[::-1]:

        -    for values in (x, y):
        +    for values in (y, x):
        """,
    "Both lists are ranked in reverse, which leaves the correlation as it is.": """
        -        below = (values[:, None] > values).sum(dim=1)
        +        below = (values[:, None] > values).sum(dim=0)

        -        below = (values[:, None] > values).sum(dim=1)
        +        below = (values[:, None] > values).sum(dim=-2)

        -        below = (values[:, None] > values).sum(dim=1)
        +        below = (values[:, None] < values).sum(dim=1)

        -        equal = (values[:, None] == values).sum(dim=1)
        +        equal = (values[:, None] == values).sum(dim=0)

        -        equal = (values[:, None] == values).sum(dim=1)
        +        equal = (values[:, None] == values).sum(dim=-2)

        -        ranks = below + (equal + 1) / 2
        +        ranks = -(below + (equal + 1) / 2)

        -        centered.append((ranks - ranks.mean()).double())
        +        centered.append((ranks.mean() - ranks).double())
        """,
    "Only a list of one number loses its axis, and that one has no order.": """
        -        below = (values[:, None] > values).sum(dim=1)
        +        below = (values[:, None] > values).sum(dim=1).squeeze()

        -        equal = (values[:, None] == values).sum(dim=1)
        +        equal = (values[:, None] == values).sum(dim=1).squeeze()

        -        ranks = below + (equal + 1) / 2
        +        ranks = (below + (equal + 1) / 2).squeeze()
        """,
    "Ranks up to 1,024 are exact in half precision.": """
        -        ranks = below + (equal + 1) / 2
        +        ranks = (below + (equal + 1) / 2).half()
        """,
    "All ranks are moved by the same amount, and so is their mean.": """
        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal - 1) / 2

        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal * 1) / 2

        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal) / 2

        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal + 2) / 2

        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal + 0) / 2

        -        ranks = below + (equal + 1) / 2
        +        ranks = below + (equal + (-1)) / 2
        """,
    "float32 is enough for centered ranks.": """
        -        centered.append((ranks - ranks.mean()).double())
        +        centered.append(ranks - ranks.mean())
        """,
    "The ranks are not used again.": """
        -        centered.append((ranks - ranks.mean()).double())
        +        centered.append((ranks.sub_(ranks.mean())).double())
        """,
    "A number or a tensor with one number, it is used alike.": """
        -    scale = r.norm() * s.norm()
        +    scale = (r.norm() * s.norm()).item()

        -    scale = r.norm() * s.norm()
        +    scale = (r.norm() * s.norm()).reshape(1)
        """,
    "A norm is never negative.": """
        -    return (r @ s / scale).item() if scale > 0 else 0.0
        +    return (r @ s / scale).item() if scale != 0 else 0.0
        """,
}
