"""principal_components: points off the origin; signs, a single point, few points, float16."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import normal, until

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
        and (farthest.values[0] - farthest.values[1] > 0.05).all()
        and (coordinates.gather(0, farthest.indices[:1]) < 0).any()
    )


def _mean_matters(X: torch.Tensor) -> bool:
    """Whether the mean, too, has to be computed in float32."""
    means = X.float().mean(dim=0), X.mean(dim=0).float()
    directions = torch.linalg.svd(X.float() - means[0], full_matrices=False).Vh[:2]
    exact, rounded = ((X.float() - mean) @ directions.T for mean in means)
    wrong = (exact - rounded).abs() > 0.2 + 0.1 * exact.abs()
    return _clear(X.float()) and bool(wrong.any())


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int, away: float = 4) -> torch.Tensor:
        """Points that spread differently along oblique axes, around a mean that is not 0."""
        along = rng.integers(-9, 10, size=(n, K)) * 2 ** np.arange(K)[::-1]
        points = along @ rng.integers(-9, 10, size=(K, K)) / (9 * 2**K)  # of whole numbers: exact
        return torch.from_numpy((points + rng.normal(scale=away, size=K)).astype(np.float32))

    def cloud(n: int, K: int, k: int = 2) -> torch.Tensor:
        return until(lambda: draw(n, K), lambda X: _clear(X, k))

    rules = {"atol": 1e-4, "rtol": 1e-4}
    for n, K, k in ((5, 3, 2), (8, 4, 3), (int(rng.integers(9, 13)), 5, 2)):
        yield Case("values", [cloud(n, K, k), k], judge=rules)
    turned = cloud(6, 4).T.contiguous().mT
    yield Case("values", [turned, 1], title="points that are not contiguous", judge=rules)
    # where the centered points do not spread, any direction is right
    no_spread = ("projects_uncentered_points", "all_spreads_equal", "standardized")
    one, few = normal(rng, 1, 4), cloud(3, 5)
    half = until(lambda: draw(6, 4, away=1000).half(), _mean_matters)
    yield Case("edges", [one, 2], title="a single point", judge=rules, undefined=no_spread)
    title = "more coordinates than points"
    yield Case("edges", [few, 5], title=title, judge=rules, undefined=no_spread[:2])
    rules = {"dtype": "exact", "rtol": 0.03, "atol": 0.03}
    yield Case("edges", [half, 2], title="half precision", judge=rules)


WRONG = {
    "not_centered": """
        The mean is not subtracted, so the first direction points to where the points lie.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = X.float()
        """,
    "projects_uncentered_points": """
        The directions are right, but the points are projected without subtracting their mean.

        - coordinates = centered @ (directions * largest.sign()).T
        + coordinates = X.float() @ (directions * largest.sign()).T
        """,
    "centers_each_point": """
        From each point the mean of its own numbers is subtracted. Subtract the mean of the points.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = X.float() - X.float().mean(dim=1, keepdim=True)
        """,
    "signs_of_the_coordinates": """
        The signs follow the coordinates. They should follow the largest entry of each direction.

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        - coordinates = centered @ (directions * largest.sign()).T
        + coordinates = centered @ directions.T
        + largest = coordinates.gather(0, coordinates.abs().argmax(dim=0, keepdim=True))
        + coordinates = coordinates * largest.sign()
        """,
    "smallest_spread_first": """
        These are the directions of smallest spread: `eigh` sorts eigenvalues in ascending order.

        - directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        + directions = torch.linalg.eigh(centered.T @ centered).eigenvectors.T[:k]
        """,
    "all_spreads_equal": """
        These are the left singular vectors without the singular values. Project the points instead.

        - coordinates = centered @ (directions * largest.sign()).T
        + coordinates = torch.linalg.svd(centered, full_matrices=False).U[:, :k] * largest.sign().T
        """,
    "standardized": """
        Each dimension is divided by its standard deviation. Here the points are only centered.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = (X.float() - X.float().mean(dim=0)) / X.float().std(dim=0)
        """,
    "fewer_columns": """
        With fewer directions than k some columns are missing. Fill them up with zeros.

        - missing = k - coordinates.shape[1]
        - return torch.nn.functional.pad(coordinates, (0, missing)).to(X.dtype)
        + return coordinates.to(X.dtype)
        """,
}

RIGHT = {
    "eigen": """
        def principal_components(X, k):
            centered = X.double() - X.double().mean(dim=0)
            _, vectors = torch.linalg.eigh(centered.T @ centered)
            result = torch.zeros(len(X), k, dtype=X.dtype)
            for column, direction in enumerate(vectors.T.flip(0)[:k]):
                sign = 1 if direction.max() > -direction.min() else -1
                result[:, column] = sign * (centered @ direction)
            return result
        """,
    "numpy": """
        import numpy as np


        def principal_components(X, k):
            points = X.double().numpy() - X.double().numpy().mean(axis=0)
            left, sizes, directions = np.linalg.svd(points, full_matrices=False)
            signs = [np.sign(row[np.argmax(np.abs(row))]) for row in directions]
            coordinates = (left * sizes * signs)[:, :k]
            missing = k - coordinates.shape[1]
            return torch.from_numpy(np.pad(coordinates, ((0, 0), (0, missing)))).to(X.dtype)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "float16 minus float32 is float32.": """
        -    centered = X.float() - X.float().mean(dim=0)
        +    centered = X - X.float().mean(dim=0)
        """,
    "The signs are chosen afterwards.": """
        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = -torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        """,
    "`pad` with a negative number cuts off the columns that are too many.": """
        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered, full_matrices=False).Vh

        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:]

        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k + 1]
        """,
    "Further directions have coordinates of 0, like those that are missing.": """
        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered).Vh[:k]

        -    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        +    directions = torch.linalg.svd(centered, full_matrices=True).Vh[:k]
        """,
    "Only the sign counts.": """
        -    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        +    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True)).half()

        -    coordinates = centered @ (directions * largest.sign()).T
        +    coordinates = centered @ (directions / largest.sign()).T
        """,
    "The largest square belongs to the largest absolute value.": """
        -    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        +    largest = directions.gather(1, directions.square().argmax(dim=1, keepdim=True))
        """,
    "The directions are not used again.": """
        -    coordinates = centered @ (directions * largest.sign()).T
        +    coordinates = centered @ (directions.mul_(largest.sign())).T
        """,
    "A matrix has two axes.": """
        -    missing = k - coordinates.shape[1]
        +    missing = k - coordinates.shape[-1]
        """,
}
