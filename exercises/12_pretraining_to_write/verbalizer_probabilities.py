"""verbalizer_probabilities: several words per class, tiny probabilities, impossible words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number

POINTS = {"values": 2, "small": 1, "impossible": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def log_p(n: int, words: int, shift: float = -4.0) -> torch.Tensor:
        return normal(rng, n, words, scale=1.5) + shift

    n = number(rng, 2, 4)
    yield Case("values", [log_p(n, 2), [0, 1]], title="two words")
    yield Case("values", [log_p(n, 6), [1, 1, 1, 0, 0, 0]], title="three words for each class")
    yield Case("values", [log_p(n, 5), [2, 0, 1, 0, 2]], title="three classes, in any order")
    yield Case("values", [log_p(1, 4), [0, 0, 0, 1]], title="three words against one")
    yield Case("values", [log_p(n, 1), [0]], title="a single word")

    yield Case("small", [log_p(n, 4, -300.0), [0, 1, 0, 1]], title="probabilities near 0")
    yield Case("small", [log_p(n, 4, -300.0) * 2, [1, 0, 0, 1]], title="far apart")

    found = log_p(3, 4)
    found[0, number(rng, 0, 1)] = -math.inf
    yield Case("impossible", [found, [0, 0, 1, 1]], title="one word is impossible")
    found = log_p(2, 4)
    found[0, :2] = -math.inf
    yield Case("impossible", [found, [0, 0, 1, 1]], title="all words of a class are impossible")
    found = log_p(3, 5)
    found[1] = -math.inf
    yield Case("impossible", [found, [0, 2, 1, 2, 0]], title="all words are impossible")


WRONG = {
    "sums_logarithms": """
        Logarithms are added up, which multiplies the probabilities of a class's words. One of them is
        enough: add the probabilities, with logsumexp.

        - parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
        + parts = [log_p[:, members == c].sum(dim=1) for c in range(max(classes) + 1)]
        """,
    "averages_logarithms": """
        The mean of the logarithms is taken, so one unlikely word spoils its class. Add the
        probabilities, with logsumexp.

        - parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
        + parts = [log_p[:, members == c].mean(dim=1) for c in range(max(classes) + 1)]
        """,
    "averages_probabilities": """
        The probabilities of a class's words are averaged. A class with more words may well be more
        probable: add them.

        - parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
        + parts = []
        + for c in range(max(classes) + 1):
        +     own = log_p[:, members == c]
        +     parts.append(own.logsumexp(dim=1) - math.log(own.shape[1]))
        """,
    "best_word": """
        Only the most probable word of each class counts here. All of them do: add their
        probabilities.

        - parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
        + parts = [log_p[:, members == c].amax(dim=1) for c in range(max(classes) + 1)]
        """,
    "underflows": """
        The probabilities are so small that exp gives 0, and 0 / 0 is NaN. Stay with logarithms:
        logsumexp, then softmax.

        - scores = torch.stack(parts, dim=1)
        - nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + p = torch.stack(parts, dim=1).exp()
        + p[(log_p == -math.inf).all(dim=1)] = 1.0
        + return p / p.sum(dim=1, keepdim=True)
        """,
    "underflows_to_equal": """
        The probabilities are so small that exp gives 0 for all words, so they count as impossible and the
        classes come out equal. Stay with logarithms: logsumexp, then softmax.

        - scores = torch.stack(parts, dim=1)
        - nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + p = torch.stack(parts, dim=1).exp()
        + p[p.sum(dim=1) == 0] = 1.0
        + return p / p.sum(dim=1, keepdim=True)
        """,
    "underflows_to_zero": """
        The probabilities are so small that exp gives 0, and a small number in the divisor only turns
        0 / 0 into 0: the classes no longer sum to 1. Stay with logarithms: logsumexp, then softmax.

        - scores = torch.stack(parts, dim=1)
        - nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + p = torch.stack(parts, dim=1).exp()
        + p[(log_p == -math.inf).all(dim=1)] = 1.0
        + return p / p.sum(dim=1, keepdim=True).clamp(min=1e-12)
        """,
    "zeros_for_nothing": """
        Where all words are impossible, or exp gives 0 for all of them, all classes get 0. For impossible
        words give the classes the same probability, and for tiny ones stay with logarithms.

        - scores = torch.stack(parts, dim=1)
        - nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + p = torch.stack(parts, dim=1).exp()
        + return p / p.sum(dim=1, keepdim=True).clamp(min=1e-12)
        """,
    "logarithms_returned": """
        These are logarithms. The probabilities are wanted: log_softmax without the logarithm.

        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + return scores.masked_fill(nothing, 0.0).log_softmax(dim=1)
        """,
    "not_normalized": """
        The probabilities of the classes do not sum to 1. Divide by those of all words asked.

        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + return scores.exp()
        """,
    "nan_without_words": """
        Where all words are impossible the result is NaN. Nothing is known there: all classes get the
        same probability.

        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + return scores.softmax(dim=1)
        """,
    "normalized_over_the_texts": """
        The columns sum to 1: that compares the texts. For each text, its classes should sum to 1.

        - return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        + return scores.masked_fill(nothing, 0.0).softmax(dim=0)
        """,
    "first_come_first": """
        The columns are in the order in which the classes occur. Column c belongs to class c.

        - parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
        + parts = [log_p[:, members == c].logsumexp(dim=1) for c in dict.fromkeys(classes)]
        """,
    "one_impossible_class": """
        All classes come out equal as soon as one of them is impossible. Only where all of them are
        is nothing known: a single impossible class gets 0.

        - nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        + nothing = (scores == -math.inf).any(dim=1, keepdim=True)
        """,
}

FURTHER = """
For each class c, pick the columns of its words, log_p[:, torch.tensor(classes) == c], and take logsumexp
over them. Stack the results to (B, C) and apply softmax, which divides by the sum. Where a row is minus
infinity everywhere, put zeros in first.
"""

RIGHT = {
    "softmax_over_words": """
        def verbalizer_probabilities(log_p, classes):
            impossible = torch.isinf(log_p).all(dim=1)
            p = log_p.softmax(dim=1)
            n_classes = len(set(classes))
            result = torch.zeros(len(log_p), n_classes)
            for w, c in enumerate(classes):
                result[:, c] += p[:, w]
            result[impossible] = 1 / n_classes
            return result
        """,
    "index_add": """
        def verbalizer_probabilities(log_p, classes):
            top = log_p.amax(dim=1, keepdim=True)
            top = torch.where(top == -torch.inf, 0.0, top)
            p = (log_p - top).exp()
            sums = torch.zeros(len(p), max(classes) + 1).index_add(1, torch.tensor(classes), p)
            sums[sums.sum(dim=1) == 0] = 1.0
            return sums / sums.sum(dim=1, keepdim=True)
        """,
}

EQUIVALENT = {
    "no model is trained through it": "every edit: detached, without gradient, constant corner",
    "each class has a word, so all scores are minus infinity where all words are": """
        -    nothing = (scores == -math.inf).all(dim=1, keepdim=True)
        +    nothing = (log_p == -math.inf).all(dim=1, keepdim=True)
        """,
    "any number in place of all scores makes the classes equal": """
        -    return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        +    return scores.masked_fill(nothing, -1e9).softmax(dim=1)

        -    return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        +    return scores.masked_fill(nothing, 1).softmax(dim=1)

        -    return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        +    return scores.masked_fill(nothing, -1).softmax(dim=1)
        """,
    "the scores are a new tensor, which nothing else uses": """
        -    return scores.masked_fill(nothing, 0.0).softmax(dim=1)
        +    return scores.masked_fill_(nothing, 0.0).softmax(dim=1)
        """,
}
