"""multiclass_loss: large scores, tiny probabilities, one class, and the gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"values": 2, "stability": 2, "gradient": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(batch: int, classes: int) -> list[torch.Tensor]:
        labels = torch.from_numpy(rng.integers(classes, size=batch))
        return [normal(rng, batch, classes, scale=2.0), labels]

    for batch, classes in ((2, 3), (number(rng, 3, 5), 5)):
        yield Case("values", draw(batch, classes))
    yield Case("values", draw(1, 5), title="one text")
    yield Case("values", draw(4, 2), title="two classes")
    yield Case("values", draw(2, 1), title="one class: there is no doubt")
    scores, labels = draw(3, 4)
    yield Case("values", [scores.double(), labels], judge=EXACT, title="double precision")
    scores, labels = draw(3, 4)
    yield Case(
        "stability", [scores + number(rng, 200, 400), labels], title="scores in the hundreds"
    )
    yield Case("stability", [scores - number(rng, 200, 400), labels], title="far below zero")
    scores, labels = draw(3, 4)
    title = "scores of 100,000, in double precision"
    yield Case("stability", [scores.double() + 100_000, labels], judge=EXACT, title=title)
    scores = normal(rng, 2, 3) + torch.tensor([[300.0], [-300.0]])
    yield Case("stability", [scores, draw(2, 3)[1]], title="one text far above zero, one far below")
    scores, labels = draw(3, 3)
    scores = scores - 150 * torch.nn.functional.one_hot(labels, 3)
    title = "the labels have a probability of almost 0"
    yield Case("stability", [scores, labels], title=title)
    yield Case("gradient", draw(3, 4), gradient="scores")
    scores, labels = draw(2, 3)
    title = "scores in the hundreds"
    inputs = [scores + number(rng, 200, 400), labels]
    # a log-sum-exp in the hundreds is only known to 3e-5 in float32, and the gradient with it
    yield Case("gradient", inputs, title=title, gradient="scores", judge={"atol": 1e-4})


WRONG = {
    "overflows": """
        exp overflows for large scores: from 89 on it is infinite in float32. Subtract the largest
        score of each text before exp, and add it again after the log.

        def multiclass_loss(scores, labels):
            own = scores[torch.arange(len(labels)), labels]
            return (scores.exp().sum(dim=1).log() - own).mean()
        """,
    "log_of_rounded_probability": """
        The logarithm is taken of a probability that was rounded to 0, which gives infinity. Use
        the formula without a quotient: the log of the sum, minus the score of the label.

        def multiclass_loss(scores, labels):
            P = torch.softmax(scores, dim=1)
            return -P[torch.arange(len(labels)), labels].log().mean()
        """,
    "adds_small_number": """
        A small number inside the logarithm, added or as a lower limit, avoids infinity, but changes the
        loss: the label of a text with the probability 1e-30 should cost 69. Use the log of the sum,
        minus the score.

        def multiclass_loss(scores, labels):
            P = torch.softmax(scores, dim=1)
            return -(P[torch.arange(len(labels)), labels] + 1e-9).log().mean()
        """,
    "adds_1e_8": """
        With 1e-8 inside the logarithm no text has a loss above 18.4, however improbable its label
        is. Use the log of the sum, minus the score of the label.

        def multiclass_loss(scores, labels):
            P = torch.softmax(scores, dim=1)
            return -(P[torch.arange(len(labels)), labels] + 1e-8).log().mean()
        """,
    "softmax_twice": """
        The scores go through the softmax twice: once on their way in, once inside the loss. The
        loss takes the raw scores, and its formula contains the softmax already.

        def multiclass_loss(scores, labels):
            return F.cross_entropy(torch.softmax(scores, dim=1), labels)
        """,
    "softmax_over_batch": """
        The sum of exponentials runs over the texts of the batch. It should run over the classes of
        each text, axis 1.

        def multiclass_loss(scores, labels):
            return -torch.log_softmax(scores, dim=0).gather(1, labels[:, None]).mean()
        """,
    "sum_over_batch": """
        This is the sum of the losses of all texts. Return their mean, which does not depend on the
        size of the batch.

        - return (log_total - own).mean()
        + return (log_total - own).sum()
        """,
    "one_loss_per_text": """
        These are the losses of the texts, one each. Return one number: their mean.

        - return (log_total - own).mean()
        + return log_total - own
        """,
    "positive_sign": """
        The sign is wrong: this is the mean log-likelihood, which should be large. The loss is
        minus that, and never below 0.

        - return (log_total - own).mean()
        + return (own - log_total).mean()
        """,
    "largest_score_forgotten": """
        The largest score was subtracted inside exp, but not added again after the log. Then the
        loss depends on a shift of all scores, and may be negative.

        - log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        + log_total = (scores - highest).exp().sum(dim=1).log()
        """,
    "divides_by_classes": """
        The mean is taken over texts and classes. Each text has one label, so divide by the number
        of texts alone.

        - return (log_total - own).mean()
        + return (log_total - own).sum() / scores.numel()
        """,
    "one_shift_for_all": """
        One shift for the whole batch is too little for texts whose scores are all far below it:
        their exponentials are all 0. Subtract the largest score of each text.

        - highest = scores.amax(dim=1, keepdim=True).detach()
        + highest = scores.max().expand(len(scores), 1).detach()
        """,
    "scores_of_all_labels": """
        `scores[:, labels]` is (B, B): every text's scores at the labels of all texts. Pick one
        score per text, that of its own label; gather does, or an index for both axes.

        - own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        - return (log_total - own).mean()
        + return (log_total - scores[:, labels]).mean()
        """,
    "clamps_the_probability": """
        A probability below a small number is replaced by that number, so such a label costs less
        than it should and has no gradient: with 1e-30 the loss is 69. Use the log of the sum, minus
        the score.

        def multiclass_loss(scores, labels):
            P = torch.softmax(scores, dim=1)
            return -P[torch.arange(len(labels)), labels].clamp(min=1e-12).log().mean()
        """,
}

RIGHT = {
    "cross_entropy": """
        def multiclass_loss(scores, labels):
            return F.cross_entropy(scores, labels)
        """,
    "log_softmax": """
        def multiclass_loss(scores, labels):
            return F.nll_loss(F.log_softmax(scores, dim=-1), labels)
        """,
    "logsumexp": """
        def multiclass_loss(scores, labels):
            own = scores[torch.arange(len(labels)), labels]
            return (torch.logsumexp(scores, dim=1) - own).mean()
        """,
    "text_by_text": """
        def multiclass_loss(scores, labels):
            total = 0.0
            for s, y in zip(scores, labels):
                shifted = s - s.max()
                total = total + torch.log(torch.exp(shifted).sum()) - shifted[y]
            return total / len(labels)
        """,
}

EQUIVALENT = {
    "The largest score cancels out, and so does its gradient.": """
        -    highest = scores.amax(dim=1, keepdim=True).detach()
        +    highest = scores.amax(dim=1, keepdim=True)
        """,
    "The mean over all combinations of texts is the mean over the texts.": """
        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1, keepdim=True).log() + highest.squeeze(1)

        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1).log() + highest

        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1).log() + highest.unsqueeze(1)

        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(0)

        -    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        +    own = scores.gather(1, labels.unsqueeze(1))

        -    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        +    own = scores.gather(1, labels.unsqueeze(1)).unsqueeze(1)

        -    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        +    own = scores.gather(1, labels.unsqueeze(1)).squeeze(0)
        """,
    "A batch of one text loses its axis, which the mean drops anyway.": """
        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = ((scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)).squeeze()

        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze()

        -    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        +    own = scores.gather(1, labels.unsqueeze(1)).squeeze()

        -    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
        +    own = scores.gather(1, labels.unsqueeze(1)).squeeze(1).squeeze()
        """,
    "The largest scores are not used again.": """
        -    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze(1)
        +    log_total = (scores - highest).exp().sum(dim=1).log() + highest.squeeze_(1)
        """,
}
