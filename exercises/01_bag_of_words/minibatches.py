"""Shuffled indices in batches: any complete, mixed order passes that is drawn from `generator`."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking.codec import Drawn

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    first, second = (int(seed) for seed in rng.choice(1000, size=2, replace=False))

    def case(
        group: str, n: int, batch_size: int, title: str = "", seed: int = first, drawn: int = 0
    ) -> Case:
        must = {"kind": "shuffled", "must_shuffle": True, "keeps_generators": True}
        return Case(group, [n, batch_size, Drawn(seed, drawn)], title=title, judge=must)

    def sizes() -> tuple[int, int]:
        """Any order passes, so that only these tell one seed's cases from another's."""
        batches, size = int(rng.integers(3, 8)), int(rng.integers(9, 16))  # different numbers
        return batches * size, size

    n, size = sizes()
    yield case("values", n, size)
    yield case("values", n, size, "the same generator again")
    yield case("values", n, size, "another generator", second)
    drawn = int(rng.integers(1, 9))
    yield case("values", n, size, "the generator has been used before", drawn=drawn)
    yield case("values", *sizes())
    size = int(rng.integers(5, 8))
    left = 3 * size + int(rng.integers(1, size - 1))
    yield case("edges", left, size, "n is not a multiple of the batch size")
    yield case("edges", left, size, "another generator", second)
    yield case("edges", int(rng.integers(10, 15)), 32, "one batch contains everything")
    yield case("edges", int(rng.integers(9, 13)), 1, "batches of one")
    single = {"kind": "shuffled", "keeps_generators": True}
    given = [1, int(rng.integers(1, 9)), Drawn(first)]
    yield Case("edges", given, title="a single text", judge=single)


WRONG = {
    "does_not_shuffle": """
        The order is not shuffled. Data sets are often sorted: a batch would hold only one class.

        - order = torch.randperm(n, generator=generator)
        + order = torch.arange(n)
        """,
    "reverses": """
        The order is reversed, which is as sorted as before. Draw a random one: torch.randperm.

        - order = torch.randperm(n, generator=generator)
        + order = torch.arange(n).flip(0)
        """,
    "own_generator": """
        The order comes from a generator of your own: every epoch would have the same order. Pass on
        the `generator` that you are given.

        - order = torch.randperm(n, generator=generator)
        + order = torch.randperm(n, generator=torch.Generator().manual_seed(0))
        """,
    "starts_the_generator_again": """
        The order comes from the seed of `generator`, not from its state: every epoch would have the
        same one. Pass on the `generator` that you are given.

        - order = torch.randperm(n, generator=generator)
        + own = torch.Generator().manual_seed(generator.initial_seed())
        + order = torch.randperm(n, generator=own)
        """,
    "drops_the_last": """
        The last, shorter batch is missing, so some texts are not seen in this epoch.

        - return list(order.split(batch_size))
        + return [order[i : i + batch_size] for i in range(0, n - batch_size + 1, batch_size)]
        """,
    "adds_an_empty_batch": """
        The last batch is empty: where n is a multiple of batch_size, n // batch_size + 1 is one batch
        too many. Let the starts run over range(0, n, batch_size).

        - return list(order.split(batch_size))
        + n_batches = n // batch_size + 1
        + return [order[i * batch_size : (i + 1) * batch_size] for i in range(n_batches)]
        """,
    "stops_before_the_last_text": """
        The last batch is missing when it holds a single text: range(0, n - 1, ...) ends one too early.
        A range excludes its end anyway.

        - return list(order.split(batch_size))
        + return [order[i : i + batch_size] for i in range(0, n - 1, batch_size)]
        """,
    "draws_with_replacement": """
        Indices are drawn with replacement. In an epoch each text occurs exactly once.

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
        The batches are shuffled, but each still contains neighboring texts. Shuffle before cutting.

        - order = torch.randperm(n, generator=generator)
        - return list(order.split(batch_size))
        + batches = torch.arange(n).split(batch_size)
        + return [batches[i] for i in torch.randperm(len(batches), generator=generator)]
        """,
    "about_equal_sizes": """
        The batches are made about equally large. All of them hold batch_size texts, except the
        last, which gets what is left.

        - return list(order.split(batch_size))
        + n_batches = -(-n // batch_size)
        + return list(order.tensor_split(n_batches)) if n else []
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
