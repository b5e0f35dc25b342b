"""entity_scores: counts over sentences, boundaries and kinds, spans twice, and zeros."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number
from .common import some_spans, two_kinds

POINTS = {"values": 2, "strict": 1, "edges": 1}

Span = tuple[int, int, str]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def gold(n: int, words: int = 12) -> list[list[Span]]:
        return [some_spans(rng, words, two_kinds(rng)) for _ in range(n)]

    def some_of(rows: list[list[Span]], share: float) -> list[list[Span]]:
        """A part of the spans, and some that there are not."""
        found = []
        for spans in rows:
            kept = [span for span in spans if rng.random() < share]
            more = [(20 + i, 21 + i, "place") for i in range(number(rng, 0, 2))]
            found.append([*more, *kept])
        found[0] = [*rows[0][:1], (30, 31, "place"), *[s for s in found[0] if s != rows[0][0]]]
        return found

    for n in (1, 3, number(rng, 4, 6)):
        rows = gold(n)
        yield Case("values", [rows, some_of(rows, 0.6)], title=f"{n} sentences")
    rows = [*gold(1, 20), *[[(0, 1, "work")] for _ in range(number(rng, 2, 5))]]
    guesses = [rows[0][:2], *[[] for _ in rows[1:-1]], [(0, 1, "work"), (4, 5, "work")]]
    yield Case("values", [rows, guesses], title="sentences of different size")

    rows = gold(number(rng, 3, 9), number(rng, 12, 30))
    moved = [[(a, b + 1, kind) for a, b, kind in spans[:-1]] + spans[-1:] for spans in rows]
    yield Case("strict", [rows, moved], title="wrong ends")
    renamed = [[(a, b, "river" if i else kind) for i, (a, b, kind) in enumerate(s)] for s in rows]
    yield Case("strict", [rows, renamed], title="wrong kinds")
    yield Case("strict", [rows, rows[1:] + rows[:1]], title="in other sentences")
    twice = [spans[:1] * 3 + spans[1:2] for spans in rows]
    yield Case("strict", [rows, twice], title="predicted several times")

    none: list[list[Span]] = [[] for _ in rows]
    yield Case("edges", [rows, none], title="nothing predicted")
    yield Case("edges", [none, rows], title="nothing to find")
    yield Case("edges", [none, none], title="nothing at all")
    yield Case("edges", [[], []], title="no sentences")
    yield Case("edges", [rows, rows], title="all right")
    yield Case("edges", [rows, some_of(rows, 0.3)], title="a few right")
    yield Case("edges", [rows, rows[:-1]], title="a sentence is missing", judge=VALUE_ERROR)
    yield Case("edges", [rows, [*rows, []]], title="a sentence too many", judge=VALUE_ERROR)


WRONG = {
    "mean_over_sentences": """
        This is the mean of the sentences' values. Sum the counts over all sentences first, then
        divide once.

        def entity_scores(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("sentences")
            rows = []
            for one, other in zip(gold, predicted):
                right = len(set(one) & set(other))
                p = right / len(set(other)) if other else 0.0
                r = right / len(set(one)) if one else 0.0
                rows.append((p, r, 2 * p * r / (p + r) if right else 0.0))
            return tuple(sum(column) / len(rows) for column in zip(*rows)) if rows else (0.0, 0.0, 0.0)
        """,
    "f1_of_the_means": """
        Precision and recall are the means of the sentences' values, and F1 comes from these means. Sum
        the counts over all sentences first: a sentence with many entities counts more.

        def entity_scores(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("sentences")
            if not gold:
                return 0.0, 0.0, 0.0
            P = R = 0.0
            for one, other in zip(gold, predicted):
                right = len(set(one) & set(other))
                P += (right / len(set(other)) if other else 0.0) / len(gold)
                R += (right / len(set(one)) if one else 0.0) / len(gold)
            return P, R, 2 * P * R / (P + R) if P + R else 0.0
        """,
    "means_of_some_sentences": """
        Precision and recall are means over the sentences that have predicted or gold entities. Sum the
        counts over all sentences first, then divide once.

        def entity_scores(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("sentences")
            pairs = [(set(one), set(other)) for one, other in zip(gold, predicted)]
            ps = [len(one & other) / len(other) for one, other in pairs if other]
            rs = [len(one & other) / len(one) for one, other in pairs if one]
            P, R = sum(ps) / max(1, len(ps)), sum(rs) / max(1, len(rs))
            return P, R, 2 * P * R / (P + R) if P + R else 0.0
        """,
    "swapped": """
        Precision and recall are swapped: precision is divided by what was predicted, recall by what
        there is to find.

        - return precision, recall, 2 * right / (n_gold + n_predicted) if right else 0.0
        + return recall, precision, 2 * right / (n_gold + n_predicted) if right else 0.0
        """,
    "plain_mean": """
        F1 is the harmonic mean of precision and recall, 2PR / (P + R), not the plain one.

        - return precision, recall, 2 * right / (n_gold + n_predicted) if right else 0.0
        + return precision, recall, (precision + recall) / 2
        """,
    "kind_ignored": """
        An entity with the wrong kind counts as right. All three parts have to agree.

        - for one, other in zip(gold, predicted):
        + for one, other in zip(
        +     [[s[:2] for s in spans] for spans in gold], [[s[:2] for s in spans] for spans in predicted]
        + ):
        """,
    "end_ignored": """
        An entity with the wrong end counts as right. First word, end and kind have to agree.

        - for one, other in zip(gold, predicted):
        + for one, other in zip(
        +     [[(s[0], s[2]) for s in spans] for spans in gold],
        +     [[(s[0], s[2]) for s in spans] for spans in predicted],
        + ):
        """,
    "sentences_mixed": """
        Spans of different sentences are compared with each other. Compare within a sentence, then
        sum.

        - for one, other in zip(gold, predicted):
        + for one, other in [(
        +     [s for spans in gold for s in spans], [s for spans in predicted for s in spans]
        + )]:
        """,
    "counts_repeats": """
        A span that was predicted several times counts several times. It counts once.

        - n_predicted += len(set(other))
        + n_predicted += len(other)
        """,
    "repeats_count_as_right": """
        A span that was predicted several times counts several times, among the right ones, too, and
        finds more than there is. Count each different span of a sentence once.

        - right += len(set(one) & set(other))
        + right += sum(span in one for span in other)
        ...
        - n_predicted += len(set(other))
        + n_predicted += len(other)
        """,
    "right_ones_repeated": """
        Of the predicted spans each counts once, but among the right ones a span that was predicted
        several times counts several times. It is right once.

        - right += len(set(one) & set(other))
        + right += sum(span in one for span in other)
        """,
    "repeats_in_all_counts": """
        A right span that was predicted several times is several true positives, also where recall is
        computed from them and the missed ones. Count each different span of a sentence once.

        def entity_scores(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("sentences")
            found = [span in one for one, other in zip(gold, predicted) for span in other]
            missed = [span for one, other in zip(gold, predicted) for span in one if span not in other]
            tp, fp, fn = sum(found), len(found) - sum(found), len(missed)
            P, R = tp / max(1, tp + fp), tp / max(1, tp + fn)
            return P, R, 2 * P * R / (P + R) if tp else 0.0
        """,
    "divides_by_zero": """
        Where nothing was predicted or there is nothing to find, the value is 0, not an error.

        raises ZeroDivisionError

        - precision = right / n_predicted if n_predicted else 0.0
        - recall = right / n_gold if n_gold else 0.0
        + precision = right / n_predicted
        + recall = right / n_gold
        """,
    "perfect_if_nothing_to_find": """
        With nothing to find, recall is defined to be 0 here.

        - recall = right / n_gold if n_gold else 0.0
        + recall = right / n_gold if n_gold else 1.0
        """,
    "cuts_the_longer": """
        Gold and predictions with different numbers of sentences should raise a ValueError.

        - if len(gold) != len(predicted):
        -     raise ValueError(f"{len(gold)} sentences have gold entities, {len(predicted)} predicted ones")
        """,
    "in_percent": """
        The values are in percent. They should be between 0 and 1.

        - return precision, recall, 2 * right / (n_gold + n_predicted) if right else 0.0
        + return 100 * precision, 100 * recall, 200 * right / (n_gold + n_predicted) if right else 0.0
        """,
    "perfect_if_there_is_nothing": """
        Where nothing is predicted and there is nothing to find, all three values are 1. They are
        defined to be 0 here.

        - precision = right / n_predicted if n_predicted else 0.0
        + if not n_predicted and not n_gold:
        +     return 1.0, 1.0, 1.0
        + precision = right / n_predicted if n_predicted else 0.0
        """,
    "shared_word_is_enough": """
        An entity counts as right as soon as it shares a word with a gold one of its kind. First
        word, end and kind have to agree.

        - right += len(set(one) & set(other))
        + right += sum(any(a < d and c < b and k == m for c, d, m in one) for a, b, k in set(other))
        """,
}

FURTHER = """
Three counts over all sentences: spans in both sets of a sentence, gold spans, predicted spans. Then
P = right / predicted, R = right / gold, F1 = 2 * right / (gold + predicted), each 0.0 where it would
divide by 0.
"""

RIGHT = {
    "numbered": """
        def entity_scores(gold, predicted):
            if len(gold) != len(predicted):
                raise ValueError("sentences")
            a = {(i, *span) for i, spans in enumerate(gold) for span in spans}
            b = {(i, *span) for i, spans in enumerate(predicted) for span in spans}
            P = len(a & b) / len(b) if b else 0.0
            R = len(a & b) / len(a) if a else 0.0
            return P, R, 2 * P * R / (P + R) if P + R else 0.0
        """,
    "loops": """
        def entity_scores(gold, predicted):
            tp = fp = fn = 0
            if len(predicted) != len(gold):
                raise ValueError()
            for i in range(len(gold)):
                for span in set(predicted[i]):
                    if span in gold[i]:
                        tp += 1
                    else:
                        fp += 1
                fn += sum(span not in predicted[i] for span in set(gold[i]))
            return (tp / max(1, tp + fp), tp / max(1, tp + fn), 2 * tp / max(1, 2 * tp + fp + fn))
        """,
}

EQUIVALENT = {
    "A sum does not depend on its order.": """
        -    for one, other in zip(gold, predicted):
        +    for one, other in list(zip(gold, predicted))[::-1]:
        """,
    "The gold spans of a sentence are all different; the text speaks of predicted ones.": """
        -        n_gold += len(set(one))
        +        n_gold += len(one)
        """,
    "If nothing is right, 0 divided by their number is 0.0, too.": """
        -    precision = right / n_predicted if n_predicted else 0.0
        +    precision = right / n_predicted if right else 0.0

        -    recall = right / n_gold if n_gold else 0.0
        +    recall = right / n_gold if right else 0.0

        -    return precision, recall, 2 * right / (n_gold + n_predicted) if right else 0.0
        +    return precision, recall, 2 * right / (n_gold + n_predicted) if n_predicted else 0.0

        -    return precision, recall, 2 * right / (n_gold + n_predicted) if right else 0.0
        +    return precision, recall, 2 * right / (n_gold + n_predicted) if n_gold else 0.0
        """,
}
