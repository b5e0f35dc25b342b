"""mask_pieces, BERT's masking: dice are inputs, strictly between the limits except in one case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.bert.common import EXACT, draw_ids, draw_number

POINTS = {"values": 3, "edges": 1}


def _between(rng: np.random.Generator, low: float, high: float, size: Any = None) -> Any:
    """Numbers with four decimals, above `low` and below `high`."""
    return rng.integers(round(1e4 * low) + 1, round(1e4 * high), size) / 1e4


def _draw(
    rng: np.random.Generator, n_texts: int, length: int, share: float
) -> dict[str, torch.Tensor]:
    """Half of the ordinary tokens are chosen, and each of the three kinds comes up."""
    special = np.zeros((n_texts, length), dtype=bool)
    special[:, 0] = True
    special[:, -1] = True
    special[1::2, -2:] = True
    dice = _between(rng, 0, share, special.shape)
    kind_dice = _between(rng, 0, 1, special.shape)
    dice[:, -1] = kind_dice[:, -1] = 0
    ordinary = rng.permutation(np.argwhere(~special)).tolist()
    # The first text has an ordinary token, and it is chosen, where the second has a special one.
    ordinary.sort(key=lambda at: at != [0, length - 2])
    low = 0.0 if share == 0.15 else 0.2  # above the default, so that another share shows
    for i, at in enumerate(map(tuple, ordinary)):
        if i < max(3, len(ordinary) // 2):
            dice[at] = _between(rng, low, share)
            kind_dice[at] = _between(rng, *((0, 0.8), (0.8, 0.9), (0.9, 1))[i % 3])
        else:
            dice[at] = _between(rng, share, 1)
            if i % 2:  # of the kind that would be substituted
                kind_dice[at] = _between(rng, 0.8, 0.9)
    found = {"special": special, "dice": dice, "kind_dice": kind_dice}
    return {name: torch.from_numpy(array) for name, array in found.items()}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, n_texts: int, length: int, share: float = 0.15, title: str = "", **given: Any
    ) -> Case:
        ids, substitutes = (draw_ids(rng, 10, 99, n_texts, length) for _ in range(2))
        ids[:, -1] = substitutes[:, -1] = 0  # [PAD], in most vocabularies
        inputs = {"ids": ids} | _draw(rng, n_texts, length, share) | given
        ids, special, dice, kind_dice = inputs.values()
        args = [ids, special, draw_number(rng, 1, 9), dice, kind_dice, substitutes]
        kwargs = {} if share == 0.15 else {"share": share}
        return Case(group, args, kwargs, title, judge={**EXACT, "keeps_generators": True})

    length = draw_number(rng, 8, 10)
    yield case("values", 2, length)
    yield case("values", 3, length - 1)
    yield case("values", 1, length, title="a batch of one")
    yield case("values", 2, length, draw_number(rng, 5, 8) / 16, title="another share")
    kinds = rng.permutation([0.79999, 0.8, 0.89999, 0.9])
    at_limits = {
        "special": torch.zeros(1, 8, dtype=torch.bool),
        "dice": torch.tensor([[0.24999, 0.25] * 4], dtype=torch.float64),
        "kind_dice": torch.from_numpy(kinds.repeat(2)[None]),
    }
    title = "dice at a limit or just below it"
    yield case("edges", 1, 8, 0.25, title, **at_limits)
    high = torch.from_numpy(_between(rng, 0.5, 1, (1, length)))
    yield case("edges", 1, length, title="no token is chosen", dice=high)
    all_special = torch.ones(1, length, dtype=torch.bool)
    yield case("edges", 1, length, title="nothing but special tokens", special=all_special)
    short = {
        "special": torch.zeros(3, 1, dtype=torch.bool),
        "dice": torch.from_numpy(_between(rng, 0, 0.15, (3, 1))),
        "kind_dice": torch.tensor([[0.5], [0.85], [0.95]]),
    }
    yield case("edges", 3, 1, title="texts of one piece", **short)
    gaps = draw_ids(rng, 10, 99, 8, 2).mT
    yield case("edges", 2, 8, title="a tensor that is not contiguous", ids=gaps)


WRONG = {
    "chooses_special_tokens": """
        Special tokens are chosen as well. [CLS], [SEP] and [PAD] are not words of the text, so
        there is nothing to predict: exclude them.

        - chosen = (dice < share) & ~special
        + chosen = dice < share
        """,
    "chooses_only_special_tokens": """
        Only special tokens are chosen. `special` is True at the positions that must never be
        chosen: invert it.

        - chosen = (dice < share) & ~special
        + chosen = (dice < share) & special
        """,
    "chooses_above_the_share": """
        The tokens whose die is above `share` are chosen: 85 percent of the text instead of 15.
        Choose those below.

        - chosen = (dice < share) & ~special
        + chosen = (dice > share) & ~special
        """,
    "chooses_at_the_share": """
        A token whose die equals `share` is chosen. Only dice strictly below it count.

        - chosen = (dice < share) & ~special
        + chosen = (dice <= share) & ~special
        """,
    "draws_its_own_dice": """
        The function draws random numbers of its own. Use the dice that are passed in, so that
        the same call always masks the same tokens.

        - chosen = (dice < share) & ~special
        + chosen = (torch.rand(ids.shape) < share) & ~special
        """,
    "labels_everywhere": """
        Every position is labeled with its token. Only the chosen tokens are predicted; all other
        labels must be -100, which the loss ignores.

        - labels = torch.where(chosen, ids, -100)
        + labels = ids.clone()
        """,
    "labels_others_zero": """
        Positions that were not chosen have the label 0. That is the id of a token, [PAD], and
        the model would learn to predict it; the loss ignores only -100.

        - labels = torch.where(chosen, ids, -100)
        + labels = torch.where(chosen, ids, 0)
        """,
    "labels_the_masked_inputs": """
        The labels show what the model reads, [MASK] for example. They should show the original
        tokens.

        - labels = torch.where(chosen, ids, -100)
        ...
        - return torch.where(swapped, substitutes, inputs), labels
        + inputs = torch.where(swapped, substitutes, inputs)
        + labels = torch.where(chosen, inputs, -100)
        + return inputs, labels
        """,
    "labels_only_masks": """
        Only positions with [MASK] have a label. Chosen tokens that are substituted or kept must
        be predicted too; otherwise the model could trust every token it sees.

        - labels = torch.where(chosen, ids, -100)
        + labels = torch.where(chosen & (kind_dice < 0.8), ids, -100)
        """,
    "masks_all_chosen": """
        Every chosen token becomes [MASK]. One in ten should be substituted and one in ten kept;
        `kind_dice` says which.

        - inputs = torch.where(chosen & (kind_dice < 0.8), mask_id, ids)
        - swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
        - return torch.where(swapped, substitutes, inputs), labels
        + return torch.where(chosen, mask_id, ids), labels
        """,
    "keeps_no_token": """
        No chosen token is kept: from 0.8 on, all of them are substituted. From 0.9 on the token
        stays as it is.

        - swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
        + swapped = chosen & (kind_dice >= 0.8)
        """,
    "substitutes_unchosen_tokens": """
        Tokens that were not chosen are substituted as well. `kind_dice` only decides what
        happens to a chosen token.

        - swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
        + swapped = (kind_dice >= 0.8) & (kind_dice < 0.9)
        """,
    "changes_ids_in_place": """
        The ids are overwritten in place. They are needed again in the next epoch, with other
        dice: work on a copy.

        - inputs = torch.where(chosen & (kind_dice < 0.8), mask_id, ids)
        + inputs = ids
        + inputs[chosen & (kind_dice < 0.8)] = mask_id
        """,
}

RIGHT = {
    "token_by_token": """
        def mask_pieces(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
            inputs, labels = ids.tolist(), [[-100] * ids.shape[1] for _ in ids]
            for row in range(ids.shape[0]):
                for at in range(ids.shape[1]):
                    if special[row, at] or dice[row, at] >= share:
                        continue
                    labels[row][at] = int(ids[row, at])
                    if kind_dice[row, at] < 0.8:
                        inputs[row][at] = mask_id
                    elif kind_dice[row, at] < 0.9:
                        inputs[row][at] = int(substitutes[row, at])
            return torch.tensor(inputs), torch.tensor(labels)
        """,
    "by_filling": """
        def mask_pieces(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
            left = special | (dice >= share)
            labels = ids.masked_fill(left, -100)
            inputs = torch.where(kind_dice < 0.9, substitutes, ids)
            inputs = inputs.masked_fill(kind_dice < 0.8, mask_id)
            return ids * left + inputs * ~left, labels
        """,
}

EQUIVALENT = {
    "single precision tells dice and limits apart": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    dice = dice.float()
             chosen = (dice < share) & ~special

         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    kind_dice = kind_dice.float()
             chosen = (dice < share) & ~special
        """,
    "double precision keeps every number": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    dice = dice.double()
             chosen = (dice < share) & ~special

         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    kind_dice = kind_dice.double()
             chosen = (dice < share) & ~special
        """,
    "at 0.8, [MASK] is replaced by the substitute in the next step": """
        -    inputs = torch.where(chosen & (kind_dice < 0.8), mask_id, ids)
        +    inputs = torch.where(chosen & (kind_dice <= 0.8), mask_id, ids)
        """,
}
