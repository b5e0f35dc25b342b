"""control_labels: one label per type, drawn from the labels of tokens, types that do not occur."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, number

POINTS = {"values": 2, "edges": 1}


def generator(rng: np.random.Generator) -> torch.Generator:
    """A generator with a drawn seed."""
    return torch.Generator().manual_seed(number(rng, 0, 10**6))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, n_types, n_labels in ((12, 5, 4), (number(rng, 30, 40), 8, 6)):
        types = draw_ids(rng, n_types, n)
        types[0] = n_types - 1
        inputs = [types, draw_ids(rng, n_labels, n), generator(rng)]
        yield Case("values", inputs, judge={**EXACT, "draws": True})
    n = number(rng, 15, 20)
    labels = draw_ids(rng, 40, n)
    yield Case("values", [torch.arange(n), labels, generator(rng)], title="every type once")
    labels = torch.where(torch.rand(50, generator=generator(rng)) < 0.8, 1, 0)
    types = draw_ids(rng, 25, 50)
    yield Case("values", [types, labels, generator(rng)], title="one label is frequent")
    types = draw_ids(rng, 3, 9) * 6 + 2
    labels = draw_ids(rng, 50, 9)
    yield Case("edges", [types, labels, generator(rng)], title="types that do not occur")
    one = torch.tensor([number(rng, 0, 30)])
    yield Case("edges", [torch.tensor([0]), one, generator(rng)], title="a single token")
    labels = draw_ids(rng, 60, number(rng, 8, 12))
    types = torch.zeros_like(labels)
    yield Case("edges", [types, labels, generator(rng)], title="a single type")


WRONG = {
    "per_token": """
        Every token gets a label of its own. In a control task all tokens of a type have the same one:
        draw for each type.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        - return labels[picks][types]
        + picks = torch.randint(len(labels), (len(types),), generator=generator)
        + return labels[picks]
        """,
    "uniform_labels": """
        All labels are drawn equally often. Draw a *token* and take its label, so that frequent labels
        stay frequent.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        - return labels[picks][types]
        + n_types = int(types.max()) + 1
        + picks = torch.randint(int(labels.max()) + 1, (n_types,), generator=generator)
        + return picks[types]
        """,
    "different_labels": """
        You draw among the different labels, so that a rare one comes as often as a frequent one.
        Draw a *token* and take its label.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        - return labels[picks][types]
        + different = labels.unique()
        + picks = torch.randint(len(different), (int(types.max()) + 1,), generator=generator)
        + return different[picks][types]
        """,
    "number_of_the_token": """
        These are numbers of tokens. Look up the labels of these tokens.

        - return labels[picks][types]
        + return picks[types]
        """,
    "one_type_short": """
        The last type is missing: types count from 0, so there are types.max() + 1 of them.

        raises IndexError

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        + picks = torch.randint(len(labels), (int(types.max()),), generator=generator)
        """,
    "number_of_different_types": """
        V is the number of *different* types here, but a type that does not occur has a number, too,
        and the largest ones are missing then. V is the largest number plus 1.

        raises IndexError

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        + picks = torch.randint(len(labels), (len(types.unique()),), generator=generator)
        """,
    "only_types_that_occur": """
        The draw has as many numbers as types that *occur*. Numbers between that do not occur count, too:
        V is the largest number plus 1.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        - return labels[picks][types]
        + found, numbers = types.unique(return_inverse=True)
        + picks = torch.randint(len(labels), (len(found),), generator=generator)
        + return labels[picks][numbers]
        """,
    "shuffled": """
        The labels are shuffled over the tokens, so that tokens of a type have different ones. Draw one
        for each type.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        - return labels[picks][types]
        + return labels[torch.randperm(len(labels), generator=generator)]
        """,
    "other_generator": """
        The draw does not use the generator that was given, so it cannot be repeated.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        + own = torch.Generator().manual_seed(0)
        + picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=own)
        """,
    "without_the_generator": """
        The draw does not use the generator that was given, so it cannot be repeated. Pass it on to
        randint.

        - picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        + picks = torch.randint(len(labels), (int(types.max()) + 1,))
        """,
}

RIGHT = {
    "loop": """
        def control_labels(types, labels, generator):
            V = max(types.tolist()) + 1
            draw = torch.randint(len(labels), (V,), generator=generator).tolist()
            return torch.tensor([labels[draw[t]].item() for t in types.tolist()])
        """,
    "gather": """
        def control_labels(types, labels, generator):
            picks = torch.randint(labels.numel(), (types.amax().item() + 1,), generator=generator)
            return labels.gather(0, picks.gather(0, types))
        """,
}

FURTHER = """
Two look-ups: from the type to the token that was drawn for it, and from that token to its label.
"""

EQUIVALENT = {
    "There are as many types as labels, one for each token.": """
        -    picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        +    picks = torch.randint(len(types), (int(types.max()) + 1,), generator=generator)
        """,
    "The size may be a tensor of one number.": """
        -    picks = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
        +    picks = torch.randint(len(labels), (types.max() + 1,), generator=generator)
        """,
}
