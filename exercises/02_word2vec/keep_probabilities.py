"""keep_probabilities: between 0 and 1; rare words, words that never occur, and no words at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT
from .common import counts_of_words

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    rules = {**EXACT, "properties": {"at_least": 0, "at_most": 1}}
    for n in (3, int(rng.integers(5, 9))):
        counts = counts_of_words(rng, n, 200, 5000)
        threshold = float(rng.uniform(0.2, 0.9)) * counts.min().item() / counts.sum().item()
        yield Case("values", [counts, threshold], judge=rules)
    counts = torch.cat([counts_of_words(rng, 3, 500, 5000), counts_of_words(rng, 3, 1, 20)])
    threshold = round(float(rng.uniform(0.005, 0.02)), 4)
    yield Case("values", [counts, threshold], title="some words are rare", judge=rules)
    once, threshold = torch.ones(1, dtype=torch.long), round(float(rng.uniform(0.01, 0.3)), 3)
    yield Case("edges", [once, threshold], title="a single word, which occurs once", judge=rules)
    spare = torch.cat([counts_of_words(rng, 3, 500, 5000), torch.zeros(2, dtype=torch.long)])
    yield Case("edges", [spare, 0.01], title="some words never occur", judge=rules)
    none = torch.zeros(int(rng.integers(2, 5)), dtype=torch.long)
    yield Case("edges", [none, 0.01], title="no word occurs at all", judge=rules)


WRONG = {
    "probability_to_drop": """
        These are the probabilities of being dropped. A word stays with the probability sqrt(t / f).

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, 1 - torch.sqrt(threshold / fraction).clamp(max=1), 1.0)
        """,
    "not_clamped": """
        Rare words get more than 1, which no probability can be. Limit the result to 1.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0)
        """,
    "without_the_root": """
        The square root is missing.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, threshold / fraction, 1.0).clamp(max=1)
        """,
    "counts_for_fractions": """
        The threshold is compared with counts. f is a fraction: the count divided by the sum of all.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, torch.sqrt(threshold / counts), 1.0).clamp(max=1)
        """,
    "as_the_c_program": """
        This is the formula of the original C program. Use the paper's: sqrt(t / f), at most 1.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + ratio = threshold / fraction
        + return torch.where(counts > 0, ratio.sqrt() + ratio, 1.0).clamp(max=1)
        """,
    "absent_words_get_zero": """
        A word that never occurs gets 0. There is nothing of it to drop: its probability is 1.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, torch.sqrt(threshold / fraction), 0.0).clamp(max=1)
        """,
    "no_words_is_nan": """
        When no word occurs, the fractions are 0 / 0, which is NaN. Then all probabilities are 1.

        - fraction = counts / counts.sum().clamp(min=1)
        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + fraction = counts / counts.sum()
        + return torch.sqrt(threshold / fraction).clamp(max=1)
        """,
    "upside_down": """
        The fraction is upside down. It is t / f: the more frequent a word, the less of it is kept.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, torch.sqrt(fraction / threshold), 1.0).clamp(max=1)
        """,
    "fraction_of_the_largest_count": """
        The counts are divided by the largest of them. f is the fraction of the text: divide by their sum.

        - fraction = counts / counts.sum().clamp(min=1)
        + fraction = counts / counts.max().clamp(min=1)
        """,
    "fraction_of_the_number_of_words": """
        The counts are divided by the number of different words. f is the fraction of the text: divide by
        the sum of all counts.

        - fraction = counts / counts.sum().clamp(min=1)
        + fraction = counts / len(counts)
        """,
    "root_of_the_threshold_alone": """
        The square root covers t alone. It is the root of the quotient, sqrt(t / f).

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + return torch.where(counts > 0, threshold**0.5 / fraction, 1.0).clamp(max=1)
        """,
    "no_words_get_zero": """
        If no word occurs at all, every word gets 0. There is nothing to drop: all get 1.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + if not counts.any():
        +     return torch.zeros(len(counts))
        + return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        """,
    "absent_words_get_zero_beside_others": """
        A word that never occurs gets 0 when others do. There is nothing of it to drop: its
        probability is 1.

        - return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        + kept = torch.where(counts > 0, torch.sqrt(threshold / fraction), 0.0).clamp(max=1)
        + return kept if counts.any() else torch.ones(len(counts))
        """,
}

RIGHT = {
    "loop": """
        def keep_probabilities(counts, threshold):
            limit = threshold * sum(counts.tolist())
            return torch.tensor([min(1.0, math.sqrt(limit / n)) if n else 1.0 for n in counts.tolist()])
        """,
    "minimum": """
        def keep_probabilities(counts, threshold):
            allowed = threshold * counts.sum() / counts.clamp(min=1)
            return torch.where(counts == 0, torch.ones(len(counts)), allowed.sqrt().clamp(max=1))
        """,
}

EQUIVALENT = {
    "The fractions are floats anyway.": """
         def keep_probabilities(counts: torch.Tensor, threshold: float) -> torch.Tensor:
        +    counts = counts.float()
             fraction = counts / counts.sum().clamp(min=1)
        """,
    "A single fraction is broadcast to the shape of the counts.": """
        -    fraction = counts / counts.sum().clamp(min=1)
        +    fraction = (counts / counts.sum().clamp(min=1)).squeeze()
        """,
    "If no word occurs, every count is 0, and the fractions are not used.": """
        -    fraction = counts / counts.sum().clamp(min=1)
        +    fraction = counts / counts.sum()

        -    fraction = counts / counts.sum().clamp(min=1)
        +    fraction = counts / counts.sum().clamp(min=0)

        -    fraction = counts / counts.sum().clamp(min=1)
        +    fraction = counts / counts.sum().clamp(min=-1)
        """,
    "A fraction of 0 gives infinity, which `clamp` makes 1.": """
        -    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        +    return torch.sqrt(threshold / fraction).clamp(max=1)

        -    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        +    return torch.where(counts >= 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)

        -    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        +    return torch.where(counts > (-1), torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        """,
    "A count is never negative.": """
        -    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        +    return torch.where(counts != 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        """,
    "`clamp` makes it 1.": """
        -    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
        +    return torch.where(counts > 0, torch.sqrt(threshold / fraction), 2.0).clamp(max=1)
        """,
}
