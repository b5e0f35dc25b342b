"""nearest_words: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import (
    WORDS,
    draw_apart,
    draw_unit,
    normal,
    some_words,
    until,
)

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int) -> Callable:
        def make(rng: np.random.Generator) -> tuple[torch.Tensor, int]:
            lengths = torch.from_numpy(rng.uniform(0.3, 4, size=(n, 1)).astype(np.float32))
            return draw_unit(normal(rng, n, K)) * lengths, int(rng.integers(1, n))

        return make

    def good(V: torch.Tensor, i: int) -> bool:
        cosines, dots = draw_unit(V) @ draw_unit(V)[i], V @ V[i]
        distances = (V - V[i]).norm(dim=1)
        orders = [cosines.argsort(descending=True), dots.argsort(descending=True)]
        orders.append(distances.argsort())
        first = [order[order != i][0].item() for order in orders]
        return draw_apart(cosines, 0.02) and first[0] not in first[1:]

    for n, K, wanted in ((4, 2, 2), (6, 3, 3), (int(rng.integers(7, 10)), 4, 1)):
        V, i = until(rng, draw(n, K), good)
        words = some_words(rng, n)
        yield Case("values", [words[i], words, V, wanted])
    V, i = until(rng, draw(5, 3), good)
    words = some_words(rng, 5)
    yield Case("edges", [words[i], words, V, 8], title="fewer than n other words")
    unknown = next(word for word in WORDS if word not in words)
    yield Case("edges", [unknown, words, V, 2], title="the word is unknown")
    V, i = until(
        rng, draw(4, 3), lambda V, i: good(V, i) and bool((draw_unit(V) @ V[i] > 0.1).all())
    )
    V[0] = 0
    title = "one of the vectors is zero"
    yield Case("edges", [words[i], words[:4], V, 3], title=title)
    V, words = normal(rng, 2, 3), some_words(rng, 2)
    V[1] = 0
    title = "the word's own vector is zero"
    yield Case("edges", [words[1], words, V, 1], title=title)
    words = some_words(rng, 4)
    V, i = until(rng, draw(4, 3), good)
    title, loose = "half precision", {"rtol": 0.02, "atol": 0.01}
    yield Case("edges", [words[i], words[:4], V.half(), 2], title=title, judge=loose)


WRONG = {
    "dot_products": """
        These are dot products, and long vectors have large ones whatever their direction. The
        cosine divides by both lengths.

        - unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
        - cosines = unit @ unit[words.index(word)]
        + V = V.float()
        + cosines = V @ V[words.index(word)]
        """,
    "one_length_left": """
        Only one of the two lengths is divided out: the order of the words is right, but the
        numbers are not cosines. Divide by both lengths.

        - unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
        - cosines = unit @ unit[words.index(word)]
        + V = V.float()
        + cosines = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12) @ V[words.index(word)]
        """,
    "with_the_word_itself": """
        The word itself is in the list. It is always nearest to itself; leave it out.

        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + return [(words[i], cosines[i].item()) for i in cosines.argsort(descending=True).tolist()][:n]
        """,
    "cut_before_leaving_out": """
        One word is missing: the list is cut to n while the word itself is still in it. Leave it
        out first.

        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + order = cosines.argsort(descending=True).tolist()[:n]
        + return [(words[i], cosines[i].item()) for i in order if words[i] != word]
        """,
    "leaves_out_the_first": """
        The first of the sorted list is left out, whichever word that is. Mostly it is the word
        itself, but a vector of zeros is not nearest to itself. Leave out the word, not a rank.

        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + order = cosines.argsort(descending=True, stable=True).tolist()
        + return [(words[i], cosines[i].item()) for i in order[1 : n + 1]]
        """,
    "farthest_first": """
        The farthest words come first. A large cosine means a small angle: sort from the largest
        on.

        - order = cosines.argsort(descending=True).tolist()
        + order = cosines.argsort().tolist()
        """,
    "zero_vector_is_nan": """
        A vector of zeros is divided by its length 0, and that is NaN. Its cosine counts as 0.

        - unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = V.float() / V.float().norm(dim=1, keepdim=True)
        """,
    "stops_at_an_unknown_word": """
        An unknown word stops the function. It has no vector and so no neighbors: an empty list.

        raises ValueError

        - if word not in words:
        -     return []
        """,
    "lengths_of_columns": """
        The lengths are taken along the wrong dimension: each row is a word's vector, and each
        row needs its own length.

        - unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = V.float() / V.float().norm(dim=0, keepdim=True).clamp(min=1e-12)
        """,
    "euclidean_distances": """
        These are distances, and their order depends on how long the vectors are. The cosine
        asks for the direction alone.

        - unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
        - cosines = unit @ unit[words.index(word)]
        - order = cosines.argsort(descending=True).tolist()
        + cosines = (V.float() - V.float()[words.index(word)]).norm(dim=1)
        + order = cosines.argsort().tolist()
        """,
    "words_without_cosines": """
        These are the words alone. Each entry is a tuple of the word and its cosine.

        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + return [words[i] for i in cosines.argsort(descending=True).tolist() if words[i] != word][:n]
        """,
}

RIGHT = {
    "nearest_words_sorted": """
        import torch.nn.functional as F


        def nearest_words(word, words, V, n):
            vectors = {w: vector.float() for w, vector in zip(words, V)}
            if word not in vectors:
                return []
            center = vectors.pop(word)
            found = {w: F.cosine_similarity(center, v, dim=0).item() for w, v in vectors.items()}
            return sorted(found.items(), key=lambda pair: -pair[1])[:n]
        """,
    "nearest_words_topk": """
        import torch.nn.functional as F


        def nearest_words(word, words, V, n):
            if word not in words:
                return []
            i = words.index(word)
            unit = F.normalize(V.float(), dim=1)
            cosines = torch.mv(unit, unit[i])
            cosines[i] = -2.0
            top = cosines.topk(min(n, len(words) - 1))
            return [(words[j], value) for j, value in zip(top.indices.tolist(), top.values.tolist())]
        """,
}
