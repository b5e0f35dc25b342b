"""spherical_k_means: clusters around axes, rounds, vectors of zeros, centers without vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import number
from .common import around_axes

POINTS = {"assign": 1, "move": 2, "zeros": 1, "empty": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    X, axes = around_axes(rng, number(rng, 7, 9), 3)
    yield Case("assign", [X, torch.eye(3) * 2.0, 0], title="no round: only assigned to the starts")
    X, axes = around_axes(rng, 8, 2)
    yield Case("assign", [X, torch.tensor([[0.1, 9.0], [0.5, 0.1]]), 0], title="one start is long")
    X, axes = around_axes(rng, 8, 2)
    starts = torch.tensor([[0.0, 1.0], [2.0, 0.0], [2.0, 0.0]])
    yield Case("assign", [X, starts, 0], title="two equal starts: the first of them wins")
    X, axes = around_axes(rng, number(rng, 8, 10), 3)
    starts = torch.stack([X[axes == axis][0] for axis in range(3)])
    for n_rounds in (1, 5):
        yield Case("move", [X, starts, n_rounds])
    X, axes = around_axes(rng, 9, 2)
    X[axes == 0] *= 20.0
    starts = torch.tensor([[1.0, 0.6], [0.6, 1.0]])
    yield Case("move", [X, starts, 2], title="long vectors count no more than short ones")
    step = float(rng.uniform(0.02, 0.06))
    slope = torch.tensor([0.0, 0.45, 0.55, 0.9, 1.2, 1.5]) + step
    X = torch.stack([torch.cos(slope), torch.sin(slope)], dim=1)
    yield Case("move", [X, X[:2].clone(), 1], title="vectors change their center after one round")
    yield Case("move", [X, X[:2].clone(), 3], title="and again in the next rounds")
    X = torch.tensor([[-2.0, 2.0], [-1.0, 0.0], [3.0, -2.0], [-2.0, 0.0], [2.0, 1.0]])
    X = X * number(rng, 2, 4) / 2
    yield Case("move", [X, X[:2].clone(), 1], title="all centers move, then all are assigned")
    X, axes = around_axes(rng, 6, 2)
    yield Case("move", [X, X[:1].clone(), number(rng, 1, 3)], title="a single center")
    X, axes = around_axes(rng, 7, 2)
    X[number(rng, 0, 6)] = 0.0
    yield Case("zeros", [X, torch.tensor([[0.3, 1.0], [1.0, 0.2]]), 2], title="a vector of zeros")
    X, axes = around_axes(rng, 6, 3)
    X[[1, 4]] = 0.0
    yield Case("zeros", [X, torch.eye(3), 1], title="two vectors of zeros")
    X, axes = around_axes(rng, 6, 2)
    starts = torch.tensor([[1.0, 0.2], [0.2, 1.0], [-1.0, -1.0 - step]])
    yield Case("empty", [X, starts, 2], title="nothing is near the third center: it stays")
    X, axes = around_axes(rng, 4, 3)
    starts = torch.cat([-torch.ones(1, 3) - step, torch.eye(3)])
    yield Case("empty", [X, starts, 1], title="nothing is near the first center")
    X, axes = around_axes(rng, 1, 3)
    starts = torch.tensor([[1.0, 1.0, 1.0], [-0.5, 1.0, 0.2]])
    yield Case("empty", [X, starts, 1], title="a single vector: the other center stays")
    a = float(rng.uniform(0.3, 0.6))
    X = torch.tensor([[a, 0.0], [-2 * a, 0.0]])
    title = "two vectors that add up to zero: the center stays"
    yield Case("empty", [X, torch.tensor([[a, 1.0]]), 1], title=title)


WRONG = {
    "vectors_not_scaled": """
        Long vectors pull the center more than short ones. Scale all vectors to length 1 first.

        - X = F.normalize(X, dim=1)
        """,
    "starts_not_scaled": """
        A long start wins every comparison. Scale the starts to length 1, too.

        - centers = F.normalize(starts, dim=1)
        + centers = starts.clone()
        """,
    "centers_not_scaled": """
        The moved centers are not scaled back to length 1, so the center with most vectors wins.

        - centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        + centers = torch.where(moved, totals, centers)
        """,
    "plain_means": """
        The moved centers are plain means, which are shorter the more their vectors differ. Scale them
        back to length 1.

        - centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        + counts = torch.bincount(clusters, minlength=len(centers)).clamp(min=1)
        + centers = torch.where(moved, totals / counts[:, None], centers)
        """,
    "zeros_become_nan": """
        A vector of zeros divided by its length is NaN, and so is every center that it joins. F.normalize
        leaves zeros alone.

        - X = F.normalize(X, dim=1)
        + X = X / X.norm(dim=1, keepdim=True)
        """,
    "not_assigned_again": """
        The clusters are those from before the last move. Assign once more after the last round.

        - for _ in range(n_rounds):
        -     clusters = (X @ centers.T).argmax(dim=1)
        + clusters = (X @ centers.T).argmax(dim=1)
        + for _ in range(n_rounds):
        +     clusters = (X @ centers.T).argmax(dim=1)
        ...
        - return (X @ centers.T).argmax(dim=1), centers
        + return clusters, centers
        """,
    "empty_center_becomes_zero": """
        A center without vectors becomes zero and never gets one again. Let it stay where it was.

        - centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        + centers = F.normalize(totals, dim=1)
        """,
    "sum_of_zero": """
        Vectors may add up to zero, and then their sum has no direction: the center becomes zero.
        Let it stay where it was, like a center without vectors.

        - moved = totals.norm(dim=1, keepdim=True) > 1e-6
        + moved = torch.bincount(clusters, minlength=len(centers)).unsqueeze(1) > 0
        """,
    "empty_center_becomes_nan": """
        A center without vectors, or a vector of zeros, divides by the length 0, which gives NaN. An
        empty center stays where it was, and zeros stay zeros.

        - X = F.normalize(X, dim=1)
        + X = X / X.norm(dim=1, keepdim=True)
        ...
        - centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        + centers = totals / totals.norm(dim=1, keepdim=True)
        """,
    "smallest_product": """
        The center with the *smallest* dot product is taken; that is the least similar one.

        - clusters = (X @ centers.T).argmax(dim=1)
        + clusters = (X @ centers.T).argmin(dim=1)
        ...
        - return (X @ centers.T).argmax(dim=1), centers
        + return (X @ centers.T).argmin(dim=1), centers
        """,
    "moves_once": """
        The centers move only once. Repeat assigning and moving `n_rounds` times.

        - for _ in range(n_rounds):
        + for _ in range(min(n_rounds, 1)):
        """,
    "euclidean_k_means": """
        This is ordinary k-means, by distance and with plain means. The spherical kind compares
        directions: scale vectors and centers to length 1.

        - X = F.normalize(X, dim=1)
        - centers = F.normalize(starts, dim=1)
        + centers = starts
        ...
        -     clusters = (X @ centers.T).argmax(dim=1)
        +     clusters = torch.cdist(X, centers).argmin(dim=1)
        ...
        -     centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        - return (X @ centers.T).argmax(dim=1), centers
        +     counts = torch.bincount(clusters, minlength=len(centers)).clamp(min=1)
        +     centers = torch.where(moved, totals / counts[:, None], centers)
        + return torch.cdist(X, centers).argmin(dim=1), centers
        """,
}

RIGHT = {
    "loops": """
        def spherical_k_means(X, starts, n_rounds):
            def unit(v):
                n = v.norm()
                return v / n if n > 0 else v

            X = torch.stack([unit(x) for x in X])
            centers = torch.stack([unit(c) for c in starts])

            def assign():
                return torch.stack([torch.argmax(centers @ x) for x in X])

            for _ in range(n_rounds):
                clusters, moved = assign(), []
                for number, center in enumerate(centers):
                    total = X[clusters == number].sum(dim=0)
                    moved.append(unit(total) if total.norm() > 1e-6 else center)
                centers = torch.stack(moved)
            return assign(), centers
        """,
    "one_hot": """
        def spherical_k_means(X, starts, n_rounds):
            Z = X / X.norm(dim=1, keepdim=True).clamp(min=1e-12)
            C = starts / starts.norm(dim=1, keepdim=True)
            for _ in range(n_rounds):
                member = F.one_hot((Z @ C.T).argmax(1), len(C)).float()
                total = member.T @ Z
                length = total.norm(dim=1, keepdim=True)
                C = torch.where(length > 1e-5, total / length.clamp(min=1e-12), C)
            return (Z @ C.T).argmax(1), C
        """,
}

FURTHER = """
`F.normalize` scales rows to length 1 and leaves zeros alone; dot products of all vectors with all
centers are one matrix product. To add up the vectors of each cluster, `index_add` or a one-hot matrix
helps. Ask of each sum whether its length is more than 0 before you take it for a new center.
"""

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "1 is the default.": """
        -    X = F.normalize(X, dim=1)
        +    X = F.normalize(X)

        -    centers = F.normalize(starts, dim=1)
        +    centers = F.normalize(starts)

        -        centers = torch.where(moved, F.normalize(totals, dim=1), centers)
        +        centers = torch.where(moved, F.normalize(totals), centers)
        """,
    "One number of a cluster adds one row.": """
        -        clusters = (X @ centers.T).argmax(dim=1)
        +        clusters = (X @ centers.T).argmax(dim=1).squeeze()
        """,
    "There are as many centers as starts.": """
        -        totals = torch.zeros_like(centers).index_add(0, clusters, X)
        +        totals = torch.zeros_like(starts).index_add(0, clusters, X)
        """,
    "How small a sum counts as zero is left open, for the sake of rounding.": """
        -        moved = totals.norm(dim=1, keepdim=True) > 1e-6
        +        moved = totals.norm(dim=1, keepdim=True) >= 1e-6

        -        moved = totals.norm(dim=1, keepdim=True) > 1e-6
        +        moved = totals.norm(dim=1, keepdim=True) > 9.999999999999999e-06

        -        moved = totals.norm(dim=1, keepdim=True) > 1e-6
        +        moved = totals.norm(dim=1, keepdim=True) > 1e-07

        -        moved = totals.norm(dim=1, keepdim=True) > 1e-6
        +        moved = totals.norm(dim=1, keepdim=True) > 0.0
        """,
    "Integers of any type number the clusters.": """
        -    return (X @ centers.T).argmax(dim=1), centers
        +    return (X @ centers.T).argmax(dim=1).int(), centers
        """,
}
