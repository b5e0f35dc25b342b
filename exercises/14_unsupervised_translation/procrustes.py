"""procrustes: rotations and reflections are found again, from pairs that match more or less."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal

POINTS = {"rotations": 2, "reflections": 1, "noise": 2, "edges": 1}
#: The singular vectors come from float32 products.
_LOOSE = {"rtol": 1e-3, "atol": 1e-4}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def pair(n: int, d: int, reflect: bool = False, noise: float = 0.0) -> list[torch.Tensor]:
        """Vectors of every direction, and the same ones turned around."""
        X = rng.normal(size=(n, d))
        X[:d] += 3 * np.eye(d)
        shift = int(rng.integers(1, d))
        Y = np.roll(X, shift, axis=1)
        for i in range(d - 1):  # angles with the sine 0.6 or 0.8
            a, b = (0.6, 0.8) if rng.random() < 0.5 else (0.8, -0.6)
            Y[:, i], Y[:, i + 1] = a * Y[:, i] - b * Y[:, i + 1], b * Y[:, i] + a * Y[:, i + 1]
        if (shift * (d - shift) % 2 == 1) != reflect:  # so far, the determinant is -1 for odd ones
            Y[:, 0] = -Y[:, 0]
        Y = Y + noise * rng.normal(size=Y.shape)
        return [torch.tensor(M.round(4), dtype=torch.float32) for M in (X, Y)]

    def case(group: str, inputs: list[torch.Tensor], title: str = "") -> Case:
        n, d = inputs[0].shape
        # of n by n singular vectors, those beyond the first d are arbitrary
        arbitrary = ("orthogonal_rows_of_the_words",) if n > d else ()
        return Case(group, inputs, title=title, judge=_LOOSE, undefined=arbitrary)

    n = int(rng.integers(6, 9))
    yield case("rotations", pair(3, 2), "three words in two dimensions")
    yield case("rotations", pair(n, 3))
    yield case("rotations", pair(n + 3, 4))
    yield case("reflections", pair(4, 2, reflect=True), "a reflection")
    yield case("reflections", pair(n, 3, reflect=True))
    yield case("noise", pair(n + 2, 3, noise=0.3), "no matrix fits all words")
    yield case("noise", pair(12, 4, noise=0.5, reflect=True))
    X, Y = pair(n, 3, noise=0.2)
    yield case("noise", [4 * X, 0.25 * Y], "long and short vectors")
    yield case("edges", pair(4, 4, noise=0.1), "as many words as dimensions")
    title = "one dimension: only the sign is left"
    yield case("edges", [normal(rng, 3, 1) + 3, -2 - normal(rng, 3, 1).abs()], title)


WRONG = {
    "the_way_back": """
        This is the transposed matrix, which maps the other way, from Y to X. Look at which side of
        the product X comes from: X^T Y = U S V^T.

        - return U @ Vh
        + return (U @ Vh).T
        """,
    "v_not_transposed": """
        U is multiplied by V where V^T belongs, and U V is an orthogonal matrix that has nothing to
        do with the words. The third result of `torch.linalg.svd` is V^T already; that of
        `torch.svd` is V.

        - return U @ Vh
        + return U @ Vh.T
        """,
    "keeps_the_singular_values": """
        The singular values are still in it: U S V^T is X^T Y itself, which stretches the space.
        Leave S out, then W is orthogonal.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        - return U @ Vh
        + U, S, Vh = torch.linalg.svd(X.T @ Y)
        + return U @ torch.diag(S) @ Vh
        """,
    "least_squares": """
        This is the best of all matrices, and it is not orthogonal: it may stretch some directions
        and flatten others, and fits a handful of words too well. Use the SVD of X^T Y.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        - return U @ Vh
        + return torch.linalg.lstsq(X, Y).solution
        """,
    "no_reflections": """
        A reflection is turned into a rotation. Two spaces may well be mirror images of each other:
        any orthogonal matrix is allowed, whatever its determinant.

        - return U @ Vh
        + signs = torch.ones(len(X.T))
        + signs[-1] = torch.linalg.det(U @ Vh).sign()
        + return U @ torch.diag(signs) @ Vh
        """,
    "centers_first": """
        The means are subtracted before the fit, so W is that of other vectors. Use X and Y as they
        are.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        + U, _, Vh = torch.linalg.svd((X - X.mean(dim=0)).T @ (Y - Y.mean(dim=0)))
        """,
    "orthogonal_rows_of_the_words": """
        This is a matrix with a row and a column for each word: the product is X Y^T. W maps
        dimensions to dimensions, so it comes from X^T Y, which is d by d.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        + U, _, Vh = torch.linalg.svd(X @ Y.T)
        """,
    "factors_exchanged": """
        The two factors are in the wrong order. In X^T Y = U S V^T the matrix U stands on the left,
        where X is.

        - return U @ Vh
        + return Vh @ U
        """,
    "normalizes_first": """
        The vectors are brought to length 1 before the fit, so every word counts the same. Use X and
        Y as they are: a long vector pulls more.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        + U, _, Vh = torch.linalg.svd(F.normalize(X).T @ F.normalize(Y))
        """,
    "straightens_least_squares": """
        The best of all matrices is made orthogonal afterwards. That is not the best orthogonal one:
        use the SVD of X^T Y itself.

        - U, _, Vh = torch.linalg.svd(X.T @ Y)
        + U, _, Vh = torch.linalg.svd(torch.linalg.lstsq(X, Y).solution)
        """,
}

RIGHT = {
    "numpy": """
        def procrustes(X, Y):
            import numpy as np

            U, S, Vh = np.linalg.svd(X.numpy().T @ Y.numpy())
            return torch.from_numpy(U @ Vh)
        """,
    "from_y_to_x": """
        def procrustes(X, Y):
            U, S, V = torch.svd(Y.T @ X)
            return V @ U.T
        """,
    "polar": """
        def procrustes(X, Y):
            M = torch.einsum("ni,nj->ij", X.double(), Y.double())
            values, Q = torch.linalg.eigh(M.T @ M)
            return (M @ Q @ torch.diag(values.rsqrt()) @ Q.T).float()
        """,
}

EQUIVALENT = {
    "No model is trained through a dictionary.": """
        every edit: detached, without gradient
        """,
}
