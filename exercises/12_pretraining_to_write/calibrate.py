"""calibrate: one or several content-free texts, two classes and more, and one that never comes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 2, "preference": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def p(n: int, C: int) -> torch.Tensor:
        drawn = rng.uniform(0.05, 1.0, size=(n, C))
        return torch.from_numpy((drawn / drawn.sum(axis=1, keepdims=True)).astype(np.float32))

    n = number(rng, 2, 5)
    yield Case("values", [p(n, 2), p(1, 2)], title="two classes")
    yield Case("values", [p(n, 4), p(1, 4)], title="four classes")
    yield Case("values", [p(1, 3), p(1, 3)], title="one text")

    yield Case("preference", [p(n, 2), p(3, 2)], title="the mean of three content-free texts")
    yield Case("preference", [p(n, 3), p(n, 3)], title="as many content-free texts as texts")

    found = p(n, 3)
    found[0] = torch.tensor([0.0, 1.0, 0.0])
    yield Case("edges", [found, p(2, 3)], title="a text that is sure")
    same = p(1, 2)
    yield Case(
        "edges", [torch.cat([same, p(2, 2)]), same], title="a text like the content-free one"
    )
    never = p(2, 3)
    never[:, number(rng, 0, 2)] = 0.0
    title = "a class that never comes"
    yield Case("edges", [p(n, 3), never], title=title, judge=VALUE_ERROR)
    once = p(2, 3)
    once[0, 1] = 0.0
    title = "one content-free text never gets a class, but the mean is above 0: no error"
    yield Case("edges", [p(n, 3), once], title=title)


WRONG = {
    "subtracts": """
        The preference is subtracted. Divide by it: a class that comes twice as often for nothing
        counts half.

        - q = p / preference
        + q = (p - preference).clamp(min=1e-9)
        """,
    "not_normalized": """
        The rows do not sum to 1. Divide each by its sum.

        - return q / q.sum(dim=1, keepdim=True)
        + return q
        """,
    "softmax_again": """
        A softmax of the quotients is something else than the quotients divided by their sum, which
        is what the formula says.

        - return q / q.sum(dim=1, keepdim=True)
        + return q.softmax(dim=1)
        """,
    "multiplies": """
        The preference is multiplied in, which makes it stronger. Divide by it.

        - q = p / preference
        + q = p * preference
        """,
    "first_content_free_only": """
        Only the first content-free text is used. The preference is the mean of all of them.

        - preference = content_free.mean(dim=0)
        + preference = content_free[0]
        """,
    "mean_over_the_classes": """
        The mean runs over the classes. It should run over the content-free texts: a preference for
        each class.

        - preference = content_free.mean(dim=0)
        + preference = content_free.mean(dim=1)[:1]
        """,
    "averages_quotients": """
        The quotients are averaged over the content-free texts. First average those texts, then
        divide once.

        - preference = content_free.mean(dim=0)
        + preference = 1 / (1 / content_free).mean(dim=0)
        """,
    "averages_results": """
        Each content-free text calibrates alone, and the results are averaged. First average those texts,
        then divide and normalize once.

        - q = p / preference
        - return q / q.sum(dim=1, keepdim=True)
        + rows = []
        + for one in content_free:
        +     q = p / one
        +     rows.append(q / q.sum(dim=1, keepdim=True))
        + return torch.stack(rows).mean(dim=0)
        """,
    "no_text_may_give_zero": """
        A single content-free text with a probability of 0 already raises the error. Others may get that
        class: only where the mean is 0 can nothing be divided.

        raises ValueError

        - if (preference == 0).any():
        + if (content_free == 0).any():
        """,
    "sure_text_refused": """
        A text whose own probability of a class is 0 raises the error. That is allowed: 0 divided by the
        preference is 0. Only a class whose preference is 0 must be refused.

        raises ValueError

        - if (preference == 0).any():
        + if (preference == 0).any() or (p == 0).any():
        """,
    "divides_by_zero": """
        A class that the content-free texts never get leads to a division by 0. Raise a ValueError, even if
        they get the other classes.

        - if (preference == 0).any():
        -     raise ValueError("a class that content-free texts never get cannot be calibrated")
        """,
    "floor_for_zero": """
        A class that the content-free texts never get is given a tiny preference, and then wins
        everywhere. Raise a ValueError.

        - if (preference == 0).any():
        -     raise ValueError("a class that content-free texts never get cannot be calibrated")
        + preference = preference.clamp(min=1e-6)
        """,
    "normalized_over_the_texts": """
        The columns sum to 1. Each text's classes should: sum over dim=1.

        - return q / q.sum(dim=1, keepdim=True)
        + return q / q.sum(dim=0, keepdim=True)
        """,
    "tiny_floor_for_zero": """
        A class that the content-free texts never get is given a tiny preference instead of 0, and
        then wins everywhere. Raise a ValueError.

        - if (preference == 0).any():
        -     raise ValueError("a class that content-free texts never get cannot be calibrated")
        + preference = preference.clamp(min=1e-9)
        """,
}

FURTHER = """
content_free.mean(dim=0) is a number for each class. If one of them is 0, raise a ValueError. Divide p by
them, and then each row by its sum, with keepdim=True.
"""

RIGHT = {
    "logarithms": """
        def calibrate(p, content_free):
            prior = content_free.sum(dim=0) / len(content_free)
            if not prior.all():
                raise ValueError("a zero")
            return (p.log() - prior.log()).softmax(dim=-1)
        """,
    "matrix": """
        def calibrate(p, content_free):
            prior = content_free.mean(0)
            if prior.min() <= 0:
                raise ValueError("cannot divide by a preference of 0")
            W = torch.diag(1 / prior)
            q = p @ W
            return q / q.sum(-1)[:, None]
        """,
}

EQUIVALENT = {
    "no model is trained through it": "every edit: detached, without gradient",
    "the preference's factor cancels when a row is divided by its sum": """
        -    preference = content_free.mean(dim=0)
        +    preference = -content_free.mean(dim=0)

        -    preference = content_free.mean(dim=0)
        +    preference = content_free.sum(dim=0)

        -    q = p / preference
        +    q = -(p / preference)
        """,
    "squeeze changes only one class, where a number divides the same": """
        -    preference = content_free.mean(dim=0)
        +    preference = content_free.mean(dim=0).squeeze()
        """,
    "no probability is below 0": """
        -    if (preference == 0).any():
        +    if (preference <= 0).any():
        """,
    "the quotients are a new tensor, which nothing else uses": """
        -    return q / q.sum(dim=1, keepdim=True)
        +    return q.div_(q.sum(dim=1, keepdim=True))
        """,
}
