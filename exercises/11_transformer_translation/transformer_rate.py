"""transformer_rate: before, at and after the peak; models of several sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, step: int, warmup: int, title: str) -> Case:
        d_model = int(rng.choice([32, 96, 128, 256, 512]))
        return Case(group, [step, d_model, warmup], title=title, judge={"atol": 1e-9})

    warmup = number(rng, 20, 400)
    yield case("values", warmup // 2, warmup, "during the warm-up")
    yield case("values", warmup, warmup, "the peak")
    yield case("values", warmup * number(rng, 3, 7), warmup, "long after the warm-up")
    yield case("values", warmup + number(rng, 1, 9), warmup, "shortly after the peak")
    yield case("values", number(rng, 2, 9), 4000, "the paper's warm-up")
    yield case("edges", 1, warmup, "the first step")
    yield case("edges", number(rng, 1, 20), 1, "a warm-up of one step")


WRONG = {
    "larger_term": """
        The larger of the two terms is taken. The smaller one is: it grows first and then falls.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)
        """,
    "without_d_model": """
        The factor with d_model is missing: wider models get a lower rate.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return min(step**-0.5, step * warmup**-1.5)
        """,
    "divides_by_d_model": """
        The rate is divided by d_model. It is divided by its square root.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return min(step**-0.5, step * warmup**-1.5) / d_model
        """,
    "half_of_one_over_d_model": """
        The rate is divided by twice d_model: `**` comes before `/`, so `d_model ** -1 / 2` divides
        afterwards. Put the exponent in parentheses.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-1 / 2 * min(step**-0.5, step * warmup**-1.5)
        """,
    "multiplies_by_the_root": """
        The rate is multiplied by the square root of d_model. It is divided by it.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)
        """,
    "without_warmup": """
        There is no warm-up: the rate only falls. In the first steps it grows linearly.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * step**-0.5
        """,
    "linear_decay": """
        After the warm-up the rate falls with 1/step. It falls with 1 over the square root.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min(warmup**0.5 / step, step * warmup**-1.5)
        """,
    "peaks_elsewhere": """
        The two terms do not meet at step = warmup. The exponent of the warm-up is -3/2.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min(step**-0.5, step * warmup**-1.0)
        """,
    "counts_from_zero": """
        The steps are counted from 0. Here the first step has the number 1.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)
        """,
    "warmup_to_minus_half": """
        The second term has the warm-up to the power -1/2. The exponent is -3/2; only then do the two
        terms meet at step = warmup.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)
        """,
    "half_of_the_power": """
        The second term is half of the warm-up to the power -3: `**` comes before `/`, so `warmup **
        -3 / 2` divides afterwards. Put the exponent in parentheses.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min(step**-0.5, step * warmup**-3 / 2)
        """,
    "minus_half_by_cases": """
        Up to the peak the step is multiplied by the warm-up to the power -1/2. The exponent is -3/2;
        only then does the rate not jump at step = warmup.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * (step * warmup**-0.5 if step <= warmup else step**-0.5)
        """,
    "minus_half_before_the_peak": """
        Before the peak the step is multiplied by the warm-up to the power -1/2. The exponent is -3/2;
        only then does the rate not jump at step = warmup.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * (step * warmup**-0.5 if step < warmup else step**-0.5)
        """,
    "root_grows": """
        The rate never falls: the first term is the square root of the step. It is 1 over it.

        - return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        + return d_model**-0.5 * min(step**0.5, step * warmup**-1.5)
        """,
}

RIGHT = {
    "two_branches": """
        def transformer_rate(step, d_model, warmup):
            if step < warmup:
                rate = step / (warmup * math.sqrt(warmup))
            else:
                rate = 1 / math.sqrt(step)
            return rate / math.sqrt(d_model)
        """,
    "share_of_the_peak": """
        def transformer_rate(step, d_model, warmup):
            peak = (d_model * warmup) ** -0.5
            return peak * min(step / warmup, (warmup / step) ** 0.5)
        """,
    "powers": """
        def transformer_rate(step, d_model, warmup):
            terms = [math.pow(step, -1 / 2), step * math.pow(warmup, -3 / 2)]
            return sorted(terms)[0] * math.pow(d_model, -1 / 2)
        """,
}

EQUIVALENT = {
    "the minimum of two numbers, in either order": """
        -    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        +    return d_model**-0.5 * min(step * warmup**-1.5, step**-0.5)
        """,
}
