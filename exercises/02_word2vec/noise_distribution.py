"""noise_distribution: powers of counts, normalized; some words, or all, never occur."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT
from .common import counts_of_words

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def counts(n: int) -> torch.Tensor:
        return counts_of_words(rng, n, 1, 5000)

    rules = {**EXACT, "properties": {"sums_to_one": 0, "at_least": 0}}
    yield Case("values", [counts(3)], judge=rules)
    yield Case("values", [counts(int(rng.integers(5, 9)))], judge=rules)
    for power in (1.0, round(float(rng.uniform(0.3, 0.6)), 2)):
        yield Case("values", [counts(4)], {"power": power}, judge=rules)
    yield Case("edges", [counts(1)], title="a single word", judge=rules)
    once = torch.cat([counts_of_words(rng, 3, 2, 5000), torch.ones(2, dtype=torch.long)])
    yield Case("edges", [once], title="some words occur once", judge=rules)
    spare = torch.cat([counts(3), torch.zeros(2, dtype=torch.long)])
    title = "power 0: all words that occur are equally likely"
    yield Case("edges", [spare], {"power": 0.0}, title=title, judge=rules)
    yield Case("edges", [spare], title="some words never occur", judge=rules)
    none = torch.zeros(int(rng.integers(2, 5)), dtype=torch.long)
    yield Case("edges", [none], title="no word occurs at all", judge=EXACT)


WRONG = {
    "powers_only": """
        These do not sum to 1. Divide the powers by the sum of the powers.

        - return powers / powers.sum() if powers.any() else powers
        + return powers
        """,
    "normalized_too_early": """
        The powers of fractions do not sum to 1. Normalize after taking the power, not before.

        - powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        - return powers / powers.sum() if powers.any() else powers
        + fraction = counts / counts.sum().clamp(min=1)
        + return torch.where(counts > 0, fraction**power, 0.0)
        """,
    "always_three_quarters": """
        The argument `power` is ignored: every distribution uses 0.75.

        - powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        + powers = counts.float() ** 0.75
        """,
    "as_often_as_they_occur": """
        Words are drawn as often as they occur. Raise the counts to the power first.

        - powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        + powers = counts.float()
        """,
    "zero_to_the_zero": """
        With power 0, words that never occur are drawn: 0 to the power of 0 is 1. Set them to 0.

        - powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        + powers = counts.float() ** power
        """,
    "nothing_is_nan": """
        When no word occurs, the sum is 0 and 0 / 0 is NaN. Then all probabilities are 0.

        - return powers / powers.sum() if powers.any() else powers
        + return powers / powers.sum()
        """,
    "divided_by_the_sum_of_counts": """
        The powers are divided by the sum of the counts, so they do not sum to 1. Divide by the sum of the
        powers.

        - return powers / powers.sum() if powers.any() else powers
        + return powers / counts.sum() if powers.any() else powers
        """,
    "softmax_of_the_powers": """
        The powers go through a softmax, and nearly all the probability goes to one word. They are positive
        already: divide them by their sum.

        - return powers / powers.sum() if powers.any() else powers
        + return torch.softmax(powers, dim=0) if powers.any() else powers
        """,
    "equal_if_no_word_occurs": """
        If no word occurs, all are equally likely here. A word that never occurs is never drawn: then all
        probabilities are 0.

        - return powers / powers.sum() if powers.any() else powers
        + return powers / powers.sum() if powers.any() else torch.ones(len(counts)) / len(counts)
        """,
    "adds_one_to_the_counts": """
        1 is added to every count. That smoothing is not part of the formula, and it would draw
        words that never occur.

        - powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        - return powers / powers.sum() if powers.any() else powers
        + powers = (counts.float() + 1) ** power
        + return powers / powers.sum() if counts.any() else torch.zeros(len(counts))
        """,
}

RIGHT = {
    "loop": """
        def noise_distribution(counts, power=0.75):
            powers = [n**power if n else 0.0 for n in counts.tolist()]
            total = sum(powers)
            return torch.tensor([p / total if total else 0.0 for p in powers])
        """,
    "numpy": """
        import numpy as np


        def noise_distribution(counts, power=0.75):
            powers = np.power(counts.numpy().astype(np.float64), power) * (counts.numpy() > 0)
            return torch.from_numpy((powers / max(powers.sum(), 1e-300)).astype(np.float32))
        """,
}

EQUIVALENT = {
    "They are converted anyway.": """
         def noise_distribution(counts: torch.Tensor, power: float = 0.75) -> torch.Tensor:
        +    counts = counts.float()
             powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        """,
    "The signs of powers and sum cancel out.": """
        -    powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        +    powers = -torch.where(counts > 0, counts.float() ** power, 0.0)
        """,
    "A count is never negative.": """
        -    powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        +    powers = torch.where(counts != 0, counts.float() ** power, 0.0)
        """,
    "A whole number to the power of a float is a float.": """
        -    powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        +    powers = torch.where(counts > 0, counts ** power, 0.0)

        -    powers = torch.where(counts > 0, counts.float() ** power, 0.0)
        +    powers = torch.where(counts > 0, counts.long() ** power, 0.0)
        """,
    "The powers are not used again.": """
        -    return powers / powers.sum() if powers.any() else powers
        +    return powers.div_(powers.sum()) if powers.any() else powers
        """,
}
