"""continuation_scores: sums and means; padding, impossible tokens that count or do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import draw_ids, lengths_mask, normal, number

POINTS = {"sums": 2, "means": 1, "impossible": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    V = number(rng, 4, 6)

    def after(lengths: list[int], *starts: int) -> torch.Tensor:
        """The tokens from a position on, of texts of these lengths."""
        real = lengths_mask(lengths)
        return real & (torch.arange(real.shape[1]) >= torch.tensor(starts)[:, None])

    def case(group: str, counted: torch.Tensor, title: str, **more: Any) -> Case:
        logits, ids = normal(rng, *counted.shape, V, scale=1.5), draw_ids(rng, V, *counted.shape)
        return Case(group, [logits, ids, counted], title=title, **more)

    n = number(rng, 4, 6)
    yield case("sums", after([n], 2), "one text")
    yield case("sums", after([n, 3, 4], 2, 1, 3), "three texts of different lengths")
    yield case("sums", after([2, 2, 2], 1, 1, 1), "texts of two tokens")

    yield case("means", after([6, 4], 2, 3), "per token", kwargs={"per_token": True})
    yield case("means", after([n, 3, 3], 1, 1, 2), "three texts", kwargs={"per_token": True})

    for counts, title in ((True, "an impossible token counts"), (False, "it does not count")):
        counted = after([5, 5], 3, 2)
        logits, ids = normal(rng, 2, 5, V), draw_ids(rng, V, 2, 5)
        at = 3 if counts else 1
        ids[0, at] = number(rng, 0, V - 1)
        logits[0, at - 1, ids[0, at]] = -math.inf
        for per_token in (False, True):
            kwargs = {"per_token": per_token}
            yield Case("impossible", [logits, ids, counted], kwargs, title=title)

    counted = after([n, n], 2, 3)
    counted[0] = False
    yield case("edges", counted, "nothing counts in the first text")
    yield case("edges", counted, "nothing counts, per token", kwargs={"per_token": True})
    counted = lengths_mask([3, 1])
    yield case("edges", counted, "the first token never counts")
    title = "the first token never counts, per token"
    yield case("edges", counted, title, kwargs={"per_token": True})
    counted = torch.ones(2, 1, dtype=torch.bool)
    yield case("edges", counted, "texts of one token")


WRONG = {
    "not_shifted": """
        Row t of the logits is used for token t. It predicts token t + 1.

        - log_p = logits[:, :-1].log_softmax(dim=-1)
        - log_p = log_p.gather(-1, ids[:, 1:, None]).squeeze(-1)
        - counted = counted[:, 1:]
        + log_p = logits.log_softmax(dim=-1)
        + log_p = log_p.gather(-1, ids[:, :, None]).squeeze(-1)
        """,
    "zero_times_infinity": """
        A token that does not count is multiplied by 0, and 0 times minus infinity is NaN. Put 0 in
        its place, with torch.where or masked_fill.

        - total = log_p.masked_fill(~counted, 0.0).sum(dim=1)
        + total = (log_p * counted).sum(dim=1)
        """,
    "probabilities": """
        These are probabilities that are added up. The probability of several tokens is a product:
        add their logarithms.

        - log_p = logits[:, :-1].log_softmax(dim=-1)
        + log_p = logits[:, :-1].softmax(dim=-1)
        """,
    "logits_instead": """
        The logits are added up without a softmax. Only log_softmax makes log-probabilities of them.

        - log_p = logits[:, :-1].log_softmax(dim=-1)
        + log_p = logits[:, :-1]
        """,
    "always_the_mean": """
        This is the mean in both cases. With per_token=False it should be the sum.

        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total / counted.sum(dim=1).clamp(min=1)
        """,
    "always_the_sum": """
        This is the sum in both cases. With per_token=True divide by the number of tokens that count.

        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total
        """,
    "divides_by_the_length": """
        The sum is divided by the length of the whole text. Divide by the tokens that count.

        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total / ids.shape[1] if per_token else total
        """,
    "divides_by_first_tokens_too": """
        The first token of a text is never scored, but the divisor counts it. Shift `counted` before you
        sum it.

        - counted = counted[:, 1:]
        + n, counted = counted.sum(dim=1), counted[:, 1:]
        ...
        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total / n.clamp(min=1) if per_token else total
        """,
    "scores_everything": """
        The prompt is scored, too. Only the tokens where `counted` is True belong to the continuation.

        - total = log_p.masked_fill(~counted, 0.0).sum(dim=1)
        + total = log_p.sum(dim=1)
        """,
    "nan_without_tokens": """
        Where no token counts, 0 / 0 is NaN. The score is 0 there.

        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total / counted.sum(dim=1) if per_token else total
        """,
    "counted_is_not_shifted": """
        `counted` speaks about tokens, so it is shifted like them: leave out its first column, not its
        last.

        - counted = counted[:, 1:]
        + counted = counted[:, :-1]
        """,
    "finite_floor": """
        An impossible token that counts makes the score minus infinity. Here it only gets a low
        number.

        - log_p = log_p.gather(-1, ids[:, 1:, None]).squeeze(-1)
        + log_p = log_p.gather(-1, ids[:, 1:, None]).squeeze(-1).clamp(min=-1e4)
        """,
    "divides_by_the_whole_batch": """
        The sums are divided by the number of tokens that count in the whole batch. Divide that of
        each text by its own number.

        - return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        + return total / counted.sum().clamp(min=1) if per_token else total
        """,
    "squeezes_all_axes": """
        `squeeze()` without a dimension takes away every axis of size 1, also that of the texts or
        of the tokens where there is a single one. Name the last axis.

        - log_p = log_p.gather(-1, ids[:, 1:, None]).squeeze(-1)
        + log_p = log_p.gather(-1, ids[:, 1:, None]).squeeze()
        """,
}

FURTHER = """
logits[:, :-1].log_softmax(-1), from which gather takes the entries of ids[:, 1:]. masked_fill puts 0 where
counted[:, 1:] is False. Then a sum over each row, and for the mean a division by how many count, at
least 1.
"""

RIGHT = {
    "with_where": """
        - total = log_p.masked_fill(~counted, 0.0).sum(dim=1)
        + total = torch.where(counted, log_p, torch.zeros(())).sum(dim=1)
        """,
    "text_by_text": """
        def continuation_scores(logits, ids, counted, per_token=False):
            found = []
            for scores, row, keep in zip(logits, ids, counted):
                log_p = F.log_softmax(scores, dim=-1)
                parts = [log_p[t - 1, row[t]] for t in range(1, len(row)) if keep[t]]
                total = torch.stack(parts).sum() if parts else torch.tensor(0.0)
                found.append(total / max(len(parts), 1) if per_token else total)
            return torch.stack(found)
        """,
}

EQUIVALENT = {
    "no model is trained through it": "every edit: detached, without gradient, constant corner",
    "gather takes only the rows that predict one of the ids": """
        -    log_p = logits[:, :-1].log_softmax(dim=-1)
        +    log_p = logits.log_softmax(dim=-1)

        -    log_p = logits[:, :-1].log_softmax(dim=-1)
        +    log_p = logits[:, :].log_softmax(dim=-1)
        """,
    "the log-probabilities and their sums are new tensors, which nothing else uses": """
        -    total = log_p.masked_fill(~counted, 0.0).sum(dim=1)
        +    total = log_p.masked_fill_(~counted, 0.0).sum(dim=1)

        -    return total / counted.sum(dim=1).clamp(min=1) if per_token else total
        +    return total.div_(counted.sum(dim=1).clamp(min=1)) if per_token else total
        """,
}
