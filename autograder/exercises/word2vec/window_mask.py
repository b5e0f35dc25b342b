"""window_mask: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 2, "sentences": 2}


def _snippets(rng: np.random.Generator, B: int, T: int) -> list[torch.Tensor]:
    """Reaches from 0 to 3, and sentences of 2 to 4 words."""
    reach = torch.from_numpy(rng.integers(1, 4, size=(B, T)))
    reach[0, 1] = 0
    starts = rng.random((B, T)) < 0.3
    starts[:, T // 2] = True  # a border in the middle, with words of both sides in reach
    starts[:, [T // 2 - 1, T // 2 + 1]] = False
    reach[:, T // 2] = 3
    return [reach, torch.from_numpy(np.cumsum(starts, axis=1) + int(rng.integers(1, 50)))]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for T in (5, int(rng.integers(6, 9))):
        reach, sentence = _snippets(rng, 1, T)
        title = "all words of one sentence"
        one = torch.full_like(sentence, int(sentence[0, 0]))
        yield Case("values", [reach, one], title=title)
    reach = torch.tensor([[1, 3, 1, 3, 1, 1]]).roll(int(rng.integers(2)), dims=1)
    yield Case("values", [reach, torch.ones_like(reach)], title="reaches that alternate")
    yield Case(
        "values",
        [reach.new_tensor([[3, 3, 3, 1]]).mT, reach.new_zeros(4, 1)],
        title="snippets of one word",
    )
    yield Case("sentences", _snippets(rng, 2, 6), title="two snippets")
    yield Case("sentences", _snippets(rng, 3, 5), title="three snippets")
    reach, sentence = _snippets(rng, 2, 6)
    sentence[1, 4:] = -1
    yield Case("sentences", [reach, sentence], title="padding at the end of a snippet")
    reach, sentence = _snippets(rng, 1, 5)
    yield Case("sentences", [reach, torch.full_like(sentence, -1)], title="nothing but padding")


WRONG = {
    "reach_of_the_context": """
        The reach of the context word decides. It is the center, place i, whose window is asked
        for.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance <= reach[:, None, :])
        """,
    "with_the_diagonal": """
        The diagonal is True: each place is in its own window. The distance must be above 0.

        - distance = (place[:, None] - place).abs()
        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (place[:, None] - place).abs() <= reach[:, :, None]
        """,
    "across_sentences": """
        Words of different sentences are neighbors in yours. Compare the sentence numbers of the
        two places as well.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + near = (sentence[:, :, None] >= 0) & (sentence[:, None, :] >= 0)
        + return (distance > 0) & (distance <= reach[:, :, None]) & near
        """,
    "less_than_the_reach": """
        A word exactly as far away as the center reaches belongs to the window: at most, not
        less than.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance < reach[:, :, None])
        """,
    "padding_is_a_sentence": """
        Places of padding are neighbors of each other: -1 equals -1. No word is there, so no
        pair either.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return near & (sentence[:, :, None] == sentence[:, None, :])
        """,
    "only_right_neighbors": """
        Only context words to the right of the center are marked: without the absolute value a
        distance to the left is negative.

        - distance = (place[:, None] - place).abs()
        + distance = place - place[:, None]
        """,
    "only_left_neighbors": """
        Only context words to the left of the center are marked: without the absolute value a
        distance to the right is negative.

        - distance = (place[:, None] - place).abs()
        + distance = place[:, None] - place
        """,
    "distance_with_the_other_sign": """
        All right neighbors are marked, however far away: the distance to them is negative
        without the absolute value, so it is below every reach.

        - distance = (place[:, None] - place).abs()
        - near = (distance > 0) & (distance <= reach[:, :, None])
        + distance = place[:, None] - place
        + near = (distance != 0) & (distance <= reach[:, :, None])
        """,
    "reach_not_reshaped": """
        The distances have the shape (T, T), the reaches (B, T). Compared as they are, the
        reaches stand above the context words, and with several snippets the shapes do not fit
        at all. Give the reaches one dimension more, so that each stands at the row of its
        center.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance <= reach)
        """,
    "distance_with_a_sign": """
        All left neighbors are marked, however far away: the distance to them is negative
        without the absolute value, so it is below every reach.

        - distance = (place[:, None] - place).abs()
        - near = (distance > 0) & (distance <= reach[:, :, None])
        + distance = place - place[:, None]
        + near = (distance != 0) & (distance <= reach[:, :, None])
        """,
    "reach_of_the_first_snippet": """
        The reach of the first snippet is used for all of them: every snippet has reaches of its
        own.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + near = (distance > 0) & (distance <= reach[0][:, None])
        """,
    "either_reaches": """
        A pair is marked as soon as one of the two words reaches the other. Only the reach of
        the center, place i, counts.

        - near = (distance > 0) & (distance <= reach[:, :, None])
        + far = torch.maximum(reach[:, :, None], reach[:, None, :])
        + near = (distance > 0) & (distance <= far)
        """,
    "mask_of_numbers": """
        A mask holds True and False; yours holds numbers. Leave the result of the comparisons as
        it is.

        - return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + real = (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
        + return (near & real).float()
        """,
}

RIGHT = {
    "window_mask_loop": """
        def window_mask(reach, sentence):
            B, T = reach.shape
            mask = torch.zeros(B, T, T, dtype=torch.bool)
            for b in range(B):
                for i in range(T):
                    for j in range(T):
                        near = i != j and abs(i - j) <= reach[b, i]
                        same = sentence[b, i] == sentence[b, j] and sentence[b, i] != -1
                        mask[b, i, j] = bool(near and same)
            return mask
        """,
    "window_mask_two_sides": """
        def window_mask(reach, sentence):
            place = torch.arange(reach.shape[1])
            first, last = (place - reach)[..., None], (place + reach)[..., None]
            mask = (place >= first) & (place <= last)
            mask = mask & ~torch.eye(reach.shape[1], dtype=torch.bool)
            mask = mask & torch.eq(sentence.unsqueeze(2), sentence.unsqueeze(1))
            return mask.masked_fill((sentence == -1).unsqueeze(2), False)
        """,
}
