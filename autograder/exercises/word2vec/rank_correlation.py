"""rank_correlation: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import until

POINTS = {"values": 2, "ties": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def related(n: int, sign: int) -> list[torch.Tensor]:
        """Correlated, not perfectly, and far from a straight line."""
        x = rng.permutation(n) + rng.uniform(0.1, 0.4, size=n)
        y = (x + rng.normal(scale=n / 4, size=n)) * sign
        both = np.exp(x / 2), y**3
        return [torch.from_numpy(np.asarray(values, dtype=np.float32)) for values in both]

    def varied(x: torch.Tensor, y: torch.Tensor) -> bool:
        """Whether a single sort, which gives places and not ranks, would be noticed."""
        r, s = (np.argsort(np.argsort(v.numpy())) for v in (x, y))
        p, q = (np.argsort(v.numpy()) for v in (x, y))
        right = np.corrcoef(r, s)[0, 1]
        return 0.2 < abs(right) < 0.95 and abs(right - np.corrcoef(p, q)[0, 1]) > 0.05

    for n, sign in ((5, 1), (7, -1), (int(rng.integers(8, 13)), int(rng.choice([1, -1])))):
        x, y = until(rng, lambda rng, n=n, sign=sign: related(n, sign), varied)
        yield Case("values", [x, y])
    for n, sign in ((6, 1), (8, -1)):
        x, y = until(rng, lambda rng, n=n, sign=sign: related(n, sign), varied)
        order = y.argsort()
        y[order[1:4]] = y[order[1]].item()
        x[x.argsort()[-2:]] = x.max().item()
        yield Case("ties", [x, y], title="with ties")
    x, y = related(5, 1)
    same = torch.full((5,), round(float(rng.uniform(1, 5)), 1))
    yield Case("ties", [x, same], title="one list holds equal numbers only")
    yield Case("ties", [x[:1], y[:1]], title="a single pair")
    yield Case("ties", [x[:0], y[:0]], title="no pairs")


WRONG = {
    "pearson": """
        This correlates the numbers themselves (Pearson). Replace them by their ranks first.

        def rank_correlation(x, y):
            if len(x) < 2:
                return 0.0
            r, s = (v.double() - v.double().mean() for v in (x, y))
            scale = r.norm() * s.norm()
            return (r @ s / scale).item() if scale > 1e-9 else 0.0
        """,
    "sorts_once": """
        `argsort` says which number comes at each place of the sorted list, not at which place
        each number comes. Those are two different permutations.

        def rank_correlation(x, y):
            if len(x) < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
                return 0.0
            r, s = (torch.argsort(v, stable=True).double() for v in (x, y))
            r, s = r - r.mean(), s - s.mean()
            return (r @ s / (r.norm() * s.norm())).item()
        """,
    "breaks_ties_by_place": """
        Equal numbers get different ranks, by their place in the list. They share the mean of
        their ranks.

        def rank_correlation(x, y):
            if len(x) < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
                return 0.0
            r, s = (v.argsort(stable=True).argsort(stable=True).double() for v in (x, y))
            r, s = r - r.mean(), s - s.mean()
            return (r @ s / (r.norm() * s.norm())).item()
        """,
    "smallest_rank_for_ties": """
        Equal numbers get the smallest of their ranks. They share the mean: 1, 3.5, 2, 3.5.

        - equal = (values[:, None] == values).sum(dim=1)
        + equal = (values[None, :] == values).sum(dim=1)
        """,
    "ranks_without_gaps": """
        After equal numbers the ranks go on without a gap (1, 2, 2, 3). Equal numbers take up as
        many ranks as there are of them and share their mean: 1, 2.5, 2.5, 4.

        def rank_correlation(x, y):
            if len(x) < 2:
                return 0.0
            r, s = (v.unique(return_inverse=True)[1].double() for v in (x, y))
            r, s = r - r.mean(), s - s.mean()
            scale = r.norm() * s.norm()
            return (r @ s / scale).item() if scale > 0 else 0.0
        """,
    "short_formula": """
        The short formula with 6 times the sum of squared differences holds only without ties.
        Use the correlation of the ranks.

        def rank_correlation(x, y):
            n = len(x)
            if n < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
                return 0.0
            ranks = []
            for v in (x, y):
                below, equal = (v[:, None] > v).sum(dim=1), (v[:, None] == v).sum(dim=1)
                ranks.append(below + (equal + 1) / 2)
            return 1 - 6 * (ranks[0] - ranks[1]).square().sum().item() / (n * (n**2 - 1))
        """,
    "no_order_is_nan": """
        Where there is no order to agree with (equal numbers only, or fewer than two), the
        fraction is 0 / 0, and that is NaN. Return 0.0 then.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + return (r @ s / scale).item() if 1 > 0 else 0.0
        """,
    "without_the_sign": """
        The sign is lost. Lists in opposite orders have a correlation below 0.

        - return (r @ s / scale).item() if scale > 0 else 0.0
        + return abs((r @ s / scale).item()) if scale > 0 else 0.0
        """,
    "kendall": """
        This counts pairs in the same and in the opposite order (Kendall's tau). Spearman's
        coefficient is the correlation of the ranks.

        def rank_correlation(x, y):
            n = len(x)
            if n < 2:
                return 0.0
            signs = [torch.sign(v[:, None] - v) for v in (x, y)]
            return ((signs[0] * signs[1]).sum() / (n * (n - 1))).item()
        """,
}

RIGHT = {
    "rank_correlation_sorted": """
        def rank_correlation(x, y):
            def ranks(values):
                order = sorted(values)
                return [order.index(v) + (order.count(v) + 1) / 2 for v in values]

            r, s = ranks(x.tolist()), ranks(y.tolist())
            if not r:
                return 0.0
            mean = (len(r) + 1) / 2
            top = sum((a - mean) * (b - mean) for a, b in zip(r, s))
            bottom = math.sqrt(sum((a - mean) ** 2 for a in r) * sum((b - mean) ** 2 for b in s))
            return top / bottom if bottom else 0.0
        """,
    "rank_correlation_numpy": """
        import numpy as np


        def rank_correlation(x, y):
            rows = []
            for values in (x.numpy(), y.numpy()):
                different, place, n = np.unique(values, return_inverse=True, return_counts=True)
                if len(different) < 2:
                    return 0.0
                rows.append((np.cumsum(n) - (n - 1) / 2)[place])
            return float(np.corrcoef(rows[0], rows[1])[0, 1])
        """,
}
