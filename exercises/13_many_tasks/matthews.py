"""matthews: the four counts in all sizes, constant answers, and lists that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def lists(tp: int, tn: int, fp: int, fn: int) -> list[list[int]]:
        pairs = [(1, 1)] * tp + [(0, 0)] * tn + [(0, 1)] * fp + [(1, 0)] * fn
        order = rng.permutation(len(pairs))
        return [[pairs[i][side] for i in order] for side in (0, 1)]

    a, b, c = number(rng, 30, 70), number(rng, 8, 29), number(rng, 1, 7)
    yield Case("values", lists(a, b, c, 2), title="mostly right")
    yield Case("values", lists(a + 40, 2, b, c), title="mostly ones")
    yield Case("values", lists(1, b, a, c + 2), title="mostly wrong")
    yield Case("values", lists(b, a, 0, c), title="no false positives")
    yield Case("values", lists(b, c, a, 0), title="no false negatives")
    yield Case("edges", lists(a, 0, b, 0), title="always 1")
    yield Case("edges", lists(0, a, 0, b), title="always 0")
    yield Case("edges", lists(a, 0, 0, b), title="only ones to find")
    yield Case("edges", lists(a, b, 0, 0), title="all right")
    yield Case("edges", lists(a, 0, 0, 0), title="only ones, all right")
    yield Case("edges", lists(0, 0, a, b), title="all wrong")
    yield Case("edges", lists(0, a, b, c), title="no true positives")
    yield Case("edges", lists(400, 300, 200 + a, 90), title="many examples")
    yield Case("edges", [[], []], title="no examples")
    gold, predicted = lists(a, b, c, 1)
    yield Case("edges", [gold, predicted[:-1]], title="one too few", judge=VALUE_ERROR)
    yield Case("edges", [gold, [*predicted, 1]], title="one too many", judge=VALUE_ERROR)
    # Whether the pair with the 2 is left out or counts as one with a 0, the rest gives 0.
    odd = [2, *[0] * a]
    some = [1, *rng.permutation(np.arange(a) % 2).tolist()]
    yield Case("edges", [some, odd], title="a label 2 was predicted", judge=VALUE_ERROR)
    yield Case("edges", [odd, some], title="a right label is 2", judge=VALUE_ERROR)
    # Where nobody checks, -1 may count as a 0, or not at all.
    counted = ("gold_unchecked", "labels_unchecked", "anything_accepted")
    signs = [2 * label - 1 for label in gold]
    title = "labels of -1 and 1"
    yield Case("edges", [signs, predicted], title=title, judge=VALUE_ERROR, undefined=counted)


WRONG = {
    "accuracy": """
        This is accuracy. A constant answer would please it; use the four counts.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp + tn) / len(gold) if gold else 0.0
        """,
    "f1": """
        This is F1 of class 1. The Matthews correlation looks at both classes.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return 2 * tp / (2 * tp + fp + fn) if tp else 0.0
        """,
    "without_root": """
        The root below the line is missing.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp * tn - fp * fn) / below if below else 0.0
        """,
    "plus": """
        The mistakes are added; they are subtracted: TP·TN − FP·FN.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp * tn + fp * fn) / math.sqrt(below) if below else 0.0
        """,
    "wrong_products": """
        Above the line, the products are TP·TN and FP·FN.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp * fp - tn * fn) / math.sqrt(below) if below else 0.0
        """,
    "nan_for_constants": """
        A constant answer makes the denominator 0. The value is 0 then, not NaN.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp * tn - fp * fn) / math.sqrt(below) if below else math.nan
        """,
    "absolute": """
        The sign is lost. Who is mostly wrong has a negative correlation.

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return abs(tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        """,
    "predicted_unchecked": """
        Only the labels of `gold` are checked. Those of `predicted` have to be 0 or 1, too.

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        + if len(gold) != len(predicted) or not {*gold} <= {0, 1}:
        """,
    "gold_unchecked": """
        Only the labels of `predicted` are checked. Those of `gold` have to be 0 or 1, too.

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        + if len(gold) != len(predicted) or not {*predicted} <= {0, 1}:
        """,
    "labels_unchecked": """
        Labels other than 0 and 1, in either list, are accepted. They should raise a ValueError.

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        + if len(gold) != len(predicted):
        """,
    "lengths_unchecked": """
        Lists of different lengths are cut to the shorter one. They should raise a ValueError.

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        + if not {*gold, *predicted} <= {0, 1}:
        """,
    "anything_accepted": """
        Lists of different lengths and labels other than 0 and 1 should raise a ValueError.

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        -     raise ValueError("both lists need the same length and labels 0 or 1")
        """,
    "equal_lists_are_one": """
        Equal lists give 1. Without both kinds of label a list has the value 0, even where the two lists
        are equal.

        - counts = Counter(zip(gold, predicted))
        + if gold == predicted:
        +     return 1.0
        + counts = Counter(zip(gold, predicted))
        """,
    "empty_lists_refused": """
        Two empty lists raise an error. They have no kind of label, so the value is 0.

        raises ValueError

        - if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        + if not gold or len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        """,
    "divides_by_zero": """
        A list with only one kind of label makes the denominator 0, and the division fails. The
        value is 0 then: look at the denominator first.

        raises ZeroDivisionError

        - return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0
        + return (tp * tn - fp * fn) / math.sqrt(below)
        """,
}

FURTHER = """
Count the pairs (gold, predicted): Counter(zip(gold, predicted)) has all four counts, and 0 for a pair
that does not occur. If the product below the root is 0, the result is 0.0.
"""

RIGHT = {
    "sums": """
        def matthews(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("lengths")
            if any(y not in (0, 1) for y in [*gold, *predicted]):
                raise ValueError("labels")
            n, s, t = len(gold), sum(gold), sum(predicted)
            both = sum(g * p for g, p in zip(gold, predicted))
            below = s * (n - s) * t * (n - t)
            return (n * both - s * t) / below**0.5 if below > 0 else 0.0
        """,
    "tensors": """
        def matthews(gold, predicted):
            if len(gold) != len(predicted) or set(gold) - {0, 1} or set(predicted) - {0, 1}:
                raise ValueError("lists")
            if len(set(gold)) < 2 or len(set(predicted)) < 2:
                return 0.0
            both = torch.tensor([gold, predicted], dtype=torch.float64)
            return torch.corrcoef(both)[0, 1].item()
        """,
}

EQUIVALENT = {
    "The formula stays the same if gold and predicted are swapped, or 0 and 1.": """
        -    counts = Counter(zip(gold, predicted))
        +    counts = Counter(zip(predicted, gold))

        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = (counts[0, 0], counts[1, 1], counts[0, 1], counts[1, 0])

        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = (counts[1, 1], counts[0, 0], counts[1, 0], counts[0, 1])
        """,
    "A count is the same number as a float.": """
        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = float(counts[1, 1]), counts[0, 0], counts[0, 1], counts[1, 0]

        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = counts[1, 1], float(counts[0, 0]), counts[0, 1], counts[1, 0]

        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = counts[1, 1], counts[0, 0], float(counts[0, 1]), counts[1, 0]

        -    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
        +    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], float(counts[1, 0])

        -    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        +    below = float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        """,
}
