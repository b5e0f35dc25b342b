"""The mean log loss from scores near 1000, where probabilities break down, and its gradient."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_labels

POINTS = {"values": 2, "stability": 2, "gradient": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, 5, int(rng.integers(6, 12))):
        yield Case("values", [normal(rng, n) * 2, draw_labels(rng, n)])
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
    # float16 has no number of this size.
    title = "farther from 0, and wrong"
    yield Case("stability", [100 * far[:1], torch.tensor([0])], title=title)
    # Right and wrong ones of both classes: no part of the formula can be cut off.
    scores = torch.tensor([1.0, -1.0, 1.0, -1.0]) * (normal(rng, 4).abs() + 0.5)
    order = torch.from_numpy(rng.permutation(4))
    given = [scores[order], torch.tensor([1, 1, 0, 0])[order]]
    yield Case("gradient", given, title="what training takes from the loss", gradient="all")


FURTHER = """
First make one tensor that is `-scores` where y is 1 and `scores` where y is 0, with `torch.where`:
its numbers are large where the model is wrong. Then apply the formula with the maximum and the
absolute value to it, and take the mean. `torch.maximum(a, torch.zeros_like(a))` is the maximum with 0.
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

        - loss = high + torch.log1p(torch.exp(-against.abs()))
        + loss = high + torch.log1p(torch.exp(-against))
        """,
    "forgets_the_minus_of_abs": """
        The minus before the absolute value is missing: the argument of exp is positive, so the loss
        is too large, and infinite far from 0.

        - loss = high + torch.log1p(torch.exp(-against.abs()))
        + loss = high + torch.log1p(torch.exp(against.abs()))
        """,
    "is_detached": """
        The values are right, but no gradient reaches the scores. Use only operations on tensors:
        `.item()`, `.tolist()` and `torch.tensor(...)` cut a result off from what it is made of.

        - return loss.mean()
        + return loss.mean().detach()
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
    "ignores_the_classes": """
        y has no effect: every text is treated as positive. The formula is that of a positive text; for
        a negative one put -s in place of s.

        - against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        + against = -scores
        """,
    "multiplies_by_the_class": """
        Each text of class 0 costs ln 2, whatever its score: multiplied by y, that score becomes 0.
        Change its sign instead.

        - against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        + against = -scores * y
        """,
    "swaps_the_classes": """
        The loss is large where the model is right. Either the two classes are swapped, or a minus is
        missing: for a positive text it is max(-s, 0), for a negative one max(s, 0).

        - against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        + against = torch.where(y == 1, scores, -scores)
        """,
    "takes_scores_for_probabilities": """
        The logarithm is taken of the scores themselves, as if they were probabilities, and is NaN
        for a negative number. The sigmoid comes between the two, or the formula that starts from
        the scores.

        def negative_log_likelihood(scores, y):
            return -(y * scores.log() + (1 - y) * (1 - scores).log()).mean()
        """,
    "adds_two_means": """
        The mean over the positive texts is added to the mean over the negative ones. The loss is
        one mean over all texts, so that each of them weighs the same.

        - return loss.mean()
        + return sum(loss[y == c].mean() for c in (0, 1) if (y == c).any())
        """,
    "adds_the_maximum_to_the_whole_loss": """
        Where the model is wrong, its error counts twice, and far from 0 the loss is infinite: the
        argument of exp is positive there. It is minus the absolute value of the score.

        - loss = high + torch.log1p(torch.exp(-against.abs()))
        + loss = high + torch.log1p(torch.exp(against))
        """,
}

# The size of the loss that is left depends on the number, so the usual ones are here.
WRONG |= {
    f"adds_{little.replace('-', '_')}_inside_the_logarithm": f"""
        A small number inside the logarithm avoids infinity, but it hides how wrong a very wrong
        score is: no text can pay more than -ln {little}, about {most}. Use the formula that starts
        from the score.

        def negative_log_likelihood(scores, y):
            p = torch.sigmoid(scores)
            return -(y * (p + {little}).log() + (1 - y) * (1 - p + {little}).log()).mean()
        """
    for little, most in (("1e-7", 16), ("1e-8", 18), ("1e-9", 21), ("1e-10", 23), ("1e-12", 28))
}

RIGHT = {
    "library": """
        def negative_log_likelihood(scores, y):
            return torch.nn.functional.binary_cross_entropy_with_logits(scores, y.float())
        """,
    "clamp": """
        def negative_log_likelihood(scores, y):
            cost = scores.clamp(min=0) - scores * y + torch.log1p(torch.exp(-scores.abs()))
            return cost.mean()
        """,
    "one_formula": """
        def negative_log_likelihood(scores, y):
            high = (scores + scores.abs()) / 2
            return (high - scores * y + torch.log1p(torch.exp(-scores.abs()))).mean()
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

        -    high = torch.maximum(against, torch.zeros_like(against))
        +    high = torch.maximum(against, torch.zeros_like(against)).squeeze()
        """,
    "the classes are 0 and 1": """
        -    against = torch.where(y == 1, -scores, scores)  # large where the model is wrong
        +    against = torch.where(y >= 1, -scores, scores)  # large where the model is wrong
        """,
    "both have the same absolute value": """
        -    loss = high + torch.log1p(torch.exp(-against.abs()))
        +    loss = high + torch.log1p(torch.exp(-scores.abs()))
        """,
    "both have the same shape": """
        -    high = torch.maximum(against, torch.zeros_like(against))
        +    high = torch.maximum(against, torch.zeros_like(scores))
        """,
}
