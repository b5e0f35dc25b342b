"""Shuffled indices in batches: any complete, mixed order passes that is drawn from `generator`."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from autograder.exercises.bag_of_words.common import draw_generator

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, n: int, batch_size: int, title: str = "") -> Case:
        must = {"kind": "shuffled", "must_shuffle": True, "keeps_generators": True}
        return Case(group, [n, batch_size, draw_generator(rng)], title=title, judge=must)

    for _ in range(2):
        size = int(rng.integers(4, 7))
        yield case("values", 4 * size, size)
    size = int(rng.integers(5, 8))
    left = 3 * size + int(rng.integers(1, size - 1))
    yield case("edges", left, size, "n is not a multiple of the batch size")
    yield case("edges", int(rng.integers(10, 15)), 32, "one batch holds everything")
    yield case("edges", int(rng.integers(9, 13)), 1, "batches of one")


WRONG = {
    "does_not_shuffle": """
        The order is not shuffled. Data sets are often sorted: a batch would hold only one class.

        - order = torch.randperm(n, generator=generator)
        + order = torch.arange(n)
        """,
    "drops_the_last": """
        The last, shorter batch is missing, so some texts are not seen in this epoch.

        - return list(order.split(batch_size))
        + return [order[i : i + batch_size] for i in range(0, n - batch_size + 1, batch_size)]
        """,
    "draws_with_replacement": """
        Indices are drawn with replacement. In an epoch each text comes exactly once.

        - order = torch.randperm(n, generator=generator)
        + order = torch.randint(n, (n,), generator=generator)
        """,
    "ignores_generator": """
        `generator` is not used: the order comes from the global one. Pass it on.

        - order = torch.randperm(n, generator=generator)
        + order = torch.randperm(n)
        """,
    "takes_size_for_number": """
        batch_size is used as the number of batches. It is the number of texts in one batch.

        - return list(order.split(batch_size))
        + return list(order.chunk(batch_size))
        """,
    "shuffles_the_batches": """
        The batches are shuffled, but each still holds neighboring texts. Shuffle before cutting.

        - order = torch.randperm(n, generator=generator)
        - return list(order.split(batch_size))
        + batches = torch.arange(n).split(batch_size)
        + return [batches[i] for i in torch.randperm(len(batches), generator=generator)]
        """,
}

RIGHT = {
    "slices": """
        def minibatches(n, batch_size, generator):
            order = torch.randperm(n, generator=generator)
            return [order[start : start + batch_size] for start in range(0, n, batch_size)]
        """,
    "sorted_noise": """
        def minibatches(n, batch_size, generator):
            return list(torch.rand(n, generator=generator).argsort().split(batch_size))
        """,
}
