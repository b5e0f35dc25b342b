"""learning_rate, warm-up and linear decay: also a warm-up of no steps, of all, and of half steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"values": 2, "warmup": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, step: int, n_steps: int, warmup: float | None = None, title: str = ""
    ) -> Case:
        peak = float(rng.choice([1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 0.01]))
        kwargs = {} if warmup is None else {"warmup": warmup}
        return Case(group, [step, n_steps, peak], kwargs, title, judge={"atol": 1e-9})

    n = 20 * number(rng, 3, 9)
    yield case("values", n // 20, n, title="halfway through the warm-up")
    yield case("values", n // 10, n, title="the end of the warm-up")
    yield case("values", 0, n, title="the first step")
    yield case("values", n, n, title="the end")
    yield case("values", n // 2, n)
    yield case("values", n - number(rng, 1, 3), n, title="shortly before the end")
    yield case("warmup", n // 10, n, 0.25, title="a longer warm-up")
    yield case("warmup", n // 2 + 3, n, 0.5, title="half of the steps up, half of them down")
    yield case("warmup", 0, n, 0.0, title="no warm-up, the first step")
    yield case("warmup", n // 4, n, 0.0, title="no warm-up")
    odd = number(rng, 2, 4) * 10 + 7
    title = "the warm-up ends between two steps"
    yield case("warmup", odd // 10, odd, title=title)
    yield case("warmup", odd // 10 + 1, odd, title=title)
    top = number(rng, 2, 4)
    yield case("warmup", top, 8 * top + 1, 0.125, title=title)
    yield case("warmup", 0, 10, title="a warm-up of one step")
    yield case("warmup", number(rng, 1, 3), 7, 1.0, title="nothing but warm-up")
    yield case("warmup", n, n, 1.0, title="nothing but warm-up, the end")


WRONG = {
    "starts_at_the_peak": """
        There is no warm-up: the rate is `peak` from the first step on. It should rise linearly
        from 0 to `peak`.

        - return peak * step / top
        + return peak
        """,
    "stays_at_the_peak": """
        After the warm-up the rate stays at `peak`. It should fall linearly to 0 at the last
        step.

        - return peak * (n_steps - step) / (n_steps - top)
        + return peak
        """,
    "divides_by_zero_without_warmup": """
        Without a warm-up this divides by 0. In that case the rate starts at `peak` and only
        falls.

        raises ZeroDivisionError

        - if top > 0 and step <= top:
        + if step <= top:
        """,
    "divides_by_zero_at_the_end": """
        When the warm-up takes all steps, the last one divides by 0. The step at which the
        warm-up ends still belongs to the rise; there the rate is `peak`.

        raises ZeroDivisionError

        - if top > 0 and step <= top:
        + if step < top:
        """,
    "decays_from_step_zero": """
        The decay is counted from step 0, so the rate jumps where the warm-up ends. It should
        start there, at `peak`, and take the remaining steps.

        - return peak * (n_steps - step) / (n_steps - top)
        + return peak * (n_steps - step) / n_steps
        """,
    "rounds_the_warmup": """
        The warm-up is rounded to whole steps. It may end between two of them: do not round.

        - top = warmup * n_steps
        + top = int(warmup * n_steps)
        """,
    "counts_from_one": """
        The first step already has a rate above 0. Steps are counted from 0, and at step 0 the
        rate is 0.

        - return peak * step / top
        + return peak * (step + 1) / top
        """,
    "ends_a_step_early": """
        The rate reaches 0 one step too early. It should be 0 at step n_steps.

        - return peak * (n_steps - step) / (n_steps - top)
        + return peak * (n_steps - 1 - step) / (n_steps - 1 - top)
        """,
    "decays_over_one_step_less": """
        The decay starts one step too late, since it is divided by one step too few. It should
        start where the warm-up ends and reach 0 at step n_steps.

        - return peak * (n_steps - step) / (n_steps - top)
        + return peak * (n_steps - step) / (n_steps - 1 - top)
        """,
    "ends_at_the_step_before": """
        The whole schedule is computed for n_steps - 1 steps. Steps are counted from 0 up to and
        including n_steps, where the rate is 0.

        - top = warmup * n_steps
        + n_steps = n_steps - 1
        + top = warmup * n_steps
        """,
    "takes_warmup_for_steps": """
        `warmup` is treated as a number of steps. It is a fraction: 0.1 means a tenth of all
        steps.

        - top = warmup * n_steps
        + top = warmup
        """,
    "ignores_warmup": """
        The warm-up always takes a tenth of the steps, whatever `warmup` says.

        - top = warmup * n_steps
        + top = 0.1 * n_steps
        """,
    "forgets_the_peak": """
        The result is a fraction of the peak between 0 and 1. Multiply it by `peak`.

        -     return peak * step / top
        - return peak * (n_steps - step) / (n_steps - top)
        +     return step / top
        + return (n_steps - step) / (n_steps - top)
        """,
}

RIGHT = {
    "lower_of_two_lines": """
        def learning_rate(step, n_steps, peak, warmup=0.1):
            rising = step / (warmup * n_steps) if warmup else 1.0
            falling = (1 - step / n_steps) / (1 - warmup) if warmup < 1 else 1.0
            return peak * min(rising, falling)
        """,
    "by_interpolation": """
        import numpy as np


        def learning_rate(step, n_steps, peak, warmup=0.1):
            top = warmup * n_steps
            if warmup == 0:
                return float(np.interp(step, [0, n_steps], [peak, 0]))
            return float(np.interp(step, [0, top, n_steps], [0, peak, 0 if warmup < 1 else peak]))
        """,
}

EQUIVALENT = {
    "warmup and top are 0 together, and never below": """
        -    if top > 0 and step <= top:
        +    if (top != 0) and step <= top:

        -    if top > 0 and step <= top:
        +    if warmup > 0 and step <= top:
        """,
}
