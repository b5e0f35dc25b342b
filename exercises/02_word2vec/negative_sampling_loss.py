"""negative_sampling_loss: one number; no negatives, scores near 1000 and half precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT
from .common import sampling_cases

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from sampling_cases(rng, gradient="all")
    v_c = torch.tensor([float(rng.integers(600, 1000)), 0.25])
    inputs = [v_c, torch.tensor([-1.0, -1.0]), torch.zeros(0, 2)]
    yield Case("edges", inputs, title="a score that half precision would round", judge=EXACT)


WRONG = {
    "equal_negatives_once": """
        A negative that was drawn twice counts once here. Every row of U_neg is a sample of its own, and
        adds its part to the sum.

        - true, drawn = u_o @ v_c, U_neg @ v_c
        + true, drawn = u_o @ v_c, torch.unique(U_neg, dim=0) @ v_c
        """,
    "true_word_is_no_negative": """
        A negative that happens to be the true word was left out. Negatives are drawn from all words, and
        each counts, that one too.

        - true, drawn = u_o @ v_c, U_neg @ v_c
        + true, drawn = u_o @ v_c, U_neg[(U_neg != u_o).any(dim=1)] @ v_c
        """,
    "negatives_as_real_pairs": """
        The negatives count as real pairs: the minus inside their sigmoid is missing.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss - torch.nn.functional.logsigmoid(drawn).sum()
        """,
    "log_of_the_sigmoid": """
        The sigmoid of a very negative score underflows to 0, and its logarithm is minus infinity.
        Use a function that computes the logarithm from the score.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + loss = -torch.log(torch.sigmoid(true))
        + return loss - torch.log(torch.sigmoid(-drawn)).sum()
        """,
    "log_of_one_plus_exp": """
        The loss of a large score is infinite: exp overflows, or 1 minus the sigmoid is 0 and its
        logarithm minus infinity. Use a form in which exp only sees numbers up to 0.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return torch.log(1 + torch.exp(-true)) + torch.log(1 + torch.exp(drawn)).sum()
        """,
    "log_likelihood": """
        The sign is wrong: a loss is small when the model is right, and never below 0.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + loss = torch.nn.functional.logsigmoid(true)
        + return loss + torch.nn.functional.logsigmoid(-drawn).sum()
        """,
    "mean_of_the_negatives": """
        The negatives are averaged. Their losses are summed; with no negatives the sum is 0.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss - torch.nn.functional.logsigmoid(-drawn).sum() / max(1, len(drawn))
        """,
    "one_sigmoid_for_all": """
        The scores of the negatives are summed before the sigmoid. Each negative is a logistic
        regression of its own: first the logarithm of its sigmoid, then the sum.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss - torch.nn.functional.logsigmoid(-drawn.sum())
        """,
    "in_float32": """
        The loss should keep the precision of its inputs; yours comes back as float32.

        - true, drawn = u_o @ v_c, U_neg @ v_c
        + true, drawn = u_o.float() @ v_c.float(), U_neg.float() @ v_c.float()
        """,
    "adds_the_logarithms_of_negatives": """
        The logarithms of the negatives are added as they are. Each one is below 0, so each needs a
        minus in front, like that of the true pair.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss + torch.nn.functional.logsigmoid(-drawn).sum()
        """,
    "no_minus_before_the_true_pair": """
        The minus before the logarithm of the true pair is missing.

        - loss = -torch.nn.functional.logsigmoid(true)
        + loss = torch.nn.functional.logsigmoid(true)
        """,
    "mean_over_all_pairs": """
        The sum is divided by 1 + k. The loss is a sum over the real pair and the negatives, not a mean.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return (loss - torch.nn.functional.logsigmoid(-drawn).sum()) / (1 + len(drawn))
        """,
    "labels_swapped": """
        The true pair counts as made up, and the negatives as real: the minus inside the sigmoid belongs to
        the negatives.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + loss = -torch.nn.functional.logsigmoid(-true)
        + return loss - torch.nn.functional.logsigmoid(drawn).sum()
        """,
    "true_pair_as_negative": """
        The true pair counts as made up, too. Only the negatives have a minus inside the sigmoid.

        - loss = -torch.nn.functional.logsigmoid(true)
        + loss = -torch.nn.functional.logsigmoid(-true)
        """,
    "without_the_logarithm": """
        The logarithm is missing: these are probabilities. The loss adds -ln of each.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return -torch.sigmoid(true) - torch.sigmoid(-drawn).sum()
        """,
    "one_minus_the_logarithm": """
        The 1 - stands outside the logarithm. It is ln(1 - sigma(s)), which is ln sigma(-s).

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss - (1 - torch.nn.functional.logsigmoid(drawn)).sum()
        """,
    "small_number_in_the_log": """
        A small number in the logarithm caps the loss where it should be largest. Start from the score.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + loss = -torch.log(torch.sigmoid(true) + 1e-10)
        + return loss - torch.log(torch.sigmoid(-drawn) + 1e-10).sum()
        """,
    "one_minus_the_sigmoid": """
        For a large score of a negative the sigmoid is rounded to 1, and the logarithm of 1 - 1 is
        minus infinity. 1 - sigma(s) is sigma(-s): compute its logarithm from -s, as for the true
        pair.

        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + return loss - torch.log(1 - torch.sigmoid(drawn)).sum()
        """,
    "softmax_over_the_pairs": """
        This is a softmax over the true word and the negatives. In negative sampling each of them
        has a sigmoid of its own, so there is no common denominator.

        - loss = -torch.nn.functional.logsigmoid(true)
        - return loss - torch.nn.functional.logsigmoid(-drawn).sum()
        + scores = torch.cat([true[None], drawn])
        + return torch.logsumexp(scores, dim=0) - true
        """,
}

FURTHER = """
There are 1 + k logarithms: `logsigmoid` of the true score, and `logsigmoid` of minus each negative's
score. Add them all and change the sign. `U_neg @ v_c` gives the negatives' scores at once.
"""

RIGHT = {
    "by_hand": """
        def negative_sampling_loss(v_c, u_o, U_neg):
            against = torch.cat([-(u_o @ v_c)[None], U_neg @ v_c])
            return (against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))).sum()
        """,
    "cross_entropy": """
        def negative_sampling_loss(v_c, u_o, U_neg):
            scores = torch.einsum("jk,k->j", torch.cat([u_o[None], U_neg]).float(), v_c.float())
            labels = torch.zeros(len(scores))
            labels[0] = 1.0
            return torch.nn.BCEWithLogitsLoss(reduction="sum")(scores, labels).to(v_c.dtype)
        """,
}

EQUIVALENT = {
    "The scores are summed, whatever their shape.": """
        -    true, drawn = u_o @ v_c, U_neg @ v_c
        +    true, drawn = u_o @ v_c, (U_neg @ v_c).squeeze()
        """,
}
