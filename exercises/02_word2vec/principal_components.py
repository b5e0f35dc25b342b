"""principal_components: points off the origin; signs, and as many coordinates as points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import until

POINTS = {"values": 3, "edges": 1}


def _clear(X: torch.Tensor, k: int = 2) -> bool:
    """Whether the first k directions and their signs are clear, and the signs are telling."""
    centered = X - X.mean(dim=0)
    _, sizes, directions = torch.linalg.svd(centered, full_matrices=False)
    directions = directions[:k]
    top = directions.abs().topk(2, dim=1)
    directions = directions * directions.gather(1, top.indices[:, :1]).sign()
    coordinates = centered @ directions.T
    farthest = coordinates.abs().topk(2, dim=0)
    return bool(
        (sizes[:k] > 1.5 * sizes[1 : k + 1]).all()
        and (top.values[:, 0] - top.values[:, 1] > 0.05).all()
        and (directions.amin(dim=1) < -0.05).all()
        and (directions.sum(dim=1) < -0.1).any()
        and (directions[:, 0] < -0.05).any()
        and (farthest.values[0] - farthest.values[1] > 0.05).all()
        and (coordinates.gather(0, farthest.indices[:1]) < 0).any()
    )


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int) -> torch.Tensor:
        """Points that spread differently along oblique axes, around a mean that is not 0."""
        along = rng.integers(-9, 10, size=(n, K)) * 2 ** np.arange(K)[::-1]
        points = along @ rng.integers(-9, 10, size=(K, K)) / (9 * 2**K)  # of whole numbers: exact
        return torch.from_numpy((points + rng.normal(scale=4, size=K)).astype(np.float32))

    def cloud(n: int, K: int, k: int = 2) -> torch.Tensor:
        return until(lambda: draw(n, K), lambda X: _clear(X, k))

    rules = {"atol": 1e-4, "rtol": 1e-4}
    for n, K, k in ((5, 3, 2), (8, 4, 3), (int(rng.integers(9, 13)), 5, 2)):
        yield Case("values", [cloud(n, K, k), k], judge=rules)
    turned = cloud(6, 4).T.contiguous().mT
    yield Case("values", [turned, 1], title="points that are not contiguous", judge=rules)
    yield Case("edges", [cloud(3, 4, 1), 1], title="one coordinate of three points", judge=rules)
    # along the last direction the centered points do not spread, so any direction is right
    any_direction = ("projects_uncentered_points", "all_spreads_equal")
    title = "as many coordinates as points"
    yield Case("edges", [cloud(4, 5, 3), 4], title=title, judge=rules, undefined=any_direction)


WRONG = {
    "not_centered": """
        The mean is not subtracted, so the first direction points to where the points lie.

        - centered = X - X.mean(dim=0)
        + centered = X
        """,
    "projects_uncentered_points": """
        The directions are right, but the points are projected without subtracting their mean.

        - return centered @ (directions * largest.sign()).T
        + return X @ (directions * largest.sign()).T
        """,
    "centers_each_point": """
        From each point the mean of its own numbers is subtracted. Subtract the mean of the points.

        - centered = X - X.mean(dim=0)
        + centered = X - X.mean(dim=1, keepdim=True)
        """,
    "signs_of_the_coordinates": """
        The signs follow the coordinates. They should follow the largest entry of each direction.

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        - return centered @ (directions * largest.sign()).T
        + coordinates = centered @ directions.T
        + largest = coordinates.gather(0, coordinates.abs().argmax(dim=0, keepdim=True))
        + return coordinates * largest.sign()
        """,
    "smallest_spread_first": """
        These are the directions of smallest spread: `eigh` sorts eigenvalues in ascending order.

        - directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        + directions = torch.linalg.eigh(centered.T @ centered).eigenvectors.T[:k]
        """,
    "all_spreads_equal": """
        These are the left singular vectors without the singular values. Project the points instead.

        - return centered @ (directions * largest.sign()).T
        + return torch.linalg.svd(centered, full_matrices=False).U[:, :k] * largest.sign().T
        """,
    "standardized": """
        Each dimension is divided by its standard deviation. Here the points are only centered.

        - centered = X - X.mean(dim=0)
        + centered = (X - X.mean(dim=0)) / X.std(dim=0)
        """,
    "mean_of_all_numbers": """
        One mean of all numbers is subtracted. Each dimension has a mean of its own: `dim=0`.

        - centered = X - X.mean(dim=0)
        + centered = X - X.mean()
        """,
    "sign_of_the_sum": """
        The sum of each direction is positive. The agreement is about a single entry, the one with the
        largest absolute value.

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        + largest = directions.sum(dim=1, keepdim=True)
        """,
    "sign_of_the_first_entry": """
        The first entry of each direction is positive. The agreement is about the entry with the largest
        absolute value, wherever it stands.

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        + largest = directions[:, :1]
        """,
    "standardized_over_n": """
        The points are standardized: each dimension is divided by its standard deviation. Here they
        are only centered, so that a dimension of large spread counts more.

        - centered = X - X.mean(dim=0)
        + spread = X.std(dim=0, unbiased=False)
        + centered = (X - X.mean(dim=0)) / torch.where(spread > 0, spread, 1.0)
        """,
}

FURTHER = """
Center with `X.mean(dim=0)`. The directions are the first k rows (not columns) of W^T, which
`torch.linalg.svd` returns last, as `Vh`. Find the position of the largest absolute value in each
row, look up the entry there (`gather`), and multiply the row by its sign. Then one matrix product
of the centered points with the transposed directions is left.
"""

RIGHT = {
    "eigen": """
        def principal_components(X, k):
            centered = X.double() - X.double().mean(dim=0)
            _, vectors = torch.linalg.eigh(centered.T @ centered)
            columns = []
            for direction in vectors.T.flip(0)[:k]:
                sign = 1 if direction.max() > -direction.min() else -1
                columns.append(sign * (centered @ direction))
            return torch.stack(columns, dim=1).to(X.dtype)
        """,
    "numpy": """
        import numpy as np


        def principal_components(X, k):
            points = X.double().numpy() - X.double().numpy().mean(axis=0)
            left, sizes, directions = np.linalg.svd(points, full_matrices=False)
            signs = [np.sign(row[np.argmax(np.abs(row))]) for row in directions]
            return torch.from_numpy((left * sizes * signs)[:, :k]).to(X.dtype)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "There are two points and two dimensions or more.": """
        -    centered = X - X.mean(dim=0)
        +    centered = (X - X.mean(dim=0)).squeeze()
        """,
    "The signs are chosen afterwards.": """
        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = -torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        """,
    "Further directions are cut off.": """
        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered).Vh[:k]

        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered, full_matrices=True).Vh[:k]
        """,
    "Only the sign counts.": """
        -    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        +    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True)).half()

        -    return centered @ (directions * largest.sign()).T
        +    return centered @ (directions / largest.sign()).T
        """,
    "The largest square belongs to the largest absolute value.": """
        -    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        +    largest = directions.gather(1, directions.square().argmax(dim=1, keepdim=True))
        """,
    "The directions are not used again.": """
        -    return centered @ (directions * largest.sign()).T
        +    return centered @ (directions.mul_(largest.sign())).T
        """,
}
