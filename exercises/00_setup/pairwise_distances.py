"""pairwise_distances: two tables of different and of equal length, and vectors of one number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import large, whole

POINTS = {"values": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = ((2, 3, 2), (3, 3, 3), (int(rng.integers(4, 6)), 2, int(rng.integers(3, 5))))
    for n, m, d in sizes:
        vectors = [whole(rng, n, d), whole(rng, m, d)]
        yield Case("values", vectors, title=f"{n} words against {m}, {d} components each")
    words = whole(rng, int(rng.integers(3, 5)), 2)
    yield Case("edges", [words, words.clone()], title="the same words twice: zeros on the diagonal")
    yield Case("edges", [whole(rng, 1, 2), whole(rng, 3, 2)], title="one word against three")
    sign = 2 * int(rng.integers(0, 2)) - 1
    far = [sign * large(rng, 3, 1), -sign * large(rng, 2, 1)]
    yield Case("edges", far, title="vectors of one number, far apart")


FURTHER = """
Subtract with the two new axes shown above the exercise, which gives (N, M, d). Square every number,
sum over the last axis (dim=-1), and take the square root of the sums, which are (N, M). Print the
shape after each step.
"""

WRONG = {
    "squared": """
        These are the squared distances: the square root is missing.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.square().sum(dim=-1)
        """,
    "transposed": """
        The result is transposed: row i belongs to a[i], column j to b[j]. Look at which of the
        two got its new axis first.

        - difference = a[:, None] - b[None, :]  # (N, M, d)
        + difference = a[None, :] - b[:, None]
        """,
    "wrong_axis": """
        You sum over the wrong axis. Of (N, M, d), the d components of a vector must disappear.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.square().sum(dim=1).sqrt()
        """,
    "row_by_row": """
        `a - b` pairs row 0 with row 0, row 1 with row 1, and so on. Every row of a has to meet
        every row of b: give each of the two a new axis, in different positions.

        - difference = a[:, None] - b[None, :]  # (N, M, d)
        + difference = a - b
        """,
    "dot_products": """
        These are the dot products of the vectors. The distance is the length of their difference.

        def pairwise_distances(a, b):
            return a @ b.T
        """,
    "manhattan_distance": """
        You add up the absolute differences: this is the Manhattan distance. The Euclidean
        distance squares them, adds them up and takes the square root.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.abs().sum(dim=-1)
        """,
    "one_number": """
        A sum (or a mean or norm) without a dim adds up everything. Only the last axis, the d
        components, must disappear, so that one distance per pair is left.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.square().sum().sqrt()
        """,
    "row_by_row_to_one_number": """
        Two things: `a - b` pairs row 0 with row 0 and so on, but every row of a has to meet every
        row of b, so give each of the two a new axis. And sum over the d components only: without a
        dim, everything is added up.

        def pairwise_distances(a, b):
            return (a - b).square().sum().sqrt()
        """,
    "averages_the_squares": """
        The distances are too small: the squares are averaged over the d components. They should be
        added up.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.square().mean(dim=-1).sqrt()
        """,
    "adds_before_squaring": """
        The differences are added up before they are squared, so positive and negative ones cancel.
        Square each of them first.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.sum(dim=-1).square().sqrt()
        """,
    "keeps_the_last_axis": """
        The last axis has length 1, but should be gone: keepdim=True keeps the axis of the sum.

        - return difference.square().sum(dim=-1).sqrt()
        + return difference.square().sum(dim=-1, keepdim=True).sqrt()
        """,
    "forgets_the_factor_two": """
        A factor is missing: the square of a - b is a² - 2ab + b², with 2ab, not ab.

        def pairwise_distances(a, b):
            squares = a.square().sum(dim=1)[:, None] + b.square().sum(dim=1)
            return (squares - a @ b.T).clamp(min=0).sqrt()
        """,
}

RIGHT = {
    "library": """
        def pairwise_distances(a, b):
            return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")
        """,
    "two_loops": """
        def pairwise_distances(a, b):
            return torch.stack([torch.stack([(p - q).norm() for q in b]) for p in a])
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
}
