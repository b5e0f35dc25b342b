"""seeded_sample: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "generator": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, int(rng.integers(4, 8))):
        yield Case("values", [n, int(rng.integers(10, 10_000))])
    yield Case("values", [5, 0], title="0 is a seed like any other")
    for _ in range(2):
        n, seed = int(rng.integers(3, 9)), int(rng.integers(10, 10_000))
        title = "the generator that everybody shares must not notice"
        yield Case("generator", [n, seed], title=title, judge={"keeps_generators": True})


WRONG = {
    "seeds_everybody": """
        The numbers are right, but torch.manual_seed restarts the generator that the whole
        notebook shares: everything random after your call changes. Make a torch.Generator of
        your own.

        def seeded_sample(n, seed):
            torch.manual_seed(seed)
            return torch.randn(n)
        """,
    "uniform": """
        These are uniform numbers between 0 and 1. What is wanted is the normal distribution:
        the n in randn.

        def seeded_sample(n, seed):
            return torch.rand(n, generator=torch.Generator().manual_seed(seed))
        """,
    "forgets_to_pass_it": """
        Your generator is made but not used: hand it to randn with generator=... . Without it
        the numbers come from the generator that everybody shares.

        def seeded_sample(n, seed):
            torch.Generator().manual_seed(seed)
            return torch.randn(n)
        """,
    "unseeded": """
        Every seed gives the same numbers: your generator never hears of `seed`; manual_seed
        tells it.

        def seeded_sample(n, seed):
            return torch.randn(n, generator=torch.Generator())
        """,
    "seed_as_device": """
        If you wrote torch.Generator(seed): what stands in those brackets is a device, not a
        seed. Make the generator first; its method manual_seed tells it where to start.

        raises RuntimeError

        def seeded_sample(n, seed):
            # torch.Generator(seed) fails alike on most machines, not on those with a GPU of that number
            raise RuntimeError("Cannot access accelerator device when none is available.")
        """,
    "always_zero": """
        Your own generator starts at 0 whatever `seed` says, so all seeds give the same numbers.

        def seeded_sample(n, seed):
            return torch.randn(n, generator=torch.Generator().manual_seed(0))
        """,
    "numpy_generator": """
        NumPy has a generator of its own, and the same seed gives other numbers there. Use
        torch.Generator.

        import numpy as np


        def seeded_sample(n, seed):
            return torch.from_numpy(np.random.default_rng(seed).normal(size=n)).float()
        """,
}

RIGHT = {
    "normal_in_place": """
        def seeded_sample(n, seed):
            generator = torch.Generator()
            generator.manual_seed(seed)
            return torch.empty(n).normal_(generator=generator)
        """,
    "puts_everything_back": """
        def seeded_sample(n, seed):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                return torch.randn(n)
        """,
}
