"""trigram_average: an average over known trigrams; row 0 matters, other dtypes."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import draw_letters

POINTS = {"values": 1, "unknown": 1, "edges": 1}


def _trigrams(rng: np.random.Generator, n: int) -> list[str]:
    """n different ones."""
    found: dict[str, None] = {}
    while len(found) < n:
        found[draw_letters(rng, 3)] = None
    return list(found)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def table(n: int, k: int) -> tuple[dict[str, int], torch.Tensor]:
        trigrams = _trigrams(rng, n)
        return dict(zip(trigrams, rng.permutation(n).tolist())), normal(rng, n, k)

    def some(index: dict[str, int], n: int) -> list[str]:
        return [str(t) for t in rng.choice(list(index), size=n)]

    def plain_ones(index: dict[str, int], n: int) -> list[str]:
        """Different ones, none in row 0: these are what the group `values` is about."""
        others = [trigram for trigram, row in index.items() if row]
        return [str(t) for t in rng.choice(others, size=n, replace=False)]

    for n, k, length in ((4, 2, 3), (6, 3, 5), (int(rng.integers(7, 10)), 4, 6)):
        index, T = table(n, k)
        yield Case("values", [some(index, length), index, T])
    index, T = table(6, 3)
    one, other = list(index)[:2]
    repeated = [one] * int(rng.integers(2, 5)) + [other]
    yield Case("values", [repeated, index, T], title="a trigram that repeats")
    first = next(trigram for trigram, row in index.items() if row == 0)
    title = "the trigram in row 0 is among them"
    yield Case("values", [[first, *some(index, 2)], index, T], title=title)
    strange = ["zzz", "<q>", "?!>"]
    mixed = [*plain_ones(index, 3), *strange[: int(rng.integers(1, 4))]]
    yield Case("unknown", [mixed, index, T], title="some trigrams are unknown")
    index, T = table(5, int(rng.integers(2, 5)))
    yield Case("unknown", [strange, index, T], title="every trigram is unknown")
    yield Case("edges", [[], index, T], title="no trigrams")
    index_1, T_1 = table(1, 1)
    only = [*index_1, "<q>"]
    yield Case("edges", [only, index_1, T_1], title="a table of one number")
    title = "a table of one number, no trigrams"
    yield Case("edges", [[], index_1, T_1], title=title)
    double = [plain_ones(index, 4), index, T.double()]
    yield Case("edges", double, title="double precision (float64)", judge=EXACT)
    title = "no trigrams, double precision (float64)"
    yield Case("edges", [[], index, T.double()], title=title, judge=EXACT)


WRONG = {
    "counts_the_unknown": """
        Unknown trigrams are counted in the divisor, which pulls the average towards 0. Divide by
        the number of known ones.

        - return T[rows].mean(dim=0)
        + return (T[rows] / len(trigrams)).sum(dim=0)
        """,
    "stops_at_the_unknown": """
        An unknown trigram raises a KeyError: it has no row to look up. Leave such trigrams out.

        raises KeyError

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index[trigram] for trigram in trigrams]
        """,
    "unknown_is_row_zero": """
        An unknown trigram gets row 0 of the table, which belongs to another trigram. It has no
        row: leave it out.

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index.get(trigram, 0) for trigram in trigrams]
        """,
    "averages_nothing": """
        Without a known trigram this is NaN, the average of nothing. Return d zeros in the dtype
        of T.

        - if not rows:
        -     return torch.zeros_like(T[0])
        """,
    "loses_row_zero": """
        The trigram in row 0 is lost: the row 0 counts as False in an `if`. Ask whether the
        trigram is `in index`.

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index[trigram] for trigram in trigrams if index.get(trigram)]
        """,
    "zeros_of_another_type": """
        The zeros for a text without known trigrams are float32. They should have the dtype of T,
        as all other results have.

        - return torch.zeros_like(T[0])
        + return torch.zeros(T.shape[1])
        """,
    "each_trigram_once": """
        A trigram that occurs several times is counted once. Repetitions count: go through the list
        itself, not a set of it.

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index[trigram] for trigram in dict.fromkeys(trigrams) if trigram in index]
        """,
    "averages_the_components": """
        The mean runs over the components of each vector, which leaves one number per trigram. Take
        it over the trigrams, axis 0, which leaves one number per component.

        - return T[rows].mean(dim=0)
        + return T[rows].mean(dim=1)
        """,
    "adds_up": """
        This is the sum of the vectors, not yet their mean. Divide by the number of known trigrams,
        or use `mean`.

        - return T[rows].mean(dim=0)
        + return T[rows].sum(dim=0)
        """,
    "unknown_is_the_last_row": """
        An unknown trigram gets the last row of the table, the row -1, which belongs to another
        trigram. It has no row: leave it out.

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index.get(trigram, -1) for trigram in trigrams]
        """,
    "unknown_is_row_zero_beside_known": """
        An unknown trigram gets row 0 of the table as soon as another one is known, but that row
        belongs to another trigram. It has no row: leave it out.

        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        - if not rows:
        -     return torch.zeros_like(T[0])
        + if not any(trigram in index for trigram in trigrams):
        +     return torch.zeros_like(T[0])
        + rows = [index.get(trigram, 0) for trigram in trigrams]
        """,
    "divides_by_different_ones": """
        The sum counts a repeated trigram every time, but the divisor only once. Divide by the
        number of all known trigrams, repetitions included.

        - return T[rows].mean(dim=0)
        + return T[rows].sum(dim=0) / len(set(rows))
        """,
}

RIGHT = {
    "stack": """
        def trigram_average(trigrams, index, T):
            known = [T[index[t]] for t in trigrams if t in index]
            if not known:
                return torch.zeros(T.shape[1], dtype=T.dtype)
            return torch.stack(known).float().mean(dim=0).to(T.dtype)
        """,
    "counts_times_matrix": """
        def trigram_average(trigrams, index, T):
            counts = torch.zeros(len(T))
            for trigram in trigrams:
                if trigram in index:
                    counts[index[trigram]] += 1
            return ((counts / counts.sum().clamp(min=1)) @ T.float()).to(T.dtype)
        """,
    "sum_and_count": """
        def trigram_average(trigrams, index, T):
            total, n = torch.zeros_like(T[0]), 0
            for trigram in trigrams:
                if trigram in index:
                    total = total + T[index[trigram]]
                    n += 1
            return total / max(n, 1)
        """,
}

EQUIVALENT = {
    "An average does not depend on the order.": """
        - rows = [index[trigram] for trigram in trigrams if trigram in index]
        + rows = [index[trigram] for trigram in list(trigrams)[::-1] if trigram in index]
        """,
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "T has a row, so a trigram is known; where a mean is taken, the text has one.": "every edit: constant corner",
}
