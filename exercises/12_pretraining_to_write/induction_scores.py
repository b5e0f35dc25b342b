"""induction_scores: made-up weights over texts with repetitions of several kinds, or none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"values": 2, "several": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(H: int, L: int) -> torch.Tensor:
        """Causal weights whose rows sum to 1."""
        drawn = np.tril(rng.uniform(0.1, 1.0, size=(H, L, L)))
        return torch.from_numpy((drawn / drawn.sum(axis=-1, keepdims=True)).astype(np.float32))

    def case(group: str, ids: list[int], title: str, H: int = 2) -> Case:
        return Case(group, [weights(H, len(ids)), torch.tensor(ids)], title=title)

    def kinds(n: int) -> list[int]:
        return [int(i) for i in rng.permutation(60)[:n]]

    n = number(rng, 3, 5)
    half = kinds(n)
    yield case("values", [*half, *half], "every token twice")
    some = kinds(n)
    yield case("values", [*some, *kinds(2), some[1], some[0]], "some tokens twice", H=3)
    yield case("values", [*kinds(n), 70, *kinds(2), 70], "one token twice", H=1)

    a, b, c = kinds(3)
    yield case("several", [a, b, a, c, a, b], "a token three times: what followed both")
    yield case("several", [*half, *half, *half[:2]], "three rounds")
    yield case("several", [a, a, b, a], "the same token twice in a row")

    yield case("several", [b, 0, c, 0, b, 0], "the id 0 is a token like any other")
    yield case("edges", kinds(n + 1), "no token twice", H=3)
    yield case("edges", kinds(1), "a single token")
    yield case("edges", [a, a], "the shortest repetition")


WRONG = {
    "the_token_itself": """
        The weight on the earlier occurrence itself is taken. Wanted is that on the position after it,
        where what followed stands.

        - after[:, 1:] = same[:, :-1]
        + after = same
        """,
    "the_token_before": """
        The weight on the position before the earlier occurrence is taken. Wanted is the one after it.

        - after[:, 1:] = same[:, :-1]
        + after[:, :-1] = same[:, 1:]
        """,
    "mean_over_all": """
        The sum is divided by all positions. Divide by the number of those whose token has occurred
        before them; a token is no earlier occurrence of itself.

        - return (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        + return (scores * asked).sum(dim=1) / len(ids)
        """,
    "mean_over_pairs": """
        The sum is divided by the number of pairs. A token that has occurred twice before is still one
        position: divide by the positions.

        - return (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        + return (scores * asked).sum(dim=1) / same.sum().clamp(min=1)
        """,
    "last_occurrence_only": """
        Only the last occurrence counts. If there are several, the weights after all of them are added.

        - after[:, 1:] = same[:, :-1]
        + last = same & (same.flip(1).cumsum(dim=1).flip(1) == 1)
        + after[:, 1:] = last[:, :-1]
        """,
    "first_occurrence_only": """
        Only the first occurrence counts. If there are several, the weights after all of them are
        added.

        - after[:, 1:] = same[:, :-1]
        + first = same & (same.cumsum(dim=1) == 1)
        + after[:, 1:] = first[:, :-1]
        """,
    "nan_without_repetition": """
        If no token occurs twice, 0 / 0 is NaN. The score is 0 then.

        - return (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        + return (scores * asked).sum(dim=1) / asked.sum()
        """,
    "one_number": """
        The mean over the heads is returned. Each head has a score of its own.

        - return (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        + mean = (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        + return mean.mean().expand(len(mean)).clone()
        """,
    "columns_for_rows": """
        Queries and keys are exchanged: the row of the weights is the token that attends.

        - scores = (weights * after).sum(dim=-1)  # (H, L)
        + scores = (weights.mT * after).sum(dim=-1)  # (H, L)
        """,
    "not_on_itself": """
        Where a token follows its own earlier occurrence directly, the position after that is the
        token itself, and its weight is left out. It counts like the others.

        - after[:, 1:] = same[:, :-1]
        + after[:, 1:] = same[:, :-1]
        + after = after.tril(-1)
        """,
}

FURTHER = """
(ids[:, None] == ids).tril(-1) is True in row t and column s where the same token stood at s before t. Move
its columns one to the right. Multiply the weights with it and add up each row; then the mean over the rows
that have an earlier occurrence.
"""

RIGHT = {
    "loops": """
        def induction_scores(weights, ids):
            total, n = torch.zeros(len(weights)), 0
            ids = ids.tolist()
            for t, token in enumerate(ids):
                earlier = [s for s in range(t) if ids[s] == token]
                if earlier:
                    n += 1
                    for s in earlier:
                        total += weights[:, t, s + 1]
            return total / n if n else total
        """,
    "rolls": """
        def induction_scores(weights, ids):
            L = len(ids)
            same = torch.eq(ids.view(-1, 1), ids.view(1, -1)) & (torch.arange(L) < torch.arange(L)[:, None])
            rows = same.any(1)
            if not rows.any():
                return torch.zeros(weights.shape[0])
            found = torch.einsum("hts,ts->ht", weights[:, :, 1:], same[:, :-1].float())
            return found[:, rows].mean(dim=1)
        """,
}

EQUIVALENT = {
    "no model is trained through it": "every edit: detached, without gradient",
    "ids are far below the whole numbers that a float cannot tell apart": """
         def induction_scores(weights: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        +    ids = ids.float()
             same = (ids[:, None] == ids).tril(-1)  # row t, column s
        """,
    "only zeros are transposed": """
        -    after = torch.zeros_like(same)
        +    after = torch.zeros_like(same).mT
        """,
    "squeeze changes only L = 1, where one value broadcasts": """
        -    asked = same.any(dim=1)
        +    asked = same.any(dim=1).squeeze()
        """,
    "no earlier occurrence is in the last column, so each has a position after it in its row": """
        -    asked = same.any(dim=1)
        +    asked = after.any(dim=1)
        """,
    "the scores of positions that are not asked are 0": """
        -    return (scores * asked).sum(dim=1) / asked.sum().clamp(min=1)
        +    return (scores).sum(dim=1) / asked.sum().clamp(min=1)
        """,
}
