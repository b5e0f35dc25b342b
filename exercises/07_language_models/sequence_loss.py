"""sequence_loss: padding anywhere, large logits, rows without a target, gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import draw_ids, lengths_mask, normal

POINTS = {"values": 2, "padding": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(batch: int, length: int, n_words: int, scale: float = 2.0) -> list[Any]:
        logits = normal(rng, batch, length, n_words, scale=scale)
        return [logits, draw_ids(rng, n_words, batch, length), torch.ones(batch, length) > 0]

    yield Case("values", inputs(2, 3, 4), title="nothing is padding")
    yield Case("values", inputs(1, int(rng.integers(4, 6)), 3), title="a batch of one")
    yield Case("values", inputs(3, 3, 3), title="three of everything")
    logits, targets, _ = inputs(3, 4, 5)
    mask = lengths_mask([int(rng.integers(1, 4)), 4, 2], 4)
    yield Case("padding", [logits, targets, mask], title="texts of different lengths")
    title = "padding has any id, and id 0 is a token like any other"
    odd = targets.clone()
    odd[mask] = odd[mask] * (torch.arange(int(mask.sum())) % 2)
    yield Case("padding", [logits, odd, mask], title=title)
    gaps = torch.tensor([[True, False, True, True], [False, True, False, False]])
    logits, targets, _ = inputs(2, 4, 3)
    yield Case("padding", [logits, targets, gaps], title="padding in the middle")
    logits = logits.clone()
    logits[~gaps] = torch.tensor([3e4, -3e4, 0.0])
    yield Case("padding", [logits, targets, gaps], title="huge logits at padding")
    title = "the gradient: none at padding"
    yield Case("padding", [*inputs(2, 4, 3)[:2], gaps], title=title, gradient="logits")
    logits, targets, mask = inputs(2, 2, 4, scale=300.0)
    logits[0, 0, targets[0, 0]] = logits[0, 0].amax() - 400  # a probability below every float
    yield Case("edges", [logits, targets, mask], title="logits in the hundreds")
    logits, targets, mask = inputs(2, 3, 4)
    nothing = torch.zeros_like(mask)
    yield Case("edges", [logits, targets, nothing], title="only padding")
    title = "only padding: the gradient"
    yield Case("edges", [logits, targets, nothing], title=title, gradient="logits")
    logits, targets, mask = inputs(2, 2, 3)
    yield Case("edges", [logits.double(), targets, mask], title="double precision")
    logits, targets, mask = inputs(2, 2, 3)
    title = "only padding, double precision"
    yield Case("edges", [logits.double(), targets, ~mask], title=title)
    yield Case("edges", inputs(1, 1, 2), title="one token, two words")
    yield Case("edges", inputs(3, 1, 4), title="three texts of one token")


WRONG = {
    "averages_padding": """
        Padding is averaged in. Leave it out of the sum, and divide by the number of real targets.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.mean()
        """,
    "divides_by_all": """
        The sum is right, but you divide by the number of all positions. Divide by the number of
        real ones, mask.sum().

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill(~mask, 0.0).mean()
        """,
    "mean_of_texts": """
        You average within each text first, so a token of a short text weighs more than others.
        One sum and one division, over all tokens of the batch.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + per_text = -log_p.masked_fill(~mask, 0.0).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        + return per_text.mean()
        """,
    "no_minus": """
        The sign is wrong: this falls when the model gets worse.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        """,
    "softmax_then_log": """
        The softmax of a far smaller logit is 0, and log(0) is -inf. Take torch.log_softmax, which
        does both in one step that is exact.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = torch.log(torch.softmax(logits, dim=-1))
        """,
    "softmax_then_log_times_mask": """
        The softmax of a far smaller logit is 0, log(0) is -inf, and 0 times -inf is NaN, so the mask
        does not help. Take torch.log_softmax, which does both in one step that is exact.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = torch.log(torch.softmax(logits, dim=-1))
        ...
        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -(log_p * mask).sum() / mask.sum().clamp(min=1)
        """,
    "wrong_axis": """
        The softmax runs over the positions. It should run over the words, the last axis.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = torch.log_softmax(logits, dim=1)
        """,
    "returns_perplexity": """
        This is the perplexity. The loss is its logarithm: the mean itself, without exp.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return (-log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)).exp()
        """,
    "padding_by_id": """
        You take the id 0 for padding. Only the mask says what is padding.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + mask = targets != 0
        + return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        """,
    "divides_by_zero": """
        Without a real target this is 0 / 0, which is NaN. Divide by at least 1.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum()
        """,
    "divides_by_zero_times_mask": """
        Without a real target this is 0 / 0, which is NaN, and so is its gradient. Divide by at
        least 1: mask.sum().clamp(min=1).

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -(log_p * mask).sum() / mask.sum()
        """,
    "sums": """
        This is the sum. Divide by the number of real targets, or long texts take larger steps.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill(~mask, 0.0).sum()
        """,
    "softmax_twice": """
        The softmax is taken twice: `cross_entropy` expects logits, and takes the logarithm of their softmax
        itself.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = torch.log_softmax(torch.softmax(logits, dim=-1), dim=-1)
        """,
    "logits_as_log_probabilities": """
        These are the logits of the targets. Make log-probabilities of them first, with a log-softmax.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = logits
        """,
    "targets_shifted_again": """
        The targets are shifted once more. They are the next tokens already: position t of `targets` belongs
        to position t of `logits`.

        - log_p = torch.log_softmax(logits, dim=-1)
        + logits, targets, mask = logits[:, :-1], targets[:, 1:], mask[:, 1:]
        + log_p = torch.log_softmax(logits, dim=-1)
        """,
    "divides_by_the_texts": """
        The sum is right, but you divide by the number of texts. The mean is per token: divide by mask.sum().

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill(~mask, 0.0).sum() / len(mask)
        """,
    "constant_without_targets": """
        Without a real target a constant comes back, from which no gradient leads to the logits:
        `loss.backward()` would raise an error. Let the same formula give 0, with a divisor of at least 1.

        - log_p = torch.log_softmax(logits, dim=-1)
        + if not mask.any():
        +     return logits.new_zeros(())
        + log_p = torch.log_softmax(logits, dim=-1)
        """,
    "float32_without_targets": """
        Without a real target the result is torch.tensor(0.0): always float32, and a constant, so that
        `loss.backward()` would raise an error. Let the same formula give 0, with a divisor of at least 1.

        - log_p = torch.log_softmax(logits, dim=-1)
        + if not mask.any():
        +     return torch.tensor(0.0)
        + log_p = torch.log_softmax(logits, dim=-1)
        """,
    "mask_inverted": """
        The mask is inverted: the loss is that of padding. The mask is True at real words.

        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill(mask, 0.0).sum() / (~mask).sum().clamp(min=1)
        """,
    "reshapes_the_logits": """
        The logits are reshaped to (B, |V|, L), which mixes the words' scores: reshape keeps the
        order in memory. `transpose(1, 2)` exchanges the axes.

        - log_p = torch.log_softmax(logits, dim=-1)
        - log_p = log_p.gather(-1, targets[..., None])[..., 0]  # (B, L)
        + B, L, V = logits.shape
        + log_p = torch.log_softmax(logits.reshape(B, V, L), dim=1)
        + log_p = log_p.gather(1, targets[:, None])[:, 0]
        """,
    "log_of_a_little_more": """
        A small number is added to the probability so that its logarithm is finite, and where the
        probability is tiny, that number decides. `log_softmax` needs no such repair.

        - log_p = torch.log_softmax(logits, dim=-1)
        + log_p = torch.log(torch.softmax(logits, dim=-1) + 1e-9)
        """,
}

RIGHT = {
    "library": """
        def sequence_loss(logits, targets, mask):
            losses = nn.functional.cross_entropy(logits.mT, targets, reduction="none")
            return (losses * mask).sum() / max(int(mask.sum()), 1)
        """,
    "ignore_index": """
        def sequence_loss(logits, targets, mask):
            targets = torch.where(mask, targets, -100)
            total = nn.functional.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="sum"
            )
            return total / mask.sum().clamp(min=1)
        """,
    "real_tokens_only": """
        def sequence_loss(logits, targets, mask):
            real, right = logits[mask], targets[mask]
            if len(real) == 0:
                return logits.sum() * 0
            return (real.logsumexp(dim=-1) - real[torch.arange(len(right)), right]).mean()
        """,
    "one_hot": """
        def sequence_loss(logits, targets, mask):
            log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
            hot = nn.functional.one_hot(targets, logits.shape[-1]) * mask[..., None]
            return -torch.where(hot > 0, log_p, 0).sum() / mask.sum().clamp(min=1)
        """,
}

EQUIVALENT = {
    "the axis has size 1": """
        - log_p = log_p.gather(-1, targets[..., None])[..., 0]  # (B, L)
        + log_p = log_p.gather(-1, targets[..., None])[..., -1]  # (B, L)
        """,
    "nothing else uses the logarithms that were chosen": """
        - return -log_p.masked_fill(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        + return -log_p.masked_fill_(~mask, 0.0).sum() / mask.sum().clamp(min=1)
        """,
}
