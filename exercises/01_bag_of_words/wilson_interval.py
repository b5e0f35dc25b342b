"""Wilson's interval; the cases have few texts and many, none right, all right, and no text at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "edges": 2}
FORBIDDEN = ("coursekit.evaluation.wilson_interval",)
# An answer may take 1.96 or all the digits of the normal distribution's quantile.
DIGITS = {"rtol": 1e-3, "atol": 1e-5}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (10, 44, int(rng.integers(200, 1200))):
        correct = int(rng.integers(n // 5, n - 2))
        yield Case("values", [correct, n], judge=DIGITS)
    half = int(rng.integers(8, 30))
    yield Case("values", [half, 2 * half], title="one half", judge=DIGITS)
    n = int(rng.integers(20_000, 30_000))
    yield Case("values", [int(rng.uniform(0.6, 0.95) * n), n], title="many texts", judge=DIGITS)
    n = int(rng.integers(12, 200))
    yield Case("edges", [0, n], title="none is right", judge=DIGITS)
    yield Case("edges", [n, n], title="all are right", judge=DIGITS)
    yield Case("edges", [int(rng.integers(2)), 1], title="a single text", judge=DIGITS)
    yield Case("edges", [0, 0], title="no text at all", judge=DIGITS)


FURTHER = """
Compute p = correct / n first, then the common denominator 1 + z²/n, the middle and the half width,
each in a line of its own, and compare with the worked example: 8 of 10.
"""

WRONG = {
    "plain_standard_error": """
        This is the plain interval, p ± 1.96 standard errors. With none right it has no width at all.
        Wilson's moves the middle towards one half and divides by 1 + z²/n.

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + center = p
        + half = z * math.sqrt(p * (1 - p) / n)
        """,
    "keeps_the_middle": """
        The middle is p itself. In Wilson's interval it is moved towards one half: add z²/(2n), and
        divide by 1 + z²/n.

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        + center = p
        """,
    "forgets_the_denominator": """
        The division by 1 + z²/n is missing, so the interval can leave 0 to 1. It belongs to the middle
        and to the half width.

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + center = p + z**2 / (2 * n)
        + half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        """,
    "divides_the_middle_only": """
        The half width is not divided by 1 + z²/n; only the middle is.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        """,
    "forgets_the_second_term": """
        The second term under the root is missing, z²/(4n²): with none right the interval has no width.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n)
        """,
    "divides_by_4_n": """
        The second term under the root is divided by 4n; it should be 4n², with the square.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n))
        """,
    "multiplies_by_n": """
        z**2 / 2 * n is half of z² *times* n: Python goes from left to right. Write z**2 / (2 * n), and the
        same for 4n².

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + center = (p + z**2 / 2 * n) / (1 + z**2 / n)
        + half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / 4 * n**2)
        """,
    "multiplies_by_n_under_the_root": """
        Under the root, z**2 / 4 * n**2 is a quarter of z² *times* n²: Python goes from left to right. Put
        the whole denominator, 4n², in parentheses.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / 4 * n**2)
        """,
    "multiplies_by_n_in_the_middle": """
        In the middle, z**2 / 2 * n is half of z² *times* n: Python goes from left to right. Put the whole
        denominator, 2n, in parentheses.

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        + center = (p + z**2 / 2 * n) / (1 + z**2 / n)
        """,
    "agresti_and_coull": """
        This is Agresti and Coull's interval: Wilson's middle with the plain half width around it. Wilson's
        half width has p, not the middle, under the root, and z²/(4n²) beside it.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z * math.sqrt(center * (1 - center) / (n + z**2))
        """,
    "forgets_the_root": """
        The square root is missing.

        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2))
        """,
    "does_not_square_z": """
        z stands in the formula as a square in three places of four; here it is not squared.

        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + center = (p + z / (2 * n)) / (1 + z / n)
        + half = z / (1 + z / n) * math.sqrt(p * (1 - p) / n + z / (4 * n**2))
        """,
    "ninety_percent": """
        This is the 90% interval: its z is 1.645. For 95% it is 1.96, since 2.5% are cut off on either
        side.

        - z, p = 1.96, correct / n
        + z, p = 1.6449, correct / n
        """,
    "z_is_one": """
        This interval reaches one standard error in either direction, which is 68%. For 95% z is 1.96.

        - z, p = 1.96, correct / n
        + z, p = 1.0, correct / n
        """,
    "no_text_is_an_error": """
        Without a text it divides by zero. By the docstring the interval is then 0 to 1, since nothing is
        known.

        raises ZeroDivisionError

        - if n == 0:
        -     return 0.0, 1.0
        """,
    "no_text_is_zero": """
        Without a text the interval is 0 to 0, as if it were known that the model is always wrong. Nothing
        is known: 0 to 1.

        -     return 0.0, 1.0
        +     return 0.0, 0.0
        """,
    "gives_percent": """
        The ends are percentages. They are wanted as numbers from 0 to 1.

        - return center - half, center + half
        + return 100 * (center - half), 100 * (center + half)
        """,
    "gives_middle_and_half_width": """
        These are the middle and the half width. The two ends are wanted, the lower one first.

        - return center - half, center + half
        + return center, half
        """,
    "upper_end_first": """
        The upper end comes first. The lower one should.

        - return center - half, center + half
        + return center + half, center - half
        """,
    "exact_interval": """
        This is Clopper and Pearson's interval, which SciPy calls exact: it is wider. Compute Wilson's.

        def wilson_interval(correct, n):
            from scipy.stats import binomtest

            if n == 0:
                return 0.0, 1.0
            low, high = binomtest(correct, n).proportion_ci(0.95)
            return float(low), float(high)
        """,
    "adds_two_and_two": """
        This is an approximation: two right and two wrong answers are added, and the plain interval
        is taken around the result. Wilson's own formula has z²/(2n) in the middle and z²/(4n²)
        under the root.

        - z, p = 1.96, correct / n
        - center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        - half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        + center = (correct + 2) / (n + 4)
        + half = 1.96 * math.sqrt(center * (1 - center) / (n + 4))
        """,
}
RIGHT = {
    "the roots of the quadratic": """
        def wilson_interval(correct, n):
            if n == 0:
                return 0.0, 1.0
            z, p = 1.959964, correct / n
            a, b, c = 1 + z * z / n, -(2 * p + z * z / n), p * p
            root = math.sqrt(max(b * b - 4 * a * c, 0))
            return (-b - root) / (2 * a), (-b + root) / (2 * a)
        """,
    "with counts": """
        def wilson_interval(correct, n):
            z = 1.96
            wrong = n - correct
            spread = z * math.sqrt((correct * wrong / n if n else 0) + z**2 / 4)
            middle = correct + z**2 / 2
            return (middle - spread) / (n + z**2), (middle + spread) / (n + z**2)
        """,
    "scipy": """
        def wilson_interval(correct, n):
            from scipy.stats import binomtest

            if n == 0:
                return 0.0, 1.0
            interval = binomtest(correct, n).proportion_ci(confidence_level=0.95, method="wilson")
            return float(interval.low), float(interval.high)
        """,
}

EQUIVALENT = {
    "a number of texts is not negative": """
        -    if n == 0:
        +    if n <= 0:
        """,
    "z is always 1.96": """
        -    center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        +    center = (p + 3.8415999999999997 / (2 * n)) / (1 + z**2 / n)

        -    center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        +    center = (p + 1.96**2 / (2 * n)) / (1 + z**2 / n)

        -    center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        +    center = (p + z**2 / (2 * n)) / (1 + 3.8415999999999997 / n)

        -    center = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        +    center = (p + z**2 / (2 * n)) / (1 + 1.96**2 / n)

        -    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        +    half = 1.96 / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))

        -    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        +    half = z / (1 + 3.8415999999999997 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))

        -    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        +    half = z / (1 + 1.96**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))

        -    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        +    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + 3.8415999999999997 / (4 * n**2))

        -    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        +    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + 1.96**2 / (4 * n**2))
        """,
}
