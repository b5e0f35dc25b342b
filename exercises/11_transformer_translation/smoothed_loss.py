"""smoothed_loss: all shares of smoothing; padding adds nothing, whatever its id; large logits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number
from .common import draw_ids

POINTS = {"values": 2, "padding": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        *lengths: int,
        smoothing: float | None = None,
        padding: int | None = None,
        scale: float = 1.5,
        **more,
    ) -> Case:
        n_words = number(rng, 5, 7)
        if smoothing is None:
            smoothing = round(float(rng.uniform(0.1, 0.4)), 2)
        y = draw_ids(rng, n_words, len(lengths), max(lengths))
        if padding:  # then 0 is a token like any other, and the first one here
            y = torch.where(y == padding, 0, y)
            y[0, 0] = 0
        y = y.masked_fill(~lengths_mask(lengths), padding or 0)
        kwargs = {"padding": padding} if padding else {}
        inputs = [normal(rng, *y.shape, n_words, scale=scale), y, smoothing]
        return Case(group, inputs, kwargs, **more)

    n = number(rng, 3, 4)
    yield case("values", n, n, title="no padding")
    yield case("values", 1, title="one token")
    yield case("values", 1, 1, 1, title="three sentences of one token")
    yield case("values", n, smoothing=0.9, title="much smoothing")
    yield case("values", 2, smoothing=0.0, title="no smoothing")
    yield case("padding", 1, n, title="a short sentence beside a long one")
    title = "padding has another id, and 0 is a token"
    yield case("padding", 2, n, padding=number(rng, 2, 4), title=title)
    yield case("padding", 1, 3, title="what training changes", gradient="all")
    title = "padding is -1, which is no token"
    looked_up = ("counts_padding", "divides_by_all")  # an error, if they look the padding up
    yield case("edges", 2, n, padding=-1, title=title, undefined=looked_up)
    yield case("edges", n, scale=60.0, title="large logits")
    yield case("edges", n, 2, scale=40.0, smoothing=0.0, title="large logits, no smoothing")


WRONG = {
    "without_smoothing": """
        The labels are not smoothed: this is the plain cross-entropy.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = -right
        """,
    "sum_over_tokens": """
        The share ε is given to every token, so the labels sum to more than 1. The |V| tokens share
        it: take the mean over the vocabulary.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = -(1 - smoothing) * right - smoothing * log_p.sum(dim=-1)
        """,
    "exchanged_shares": """
        The right token gets the share ε and all together 1 - ε. It is the other way round.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = -smoothing * right - (1 - smoothing) * log_p.mean(dim=-1)
        """,
    "only_wrong_tokens": """
        The share ε is spread over the wrong tokens only. Here all |V| tokens share it, the right one
        included.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + others = (log_p.sum(dim=-1) - right) / (logits.shape[-1] - 1)
        + losses = -(1 - smoothing) * right - smoothing * others
        """,
    "counts_padding": """
        Padding counts: the model would be trained to write it. Average over the positions where
        y_out is not `padding`.

        - return losses[y_out != padding].mean()
        + return losses.mean()
        """,
    "divides_by_all": """
        The losses of padding are left out of the sum, but its positions still count in the number
        that you divide by.

        - return losses[y_out != padding].mean()
        + return (losses * (y_out != padding)).mean()
        """,
    "mean_of_sentences": """
        This is a mean of the sentences' means, in which a token of a short sentence counts more.
        Average over all real tokens of the batch.

        - return losses[y_out != padding].mean()
        + real = y_out != padding
        + return ((losses * real).sum(dim=1) / real.sum(dim=1)).mean()
        """,
    "padding_is_always_0": """
        The id 0 is left out whatever `padding` says. Use the argument.

        - return losses[y_out != padding].mean()
        + return losses[y_out != 0].mean()
        """,
    "log_of_softmax": """
        With large logits the loss is infinite or NaN: a probability is rounded to 0 before the
        logarithm. Use log_softmax.

        - log_p = torch.log_softmax(logits, dim=-1)  # (B, T, |V|)
        + log_p = torch.softmax(logits, dim=-1).log()
        """,
    "sum_of_losses": """
        This is the sum over the tokens, which grows with the batch. Take their mean.

        - return losses[y_out != padding].mean()
        + return losses[y_out != padding].sum()
        """,
    "wrong_sign": """
        The sign is wrong: the loss is negative, and training would make it worse. Log-probabilities
        are negative; the loss is minus their mean.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = (1 - smoothing) * right + smoothing * log_p.mean(dim=-1)
        """,
    "without_log": """
        The probabilities themselves are averaged. The formula has their logarithms: log_softmax in
        place of softmax.

        - log_p = torch.log_softmax(logits, dim=-1)  # (B, T, |V|)
        + log_p = torch.softmax(logits, dim=-1)
        """,
    "smooths_the_probabilities": """
        The model's probability is smoothed, and then comes the logarithm. It is the *labels* that
        are smoothed: take the logarithms first, then their weighted sum.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = -((1 - smoothing) * right.exp() + smoothing / logits.shape[-1]).log()
        """,
    "full_share": """
        The right token keeps its full share, and ε comes on top. What the others get is taken from
        it: its term has the factor 1 - ε.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + losses = -right - smoothing * log_p.mean(dim=-1)
        """,
    "smooths_padding": """
        The first term leaves out padding, but the second one is averaged over all positions. Both
        are averaged over the positions where y_out is not `padding`.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        - return losses[y_out != padding].mean()
        + right = right[y_out != padding].mean()
        + return -(1 - smoothing) * right - smoothing * log_p.mean()
        """,
    "reshapes_the_logits": """
        A reshape of the logits to (B, |V|, T) mixes the scores of different positions and tokens,
        since it keeps the numbers in their order. Swap the last two axes with a transpose.

        - log_p = torch.log_softmax(logits, dim=-1)  # (B, T, |V|)
        + B, T, n_words = logits.shape
        + log_p = torch.log_softmax(logits.reshape(B, n_words, T).mT, dim=-1)
        """,
    "softmax_over_positions": """
        The softmax runs over the positions of the sentence. At each position the probabilities of
        all |V| tokens sum to 1: the last axis.

        - log_p = torch.log_softmax(logits, dim=-1)  # (B, T, |V|)
        + log_p = torch.log_softmax(logits, dim=1)
        """,
    "looks_up_padding": """
        The log-probability is looked up at padding, too, whose id need not be that of a token: -1 is
        outside of the vocabulary. Leave these positions out first, or put another id in their place.

        raises RuntimeError

        - words = y_out.clamp(min=0)  # padding may be -1
        + words = y_out
        """,
    "whole_share_for_the_right_token": """
        The right token gets 1 - smoothing and no more, while the others get their share of all
        |V|. By the formula it has that share, too.

        - losses = -(1 - smoothing) * right - smoothing * log_p.mean(dim=-1)
        + share = smoothing / logits.shape[-1]
        + losses = -(1 - smoothing - share) * right - smoothing * log_p.mean(dim=-1)
        """,
    "divergence": """
        This is the Kullback-Leibler divergence, which subtracts the entropy of the smoothed
        distribution. The loss is the cross-entropy: nothing is subtracted.

        def smoothed_loss(logits, y_out, smoothing, padding=0):
            log_p = torch.log_softmax(logits, dim=-1)
            q = torch.full_like(log_p, smoothing / log_p.shape[-1])
            right = y_out.clamp(min=0, max=log_p.shape[-1] - 1).unsqueeze(-1)
            q.scatter_add_(-1, right, torch.full_like(q[..., :1], 1 - smoothing))
            losses = F.kl_div(log_p, q, reduction="none").sum(dim=-1)
            return losses[y_out != padding].mean()
        """,
}

RIGHT = {
    "library_call": """
        def smoothed_loss(logits, y_out, smoothing, padding=0):
            return F.cross_entropy(
                logits.mT, y_out, ignore_index=padding, label_smoothing=smoothing
            )
        """,
    "smooth_labels": """
        def smoothed_loss(logits, y_out, smoothing, padding=0):
            n = logits.shape[-1]
            labels = (1 - smoothing) * F.one_hot(y_out.clamp(min=0), n) + smoothing / n
            losses = -(labels * F.log_softmax(logits, dim=-1)).sum(-1)
            real = (y_out != padding).float()
            return (losses * real).sum() / real.sum()
        """,
    "loop": """
        def smoothed_loss(logits, y_out, smoothing, padding=0):
            losses = []
            for row, words in zip(logits, y_out.tolist()):
                for z, word in zip(row, words):
                    if word == padding:
                        continue
                    log_p = z - torch.logsumexp(z, dim=0)
                    losses.append((1 - smoothing) * log_p[word] + smoothing * log_p.sum() / len(z))
            return -torch.stack(losses).mean()
        """,
    "nll_loss": """
        def smoothed_loss(logits, y_out, smoothing, padding=0):
            log_p = logits.log_softmax(-1)[y_out != padding]
            right = F.nll_loss(log_p, y_out[y_out != padding])
            return (1 - smoothing) * right - smoothing * log_p.mean()
        """,
}

EQUIVALENT = {
    "0 times 2 is 0": """
        -    words = y_out.clamp(min=0)  # padding may be -1
        +    words = y_out.clamp(min=0 * 2)  # padding may be -1
        """,
}
