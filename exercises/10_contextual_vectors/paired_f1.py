"""paired_f1: other numbers for the same clusters, one cluster, all alone, no pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import number
from .common import some_labels

POINTS = {"values": 2, "renamed": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, k in ((6, 2), (number(rng, 9, 12), 3), (20, 4)):
        yield Case("values", [some_labels(rng, n, k), some_labels(rng, n, k)])
    n = number(rng, 11, 14)
    yield Case(
        "values", [some_labels(rng, n, 5), some_labels(rng, n, 2)], title="5 clusters, 2 senses"
    )
    n = number(rng, 500, 800)
    yield Case("values", [some_labels(rng, n, 3), some_labels(rng, n, 2)], title="hundreds")
    clusters, senses = some_labels(rng, 9, 3), some_labels(rng, 9, 3)
    senses[:2] = clusters[:2] = 0
    # float32 does not tell them apart; below 0, no table is large enough, and none is made
    names = torch.from_numpy(rng.permutation(50)[:3]) - 2**30
    yield Case("renamed", [names[clusters], senses], title="clusters with other numbers")
    inputs = [clusters, names[senses.flip(0)]]
    yield Case("renamed", inputs, title="senses with other numbers")
    same = some_labels(rng, number(rng, 7, 9), 3)
    same[0] = same[1]
    other = torch.where(same > 0, same - 1, 2) * number(rng, 2, 9) + 7
    yield Case("renamed", [other, same], title="right in all pairs, with other names")
    half = some_labels(rng, number(rng, 8, 20), 2)
    yield Case("renamed", [1 - half, half * 3 - 1], title="two clusters exchanged, and a sense -1")
    sparse = torch.from_numpy(rng.permutation(9)[:3] * 100 + number(rng, 900, 999))
    yield Case(
        "renamed", [sparse[clusters], sparse[senses].flip(0)], title="numbers that are far apart"
    )
    senses = some_labels(rng, number(rng, 6, 14), 2)
    yield Case("edges", [torch.zeros_like(senses), senses], title="everything in one cluster")
    yield Case("edges", [torch.arange(len(senses)), senses], title="every occurrence alone")
    yield Case("edges", [senses, torch.arange(len(senses))], title="every occurrence another sense")
    order = torch.from_numpy(rng.permutation(5))
    yield Case("edges", [order, order.flip(0)], title="no pair in either")
    one = torch.tensor([number(rng, 0, 9)])
    yield Case("edges", [one, one], title="a single occurrence")
    crossed = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 0, 1])
    yield Case("edges", list(crossed), title="no pair is right")


WRONG = {
    "numbers_as_places": """
        The numbers are taken for places of a table. They may be negative, or far apart. Number the clusters
        and the senses anew first, with `unique(return_inverse=True)`.

        raises RuntimeError

        - by_cluster = pairs(clusters.unique(return_counts=True)[1])
        - by_sense = pairs(senses.unique(return_counts=True)[1])
        + by_cluster = pairs(torch.bincount(clusters))
        + by_sense = pairs(torch.bincount(senses))
        """,
    "accuracy": """
        This compares the numbers of clusters with those of senses. Cluster 0 need not be sense 0: count
        pairs.

        def paired_f1(clusters, senses):
            return (clusters == senses).float().mean().item()
        """,
    "with_itself": """
        An occurrence is paired with itself, which is always right. Pairs are of two different ones.

        - return int((counts * (counts - 1)).sum()) // 2
        + return int((counts * counts).sum())
        """,
    "rand_index": """
        This is the Rand index: pairs that both say are *apart* count as right, too. For the F-score only
        pairs together matter.

        def paired_f1(clusters, senses):
            a = clusters[:, None] == clusters
            b = senses[:, None] == senses
            other = ~torch.eye(len(a), dtype=torch.bool)
            return (a == b)[other].float().mean().item() if len(a) > 1 else 1.0
        """,
    "rand_index_with_itself": """
        Two things differ from the F-score. Pairs that both say are *apart* count as right, which is the
        Rand index; only pairs together matter. And an occurrence is paired with itself.

        def paired_f1(clusters, senses):
            a = clusters[:, None] == clusters
            b = senses[:, None] == senses
            return (a == b).float().mean().item()
        """,
    "apart_counts_as_right": """
        Pairs that are apart in both count as right here, so P and R can be above 1. Right is only a pair
        in the same cluster that has the same sense.

        - return 2 * pairs(both) / (by_cluster + by_sense)
        + apart = len(senses) * (len(senses) - 1) // 2 - by_cluster - by_sense + pairs(both)
        + return 2 * (pairs(both) + apart) / (by_cluster + by_sense)
        """,
    "precision": """
        This is the precision alone. Pairs of one sense that are in different clusters must cost
        something, too.

        - return 2 * pairs(both) / (by_cluster + by_sense)
        + return pairs(both) / by_cluster if by_cluster else 0.0
        """,
    "recall": """
        This is the recall alone: everything in one cluster would be perfect. Pairs in a cluster with
        different senses must cost something.

        - return 2 * pairs(both) / (by_cluster + by_sense)
        + return pairs(both) / by_sense if by_sense else 0.0
        """,
    "mean_of_both": """
        This is the mean of precision and recall. F is 2PR / (P + R).

        - return 2 * pairs(both) / (by_cluster + by_sense)
        + P = pairs(both) / by_cluster if by_cluster else 0.0
        + R = pairs(both) / by_sense if by_sense else 0.0
        + return (P + R) / 2
        """,
    "no_pair_is_zero": """
        If neither has a pair, both say that all occurrences differ. They agree: the score is 1.

        - return 1.0
        + return 0.0
        """,
    "purity": """
        This is the purity: the share of occurrences that have their cluster's most frequent sense. The
        F-score counts pairs.

        def paired_f1(clusters, senses):
            right = 0
            for cluster in clusters.unique():
                right += int(senses[clusters == cluster].unique(return_counts=True)[1].max())
            return right / len(senses)
        """,
    "divides_by_zero": """
        Without any pair this divides by 0. Say what the score is then, before you divide.

        raises ZeroDivisionError

        - if by_cluster + by_sense == 0:
        -     return 1.0
        """,
    "jaccard": """
        Pairs in both are divided by pairs in either: that is the Jaccard index. F divides twice the
        pairs in both by the sum.

        - return 2 * pairs(both) / (by_cluster + by_sense)
        + return pairs(both) / (by_cluster + by_sense - pairs(both))
        """,
}

RIGHT = {
    "all_pairs": """
        def paired_f1(clusters, senses):
            upper = torch.ones(len(senses), len(senses)).triu(1).bool()
            together = (clusters[:, None] == clusters[None]) & upper
            same = (senses[:, None] == senses[None]) & upper
            a, b, both = int(together.sum()), int(same.sum()), int((together & same).sum())
            if a == 0 and b == 0:
                return 1.0
            if both == 0:
                return 0.0
            P, R = both / a, both / b
            return 2 * P * R / (P + R)
        """,
    "counters": """
        def paired_f1(clusters, senses):
            c, s = clusters.tolist(), senses.tolist()
            count = lambda things: sum(n * (n - 1) / 2 for n in Counter(things).values())
            total = count(c) + count(s)
            return 2 * count(zip(c, s)) / total if total else 1.0
        """,
}

FURTHER = """
n equal things make n(n - 1)/2 pairs. Count how many occurrences each cluster has, each sense, and each
pair of cluster and sense, and turn the counts into pairs. Twice the pairs of the last kind, divided by
the pairs of the other two together, is F.
"""

EQUIVALENT = {
    "float32 keeps seven digits of any count.": """
             def pairs(counts: torch.Tensor) -> int:
        +        counts = counts.float()
                 return int((counts * (counts - 1)).sum()) // 2
        """,
    "A factor that all three numbers of pairs have cancels.": """
        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts * (counts - 1)).sum()) / 2

        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts * (counts - 1)).sum())

        -        return int((counts * (counts - 1)).sum()) // 2
        +        return -(int((counts * (counts - 1)).sum()) // 2)

        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts * (1 - counts)).sum()) // 2

        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts * (counts - 1)).sum()) // 1

        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts * (counts - 1)).sum()) // (-2)
        """,
    "A whole number is the same as a float.": """
        -        return int((counts * (counts - 1)).sum()) // 2
        +        return float(int((counts * (counts - 1)).sum()) // 2)

        -    by_cluster = pairs(clusters.unique(return_counts=True)[1])
        +    by_cluster = float(pairs(clusters.unique(return_counts=True)[1]))

        -    by_sense = pairs(senses.unique(return_counts=True)[1])
        +    by_sense = float(pairs(senses.unique(return_counts=True)[1]))
        """,
    "The counts are a new tensor, which nothing else uses.": """
        -        return int((counts * (counts - 1)).sum()) // 2
        +        return int((counts.mul_(counts - 1)).sum()) // 2
        """,
    "The second of two is the last.": """
        -    by_cluster = pairs(clusters.unique(return_counts=True)[1])
        +    by_cluster = pairs(clusters.unique(return_counts=True)[-1])

        -    by_sense = pairs(senses.unique(return_counts=True)[1])
        +    by_sense = pairs(senses.unique(return_counts=True)[-1])

        -    both = torch.stack([clusters, senses], dim=1).unique(dim=0, return_counts=True)[1]
        +    both = torch.stack([clusters, senses], dim=1).unique(dim=0, return_counts=True)[-1]
        """,
    "A sum does not depend on the shape.": """
        -    both = torch.stack([clusters, senses], dim=1).unique(dim=0, return_counts=True)[1]
        +    both = torch.stack([clusters, senses], dim=1).unique(dim=0, return_counts=True)[1].squeeze()
        """,
    "Cluster and sense may be counted in either order.": """
        -    both = torch.stack([clusters, senses], dim=1).unique(dim=0, return_counts=True)[1]
        +    both = torch.stack([senses, clusters], dim=1).unique(dim=0, return_counts=True)[1]
        """,
    "No number of pairs is below 0.": """
        -    if by_cluster + by_sense == 0:
        +    if by_cluster + by_sense <= 0:
        """,
}
