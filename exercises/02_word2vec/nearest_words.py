"""nearest_words: cosines of vectors of very different lengths; unknown words and zero vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch.nn.functional import normalize

from autograder.course.exercise import Case

from ..draw import normal, some_words
from .common import WORDS, apart, until, vectors

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def clear(drawn: tuple[torch.Tensor, int]) -> bool:
        """Whether dot products and distances have other nearest neighbors than cosines."""
        V, i = drawn
        unit = normalize(V, dim=1)
        cosines, dots, distances = unit @ unit[i], V @ V[i], (V - V[i]).norm(dim=1)
        orders = [cosines.argsort(descending=True), dots.argsort(descending=True)]
        orders.append(distances.argsort())
        nearest, *others = [order[order != i][0].item() for order in orders]
        return apart(cosines) and nearest not in others

    def all_near(drawn: tuple[torch.Tensor, int]) -> bool:
        """Whether all are near a word that is not the last one."""
        V, i = drawn
        return i < len(V) - 1 and bool((normalize(V, dim=1) @ V[i] > 0.1).all())

    def draw(n: int, K: int, end: int | None = None) -> tuple[torch.Tensor, int]:
        """Vectors, and the row of the word that is asked for, before `end`."""
        return until(lambda: (vectors(rng, n, K), int(rng.integers(1, end or n))), clear)

    for n, K, wanted, end in (
        (4, 2, 3, 3),
        (6, 3, 3, None),
        (int(rng.integers(7, 10)), 4, 1, None),
    ):
        (V, i), words = draw(n, K, end), some_words(rng, WORDS, n)
        yield Case("values", [words[i], words, V, wanted])
    (V, i), words = draw(5, 3), some_words(rng, WORDS, 5)
    yield Case("edges", [words[i], words, V, 8], title="fewer than n other words")
    yield Case("edges", [words[0], words[:1], V[:1], 2], title="there is no other word")
    yield Case("edges", [words[i], words, V, 0], title="no neighbor is asked for")
    unknown = next(word for word in WORDS if word not in words)
    yield Case("edges", [unknown, words, V, 2], title="the word is unknown")
    (V, i), words = until(lambda: draw(4, 3), all_near), some_words(rng, WORDS, 4)
    V[0] = 0
    yield Case("edges", [words[i], words, V, 3], title="one of the vectors is zero")
    V, words = normal(rng, 2, 3), some_words(rng, WORDS, 2)
    V[1] = 0
    title = "the word's own vector is zero"
    tied = ("with_the_word_itself", "cut_before_leaving_out")
    yield Case("edges", [words[1], words, V, 1], title=title, undefined=tied)
    (V, i), words = draw(4, 3), some_words(rng, WORDS, 4)
    V[0] = 2 * V[i]
    title = "another word has the same direction"
    yield Case(
        "edges", [words[i], words, V, 2], title=title, undefined=(*tied, "leaves_out_the_first")
    )


WRONG = {
    "dot_products": """
        These are dot products, in which long vectors win. Divide by both lengths.

        - unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = E
        """,
    "euclidean_distances": """
        These are distances, which depend on the lengths. The cosine depends on directions alone.

        - cosines = unit @ unit[words.index(word)]
        - order = cosines.argsort(descending=True).tolist()
        + cosines = (E - E[words.index(word)]).norm(dim=1)
        + order = cosines.argsort().tolist()
        """,
    "lengths_of_columns": """
        The lengths are taken along the wrong dimension: each row is the vector of a word.

        - unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = E / E.norm(dim=0, keepdim=True).clamp(min=1e-12)
        """,
    "with_the_word_itself": """
        The word itself is in the list. It is always nearest to itself; leave it out.

        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + return [(words[i], cosines[i].item()) for i in order][:n]
        """,
    "cut_before_leaving_out": """
        The list is one word short, as if it were cut to n while the word itself is still in it.
        Leave the word out first.

        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + return [(words[i], cosines[i].item()) for i in order[:n] if words[i] != word]
        """,
    "leaves_out_the_first": """
        The first of the list is left out, whichever it is. Leave out the word itself, not a rank.

        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + found = sorted(zip(words, cosines.tolist()), key=lambda pair: -pair[1])
        + return found[1 : n + 1]
        """,
    "leaves_out_cosines_of_one": """
        Another word in the same direction is left out, too: its cosine is 1, like that of the word with
        itself. Leave out the word itself, by its name.

        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + others = [i for i in order if words[i] != word and cosines[i] < 0.9999]
        + return [(words[i], cosines[i].item()) for i in others][:n]
        """,
    "zero_vector_is_nan": """
        A zero vector is divided by its length 0, and that is NaN. Its cosine counts as 0.

        - unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        + unit = E / E.norm(dim=1, keepdim=True)
        """,
    "stops_at_an_unknown_word": """
        An unknown word stops the function. It has no neighbors: return an empty list.

        raises ValueError

        - if word not in words:
        -     return []
        """,
    "others_not_normalized": """
        Only the vector of the word itself is normalized. Normalize the others, too: else long
        vectors win.

        - cosines = unit @ unit[words.index(word)]
        + cosines = E @ unit[words.index(word)]
        """,
    "word_not_normalized": """
        The order is right, but the vector of the word itself is not normalized: all cosines are
        multiplied by its length.

        - cosines = unit @ unit[words.index(word)]
        + cosines = unit @ E[words.index(word)]
        """,
    "smallest_first": """
        The smallest cosines come first: `argsort` sorts in ascending order. The nearest words have
        the largest ones.

        - order = cosines.argsort(descending=True).tolist()
        + order = cosines.argsort().tolist()
        """,
    "topk_of_too_few": """
        `topk` stops if there are fewer words than it is asked for. Take at most as many as there are.

        raises RuntimeError

        - order = cosines.argsort(descending=True).tolist()
        + order = cosines.topk(n + 1).indices.tolist()
        """,
    "word_itself_ranked_last": """
        The word itself is still in the list, at its end: a cosine of minus infinity moves it down, but does
        not leave it out. Where there are few others, it comes up.

        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + cosines[words.index(word)] = -torch.inf
        + order = cosines.argsort(descending=True).tolist()
        + return [(words[i], cosines[i].item()) for i in order[:n]]
        """,
    "index_of_the_shorter_list": """
        An index into the vectors without the word itself is not an index into `words`.

        - cosines = unit @ unit[words.index(word)]
        - order = cosines.argsort(descending=True).tolist()
        - return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]
        + place = words.index(word)
        + cosines = torch.cat([unit[:place], unit[place + 1 :]]) @ unit[place]
        + order = cosines.argsort(descending=True).tolist()
        + return [(words[i], cosines[i].item()) for i in order][:n]
        """,
}

RIGHT = {
    "sorted": """
        def nearest_words(word, words, E, n):
            vectors = {w: vector.float() for w, vector in zip(words, E)}
            if word not in vectors:
                return []
            center, cosine = vectors.pop(word), torch.nn.functional.cosine_similarity
            found = {w: cosine(center, v, dim=0).item() for w, v in vectors.items()}
            return sorted(found.items(), key=lambda pair: -pair[1])[:n]
        """,
    "topk": """
        def nearest_words(word, words, E, n):
            if word not in words:
                return []
            i, unit = words.index(word), torch.nn.functional.normalize(E, dim=1)
            cosines = torch.mv(unit, unit[i])
            cosines[i] = -2.0
            values, order = cosines.topk(min(n, len(words) - 1))
            return [(words[j], value) for j, value in zip(order, values.tolist())]
        """,
}

EQUIVALENT = {
    "More digits than needed.": """
         def nearest_words(word: str, words: list[str], E: torch.Tensor, n: int) -> list[tuple[str, float]]:
        +    E = E.double()
             if word not in words:
        """,
    "Both factors of each cosine change their signs.": """
        -    unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
        +    unit = -(E / E.norm(dim=1, keepdim=True).clamp(min=1e-12))
        """,
    "A list can be indexed with a tensor of one whole number, too.": """
        -    order = cosines.argsort(descending=True).tolist()
        +    order = cosines.argsort(descending=True)
        """,
}
