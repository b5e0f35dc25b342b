"""choose_answer: margins over "not here", the weight of the search, the threshold, nothing retrieved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import number, some_words
from .common import WORDS

POINTS = {"values": 2, "not in the text": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def eighths(n: int, low: int, high: int) -> list[float]:
        """Different numbers in steps of an eighth."""
        return [int(i) / 8 for i in rng.permutation(np.arange(8 * low, 8 * high))[:n]]

    def retrieved(*sizes: int) -> list[list[Any]]:
        """Scores of the search, those of "not here", and the spans of each paragraph."""
        values = eighths(sum(sizes), 0, 12)
        spans = [[(values.pop(), word) for word in some_words(rng, WORDS, n)] for n in sizes]
        return [eighths(len(sizes), 0, 6), eighths(len(sizes), 0, 9), spans]

    sizes = [number(rng, 2, 4) for _ in range(3)]
    yield Case("values", [*retrieved(3), 0.0, -50.0], title="one paragraph")
    yield Case("values", [*retrieved(*sizes), 0.0, -50.0], title="the search does not count")
    yield Case(
        "values", [*retrieved(*sizes, 2, 3), 0.5, -50.0], title="five paragraphs, half and half"
    )
    yield Case("values", [*retrieved(1, 1, 1), 1.0, -50.0], title="only the search counts")
    loud = retrieved(3, 3)
    loud[2][1] = [(score + 40, word) for score, word in loud[2][1]]
    loud[1][1] += 60.25
    yield Case("values", [*loud, 0.25, -80.0], title="high scores, but higher for not here")

    first, second, third = some_words(rng, WORDS, 3)
    null = float(number(rng, 6, 9))
    spans = [[(null + 2, first), (null - 1, second)], [(1.0, third)]]
    found = [float(number(rng, 1, 4))] * 2
    yield Case("values", [found, [null, 0.0], spans, 0.5, -50.0], title="a high null score")

    ahead, base = number(rng, 3, 6), number(rng, 2, 5)  # in half, not in whole, the search decides
    spans = [[(float(base + ahead), first)], [(float(base), second)]]
    yield Case(
        "values",
        [[0.0, ahead + 1.0], [1.0, 1.0], spans, 0.5, -50.0],
        title="the search against the reader, half and half",
    )
    yield Case(
        "values",
        [[0.0, ahead - 1.0], [1.0, 1.0], spans, 0.5, -50.0],
        title="the reader against the search, half and half",
    )
    spans = [[(float(base), first)], [(float(base + ahead), first), (base - 1.0, second)]]
    yield Case(
        "values",
        [[1.0, 1.0], [1.0, 1.0], spans, 0.0, -50.0],
        title="the same text in two paragraphs",
    )
    near = [[(base + 0.001, first), (base + 0.004, second), (base + 0.002, third)]]
    yield Case("values", [[1.0], [0.0], near, 0.0, -50.0], title="nearly equal")

    sure = retrieved(*sizes)
    best = max(
        score - null for null, spans in zip(sure[1], sure[2], strict=True) for score, _ in spans
    )
    yield Case(
        "not in the text", [*sure, 0.0, best + number(rng, 1, 3)], title="below the threshold"
    )
    yield Case("not in the text", [*sure, 0.0, best - 0.125], title="just above the threshold")
    yield Case("not in the text", [*sure, 0.0, best], title="exactly at the threshold")
    mixed = retrieved(*sizes)
    mixed[0] = [20.0 + x for x in mixed[0]]
    best = max(
        score - null for null, spans in zip(mixed[1], mixed[2], strict=True) for score, _ in spans
    )
    yield Case("not in the text", [*mixed, 0.5, best + 0.25], title="the search lifts it")
    sunk = [[x - 40 for x in mixed[0]], *mixed[1:]]
    yield Case("not in the text", [*sunk, 0.5, best - 0.25], title="the search sinks it")
    low = retrieved(2, 3)
    low[1] = [30.0 + x for x in low[1]]
    yield Case("not in the text", [*low, 0.0, 0.0], title="not here, everywhere")
    yield Case(
        "not in the text", [*low, 0.0, -50.0], title="totals below 0, and a threshold below them"
    )

    yield Case("edges", [[], [], [], 0.5, 0.0], title="nothing retrieved")
    yield Case(
        "edges", [*retrieved(0, number(rng, 2, 4)), 0.25, -50.0], title="a paragraph without spans"
    )
    yield Case("edges", [*retrieved(0, 0), 0.25, -50.0], title="no spans at all")
    same = retrieved(2, 2)
    same[0][1], same[1][1] = same[0][0], same[1][0]
    same[2][1] = [(score, word + "s") for score, word in same[2][0]]
    yield Case("edges", [*same, 0.5, -50.0], title="two paragraphs tie")
    twice = retrieved(1, 1)
    top, word = twice[2][0][0]
    twice[2] = [[(top, word), (top, word + "s")], [(top - 40, third)]]
    yield Case("edges", [*twice, 0.25, -90.0], title="two spans of a paragraph tie")


WRONG = {
    "raw_scores": """
        Scores of different paragraphs were compared as they are. Subtract the paragraph's own
        score of *not here* first.

        - total = (1 - weight) * (score - null) + weight * found
        + total = (1 - weight) * score + weight * found
        """,
    "largest_null": """
        The largest null score of all paragraphs was subtracted everywhere. A span is compared with
        *not here* in its own paragraph.

        - total = (1 - weight) * (score - null) + weight * found
        + total = (1 - weight) * (score - max(nulls)) + weight * found
        """,
    "starts_at_zero": """
        The best total so far begins with 0, so an answer with a total below 0 is never given. A
        threshold may be lower than that: begin with minus infinity.

        - answer, where, best = "", -1, -math.inf
        + answer, where, best = "", -1, 0.0
        """,
    "ignores_the_search": """
        The score of the search does not enter. Its part is the weight times that score.

        - total = (1 - weight) * (score - null) + weight * found
        + total = score - null
        """,
    "weights_exchanged": """
        The two weights are exchanged: `weight` belongs to the search, the rest to the reader.

        - total = (1 - weight) * (score - null) + weight * found
        + total = weight * (score - null) + (1 - weight) * found
        """,
    "full_margin": """
        The margin has the full weight. Its part is 1 - weight.

        - total = (1 - weight) * (score - null) + weight * found
        + total = score - null + weight * found
        """,
    "null_not_weighted": """
        The score of *not here* is subtracted outside the parentheses. It belongs to the reader's
        part, with the weight 1 - weight.

        - total = (1 - weight) * (score - null) + weight * found
        + total = (1 - weight) * score - null + weight * found
        """,
    "first_paragraph": """
        Only the first paragraph was read. The best span of all paragraphs is wanted.

        - for number, (found, null, row) in enumerate(zip(retrieval, nulls, spans)):
        + for number, (found, null, row) in list(enumerate(zip(retrieval, nulls, spans)))[:1]:
        """,
    "first_span_only": """
        Only the first span of each paragraph was looked at. All of its spans compete, and they need
        not be sorted.

        - for score, text in row:
        + for score, text in row[:1]:
        """,
    "best_paragraph": """
        Only the paragraph with the highest score of the search was read. Spans of all paragraphs
        compete.

        - for number, (found, null, row) in enumerate(zip(retrieval, nulls, spans)):
        + rows = list(enumerate(zip(retrieval, nulls, spans)))
        + for number, (found, null, row) in sorted(rows, key=lambda r: -r[1][0])[:1]:
        """,
    "always_answers": """
        An answer is given whatever the threshold. If the best total does not exceed it, the answer
        is not in the text.

        - if best > threshold:
        + if best > -math.inf:
        """,
    "threshold_of_the_margin": """
        The threshold was compared with the reader's margin alone. Compare the total, with the part
        of the search in it.

        - if best > threshold:
        + margins = [s - null for null, row in zip(nulls, spans) for s, _ in row]
        + if margins and max(margins) > threshold:
        """,
    "at_the_threshold": """
        A total equal to the threshold gives an answer here. It has to exceed it.

        - if best > threshold:
        + if best >= threshold and best > -math.inf:
        """,
    "last_of_equals": """
        Of equal totals the first one counts, in the order of the paragraphs.

        - if total > best:
        + if total >= best:
        """,
    "paragraphs_from_one": """
        The number of the paragraph is counted from 1. The first one has the number 0.

        - answer, where, best = text, number, total
        + answer, where, best = text, number + 1, total
        """,
    "none_for_no_answer": """
        Without an answer the result is an empty text and -1.

        - return "", -1
        + return None, -1
        """,
    "breaks_without_spans": """
        Where there is no span at all, `max` of nothing raises an error. The answer is then not in
        the text.

        raises ValueError

        def choose_answer(retrieval, nulls, spans, weight, threshold):
            total, number, text = max(
                (
                    ((1 - weight) * (score - null) + weight * found, -number, text)
                    for number, (found, null, row) in enumerate(zip(retrieval, nulls, spans))
                    for score, text in row
                ),
                key=lambda triple: triple[:2],
            )
            return (text, -number) if total > threshold else ("", -1)
        """,
}

RIGHT = {
    "one_list": """
        def choose_answer(retrieval, nulls, spans, weight, threshold):
            everything = [
                ((1 - weight) * (score - nulls[i]) + weight * retrieval[i], i, text)
                for i, row in enumerate(spans)
                for score, text in row
            ]
            above = [entry for entry in everything if entry[0] > threshold]
            if not above:
                return "", -1
            _, i, text = max(above, key=lambda entry: entry[0])
            return text, i
        """,
    "sorted": """
        def choose_answer(retrieval, nulls, spans, weight, threshold):
            rows = zip(retrieval, nulls, spans)
            totals = [
                (-weight * found - (1 - weight) * (score - null), i, text)
                for i, (found, null, row) in enumerate(rows)
                for score, text in row
            ]
            totals.sort(key=lambda entry: entry[0])
            if totals and -totals[0][0] > threshold:
                return totals[0][2], totals[0][1]
            return "", -1
        """,
}

FURTHER = """
Two loops, over the paragraphs and over the spans of each, keep the largest total with its text and the
number of its paragraph. At the end one comparison with the threshold decides.
"""

EQUIVALENT = {
    "What stands there at first is returned by nobody.": """
        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = (-1, "", -math.inf)

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = 'x', -1, -math.inf

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", 0, -math.inf

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", -2, -math.inf

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", 1, -math.inf

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", -(-1), -math.inf

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", float(-1), -math.inf
        """,
    "A total is compared, and not returned.": """
        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", -1, round(-math.inf, 2)

        -    answer, where, best = "", -1, -math.inf
        +    answer, where, best = "", -1, torch.tensor(-math.inf)

        -            total = (1 - weight) * (score - null) + weight * found
        +            total = torch.tensor((1 - weight) * (score - null) + weight * found)

        -                answer, where, best = text, number, total
        +                answer, where, best = text, number, torch.tensor(total)
        """,
}
