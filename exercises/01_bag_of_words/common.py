"""What the cases of 01_bag_of_words share: words to draw from, bags, labels and weights."""

import numpy as np
import torch

from ..draw import draw_words, some_words

# Some words are substrings of others (art, party; long, along): words count, not letters.
WORDS = (
    "a the this is it and with but film movie plot cast scene music ending art party star start"
    " long along great greater bad good dull fun just bit while awesome Great Bad ! , ."
).split()

# No word here is a substring of another, and all are lower case.
PLAIN_WORDS = "the this film movie plot scene music ending long great good bad dull fun".split()


def draw_texts(rng: np.random.Generator, n: int, words: list[str]) -> list[list[str]]:
    return [draw_words(rng, words, int(rng.integers(3, 9))) for _ in range(n)]


def draw_vocabulary(rng: np.random.Generator, n: int) -> dict[str, int]:
    return {word: index for index, word in enumerate(some_words(rng, WORDS, n))}


def draw_counts(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.poisson(0.7, size=shape).astype(np.float32))


def draw_generator(rng: np.random.Generator) -> torch.Generator:
    return torch.Generator().manual_seed(int(rng.integers(1000)))


def draw_labels(rng: np.random.Generator, n: int) -> torch.Tensor:
    """Both classes (with one text: the positive one), more of the positive one."""
    labels = (rng.random(n) < 0.6).astype(np.int64)
    labels[:2] = [1, 0][:n]
    return torch.from_numpy(rng.permutation(labels))
