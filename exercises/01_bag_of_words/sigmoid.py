"""The logistic function of any shape and precision; some scores are too large for a plain exp."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal

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
Limit the exponent before `exp` sees it: `torch.exp(-z.clamp(min=0))` belongs in the left form,
`torch.exp(z.clamp(max=0))` in the right one. Compute both forms for all of z, and let
`torch.where(z >= 0, ..., ...)` choose between them for each number.
"""
FURTHER_FOR = ("stability",)

WRONG = {
    "overflows": """
        For a large score exp overflows to infinity, and infinity / infinity is NaN. Rewrite it
        so that the argument of exp is never positive. If you already have two forms: are they
        exchanged, or does the one that is not wanted still get in, for instance as 0 * NaN?

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

        def sigmoid(z):
            return 1 / (1 + torch.exp(-z.abs()))
        """,
    "has_the_wrong_sign_below_zero": """
        Below 0 the result is above a half: the exponents of the right form have the wrong sign. It
        is exp(z) / (exp(z) + 1), with no minus.

        def sigmoid(z):
            left, right = 1 / (1 + torch.exp(-z)), torch.exp(-z) / (1 + torch.exp(-z))
            return torch.where(z >= 0, left, right)
        """,
    "forgets_zero": """
        At 0 neither form is used, and the result is 0 instead of 0.5. One of the two comparisons must
        include 0, as z >= 0 does.

        - return torch.where(z >= 0, high, small / (1 + small))
        + low = torch.where(z < 0, small / (1 + small), torch.zeros_like(z))
        + return torch.where(z > 0, high, low)
        """,
    "is_a_softmax": """
        This is a softmax: it normalizes across the numbers. A sigmoid treats each number by itself.

        def sigmoid(z):
            return torch.softmax(z, dim=-1)
        """,
    "swaps_the_clamps": """
        The result is 0.5 everywhere: the clamps, or the two forms, are swapped, so each form gets
        only zeros on the side where it is used. The form for z >= 0 has to see the positive numbers.

        - high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        - small = torch.exp(z.clamp(max=0))
        + high = 1 / (1 + torch.exp(-z.clamp(max=0)))
        + small = torch.exp(z.clamp(min=0))
        """,
    "asks_all_numbers_at_once": """
        If the message says that the `Boolean value of Tensor ... is ambiguous`: `if z >= 0` asks
        one question about many numbers, and the answers differ. Decide for each number separately.

        raises RuntimeError

        def sigmoid(z):
            if z >= 0:
                return 1 / (1 + torch.exp(-z))
            return torch.exp(z) / (1 + torch.exp(z))
        """,
    "cuts_the_score_at_10": """
        The score is limited to 10 on both sides, so nothing overflows, but a score of -1000 gives
        0.00005 instead of 0. Limit the exponents only: clamp(min=0) in one form, clamp(max=0) in the
        other.

        - high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        + z = z.clamp(-10, 10)
        + high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        """,
    "turns_float32": """
        In half precision the result is float32. You may compute in float32, but return the dtype of
        z.

        - high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        + z = z.float()
        + high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        """,
    "tanh_of_the_whole_score": """
        This curve is twice as steep as the sigmoid: written with tanh, its argument is z / 2.

        def sigmoid(z):
            return (1 + torch.tanh(z)) / 2
        """,
}

RIGHT = {
    "both_forms": """
        def sigmoid(z):
            left, right = 1 / (1 + torch.exp(-z)), torch.exp(z) / (1 + torch.exp(z))
            return torch.where(z >= 0, left, right)
        """,
    "one_sided": """
        def sigmoid(z):
            return 1 / (1 + torch.exp(-z))
        """,
    "minimum_and_absolute_value": """
        def sigmoid(z):
            return torch.exp(torch.minimum(z, torch.zeros_like(z))) / (1 + torch.exp(-z.abs()))
        """,
    "library": """
        def sigmoid(z):
            return torch.sigmoid(z)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "an overflow in the form that is thrown away shows in the gradient only": """
        - high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        + high = 1 / (1 + torch.exp(-z))

        - small = torch.exp(z.clamp(max=0))
        + small = torch.exp(z)
        """,
    "small is not used again": """
        - return torch.where(z >= 0, high, small / (1 + small))
        + return torch.where(z >= 0, high, small.div_(1 + small))
        """,
    "at 0 both forms give 0.5": """
        -    return torch.where(z >= 0, high, small / (1 + small))
        +    return torch.where(z > 0, high, small / (1 + small))
        """,
    "each form is taken on its own side only": """
        -    high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        +    high = 1 / (1 + torch.exp(-z.clamp(min=0 * 2)))

        -    high = 1 / (1 + torch.exp(-z.clamp(min=0)))
        +    high = 1 / (1 + torch.exp(-z.clamp(min=-1)))

        -    small = torch.exp(z.clamp(max=0))
        +    small = torch.exp(z.clamp(max=0 * 2))

        -    small = torch.exp(z.clamp(max=0))
        +    small = torch.exp(z.clamp(max=1))
        """,
}
