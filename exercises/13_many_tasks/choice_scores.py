"""choice_scores: one score per option, questions with fewer options, and what training changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, normal, number

POINTS = {"values": 2, "fewer": 1, "rows": 1}

#: A score from a table by token, the segments and the length; NaN for a row of padding, as attention
#: over nothing is. Like an encoder, it needs whole numbers as ids and segments, and a mask of bool.
_MODEL = """lambda ids, segments, mask: (
    torch.where(mask, torch.tensor({table})[ids] * torch.tensor([1.0, 2.0])[segments], 0.0)
    .sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True))"""
#: The same as a tensor that can be called, so that a case can ask for the gradient of its table.
_TRAINED = """torch.tensor({table}).as_subclass(type("Model", (torch.Tensor,), {{
    "__call__": lambda self, ids, segments, mask: (
        torch.where(mask, self.as_subclass(torch.Tensor)[ids] * (1.0 + segments), 0.0)
        .sum(dim=1, keepdim=True))}}))"""
#: The same, plus the number of rows that it was given.
_COUNTS = _MODEL + " + 10 * len(ids)"
#: Refuses rows of padding and anything that is not (N, L).
_STRICT = """lambda ids, segments, mask: [][ids] if ids.dim() != 2 or not mask.any(dim=1).all() else (
    (torch.tensor({table})[ids] * (1 + segments) * mask).sum(dim=1, keepdim=True))"""


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, sizes: list[int], title: str, model: str = _MODEL, **more: Any) -> Case:
        K, L, n = max(sizes), number(rng, 4, 6), 9
        lengths = torch.from_numpy(rng.integers(2, L + 1, size=(len(sizes), K)))
        lengths[0, 0] = 2
        real = torch.arange(K) < torch.tensor(sizes)[:, None]
        mask = (torch.arange(L) < lengths[:, :, None]) & real[:, :, None]
        ids = draw_ids(rng, n, *mask.shape, low=1) * mask
        ids[:, :, 1] = 0  # which may be the id of a real piece, too
        segments = ((torch.arange(L) >= 1) & mask).long()
        if more.pop("all_0", False):
            ids, segments = 0 * ids, 0 * segments
        if more.pop("in_front", False):
            ids, segments, mask = ids.flip(2), segments.flip(2), mask.flip(2)
        table = [round(x, 2) for x in normal(rng, n).tolist()]
        source = codec.Source(" ".join(model.format(table=table).split()))
        return Case(group, [source, ids, segments, mask], title=title, **more)

    k = number(rng, 3, 5)
    yield case("values", [3], "one question")
    yield case("values", [k, k, k], "several questions")
    yield case("values", [1, 1], "a single option each")
    yield case("values", [k, 2], "padding in front of the pieces", in_front=True)
    yield case("values", [2, k], "what training changes", _TRAINED, gradient="all")
    yield case("fewer", [k, 2], "fewer options")
    yield case("fewer", [1, k, 3], "a single option beside several")
    yield case("fewer", [2, k, 0], "a question without options")
    yield case("fewer", [k, 1], "the mask alone says what is real", all_0=True)
    yield case("rows", [k, k - 1], "called once, with the options", _COUNTS)
    yield case("rows", [2, k], "no row of padding goes in", _STRICT)


WRONG = {
    "padding_scored": """
        Rows of padding go through the model. Give it the rows that are options only.

        - scores = torch.full(real.shape, -math.inf)
        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        - return scores
        + flat = model(ids.flatten(0, 1), segments.flatten(0, 1), mask.flatten(0, 1))
        + return flat.view(real.shape)
        """,
    "padding_scored_and_hidden": """
        Rows of padding go through the model, and are hidden afterwards. They must not go in: attention
        over nothing is NaN, and its gradient, too.

        - scores = torch.full(real.shape, -math.inf)
        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        - return scores
        + flat = model(ids.flatten(0, 1), segments.flatten(0, 1), mask.flatten(0, 1))
        + return flat.view(real.shape).masked_fill(~real, -math.inf)
        """,
    "padded_options_missing": """
        An option that is followed by padding counts as missing. It is there if any of its pieces is
        real.

        - real = mask.any(dim=-1)
        + real = mask.all(dim=-1)
        """,
    "first_piece_decides": """
        Whether there is an option is read off its first piece, where padding may stand. It is there if
        any of its pieces is real.

        - real = mask.any(dim=-1)
        + real = mask[:, :, 0]
        """,
    "zero_for_missing": """
        Options that there are not have the score 0, which may be the largest. It should be minus
        infinity.

        - scores = torch.full(real.shape, -math.inf)
        + scores = torch.zeros(real.shape)
        """,
    "probabilities": """
        These are probabilities. Scores are wanted; the loss has its own softmax.

        - return scores
        + return scores.softmax(dim=-1)
        """,
    "options_mixed": """
        The scores are not where they belong: those of a question stand in one row.

        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        - return scores
        + scores[real] = model(ids[real], segments[real], mask[real])[:, 0].flip(0)
        + return scores
        """,
    "question_by_question": """
        The model is called once for each question. One call with all options is wanted.

        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        + for b in range(len(ids)):
        +     if real[b].any():
        +         part = real[b]
        +         scores[b, part] = model(ids[b, part], segments[b, part], mask[b, part])[:, 0]
        """,
    "segments_forgotten": """
        The model does not get the segments of the options.

        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        + scores[real] = model(ids[real], torch.zeros_like(segments[real]), mask[real])[:, 0]
        """,
    "place_by_place": """
        The model is called several times, for the first options of all questions, then for the
        second ones, and so on. One call with all options is wanted.

        - scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        + for k in range(ids.shape[1]):
        +     rows = real[:, k]
        +     if rows.any():
        +         scores[rows, k] = model(ids[rows, k], segments[rows, k], mask[rows, k])[:, 0]
        """,
    "large_negative_for_missing": """
        Options that there are not have a large negative score. It should be minus infinity, which
        no score of the model can reach.

        - scores = torch.full(real.shape, -math.inf)
        + scores = torch.full(real.shape, -1e4)
        """,
}

FURTHER = """
An option is a row with any True in its mask: real = mask.any(dim=-1), (B, K). ids[real] is (N, L), all
options of all questions in order, and assigning to scores[real] puts N numbers back into their places.
"""

RIGHT = {
    "scatter": """
        def choice_scores(model, ids, segments, mask):
            B, K, L = ids.shape
            rows = mask.reshape(B * K, L).any(dim=1).nonzero()[:, 0]
            found = model(
                ids.reshape(B * K, L)[rows], segments.reshape(B * K, L)[rows], mask.reshape(B * K, L)[rows]
            )
            empty = torch.full((B * K,), float("-inf"))
            return empty.index_put((rows,), found.squeeze(1)).reshape(B, K)
        """,
    "masked_scatter": """
        def choice_scores(model, ids, segments, mask):
            real = mask.sum(dim=2) > 0
            flat = model(ids[real], segments[real], mask[real]).flatten()
            return torch.full(real.shape, -torch.inf).masked_scatter(real, flat)
        """,
}

EQUIVALENT = {
    "A single score may be assigned without an axis.": """
        -    scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        +    scores[real] = model(ids[real], segments[real], mask[real])[:, 0].squeeze()
        """,
    "The model gives one score for each row.": """
        -    scores[real] = model(ids[real], segments[real], mask[real])[:, 0]
        +    scores[real] = model(ids[real], segments[real], mask[real])[:, -1]
        """,
    "A batch without a single option has nothing to train.": """
        -    return scores
        +    return scores if mask.any() else scores.detach()
        """,
}
