"""fuse_rankings: ranks from 1, documents that one ranking lacks, ties, rankings of different lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from autograder.course.exercise import Case

from ..draw import number
from .common import some_order

POINTS = {"fused": 2, "missing": 1, "ties": 1, "edges": 1}


def clear(rankings: list[list[int]], c: int) -> bool:
    """Whether no two documents have equal sums."""
    total: Counter[int] = Counter()
    for ranking in rankings:
        for rank, document in enumerate(ranking, 1):
            total[document] += Fraction(1, c + rank)
    return len(set(total.values())) == len(total)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def drawn(n: int, *lengths: int, c: int = 60) -> list[list[int]]:
        """Rankings of some of n documents whose sums all differ."""
        while True:
            found = [some_order(rng, n)[:length] for length in lengths]
            if clear(found, c):
                return found

    n = number(rng, 6, 8)
    yield Case("fused", [drawn(n, n, n, n)], title="three rankings of the same documents")
    for c in (1, 10):
        yield Case("fused", [drawn(n, n, n, n, c=c), c], title=f"c = {c}")
    # 1/2 + 1/9 is more than 2/4, and 1/61 + 1/68 less than 2/63
    a, b, *rest = some_order(rng, 10)
    rankings = [
        [a, rest[0], b, *rest[1:]],
        [rest[2], rest[4], b, rest[0], rest[1], rest[3], rest[5], a],
    ]
    yield Case("fused", [rankings, 1], title="one first place, small c")
    # 1/2 is less than 1/3 + 1/5; with ranks from 0, 1/1 would be more than 1/2 + 1/4
    lower = [[a, b, *rest[:2]], [rest[0], *rest[2:4], b]]
    yield Case("fused", [lower, 1], title="two middling places against a first one")
    # 1/2 is more than 1/4 + 1/5; with ranks from 2, 1/3 would be less than 1/5 + 1/6
    higher = [[a, rest[0], b], [rest[0], *rest[2:4], b]]
    yield Case("fused", [higher, 1], title="a first place against two middling ones")
    yield Case("fused", [rankings, 60], title="one first place, large c")
    # 1/61 + 1/73 is more than 1/65 + 1/68, and 1/62 + 1/74 less than 1/66 + 1/69: with c = 61 the
    # first is less, too, and with c = 59 the second is more
    found: list[list[int]] = []
    while not found or not clear(found, 60):
        order = some_order(rng, 14)
        (a, b, c, d), some, others = (
            order[:4],
            order[4:],
            [order[4:][i] for i in some_order(rng, 10)],
        )
        found = [
            [a, c, *some[:2], b, d, *some[2:]],
            [*others[:7], b, d, *others[7:], a, c],
        ]
    yield Case("fused", [found], title="c is 60 if it is not given")

    yield Case("missing", [drawn(n + 6, n, n + 2, n)], title="documents that a ranking lacks")
    yield Case("missing", [drawn(2 * n, n, 3, n - 1)], title="rankings of different lengths")
    yield Case("missing", [drawn(4 * n, n, n - 1), 5], title="little in common")

    one = some_order(rng, n)
    yield Case("ties", [[one, one[::-1]]], title="turned around")
    pair = [d + n for d in some_order(rng, 2)]  # not among the others
    yield Case("ties", [[[*pair, *one[:2]], [*pair[::-1], *one[1::-1]]], 7], title="two pairs")
    yield Case("ties", [[[n + 9, *one[:3]], [n + 4, *one[3:6]]]], title="nothing in common")

    yield Case("edges", [[some_order(rng, n)]], title="one ranking")
    yield Case("edges", [[some_order(rng, n), []]], title="an empty ranking")
    same = some_order(rng, n)
    yield Case("edges", [[same, same]], title="twice the same")
    yield Case("edges", [[]], title="no rankings")
    yield Case("edges", [[[number(rng, 3, 90)], [1]]], title="one document each")


WRONG = {
    "ranks_from_zero": """
        The first document has rank 0 here. Ranks begin with 1.

        - for rank, document in enumerate(ranking, 1):
        + for rank, document in enumerate(ranking):
        """,
    "sum_of_ranks": """
        The ranks themselves were summed, which punishes a document that few rankings have less
        than one that all have. Sum 1 / (c + rank).

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = total.get(document, 0.0) - rank
        """,
    "no_constant": """
        c does not enter. Without it, a single first place outweighs good places in all rankings.

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = total.get(document, 0.0) + 1 / rank
        """,
    "constant_outside": """
        c was added to 1 / rank instead of to the rank.

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = total.get(document, 0.0) + 1 / c + 1 / rank
        """,
    "c_is_sixty": """
        c is always 60 here. It is an argument.

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = total.get(document, 0.0) + 1 / (60 + rank)
        """,
    "missing_as_last": """
        A ranking that lacks a document gives it something here, as if it stood behind the last. It
        gives nothing.

        - return sorted(total, key=lambda document: (-total[document], document))
        + for ranking in rankings:
        +     for document in total:
        +         if document not in ranking:
        +             total[document] += 1 / (c + len(ranking) + 1)
        + return sorted(total, key=lambda document: (-total[document], document))
        """,
    "interleaved": """
        The rankings were interleaved: all first places, then all second ones. A document that is
        good in several rankings should gain from each: sum 1 / (c + rank).

        def fuse_rankings(rankings, c=60):
            found = []
            for place in range(max(map(len, rankings), default=0)):
                for ranking in rankings:
                    if place < len(ranking) and ranking[place] not in found:
                        found.append(ranking[place])
            return found
        """,
    "common_only": """
        Only documents that all rankings have are left. Others get what their rankings give them.

        - return sorted(total, key=lambda document: (-total[document], document))
        + kept = [d for d in total if all(d in ranking for ranking in rankings)]
        + return sorted(kept, key=lambda document: (-total[document], document))
        """,
    "first_ranking_only": """
        Documents that the first ranking lacks are missing.

        - return sorted(total, key=lambda document: (-total[document], document))
        + kept = [d for d in total if d in rankings[0]]
        + return sorted(kept, key=lambda document: (-total[document], document))
        """,
    "worst_first": """
        The document with the smallest sum comes first. The best one should.

        - return sorted(total, key=lambda document: (-total[document], document))
        + return sorted(total, key=lambda document: (total[document], document))
        """,
    "ties_as_they_come": """
        Documents with equal sums stand in the order in which they were met. Of equal ones the
        smaller number comes first.

        - return sorted(total, key=lambda document: (-total[document], document))
        + return sorted(total, key=lambda document: -total[document])
        """,
    "larger_number_first": """
        Of documents with equal sums the one with the smaller number comes first.

        - return sorted(total, key=lambda document: (-total[document], document))
        + return sorted(total, key=lambda document: (-total[document], -document))
        """,
    "mean": """
        This is the mean over the rankings that have a document, so being in one alone costs
        nothing. Sum.

        - return sorted(total, key=lambda document: (-total[document], document))
        + seen = Counter(d for ranking in rankings for d in ranking)
        + return sorted(total, key=lambda document: (-total[document] / seen[document], document))
        """,
    "best_rank": """
        Only the best of a document's ranks counts here. The parts of all rankings are summed.

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = max(total.get(document, 0.0), 1 / (c + rank))
        """,
    "last_ranking_wins": """
        A later ranking overwrites what an earlier one gave. Add them up.

        - total[document] = total.get(document, 0.0) + 1 / (c + rank)
        + total[document] = 1 / (c + rank)
        """,
    "with_sums": """
        The documents come with their sums. Only their numbers are wanted.

        - return sorted(total, key=lambda document: (-total[document], document))
        + ordered = sorted(total, key=lambda document: (-total[document], document))
        + return [(document, total[document]) for document in ordered]
        """,
}

RIGHT = {
    "fractions": """
        def fuse_rankings(rankings, c=60):
            from fractions import Fraction

            documents = sorted({d for ranking in rankings for d in ranking})

            def score(d):
                return sum(Fraction(1, c + r.index(d) + 1) for r in rankings if d in r)

            return sorted(documents, key=score, reverse=True)
        """,
    "counter": """
        def fuse_rankings(rankings, c=60):
            sums = Counter()
            for ranking in rankings:
                sums.update({d: 1 / (c + i + 1) for i, d in enumerate(ranking)})
            return [d for d, _ in sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))]
        """,
}

FURTHER = """
A dictionary with the sum of each document, and then `sorted(total, key=...)` with a pair as the key: the
negative sum, so that the largest comes first, and the number of the document.
"""

EQUIVALENT = {
    "A sum has no order, and may be rounded to the precision of a tensor.": """
        -    for ranking in rankings:
        +    for ranking in list(rankings)[::-1]:

        -        for rank, document in enumerate(ranking, 1):
        +        for rank, document in list(enumerate(ranking, 1))[::-1]:

        -            total[document] = total.get(document, 0.0) + 1 / (c + rank)
        +            total[document] = torch.tensor(total.get(document, 0.0) + 1 / (c + rank))
        """,
    "The sum replaces the 0 that was set, and twice all sums have the same order.": """
        -            total[document] = total.get(document, 0.0) + 1 / (c + rank)
        +            total[document] = total.setdefault(document, 0.0) + 1 / (c + rank)

        -            total[document] = total.get(document, 0.0) + 1 / (c + rank)
        +            total[document] = total.get(document, 0.0) + 2 / (c + rank)
        """,
}
