"""analogy: questions whose answer other readings miss; inputs that are nearest, too few words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn.functional import normalize

from autograder.course.exercise import Case

from ..draw import normal, some_words
from .common import WORDS, apart, until, vectors

POINTS = {"values": 2, "edges": 1}

#: In so many orders the words of drawn questions are tried; with some vectors, none will do.
_ORDERS = 100


def _scores(V: torch.Tensor, a: float = 1.0, b: float = -1.0, c: float = 1.0) -> torch.Tensor:
    """The scores of all words, where the first three are a, b and c and have these signs."""
    E = normalize(V, dim=1)
    return E @ (a * E[0] + b * E[1] + c * E[2])


def _best(scores: torch.Tensor) -> int:
    return int(scores[3:].argmax())


def _missed(abc: list[str], words: list[str], V: torch.Tensor) -> list[set[int]]:
    """For a, b and c the rows whose vectors could replace theirs without another answer."""
    E, places, signs = normalize(V, dim=1), [words.index(word) for word in abc], (1, -1, 1)
    found = []
    for place, sign in zip(places, signs):
        targets = E[places[0]] - E[places[1]] + E[places[2]] + sign * (E - E[place])
        scores = E @ targets.T
        scores[places] = -torch.inf
        answers = scores.argmax(dim=0)
        found.append(set((answers == answers[place]).nonzero().flatten().tolist()))
    return found


def _places_matter(questions: list[list[Any]]) -> bool:
    """Whether every fixed row in place of a, b or c gives another answer to some question."""
    missed = [_missed(abc, words, V) for *abc, words, V in questions]
    return not any(set.intersection(*rows) for rows in zip(*missed))


def _digits_matter(V: torch.Tensor) -> bool:
    """Whether half precision gives another answer, although the best two are above 0 and apart."""
    E, scores = normalize(V, dim=1), _scores(V)
    half = E.half().float() @ (E[0].half() - E[1].half() + E[2].half()).float()
    first, second = scores[3:].topk(2).values
    clear = bool(first - second > 5e-5 and second > 0.05)
    return clear and _best(scores) not in (_best(half), _best(scores.half()))


def _signs_matter(V: torch.Tensor) -> bool:
    right = _scores(V)
    if not apart(right):
        return False
    signs = {"b": 1.0, "c": -1.0}, {"a": -1.0, "b": 1.0}, {"b": 1.0}
    return _best(right) not in {_best(_scores(V, **wrong)) for wrong in signs}


def _lengths_and_signs_matter(V: torch.Tensor, place: int) -> bool:
    """Whether lengths matter, also that of one of the three vectors alone, each in its own way."""
    right = _scores(V)
    if right[3:].max() <= 0.05 or not _signs_matter(V):
        return False
    E, raw, one_raw = normalize(V, dim=1), V[0] - V[1] + V[2], normalize(V, dim=1)
    one_raw[place] = V[place]
    others = [E @ raw, V @ raw, V @ (E[0] - E[1] + E[2])]
    others.append(E @ (one_raw[0] - one_raw[1] + one_raw[2]))
    answers = [_best(scores) for scores in others]
    return _best(right) not in answers and len(set(answers[:3])) == 3


def _inputs_are_nearest(V: torch.Tensor) -> bool:
    """Whether a and then c are nearer than the answer, as with king and queen."""
    scores = _scores(V)
    nearest = scores.argsort(descending=True)[:2].tolist()
    return nearest == [0, 2] and apart(scores) and bool(scores[3:].max() > 0.05)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int, good: Callable) -> tuple[list[str], torch.Tensor]:
        return some_words(rng, WORDS, n), until(lambda: vectors(rng, n, K), good)

    def nearly_equal() -> torch.Tensor:
        V = vectors(rng, 6, 3)
        V[5] = V[4] * (1 + 1e-3 * normal(rng, 3))
        return V

    def unit(V: torch.Tensor) -> torch.Tensor:
        """Vectors of length 1 up to rounding, so that lengths decide nothing."""
        return normalize(V.double(), dim=1).round(decimals=3).float()

    def shuffled(words: list[str], V: torch.Tensor) -> list[Any]:
        """The inputs with the three words in any places."""
        order = rng.permutation(len(words)).tolist()
        return [*words[:3], [words[i] for i in order], V[order]]

    sizes = (8, 2), (9, 3), (int(rng.integers(10, 13)), 3)
    lengths_matter = [partial(_lengths_and_signs_matter, place=place) for place in range(3)]

    def questions() -> list[list[Any]] | None:
        """Some of each kind, if their words can be put into places that matter."""
        drawn = [draw(n, K, good) for (n, K), good in zip(sizes, lengths_matter)]
        drawn += [draw(n, 4, _inputs_are_nearest) for n in (5, 6)]
        for _ in range(_ORDERS):
            placed = [shuffled(*d) for d in drawn]
            if _places_matter(placed):
                return placed
        return None

    title = "one of the three is itself nearest"
    for inputs in until(questions, lambda placed: placed is not None):
        yield Case("values", inputs, title=title if len(inputs[3]) < 8 else "")
    words, V = some_words(rng, WORDS, 6), until(nearly_equal, _digits_matter)
    yield Case("values", [*words[:3], words, V], title="two words with nearly the same vector")
    words, V = draw(6, 3, _inputs_are_nearest)
    unknown = next(word for word in WORDS if word not in words)
    for place in range(3):
        abc = [*words[:place], unknown, *words[place + 1 : 3]]
        yield Case("edges", [*abc, words, V], title=f"word {place + 1} of the three is unknown")
    yield Case("edges", [*words[:3], words[:3], V[:3]], title="there is no other word")
    title = "two of the three are the same word"
    yield Case("edges", [*words[:2], words[0], words[:3], V[:3, :1]], title=title)
    words, V = draw(5, 3, lambda V: _signs_matter(V) and bool(_scores(V)[3:].max() < -0.1))
    title = "all other words have a cosine below 0"
    yield Case("edges", [*words[:3], words, unit(V)], title=title)
    words, V = some_words(rng, WORDS, 6), unit(draw(5, 3, _inputs_are_nearest)[1])
    V = torch.cat([V[:4], torch.zeros(1, 3), V[4:]])
    yield Case("edges", [*words[:3], words, V], title="one of the vectors is zero")


WRONG = {
    "answers_with_an_input": """
        The answer is one of the three words. They are often the nearest ones; exclude them.

        - similarity[rows] = -torch.inf
        """,
    "excluded_with_zero": """
        A cosine of 0 still wins when all others are negative. Use a value below every cosine.

        - similarity[rows] = -torch.inf
        + similarity[rows] = 0
        """,
    "index_of_the_shorter_list": """
        An index into the list without the three words is not an index into `words`.

        - similarity[rows] = -torch.inf
        - return words[similarity.argmax()]
        + others = [i for i in range(len(words)) if i not in rows]
        + return words[similarity[others].argmax()]
        """,
    "subtracts_the_third": """
        This is a + b - c. Subtract the second word and add the third.

        - similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        + similarity = unit @ (unit[rows[0]] + unit[rows[1]] - unit[rows[2]])
        """,
    "first_minus_second": """
        This is b - a + c. Add the first word and subtract the second.

        - similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        + similarity = unit @ (unit[rows[1]] - unit[rows[0]] + unit[rows[2]])
        """,
    "adds_raw_vectors": """
        The vectors are added as they are, so the longest decides. Normalize them to length 1 first.

        - similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        + similarity = unit @ (E[rows[0]] - E[rows[1]] + E[rows[2]])
        """,
    "not_normalized": """
        The vectors are not normalized at all, so the longest decide. Bring all to length 1 first.

        - unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = E
        """,
    "stops_at_an_unknown_word": """
        A word without a vector stops the function. Return None if one of the three is unknown.

        raises ValueError

        - rows = [words.index(word) for word in (a, b, c) if word in words]
        + rows = [words.index(word) for word in (a, b, c)]
        """,
    "zero_vector_is_nan": """
        A zero vector divided by its length is NaN, which argmax finds largest. Let it stay zero.

        - unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = E / E.norm(dim=1, keepdim=True)
        """,
    "candidates_not_normalized": """
        a, b and c are normalized, but the candidates are not, so long vectors win. The cosine needs
        them normalized, too.

        - similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        + similarity = E @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        """,
    "excludes_only_the_first": """
        Only the first of the three words is excluded. None of the three is allowed as an answer.

        - similarity[rows] = -torch.inf
        + similarity[rows[0]] = -torch.inf
        """,
    "answers_if_no_word_is_left": """
        There is no word besides the three, and still one is returned. Return None then.

        - if len(rows) < 3 or len(words) == len(set(rows)):
        + if len(rows) < 3:
        """,
    "leaves_out_the_first_three": """
        The three nearest words are left out, whichever they are. Leave out a, b and c themselves, not ranks.

        - similarity[rows] = -torch.inf
        - return words[similarity.argmax()]
        + return words[similarity.argsort(descending=True)[3]]
        """,
    "adds_all_three": """
        This is a + b + c. Subtract the second word.

        - similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        + similarity = unit @ (unit[rows[0]] + unit[rows[1]] + unit[rows[2]])
        """,
    "loses_row_zero": """
        A word in row 0 counts as unknown: the row 0 is False in a condition. Ask whether the word
        is among `words`.

        - if len(rows) < 3 or len(words) == len(set(rows)):
        + if len(rows) < 3 or not all(rows) or len(words) == len(set(rows)):
        """,
}

FURTHER = """
Normalize all rows of E first, and look up the three unit vectors with `words.index`. Before `argmax`,
set the similarity of the three words to minus infinity, so that the other rows keep their index.
"""

RIGHT = {
    "dictionary": """
        def analogy(a, b, c, words, E):
            vectors = dict(zip(words, torch.nn.functional.normalize(E, dim=1)))
            if not {a, b, c} <= set(vectors):
                return None
            target = vectors[a] - vectors[b] + vectors[c]
            others = [word for word in words if word not in (a, b, c)]
            return max(others, key=lambda word: (vectors[word] @ target).item(), default=None)
        """,
    "sorted": """
        def analogy(a, b, c, words, E):
            if a not in words or b not in words or c not in words:
                return None
            unit = torch.nn.functional.normalize(E, dim=1)
            i, j, k = words.index(a), words.index(b), words.index(c)
            for row in torch.mv(unit, unit[i] - unit[j] + unit[k]).argsort(descending=True):
                if row not in (i, j, k):
                    return words[row]
        """,
}

EQUIVALENT = {
    "More digits than needed.": """
         def analogy(a: str, b: str, c: str, words: list[str], E: torch.Tensor) -> str | None:
        +    E = E.double()
             rows = [words.index(word) for word in (a, b, c) if word in words]
        """,
    "a and c are added, in either order.": """
        -    rows = [words.index(word) for word in (a, b, c) if word in words]
        +    rows = [words.index(word) for word in list((a, b, c))[::-1] if word in words]
        """,
    "There are at most three rows.": """
        -    if len(rows) < 3 or len(words) == len(set(rows)):
        +    if (len(rows) != 3) or len(words) == len(set(rows)):
        """,
    "The three words are among `words`, so these are never fewer.": """
        -    if len(rows) < 3 or len(words) == len(set(rows)):
        +    if len(rows) < 3 or (len(words) <= len(set(rows))):
        """,
    "Both factors of each cosine change their signs.": """
        -    unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        +    unit = -(E / E.norm(dim=1, keepdim=True).clamp(min=1e-12))
        """,
    "A single word leaves no answer and returns earlier.": """
        -    similarity = unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])
        +    similarity = (unit @ (unit[rows[0]] - unit[rows[1]] + unit[rows[2]])).squeeze()
        """,
    "It is still minus infinity.": """
        -    similarity[rows] = -torch.inf
        +    similarity[rows] = round(-torch.inf, 2)

        -    similarity[rows] = -torch.inf
        +    similarity[rows] = torch.tensor(-torch.inf)
        """,
}
