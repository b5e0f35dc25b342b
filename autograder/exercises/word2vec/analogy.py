"""analogy: questions whose answer other readings miss; inputs that are nearest, too few words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch.nn.functional import normalize

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import WORDS, apart, some_words, until, vectors

POINTS = {"values": 2, "edges": 1}


def _scores(V: torch.Tensor, a: float = 1.0, b: float = -1.0, c: float = 1.0) -> torch.Tensor:
    """The scores of all words, where the first three are a, b and c and have these signs."""
    E = normalize(V, dim=1)
    return E @ (a * E[0] + b * E[1] + c * E[2])


def _best(scores: torch.Tensor) -> int:
    return int(scores[3:].argmax())


def _signs_matter(V: torch.Tensor) -> bool:
    others = _best(_scores(V, b=1.0, c=-1.0)), _best(_scores(V, a=-1.0, b=1.0))
    return apart(_scores(V)) and _best(_scores(V)) not in others


def _lengths_and_signs_matter(V: torch.Tensor) -> bool:
    E, raw = normalize(V, dim=1), V[0] - V[1] + V[2]
    others = _best(E @ raw), _best(V @ raw), _best(V @ (E[0] - E[1] + E[2]))
    positive = bool(_scores(V)[3:].max() > 0.05)
    return positive and _signs_matter(V) and _best(_scores(V)) not in others


def _inputs_are_nearest(V: torch.Tensor) -> bool:
    """Whether a and then c are nearer than the answer, as with king and queen."""
    scores = _scores(V)
    nearest = scores.argsort(descending=True)[:2].tolist()
    return nearest == [0, 2] and apart(scores) and bool(scores[3:].max() > 0.05)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int, good: Callable) -> tuple[list[str], torch.Tensor]:
        return some_words(rng, n), until(lambda: vectors(rng, n, K), good)

    def unit(V: torch.Tensor) -> torch.Tensor:
        """Vectors of length 1 up to rounding, so that lengths decide nothing."""
        return normalize(V.double(), dim=1).round(decimals=3).float()

    for n, K in ((8, 2), (9, 3), (int(rng.integers(10, 13)), 3)):
        words, V = draw(n, K, _lengths_and_signs_matter)
        yield Case("values", [*words[:3], words, V])
    for n in (5, 6):
        (words, V), order = draw(n, 4, _inputs_are_nearest), rng.permutation(n).tolist()
        title = "one of the three is itself nearest"
        yield Case("values", [*words[:3], [words[i] for i in order], V[order]], title=title)
    words, V = draw(6, 3, _inputs_are_nearest)
    abc = words[:3]
    abc[rng.choice([0, 2])] = next(word for word in WORDS if word not in words)
    yield Case("edges", [*abc, words, V], title="one of the three words is unknown")
    yield Case("edges", [*words[:3], words[:3], V[:3]], title="there is no other word")
    words, V = draw(5, 3, lambda V: _signs_matter(V) and bool(_scores(V)[3:].max() < -0.1))
    title = "all other words have a cosine below 0"
    yield Case("edges", [*words[:3], words, unit(V)], title=title)
    words, V = some_words(rng, 6), unit(draw(5, 3, _inputs_are_nearest)[1])
    V = torch.cat([V[:4], torch.zeros(1, 3), V[4:]])
    yield Case("edges", [*words[:3], words, V], title="one of the vectors is zero")


WRONG = {
    "answers_with_an_input": """
        The answer is one of the three words. They are often the nearest ones; exclude them.

        - similarity[places] = -torch.inf
        """,
    "excluded_with_zero": """
        A cosine of 0 still wins when all others are negative. Use a value below every cosine.

        - similarity[places] = -torch.inf
        + similarity[places] = 0
        """,
    "index_of_the_shorter_list": """
        An index into the list without the three words is not an index into `words`.

        - similarity[places] = -torch.inf
        - return words[similarity.argmax()]
        + others = [i for i in range(len(words)) if i not in places]
        + return words[similarity[others].argmax()]
        """,
    "subtracts_the_third": """
        This is a + b - c. Subtract the second word and add the third.

        - similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
        + similarity = unit @ (unit[places[0]] + unit[places[1]] - unit[places[2]])
        """,
    "first_minus_second": """
        This is b - a + c. Add the first word and subtract the second.

        - similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
        + similarity = unit @ (unit[places[1]] - unit[places[0]] + unit[places[2]])
        """,
    "adds_raw_vectors": """
        The vectors are added as they are, so the longest decides. Normalize them to length 1 first.

        - similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
        + similarity = unit @ (V[places[0]] - V[places[1]] + V[places[2]])
        """,
    "stops_at_an_unknown_word": """
        A word without a vector stops the function. Return None if one of the three is unknown.

        raises ValueError

        - places = [words.index(word) for word in (a, b, c) if word in words]
        + places = [words.index(word) for word in (a, b, c)]
        """,
    "zero_vector_is_nan": """
        A zero vector divided by its length is NaN, which argmax finds largest. Let it stay zero.

        - unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = V / V.norm(dim=1, keepdim=True)
        """,
}

RIGHT = {
    "dictionary": """
        def analogy(a, b, c, words, V):
            vectors = dict(zip(words, torch.nn.functional.normalize(V, dim=1)))
            if not {a, b, c} <= set(vectors):
                return None
            target = vectors[a] - vectors[b] + vectors[c]
            others = [word for word in words if word not in (a, b, c)]
            return max(others, key=lambda word: (vectors[word] @ target).item(), default=None)
        """,
    "sorted": """
        def analogy(a, b, c, words, V):
            if a not in words or b not in words or c not in words:
                return None
            unit = torch.nn.functional.normalize(V, dim=1)
            i, j, k = words.index(a), words.index(b), words.index(c)
            for row in torch.mv(unit, unit[i] - unit[j] + unit[k]).argsort(descending=True):
                if row not in (i, j, k):
                    return words[row]
        """,
}
