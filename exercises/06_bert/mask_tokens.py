"""mask_tokens, BERT's masking: draws are inputs, strictly between the limits in all cases but one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, number

POINTS = {"values": 3, "edges": 1}


def _between(rng: np.random.Generator, low: float, high: float, size: Any = None) -> Any:
    """Numbers with four decimals, above `low` and below `high`."""
    return rng.integers(round(1e4 * low) + 1, round(1e4 * high), size) / 1e4


def _draw(
    rng: np.random.Generator, n_texts: int, length: int, probability: float
) -> dict[str, torch.Tensor]:
    """Half of the ordinary tokens are selected, and each of the three kinds comes up."""
    special = np.zeros((n_texts, length), dtype=bool)
    special[:, 0] = True
    special[:, -1] = True
    special[1::2, -2:] = True
    select_draws = _between(rng, 0, probability, special.shape)
    replace_draws = _between(rng, 0, 1, special.shape)
    select_draws[:, -1] = replace_draws[:, -1] = 0
    ordinary = rng.permutation(np.argwhere(~special)).tolist()
    # The first text has an ordinary token, and it is selected, where the second has a special one.
    ordinary.sort(key=lambda at: at != [0, length - 2])
    low = (
        0.0 if probability == 0.15 else 0.2
    )  # above the default, so that another probability shows
    for i, at in enumerate(map(tuple, ordinary)):
        if i < max(3, len(ordinary) // 2):
            select_draws[at] = _between(rng, low, probability)
            replace_draws[at] = _between(rng, *((0, 0.8), (0.8, 0.9), (0.9, 1))[i % 3])
        else:
            select_draws[at] = _between(rng, probability, 1)
            if i % 2:  # of the kind that would be replaced
                replace_draws[at] = _between(rng, 0.8, 0.9)
    found = {"special": special, "select_draws": select_draws, "replace_draws": replace_draws}
    return {name: torch.from_numpy(array) for name, array in found.items()}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        n_texts: int,
        length: int,
        probability: float = 0.15,
        title: str = "",
        **given: Any,
    ) -> Case:
        ids, random_ids = (draw_ids(rng, 100, n_texts, length, low=10) for _ in range(2))
        ids[:, -1] = random_ids[:, -1] = 0  # [PAD], in most vocabularies
        inputs = {"ids": ids} | _draw(rng, n_texts, length, probability) | given
        ids, special, select_draws, replace_draws = inputs.values()
        args = [ids, special, number(rng, 1, 9), select_draws, replace_draws, random_ids]
        kwargs = {} if probability == 0.15 else {"probability": probability}
        return Case(group, args, kwargs, title, judge={**EXACT, "keeps_generators": True})

    length = number(rng, 8, 10)
    yield case("values", 2, length)
    yield case("values", 3, length - 1)
    yield case("values", 1, length, title="a batch of one")
    yield case("values", 2, length, number(rng, 5, 8) / 16, title="another probability")
    zeros = torch.zeros(1, length, dtype=torch.long)
    yield case(
        "values", 1, length, title="all tokens have the id 0, which is a label, too", ids=zeros
    )
    kinds = rng.permutation([0.79999, 0.8, 0.89999, 0.9])
    at_limits = {
        "special": torch.zeros(1, 8, dtype=torch.bool),
        "select_draws": torch.tensor([[0.24999, 0.25] * 4], dtype=torch.float64),
        "replace_draws": torch.from_numpy(kinds.repeat(2)[None]),
    }
    title = "draws at a limit or just below it"
    yield case("edges", 1, 8, 0.25, title, **at_limits)
    high = torch.from_numpy(_between(rng, 0.5, 1, (1, length)))
    yield case("edges", 1, length, title="no token is selected", select_draws=high)
    all_special = torch.ones(1, length, dtype=torch.bool)
    yield case("edges", 1, length, title="nothing but special tokens", special=all_special)
    short = {
        "special": torch.zeros(3, 1, dtype=torch.bool),
        "select_draws": torch.from_numpy(_between(rng, 0, 0.15, (3, 1))),
        "replace_draws": torch.tensor([[0.5], [0.85], [0.95]]),
    }
    yield case("edges", 3, 1, title="texts of one token", **short)
    gaps = draw_ids(rng, 100, 8, 2, low=10).mT
    yield case("edges", 2, 8, title="a tensor that is not contiguous", ids=gaps)


WRONG = {
    "selects_special_tokens": """
        Special tokens are selected as well. [CLS], [SEP] and [PAD] are not words of the text, so
        there is nothing to predict: exclude them.

        - selected = (select_draws < probability) & ~special
        + selected = select_draws < probability
        """,
    "labels_special_tokens": """
        Special tokens stay as they are, but they have labels. They are never selected, so there is
        nothing to predict: leave them out of the labels, too.

        - labels = torch.where(selected, ids, -100)
        + labels = torch.where(select_draws < probability, ids, -100)
        """,
    "selects_only_special_tokens": """
        Only special tokens are selected. `special` is True at the positions that must never be
        selected: invert it.

        - selected = (select_draws < probability) & ~special
        + selected = (select_draws < probability) & special
        """,
    "selects_above_the_probability": """
        The tokens whose draw is above `probability` are selected: 85 percent of the text instead of
        15. Select those below.

        - selected = (select_draws < probability) & ~special
        + selected = (select_draws > probability) & ~special
        """,
    "selects_at_the_probability": """
        A token whose draw equals `probability` is selected. Only draws strictly below it count.

        - selected = (select_draws < probability) & ~special
        + selected = (select_draws <= probability) & ~special
        """,
    "always_selects_15_percent": """
        The argument `probability` is not used: 0.15 is only its default.

        - selected = (select_draws < probability) & ~special
        + selected = (select_draws < 0.15) & ~special
        """,
    "draws_its_own_numbers": """
        The function draws random numbers of its own. Use `select_draws`, which is passed in, so that
        the same call always masks the same tokens.

        - selected = (select_draws < probability) & ~special
        + selected = (torch.rand(ids.shape) < probability) & ~special
        """,
    "labels_everywhere": """
        Every position is labeled with its token. Only the selected tokens are predicted; all other
        labels must be -100, which the loss ignores.

        - labels = torch.where(selected, ids, -100)
        + labels = ids.clone()
        """,
    "labels_others_zero": """
        Positions that were not selected have the label 0. That is the id of a token, [PAD], and
        the model would learn to predict it; the loss ignores only -100.

        - labels = torch.where(selected, ids, -100)
        + labels = torch.where(selected, ids, 0)
        """,
    "labels_the_masked_inputs": """
        The labels show what the model reads, [MASK] for example. They should show the original
        tokens.

        - labels = torch.where(selected, ids, -100)
        ...
        - return torch.where(replaced, random_ids, inputs), labels
        + inputs = torch.where(replaced, random_ids, inputs)
        + labels = torch.where(selected, inputs, -100)
        + return inputs, labels
        """,
    "labels_only_masks": """
        Only positions with [MASK] have a label. Chosen tokens that are replaced or kept must
        be predicted too; otherwise the model could trust every token it sees.

        - labels = torch.where(selected, ids, -100)
        + labels = torch.where(selected & (replace_draws < 0.8), ids, -100)
        """,
    "labels_only_changed": """
        Selected tokens that stay as they are have no label. They must be predicted, too: all
        selected positions have a label, whatever happens to their token.

        - labels = torch.where(selected, ids, -100)
        + labels = torch.where(selected & (replace_draws < 0.9), ids, -100)
        """,
    "masks_all_chosen": """
        Every selected token becomes [MASK]. One in ten should be replaced and one in ten kept;
        `replace_draws` says which.

        - inputs = torch.where(selected & (replace_draws < 0.8), mask_id, ids)
        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        - return torch.where(replaced, random_ids, inputs), labels
        + return torch.where(selected, mask_id, ids), labels
        """,
    "keeps_no_token": """
        No selected token is kept: from 0.8 on, all of them are replaced. From 0.9 on the token
        stays as it is.

        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        + replaced = selected & (replace_draws >= 0.8)
        """,
    "replaces_unselected_tokens": """
        Tokens that were not selected are replaced as well. `replace_draws` only decides what
        happens to a selected token.

        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        + replaced = (replace_draws >= 0.8) & (replace_draws < 0.9)
        """,
    "changes_ids_in_place": """
        The ids are overwritten in place. They are needed again in the next epoch, with other
        draws: work on a copy.

        - inputs = torch.where(selected & (replace_draws < 0.8), mask_id, ids)
        + inputs = ids
        + inputs[selected & (replace_draws < 0.8)] = mask_id
        """,
    "labels_from_masked_ids": """
        The ids are changed in place, before the labels are read from them. Make the labels first, and
        leave `ids` as they are.

        - labels = torch.where(selected, ids, -100)
        - inputs = torch.where(selected & (replace_draws < 0.8), mask_id, ids)
        + inputs = ids
        + inputs[selected & (replace_draws < 0.8)] = mask_id
        ...
        - return torch.where(replaced, random_ids, inputs), labels
        + inputs[replaced] = random_ids[replaced]
        + return inputs, torch.where(selected, inputs, -100)
        """,
    "labels_where_the_input_changed": """
        The labels are where the input differs from the original. A selected token that stays, or is
        replaced by itself, has to be predicted as well: label what was selected.

        - labels = torch.where(selected, ids, -100)
        ...
        - return torch.where(replaced, random_ids, inputs), labels
        + inputs = torch.where(replaced, random_ids, inputs)
        + return inputs, torch.where(inputs != ids, ids, -100)
        """,
    "replaces_below_a_tenth": """
        Random tokens come where `replace_draws` is below 0.1, among those that were to be [MASK]. The
        ten percent follow the eighty: from 0.8 up to below 0.9.

        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        + replaced = selected & (replace_draws < 0.1)
        """,
    "keeps_before_it_replaces": """
        The last two kinds are exchanged: from 0.8 up to below 0.9 a selected token is replaced by a
        random one, and from 0.9 on it stays.

        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        + replaced = selected & (replace_draws >= 0.9)
        """,
    "replaces_the_masks": """
        Random tokens come wherever `replace_draws` is below 0.9, so they overwrite every [MASK].
        Below 0.8 it is [MASK]; only from 0.8 up to below 0.9 comes a random token.

        - replaced = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
        + replaced = selected & (replace_draws < 0.9)
        """,
}

FURTHER = """
Make one boolean tensor, `selected`, and derive all else from it: the labels with one
`torch.where`, the inputs with two, the second of which starts from the result of the first.
"""

RIGHT = {
    "token_by_token": """
        def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
            inputs, labels = ids.tolist(), [[-100] * ids.shape[1] for _ in ids]
            for row in range(ids.shape[0]):
                for at in range(ids.shape[1]):
                    if special[row, at] or select_draws[row, at] >= probability:
                        continue
                    labels[row][at] = int(ids[row, at])
                    if replace_draws[row, at] < 0.8:
                        inputs[row][at] = mask_id
                    elif replace_draws[row, at] < 0.9:
                        inputs[row][at] = int(random_ids[row, at])
            return torch.tensor(inputs), torch.tensor(labels)
        """,
    "by_filling": """
        def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
            left = special | (select_draws >= probability)
            labels = ids.masked_fill(left, -100)
            inputs = torch.where(replace_draws < 0.9, random_ids, ids)
            inputs = inputs.masked_fill(replace_draws < 0.8, mask_id)
            return ids * left + inputs * ~left, labels
        """,
}

EQUIVALENT = {
    "single precision tells draws and limits apart": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    select_draws = select_draws.float()
             selected = (select_draws < probability) & ~special

         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    replace_draws = replace_draws.float()
             selected = (select_draws < probability) & ~special
        """,
    "double precision keeps every number": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    select_draws = select_draws.double()
             selected = (select_draws < probability) & ~special

         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    replace_draws = replace_draws.double()
             selected = (select_draws < probability) & ~special
        """,
    "at 0.8, [MASK] is overwritten by the random token in the next step": """
        -    inputs = torch.where(selected & (replace_draws < 0.8), mask_id, ids)
        +    inputs = torch.where(selected & (replace_draws <= 0.8), mask_id, ids)
        """,
}
