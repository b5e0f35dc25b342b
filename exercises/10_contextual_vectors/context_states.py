"""context_states: before and after, the edges, padding after the last word, NaN at padding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number

POINTS = {"values": 2, "padding": 2, "one word": 1}


def states(
    rng: np.random.Generator, lengths: list[int], dim: int, value: float = 5.0
) -> list[torch.Tensor]:
    """Forward and backward states with a number at padding, and their mask."""
    mask = lengths_mask(lengths)
    padding = ~mask.unsqueeze(-1)
    both = [normal(rng, *mask.shape, dim).masked_fill(padding, value) for _ in range(2)]
    return [*both, mask]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", states(rng, [4], 1))
    yield Case("values", states(rng, [number(rng, 3, 5)] * 2, 3))
    yield Case("values", states(rng, [3, 4], 2, 0.0), gradient="all", title="the gradients")
    yield Case("padding", states(rng, [number(rng, 2, 3), 5, 4], 2))
    yield Case("padding", states(rng, [2, 5], 2, float("nan")), title="NaN at padding")
    yield Case("padding", states(rng, [5, number(rng, 2, 3)], 1, float("inf")))
    yield Case("one word", states(rng, [1, number(rng, 2, 4)], 2), title="one word beside others")
    yield Case("one word", states(rng, [1], 2), title="one word alone")
    ahead, behind, mask = states(rng, [2, number(rng, 3, 4)], 2)
    mask[0] = False
    yield Case("one word", [ahead, behind, mask], title="a text without words")
    ahead, behind, mask = states(rng, [2, 2], 3)
    yield Case("one word", [ahead, behind, mask], title="two words")


WRONG = {
    "states_at_the_word": """
        These are the states *at* the word, which have read it: the answer leaks into the question. Take
        the forward state one position before, and the backward state one position after.

        - before = F.pad(ahead[:, :-1], (0, 0, 1, 0))
        - after = F.pad(behind[:, 1:], (0, 0, 0, 1))
        + before, after = ahead, behind
        """,
    "wrong_way": """
        The shifts go the wrong way: the forward state after the word has read it, and the word before it
        tells the backward state. Forward: one before; backward: one after.

        - before = F.pad(ahead[:, :-1], (0, 0, 1, 0))
        - after = F.pad(behind[:, 1:], (0, 0, 0, 1))
        + before = F.pad(ahead[:, 1:], (0, 0, 0, 1))
        + after = F.pad(behind[:, :-1], (0, 0, 1, 0))
        """,
    "only_forward_shifted": """
        Only the forward states are shifted. The backward state at the word has read the word, too.

        - after = F.pad(behind[:, 1:], (0, 0, 0, 1))
        + after = behind
        """,
    "only_backward_shifted": """
        Only the backward states are shifted. The forward state at the word has read the word, too.

        - before = F.pad(ahead[:, :-1], (0, 0, 1, 0))
        + before = ahead
        """,
    "rolled": """
        roll wraps around: the first word gets the state of the last position, and the last word that of
        the first. Where nothing is before or after there are zeros.

        - before = F.pad(ahead[:, :-1], (0, 0, 1, 0))
        - after = F.pad(behind[:, 1:], (0, 0, 0, 1))
        + before, after = ahead.roll(1, dims=1), behind.roll(-1, dims=1)
        """,
    "padding_after_the_last_word": """
        The last real word of a short text gets the state at the padding behind it. Nothing follows it:
        zeros.

        - behind = behind.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "states_at_padding": """
        At padding there are states: the last word's forward state, one position on. Give padding zeros.

        - return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return torch.cat([before, after], dim=-1)
        """,
    "after_first": """
        The halves are exchanged: first the forward state before, then the backward state after.

        - return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return torch.cat([after, before], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "nan_from_padding": """
        NaN times 0 is NaN: what is at padding reaches the result. Fill with masked_fill instead of
        multiplying.

        - ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        - behind = behind.masked_fill(~mask.unsqueeze(-1), 0.0)
        + ahead, behind = ahead * mask.unsqueeze(-1), behind * mask.unsqueeze(-1)
        """,
    "multiplies_twice": """
        NaN times 0 is NaN, both before the shift and after it: it reaches the last word and stays at
        padding. Fill with masked_fill instead of multiplying.

        - ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        - behind = behind.masked_fill(~mask.unsqueeze(-1), 0.0)
        + ahead, behind = ahead * mask.unsqueeze(-1), behind * mask.unsqueeze(-1)
        ...
        - return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return torch.cat([before, after], dim=-1) * mask.unsqueeze(-1)
        """,
    "only_the_result_is_multiplied": """
        The mask is multiplied in after the shift. By then the state at the padding has reached the last
        word, and NaN at padding stays: NaN times 0 is NaN. Fill the padding before you shift, with
        masked_fill.

        - ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        - behind = behind.masked_fill(~mask.unsqueeze(-1), 0.0)
        ...
        - return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return torch.cat([before, after], dim=-1) * mask.unsqueeze(-1)
        """,
}

RIGHT = {
    "loop": """
        def context_states(ahead, behind, mask):
            B, L, D = ahead.shape
            out = torch.zeros(B, L, 2 * D, dtype=ahead.dtype)
            for b in range(B):
                n = int(mask[b].sum())
                for t in range(n):
                    if t > 0:
                        out[b, t, :D] = ahead[b, t - 1]
                    if t + 1 < n:
                        out[b, t, D:] = behind[b, t + 1]
            return out
        """,
    "zeros_and_slices": """
        def context_states(ahead, behind, mask):
            m = mask[:, :, None]
            nothing = torch.zeros_like(ahead[:, :1])
            before = torch.cat([nothing, ahead[:, :-1]], dim=1)
            after = torch.cat([torch.where(m, behind, 0)[:, 1:], nothing], dim=1)
            return torch.where(m, torch.cat([before, after], dim=2), 0)
        """,
}

FURTHER = """
`F.pad(ahead[:, :-1], (0, 0, 1, 0))` moves all states one position to the right and puts zeros in front.
What is moved to the left brings padding along: fill it with zeros before you move it.
"""

EQUIVALENT = {
    "Real words come before the padding.": """
         ) -> torch.Tensor:
        +    mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
             ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "Only real words stand before a real word, and the result is filled in the end.": """
        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)

        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        +    ahead = ahead

        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        +    ahead = ahead.masked_fill(~mask.unsqueeze(-1), -1e9)

        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        +    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 1)

        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        +    ahead = ahead.masked_fill(~mask.unsqueeze(-1), -1)

        -    ahead = ahead.masked_fill(~mask.unsqueeze(-1), 0.0)
        +    ahead = ahead.masked_fill(~mask.unsqueeze(-1), float('-inf'))
        """,
    "A batch without any word has nothing to learn from.": """
        -    return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0)
        +    return torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0) if mask.any() else torch.cat([before, after], dim=-1).masked_fill(~mask.unsqueeze(-1), 0.0).detach()
        """,
}
