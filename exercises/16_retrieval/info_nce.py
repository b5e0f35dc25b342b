"""info_nce: the temperature, the right column, repeated paragraphs, hard negatives, gradients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number

POINTS = {"values": 2, "repeated": 1, "hard negatives": 1, "gradient": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def numbers(n: int) -> torch.Tensor:
        return torch.from_numpy(rng.permutation(50)[:n])

    B, d = number(rng, 3, 5), number(rng, 4, 6)
    batch = [normal(rng, B, d), normal(rng, B, d), numbers(B)]
    yield Case("values", [*batch, 1.0], title="a temperature of 1")
    yield Case("values", [*batch, 0.25], title="a low temperature")
    other = number(rng, 6, 7)
    many = 17_000_000 + torch.from_numpy(rng.permutation(other))  # float32 has only the even ones
    yield Case(
        "values",
        [normal(rng, other, d), normal(rng, other, d), many, 2.0],
        title="a larger batch",
    )
    yield Case(
        "values",
        [normal(rng, B, d) * 30, normal(rng, B, d) * 30, numbers(B), 0.05],
        title="large scores",
    )
    yield Case(
        "values",
        [normal(rng, B, d).double(), normal(rng, B, d).double(), numbers(B), 0.5],
        title="float64",
    )

    same = numbers(B)
    same[1] = same[0]
    P = normal(rng, B, d)
    P[1] = P[0]
    yield Case("repeated", [normal(rng, B, d), P, same, 0.5], title="a paragraph twice")
    P, same = normal(rng, 5, d), numbers(5)
    P[[2, 4]], same[[2, 4]] = P[0].clone(), same[0].clone()
    yield Case(
        "repeated",
        [normal(rng, 5, d), P, same, 0.5, normal(rng, 3, d)],
        title="three times, with hard negatives",
    )
    other_P, other_numbers = normal(rng, 4, d), numbers(4)
    other_P[3], other_numbers[2] = other_P[1], other_numbers[0]
    yield Case(
        "repeated",
        [normal(rng, 4, d), other_P, other_numbers, 0.5],
        title="the numbers decide: equal vectors of two paragraphs, one paragraph with two vectors",
    )
    alone = normal(rng, 1, d).expand(3, d).contiguous()
    yield Case(
        "repeated",
        [normal(rng, 3, d), alone, numbers(1).repeat(3), 0.5, normal(rng, 2, d)],
        title="the same paragraph only",
    )

    M = number(rng, 2, 7)
    yield Case("hard negatives", [*batch, 0.5, normal(rng, M, d)], title="some hard negatives")
    yield Case("hard negatives", [*batch, 1.0, normal(rng, B, d)], title="as many as questions")
    one = [normal(rng, 1, d), normal(rng, 1, d), numbers(1), 0.7]
    yield Case("hard negatives", [*one, normal(rng, M, d)], title="a batch of one")

    hard = normal(rng, M, d)
    # a temperature at which no probability is so near 0 or 1 that rounding decides about a gradient
    yield Case("gradient", [*batch, 3.0, hard], title="gradients", gradient="all")
    yield Case(
        "gradient",
        [normal(rng, B, d), P[:B], same[:B], 3.0],
        title="gradients, a paragraph twice",
        gradient="all",
    )


WRONG = {
    "compares_vectors": """
        Which paragraphs are the same was found by comparing their vectors. The numbers say it: with
        dropout a paragraph has another vector each time, and two texts may have the same.

        - S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        + S = S.masked_fill((P[:, None] == P).all(dim=-1) & ~own, -math.inf)
        """,
    "no_temperature": """
        The temperature is missing. Divide the inner products by it.

        - S = Q @ P.mT / temperature
        + S = Q @ P.mT
        """,
    "multiplied_by_temperature": """
        The inner products were multiplied by the temperature. A low temperature makes the softmax
        sharper: divide.

        - S = Q @ P.mT / temperature
        + S = Q @ P.mT * temperature
        """,
    "paragraphs_choose": """
        The softmax runs over the questions: each paragraph chooses among questions. Each question
        should choose among paragraphs.

        - S = Q @ P.mT / temperature
        + S = P @ Q.mT / temperature
        """,
    "cosine": """
        The vectors were scaled to length 1. Here they are taken as they come, and their inner
        products are the scores.

        - S = Q @ P.mT / temperature
        + S = F.normalize(Q, dim=1) @ F.normalize(P, dim=1).mT / temperature
        """,
    "repeated_are_negatives": """
        Where two questions have the same paragraph, it counts twice among those to choose from,
        although it answers both. Where the numbers of the paragraphs are equal, leave out all but
        the question's own column.

        - S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        + S = S + 0.0
        """,
    "own_is_masked": """
        The question's own paragraph is left out together with its repetitions, so nothing is left
        to be right, and the loss is infinite. Keep the diagonal.

        - S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        + S = S.masked_fill(numbers[:, None] == numbers, -math.inf)
        """,
    "softmax_twice": """
        `F.cross_entropy` takes the softmax itself. Give it the scores, not probabilities.

        - return F.cross_entropy(S, torch.arange(len(Q)))
        + return F.cross_entropy(S.softmax(dim=1), torch.arange(len(Q)))
        """,
    "repeated_score_zero": """
        The repeated paragraphs get the score 0, and in the softmax exp(0) = 1 still counts. A score
        of minus infinity leaves them out.

        - S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        + S = S.masked_fill((numbers[:, None] == numbers) & ~own, 0.0)
        """,
    "ignores_hard": """
        The hard negatives do not enter. They are further columns, for every question.

        - S = torch.cat([S, Q @ hard.mT / temperature], dim=1)
        + S = S + 0.0
        """,
    "hard_without_temperature": """
        The scores of the hard negatives are not divided by the temperature.

        - S = torch.cat([S, Q @ hard.mT / temperature], dim=1)
        + S = torch.cat([S, Q @ hard.mT], dim=1)
        """,
    "sum": """
        The losses of the questions were summed. Take their mean.

        - return F.cross_entropy(S, torch.arange(len(Q)))
        + return F.cross_entropy(S, torch.arange(len(Q)), reduction="sum")
        """,
    "both_directions": """
        This adds the direction from paragraphs to questions, as CLIP does. Here only questions
        choose.

        - return F.cross_entropy(S, torch.arange(len(Q)))
        + own_only = S[:, : len(Q)]
        + there, back = F.cross_entropy(S, torch.arange(len(Q))), F.cross_entropy(own_only.mT, torch.arange(len(Q)))
        + return (there + back) / 2
        """,
    "unstable": """
        Exponentials of large scores are infinite. Let `F.cross_entropy` or `logsumexp` take the
        softmax.

        - return F.cross_entropy(S, torch.arange(len(Q)))
        + return -(S.exp().diagonal() / S.exp().sum(dim=1)).log().mean()
        """,
    "detached": """
        No gradient reaches the vectors: the loss was detached, so nothing can learn from it.

        - return F.cross_entropy(S, torch.arange(len(Q)))
        + return F.cross_entropy(S.detach(), torch.arange(len(Q))) + 0.0 * S.diagonal().sum()
        """,
}

RIGHT = {
    "logsumexp": """
        def info_nce(Q, P, numbers, temperature, hard=None):
            loss = 0.0
            for i in range(len(Q)):
                kept = [j for j in range(len(P)) if j == i or numbers[j] != numbers[i]]
                others = P[kept] if hard is None else torch.cat([P[kept], hard])
                loss = loss + (others @ Q[i] / temperature).logsumexp(dim=0) - P[i] @ Q[i] / temperature
            return loss / len(Q)
        """,
    "one_matrix": """
        def info_nce(Q, P, numbers, temperature, hard=None):
            candidates = P if hard is None else torch.cat((P, hard))
            scores = torch.einsum("bd,nd->bn", Q, candidates) / temperature
            B = len(Q)
            out = torch.zeros_like(scores, dtype=torch.bool)
            out[:, :B] = (numbers.unsqueeze(1) == numbers.unsqueeze(0)).fill_diagonal_(False)
            return -scores.masked_fill(out, float("-inf")).log_softmax(dim=1)[:, :B].diagonal().mean()
        """,
}

FURTHER = """
A row of scores for each question: first the batch's paragraphs, then the hard negatives. The right column of
row i is i, so the loss is `F.cross_entropy(scores, torch.arange(B))`, once repeated paragraphs off the diagonal
have been masked with minus infinity.
"""

EQUIVALENT = {
    "For a batch of one the mask makes a row of the number, and cross-entropy takes a vector, too.": """
        -    S = Q @ P.mT / temperature
        +    S = (Q @ P.mT / temperature).squeeze()

        -    own = torch.eye(len(Q), dtype=torch.bool)
        +    own = torch.eye(len(Q), dtype=torch.bool).squeeze()

        -        S = torch.cat([S, Q @ hard.mT / temperature], dim=1)
        +        S = torch.cat([S, Q @ hard.mT / temperature], dim=1).squeeze()
        """,
    "The unit matrix is symmetric, and Q, P and S have B rows.": """
        -    own = torch.eye(len(Q), dtype=torch.bool)
        +    own = torch.eye(len(Q), dtype=torch.bool).mT

        -    own = torch.eye(len(Q), dtype=torch.bool)
        +    own = torch.eye(len(S), dtype=torch.bool)

        -    own = torch.eye(len(Q), dtype=torch.bool)
        +    own = torch.eye(len(P), dtype=torch.bool)

        -    return F.cross_entropy(S, torch.arange(len(Q)))
        +    return F.cross_entropy(S, torch.arange(len(S)))

        -    return F.cross_entropy(S, torch.arange(len(Q)))
        +    return F.cross_entropy(S, torch.arange(len(P)))
        """,
    "The exponential of either is 0, and S is the function's own.": """
        -    S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        +    S = S.masked_fill((numbers[:, None] == numbers) & ~own, -1e9)

        -    S = S.masked_fill((numbers[:, None] == numbers) & ~own, -math.inf)
        +    S = S.masked_fill_((numbers[:, None] == numbers) & ~own, -math.inf)
        """,
}
