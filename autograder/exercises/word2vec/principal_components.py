"""principal_components: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.word2vec.common import normal, until

POINTS = {"values": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def cloud(n: int, K: int) -> torch.Tensor:
        """Spread differently along turned axes, around a mean that is not 0."""
        points = normal(rng, n, K)
        left, _, right = torch.linalg.svd(points - points.mean(dim=0), full_matrices=False)
        sizes = 4.0 * 0.5 ** torch.arange(right.shape[0])
        return left * sizes @ right + normal(rng, K, scale=2.0)

    def clear(X: torch.Tensor) -> bool:
        """Whether no direction has two largest components of about the same size, and the signs
        by direction and by coordinate disagree somewhere, as do those that come by themselves."""
        centered = X - X.mean(dim=0)
        directions = torch.linalg.svd(centered, full_matrices=False).Vh[:2]
        top = directions.abs().sort(dim=1, descending=True).values
        signs = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True)).sign()
        coordinates = centered @ (directions * signs).T
        by_size = coordinates.gather(0, coordinates.abs().argmax(dim=0, keepdim=True))
        sums = (directions * signs).sum(dim=1)
        apart = coordinates.abs().sort(dim=0, descending=True).values
        return bool(
            (top[:, 0] - top[:, 1] > 0.05).all()
            and (directions.max(dim=1).values > 0.05).all()
            and (directions.min(dim=1).values < -0.05).all()
            and (by_size < 0).any()
            and (signs < 0).any()
            and (sums < -0.1).any()
            and (apart[0] - apart[1] > 0.05).all()
        )

    rules = {"atol": 1e-3, "rtol": 1e-3}
    for n, K, k in ((5, 3, 2), (8, 4, 2), (int(rng.integers(9, 13)), 5, 2)):
        (X,) = until(rng, lambda rng, n=n, K=K: (cloud(n, K),), clear)
        yield Case("values", [X, k], judge=rules)
    (X,) = until(rng, lambda rng: (cloud(6, 4),), clear)
    title = "points that are not contiguous"
    yield Case("values", [X.T.contiguous().mT, 1], title=title, judge=rules)
    yield Case("edges", [normal(rng, 1, 4), 2], title="a single point", judge=rules)
    (X,) = until(rng, lambda rng: (cloud(3, 5),), clear)
    yield Case("edges", [X, 5], title="more coordinates than points", judge=rules)
    (X,) = until(rng, lambda rng: (cloud(6, 4),), clear)
    loose = {"dtype": "exact", "rtol": 0.03, "atol": 0.03}
    yield Case("edges", [X.half(), 2], title="half precision", judge=loose)


WRONG = {
    "not_centered": """
        The mean is not subtracted. Without it the first direction points to where the points
        lie, not along which they differ.

          centered = X.float() - X.float().mean(dim=0)
        + centered = X.float()
        """,
    "projects_uncentered_points": """
        The directions are found around the mean, but then the points are projected without
        subtracting it.

        - coordinates = centered @ (directions * largest.sign()).T
        + coordinates = X.float() @ (directions * largest.sign()).T
        """,
    "centers_each_point": """
        The mean of each point's own numbers is subtracted. The mean of the points is meant, one
        number for each dimension.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = X.float() - X.float().mean(dim=1, keepdim=True)
        """,
    "largest_component_negative": """
        The signs are wrong way round: in each direction the entry with the largest absolute
        value should be positive.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = X.float().mean(dim=0) - X.float()
        """,
    "signs_as_they_come": """
        The signs are those that the decomposition happened to give. The entry with the largest
        absolute value should be positive. (The largest entry itself is nearly always positive
        and decides nothing.)

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        + largest = directions.gather(1, directions.argmax(dim=1, keepdim=True))
        """,
    "centers_by_one_number": """
        One number is subtracted everywhere, the mean of all entries of X. The mean of the
        points is meant, one number for each dimension.

        - centered = X.float() - X.float().mean(dim=0)
        + centered = X.float() - X.float().mean()
        """,
    "signs_of_the_coordinates": """
        The signs follow the coordinates of the points. They should follow the directions: in
        each of them the entry with the largest absolute value is positive.

        import torch.nn.functional as F


        def principal_components(X, k):
            centered = X.float() - X.float().mean(dim=0)
            directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
            found = centered @ directions.T
            largest = found.gather(0, found.abs().argmax(dim=0, keepdim=True))
            found = found * torch.where(largest < 0, -1.0, 1.0)
            return F.pad(found, (0, k - found.shape[1])).to(X.dtype)
        """,
    "signs_of_the_sums": """
        The signs make the sum of each direction positive. It is the entry with the largest
        absolute value that should be positive.

        - largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
        + largest = directions.sum(dim=1, keepdim=True)
        """,
    "smallest_spread_first": """
        These are the directions of smallest spread. `eigh` sorts its eigenvalues from small to
        large; the principal directions belong to the largest.

        - directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
        + directions = torch.linalg.eigh(centered.T @ centered).eigenvectors.T[:k]
        """,
    "all_spreads_equal": """
        All coordinates have the same spread: these are the columns of A, without the singular
        values. Project the points onto the directions, and the spread shows.

        import torch.nn.functional as F


        def principal_components(X, k):
            centered = X.float() - X.float().mean(dim=0)
            left, _, directions = torch.linalg.svd(centered, full_matrices=False)
            directions = directions[:k]
            largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
            found = left[:, :k] * largest.sign().T
            return F.pad(found, (0, k - found.shape[1])).to(X.dtype)
        """,
    "standardized": """
        Each dimension is divided by its standard deviation. Here the points are only centered;
        how much a dimension spreads is what counts.

        import torch.nn.functional as F


        def principal_components(X, k):
            centered = X.float() - X.float().mean(dim=0)
            centered = centered / centered.square().mean(dim=0).sqrt().clamp(min=1e-9)
            directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
            largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
            found = centered @ (directions * largest.sign()).T
            return F.pad(found, (0, k - found.shape[1])).to(X.dtype)
        """,
    "fewer_columns": """
        With fewer directions than k some columns are missing. The result has k columns all the
        same, filled up with zeros.

        - return torch.nn.functional.pad(coordinates, (0, missing)).to(X.dtype)
        + return torch.nn.functional.pad(coordinates, (0, False)).to(X.dtype)
        """,
    "components_always_float32": """
        The result should have the precision of X; yours comes back as float32.

        - return torch.nn.functional.pad(coordinates, (0, missing)).to(X.dtype)
        + return torch.nn.functional.pad(coordinates, (0, missing)).to(X.float())
        """,
    "decomposes_half_precision": """
        The decomposition does not know half precision. Compute in float32, and bring the result
        back to the precision of X at the end.

        raises NotImplementedError

        import torch.nn.functional as F


        def principal_components(X, k):
            centered = X - X.mean(dim=0)
            directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
            largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
            found = centered @ (directions * largest.sign()).T
            return F.pad(found, (0, k - found.shape[1]))
        """,
    "plain_decomposition": """
        The signs are those that the decomposition happened to give. The entry with the largest
        absolute value should be positive. (Afterwards look at half precision and at few
        points.)

        def principal_components(X, k):
            centered = X - X.mean(dim=0)
            return centered @ torch.linalg.svd(centered, full_matrices=False).Vh[:k].T
        """,
    "plain_with_one_mean": """
        One number is subtracted everywhere, the mean of all entries of X. The mean of the
        points is meant, one number for each dimension. (Afterwards look at half precision and
        at few points.)

        def principal_components(X, k):
            centered = X - X.mean()
            directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
            largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
            return centered @ (directions * largest.sign()).T
        """,
    "plain_not_centered": """
        The mean is not subtracted. Without it the first direction points to where the points
        lie, not along which they differ. (Afterwards look at half precision and at few points.)

        def principal_components(X, k):
            directions = torch.linalg.svd(X, full_matrices=False).Vh[:k]
            largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
            return X @ (directions * largest.sign()).T
        """,
}

RIGHT = {
    "principal_components_eigen": """
        def principal_components(X, k):
            centered = X.double() - X.double().mean(dim=0)
            _, vectors = torch.linalg.eigh(centered.T @ centered)
            vectors = vectors.flip(1)[:, : min(k, *X.shape)]
            result = torch.zeros(len(X), k, dtype=torch.float64)
            for column, direction in enumerate(vectors.T):
                if direction[direction.abs().argmax()] < 0:
                    direction = -direction
                result[:, column] = centered @ direction
            return result.to(X.dtype)
        """,
    "principal_components_numpy": """
        import numpy as np


        def principal_components(X, k):
            points = X.detach().to(torch.float64).numpy()
            points = points - points.mean(axis=0)
            left, sizes, directions = np.linalg.svd(points, full_matrices=False)
            signs = [np.sign(row[np.argmax(np.abs(row))]) for row in directions]
            coordinates = (left * sizes * signs)[:, :k]
            wider = np.zeros((len(points), k))
            wider[:, : coordinates.shape[1]] = coordinates
            return torch.from_numpy(wider).to(X.dtype)
        """,
}
