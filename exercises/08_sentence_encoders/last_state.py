"""last_state: texts of several lengths, gaps in the mask, NaN at padding, and no tokens."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask, normal, number
from .common import draw_gaps, fill_padding

POINTS = {"values": 2, "padding": 2, "empty": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for lengths in ([2, 4], [number(rng, 1, 4), 5, number(rng, 1, 4)]):
        mask = lengths_mask(lengths)
        yield Case("values", [normal(rng, *mask.shape, 3), mask])
    mask = lengths_mask([number(rng, 2, 4)])
    yield Case("values", [normal(rng, *mask.shape, 2), mask], title="a batch of one text")
    yield Case("values", [normal(rng, 2, 1, 3), lengths_mask([1, 1])], title="texts of one token")
    mask = lengths_mask([number(rng, 1, 3), 4, 2])
    yield Case("values", [normal(rng, *mask.shape, 1), mask], title="states of one component")
    mask = lengths_mask([3, number(rng, 1, 2)])
    H = normal(rng, *mask.shape, 2).double()
    yield Case("values", [H, mask], judge=EXACT, title="double precision")
    yield Case("values", [normal(rng, *mask.shape, 2), mask], gradient="H")
    # the first of its group: a second call, with other input, has another mask then
    mask = draw_gaps(rng, 3, 6)
    yield Case("padding", [normal(rng, 3, 6, 2), mask], title="the mask has gaps")
    mask = lengths_mask([2, number(rng, 1, 3)], 5)
    title = "every text ends before the batch does"
    yield Case("padding", [normal(rng, 2, 5, 3), mask], title=title)
    mask = lengths_mask([4, 2, number(rng, 1, 3)])
    H = fill_padding(normal(rng, 3, 4, 2), mask, float("nan"))
    yield Case("padding", [H, mask], title="NaN at padding")
    mask = lengths_mask([0, number(rng, 2, 3)], 4)
    yield Case("empty", [normal(rng, 2, 4, 3), mask], title="one text has no tokens")
    length = number(rng, 1, 3)
    H, mask = normal(rng, 1, length, 3).double(), lengths_mask([0], length)
    title = "nothing but padding, in double precision"
    yield Case("empty", [H, mask], judge=EXACT, title=title)
    mask = lengths_mask([0, 2])
    H = fill_padding(normal(rng, 2, 2, 2), mask, float("nan"))
    yield Case("empty", [H, mask], title="no tokens, and NaN at padding")


WRONG = {
    "last_position": """
        This is the state at the last position of the batch, which for a short text is padding.
        Take the last position at which the mask is True.

        def last_state(H, mask):
            return H[:, -1]
        """,
    "first_position": """
        This is the state at the first token. It has read one token; the last one has read them all.

        def last_state(H, mask):
            return H[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        """,
    "one_before_the_last": """
        This is the state one position before the last token. Positions count from 0, but the last
        position at which the mask is True is already a position, not a number of tokens.

        - h = H[torch.arange(len(H), device=H.device), last]
        + h = H[torch.arange(len(H)), (last - 1).clamp(min=0)]
        """,
    "counted_from_the_end": """
        The position was found in the flipped mask, where it counts from the end. Turn it back:
        L - 1 minus that number.

        - last = (positions * mask).amax(dim=1)  # (B,)
        + last = mask.flip(1).int().argmax(dim=1)
        """,
    "position_after_the_last": """
        Positions count from 0, so the last of n tokens is at n - 1. You are one position too far.

        - last = (positions * mask).amax(dim=1)  # (B,)
        + last = (mask.sum(dim=1)).clamp(max=H.shape[1] - 1)
        """,
    "counts_tokens": """
        The number of tokens tells where the last one is only if there are no gaps. Find the last
        position at which the mask is True.

        - last = (positions * mask).amax(dim=1)  # (B,)
        + last = (mask.sum(dim=1) - 1).clamp(min=0)
        """,
    "empty_text_gets_a_state": """
        A text without tokens gets the state at some padding. It has read nothing: give it zeros.

        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return h
        """,
    "empty_text_gets_the_last_position": """
        A text without tokens gets the state at the last position, which is padding: argmax finds a
        position in any mask. Such a text has read nothing: give it zeros.

        - last = (positions * mask).amax(dim=1)  # (B,)
        - h = H[torch.arange(len(H), device=H.device), last]
        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + last = H.shape[1] - 1 - mask.flip(1).int().argmax(dim=1)
        + return H[torch.arange(len(H), device=H.device), last]
        """,
    "nan_from_padding": """
        NaN times 0 is NaN: what H contains at padding reaches your result. Pick the state by its
        index, or fill with masked_fill, instead of multiplying.

        - h = H[torch.arange(len(H), device=H.device), last]
        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + here = (positions == last[:, None]) & mask
        + return (H * here.unsqueeze(-1)).sum(dim=1)
        """,
    "nan_for_an_empty_text": """
        NaN times 0 is NaN: multiplying by 0 does not make zeros of the state of an empty text if
        there is NaN at its padding. Fill with masked_fill or torch.where instead.

        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return h * mask.any(dim=1, keepdim=True)
        """,
    "one_position_for_all": """
        All texts get the state at the same position, that of the longest text. Each text has a
        last token of its own.

        - last = (positions * mask).amax(dim=1)  # (B,)
        + last = (positions * mask).amax().expand(len(H))
        """,
    "sums_states": """
        This adds up the states of all tokens. Only the last one is asked for.

        def last_state(H, mask):
            return H.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1)
        """,
    "one_component": """
        gather takes as many components as its index has, here only the first one. Expand the index
        to all D components, or index with the numbers of the texts and the positions.

        - h = H[torch.arange(len(H), device=H.device), last]
        + h = H.gather(1, last[:, None, None])[:, 0]
        """,
    "positions_of_all_texts": """
        `H[:, last]` is (B, B, D): every text at the last positions of all texts. Index the first
        axis, too, with the number of each text.

        - h = H[torch.arange(len(H), device=H.device), last]
        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return H[:, last].masked_fill(~mask.any(dim=1)[:, None, None], 0.0)
        """,
}

RIGHT = {
    "loop": """
        def last_state(H, mask):
            found = []
            for states, real in zip(H, mask):
                rows = states[real]
                found.append(rows[-1] if len(rows) else torch.zeros_like(states[0]))
            return torch.stack(found)
        """,
    "gather": """
        def last_state(H, mask):
            last = mask.shape[1] - 1 - mask.flip(1).int().argmax(dim=1)
            index = last[:, None, None].expand(-1, 1, H.shape[2])
            h = H.gather(1, index)[:, 0]
            return torch.where(mask.any(dim=1, keepdim=True), h, 0.0)
        """,
    "cumulative_count": """
        def last_state(H, mask):
            n = mask.long().cumsum(dim=1)
            last = mask & (n == n[:, -1:])
            return H.masked_fill(~last.unsqueeze(-1), 0.0).sum(dim=1)
        """,
}

EQUIVALENT = {
    "1 and 0 count like True and False.": """
         def last_state(H: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +    mask = mask.long()
             positions = torch.arange(H.shape[1], device=H.device)
        """,
    "Only an axis of size 1 is dropped, and the next operation adds it again.": """
        -    positions = torch.arange(H.shape[1], device=H.device)
        +    positions = torch.arange(H.shape[1], device=H.device).squeeze()

        -    last = (positions * mask).amax(dim=1)  # (B,)
        +    last = (positions * mask).amax(dim=1).squeeze()  # (B,)
        """,
    "A batch without any token has nothing to learn from.": "every edit: constant corner",
}
