"""translation_loss: padding counts nothing, whatever its id; a mean over tokens, not sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import draw_ids, lengths_mask, normal
from .common import draw_lengths

POINTS = {"values": 2, "padding": 1, "ids": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, lengths: list[int], padding: int | None = None, **more) -> Case:
        n_words, mask = int(rng.integers(5, 8)), lengths_mask(lengths)
        y_out = 1 + draw_ids(rng, n_words - 1, *mask.shape)
        if padding:  # then 0 is a word like any other
            y_out = torch.where(y_out == padding, 0, y_out)
        y_out = y_out.masked_fill(~mask, padding or 0)
        logits = normal(rng, *mask.shape, n_words, scale=more.pop("scale", 1.0))
        logits[0, 0, y_out[0, 0]] -= more.pop("surprise", 0.0)
        inputs = [logits, y_out]
        return Case(group, inputs, {"padding": padding} if padding else {}, **more)

    n = int(rng.integers(3, 5))
    yield case("values", [n, n], title="no padding")
    yield case("values", [1], title="one word")
    yield case("values", [n], title="large logits", scale=60.0, surprise=400.0)
    yield case("padding", draw_lengths(rng, 3, n + 1))
    yield case("padding", [1, n + 2], title="a short sentence beside a long one")
    title = "padding has another id, and 0 is a word"
    yield case("ids", [1, n], padding=int(rng.integers(2, 5)), title=title)
    yield case("padding", [2, n], title="what training changes", gradient="all")
    yield case("ids", [n, 1], padding=-1, title="padding is -1, which is no word")


WRONG = {
    "counts_padding": """
        Padding counts: the model would be trained to write it. Leave out the positions where y_out
        is `padding`, in the sum and in the number that you divide by.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return F.cross_entropy(logits.flatten(0, 1), y_out.flatten())
        """,
    "divides_by_all": """
        The loss of padding is left out of the sum, but its positions still count in the number that
        you divide by. Divide by the number of real tokens.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + losses = F.cross_entropy(logits.mT, y_out, ignore_index=padding, reduction="none")
        + return losses.mean()
        """,
    "sum_of_losses": """
        This is the sum over the tokens, which grows with the batch. Divide by the number of real
        tokens.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return F.cross_entropy(
        +     logits.flatten(0, 1), y_out.flatten(), ignore_index=padding, reduction="sum"
        + )
        """,
    "divides_by_sentences": """
        The sum over the tokens is divided by the number of sentences, so a batch of long sentences
        has a larger loss. Divide by the number of real tokens.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return F.cross_entropy(
        +     logits.flatten(0, 1), y_out.flatten(), ignore_index=padding, reduction="sum"
        + ) / len(y_out)
        """,
    "mean_of_sentences": """
        This is a mean of the sentences' means, in which a word of a short sentence counts more than
        one of a long sentence. Average over all tokens of the batch.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + losses = F.cross_entropy(logits.mT, y_out, ignore_index=padding, reduction="none")
        + return (losses.sum(dim=1) / (y_out != padding).sum(dim=1)).mean()
        """,
    "padding_is_always_0": """
        The id 0 is left out whatever `padding` says. Use the argument.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=0)
        """,
    "zero_is_left_out": """
        The id 0 is left out whatever `padding` says, and the padding that has another id counts.
        Compare with the argument.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + losses = F.cross_entropy(logits.mT, y_out.clamp(min=0), reduction="none")
        + return losses[y_out != 0].mean()
        """,
    "softmax_twice": """
        The softmax is applied twice: `cross_entropy` expects logits and applies it itself.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return F.cross_entropy(
        +     logits.softmax(dim=-1).flatten(0, 1), y_out.flatten(), ignore_index=padding
        + )
        """,
    "log_of_softmax": """
        With large logits the loss is infinite or NaN: a probability is rounded to 0 before the
        logarithm. Use log_softmax or cross_entropy.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + p = logits.softmax(dim=-1).gather(-1, y_out[..., None])[..., 0]
        + return -torch.log(p)[y_out != padding].mean()
        """,
    "wrong_sign": """
        The sign is wrong: the log-likelihood is negative, the loss is its opposite.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + return -F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        """,
    "looks_up_padding": """
        The log-probability is looked up at padding, too, where the id need not be that of a word: -1 is
        outside of the vocabulary. Leave these positions out first, or put 0 in place of their ids.

        raises RuntimeError

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + chosen = torch.log_softmax(logits, dim=-1).gather(-1, y_out.unsqueeze(-1)).squeeze(-1)
        + return -chosen[y_out != padding].mean()
        """,
    "mask_inverted": """
        Only padding counts: the mask is inverted. Keep the positions where y_out is *not*
        `padding`.

        def translation_loss(logits, y_out, padding=0):
            losses = F.cross_entropy(logits.transpose(1, 2), y_out, reduction="none")
            mask = y_out == padding
            return (losses * mask).sum() / mask.sum()
        """,
    "reshapes_the_logits": """
        The logits are reshaped to (B, |V|, T), which mixes the words' scores: reshape keeps the
        order in memory. `transpose(1, 2)` exchanges the axes.

        def translation_loss(logits, y_out, padding=0):
            B, T, V = logits.shape
            return F.cross_entropy(logits.reshape(B, V, T), y_out, ignore_index=padding)
        """,
    "shifts_again": """
        The logits of each position are compared with the word *after* the right one. y_in and y_out
        are shifted already: compare the two at the same position, without another shift.

        - return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        + logits, y_out = logits[:, :-1], y_out[:, 1:]
        + return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        """,
}

RIGHT = {
    "log_softmax_and_gather": """
        def translation_loss(logits, y_out, padding=0):
            log_p = torch.log_softmax(logits, dim=-1)
            real = y_out != padding
            chosen = log_p.gather(-1, y_out.where(real, 0).unsqueeze(-1)).squeeze(-1)
            return -(chosen * real).sum() / real.sum()
        """,
    "only_real_positions": """
        def translation_loss(logits, y_out, padding=0):
            real = y_out != padding
            return F.cross_entropy(logits[real], y_out[real])
        """,
    "classes_second": """
        def translation_loss(logits, y_out, padding=0):
            return nn.CrossEntropyLoss(ignore_index=padding)(logits.transpose(1, 2), y_out)
        """,
    "loop": """
        def translation_loss(logits, y_out, padding=0):
            losses = []
            for b in range(y_out.shape[0]):
                for t in range(y_out.shape[1]):
                    if y_out[b, t] != padding:
                        losses.append(logits[b, t].logsumexp(dim=0) - logits[b, t, y_out[b, t]])
            return torch.stack(losses).mean()
        """,
}

EQUIVALENT = {
    "The inputs are contiguous.": """
        -    return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        +    return F.cross_entropy(logits.view(logits.flatten(0, 1).shape), y_out.flatten(), ignore_index=padding)

        -    return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), ignore_index=padding)
        +    return F.cross_entropy(logits.flatten(0, 1), y_out.view(y_out.flatten().shape), ignore_index=padding)
        """,
}
