"""dpo_loss: signs, references, beta, gradients, brackets that are very large, no pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number

POINTS = {"values": 2, "large": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def four(n: int, scale: float = 2.0) -> list[torch.Tensor]:
        return [-5 + normal(rng, n, scale=scale) for _ in range(4)]

    n = number(rng, 3, 5)
    yield Case("values", four(n), title="several pairs")
    yield Case("values", [*four(2), 0.5], title="another beta")
    yield Case("values", [*four(1, 1.0), 0.5], title="a single pair")
    # the reference is frozen, so nothing is asked of its gradients
    trained = ("chosen", "rejected")
    for name in trained:
        yield Case("values", [*four(n), 0.3], title=f"what training changes: {name}", gradient=name)

    chosen = -3 - torch.rand(2) * 0 + normal(rng, 2)
    far = 400 + 100 * float(rng.random())
    yield Case(
        "large",
        [chosen - far, chosen, chosen, chosen + 0.5, 1.0],
        title="the rejected one is raised",
    )
    rows = [chosen - far, chosen + far, chosen, chosen, 1.0]
    for name in trained:
        title = f"far apart, in the wrong direction, the gradient of {name}"
        yield Case("large", rows, title=title, gradient=name)
    rows = [torch.stack([chosen[0] + far, chosen[1] - 1]), chosen, chosen, chosen, 1.0]
    yield Case("large", rows, title="one pair far apart, in the right direction")

    yield Case("edges", [*four(3), 0.0], title="beta is 0", gradient="chosen")
    yield Case("edges", four(0), title="no pair")
    yield Case("edges", four(0), title="no pair, its gradient", gradient="chosen")
    rows = [rows[1], rows[1] - 1, rows[1] + normal(rng, 2), rows[1] - 1, 1.0]
    yield Case("edges", rows, title="only the chosen one has changed")


WRONG = {
    "without_the_reference": """
        The reference is not used. What counts is how much an answer was raised against it.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = chosen - rejected
        """,
    "signs_exchanged": """
        The loss falls when the rejected answer is raised. Exchange the two.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = (rejected - reference_rejected) - (chosen - reference_chosen)
        """,
    "references_exchanged": """
        Each answer is compared with the reference of the other one.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = (chosen - reference_rejected) - (rejected - reference_chosen)
        """,
    "adds_the_changes": """
        The two changes are added. The loss is about their difference.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = (chosen - reference_chosen) + (rejected - reference_rejected)
        """,
    "probabilities": """
        The log-probabilities are turned into probabilities. A ratio of probabilities is a difference
        of their logarithms, which you have.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = chosen.exp() / reference_chosen.exp() - rejected.exp() / reference_rejected.exp()
        """,
    "quotients": """
        The log-probabilities are divided by those of the reference. The logarithm of a quotient is a
        difference of logarithms.

        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        + raised = chosen / reference_chosen - rejected / reference_rejected
        """,
    "without_beta": """
        beta is not used: the bracket is multiplied by it, inside the sigmoid.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -F.logsigmoid(raised).sum() / max(1, len(raised))
        """,
    "beta_outside": """
        beta multiplies the loss. It belongs inside the sigmoid.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -beta * F.logsigmoid(raised).sum() / max(1, len(raised))
        """,
    "log_of_the_sigmoid": """
        The sigmoid of a very negative number is 0, and its logarithm infinite. F.logsigmoid computes
        both in one step.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -torch.sigmoid(beta * raised).log().sum() / max(1, len(raised))
        """,
    "positive": """
        The sign is wrong: this loss is negative, and training would lower the wrong thing.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        """,
    "sums": """
        This is the sum. The mean over the pairs is wanted.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -F.logsigmoid(beta * raised).sum()
        """,
    "sigmoid_of_the_mean": """
        The brackets are averaged before the sigmoid. Each pair has a loss of its own.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -F.logsigmoid(beta * raised.sum() / max(1, len(raised)))
        """,
    "nan_without_pairs": """
        The mean of no pair is NaN. The loss should be 0 then.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + return -F.logsigmoid(beta * raised).mean()
        """,
    "a_sigmoid_for_each_answer": """
        Each of the two answers has a sigmoid of its own. There is one for each pair, of the
        difference of the two changes.

        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + raised, lowered = chosen - reference_chosen, reference_rejected - rejected
        + return -(F.logsigmoid(beta * raised) + F.logsigmoid(beta * lowered)).sum() / max(1, len(raised))
        """,
}

FURTHER = """
Two differences, then their difference: (chosen - reference_chosen) - (rejected - reference_rejected).
Multiply by beta, F.logsigmoid, minus, add up, and divide by the number of pairs, but at least by 1.
"""

RIGHT = {
    "softplus": """
        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + losses = F.softplus(-beta * raised)
        + return losses.mean() if len(losses) else losses.sum()
        """,
    "two_margins": """
        - raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        - return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        + margin, reference = chosen - rejected, reference_chosen - reference_rejected
        + total = torch.logaddexp(torch.zeros_like(margin), beta * (reference - margin)).sum()
        + return total / max(len(margin), 1)
        """,
}

EQUIVALENT = {
    "All four have as many numbers as there are pairs.": """
        -    return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        +    return -F.logsigmoid(beta * raised).sum() / max(1, len(chosen))

        -    return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        +    return -F.logsigmoid(beta * raised).sum() / max(1, len(reference_chosen))

        -    return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        +    return -F.logsigmoid(beta * raised).sum() / max(1, len(rejected))

        -    return -F.logsigmoid(beta * raised).sum() / max(1, len(raised))
        +    return -F.logsigmoid(beta * raised).sum() / max(1, len(reference_rejected))
        """,
    "The reference is frozen: nothing is asked of its gradients.": """
        -    raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        +    raised = (chosen - reference_chosen.detach()) - (rejected - reference_rejected)

        -    raised = (chosen - reference_chosen) - (rejected - reference_rejected)
        +    raised = (chosen - reference_chosen) - (rejected - reference_rejected.detach())
        """,
}
