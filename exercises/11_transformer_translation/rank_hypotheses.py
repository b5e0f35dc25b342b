"""rank_hypotheses: hypotheses of different lengths; alpha decides which one wins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def drawn(*lengths: int) -> list[tuple[list[int], float]]:
        """Each token costs about as much as any other, so longer is less probable."""
        return [
            (
                rng.integers(4, 90, size=n).tolist(),
                -round(float(rng.uniform(0.4, 0.9)) * (n + 1), 3),
            )
            for n in lengths
        ]

    n = number(rng, 4, 7)
    yield Case("values", [drawn(n, n + 3, 2, 1), 0.6, 2], title="the two best of four")
    yield Case("values", [drawn(12, 1, 6, 3, 9), 1.0, 5], title="all five, in order")
    yield Case("values", [drawn(2 * n, 1, n), 0.0, 3], title="no length penalty")
    alpha = round(float(rng.uniform(0.3, 1.2)), 2)
    yield Case("values", [drawn(n, 2, 15), alpha, 1], title="the best one")
    low = -round(float(rng.uniform(1.0, 1.5)), 2)
    title = "the longer one wins, although it is less probable"
    yield Case("values", [[([5, 6], low), (list(range(4, 14)), 1.3 * low)], 0.8, 1], title=title)

    near = [([5, 6], low - 0.003), ([8, 9], low - 0.001), ([6, 5], low - 0.002)]
    yield Case("values", [near, alpha, 2], title="scores that hardly differ")
    again = [([5, 6], 2 * low), ([5, 6], low), ([7], 3 * low)]
    yield Case("values", [again, alpha, 3], title="the same tokens twice")
    yield Case("edges", [drawn(2, n), 0.6, n + 5], title="fewer than n")
    yield Case("edges", [drawn(n, 0, 1), 0.9, 3], title="one without tokens")
    yield Case("edges", [[], 0.6, number(rng, 1, 4)], title="no hypothesis")
    small, middle, large = sorted(rng.permutation(36).reshape(3, -1)[:, :n].tolist())
    inputs = [[(middle, low), ([7], 9 * low), (small, low), (large, low)], 0.7, 3]
    yield Case("edges", inputs, title="three with equal scores: in their order")
    tied = [(large, low), ([7, 8], low), (small[:1], low)]
    title = "equal scores, different lengths: in their order"
    yield Case("edges", [tied, 0.0, 3], title=title)


WRONG = {
    "by_probability": """
        The length plays no part. Divide each log-probability by the length penalty before sorting.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = list(hypotheses)
        """,
    "returns_probabilities": """
        The order is right, but the log-probabilities are returned. Return the scores.

        - return sorted(scored, key=lambda pair: -pair[1])[:n]
        + order = sorted(range(len(scored)), key=lambda i: -scored[i][1])
        + return [tuple(hypotheses[i]) for i in order][:n]
        """,
    "multiplies": """
        The log-probability is multiplied by the penalty. It is negative: dividing by a number above 1
        makes it larger, and that is what long translations need.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p * ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        """,
    "plain_length": """
        The log-probability is divided by a power of the length alone. Wu et al. take (5 + |Y|) / 6,
        which treats short translations more alike.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / max(1, len(ids)) ** alpha) for ids, log_p in hypotheses]
        """,
    "without_division_by_6": """
        The division by 6 is missing, so the scores are too small.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / (5 + len(ids)) ** alpha) for ids, log_p in hypotheses]
        """,
    "counts_the_end": """
        The length includes </s>. |Y| is the number of tokens in the ids.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / ((6 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        """,
    "ignores_alpha": """
        `alpha` is ignored: the penalty is not raised to a power.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / ((5 + len(ids)) / 6)) for ids, log_p in hypotheses]
        """,
    "worst_first": """
        The worst come first. Scores are negative; the best is the one closest to 0.

        - return sorted(scored, key=lambda pair: -pair[1])[:n]
        + return sorted(scored, key=lambda pair: pair[1])[:n]
        """,
    "ties_reversed": """
        Of hypotheses with equal scores the later one comes first. Keep their order.

        - return sorted(scored, key=lambda pair: -pair[1])[:n]
        + return sorted(scored, key=lambda pair: pair[1])[::-1][:n]
        """,
    "alpha_on_the_numerator": """
        α is the exponent of 5 + |Y| alone. It belongs to the whole fraction, (5 + |Y|) / 6.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / ((5 + len(ids)) ** alpha / 6)) for ids, log_p in hypotheses]
        """,
    "ties_by_ids": """
        Hypotheses with equal scores are sorted by their ids: pairs are compared entry by entry. Sort
        by the score alone, with `key=`; then equal ones keep their order.

        - return sorted(scored, key=lambda pair: -pair[1])[:n]
        + return sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)[:n]
        """,
    "divides_only_the_length": """
        Only the length is divided by 6. The penalty divides the sum: (5 + |Y|) / 6.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / (5 + len(ids) / 6) ** alpha) for ids, log_p in hypotheses]
        """,
    "alpha_as_a_factor": """
        The penalty is multiplied by α. α is its exponent: with α = 0 it is 1, and nothing changes.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + scored = [(ids, log_p / ((5 + len(ids)) / 6 * alpha)) for ids, log_p in hypotheses]
        """,
    "chooses_by_probability": """
        The scores are right, but the order is still that of the log-probabilities. Divide by the
        penalty first, then sort by the scores.

        - return sorted(scored, key=lambda pair: -pair[1])[:n]
        + order = sorted(range(len(scored)), key=lambda i: -hypotheses[i][1])
        + return [scored[i] for i in order][:n]
        """,
    "chooses_before_dividing": """
        The n hypotheses with the highest log-probability are chosen first, and only these are
        divided by the penalty: a long one that is better by its score is lost. Divide all of them,
        then choose.

        - scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in hypotheses]
        + best = sorted(hypotheses, key=lambda pair: -pair[1])[:n]
        + scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in best]
        """,
}

RIGHT = {
    "loop_and_reverse": """
        def rank_hypotheses(hypotheses, alpha, n):
            scored = []
            for ids, log_p in hypotheses:
                penalty = (5 + len(ids)) ** alpha / 6**alpha
                scored.append((ids, log_p / penalty))
            scored.sort(key=lambda pair: pair[1], reverse=True)
            return scored[:n]
        """,
    "heapq": """
        import heapq


        def rank_hypotheses(hypotheses, alpha, n):
            score = lambda pair: pair[1] * (6 / (5 + len(pair[0]))) ** alpha
            return [(pair[0], score(pair)) for pair in heapq.nlargest(n, hypotheses, key=score)]
        """,
    "log_space": """
        def rank_hypotheses(hypotheses, alpha, n):
            scores = [
                log_p * math.exp(-alpha * math.log((5 + len(ids)) / 6)) for ids, log_p in hypotheses
            ]
            order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
            return [(hypotheses[i][0], scores[i]) for i in order[:n]]
        """,
}

EQUIVALENT = {
    "a pair has two entries": """
        -    return sorted(scored, key=lambda pair: -pair[1])[:n]
        +    return sorted(scored, key=lambda pair: -pair[-1])[:n]
        """,
}
