"""next_token_loss: padded batches, parts of a text, texts of one token, and its gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import draw_ids, lengths_mask, normal, number

POINTS = {"values": 2, "counted": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    V = number(rng, 4, 6)

    def case(group: str, counted: torch.Tensor, title: str, gradient: str = "") -> Case:
        inputs = [
            normal(rng, *counted.shape, V, scale=1.5),
            draw_ids(rng, V, *counted.shape),
            counted,
        ]
        return Case(group, inputs, title=title, gradient=gradient)

    n = number(rng, 3, 5)
    yield case("values", lengths_mask([n]), "one text")
    yield case("values", lengths_mask([n, n, n]), "three texts of the same length")
    yield case("values", lengths_mask([n, n]), "what training changes", gradient="logits")

    yield case("counted", lengths_mask([n + 2, 2, n]), "padding")
    part = lengths_mask([6, 5]) & (torch.arange(6) >= number(rng, 2, 3))
    yield case("counted", part, "only the second part of each text")
    counted = torch.from_numpy(rng.random((2, 6)) < 0.5)
    counted[:, 0] = counted[:, 3] = True
    counted[0, 4] = False
    yield case("counted", counted, "some tokens here and there; the first is never predicted")
    yield case("counted", lengths_mask([5, 2]), "what padding changes", gradient="logits")

    yield case("edges", lengths_mask([1, n]), "a text of one token beside another")
    yield case("edges", lengths_mask([1, 1], 1), "texts of one token: nothing to predict")
    nothing = torch.zeros(2, n, dtype=torch.bool)
    yield case("edges", nothing, "nothing counts", gradient="logits")
    yield case("edges", lengths_mask([2]), "one token to predict")


WRONG = {
    "not_shifted": """
        The logits at a token are compared with that same token. They should predict the next one:
        compare all positions but the last with all tokens but the first.

        - wanted, counted = ids[:, 1:], counted[:, 1:]
        - losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none")
        + wanted = ids
        + losses = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
        """,
    "shifted_the_other_way": """
        The logits are shifted in the wrong direction: those at `film` are compared with the token
        before it.

        - wanted, counted = ids[:, 1:], counted[:, 1:]
        - losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none")
        + wanted, counted = ids[:, :-1], counted[:, :-1]
        + losses = F.cross_entropy(logits[:, 1:].flatten(0, 1), wanted.flatten(), reduction="none")
        """,
    "counts_everything": """
        All tokens count, whatever `counted` says.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + return losses.sum() / max(1, losses.numel())
        """,
    "divides_by_all": """
        The sum is right, but it is divided by the number of all positions, not of those that count.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + return (losses * counted.flatten()).sum() / max(1, losses.numel())
        """,
    "counted_is_not_shifted": """
        `counted` speaks about the tokens to predict, so it is shifted like them: leave out its first
        column, not its last.

        - wanted, counted = ids[:, 1:], counted[:, 1:]
        + wanted, counted = ids[:, 1:], counted[:, :-1]
        """,
    "sums": """
        This is the sum. The mean over the tokens that count is wanted.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + return (losses * counted.flatten()).sum()
        """,
    "averages_the_texts": """
        A short text weighs as much as a long one. Add up over the whole batch, then divide once.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + losses = losses.view(counted.shape) * counted
        + return (losses.sum(dim=1) / counted.sum(dim=1).clamp(min=1)).mean()
        """,
    "nan_without_tokens": """
        If nothing is to be predicted, 0 / 0 is NaN. The loss should be 0 then.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + return (losses * counted.flatten()).sum() / counted.sum()
        """,
    "nan_where_all_is_ignored": """
        Where every token is ignored, F.cross_entropy divides 0 by 0: its mean is NaN. The loss should be
        0 then.

        - losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none")
        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + wanted = wanted.masked_fill(~counted, -100)
        + return F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten())
        """,
    "divides_by_first_tokens_too": """
        The first token of each text is never predicted, but the divisor counts it. Shift `counted`
        before you sum it.

        - wanted, counted = ids[:, 1:], counted[:, 1:]
        + total, wanted, counted = counted.sum(), ids[:, 1:], counted[:, 1:]
        ...
        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + return (losses * counted.flatten()).sum() / total.clamp(min=1)
        """,
    "id_0_is_padding": """
        Tokens with the id 0 are left out as padding, and `counted` is not used. It alone says which
        tokens count.

        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + counted = wanted != 0
        + return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        """,
}

FURTHER = """
Three tensors are shifted: logits[:, :-1], ids[:, 1:] and counted[:, 1:]. F.cross_entropy with
reduction="none" gives a loss for each position; multiply by counted, add up, and divide by how many
count, but at least by 1.
"""

RIGHT = {
    "selects_first": """
        def next_token_loss(logits, ids, counted):
            keep = counted[:, 1:]
            if not keep.any():
                return logits.sum() * 0
            return F.cross_entropy(logits[:, :-1][keep], ids[:, 1:][keep])
        """,
    "gathers": """
        def next_token_loss(logits, ids, counted):
            log_p = torch.log_softmax(logits[:, :-1], dim=-1)
            right = log_p.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
            right = torch.where(counted[:, 1:], right, 0.0)
            return -right.sum() / max(int(counted[:, 1:].sum()), 1)
        """,
    "ignored_index": """
        - losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none")
        - return (losses * counted.flatten()).sum() / counted.sum().clamp(min=1)
        + wanted = wanted.masked_fill(~counted, -100)
        + total = F.cross_entropy(logits[:, :-1].mT, wanted, reduction="sum")
        + return total / counted.sum().clamp(min=1)
        """,
}

EQUIVALENT = {
    "True is 1 in every type": """
         ) -> torch.Tensor:
        +    counted = counted.float()
             wanted, counted = ids[:, 1:], counted[:, 1:]

         ) -> torch.Tensor:
        +    counted = counted.long()
             wanted, counted = ids[:, 1:], counted[:, 1:]
        """,
    "flatten, or the product with flat numbers, gives the same numbers": """
        -    wanted, counted = ids[:, 1:], counted[:, 1:]
        +    wanted, counted = ids[:, 1:].squeeze(), counted[:, 1:]

        -    wanted, counted = ids[:, 1:], counted[:, 1:]
        +    wanted, counted = ids[:, 1:], counted[:, 1:].squeeze()

        -    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none")
        +    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), wanted.flatten(), reduction="none").squeeze()
        """,
}
