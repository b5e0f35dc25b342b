"""attend: the weighted sum of word vectors; also weights of 0, one word, half precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import draw_strided, draw_weights

POINTS = {"values": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length, dim in ((2, 3, 2), (3, int(rng.integers(4, 7)), 5)):
        yield Case("values", [draw_weights(rng, batch, length), normal(rng, batch, length, dim)])
    n = int(rng.integers(3, 5))
    inputs = [draw_weights(rng, n, n), normal(rng, n, n, n)]
    yield Case("values", inputs, title="B, L and d are equal")
    inputs = [draw_weights(rng, 2, 3), normal(rng, 2, 3, int(rng.integers(2, 5)))]
    yield Case("values", inputs, title="the gradients", gradient="all")
    a = draw_weights(rng, 3, 4)
    a[int(rng.integers(3))] = 0
    yield Case("edges", [a, normal(rng, 3, 4, 2)], title="all weights of one text are 0")
    inputs = [torch.ones(1, 1), normal(rng, 1, 1, 3)]
    yield Case("edges", inputs, title="one text of one word")
    inputs = [draw_weights(rng, 2, 4), draw_strided(rng, 2, 4, 3)]
    yield Case("edges", inputs, title="X is not contiguous in memory")
    half = [draw_weights(rng, 2, 3).half(), normal(rng, 2, 3, 4).half()]
    yield Case("edges", half, title="half precision", judge={**EXACT, "atol": 5e-3})


WRONG = {
    "takes_the_mean": """
        The sum is divided by the number of words, although the weights sum to 1 already.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a[..., None] * X).mean(dim=1)
        """,
    "weights_without_sum": """
        The vectors are weighted, but not added up to one vector of size d per text.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return a[..., None] * X
        """,
    "sums_each_vector": """
        The sum runs over the d components of each word. It should run over the words.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a[..., None] * X).sum(dim=-1)
        """,
    "weights_for_every_text": """
        The weights of every text meet the words of every text: `@` takes the B rows of a as one
        matrix, and the result is (B, B, d). Give each text a matrix of its own, (1, L).

        - return (a[:, None, :] @ X)[:, 0, :]
        + return a @ X
        """,
    "weights_of_the_first_text": """
        Every text gets the weights of the first one: `@` takes the B rows of a as one matrix, and
        you keep the first row of each result. Give each text a matrix of its own, (1, L).

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a @ X)[:, 0, :]
        """,
    "keeps_the_row": """
        Each text's sum is a matrix of one row: (B, 1, d). Drop the axis in the middle.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return a[:, None, :] @ X
        """,
    "multiplies_without_an_axis": """
        Broadcasting lines shapes up from the last axis, so the L weights of a, (B, L), meet the
        d components of X, (B, L, d); that fails, or fits by accident. Add an axis at the end of a.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a * X).sum(dim=1)
        """,
    "normalizes_again": """
        The weights are divided by their sum once more. Use them as they are: where all of them
        are 0, the division gives NaN.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return ((a / a.sum(dim=1, keepdim=True))[..., None] * X).sum(dim=1)
        """,
    "squeezes_vectors": """
        With a single text an axis is lost: `squeeze()` drops every axis of size 1. Name the axis
        you mean.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a[:, None, :] @ X).squeeze()
        """,
    "normalizes_with_a_softmax": """
        The weights go through a softmax again, which makes them more equal. They are weights already: use
        them as they are.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (torch.softmax(a, dim=1)[..., None] * X).sum(dim=1)
        """,
    "takes_the_word_with_most_attention": """
        Only the word with the most attention is returned. All words count, each with its weight.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return X[torch.arange(len(X)), a.argmax(dim=1)]
        """,
    "takes_the_largest_component": """
        The weighted vectors are pooled with their maximum. Attention adds them up.

        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a[..., None] * X).amax(dim=1)
        """,
}

RIGHT = {
    "einsum": """
        def attend(a, X):
            return torch.einsum("bl,bld->bd", a, X)
        """,
    "sum_of_products": """
        def attend(a, X):
            return (a.unsqueeze(-1) * X).sum(dim=1)
        """,
    "loop": """
        def attend(a, X):
            return torch.stack([weights @ words for weights, words in zip(a, X)])
        """,
}

EQUIVALENT = {
    "The axis has size 1.": """
        - return (a[:, None, :] @ X)[:, 0, :]
        + return (a[:, None, :] @ X)[:, -1, :]
        """,
}
