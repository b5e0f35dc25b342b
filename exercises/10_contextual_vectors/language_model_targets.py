"""language_model_targets: both directions, the edges, padding whose id is a word, one word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, lengths_mask, number

POINTS = {"values": 2, "edges": 1, "padding": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for length in (4, number(rng, 5, 8)):
        ids = draw_ids(rng, 50, 2, length, low=1)
        yield Case("values", [ids, torch.ones_like(ids, dtype=torch.bool)], judge=EXACT)
    ids = draw_ids(rng, 50, 1, number(rng, 3, 6))
    ids[0, 1] = 0
    yield Case("values", [ids, torch.ones_like(ids, dtype=torch.bool)], title="ids from 0 on")
    ids = draw_ids(rng, 99, 3, 2, low=1)
    title = "two words: one target in each direction"
    yield Case("edges", [ids, torch.ones_like(ids, dtype=torch.bool)], title=title)
    ids = draw_ids(rng, 99, 1, 3, low=1)
    mask = lengths_mask([1], 3)
    ids[:, 1:] = 0
    yield Case("edges", [ids, mask], title="one word: no target")
    ids = draw_ids(rng, 99, 2, number(rng, 1, 3), low=1)
    yield Case("edges", [ids, torch.zeros_like(ids, dtype=torch.bool)], title="no words")
    mask = lengths_mask([2, 5, number(rng, 3, 4)])
    ids = draw_ids(rng, 50, 3, 5, low=1).masked_fill(~mask, 0)
    yield Case("padding", [ids, mask])
    mask = lengths_mask([3, 6])
    ids = draw_ids(rng, 50, 2, 6, low=1)
    ids[:, 1] = 7
    title = "the id of the padding is also that of a word"
    yield Case("padding", [ids.masked_fill(~mask, 7), mask], title=title)
    mask = lengths_mask([number(rng, 2, 4), 0], 5)
    yield Case("padding", [draw_ids(rng, 50, 2, 5), mask], title="one text has no words")


WRONG = {
    "rolled": """
        roll wraps around: the last position is asked for the first word, which the state has read. At
        the edges there is nothing to predict: -100.

        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + ahead = ids.roll(-1, dims=1).masked_fill(~mask, -100)
        + behind = ids.roll(1, dims=1).masked_fill(~mask, -100)
        """,
    "predicts_padding": """
        The last word is asked for the padding behind it. A target needs a real word there.

        - both = mask[:, 1:] & mask[:, :-1]
        + both = mask[:, :-1]
        """,
    "last_word_predicts_padding": """
        The last word is asked for the padding behind it. A target needs a real word there, not only at the
        position that predicts.

        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        + ahead = F.pad(ids[:, 1:].masked_fill(~mask[:, :-1], -100), (0, 1), value=-100)
        """,
    "without_mask": """
        The mask is not used: padding is predicted, and predicts. A target needs a real word at both
        positions.

        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + ahead = F.pad(ids[:, 1:], (0, 1), value=-100)
        + behind = F.pad(ids[:, :-1], (1, 0), value=-100)
        """,
    "id_zero_is_padding": """
        Padding is recognized by the id 0, but a real word may have that id, and padding another. Go by the
        mask.

        - both = mask[:, 1:] & mask[:, :-1]
        + both = (ids[:, 1:] != 0) & (ids[:, :-1] != 0)
        """,
    "id_zero_is_no_target": """
        Whatever has the id 0 is taken for padding and is no target, but a real word may have that id, and
        padding another. Ask the mask, not the ids.

        - both = mask[:, 1:] & mask[:, :-1]
        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + hidden = ids.masked_fill(ids == 0, -100)
        + ahead = F.pad(hidden[:, 1:], (0, 1), value=-100)
        + behind = F.pad(hidden[:, :-1], (1, 0), value=-100).masked_fill(ids == 0, -100)
        """,
    "id_zero_and_padding_predicts": """
        The mask is not used: a word with the id 0 is no target here, and padding behind the last word is
        asked for it. A target needs the mask to be True at both positions.

        - both = mask[:, 1:] & mask[:, :-1]
        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + hidden = ids.masked_fill(ids == 0, -100)
        + ahead = F.pad(hidden[:, 1:], (0, 1), value=-100)
        + behind = F.pad(hidden[:, :-1], (1, 0), value=-100)
        """,
    "padding_predicts": """
        Padding is asked to predict the last word, from behind. A target needs a real word at the position
        that predicts, too.

        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + behind = F.pad(ids[:, :-1].masked_fill(~mask[:, :-1], -100), (1, 0), value=-100)
        """,
    "the_word_itself": """
        Each state is asked for the word at its own position, which it has just read. Shift the targets.

        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + ahead = behind = ids.masked_fill(~mask, -100)
        """,
    "exchanged": """
        The two are exchanged. The forward states predict what comes *after*, the backward ones what comes
        before; the other way around each is asked for what it has read.

        - return ahead, behind
        + return behind, ahead
        """,
    "by_the_id": """
        Padding is recognized by its id, but a real word may have the same id. Go by the mask.

        - both = mask[:, 1:] & mask[:, :-1]
        + real = mask & (ids != ids[:, -1:].amin())
        + both = real[:, 1:] & real[:, :-1]
        """,
    "zero_for_nothing": """
        Where nothing is to be predicted this gives 0, which is a word. F.cross_entropy ignores -100.

        - ahead = F.pad(ids[:, 1:].masked_fill(~both, -100), (0, 1), value=-100)
        - behind = F.pad(ids[:, :-1].masked_fill(~both, -100), (1, 0), value=-100)
        + ahead = F.pad(ids[:, 1:].masked_fill(~both, 0), (0, 1), value=0)
        + behind = F.pad(ids[:, :-1].masked_fill(~both, 0), (1, 0), value=0)
        """,
    "changes_ids": """
        This writes into the ids that it was given; whoever calls needs them unchanged. Work on a copy.

        - return ahead, behind
        + ids[~mask] = -100
        + return ahead, behind
        """,
}

RIGHT = {
    "loop": """
        def language_model_targets(ids, mask):
            ahead, behind = torch.full_like(ids, -100), torch.full_like(ids, -100)
            for b, n in enumerate(mask.sum(dim=1).tolist()):
                for t in range(n - 1):
                    ahead[b, t] = ids[b, t + 1]
                    behind[b, t + 1] = ids[b, t]
            return ahead, behind
        """,
    "where": """
        def language_model_targets(ids, mask):
            nothing = torch.full_like(ids[:, :1], -100)
            words = torch.where(mask, ids, -100)
            ahead = torch.cat([words[:, 1:], nothing], dim=1)
            behind = torch.where(mask, torch.cat([nothing, words[:, :-1]], dim=1), -100)
            return ahead, behind
        """,
}

FURTHER = """
Write the ids without the first position and without the last one below each other: in each column there
are a word and its successor. Where both are real, each is the target of the other.
"""

EQUIVALENT = {
    "Real words come before the padding.": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
             both = mask[:, 1:] & mask[:, :-1]

        -    both = mask[:, 1:] & mask[:, :-1]
        +    both = mask[:, 1:]

        -    both = mask[:, 1:] & mask[:, :-1]
        +    both = mask[:, 1:] & mask[:, :1]
        """,
}
