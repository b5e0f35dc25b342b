"""seeded_sample: the numbers, and that the global generator keeps its state."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "generator": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, int(rng.integers(4, 8)), 1):
        yield Case("values", [n, int(rng.integers(10, 10_000))])
    yield Case("values", [5, 0], title="0 is a seed like any other")
    for _ in range(2):
        n, seed = int(rng.integers(3, 9)), int(rng.integers(10, 10_000))
        title = "the global generator must keep its state"
        yield Case("generator", [n, seed], title=title, judge={"keeps_generators": True})


WRONG = {
    "seeds_the_global_generator": """
        The numbers are right, but torch.manual_seed restarts the global generator, which the
        whole notebook shares: everything random after your call changes. Make a torch.Generator
        of your own.

        def seeded_sample(n, seed):
            torch.manual_seed(seed)
            return torch.randn(n)
        """,
    "uniform": """
        These numbers are uniform between 0 and 1. Draw from the normal distribution: randn.

        - return torch.randn(n, generator=generator)
        + return torch.rand(n, generator=generator)
        """,
    "forgets_to_pass_it": """
        Your generator is made but not used: pass it to randn with generator=... . Without it the
        numbers come from the global generator.

        - return torch.randn(n, generator=generator)
        + return torch.randn(n)
        """,
    "unseeded": """
        Every seed gives the same numbers: your generator is never seeded. Its method
        manual_seed does that.

        def seeded_sample(n, seed):
            return torch.randn(n, generator=torch.Generator())
        """,
    "seed_as_device": """
        If you wrote torch.Generator(seed): its argument is a device, not a seed. Make the
        generator first; its method manual_seed seeds it.

        raises RuntimeError

        def seeded_sample(n, seed):
            return torch.randn(n, generator=torch.Generator(seed))
        """,
    "draws_with_numpy": """
        These are NumPy's numbers: its generators give other ones than torch for the same seed. Draw
        them with torch.randn.

        def seeded_sample(n, seed):
            import numpy as np

            return torch.from_numpy(np.random.RandomState(seed).standard_normal(n)).float()
        """,
    "draws_with_default_rng": """
        These numbers come from NumPy's default_rng, which gives other ones than torch for the same
        seed. Draw them with torch.randn.

        def seeded_sample(n, seed):
            import numpy as np

            return torch.from_numpy(np.random.default_rng(seed).standard_normal(n)).float()
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
