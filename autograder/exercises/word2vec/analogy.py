"""analogy: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import (
    draw_apart,
    draw_unit,
    normal,
    some_words,
    until,
)

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def best(V: torch.Tensor, target: torch.Tensor, without: list[int], cosine: bool = True) -> int:
        scores = (draw_unit(V) if cosine else V) @ target
        scores[without] = -torch.inf
        return int(scores.argmax())

    def draw(n: int, K: int) -> Callable:
        def make(rng: np.random.Generator) -> tuple[torch.Tensor]:
            lengths = torch.from_numpy(rng.uniform(0.2, 5, size=(n, 1)).astype(np.float32))
            return (draw_unit(normal(rng, n, K)) * lengths,)

        return make

    def good(V: torch.Tensor, alone: bool) -> bool:
        """Whether a=0, b=1, c=2 have an answer of their own, not shared by the usual mistakes."""
        E, inputs = draw_unit(V), [0, 1, 2]
        target = E[0] - E[1] + E[2]
        scores = E @ target
        right = best(V, target, inputs)
        if not draw_apart(scores, 0.02) or scores[right] < 0.05:
            return False
        raw = V[0] - V[1] + V[2]
        if alone:  # with all words allowed an input is nearest, as with king and queen
            return best(V, target, []) == 0 and best(V, target, [0]) == 2
        wrong = [best(V, raw, inputs), best(V, raw, inputs, cosine=False)]
        wrong += [best(V, E[0] + E[1] - E[2], inputs), best(V, E[1] - E[0] + E[2], inputs)]
        wrong += [best(V, target, inputs, cosine=False)]
        return right not in wrong and wrong[0] != wrong[1]

    for n, K in ((8, 2), (9, 3), (int(rng.integers(10, 13)), 3)):
        (V,) = until(rng, draw(n, K), lambda V: good(V, alone=False))
        words = some_words(rng, n)
        yield Case("values", [*words[:3], words, V])
    for n in (5, 6):
        (V,) = until(rng, draw(n, 4), lambda V: good(V, alone=True))
        words = some_words(rng, n)
        title = "one of the three is itself nearest"
        order = torch.from_numpy(rng.permutation(n))
        shuffled = [words[i] for i in order.tolist()]
        yield Case("values", [*words[:3], shuffled, V[order]], title=title)
    (V,) = until(rng, draw(6, 3), lambda V: good(V, alone=True))
    words = some_words(rng, 7)
    a, b, c = [words[6], *words[:2]] if rng.random() < 0.5 else [*words[:2], words[6]]
    yield Case("edges", [a, b, c, words[:6], V], title="one of the three words is unknown")
    yield Case("edges", [*words[:3], words[:3], V[:3]], title="there is no other word")

    def another_is_near(V: torch.Tensor) -> bool:
        """Whether the answer stays one when V[4] becomes zero, whose cosine counts as 0."""
        E = draw_unit(V)
        scores = E @ (E[0] - E[1] + E[2])
        return good(V, alone=True) and bool(scores[[3, 5]].max() > 0.05)

    def all_point_away(V: torch.Tensor) -> bool:
        E, inputs = draw_unit(V), [0, 1, 2]
        target = E[0] - E[1] + E[2]
        scores = E[3:] @ target
        wrong = [best(V, t, inputs) for t in (E[0] + E[1] - E[2], E[1] - E[0] + E[2])]
        clear = draw_apart(scores, 0.02) and best(V, target, inputs) not in wrong
        return clear and bool(scores.max() < -0.1)

    # From here on all lengths are 1 (or 0), so that they decide nothing.
    (V,) = until(rng, draw(5, 3), all_point_away)
    V = draw_unit(V)
    words = some_words(rng, 5)
    title = "all other words have a cosine below 0"
    yield Case("edges", [*words[:3], words, V], title=title)
    words = some_words(rng, 6)
    (V,) = until(rng, draw(6, 3), another_is_near)
    V = draw_unit(V)
    V[4] = 0
    yield Case("edges", [*words[:3], words[:6], V], title="one of the vectors is zero")


WRONG = {
    "answers_with_an_input": """
        The answer is one of the three words. They are the nearest ones more often than not;
        they are not allowed as an answer.

        - similarity[places] = -torch.inf
        """,
    "excludes_the_first_only": """
        Only the first word is excluded. None of the three may be the answer, and the third is
        often nearest.

        - similarity[places] = -torch.inf
        + similarity[words.index(a)] = -torch.inf
        """,
    "excluded_with_zero": """
        The three words are taken out of the race with a cosine of 0, and that still wins when
        all others are below 0. Give them something that nobody can lose against.

        - similarity[places] = -torch.inf
        + similarity[places] = 0
        """,
    "places_of_the_shorter_list": """
        The three words are cut out of the list of cosines, but then the places in that shorter
        list are no longer those in `words`.

        def analogy(a, b, c, words, V):
            if any(word not in words for word in (a, b, c)) or len(words) < 4:
                return None
            unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
            places = [words.index(word) for word in (a, b, c)]
            target = unit[places[0]] - unit[places[1]] + unit[places[2]]
            others = unit[[i for i in range(len(words)) if i not in places]]
            return words[(others @ target).argmax()]
        """,
    "answers_when_none_is_left": """
        When there is no word but the three, one of them is the answer in yours. Then there is
        no answer: None.

        - if len(places) < 3 or len(words) == len(set(places)):
        + if len(places) < 3 or any(words) == len(set(places)):
        """,
    "subtracts_the_third": """
        This is a + b - c. Subtract the second word and add the third.

        - places = [words.index(word) for word in (a, b, c) if word in words]
        + places = [words.index(word) for word in (a, c, b) if word in words]
        """,
    "first_minus_second": """
        This is b - a + c. In `king - man + woman` the first word is the one that counts with a
        plus.

        - places = [words.index(word) for word in (a, b, c) if word in words]
        + places = [words.index(word) for word in (b, a, c) if word in words]
        """,
    "adds_raw_vectors": """
        The vectors are added as they are, so that the longest of the three decides. Bring all
        vectors to length 1 first.

        - similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
        + similarity = unit @ (V[places[0]] - V[places[1]] + V[places[2]])
        """,
    "dot_products_of_raw_vectors": """
        No length is divided out anywhere, so long vectors win. Bring all vectors to length 1
        first.

        - unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = V / V.norm(dim=None, keepdim=True).clamp(min=1e-12)
        """,
    "analogy_stops_at_unknown": """
        A word without a vector stops the function. If one of the three is unknown, the answer
        is None.

        raises ValueError

        def analogy(a, b, c, words, V):
            unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
            places = [words.index(word) for word in (a, b, c)]
            similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
            similarity[places] = -torch.inf
            return words[similarity.argmax()] if len(words) > 3 else None
        """,
    "analogy_zero_is_nan": """
        A vector of zeros becomes NaN when it is divided by its length 0, and NaN counts as the
        largest number. Let it stay zeros.

        - unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = V / V.norm(dim=1, keepdim=True).clamp(min=V)
        """,
    "gives_the_number": """
        This is the number of the word. Return the word itself.

        - return words[similarity.argmax()]
        + return similarity.argmax().item()
        """,
}

RIGHT = {
    "analogy_dictionary": """
        import torch.nn.functional as F


        def analogy(a, b, c, words, V):
            vectors = {word: F.normalize(v, dim=0) for word, v in zip(words, V)}
            if not {a, b, c} <= set(vectors):
                return None
            target = vectors[a] - vectors[b] + vectors[c]
            others = [word for word in words if word not in (a, b, c)]
            return max(others, key=lambda word: (vectors[word] @ target).item(), default=None)
        """,
    "analogy_sorted": """
        import torch.nn.functional as F


        def analogy(a, b, c, words, V):
            if a not in words or b not in words or c not in words:
                return None
            unit = F.normalize(V, dim=1)
            i, j, k = words.index(a), words.index(b), words.index(c)
            order = F.cosine_similarity(unit, (unit[i] - unit[j] + unit[k])[None], dim=1)
            for place in order.argsort(descending=True).tolist():
                if place not in (i, j, k):
                    return words[place]
            return None
        """,
}
