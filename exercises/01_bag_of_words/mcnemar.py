"""McNemar's exact test; the cases have splits of every kind, none at all, and more than a thousand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "equal": 1, "many": 1}
FORBIDDEN = ("coursekit.evaluation.mcnemar",)


def answers(
    rng: np.random.Generator, only_first: int, only_second: int, both: int, neither: int
) -> list[list[bool]]:
    """On which texts two models are right, in mixed order."""
    kinds = [(True, False)] * only_first + [(False, True)] * only_second
    kinds += [(True, True)] * both + [(False, False)] * neither
    mixed = [kinds[i] for i in rng.permutation(len(kinds))]
    return [[first for first, _ in mixed], [second for _, second in mixed]]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    few, more = int(rng.integers(1, 4)), int(rng.integers(6, 10))
    agree = [int(rng.integers(3, 9)) for _ in range(4)]
    title = "the second model is right more often"
    yield Case("values", [*answers(rng, few, more, *agree[:2])], title=title)
    title = "the first model is right more often"
    yield Case("values", [*answers(rng, more, few, *agree[2:])], title=title)
    only = int(rng.integers(3, 8))
    title = "all disagreements go one way"
    yield Case("values", [*answers(rng, 0, only, 4, 3)], title=title)
    one, other = answers(rng, few, more, *agree[1:3])
    title = "the first and the last text decide, too"
    yield Case("values", [[False, *one, False], [True, *other, True]], title=title)
    yield Case("values", [[True, *other, True], [False, *one, False]], title=title)
    close = int(rng.integers(5, 12))
    title = "nearly even"
    yield Case("values", [*answers(rng, close + 2, close, *agree[:2])], title=title)
    sizes = int(rng.integers(12, 20)), int(rng.integers(25, 40))
    yield Case("values", [*answers(rng, *sizes, 40, 30)], title="a hundred texts")

    even = int(rng.integers(1, 6))
    yield Case("equal", [*answers(rng, even, even, *agree[:2])], title="a perfectly even split")
    yield Case("equal", [*answers(rng, 0, 0, *agree[2:])], title="the models never disagree")
    title = "one disagreement"
    yield Case("equal", [*answers(rng, 1, 0, *agree[:2])], title=title)
    three = int(rng.integers(2, 7))
    yield Case("equal", [*answers(rng, three, three + 1, 2, 2)], title="as even as it can be")
    title = "each model is right as often, on other texts"
    yield Case("equal", [*answers(rng, even + 1, even + 1, 0, 0)], title=title)
    for difference in (3, 4):  # not even, so that the results vary
        less = int(rng.integers(2, 80))
        sizes = [less + difference, less] if difference == 3 else [less, less + difference]
        yield Case("equal", [*answers(rng, *sizes, 2, 2)], title="nearly even")

    low, total = int(rng.integers(500, 560)), int(rng.integers(1110, 1190))
    title = "more than a thousand disagreements"
    yield Case("many", [*answers(rng, low, total - low, 20, 10)], title=title)


FURTHER = """
Count two numbers: texts that only the first model gets right, and texts that only the second does.
With n for their sum and k for the smaller one, add up math.comb(n, i) for i from 0 to k, both
included; divide by 2**n, double, and take 1 if that is more.
"""

WRONG = {
    "one_sided": """
        This is half of it: only one of the two tails. A split as uneven to the other side counts, too.

        - return min(1.0, 2 * tail)
        + return tail
        """,
    "exceeds_one": """
        With an even split this is more than 1, since the middle is counted twice. A probability is at
        most 1.

        - return min(1.0, 2 * tail)
        + return 2 * tail
        """,
    "only_this_split": """
        This is the probability of exactly this split. Splits that are more uneven count, too: add up
        from 0.

        - tail = sum(math.comb(n, i) for i in range(k + 1)) / 2**n
        + tail = math.comb(n, k) / 2**n
        """,
    "leaves_out_the_split_itself": """
        The observed split itself is missing: `range(k)` ends before k. The question is "at least this
        uneven".

        - tail = sum(math.comb(n, i) for i in range(k + 1)) / 2**n
        + tail = sum(math.comb(n, i) for i in range(k)) / 2**n
        """,
    "counts_half_of_the_split_itself": """
        Only half of the observed split is counted (the mid-p variant). In the exact test it counts whole.

        - tail = sum(math.comb(n, i) for i in range(k + 1)) / 2**n
        + tail = (sum(math.comb(n, i) for i in range(k)) + math.comb(n, k) / 2) / 2**n
        """,
    "looks_in_one_direction": """
        The tail begins at the first model's count, whichever is smaller: if that is the larger one, the
        probability is near 1. Begin with the smaller of the two counts.

        - n, k = only_first + only_second, min(only_first, only_second)
        + n, k = only_first + only_second, only_first
        """,
    "looks_at_the_second_only": """
        The tail begins at the second model's count, whichever is smaller: if that is the larger one, the
        probability is near 1. Begin with the smaller of the two counts.

        - n, k = only_first + only_second, min(only_first, only_second)
        + n, k = only_first + only_second, only_second
        """,
    "counts_all_texts": """
        All texts are taken for the coins. Texts on which both are right or both are wrong say nothing: n
        is the number of disagreements.

        - n, k = only_first + only_second, min(only_first, only_second)
        + n, k = len(first), min(only_first, only_second)
        """,
    "compares_the_numbers_right": """
        The number of texts that each model gets right is compared, so texts that both get right count,
        too. Count only those that one of them gets right and the other wrong.

        - only_first = sum(a and not b for a, b in zip(first, second))
        - only_second = sum(b and not a for a, b in zip(first, second))
        + only_first, only_second = sum(first), sum(second)
        """,
    "chi_squared": """
        This is the approximation with chi-squared. The exact test adds up binomial probabilities.

        def mcnemar(first, second):
            from scipy.stats import chi2

            b = sum(x and not y for x, y in zip(first, second))
            c = sum(y and not x for x, y in zip(first, second))
            return float(chi2.sf((b - c) ** 2 / (b + c), 1)) if b + c else 1.0
        """,
    "chi_squared_with_correction": """
        This is the approximation with chi-squared and a continuity correction. The exact test adds up
        binomial probabilities.

        def mcnemar(first, second):
            from scipy.stats import chi2

            b = sum(x and not y for x, y in zip(first, second))
            c = sum(y and not x for x, y in zip(first, second))
            return float(chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1)) if b + c else 1.0
        """,
    "overflows": """
        With more than a thousand disagreements a number is too large for a float: `math.comb` gives whole
        numbers without a limit, but `0.5**n` is a float. Add up the whole numbers, then divide by the
        whole number 2**n.

        raises OverflowError

        - tail = sum(math.comb(n, i) for i in range(k + 1)) / 2**n
        + tail = sum(math.comb(n, i) * 0.5**n for i in range(k + 1))
        """,
    "never_disagreeing_is_zero": """
        Models that never disagree get p = 0, as if they were surely different. Chance explains no
        difference at all: p = 1.

        - return min(1.0, 2 * tail)
        + return min(1.0, 2 * tail) if n else 0.0
        """,
    "gives_one_minus_p": """
        This is 1 - p. A small p should say that chance alone hardly makes such a difference.

        - return min(1.0, 2 * tail)
        + return 1 - min(1.0, 2 * tail)
        """,
    "pairs_in_wrong_order": """
        The texts are not compared one by one: position i of both lists belongs to the same text. Go
        through both together, as `zip` does.

        - only_first = sum(a and not b for a, b in zip(first, second))
        - only_second = sum(b and not a for a, b in zip(first, second))
        + only_first = max(sum(first) - sum(second), 0)
        + only_second = max(sum(second) - sum(first), 0)
        """,
    "exceeds_one_unless_they_agree": """
        Twice the tail is more than 1 where the split is even, since both tails hold the middle. A
        probability is at most 1: cut p off there.

        - return min(1.0, 2 * tail)
        + return 2 * tail if n else 1.0
        """,
}

RIGHT = {
    "scipy": """
        def mcnemar(first, second):
            from scipy.stats import binomtest

            pairs = [(a, b) for a, b in zip(first, second) if a != b]
            if not pairs:
                return 1.0
            return float(binomtest(sum(a for a, _ in pairs), len(pairs), 0.5).pvalue)
        """,
    "from the observed split outwards": """
        def mcnemar(first, second):
            a, b = torch.tensor(first), torch.tensor(second)
            n, k = int((a != b).sum()), int((a & ~b).sum())
            distance = abs(2 * k - n)
            ways = sum(math.comb(n, i) for i in range(n + 1) if abs(2 * i - n) >= distance)
            return ways / 2**n
        """,
    "fractions": """
        def mcnemar(first, second):
            from fractions import Fraction

            wins = Counter((bool(a), bool(b)) for a, b in zip(first, second))
            x, y = wins[True, False], wins[False, True]
            if x == y:
                return 1.0
            tail = sum(Fraction(math.comb(x + y, i), 2 ** (x + y)) for i in range(min(x, y) + 1))
            return float(2 * tail)
        """,
    "logarithms": """
        def mcnemar(first, second):
            b = sum(1 for x, y in zip(first, second) if x and not y)
            c = sum(1 for x, y in zip(first, second) if y and not x)
            n, k = b + c, min(b, c)
            total = 0.0
            for i in range(k + 1):
                log_ways = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                total += math.exp(log_ways - n * math.log(2))
            return min(1.0, 2 * total)
        """,
}

EQUIVALENT = {
    "the smaller of two numbers does not depend on their order": """
        -    return min(1.0, 2 * tail)
        +    return min(2 * tail, 1.0)
        """,
}
