"""rotate: halves that are pairs, positions anywhere, other bases, axes before the last two, odd sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, normal, number

POINTS = {"values": 2, "positions": 1, "axes": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, X: torch.Tensor, positions: list[int], title: str, **more: Any) -> Case:
        base = more.pop("base", None)
        inputs = [X, torch.tensor(positions, dtype=torch.int64), *([] if base is None else [base])]
        return Case(group, inputs, title=title, **more)

    n = number(rng, 3, 5)
    yield case("values", normal(rng, n, 2), [*range(n)], "a single pair")
    yield case("values", normal(rng, 3, 4), [0, 1, 2], "two pairs")
    yield case("values", normal(rng, n, 8), [*range(n)], "four pairs")
    yield case(
        "values", normal(rng, n, 4), [*range(n)], "another base", base=number(rng, 5, 50) / 2
    )
    title = "what training changes"
    yield case("values", normal(rng, 2, 4), [1, 3], title, gradient="X")

    start = number(rng, 3, 9)
    yield case("positions", normal(rng, 3, 6), [start, start + 1, start + 2], "later positions")
    yield case("positions", normal(rng, 3, 4), [5, 2, 2 * start], "positions in any order")
    yield case("positions", normal(rng, 1, 4), [number(rng, 100, 300)], "one token, far away")

    yield case("axes", normal(rng, 2, 3, n, 4), [*range(n)], "a batch with three heads")
    yield case("axes", normal(rng, 4, 4, 4), [0, 1, 2, 3], "as many heads as tokens as components")
    yield case("axes", normal(rng, 2, 6, n).mT, [*range(n)], "a tensor that is not contiguous")

    yield case("edges", normal(rng, 2, 6), [0, 0], "position 0: nothing is turned")
    yield case("edges", normal(rng, 2, 0, 4), [], "no token")
    d = 2 * number(rng, 1, 4) + 1
    yield Case(
        "edges", [normal(rng, 2, d), torch.tensor([0, 1])], title="an odd size", judge=VALUE_ERROR
    )


WRONG = {
    "neighbors_are_pairs": """
        Components 0 and 1 are turned together here. In our form the pairs are i and i + d_k / 2.

        - a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + a, b = X[..., 0::2], X[..., 1::2]
        + return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
        """,
    "turned_the_other_way": """
        The vectors are turned in the opposite direction. It is a cos − b sin and b cos + a sin.

        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + return torch.cat([a * cos + b * sin, b * cos - a * sin], dim=-1)
        """,
    "plus_in_both": """
        Both lines have a plus. That is no rotation: lengths change. The first one has a minus.

        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + return torch.cat([a * cos + b * sin, b * cos + a * sin], dim=-1)
        """,
    "the_second_from_the_first": """
        The second component is computed from the first one after it was turned. Both need the old
        ones.

        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + a = a * cos - b * sin
        + return torch.cat([a, b * cos + a * sin], dim=-1)
        """,
    "angles_from_minus_i": """
        The exponent is −2i / d_k, and here it is −i / d_k: the angles shrink too slowly.

        - theta = base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        + theta = base ** (-torch.arange(0, d_k // 2, device=X.device) / d_k)
        """,
    "angles_grow": """
        The angles grow from pair to pair. The exponent has a minus.

        - theta = base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        + theta = base ** (torch.arange(0, d_k, 2, device=X.device) / d_k)
        """,
    "fixed_base": """
        The base is always 10,000. Use the one that is given.

        - theta = base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        + theta = 10_000.0 ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        """,
    "counts_from_zero": """
        The positions are not used: the tokens are counted from 0. With a cache the new tokens begin
        later.

        - angles = positions[:, None] * theta
        + angles = torch.arange(X.shape[-2])[:, None] * theta
        """,
    "counts_from_one": """
        Each position is one too large: at position 0 nothing is turned.

        - angles = positions[:, None] * theta
        + angles = (positions[:, None] + 1) * theta
        """,
    "adds_the_sinusoids": """
        Sines and cosines are added, as in assignment 05. Here they turn the vector.

        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + return torch.cat([a + cos, b + sin], dim=-1)
        """,
    "odd_is_allowed": """
        An odd number of components has one without a partner, and should be a ValueError.

        raises RuntimeError

        -     if d_k % 2:
        -         raise ValueError(f"{d_k} components are no pairs; take an even number")
        """,
    "one_angle_for_all": """
        All pairs have the same angle. It shrinks from pair to pair: base to the power of −2i / d_k,
        with a division that keeps what is behind the point.

        - theta = base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        + theta = base ** (-(torch.arange(0, d_k, 2, device=X.device) // d_k).float())
        """,
    "angles_of_neighbors": """
        Halves are turned together, but the angles are repeated for neighbors. Components i and
        i + d_k / 2 have the same angle.

        - cos, sin = angles.cos(), angles.sin()
        - a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + angles = angles.repeat_interleave(2, dim=-1)
        + half = torch.cat([-X[..., d_k // 2 :], X[..., : d_k // 2]], dim=-1)
        + return X * angles.cos() + half * angles.sin()
        """,
}

FURTHER = """
theta has d_k / 2 numbers: base ** (-torch.arange(0, d_k, 2) / d_k). positions[:, None] * theta has the
shape (L, d_k / 2), and fits the last two axes of each half. a is the first half of X, b the second.
"""

RIGHT = {
    "rotate_half": """
        - a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + cos, sin = torch.cat([cos, cos], dim=-1), torch.cat([sin, sin], dim=-1)
        + half = torch.cat([-X[..., d_k // 2 :], X[..., : d_k // 2]], dim=-1)
        + return X * cos + half * sin
        """,
    "complex_numbers": """
        - cos, sin = angles.cos(), angles.sin()
        - a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        - return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
        + a, b = X.chunk(2, dim=-1)
        + turned = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
        + return torch.cat([turned.real, turned.imag], dim=-1)
        """,
}

EQUIVALENT = {
    "Positions are small whole numbers, which float32 holds exactly.": """
         def rotate(X: torch.Tensor, positions: torch.Tensor, base: float = 10_000.0) -> torch.Tensor:
        +    positions = positions.float()
             d_k = X.shape[-1]
        """,
    "d_k is even here, and counted from the end its half is the same place.": """
        -    if d_k % 2:
        +    if d_k % (-2):

        -    a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        +    a, b = X[..., : d_k // (-2)], X[..., d_k // 2 :]

        -    a, b = X[..., : d_k // 2], X[..., d_k // 2 :]
        +    a, b = X[..., : d_k // 2], X[..., d_k // (-2) :]
        """,
    "For two dimensions theta is a single number, which multiplies as a vector of one does.": """
        -    theta = base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)
        +    theta = (base ** (-torch.arange(0, d_k, 2, device=X.device) / d_k)).squeeze()
        """,
}
