"""best_spans: the order of ends, positions outside the paragraph, lengths, and fewer spans than asked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import number

POINTS = {"best": 2, "legal": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def scores(n: int) -> list[torch.Tensor]:
        """Numbers whose sums are all different, in steps of 0.25."""
        one = torch.from_numpy(rng.permutation(n)).float() * 0.25
        return [one + number(rng, -3, 3), torch.from_numpy(rng.permutation(n)).float() * 0.25 * n]

    def context(n: int, before: int, after: int = 1) -> torch.Tensor:
        place = torch.arange(n)
        return (place >= before) & (place < n - after)

    n = number(rng, 8, 12)
    yield Case("best", [*scores(n), context(n, 3), 1, n], title="the best")
    yield Case("best", [*scores(n), context(n, 2), 5, n], title="five of them")
    yield Case("best", [*scores(n), torch.ones(n, dtype=torch.bool), 4, n], title="all allowed")

    start, end = scores(n)
    start[n - 3], end[3] = 40.1, 41.05
    yield Case("legal", [start, end, context(n, 2), 3, n], title="the end before the beginning")
    start, end = scores(n)
    start[1], end[1] = 50.1, 51.05
    yield Case("legal", [start, end, context(n, 4), 3, n], title="in the question")
    start, end = scores(n)
    start[2], end[n - 2] = 30.1, 31.05
    yield Case("legal", [start, end, context(n, 2), 4, 3], title="too long")
    start, end = scores(n)
    start[n - 1], end[n - 1] = 30.1, 31.05
    yield Case("legal", [start, end, context(n, 2), 4, 4], title="the last [SEP]")
    yield Case("legal", [*scores(n), context(n, 2), 4, 1], title="one piece each")
    start, end = scores(n)
    yield Case("legal", [start - 60, end - 60, context(n, 3), 3, 4], title="all scores negative")

    yield Case("edges", [*scores(5), context(5, 2), 9, 5], title="fewer than asked")
    start, end = scores(n)
    start[n - 2] = 0.0
    yield Case("edges", [start, end, context(n, n - 2), 3, 4], title="a single piece")
    yield Case("edges", [*scores(n), context(n, n), 3, 4], title="nothing allowed")
    yield Case("edges", [*scores(n), context(n, 2), 1, 2], title="one, short")


WRONG = {
    "best_of_each": """
        The best beginning and the best end were chosen alone. Compare the sums of all legal pairs.

        def best_spans(start, end, allowed, n, longest):
            s, e = start.masked_fill(~allowed, -math.inf), end.masked_fill(~allowed, -math.inf)
            first, last = s.topk(min(n, int(allowed.sum()))), e.topk(min(n, int(allowed.sum())))
            return [
                (float(a + b), int(i), int(j))
                for a, b, i, j in zip(first.values, last.values, first.indices, last.indices)
            ]
        """,
    "end_before_beginning": """
        A span may end before it begins. It has one piece or more.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length <= longest) & allowed[:, None] & allowed
        """,
    "question_allowed": """
        A span may lie outside the paragraph. Both ends have to be allowed.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest)
        """,
    "one_end_allowed": """
        Only the end is checked. The beginning has to be in the paragraph, too.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest) & allowed
        """,
    "only_beginning_allowed": """
        Only the beginning is checked. The end has to be in the paragraph, too.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest) & allowed[:, None]
        """,
    "any_length": """
        Spans of any length are compared. At most `longest` pieces are wanted.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & allowed[:, None] & allowed
        """,
    "one_piece_too_long": """
        Spans of `longest` + 1 pieces are compared, too. Both ends belong to a span, so it has
        last - first + 1 pieces.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest + 1) & allowed[:, None] & allowed
        """,
    "one_piece_too_short": """
        A span of `longest` pieces is legal. From first to last there are last - first + 1 pieces.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length < longest) & allowed[:, None] & allowed
        """,
    "no_single_pieces": """
        A span of one piece is legal: its beginning is its end.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 2) & (length <= longest) & allowed[:, None] & allowed
        """,
    "ends_swapped": """
        Beginning and end are swapped in the table: a row should be a beginning, a column an end.

        - scores = start[:, None] + end
        + scores = end[:, None] + start
        """,
    "illegal_fill_up": """
        If there are fewer legal spans than asked for, illegal ones fill the list. Return fewer.

        - values, where = scores.flatten().topk(min(n, int(legal_spans.sum())))
        + values, where = scores.flatten().topk(min(n, L * L))
        """,
    "only_one": """
        Only the best span is returned. The n best are wanted.

        - values, where = scores.flatten().topk(min(n, int(legal_spans.sum())))
        + values, where = scores.flatten().topk(min(1, int(legal_spans.sum())))
        """,
    "zero_for_illegal": """
        Illegal spans get the score 0, which may be the largest. Minus infinity never is.

        - scores = scores.masked_fill(~legal_spans, -math.inf)
        + scores = scores.masked_fill(~legal_spans, 0.0)
        """,
    "only_the_best_ends": """
        Only pairs of the n best beginnings and the n best ends are compared. A legal span with a
        high sum may have neither: compare all legal pairs.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + first, last = torch.zeros(L, dtype=torch.bool), torch.zeros(L, dtype=torch.bool)
        + first[start.topk(min(n, L)).indices] = True
        + last[end.topk(min(n, L)).indices] = True
        + legal_spans &= first[:, None] & last
        """,
    "log_probabilities": """
        The scores went through a softmax and a logarithm. The score of a span is the plain sum of
        the scores of its beginning and its end.

        - scores = start[:, None] + end
        + scores = start.log_softmax(dim=0)[:, None] + end.log_softmax(dim=0)
        """,
    "only_the_best_allowed_ends": """
        Only the n best beginnings in the paragraph meet the n best ends there, and of their pairs
        few may be legal. Compare all legal pairs.

        - legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        + first, last = torch.zeros(L, dtype=torch.bool), torch.zeros(L, dtype=torch.bool)
        + first[start.masked_fill(~allowed, -math.inf).topk(min(n, L)).indices] = True
        + last[end.masked_fill(~allowed, -math.inf).topk(min(n, L)).indices] = True
        + legal_spans &= first[:, None] & last
        """,
}

FURTHER = """
start[:, None] + end is (L, L): a row for each beginning, a column for each end. The length of each span
is column - row + 1. Fill what is illegal with minus infinity, flatten, topk; position p of the flat table
is row p // L and column p % L. There are no more results than legal spans.
"""

RIGHT = {
    "loops": """
        def best_spans(start, end, allowed, n, longest):
            found = []
            for i in range(len(start)):
                for j in range(i, min(len(end), i + longest)):
                    if allowed[i] and allowed[j]:
                        found.append(((start[i] + end[j]).item(), i, j))
            return sorted(found, reverse=True)[:n]
        """,
    "triangle": """
        def best_spans(start, end, allowed, n, longest):
            table = start.unsqueeze(1) + end.unsqueeze(0)
            keep = torch.ones_like(table, dtype=torch.bool).triu().tril(longest - 1)
            keep = keep & allowed.unsqueeze(0) & allowed.unsqueeze(1)
            rows, columns = keep.nonzero(as_tuple=True)
            values = table[rows, columns]
            order = values.argsort(descending=True)[:n]
            return list(zip(values[order].tolist(), rows[order].tolist(), columns[order].tolist()))
        """,
}

EQUIVALENT = {
    "More digits than needed.": """
         ) -> list[tuple[float, int, int]]:
        +    start = start.double()
             L = len(start)

         ) -> list[tuple[float, int, int]]:
        +    end = end.double()
             L = len(start)
        """,
    "Start and end have the same length.": """
        -    L = len(start)
        +    L = len(end)
        """,
    "A single position gives a single sum, whatever its shape.": """
        -    scores = start[:, None] + end
        +    scores = (start[:, None] + end).squeeze()

        -    length = torch.arange(L) - torch.arange(L)[:, None] + 1
        +    length = (torch.arange(L) - torch.arange(L)[:, None] + 1).squeeze()

        -    legal_spans = (length >= 1) & (length <= longest) & allowed[:, None] & allowed
        +    legal_spans = ((length >= 1) & (length <= longest) & allowed[:, None] & allowed).squeeze()

        -    scores = scores.masked_fill(~legal_spans, -math.inf)
        +    scores = scores.masked_fill(~legal_spans, -math.inf).squeeze()
        """,
    "No more spans are taken than are legal, and none of these has a score as low.": """
        -    scores = scores.masked_fill(~legal_spans, -math.inf)
        +    scores = scores.masked_fill(~legal_spans, -1e9)
        """,
    "The sums are a new tensor, changed by nobody else.": """
        -    scores = scores.masked_fill(~legal_spans, -math.inf)
        +    scores = scores.masked_fill_(~legal_spans, -math.inf)
        """,
    "The sums are one behind the other in both.": """
        -    values, where = scores.flatten().topk(min(n, int(legal_spans.sum())))
        +    values, where = scores.view(scores.flatten().shape).topk(min(n, int(legal_spans.sum())))
        """,
    "A tensor of one whole number is as good as the number.": """
        -    values, where = scores.flatten().topk(min(n, int(legal_spans.sum())))
        +    values, where = scores.flatten().topk(min(n, legal_spans.sum()))
        """,
}
