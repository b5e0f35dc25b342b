"""window_mask: who is in whose window; several snippets, borders between sentences, padding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 2, "sentences": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def snippets(B: int, T: int) -> list[torch.Tensor]:
        """Reaches from 0 to 3, and sentences with a border in the middle that is in reach."""
        reach = torch.from_numpy(rng.integers(1, 4, size=(B, T)))
        reach[0, 1], reach[:, T // 2] = 0, 3
        starts = rng.random((B, T)) < 0.3
        starts[:, T // 2 - 1 : T // 2 + 2] = [False, True, False]
        return [reach, torch.from_numpy(np.cumsum(starts, axis=1) + int(rng.integers(1, 50)))]

    for T, number in ((5, 0), (int(rng.integers(6, 9)), int(rng.integers(1, 50)))):
        reach, _ = snippets(1, T)
        title = f"all words are of sentence {number}"
        yield Case("values", [reach, torch.full_like(reach, number)], title=title)
    reach = torch.tensor([[1, 3, 1, 3, 1, 1]]).roll(int(rng.integers(2)), dims=1)
    yield Case("values", [reach, torch.ones_like(reach)], title="reaches that alternate")
    reach = torch.tensor([[3], [3], [3], [1]])
    yield Case("values", [reach, torch.zeros_like(reach)], title="snippets of one word")
    yield Case("sentences", snippets(2, 6), title="two snippets")
    yield Case("sentences", snippets(3, 5), title="three snippets")
    reach, sentence = snippets(2, 4)
    title = "a very long text: float32 cannot tell these sentence numbers apart"
    yield Case("sentences", [reach, sentence - sentence.min() + 2**24], title=title)
    reach, sentence = snippets(2, 6)
    sentence[1, 4:] = -1
    yield Case("sentences", [reach, sentence], title="padding at the end of a snippet")
    reach, sentence = snippets(1, 5)
    yield Case("sentences", [reach, torch.full_like(sentence, -1)], title="nothing but padding")


WRONG = {
    "reach_of_the_context": """
        The reach of the context word decides. It should be the reach of the center, position i.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance <= reach[:, None, :])
        """,
    "reach_not_reshaped": """
        Broadcasting lines up the reaches with context words, not with centers. Add a dimension.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance <= reach)
        """,
    "with_the_diagonal": """
        The diagonal is True: each position is in its own window. The distance must be above 0.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = distance <= reach[:, :, None]
        """,
    "less_than_the_reach": """
        A word exactly as far away as the reach is missing. It belongs to the window.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance < reach[:, :, None])
        """,
    "only_left_neighbors": """
        Only words to the left are marked: to the right the distance is negative. Ignore its sign.

        - distance = (position[:, None] - position).abs()
        + distance = position[:, None] - position
        """,
    "across_sentences": """
        Words of different sentences count as neighbors. Compare the sentence numbers as well.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return near & (sentence[:, :, None] >= 0) & (sentence[:, None, :] >= 0)
        """,
    "padding_is_a_sentence": """
        Padding positions count as neighbors, since -1 equals -1. They should form no pairs.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return near & (sentence[:, :, None] == sentence[:, None, :])
        """,
    "only_right_neighbors": """
        Only words to the right are marked: to the left the distance is negative. Ignore its sign.

        - distance = (position[:, None] - position).abs()
        + distance = position - position[:, None]
        """,
    "negative_distances_are_near": """
        All words on one side are marked, however far away: a negative distance is below every
        reach. Ignore its sign.

        - distance = (position[:, None] - position).abs()
        - near = (distance > 0) & (distance <= reach[:, :, None])
        + distance = position[:, None] - position
        + near = (distance != 0) & (distance <= reach[:, :, None])
        """,
    "smaller_of_both_reaches": """
        A word is marked only if it lies within both reaches. The reach of the center alone decides.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + both = torch.minimum(reach[:, :, None], reach[:, None, :])
        + near = (distance > 0) & (distance <= both)
        """,
    "larger_of_both_reaches": """
        A word is marked if it lies within either reach. The reach of the center alone decides.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + either = torch.maximum(reach[:, :, None], reach[:, None, :])
        + near = (distance > 0) & (distance <= either)
        """,
    "only_distances": """
        Only the distance decides. Words of different sentences are no neighbors, and padding has none at
        all: compare the sentence numbers as well.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return near
        """,
    "sentence_zero_is_padding": """
        Sentence 0 counts as padding. It is a sentence like any other; only -1 stands for padding.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] > 0)
        """,
    "negative_distances_on_the_left": """
        All words on the left are marked, however far away: their distance is negative, and so below every
        reach. Ignore its sign.

        - distance = (position[:, None] - position).abs()
        - near = (distance > 0) & (distance <= reach[:, :, None])
        + distance = position - position[:, None]
        + near = (distance != 0) & (distance <= reach[:, :, None])
        """,
}

FURTHER = """
With `position = torch.arange(T)`, `position[:, None] - position` has the shape (T, T). To compare it
with the reach of the center, give the reach the shape (B, T, 1). Four conditions, joined by `&`: near
enough, not the same position, equal sentence numbers, no padding.
"""

RIGHT = {
    "loop": """
        def window_mask(reach, sentence):
            B, T = reach.shape
            mask = torch.zeros(B, T, T, dtype=torch.bool)
            for b in range(B):
                for i in range(T):
                    for j in range(T):
                        near = 0 < abs(i - j) <= reach[b, i]
                        mask[b, i, j] = near and -1 != sentence[b, i] == sentence[b, j]
            return mask
        """,
    "two_sides": """
        def window_mask(reach, sentence):
            position = torch.arange(reach.shape[1])
            first, last = (position - reach)[..., None], (position + reach)[..., None]
            mask = (position >= first) & (position <= last)
            mask &= torch.eq(sentence.unsqueeze(2), sentence.unsqueeze(1))
            mask.diagonal(dim1=1, dim2=2).fill_(False)
            return mask.masked_fill((sentence == -1).unsqueeze(2), False)
        """,
}

EQUIVALENT = {
    "Floats hold every reach.": """
         def window_mask(reach: torch.Tensor, sentence: torch.Tensor) -> torch.Tensor:
        +    reach = reach.float()
             position = torch.arange(reach.shape[1])
        """,
    "`reach` and `sentence` have one shape, (B, T).": """
        -    position = torch.arange(reach.shape[1])
        +    position = torch.arange(sentence.shape[1])
        """,
    "A distance of shape () is broadcast, too.": """
        -    distance = (position[:, None] - position).abs()
        +    distance = (position[:, None] - position).abs().squeeze()
        """,
    "Distances are symmetric.": """
        -    distance = (position[:, None] - position).abs()
        +    distance = (position[:, None] - position).abs().mT
        """,
    "A distance is never negative.": """
        -    near = (distance > 0) & (distance <= reach[:, :, None])
        +    near = (distance != 0) & (distance <= reach[:, :, None])
        """,
}
