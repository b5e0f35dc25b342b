"""context_vectors: windows that end at the sentence, the word itself, padding, no context."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import padded

POINTS = {"values": 2, "padding": 1, "alone": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for window in (1, 2):
        X, mask = padded(rng, [6, 6], 3)
        positions = torch.tensor([number(rng, 2, 3), number(rng, 2, 3)])
        yield Case("values", [X, mask, positions, window])
    X, mask = padded(rng, [5, 5, 5], 2)
    positions = torch.tensor([0, 4, number(rng, 1, 3)])
    yield Case("values", [X, mask, positions, 2], title="the first and the last word")
    X, mask = padded(rng, [4, 4], 1)
    positions = torch.tensor([1, number(rng, 0, 3)])
    yield Case("values", [X, mask, positions, 9], title="a window wider than the sentence")
    X, mask = padded(rng, [5, 5], 2)
    X[0, 1] = X[1, 3] = 0.0
    title = "words whose vector is zero count, too"
    yield Case("values", [X, mask, torch.tensor([2, 2]), 2], title=title)
    X, mask = padded(rng, [number(rng, 5, 7)], 2)
    yield Case("values", [X, mask, torch.tensor([number(rng, 1, 3)]), 2], title="one sentence")
    X, mask = padded(rng, [number(rng, 3, 4), 6, 2], 3)
    yield Case("padding", [X, mask, torch.tensor([2, 5, 1]), 2], title="padding within the window")
    X, mask = padded(rng, [3, 7], 2, -7.0)
    yield Case("padding", [X, mask, torch.tensor([0, number(rng, 3, 5)]), 3])
    X, mask = padded(rng, [3, number(rng, 5, 6)], 2)
    inputs = [X.flip(1), mask.flip(1), torch.tensor([mask.shape[1] - 2, 2]), 2]
    yield Case("padding", inputs, title="padding in front of the words")
    X, mask = padded(rng, [1, number(rng, 3, 4)], 3)
    yield Case("alone", [X, mask, torch.tensor([0, 1]), 2], title="a word alone in its sentence")
    X, mask = padded(rng, [1, number(rng, 2, 3)], 2)
    inputs = [X, mask, torch.tensor([0, 0]), 1]
    yield Case("alone", inputs, title="a word alone beside a first word")
    X = normal(rng, 2, 2, 2)
    X[:, 1] = X[:, 0]
    mask = torch.tensor([[True, False], [True, True]])
    yield Case("alone", [X, mask, torch.tensor([0, 0]), 1], title="one word, and two equal words")


WRONG = {
    "zero_vectors_left_out": """
        A word whose vector is zero was left out. The mask says which words are real; that one is, and
        counts in the mean.

        - near = mask & (distance > 0) & (distance <= window)
        + near = mask & (distance > 0) & (distance <= window) & X.any(dim=-1)
        """,
    "word_included": """
        The word itself is in its own context. It is the same in all contexts: leave out the distance 0.

        - near = mask & (distance > 0) & (distance <= window)
        + near = mask & (distance <= window)
        """,
    "window_too_small": """
        The window ends one word too early: a word at the distance `window` still belongs to the context.

        - near = mask & (distance > 0) & (distance <= window)
        + near = mask & (distance > 0) & (distance < window)
        """,
    "right_side_one_short": """
        To the right the window ends one word too early, as a slice does that stops at position + window.
        The word at position + window still belongs to the context.

        - distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        - near = mask & (distance > 0) & (distance <= window)
        + ahead = torch.arange(X.shape[1]) - positions.unsqueeze(1)
        + near = mask & (ahead != 0) & (ahead >= -window) & (ahead < window)
        """,
    "left_side_one_short": """
        To the left the window begins one word too late. The word at position - window still belongs to
        the context.

        - distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        - near = mask & (distance > 0) & (distance <= window)
        + ahead = torch.arange(X.shape[1]) - positions.unsqueeze(1)
        + near = mask & (ahead != 0) & (ahead > -window) & (ahead <= window)
        """,
    "padding_counts": """
        Padding is averaged as if it were words. Only positions where the mask is True are context.

        - near = mask & (distance > 0) & (distance <= window)
        + near = (distance > 0) & (distance <= window)
        """,
    "padding_counts_below": """
        The vectors at padding are left out of the sum, but padding still counts in the number by
        which you divide. Divide by the number of real words in the window.

        - near = mask & (distance > 0) & (distance <= window)
        - total = X.masked_fill(~near.unsqueeze(-1), 0.0).sum(dim=1)
        + near = (distance > 0) & (distance <= window)
        + total = X.masked_fill(~(near & mask).unsqueeze(-1), 0.0).sum(dim=1)
        """,
    "divides_by_the_window": """
        The sum is divided by 2 * window, even where the sentence ends earlier. Divide by the number of
        words that are really there.

        - return total / near.sum(dim=1, keepdim=True).clamp(min=1)
        + return total / (2 * window)
        """,
    "only_to_the_left": """
        Only the words before the position are taken. The context is on both sides.

        - near = mask & (distance > 0) & (distance <= window)
        + behind = positions.unsqueeze(1) - torch.arange(X.shape[1])
        + near = mask & (behind > 0) & (behind <= window)
        """,
    "only_to_the_right": """
        Only the words after the position are taken. The context is on both sides.

        - near = mask & (distance > 0) & (distance <= window)
        + behind = positions.unsqueeze(1) - torch.arange(X.shape[1])
        + near = mask & (behind < 0) & (behind >= -window)
        """,
    "nan_alone": """
        A word alone in its sentence divides 0 by 0. It has no context: give it zeros.

        - return total / near.sum(dim=1, keepdim=True).clamp(min=1)
        + return total / near.sum(dim=1, keepdim=True)
        """,
    "stack_of_nothing": """
        A word alone in its sentence has no vectors around it, and nothing can be stacked of an empty
        list. Before you stack, ask whether there is any context; without one the result is zeros.

        raises RuntimeError

        def context_vectors(X, mask, positions, window):
            rows = []
            for b in range(len(X)):
                p = int(positions[b])
                around = []
                for i in range(max(0, p - window), min(X.shape[1], p + window + 1)):
                    if i != p and mask[b, i]:
                        around.append(X[b, i])
                rows.append(torch.stack(around).mean(dim=0))
            return torch.stack(rows)
        """,
    "divides_by_no_word": """
        A word alone in its sentence has no words around it, so the sum is divided by 0. Ask first whether
        there is any context; without one the result is zeros.

        raises ZeroDivisionError

        def context_vectors(X, mask, positions, window):
            rows = []
            for vectors, real, at in zip(X, mask, positions.tolist()):
                near = [i for i in range(len(real)) if real[i] and 0 < abs(i - at) <= window]
                rows.append(sum(vectors[i] for i in near) / len(near))
            return torch.stack(rows)
        """,
    "itself_if_alone": """
        A word alone in its sentence gets its own vector as its context. It has no context: give it zeros.

        - near = mask & (distance > 0) & (distance <= window)
        + near = mask & (distance <= window)
        + near = near & ((distance > 0) | (mask.sum(dim=1, keepdim=True) == 1))
        """,
    "negative_start": """
        A slice that begins below 0 counts from the end, so a word near the beginning loses the
        words before it. Begin at max(0, position - window).

        - near = mask & (distance > 0) & (distance <= window)
        + L, at = X.shape[1], positions.unsqueeze(1)
        + start = torch.where(at < window, at - window + L, at - window)
        + ahead = torch.arange(L) > at
        + near = mask & (distance > 0) & (distance <= window)
        + near = near & (ahead | (torch.arange(L) >= start))
        """,
    "sum": """
        This is the sum of the vectors around; the mean is wanted.

        - return total / near.sum(dim=1, keepdim=True).clamp(min=1)
        + return total
        """,
    "mean_of_two_means": """
        This is the mean of two means, one for each side, so that a side with fewer words weighs as
        much as the other. Take one mean over the words of both sides.

        - distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        - near = mask & (distance > 0) & (distance <= window)
        - total = X.masked_fill(~near.unsqueeze(-1), 0.0).sum(dim=1)
        - return total / near.sum(dim=1, keepdim=True).clamp(min=1)
        + ahead = torch.arange(X.shape[1]) - positions.unsqueeze(1)
        + total, n_sides = 0.0, 0
        + sides = (ahead < 0) & (ahead >= -window), (ahead > 0) & (ahead <= window)
        + for near in (mask & side for side in sides):
        +     side = X.masked_fill(~near.unsqueeze(-1), 0.0).sum(dim=1)
        +     total = total + side / near.sum(dim=1, keepdim=True).clamp(min=1)
        +     n_sides = n_sides + near.any(dim=1, keepdim=True).int()
        + return total / n_sides.clamp(min=1)
        """,
    "same_position": """
        All sentences are looked at in the same position, that of the first. Each has its own.

        - distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        + distance = (torch.arange(X.shape[1]) - positions[:1].unsqueeze(1)).abs().expand(mask.shape)
        """,
}

RIGHT = {
    "loop": """
        def context_vectors(X, mask, positions, window):
            rows = []
            for vectors, real, at in zip(X, mask, positions.tolist()):
                places = [
                    i
                    for i in range(max(0, at - window), min(len(real), at + window + 1))
                    if i != at and real[i]
                ]
                rows.append(vectors[places].mean(dim=0) if places else vectors[0] * 0)
            return torch.stack(rows)
        """,
    "weights": """
        def context_vectors(X, mask, positions, window):
            i = torch.arange(X.size(1))[None]
            p = positions[:, None]
            w = ((i >= p - window) & (i <= p + window) & (i != p) & mask).to(X.dtype)
            w = w / w.sum(1, keepdim=True).clamp(min=1)
            return torch.einsum("bl,bld->bd", w, X)
        """,
}

FURTHER = """
Make a table (B, L) of how far each position is from the one in question. A position is context if it
is real, not at the distance 0, and not farther than the window; the rest is a masked mean, as in 03.
"""

EQUIVALENT = {
    "No model is trained through it.": "every edit: detached, without gradient",
    "Positions are small whole numbers, which float32 holds exactly.": """
         ) -> torch.Tensor:
        +    positions = positions.float()
             distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        """,
    "One sentence broadcasts, and a text of one position has no context.": """
        -    distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs()  # (B, L)
        +    distance = (torch.arange(X.shape[1]) - positions.unsqueeze(1)).abs().squeeze()  # (B, L)
        """,
    "A distance is never below 0.": """
        -    near = mask & (distance > 0) & (distance <= window)
        +    near = mask & (distance != 0) & (distance <= window)
        """,
    "Each sentence has at least the word that is looked at.": """
        -    return total / near.sum(dim=1, keepdim=True).clamp(min=1)
        +    return (total / near.sum(dim=1, keepdim=True).clamp(min=1)) if mask.any() else (total / near.sum(dim=1, keepdim=True).clamp(min=1)).detach()
        """,
}
