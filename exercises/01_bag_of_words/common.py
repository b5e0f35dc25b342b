"""What the cases of 01_bag_of_words share: words to draw from, bags, labels and weights."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_words, some_words

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


def bag_cases(rng: np.random.Generator) -> Iterator[Case]:
    """For `binary_bag` and `count_bag`, which take the same inputs."""
    for size, length in ((4, 5), (8, 9), (int(rng.integers(9, 14)), 12)):
        vocabulary = draw_vocabulary(rng, size)
        known = [*draw_words(rng, list(vocabulary), length), list(vocabulary)[1]]
        yield Case("values", [known, vocabulary], judge=EXACT)
    vocabulary = draw_vocabulary(rng, 6)
    word = list(vocabulary)[int(rng.integers(1, 6))]
    again = [word] * int(rng.integers(2, 5))
    yield Case("values", [again, vocabulary], title="the same word several times", judge=EXACT)
    inside = {"art": 0, "party": 1, "long": 2, "along": 3, "star": 4}
    text = [["party", "along"], ["party"], ["along", "party", "along"]][int(rng.integers(3))]
    title = "a word that is a substring of another word"
    yield Case("values", [text, inside], title=title, judge=EXACT)
    (single,) = some_words(rng, WORDS, 1)
    again = [single] * int(rng.integers(2, 4))
    yield Case("values", [again, {single: 0}], title="a vocabulary of one word", judge=EXACT)
    # From here on no known word occurs twice, and none is the first of the vocabulary.
    words = some_words(rng, PLAIN_WORDS, 12)
    vocabulary, absent = {word: index for index, word in enumerate(words[:6])}, words[6:]
    first, last, *between = rng.permutation(words[1:6])[: int(rng.integers(2, 5))]
    mixed = [first, *rng.permutation([*between, *absent[:3]]), last]
    for text in (mixed, rng.permutation([words[int(rng.integers(1, 6))], *absent[:2]])):
        given = [[str(word) for word in text], vocabulary]
        yield Case("unknown", given, title="some words are unknown", judge=EXACT)
    strange = draw_words(rng, absent, 4)
    yield Case("unknown", [strange, vocabulary], title="every word is unknown", judge=EXACT)
    yield Case("unknown", [[], vocabulary], title="an empty text", judge=EXACT)
