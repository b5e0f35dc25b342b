"""ranking_scores: several relevant documents, what is beyond k, what is never found, short rankings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number
from .common import some_order

POINTS = {"recall": 2, "reciprocal rank": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def ranked(n: int, *places: int) -> tuple[list[int], list[int]]:
        """A ranking of n documents, and those at the given places (from 0), in any order."""
        ranking = some_order(rng, n)
        return ranking, [ranking[p] for p in sorted(places, key=lambda _: rng.random())]

    def both(*pairs: tuple[list[int], list[int]]) -> list[list[list[int]]]:
        return [list(column) for column in zip(*pairs, strict=True)]

    n = number(rng, 9, 14)
    k = number(rng, 3, 4)
    yield Case(
        "recall",
        [*both(ranked(n, k - 1), ranked(n, k)), k],
        title="the last that counts, and the next",
    )
    yield Case(
        "recall",
        [*both(ranked(n, 1, 2, n - 1), ranked(n, 0, n - 2)), k],
        title="several relevant ones",
    )
    uneven = both(ranked(n, 0, 1, 2, 5, 7), ranked(n, n - 1), ranked(n, number(rng, 0, 2)))
    yield Case("recall", [*uneven, k], title="one question has five")
    yield Case(
        "recall",
        [*both(ranked(n, *range(number(rng, 4, 6)))), 2],
        title="more relevant ones than k",
    )

    drawn = [rng.permutation(n)[: number(rng, 1, 5)] for _ in range(7)]
    seven = both(*(ranked(n, *(int(p) for p in places)) for places in drawn))
    yield Case("recall", [*seven, number(rng, 3, 5)], title="seven questions")

    one, others = some_order(rng, n), [int(i) for i in rng.permutation(k)[:2]]
    same = [one, [*one]], [[one[others[0]], one[n - 1]], [one[others[1]]]]
    yield Case("recall", [*same, k], title="the same ranking for two questions")

    first = number(rng, 1, 4)
    yield Case(
        "reciprocal rank", [*both(ranked(n, first, first + 2)), n], title="two relevant ones"
    )
    late = both(ranked(n, number(rng, 4, 8)), ranked(n, 0))
    yield Case("reciprocal rank", [*late, 2], title="beyond the first k")
    same = [one, [*one]], [[one[number(rng, 1, 3)]], [one[number(rng, 4, 8)]]]
    yield Case("reciprocal rank", [*same, 3], title="the same ranking for two questions")
    four = both(*(ranked(n, number(rng, 1, n - 1)) for _ in range(4)))
    yield Case("reciprocal rank", [*four, 5], title="four questions")

    missing = both(ranked(n, number(rng, 0, 3)), ranked(5, 1))
    missing[1][1] = [99]
    yield Case("edges", [*missing, 3], title="never found")
    partly = both(ranked(n, number(rng, 1, 3)))
    partly[1][0] += [n + 5, n + 6]
    yield Case("edges", [*partly, 4], title="some of them never found")
    m = number(rng, 8, 40)
    beyond = both(ranked(m, number(rng, 2, m - 1)), ranked(1, 0))
    yield Case("edges", [*beyond, 50], title="k beyond the ranking")
    nothing = both(ranked(n, 2), ranked(n, 1))
    nothing[0][1] = []
    yield Case("edges", [*nothing, 3], title="an empty ranking")
    none = both(ranked(n, 1), ranked(n))
    yield Case("edges", [*none, 3], title="nothing is relevant", judge=VALUE_ERROR)


WRONG = {
    "hit_instead_of_recall": """
        A question counts as found if one of its relevant documents is among the first k. Recall is
        the share of its relevant documents.

        - recall += len(right & set(ranking[:k])) / len(right)
        + recall += float(bool(right & set(ranking[:k])))
        """,
    "precision": """
        The hits are divided by k: that is precision. Recall divides by the number of relevant
        documents.

        - recall += len(right & set(ranking[:k])) / len(right)
        + recall += len(right & set(ranking[:k])) / k
        """,
    "recall_of_what_fits": """
        The hits are divided by k where more than k documents are relevant. Recall divides by all
        that are relevant, so it may stay below 1 however good the ranking is.

        - recall += len(right & set(ranking[:k])) / len(right)
        + recall += len(right & set(ranking[:k])) / min(k, len(right))
        """,
    "recall_over_all": """
        Hits and relevant documents were summed over all questions before dividing, so a question
        with many relevant documents weighs more. Each question has a recall of its own; take the
        mean of these.

        - recall += len(right & set(ranking[:k])) / len(right)
        + recall += len(right & set(ranking[:k])) * len(rankings) / sum(map(len, relevant))
        """,
    "one_too_many": """
        The first k + 1 documents count here.

        - recall += len(right & set(ranking[:k])) / len(right)
        + recall += len(right & set(ranking[: k + 1])) / len(right)
        """,
    "rank_from_zero": """
        Ranks begin with 1: a relevant document in the first place has the reciprocal rank 1.

        - places = [rank for rank, document in enumerate(ranking, 1) if document in right]
        + places = [rank for rank, document in enumerate(ranking) if document in right]
        """,
    "one_too_deep": """
        1 was added to a rank that already begins with 1: a relevant document in the first place has
        the reciprocal rank 1, not 1/2.

        - reciprocal += 1 / places[0] if places else 0.0
        + reciprocal += 1 / (places[0] + 1) if places else 0.0
        """,
    "rank_within_k": """
        A relevant document beyond the first k gets the reciprocal rank 0. The whole ranking counts
        here; k is for recall.

        - places = [rank for rank, document in enumerate(ranking, 1) if document in right]
        + places = [rank for rank, document in enumerate(ranking[:k], 1) if document in right]
        """,
    "all_ranks": """
        The reciprocal ranks of all relevant documents were averaged. Only the first one of each
        question counts.

        - reciprocal += 1 / places[0] if places else 0.0
        + reciprocal += sum(1 / p for p in places) / len(places) if places else 0.0
        """,
    "sum_of_all_ranks": """
        The reciprocal ranks of all relevant documents were added up, so the sum can exceed 1. Only
        the first one of each question counts.

        - reciprocal += 1 / places[0] if places else 0.0
        + reciprocal += sum(1 / place for place in places)
        """,
    "last_rank": """
        The rank of the last relevant document was taken. The first one counts.

        - reciprocal += 1 / places[0] if places else 0.0
        + reciprocal += 1 / places[-1] if places else 0.0
        """,
    "first_of_the_relevant": """
        The rank of the document that stands first among the *relevant* ones was taken. Wanted is
        the relevant document that comes first in the *ranking*.

        - for ranking, right in zip(rankings, map(set, relevant)):
        + for ranking, noted in zip(rankings, relevant):
        +     right = set(noted)
        ...
        - places = [rank for rank, document in enumerate(ranking, 1) if document in right]
        + places = [rank for rank, document in enumerate(ranking, 1) if document == noted[0]]
        """,
    "reciprocal_of_the_mean": """
        This is one divided by the mean rank. Take the reciprocal for each question, then the mean.

        def ranking_scores(rankings, relevant, k):
            recall, ranks = 0.0, []
            for ranking, right in zip(rankings, map(set, relevant)):
                if not right:
                    raise ValueError
                recall += len(right & set(ranking[:k])) / len(right)
                ranks += [rank for rank, d in enumerate(ranking, 1) if d in right][:1]
            return recall / len(rankings), len(ranks) / sum(ranks) if ranks else 0.0
        """,
    "unfound_left_out": """
        Questions whose relevant documents were never found are left out of the mean. They count
        with a reciprocal rank of 0.

        - return recall / len(rankings), reciprocal / len(rankings)
        + found = sum(bool(set(a) & set(b)) for a, b in zip(rankings, relevant))
        + return recall / len(rankings), reciprocal / max(found, 1)
        """,
    "nothing_relevant_counts": """
        A question without a relevant document has no recall. Raise a ValueError.

        - raise ValueError("a question without a relevant document cannot be scored")
        + continue
        """,
    "exchanged": """
        The two results are exchanged: recall first, then the mean reciprocal rank.

        - return recall / len(rankings), reciprocal / len(rankings)
        + return reciprocal / len(rankings), recall / len(rankings)
        """,
}

RIGHT = {
    "comprehensions": """
        def ranking_scores(rankings, relevant, k):
            if not all(len(r) for r in relevant):
                raise ValueError("nothing relevant")
            recalls = [
                sum(d in ranking[:k] for d in right) / len(right)
                for ranking, right in zip(rankings, relevant)
            ]
            firsts = [
                next((1 / (i + 1) for i, d in enumerate(ranking) if d in right), 0.0)
                for ranking, right in zip(rankings, relevant)
            ]
            return sum(recalls) / len(recalls), sum(firsts) / len(firsts)
        """,
    "tensors": """
        def ranking_scores(rankings, relevant, k):
            rows = []
            for ranking, right in zip(rankings, relevant):
                if not right:
                    raise ValueError("nothing relevant")
                hits = torch.tensor([d in right for d in ranking], dtype=torch.float64)
                ranks = hits.nonzero().flatten() + 1
                first = 1 / ranks[0].double() if len(ranks) else torch.tensor(0.0).double()
                rows.append(torch.stack([hits[:k].sum() / len(right), first]))
            return tuple(torch.stack(rows).mean(dim=0).tolist())
        """,
}

FURTHER = """
Two sums over the questions, each divided by their number at the end. For one question: how many of its
relevant documents stand in ranking[:k], divided by how many there are; and 1 / rank of the first one in
the ranking, where `enumerate(ranking, 1)` counts ranks.
"""

EQUIVALENT = {
    "The questions may be summed in any order, and both lists have one entry for each.": """
        -    for ranking, right in zip(rankings, map(set, relevant)):
        +    for ranking, right in list(zip(rankings, map(set, relevant)))[::-1]:

        -    return recall / len(rankings), reciprocal / len(rankings)
        +    return recall / len(relevant), reciprocal / len(rankings)

        -    return recall / len(rankings), reciprocal / len(rankings)
        +    return recall / len(rankings), reciprocal / len(relevant)
        """,
}
