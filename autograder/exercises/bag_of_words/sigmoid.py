"""The logistic function of any shape and precision; some scores are too large for a plain exp."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.bag_of_words.common import normal

POINTS = {"values": 2, "stability": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    exact = {"dtype": "exact", "properties": {"at_least": 0, "at_most": 1}}
    for shape in ((3,), (2, 3), (int(rng.integers(2, 4)), 1, 2)):
        yield Case("values", [normal(rng, *shape) * 2], judge=exact)
    yield Case("values", [normal(rng)], title="a single number, shape ()", judge=exact)
    yield Case("values", [torch.zeros(2)], title="at 0 it is 0.5", judge=exact)
    far = torch.tensor([-1000.0, -100.0, 100.0, 1000.0]) + normal(rng, 4)
    yield Case("stability", [far], title="scores far from 0", judge=exact)
    half = (normal(rng, 4) + torch.tensor([-12.0, -1.0, 1.0, 12.0])).half()
    yield Case("stability", [half], title="half precision (float16)", judge=exact)


FURTHER = """
e to the minus |z| never overflows, whatever the sign of z: compute it once. Write both forms of σ with
it, and let `torch.where(z >= 0, ..., ...)` choose between them for each number.
"""

WRONG = {
    "overflows": """
        For a large score exp overflows to infinity, and infinity / infinity is NaN. Rewrite it
        so that the argument of exp is never positive.

        def sigmoid(z):
            return torch.exp(z) / (1 + torch.exp(z))
        """,
    "falls": """
        It decreases where it should increase. Check the sign in the exponent, and which form each
        sign of z gets.

        def sigmoid(z):
            return 1 / (1 + torch.exp(z))
        """,
    "forgets_the_side": """
        Negative scores are treated like positive ones. The sign of z decides which form applies.

        - return torch.where(z >= 0, 1 / (1 + small), small / (1 + small))
        + return 1 / (1 + small)
        """,
    "is_a_softmax": """
        This is a softmax: it normalizes across the numbers. A sigmoid treats each number by itself.

        def sigmoid(z):
            return torch.softmax(z, dim=-1)
        """,
}

RIGHT = {
    "one_sided": """
        def sigmoid(z):
            return 1 / (1 + torch.exp(-z))
        """,
    "library": """
        def sigmoid(z):
            return torch.sigmoid(z)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "at 0 both forms give 0.5": """
        -    return torch.where(z >= 0, 1 / (1 + small), small / (1 + small))
        +    return torch.where(z > 0, 1 / (1 + small), small / (1 + small))
        """,
    "the other form is computed already": """
        -    return torch.where(z >= 0, 1 / (1 + small), small / (1 + small))
        +    return torch.where(z >= 0, 1 / (1 + small), small.div_(1 + small))
        """,
}
