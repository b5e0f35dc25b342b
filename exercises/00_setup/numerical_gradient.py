"""numerical_gradient: squares, products and cubes with steps that float64 holds exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking.codec import Source

from ..draw import EXACT
from .common import whole

POINTS = {"values": 3, "edges": 1}


def _point(rng: np.random.Generator, size: int) -> torch.Tensor:
    """Whole numbers in float64: adding a step and taking it back gives the same number."""
    return whole(rng, size).double()


def _moved(x: torch.Tensor, *steps: float) -> torch.Tensor:
    """Where x is after some steps, each of which is rounded."""
    for step in steps:
        x = x + step
    return x


def _point_that_does_not_come_back(rng: np.random.Generator, size: int, eps: float) -> torch.Tensor:
    """Hundredths in float64: a step, two steps back and one step again never give the same number.

    A number far below the step loses digits when both are added.
    """
    points = torch.from_numpy(np.arange(1, 30) / 100)
    there_and_back = ((eps, -2 * eps, eps), (eps, -eps, -eps, eps))
    ways = [[sign * step for step in steps] for steps in there_and_back for sign in (1, -1)]
    moves = torch.stack([_moved(points, *steps) != points for steps in ways]).all(dim=0)
    return torch.from_numpy(rng.choice(points[moves].numpy(), size=size))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    c, k = (int(n) for n in rng.choice(np.arange(2, 8), size=2, replace=False))
    square = Source(f"lambda x: (x ** 2).sum() + {c} * x[0]")
    mixed = Source(f"lambda x: {c} * x[0] * x[1] + x[-1] ** 2")
    cube = Source(f"lambda x: (x ** 3).sum() + {k} * x[-1]")
    exact = {"dtype": "exact", "rtol": 2e-6}  # digits of float32, not of float16
    yield Case("values", [square, _point(rng, 2), 0.5], title="squares", judge=exact)
    point = _point(rng, int(rng.integers(3, 6)))
    yield Case("values", [mixed, point, 0.25], title="a product of two numbers", judge=exact)
    yield Case("values", [cube, _point(rng, 3), 0.5], title="a cube and a large step", judge=exact)
    point = whole(rng, 1)
    yield Case("edges", [cube, point, 0.5], title="a single number, in float32", judge=EXACT)
    flat = Source(f"lambda x: {k} * x[0].cos()")
    point = _point(rng, int(rng.integers(2, 4))) + 0.5
    title = "only x[0] matters, and the step is small"
    # A step of 12 digits in base 2: float32 holds it, float16 does not.
    eps = (2049 + 2 * int(rng.integers(0, 1000))) * 2.0**-21
    yield Case("edges", [flat, point, eps], title=title, judge=exact)
    eps = int(rng.integers(3, 9)) / 10
    point = _point_that_does_not_come_back(rng, int(rng.integers(2, 4)), eps)
    title = "steps that rounding does not take back"
    yield Case("edges", [square, point, eps], title=title, judge=exact)


FURTHER = """
Loop over i in range(len(x)). Each time, make a tensor of zeros like x, set its element i to eps, and
call f twice: at x plus this step, and at x minus it. The difference of the two values, divided by the
whole width 2 * eps, is element i of the result.
"""

WRONG = {
    "forward_only": """
        You step forward only, from x to x + eps. Step in both directions, x + eps and x - eps, and
        divide by the whole width: the error shrinks from eps to eps squared.

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x + step) - f(x)) / eps
        """,
    "half_the_width": """
        Everything is twice too large: from x - eps to x + eps it is 2 eps, not eps.

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x + step) - f(x - step)) / eps
        """,
    "without_parentheses": """
        The difference is divided by 2 but multiplied by eps: Python reads `/ 2 * eps` from left to
        right. Divide by the whole width, with 2 * eps in parentheses.

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x + step) - f(x - step)) / 2 * eps
        """,
    "one_slope_for_all": """
        x + eps moves all numbers of x together, and one slope comes out for all of them. What is
        wanted is one slope per number: move one coordinate at a time.

        def numerical_gradient(f, x, eps):
            return (f(x + eps) - f(x - eps)) / (2 * eps)
        """,
    "loses_digits": """
        The slopes are right, but x is float64 and your result float32, the default of torch.zeros
        and torch.tensor, so digits get lost. Give the result the dtype of x.

        - gradient = torch.zeros_like(x)
        + gradient = torch.zeros(len(x))
        """,
    "second_name": """
        The result is zero everywhere. Either both values of f are taken at the same point (after
        `up = x` and `down = x` both names mean one tensor; `x.clone()` copies it), or nothing is
        written into the result.

        -     step = torch.zeros_like(x)
        -     step[i] = eps
        -     gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +     up, down = x, x
        +     up[i] += eps
        +     down[i] -= eps
        +     gradient[i] = (f(up) - f(down)) / (2 * eps)
        """,
    "keeps_the_earlier_steps": """
        The first slope is right, later ones are not: when coordinate i moves, those before it have
        not moved back. Start from x again for each coordinate.

          gradient = torch.zeros_like(x)
        + up, down = x.clone(), x.clone()
          for i in range(len(x)):
        -     step = torch.zeros_like(x)
        -     step[i] = eps
        -     gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +     up[i] += eps
        +     down[i] -= eps
        +     gradient[i] = (f(up) - f(down)) / (2 * eps)
        """,
    "half_a_step_over_the_whole_width": """
        f is taken at x + eps and at x, one eps apart, and the difference is divided by 2 eps. The
        second point should be x - eps. From x + eps, `-= eps` only leads back to x: take each step in
        a copy of its own, x.clone().

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x + step) - f(x)) / (2 * eps)
        """,
    "backward_only": """
        You step backward only, from x to x - eps. Step in both directions, x + eps and x - eps, and
        divide by the whole width: the error shrinks from eps to eps squared.

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x) - f(x - step)) / eps
        """,
    "wrong_sign": """
        The sign is wrong: the value at x - eps is subtracted from the value at x + eps, not the
        other way round.

        - gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        + gradient[i] = (f(x - step) - f(x + step)) / (2 * eps)
        """,
    "changes_x": """
        x itself is changed: `x[i] += eps` moves the caller's point, and it does not move back. Take
        the steps in a copy, x.clone().

        -     step = torch.zeros_like(x)
        -     step[i] = eps
        -     gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +     x[i] += eps
        +     up = f(x)
        +     x[i] -= 2 * eps
        +     gradient[i] = (up - f(x)) / (2 * eps)
        """,
    "repeats_one_slope": """
        All slopes are the same number: the step goes in every direction at once, x + eps. Move one
        coordinate at a time, and leave the others where they are.

        - step = torch.zeros_like(x)
        - step[i] = eps
        + step = torch.full_like(x, eps)
        """,
    "goes_back_up_to_rounding": """
        x itself is changed: you step on it and go back by the same steps, but each of them is
        rounded, so x may come back different in its last digit. Take the steps in a copy, x.clone().

        -     step = torch.zeros_like(x)
        -     step[i] = eps
        -     gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +     x[i] += eps
        +     up = f(x)
        +     x[i] -= 2 * eps
        +     gradient[i] = (up - f(x)) / (2 * eps)
        +     x[i] += eps
        """,
    "steps_of_half_eps": """
        The two points are only eps apart: you step half of eps to either side. Step by eps itself,
        and divide by the whole width, 2 eps.

        -     step[i] = eps
        -     gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +     step[i] = eps / 2
        +     gradient[i] = (f(x + step) - f(x - step)) / eps
        """,
}

RIGHT = {
    "identity_rows": """
        def numerical_gradient(f, x, eps):
            steps = eps * torch.eye(len(x), dtype=x.dtype)
            return torch.stack([(f(x + step) - f(x - step)) / (2 * eps) for step in steps])
        """,
    "two_copies": """
        def numerical_gradient(f, x, eps):
            gradient = torch.zeros(len(x), dtype=x.dtype)
            for i in range(len(x)):
                up, down = x.clone(), x.clone()
                up[i] = up[i] + eps
                down[i] = down[i] - eps
                gradient[i] = (f(up) - f(down)).item() / (2 * eps)
            return gradient
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "every element is overwritten": """
        -    gradient = torch.zeros_like(x)
        +    gradient = torch.ones_like(x)

        -    gradient = torch.zeros_like(x)
        +    gradient = torch.rand_like(x)
        """,
    "the order of the coordinates does not matter": """
        -    for i in range(len(x)):
        +    for i in list(range(len(x)))[::-1]:
        """,
    "it has the length of x": """
        -    for i in range(len(x)):
        +    for i in range(len(gradient)):
        """,
    "it has the shape and dtype of x": """
        -        step = torch.zeros_like(x)
        +        step = torch.zeros_like(gradient)
        """,
    "an element is set from a number and from a tensor alike": """
        -        step[i] = eps
        +        step[i] = torch.tensor(eps)

        -        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +        gradient[i] = ((f(x + step) - f(x - step)) / (2 * eps)).item()

        -        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        +        gradient[i] = ((f(x + step) - f(x - step)) / (2 * eps)).reshape(1)
        """,
}
