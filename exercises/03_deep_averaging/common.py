"""Draws vectors, ids and masks, and holds the cases that the three poolings share."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, lengths_mask, normal

#: The id of <unk> in coursekit.text.Vocabulary.
UNKNOWN = 1


def draw_lengths(rng: np.random.Generator, n: int, longest: int) -> list[int]:
    """Lengths of n texts, of which one has `longest` words and one at least two fewer."""
    lengths = [longest, int(rng.integers(1, longest - 1)), *rng.integers(1, longest + 1, size=n)]
    return [int(length) for length in rng.permutation(lengths[:n])]


def draw_texts(rng: np.random.Generator, lengths: list[int], n_words: int) -> list[torch.Tensor]:
    """The ids of known words, 0 at padding, and the mask."""
    mask = lengths_mask(lengths)
    return [draw_ids(rng, n_words, *mask.shape, low=2) * mask, mask]


def draw_gaps(rng: np.random.Generator, n: int, n_words: int) -> list[torch.Tensor]:
    """The ids of n texts of known words, and a mask that leaves out some of them."""
    ids = draw_ids(rng, n_words, n, 5, low=2)
    mask = torch.from_numpy(rng.random((n, 5)) < 0.6)
    mask[:, 4], mask[:, int(rng.integers(4))] = True, False
    return [ids, mask]


def draw_vectors(rng: np.random.Generator, n: int, longest: int, k: int) -> list[torch.Tensor]:
    """X and mask; the vectors at padding are as large as those at words."""
    return [normal(rng, n, longest, k), lengths_mask(draw_lengths(rng, n, longest))]


def opposed(X: torch.Tensor) -> torch.Tensor:
    """X with the second word of opposite sign to the first: no component has a negative maximum."""
    X[:, 0, 0], X[:, 0, 1] = X[:, 0, 0].abs(), -X[:, 0, 1].abs()
    X[:, 1] = -1.5 * X[:, 0]
    return X


def pool_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", draw_vectors(rng, 2, 4, 2))
    yield Case("values", draw_vectors(rng, 3, 5, 3))
    yield Case("values", draw_vectors(rng, int(rng.integers(4, 6)), int(rng.integers(5, 8)), 2))
    n = int(rng.integers(3, 5))
    title = "as many texts as positions as components"
    yield Case("values", draw_vectors(rng, n, n, n), title=title)
    low = draw_vectors(rng, 3, 5, 2)
    low[0] = -low[0].abs() - 1.5
    yield Case("values", low, title="all numbers are negative")
    k = int(rng.integers(2, 4))
    holes = torch.tensor([[True, False, True, True, False], [False, True, False, False, True]])
    title = "words are missing in the middle"
    yield Case("values", [normal(rng, 2, 5, k), holes], title=title)
    X, mask = normal(rng, 2, 4, k), lengths_mask([4, 3])
    X[0, 1] = X[1, 0] = 0
    X[1, 1:] = -X[1, 1:].abs() - 0.1
    yield Case("values", [X, mask], title="a word whose vector is zero is a word")
    none = torch.zeros(1, 3, dtype=torch.bool)
    yield Case("edges", [normal(rng, 1, 3, k), none], title="a text without words")
    mixed = [opposed(normal(rng, 3, 4, k)), lengths_mask([4, 0, 2])]
    yield Case("edges", mixed, title="one of three texts has no words")
    yield Case("edges", [normal(rng, 1, 1, k), lengths_mask([1])], title="one text of one word")
    short = [normal(rng, 2, 1, 1), lengths_mask([1, 1])]
    yield Case("edges", short, title="two texts of one word, vectors of one number")
    gaps = [opposed(normal(rng, 2, k, 4).mT), lengths_mask([4, 2])]
    yield Case("edges", gaps, title="a tensor that is not contiguous in memory")


def gradient_case(rng: np.random.Generator, group: str) -> Case:
    X, mask = draw_vectors(rng, 2, int(rng.integers(3, 5)), 2)
    return Case(group, [X, mask], gradient="X", title="the gradient of X")


def quarters(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Multiples of 1/4 from -2 to 2 without 0: in half precision, too, their sums are exact."""
    return draw_ids(rng, 9, *shape, low=1) * (2 * draw_ids(rng, 2, *shape) - 1) / 4


def precision_cases(rng: np.random.Generator, large: float) -> Iterator[Case]:
    k = int(rng.integers(2, 4))
    brain = opposed(quarters(rng, 2, 4, k)).bfloat16()
    title = "half precision (bfloat16)"
    yield Case("precision", [brain, lengths_mask([4, 2])], title=title, judge=EXACT)
    half = ((normal(rng, 2, 5, k).abs() + 1) * large).clamp(max=60_000).half()
    title = "large numbers in half precision (float16)"
    yield Case("precision", [half, lengths_mask([5, 3])], title=title, judge=EXACT)
    empty = quarters(rng, 2, 3, k).half()
    title = "half precision (float16), one text without words"
    yield Case("precision", [empty, lengths_mask([3, 0])], title=title, judge=EXACT)
    title = "half precision (float16), no text with words"
    yield Case("precision", [empty.clone(), lengths_mask([0, 0], 3)], title=title, judge=EXACT)


def draw_letters(rng: np.random.Generator, n: int, letters: str = "abcdefghinorst") -> str:
    return "".join(rng.choice(list(letters), size=n))
