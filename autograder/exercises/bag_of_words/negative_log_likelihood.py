"""The mean log loss from scores; at scores near 1000 a formula with probabilities breaks down."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.bag_of_words.common import draw_labels, normal

POINTS = {"values": 3, "stability": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, 5, int(rng.integers(6, 12))):
        yield Case("values", [normal(rng, n) * 2, draw_labels(rng, n)])
    # Right and wrong ones of both classes: no part of the formula can be cut off.
    scores = torch.tensor([1.0, -1.0, 1.0, -1.0]) * (normal(rng, 4).abs() + 0.5)
    order = torch.from_numpy(rng.permutation(4))
    given = [scores[order], torch.tensor([1, 1, 0, 0])[order]]
    yield Case("values", given, title="what training takes from the loss", gradient="all")
    positive = torch.ones(2, dtype=torch.int64)
    yield Case("values", [normal(rng, 2) * 2, positive], title="only positive texts")
    yield Case("values", [normal(rng, 2) * 2, 0 * positive], title="only negative texts")
    one = torch.tensor([int(rng.integers(0, 2))])
    yield Case("values", [torch.zeros(1), one], title="a score of 0 costs ln 2")
    far = torch.tensor([1000.0, -1000.0, 300.0]) + normal(rng, 3)
    title = "far from 0, and right"
    yield Case("stability", [far, torch.tensor([1, 0, 1])], title=title)
    title = "far from 0, and wrong"
    yield Case("stability", [far, torch.tensor([0, 1, 0])], title=title)


FURTHER = """
First make one tensor that is `-scores` where y is 1 and `scores` where y is 0, with `torch.where`:
its numbers are large where the model is wrong. Then apply the formula with the maximum and the
absolute value to it, and take the mean.
"""

WRONG = {
    "logs_rounded_probabilities": """
        Far from 0 the loss is infinite: either a probability was rounded to exactly 0 before its
        logarithm, or exp overflowed. Use the formula with the maximum and the absolute value.

        def negative_log_likelihood(scores, y):
            p = sigmoid(scores)
            return -torch.where(y == 1, torch.log(p), torch.log(1 - p)).mean()
        """,
    "multiplies_zero_by_infinity": """
        Far from 0 the probabilities round to exactly 0 or 1, and the term that should drop out
        becomes 0 times minus infinity, which is NaN. Use the formula that starts from the score.

        def negative_log_likelihood(scores, y):
            p = sigmoid(scores)
            return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
        """,
    "forgets_abs": """
        The absolute value is missing: where the model is right, the argument of exp is positive.

        - loss = against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))
        + loss = against.clamp(min=0) + torch.log1p(torch.exp(-against))
        """,
    "clamps_probabilities": """
        Clamping probabilities away from 0 and 1 hides how wrong a very wrong score is: at -1000
        the loss should be 1000. Use the formula that starts from the score.

        def negative_log_likelihood(scores, y):
            p = sigmoid(scores).clamp(1e-7, 1 - 1e-7)
            return -torch.where(y == 1, torch.log(p), torch.log(1 - p)).mean()
        """,
    "sums": """
        This is the sum over the texts. Take the mean, so that the loss does not grow with N.

        - return loss.mean()
        + return loss.sum()
        """,
    "forgets_the_minus": """
        The minus is missing: log-probabilities are negative, so the loss is never below 0.

        def negative_log_likelihood(scores, y):
            signed = torch.where(y == 1, scores, -scores)
            return torch.nn.functional.logsigmoid(signed).mean()
        """,
    "forgets_the_negatives": """
        Texts of class 0 add nothing to the loss. They add minus the logarithm of 1 - p.

        - return loss.mean()
        + return (y * loss).mean()
        """,
    "does_not_average": """
        This gives one loss per text. Return a single number, their mean.

        - return loss.mean()
        + return loss
        """,
    "swaps_the_classes": """
        The two classes are swapped: a high score now costs most where the text is positive.

        - against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        + against = torch.where(y == 1, scores, -scores)
        """,
}

RIGHT = {
    "library": """
        def negative_log_likelihood(scores, y):
            return torch.nn.functional.binary_cross_entropy_with_logits(scores, y.float())
        """,
    "one_formula": """
        def negative_log_likelihood(scores, y):
            cost = scores.clamp(min=0) - scores * y + torch.log1p(torch.exp(-scores.abs()))
            return cost.mean()
        """,
}

EQUIVALENT = {
    "1 and 0 are equal to 1.0 and 0.0": """
         def negative_log_likelihood(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        +    y = y.float()
             against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        """,
    "the mean has no axes": """
        -    against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        +    against = torch.where(y == 1, -scores, scores).squeeze()  # large where the model is wrong

        -    loss = against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))
        +    loss = (against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))).squeeze()
        """,
    "the classes are 0 and 1": """
        -    against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        +    against = torch.where(y >= 1, -scores, scores)  # large where the model is wrong
        """,
    "0 * 2 is 0": """
        -    loss = against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))
        +    loss = against.clamp(min=0 * 2) + torch.log1p(torch.exp(-against.abs()))
        """,
    "both have the same absolute value": """
        -    loss = against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))
        +    loss = against.clamp(min=0) + torch.log1p(torch.exp(-scores.abs()))
        """,
}
