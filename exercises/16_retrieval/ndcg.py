"""ndcg: grades, the discount, the ideal order, the cut at k, questions without a relevant document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import number
from .common import steps

POINTS = {"values": 3, "cut": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def gains(*shape: int) -> torch.Tensor:
        """Grades from 0 to 3; in each row at least one 3, one 1 and one 0."""
        found = torch.from_numpy(rng.integers(0, 4, size=shape)).float()
        found[:, :3] = torch.tensor([3.0, 1.0, 0.0])
        return torch.stack([row[torch.from_numpy(rng.permutation(len(row)))] for row in found])

    n = number(rng, 6, 10)
    yield Case("values", [gains(1, n), steps(rng, 1, n), n], title="one question")
    yield Case("values", [gains(3, n + 3), steps(rng, 3, n + 3), n + 3], title="three questions")
    one = torch.zeros(2, n)
    one[0, number(rng, 0, n - 1)] = one[1, number(rng, 0, n - 1)] = 1
    yield Case("values", [one, steps(rng, 2, n), n], title="one relevant document each")
    grades = gains(2, n)
    yield Case(
        "values",
        [grades, grades.argsort(dim=1).argsort(dim=1).float() - n, n],
        title="the ideal order",
    )
    # half precision does not tell these scores apart, and takes the discount of the fifth place for
    # another
    wide = [gains(2, n + 3), -steps(rng, 2, n + 3) - 4000, n + 3]
    yield Case("values", wide, title="all scores negative")
    # equal grades, so that of equal scores either may come first
    tied, scores = gains(2, n), torch.arange(n).repeat(2, 1) // 2.0
    tied[:, :4] = torch.tensor([3.0, 3.0, 1.0, 1.0])  # worst first
    tied[:, 5::2] = tied[:, 4 : n - n % 2 : 2]
    order = torch.from_numpy(rng.permutation(n))
    yield Case("values", [tied[:, order], scores[:, order], n], title="equal scores, equal grades")
    scores = steps(rng, 1, n)
    fifth = (scores == scores.sort(descending=True).values[:, 4]).float()
    yield Case("values", [fifth, scores, n], title="one relevant document in the fifth place")

    k = number(rng, 2, 4)
    yield Case("cut", [gains(3, n), steps(rng, 3, n), k], title="the first few")
    yield Case("cut", [gains(2, n) + 1, steps(rng, 2, n), k], title="more relevant ones than k")
    last = gains(2, n)
    scores = steps(rng, 2, n)
    yield Case("cut", [last, scores, 1], title="the first only")

    yield Case("edges", [gains(2, n), steps(rng, 2, n), n + 7], title="k beyond the documents")
    none = gains(3, n)
    none[number(rng, 0, 2)] = 0
    yield Case("edges", [none, steps(rng, 3, n), 4], title="nothing relevant in one row")
    yield Case("edges", [torch.zeros(2, n), steps(rng, 2, n), 3], title="nothing relevant at all")
    close = steps(rng, 2, n + 3) / 2**10 + 500  # half precision does not tell them apart
    yield Case("edges", [gains(2, n + 3) / 7, close, 7], title="small grades")


WRONG = {
    "not_normalized": """
        This is the discounted gain itself. Divide by that of the ideal order, so that the best
        ranking gets 1.

        - return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        + return found.mean().item()
        """,
    "no_discount": """
        All places weigh the same. The gain at rank r is divided by the logarithm, base 2, of r + 1.

        - discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        + discount = torch.ones(k, dtype=gains.dtype)
        """,
    "natural_logarithm_with_one": """
        The discount of the second place equals that of the first, as in an older definition. Here
        it is the logarithm of r + 1 at every rank r.

        - discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        + discount = 1 / torch.log2(torch.arange(1, k + 1, dtype=gains.dtype).clamp(min=2))
        """,
    "discount_one_ahead": """
        The discount is one rank ahead: the first place is divided by log2(3). At rank r, counted
        from 1, it is log2(r + 1), so the first place has the discount 1.

        - discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        + discount = 1 / torch.log2(torch.arange(3, k + 3, dtype=gains.dtype))
        """,
    "reciprocal_discount": """
        The gain is divided by the rank. nDCG's discount is milder, the logarithm of rank + 1.

        - discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        + discount = 1 / torch.arange(1, k + 1, dtype=gains.dtype)
        """,
    "exponential_gains": """
        The gains are 2 ** grade - 1, as some define them. Here the grade itself is the gain.

        - ranked = gains.gather(1, scores.argsort(dim=1, descending=True)[:, :k])
        - ideal = gains.sort(dim=1, descending=True).values[:, :k]
        + gains = 2**gains - 1
        + ranked = gains.gather(1, scores.argsort(dim=1, descending=True)[:, :k])
        + ideal = gains.sort(dim=1, descending=True).values[:, :k]
        """,
    "lowest_first": """
        The documents are ranked from the lowest score to the highest.

        - ranked = gains.gather(1, scores.argsort(dim=1, descending=True)[:, :k])
        + ranked = gains.gather(1, scores.argsort(dim=1)[:, :k])
        """,
    "not_ranked": """
        The gains stand in the order of the documents. Put them into the order of the scores first.

        - ranked = gains.gather(1, scores.argsort(dim=1, descending=True)[:, :k])
        + ranked = gains[:, :k]
        """,
    "ideal_of_the_found": """
        The ideal order was made of the k documents that were found. It is that of all documents:
        otherwise a ranking that misses the best ones can still get 1.

        - ideal = gains.sort(dim=1, descending=True).values[:, :k]
        + ideal = ranked.sort(dim=1, descending=True).values
        """,
    "ideal_not_cut": """
        The ideal order goes beyond k, so even the best ranking stays below 1. Cut it at k, too.

        - best = (ideal * discount).sum(dim=1)
        + whole = gains.sort(dim=1, descending=True).values
        + best = (whole / torch.log2(torch.arange(2, whole.shape[1] + 2, dtype=gains.dtype))).sum(dim=1)
        """,
    "summed_before_dividing": """
        Gains were summed over all questions before dividing. Each question has an nDCG of its own;
        take the mean.

        - return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        + return (found.sum() / best.sum().clamp(min=1e-12)).item()
        """,
    "nan": """
        Where nothing is relevant, 0 / 0 is NaN. Such a question gets 0.

        - return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        + return (found / best).mean().item()
        """,
    "left_out": """
        A question without a relevant document was left out of the mean. It counts with 0.

        - return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        + return (found[best > 0] / best[best > 0]).sum().item() / max(1, int((best > 0).sum()))
        """,
    "counts_with_one": """
        A question without a relevant document gets 1 here. It gets 0.

        - return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        + return torch.where(best > 0, found / best.clamp(min=1e-12), 1.0).mean().item()
        """,
}

RIGHT = {
    "loop": """
        def ndcg(gains, scores, k):
            def dcg(row):
                return sum(g / math.log2(i + 2) for i, g in enumerate(row[:k]))

            total = 0.0
            for row, score in zip(gains.tolist(), scores.tolist()):
                ranked = [g for _, g in sorted(zip(score, row), reverse=True)]
                best = dcg(sorted(row, reverse=True))
                total += dcg(ranked) / best if best > 0 else 0.0
            return total / len(gains)
        """,
    "topk": """
        def ndcg(gains, scores, k):
            k = min(k, scores.shape[-1])
            weights = 1 / (torch.arange(k) + 2).log2().to(gains.dtype)
            values = gains.take_along_dim(scores.topk(k, dim=1).indices, dim=1) @ weights
            best = gains.topk(k, dim=1).values @ weights
            return (values / torch.where(best == 0, torch.ones_like(best), best)).mean().item()
        """,
}

FURTHER = """
`gains.gather(1, order)` puts the gains of each row into an order, (B, k), and the discounts are a row of k
numbers, 1 / log2(2), 1 / log2(3), and so on. The ideal order is `gains` itself, sorted, cut at k.
"""

EQUIVALENT = {
    "The result is a number, which another precision of grades or discounts rounds a little.": """
         def ndcg(gains: torch.Tensor, scores: torch.Tensor, k: int) -> float:
        +    gains = gains.float()
             k = min(k, gains.shape[1])

         def ndcg(gains: torch.Tensor, scores: torch.Tensor, k: int) -> float:
        +    gains = gains.double()
             k = min(k, gains.shape[1])

        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = 1 / torch.log2(torch.arange(2, k + 2))

        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=scores.dtype))
        """,
    "In single or double precision the scores have the same order.": """
         def ndcg(gains: torch.Tensor, scores: torch.Tensor, k: int) -> float:
        +    scores = scores.double()
             k = min(k, gains.shape[1])

         def ndcg(gains: torch.Tensor, scores: torch.Tensor, k: int) -> float:
        +    scores = scores.float()
             k = min(k, gains.shape[1])
        """,
    "Both have the same shape, and one question's sum is a number like a mean over one.": """
        -    k = min(k, gains.shape[1])
        +    k = min(k, scores.shape[1])

        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = (1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))).squeeze()

        -    found = (ranked * discount).sum(dim=1)
        +    found = (ranked * discount).sum(dim=1).squeeze()

        -    best = (ideal * discount).sum(dim=1)
        +    best = (ideal * discount).sum(dim=1).squeeze()
        """,
    "A factor of all discounts, such as that of another base, cancels.": """
        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = 2 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))

        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = 1 / torch.log(torch.arange(2, k + 2, dtype=gains.dtype))

        -    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=gains.dtype))
        +    discount = 1 / torch.log10(torch.arange(2, k + 2, dtype=gains.dtype))
        """,
    "The best sum is never below 0, and where it is 0 so is the found one.": """
        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return (found / best.clamp(min=1e-12)).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best >= 0, found / best.clamp(min=1e-12), 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best != 0, found / best.clamp(min=1e-12), 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best > (-1), found / best.clamp(min=1e-12), 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(found > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        """,
    "`torch.where` drops the quotient of a best sum of 0, and `best` is not used again.": """
        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best > 0, found / best, 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best > 0, found / best.clamp(min=0.0), 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best > 0, found / best.clamp(min=-1e-12), 0.0).mean().item()

        -    return torch.where(best > 0, found / best.clamp(min=1e-12), 0.0).mean().item()
        +    return torch.where(best > 0, found / best.clamp_(min=1e-12), 0.0).mean().item()
        """,
}
